# Run by CTest: makes the API reference in a folder of its own and looks into it.
file(REMOVE_RECURSE "${scratch}")
file(MAKE_DIRECTORY "${scratch}")
file(READ "${source}/docs/Doxyfile" settings)
file(WRITE "${scratch}/Doxyfile" "${settings}\nOUTPUT_DIRECTORY = ${scratch}\n")
execute_process(COMMAND "${doxygen}" "${scratch}/Doxyfile" WORKING_DIRECTORY "${source}"
  RESULT_VARIABLE status OUTPUT_VARIABLE words ERROR_VARIABLE warnings)
if(NOT status EQUAL 0 OR NOT warnings STREQUAL "")
  message(FATAL_ERROR "doxygen ended with ${status}:\n${words}${warnings}")
endif()
foreach(expected
    "classpair_1_1train_1_1PairOptimizer.html;optimizer must outlive this object"
    "structpair_1_1train_1_1PairOptions.html;drop the momentum if the new direction opposes it"
    "classpair_1_1moo_1_1Epo.html;Epo"
    "structpair_1_1cli_1_1Extensions.html;objectives")
  list(GET expected 0 page)
  list(GET expected 1 text)
  file(READ "${scratch}/html/${page}" html)
  string(FIND "${html}" "${text}" position)
  if(position EQUAL -1)
    message(SEND_ERROR "${page}: expected '${text}' in it")
  endif()
endforeach()
