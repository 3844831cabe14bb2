# Compile options of all targets.

# -fPIC for libraries and programs: all can then share one precompiled header, and the libraries can be linked into a
# shared object.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_library(pair_compile_options INTERFACE)
target_compile_options(pair_compile_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-fPIC;-Wall;-Wextra;-Wpedantic;-Wconversion;-Wno-sign-conversion>"
  "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual>"
  # Arithmetic as written: moo/double_double.h relies on IEEE rounding, and sums in select must round as NumPy's.
  "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>")
if(PAIR_WERROR)
  target_compile_options(pair_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
endif()
# Sources of a unity build see each other's constants; shadowing those is not a mistake, and clang cannot tell them from others.
target_compile_options(pair_compile_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wshadow=local>)
if(NOT PAIR_UNITY)
  target_compile_options(pair_compile_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wshadow>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports a false overlap and a false overflow in std::string's own operator+ (GCC bugs 105651, 105329).
  target_compile_options(pair_compile_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC falsely reports that std::vector frees memory it did not allocate when constructed from a range.
  target_compile_options(pair_compile_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-free-nonheap-object>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT PAIR_SANITIZE)
  # GCC collects garbage whenever its heap has grown by a part, and with torch's headers that takes a tenth of the time.
  # It may wait for another GiB (in KiB here) at the price of 0.1 GB. With sanitizers, it would be more.
  target_compile_options(pair_compile_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1048576>)
endif()
if(PAIR_SANITIZE)
  target_compile_options(pair_compile_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PAIR_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  target_link_options(pair_compile_options INTERFACE -fsanitize=${PAIR_SANITIZE})
endif()

# pair_add_library(moo SOURCES ... [PUBLIC libs] [PRIVATE libs] [INTERNAL] [TORCH] [CLI] [QUICK] [NO_UNITY]): the
# static library pair_moo, also known as pair::moo, whose headers are included as "pair/moo/...". An INTERNAL one is not
# installed. The other arguments are those of pair_build_quickly.
function(pair_add_library name)
  cmake_parse_arguments(ARG "INTERNAL;TORCH;CLI;QUICK;NO_UNITY" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
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
  set(how)
  foreach(word TORCH CLI QUICK NO_UNITY)
    if(ARG_${word})
      list(APPEND how ${word})
    endif()
  endforeach()
  pair_build_quickly(pair_${name} ${how})
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
  pair_build_quickly(pair_${name}_benchmarks)
endfunction()

# Replaces the path of a library in a list by its path here and its bare name in the installed package, which
# must not depend on the paths of this machine.
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

# Makes a target quick to build. Its sources get a precompiled header: nlohmann-json, and torch with TORCH, CLI11 with
# CLI, GoogleMock with TESTS. (A header that is not needed is not free, since its global objects and their templates are
# compiled again for each source: CLI11's take three seconds, torch's four.) Several small sources are compiled as one,
# a unity build, unless NO_UNITY is given because they share names. QUICK is for code whose speed does not matter:
# commands, figures, declarations. Tests are not optimised at all. pair_add_library, pair_add_tests and
# pair_add_benchmarks call it; other targets may call it, too.
function(pair_build_quickly target)
  cmake_parse_arguments(ARG "TORCH;TESTS;CLI;QUICK;NO_UNITY" "" "" ${ARGN})
  set(pch pair_plain)
  if(ARG_TORCH)
    set(pch pair_torch)
  elseif(ARG_CLI)
    set(pch pair_cli)
  elseif(ARG_QUICK)
    set(pch pair_quick)
  endif()
  if(ARG_TESTS)
    string(APPEND pch _test)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch}_pch)
  # GCC refuses a precompiled header of another optimisation level from version 13 on, and torch's has one level.
  set(one_level OFF)
  if(ARG_TORCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    set(one_level ON)
  endif()
  if(ARG_TESTS)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
  elseif((ARG_QUICK OR ARG_CLI) AND NOT one_level)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endif()
  if(PAIR_UNITY AND NOT ARG_NO_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${PAIR_UNITY_BATCH})
  endif()
endfunction()

# pair_add_pch(NAME LIBRARIES ... HEADERS ... [QUICK] [TESTS]): a precompiled header for pair_build_quickly. It must be
# compiled with the options of its users.
function(pair_add_pch name)
  cmake_parse_arguments(ARG "QUICK;TESTS" "" "LIBRARIES;HEADERS" ${ARGN})
  set(empty_source "${PROJECT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${empty_source}" CONTENT "")
  add_library(${name} OBJECT "${empty_source}")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} pair_compile_options)
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  if(ARG_TESTS)
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
  elseif(ARG_QUICK)
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endif()
endfunction()

find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json REQUIRED)
set(pair_plain_headers
  <algorithm> <charconv> <filesystem> <functional> <map> <memory> <optional> <span> <sstream> <string> <vector>
  <nlohmann/json.hpp>)
pair_add_pch(pair_plain_pch LIBRARIES nlohmann_json::nlohmann_json HEADERS ${pair_plain_headers})
pair_add_pch(pair_quick_pch QUICK LIBRARIES nlohmann_json::nlohmann_json HEADERS ${pair_plain_headers})
pair_add_pch(pair_cli_pch QUICK LIBRARIES CLI11::CLI11 nlohmann_json::nlohmann_json
  HEADERS ${pair_plain_headers} <CLI/CLI.hpp>)
if(PAIR_TESTS)
  find_package(GTest REQUIRED)
  pair_add_pch(pair_plain_test_pch TESTS LIBRARIES nlohmann_json::nlohmann_json GTest::gmock
    HEADERS ${pair_plain_headers} <gmock/gmock.h>)
endif()

# A faster linker if installed. (No ccache by default: it preprocesses what a precompiled header avoids, which
# doubles the time of a first build. CMAKE_CXX_COMPILER_LAUNCHER=ccache turns it on.)
find_program(PAIR_MOLD mold)
mark_as_advanced(PAIR_MOLD)
if(PROJECT_IS_TOP_LEVEL AND PAIR_MOLD AND NOT PAIR_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()
