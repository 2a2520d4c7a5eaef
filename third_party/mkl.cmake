# SPDX-License-Identifier: Apache-2.0
# MKL (BLAS, LAPACK, FFT, VML), static, 32-bit integers (the *_64 names take 64-bit ones), GNU OpenMP threading.
# Only the members that are referenced get into the library.
set(PADDLE_MKL_VERSION 2026.2.0)
paddle_wheel_files(_mkl_include "mkl-include==${PADDLE_MKL_VERSION}" mkl.h)
paddle_wheel_files(_mkl_libs "mkl-static==${PADDLE_MKL_VERSION}" libmkl_intel_lp64.a libmkl_gnu_thread.a libmkl_core.a)
cmake_path(GET _mkl_include PARENT_PATH _mkl_include_dir)
add_library(paddle_mkl_headers INTERFACE)
target_include_directories(paddle_mkl_headers SYSTEM INTERFACE "${_mkl_include_dir}")
list(JOIN _mkl_libs "," _mkl_group)
add_library(paddle_mkl INTERFACE)
target_link_libraries(paddle_mkl INTERFACE "$<LINK_GROUP:RESCAN,${_mkl_group}>" m dl)
message(STATUS "MKL ${PADDLE_MKL_VERSION}: ${_mkl_include_dir}")
