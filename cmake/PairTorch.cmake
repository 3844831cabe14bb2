# Finds LibTorch: Debian's 1.13, a 2.x under CMAKE_PREFIX_PATH, or the one inside python3's torch package.
# Sets PAIR_HAS_TORCH and PAIR_TORCH_CUDA and defines pair::torch, which targets that use torch link.

set(PAIR_HAS_TORCH OFF)
if(PAIR_TORCH STREQUAL "off")
  return()
endif()

if(PAIR_TORCH STREQUAL "python")
  execute_process(
    COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
    OUTPUT_VARIABLE torch_prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE torch_status)
  if(NOT torch_status EQUAL 0)
    message(FATAL_ERROR "PAIR_TORCH=python, but python3 cannot import torch")
  endif()
  list(PREPEND CMAKE_PREFIX_PATH "${torch_prefix}")
elseif(NOT PAIR_TORCH STREQUAL "auto")
  message(FATAL_ERROR "PAIR_TORCH: expected auto, python or off, got '${PAIR_TORCH}'")
endif()

find_package(Torch QUIET)
if(NOT Torch_FOUND)
  message(FATAL_ERROR
    "LibTorch was not found. Install it ('make run' does on Debian), name its folder in CMAKE_PREFIX_PATH, "
    "use -DPAIR_TORCH=python for the one inside python3's torch package, or -DPAIR_TORCH=off for the "
    "solver alone.")
endif()
if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
  message(FATAL_ERROR
    "The LibTorch in ${TORCH_INSTALL_PREFIX} was built for the C++ library's old ABI; take the build that "
    "is named after the C++11 ABI, or version 2.6 or later.")
endif()
set(PAIR_HAS_TORCH ON)
# LibTorch sets this for its users. Set for all targets, sources with and without torch can share a precompiled header.
target_compile_definitions(pair_compile_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_USE_CXX11_ABI=1>)
set(PAIR_TORCH_CUDA OFF)
if(TARGET torch_cuda)
  set(PAIR_TORCH_CUDA ON)
  find_package(CUDAToolkit REQUIRED)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  enable_language(CUDA)
endif()
message(STATUS "LibTorch ${Torch_VERSION}, CUDA ${PAIR_TORCH_CUDA}")

include(PairTorchTarget)
# LibTorch's headers, compiled once for all (see pair_build_quickly). Not torch/nn.h or torch/torch.h: GCC instantiates the
# templates that their inline functions use again in every source, which takes 3 seconds each.
set(torch_headers
  <torch/types.h> <torch/autograd.h> <torch/optim.h> <torch/serialize.h> <torch/utils.h>
  <torch/nn/module.h> <torch/nn/modules/batchnorm.h> <torch/nn/modules/conv.h> <torch/nn/modules/linear.h>
  <torch/nn/modules/normalization.h>)
pair_add_pch(pair_torch_pch LIBRARIES pair::torch nlohmann_json::nlohmann_json
  HEADERS ${torch_headers} <nlohmann/json.hpp>)
if(PAIR_TESTS)
  pair_add_pch(pair_torch_test_pch TESTS LIBRARIES pair::torch nlohmann_json::nlohmann_json GTest::gmock
    HEADERS ${torch_headers} <nlohmann/json.hpp> <gmock/gmock.h>)
endif()
