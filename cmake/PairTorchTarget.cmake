# pair::torch, which targets that use torch link; find_package(Torch) must have succeeded. Used here and in the
# installed package: an imported target is exported by name, without paths.
if(NOT TARGET pair::torch)
  add_library(pair::torch INTERFACE IMPORTED GLOBAL)
  # The C++ library first: LibTorch 2.x exports parts of its own copy of it (std::filesystem among them),
  # which crash if a program binds to them.
  target_link_libraries(pair::torch INTERFACE stdc++ ${TORCH_LIBRARIES})
  target_include_directories(pair::torch INTERFACE ${TORCH_INCLUDE_DIRS})
  separate_arguments(pair_torch_flags NATIVE_COMMAND "${TORCH_CXX_FLAGS}")
  target_compile_options(pair::torch INTERFACE ${pair_torch_flags})
  unset(pair_torch_flags)
endif()
