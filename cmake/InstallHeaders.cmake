# Run at installation: installs the headers of the API and those that they include, and no other.
#
# The API is what docs/Doxyfile documents. Variables: PAIR_SOURCE, the project's folder; PAIR_INCLUDE, the folder for
# headers; PAIR_FOLDERS, the folders below src whose libraries this build has.

cmake_policy(VERSION 3.25)
file(STRINGS "${PAIR_SOURCE}/docs/Doxyfile" lines REGEX "src/pair/")
string(REGEX MATCHALL "src/pair/[a-z_/]+(\\.h)?" documented "${lines}")
set(queue)
foreach(path IN LISTS documented)
  if(IS_DIRECTORY "${PAIR_SOURCE}/${path}")
    file(GLOB headers RELATIVE "${PAIR_SOURCE}/src" "${PAIR_SOURCE}/${path}/*.h")
    list(APPEND queue ${headers})
  else()
    string(REGEX REPLACE "^src/" "" header "${path}")
    list(APPEND queue "${header}")
  endif()
endforeach()

set(installed)
while(queue)
  list(POP_FRONT queue header)
  get_filename_component(folder "${header}" DIRECTORY)
  if(header IN_LIST installed OR NOT folder IN_LIST PAIR_FOLDERS)
    continue()
  endif()
  list(APPEND installed "${header}")
  file(INSTALL "${PAIR_SOURCE}/src/${header}" DESTINATION "${PAIR_INCLUDE}/${folder}")
  file(STRINGS "${PAIR_SOURCE}/src/${header}" includes REGEX "^#include \"pair/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    list(APPEND queue "${included}")
  endforeach()
endwhile()
