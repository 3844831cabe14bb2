# Installs the pair program, the libraries, the headers of the API, the licences, and a CMake package with one
# component per library, so that find_package(pair COMPONENTS moo) only looks for the dependencies of moo.

include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/pair")

set(PAIR_COMPONENTS)
set(PAIR_COMPONENT_NEEDS)
set(folders)
get_property(libraries GLOBAL PROPERTY PAIR_LIBRARIES)
foreach(library IN LISTS libraries)
  get_target_property(component ${library} EXPORT_NAME)
  list(APPEND PAIR_COMPONENTS ${component})
  install(TARGETS ${library} EXPORT pair-${component} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT pair-${component} NAMESPACE pair:: DESTINATION "${package_folder}")

  # Our own libraries by component, third-party ones by package: ZLIB::ZLIB is found with ZLIB.
  set(needs)
  set(packages)
  get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
  list(FILTER links EXCLUDE REGEX "BUILD_INTERFACE")
  foreach(link IN LISTS links)
    if(link MATCHES "pair(::|_)torch")
      list(APPEND packages Torch)
    elseif(link MATCHES "pair::([a-z_]+)")
      list(APPEND needs ${CMAKE_MATCH_1})
    elseif(link MATCHES "CUDA::")
      list(APPEND packages CUDAToolkit)
    elseif(link MATCHES "([A-Za-z0-9_]+)::")
      list(APPEND packages ${CMAKE_MATCH_1})
    # Libraries of the system that no CMake package describes are in INSTALL_INTERFACE by name.
    elseif(NOT link MATCHES "INSTALL_INTERFACE|LINK_ONLY:dl>")
      message(FATAL_ERROR "${library} links ${link}: expected a target such as ZLIB::ZLIB, whose package "
        "the installed package can look for")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  list(JOIN needs " " needs)
  list(JOIN packages " " packages)
  string(APPEND PAIR_COMPONENT_NEEDS
    "set(pair_${component}_needs ${needs})\n" "set(pair_${component}_packages ${packages})\n")

  get_target_property(folder ${library} SOURCE_DIR)
  list(APPEND folders "${folder}")
endforeach()

list(REMOVE_DUPLICATES folders)
list(TRANSFORM folders REPLACE "^${PROJECT_SOURCE_DIR}/src/" "")
install(CODE "set(PAIR_SOURCE \"${PROJECT_SOURCE_DIR}\")
set(PAIR_INCLUDE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
set(PAIR_FOLDERS \"${folders}\")
include(\"\${PAIR_SOURCE}/cmake/InstallHeaders.cmake\")")

install(TARGETS pair RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET pair_with_torch)
  install(TARGETS pair_with_torch RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/pair")
endif()
# Not part of the default installation: cmake --install build/release --component benchmarks.
install(TARGETS pair-bench RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/pair"
  COMPONENT benchmarks EXCLUDE_FROM_ALL)

# Licences: ours, and those of embedded code, which the folders that embed it install here, too.
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}/licences" RENAME pair.txt)

list(JOIN PAIR_COMPONENTS " " PAIR_COMPONENTS)
configure_package_config_file(cmake/pairConfig.cmake.in "${PROJECT_BINARY_DIR}/pairConfig.cmake"
  INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pairConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/pairConfig.cmake" "${PROJECT_BINARY_DIR}/pairConfigVersion.cmake"
  cmake/PairTorchTarget.cmake
  DESTINATION "${package_folder}")
