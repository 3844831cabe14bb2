# Run by CTest: whether CONTRIBUTING.md has whole examples, each one source, one test and one line in two files.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/worked_examples.cmake")

set(folders objectives moo data models algorithms)

function(expect_problem what expected)
  if(NOT examples_problem MATCHES "${expected}")
    message(SEND_ERROR "${what}: expected the problem '${expected}', got '${examples_problem}'")
  endif()
endfunction()

file(REMOVE_RECURSE "${scratch}")
pair_read_examples("${source}/CONTRIBUTING.md" "${source}" "${scratch}/tree" ${folders})
if(NOT examples_problem STREQUAL "")
  message(FATAL_ERROR "CONTRIBUTING.md: ${examples_problem}")
endif()
file(GLOB_RECURSE written RELATIVE "${scratch}/tree" "${scratch}/tree/*")
list(LENGTH written count)
if(NOT count EQUAL 20)
  message(FATAL_ERROR "expected 4 files for each of 5 examples, got ${count}: ${written}")
endif()

# Texts with a mistake are refused.
function(expect_refused what from to expected)
  file(READ "${source}/CONTRIBUTING.md" text)
  string(REPLACE "${from}" "${to}" broken "${text}")
  if(broken STREQUAL text)
    message(SEND_ERROR "${what}: '${from}' is not in the text")
  endif()
  file(WRITE "${scratch}/broken.md" "${broken}")
  pair_read_examples("${scratch}/broken.md" "${source}" "${scratch}/broken" ${folders})
  expect_problem("${what}" "${expected}")
endfunction()
expect_refused("a source without its heading"
  "**`src/pair/models/tanh_net.cpp`**" "" "models: expected one source, got 0")
expect_refused("a test under another name"
  "**`tests/data/toy_signs_test.cpp`**" "**`tests/data/toy_signs.cpp`**"
  "tests/data/toy_signs.cpp: expected the name of a test to end in _test.cpp")
expect_refused("a CMakeLists.txt without the source"
  "    toy_sgd.cpp\n" "    erm.cpp\n" "algorithms: its CMakeLists.txt")
expect_refused("a second source" "**`src/pair/objectives/registry.cpp`**"
  "**`src/pair/objectives/more.cpp`**" "objectives: expected one source, got 2")
expect_refused("a solver that is not registered" "**`src/pair/moo/registry.cpp`**" ""
  "moo: expected one registry, got 0")
expect_refused("two lines for a registry" "list.push_back(tanh_net()); }\n" "list.push_back(tanh_net()); }\n// more\n"
  "models/registry.cpp: expected one line")
expect_refused("a file elsewhere" "**`src/pair/models/tanh_net.cpp`**" "**`src/pair/cli/main.cpp`**"
  "src/pair/cli/main.cpp: expected a file of one of the folders")
expect_refused("a heading without a block" "**`src/pair/models/CMakeLists.txt`**\n"
  "**`src/pair/models/CMakeLists.txt`**\n\n**`src/pair/models/CMakeLists.txt`**\n" "expected a code block, got none")
