# Run by scripts/apply-examples: puts the worked examples of CONTRIBUTING.md into the checkout `source`. They are read
# into the empty folder `scratch` first, so that a mistake in the text changes nothing.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/worked_examples.cmake")

pair_read_examples("${source}/CONTRIBUTING.md" "${source}" "${scratch}" objectives moo data models algorithms)
if(NOT examples_problem STREQUAL "")
  message(FATAL_ERROR "CONTRIBUTING.md: ${examples_problem}")
endif()
file(COPY "${scratch}/" DESTINATION "${source}")
