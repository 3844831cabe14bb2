# How every target of ours is compiled, said once.

# -fPIC for libraries and programs alike: all can then share one precompiled header, and the libraries can go
# into a shared object.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_library(pair_compile_options INTERFACE)
target_compile_options(pair_compile_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-fPIC;-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>"
  "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual;-Werror>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in std::string's own operator+ (GCC bug 105651).
  target_compile_options(pair_compile_options INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 13 and later see std::vector free what it never allocated where it takes its values from a range.
  target_compile_options(pair_compile_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-free-nonheap-object>)
endif()
if(PAIR_SANITIZE)
  target_compile_options(pair_compile_options INTERFACE
    -fsanitize=${PAIR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pair_compile_options INTERFACE -fsanitize=${PAIR_SANITIZE})
endif()

# pair_add_library(moo SOURCES ... [PUBLIC libs] [PRIVATE libs] [INTERNAL]): the static library pair_moo,
# also known as pair::moo, whose headers are included as "pair/moo/...". An INTERNAL one is not installed.
function(pair_add_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(pair_${name} STATIC ${ARG_SOURCES})
  add_library(pair::${name} ALIAS pair_${name})
  set_target_properties(pair_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(pair_${name} PUBLIC cxx_std_20)
  target_include_directories(pair_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  pair_without_paths(ARG_PUBLIC)
  pair_without_paths(ARG_PRIVATE)
  target_link_libraries(pair_${name}
    PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:pair_compile_options>)
  pair_use_torch_pch(pair_${name})
  if(NOT ARG_INTERNAL)
    set_property(GLOBAL APPEND PROPERTY PAIR_LIBRARIES pair_${name})
  endif()
endfunction()

# pair_add_benchmarks(moo LIBRARIES pair::moo SOURCES ...): the program pair_moo_benchmarks, which
# 'make bench' runs.
function(pair_add_benchmarks name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;SOURCES" ${ARGN})
  find_package(benchmark REQUIRED)
  add_executable(pair_${name}_benchmarks ${ARG_SOURCES})
  target_link_libraries(pair_${name}_benchmarks
    PRIVATE ${ARG_LIBRARIES} benchmark::benchmark_main pair_compile_options)
  pair_use_torch_pch(pair_${name}_benchmarks)
endfunction()

# Replaces the path of a library in a list by its path here and its bare name in the installed package, which
# must not know where this machine keeps things.
function(pair_without_paths list)
  set(items)
  foreach(item IN LISTS ${list})
    if(item MATCHES "^/.*/lib([^/]+)\\.(so|a)$")
      list(APPEND items "$<BUILD_INTERFACE:${item}>" "$<INSTALL_INTERFACE:${CMAKE_MATCH_1}>")
    else()
      list(APPEND items "${item}")
    endif()
  endforeach()
  set(${list} "${items}" PARENT_SCOPE)
endfunction()

# Sets `result` to whether compiling against the libraries given means compiling against torch.
function(pair_reaches_torch result)
  set(${result} FALSE PARENT_SCOPE)
  set(ahead ${ARGN})
  set(seen)
  while(ahead)
    list(POP_FRONT ahead library)
    if(library STREQUAL "pair::torch" OR library STREQUAL "pair_torch")
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
    if(TARGET "${library}" AND NOT library IN_LIST seen)
      list(APPEND seen "${library}")
      get_target_property(links "${library}" INTERFACE_LINK_LIBRARIES)
      list(APPEND ahead ${links})
    endif()
  endwhile()
endfunction()

# Gives a target the precompiled torch/torch.h if it uses torch: a source then takes a third of the time.
# pair_add_library, pair_add_tests and pair_add_benchmarks call it; a target made by hand may.
function(pair_use_torch_pch target)
  get_target_property(links ${target} LINK_LIBRARIES)
  pair_reaches_torch(uses_torch ${links})
  if(uses_torch)
    target_precompile_headers(${target} REUSE_FROM pair_torch_pch)
  endif()
endfunction()
