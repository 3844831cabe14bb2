# Run by CTest; tests/install/CMakeLists.txt says with which variables.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix "${scratch}/prefix")
file(REMOVE_RECURSE "${prefix}" "${scratch}/consumer" "${scratch}/all" "${scratch}/plugin")
run("${CMAKE_COMMAND}" --install "${build}" --config "${config}" --prefix "${prefix}")

# Moved, so that nothing works only because of the folder it was installed into.
set(moved "${scratch}/moved")
file(REMOVE_RECURSE "${moved}")
file(RENAME "${prefix}" "${moved}")

file(GLOB_RECURSE package_files "${moved}/*.cmake")
foreach(file IN LISTS package_files)
  file(READ "${file}" text)
  foreach(folder IN ITEMS "${source}" "${build}" "${prefix}" "/usr/lib/" "/usr/include")
    string(FIND "${text}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}, which another machine need not have")
    endif()
  endforeach()
endforeach()

# The headers of the API are there, those of the implementation are not.
if(NOT EXISTS "${moved}/include/pair/moo/epo.h")
  message(FATAL_ERROR "pair/moo/epo.h is not installed")
endif()
foreach(internal IN ITEMS moo/simplex_lp.h plot/svg_writer.h data/tar.h cli/solve_line.h select/record_line.h
        select/results_file.h select/pair_s_scoring.h)
  if(EXISTS "${moved}/include/pair/${internal}")
    message(FATAL_ERROR "pair/${internal} is installed, although it is not part of the API")
  endif()
endforeach()

# docs/library.md shows the consumer built below.
file(READ "${source}/docs/library.md" shown)
foreach(name IN ITEMS tests/install/consumer/CMakeLists.txt tests/install/consumer/app.cpp
        examples/plugin/CMakeLists.txt examples/plugin/main.cpp)
  file(READ "${source}/${name}" text)
  string(FIND "${shown}" "${text}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "docs/library.md does not show ${name} as it is")
  endif()
endforeach()

set(flags "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_BUILD_TYPE=${config}")
if(sanitize)
  list(APPEND flags "-DCMAKE_CXX_FLAGS=-fsanitize=${sanitize}")
endif()

# pair::moo alone does without torch: it is found with torch out of reach.
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${scratch}/consumer" -G "${generator}"
  ${flags} "-DCMAKE_PREFIX_PATH=${moved}" -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON
  --no-warn-unused-cli)
run("${CMAKE_COMMAND}" --build "${scratch}/consumer" --config "${config}")
find_program(app app PATHS "${scratch}/consumer" PATH_SUFFIXES "${config}" NO_DEFAULT_PATH REQUIRED)
execute_process(COMMAND "${app}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "0 1\n")
  message(FATAL_ERROR "the consumer printed '${output}' instead of '0 1'")
endif()
execute_process(COMMAND ldd "${app}" OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
if(libraries MATCHES "libtorch|libc10")
  message(FATAL_ERROR "a consumer of pair::moo alone is linked with torch:\n${libraries}")
endif()

# By the environment: a list among run's arguments would be taken apart.
string(REPLACE ";" ":" prefixes "${moved};${prefix_path}")
set(ENV{CMAKE_PREFIX_PATH} "${prefixes}")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/all" -B "${scratch}/all" -G "${generator}" ${flags})
run("${CMAKE_COMMAND}" --build "${scratch}/all" --config "${config}")

run("${moved}/bin/pair" list solvers)
execute_process(COMMAND ldd "${moved}/bin/pair" OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
if(libraries MATCHES "libtorch|libc10")
  message(FATAL_ERROR "bin/pair, which hands over what needs torch, is linked with it:\n${libraries}")
endif()
if(torch)
  # From wherever it is called, by a link to it as well.
  file(CREATE_LINK "${moved}/bin/pair" "${scratch}/linked_pair" SYMBOLIC)
  run("${scratch}/linked_pair" list objectives)
endif()

# The pair program with an objective and a solver of another project.
if(torch)
  run("${CMAKE_COMMAND}" -S "${source}/examples/plugin" -B "${scratch}/plugin" -G "${generator}" ${flags})
  run("${CMAKE_COMMAND}" --build "${scratch}/plugin" --config "${config}")
  find_program(my_pair my-pair PATHS "${scratch}/plugin" PATH_SUFFIXES "${config}" NO_DEFAULT_PATH REQUIRED)
  execute_process(COMMAND "${my_pair}" list objectives OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT listed MATCHES "\nrisk_gap +mean distance of the risks")
    message(FATAL_ERROR "my-pair does not list its objective:\n${listed}")
  endif()
  execute_process(COMMAND "${my_pair}" list solvers OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT listed MATCHES "\nunit_gradients +weights that make all gradients equally long")
    message(FATAL_ERROR "my-pair does not list its solver:\n${listed}")
  endif()
  file(REMOVE_RECURSE "${scratch}/plugin-run")
  run("${my_pair}" train --objectives erm,risk_gap --solver unit_gradients --steps 6 --quiet --out "${scratch}/plugin-run"
    --set train_digits=100 test_digits=50 width=4 pretrain=3 eval_every=3 risk_gap_power=1.5)
  file(READ "${scratch}/plugin-run/results.jsonl" records)
  if(NOT records MATCHES "\"risk_gap_power\":1.5" OR NOT records MATCHES "\"solver\":\"unit_gradients\"")
    message(FATAL_ERROR "the records of my-pair do not have its option and its solver:\n${records}")
  endif()
endif()

# PAIR as a part of another project, without being installed.
file(REMOVE_RECURSE "${scratch}/parent" "${scratch}/parent-prefix")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/parent" -B "${scratch}/parent" -G "${generator}"
  "-DCMAKE_CXX_COMPILER=${compiler}" "-DPAIR_SOURCE=${source}" -DPAIR_TORCH=off -DPAIR_PLOTLY=off)
run("${CMAKE_COMMAND}" --build "${scratch}/parent" --config "${config}" --target app)
run("${CMAKE_COMMAND}" --install "${scratch}/parent" --config "${config}" --prefix "${scratch}/parent-prefix")
file(GLOB_RECURSE installed RELATIVE "${scratch}/parent-prefix" "${scratch}/parent-prefix/*")
if(NOT installed MATCHES "^bin/app(\\.exe)?$")
  message(FATAL_ERROR "the parent project installs '${installed}' instead of its program alone")
endif()

# Embedded code keeps its licence.
set(inside "pair.txt" "${source}/LICENSE" "mnist14.md" "${source}/assets/mnist14/README.md")
if(EXISTS "${build}/plotly/LICENSE")
  list(APPEND inside "plotly.txt" "${build}/plotly/LICENSE")
endif()
while(inside)
  list(POP_FRONT inside name licence)
  run("${CMAKE_COMMAND}" -E compare_files "${moved}/share/doc/pair/licences/${name}" "${licence}")
endwhile()
