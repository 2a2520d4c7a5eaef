# SPDX-License-Identifier: Apache-2.0
# Builds the vector math library of generated kernels: runtime/vector_math.bc.cpp -> LLVM bitcode -> a C++ byte array.
# The root CMakeLists includes this before it declares paddle_cinn and passes PADDLE_CINN_SOURCES to it:
#   include(paddle/cinn/cinn.cmake)
#   paddle_library(paddle_cinn LAYER cinn GLOBS paddle/cinn/*.cc SRCS ${PADDLE_CINN_SOURCES} DEPS ... paddle_llvm_headers)
# Needs clang++ of the LLVM version that is linked, and LLVM's components orcjit native bitreader.
find_program(PADDLE_CLANGXX NAMES clang++-19 PATHS /usr/lib/llvm-19/bin)
if(NOT PADDLE_CLANGXX)
  message(FATAL_ERROR "[build] expected clang++-19 (package clang-19), got none; run tools/setup.sh")
endif()
set(_cinn_dir "${PROJECT_SOURCE_DIR}/paddle/cinn/runtime")
set(_cinn_bitcode "${CMAKE_BINARY_DIR}/cinn/vector_math.bc")
set(PADDLE_CINN_SOURCES "${CMAKE_BINARY_DIR}/cinn/vector_math_bytes.cc")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/cinn")
file(GLOB _cinn_math CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/paddle/phi/primitives/math*.inc.h")
set(_cinn_target "")
if(CMAKE_CROSSCOMPILING)
  set(_cinn_target --target=${CMAKE_LIBRARY_ARCHITECTURE})
endif()
# No target features and no vectorisers: the code generator widens the functions itself. The bitcode holds the name of its source as
# given, so that is a relative one.
add_custom_command(
  OUTPUT "${PADDLE_CINN_SOURCES}"
  COMMAND "${PADDLE_CLANGXX}" ${_cinn_target} -std=c++20 -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-math-errno
          -fno-trapping-math -ffp-contract=off -fno-exceptions -fno-rtti -fno-ident -Wno-everything -g0
          -I. -emit-llvm -c paddle/cinn/runtime/vector_math.bc.cpp -o "${_cinn_bitcode}"
  COMMAND "${CMAKE_COMMAND}" "-DIN=${_cinn_bitcode}" "-DOUT=${PADDLE_CINN_SOURCES}" -DNAME=kVectorMath
          -P "${_cinn_dir}/embed_bitcode.cmake"
  DEPENDS "${_cinn_dir}/vector_math.bc.cpp" "${_cinn_dir}/embed_bitcode.cmake" ${_cinn_math}
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMENT "vector math -> LLVM bitcode" VERBATIM)

# Kernels for GPUs that are not generated, for the code generator that writes PTX.
set(_cinn_device "${CMAKE_BINARY_DIR}/cinn/device_kernels_bytes.cc")
file(GLOB _cinn_device_parts CONFIGURE_DEPENDS "${_cinn_dir}/device_*.inc.h")
add_custom_command(
  OUTPUT "${_cinn_device}"
  COMMAND "${PADDLE_CLANGXX}" --target=nvptx64-nvidia-cuda -Xclang -target-feature -Xclang +ptx80 -std=c++20 -O2 -ffreestanding
          -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-exceptions -fno-rtti -fno-ident -Wno-everything -g0
          -I. -emit-llvm -c paddle/cinn/runtime/device_kernels.bc.cpp -o "${CMAKE_BINARY_DIR}/cinn/device_kernels.bc"
  COMMAND "${CMAKE_COMMAND}" "-DIN=${CMAKE_BINARY_DIR}/cinn/device_kernels.bc" "-DOUT=${_cinn_device}" -DNAME=kDeviceKernels
          -P "${_cinn_dir}/embed_bitcode.cmake"
  DEPENDS "${_cinn_dir}/device_kernels.bc.cpp" "${_cinn_dir}/embed_bitcode.cmake" ${_cinn_device_parts} ${_cinn_math}
          "${PROJECT_SOURCE_DIR}/paddle/phi/primitives/variates.inc.h"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMENT "kernels for GPUs -> LLVM bitcode" VERBATIM)
list(APPEND PADDLE_CINN_SOURCES "${_cinn_device}")
