# SPDX-License-Identifier: Apache-2.0
# GNU OpenMP. The compiler's libgomp.so.1 is bundled under its own name: the loader then shares one copy between this
# library, oneDNN and MKL, and with any other module of the process that asks for libgomp.so.1.
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libgomp.so.1 OUTPUT_VARIABLE _gomp
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT IS_ABSOLUTE "${_gomp}")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libgomp.so OUTPUT_VARIABLE _gomp
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(REAL_PATH "${_gomp}" _gomp)
if(NOT EXISTS "${_gomp}")
  message(FATAL_ERROR "[build] expected libgomp.so.1 beside the compiler, got '${_gomp}'")
endif()
paddle_lower(PADDLE_GOMP_LIBRARY "${_gomp}" libgomp.so.1)
add_library(paddle_openmp INTERFACE)
target_compile_options(paddle_openmp INTERFACE -fopenmp)
target_link_options(paddle_openmp INTERFACE -fopenmp)
