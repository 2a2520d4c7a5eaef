# SPDX-License-Identifier: Apache-2.0
# OpenBLAS (BLAS and LAPACK, 32-bit integers), for processors that MKL does not serve. The wheel carries only the shared library, so it
# is bundled beside libgomp in paddle/libs. All its names begin with scipy_.
set(PADDLE_OPENBLAS_VERSION 0.3.34.481.3)
set(PADDLE_OPENBLAS_DIR "" CACHE PATH "Folder with include/cblas.h and lib of scipy-openblas32; empty: of the installed wheel")
if(NOT PADDLE_OPENBLAS_DIR)
  paddle_wheel_files(_cblas "scipy-openblas32==${PADDLE_OPENBLAS_VERSION}" cblas.h)
  cmake_path(GET _cblas PARENT_PATH _cblas_dir)
  cmake_path(GET _cblas_dir PARENT_PATH PADDLE_OPENBLAS_DIR)
endif()
set(PADDLE_OPENBLAS_LIBRARY "${PADDLE_OPENBLAS_DIR}/lib/libscipy_openblas.so")
if(NOT EXISTS "${PADDLE_OPENBLAS_LIBRARY}")
  message(FATAL_ERROR "[build] expected ${PADDLE_OPENBLAS_LIBRARY}, got none")
endif()
add_library(paddle_openblas SHARED IMPORTED)
set_target_properties(paddle_openblas PROPERTIES IMPORTED_LOCATION "${PADDLE_OPENBLAS_LIBRARY}"
                      IMPORTED_SONAME libscipy_openblas.so)
add_library(paddle_openblas_headers INTERFACE)
target_include_directories(paddle_openblas_headers SYSTEM INTERFACE "${PADDLE_OPENBLAS_DIR}/include")
message(STATUS "OpenBLAS ${PADDLE_OPENBLAS_VERSION}: ${PADDLE_OPENBLAS_DIR}")
