# SPDX-License-Identifier: Apache-2.0
# LLVM 19 for the CPU just-in-time compiler, static. llvm-config is asked instead of LLVM's CMake package because the
# latter links every optional library (z3, xml2) whether or not a used member needs it.
find_program(PADDLE_LLVM_CONFIG NAMES llvm-config-19 PATHS /usr/lib/llvm-19/bin)
if(NOT PADDLE_LLVM_CONFIG)
  message(FATAL_ERROR "[build] expected llvm-config-19 (package llvm-19-dev), got none; run tools/setup.sh")
endif()
function(_llvm OUT)
  execute_process(COMMAND "${PADDLE_LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${OUT} "${text}" PARENT_SCOPE)
endfunction()
_llvm(PADDLE_LLVM_VERSION --version)
if(NOT PADDLE_LLVM_VERSION MATCHES "^19\\.1\\.")
  message(FATAL_ERROR "[build] expected LLVM 19.1, got ${PADDLE_LLVM_VERSION}")
endif()
_llvm(_llvm_include --includedir)
string(REPLACE x86_64 x86 _llvm_processor ${CMAKE_SYSTEM_PROCESSOR})
_llvm(_llvm_libs --link-static --libfiles orcjit ${_llvm_processor} passes nvptx)
if(CMAKE_CROSSCOMPILING)
  # The same version for the other processor lies in the same folders below its root.
  string(PREPEND _llvm_include "${CMAKE_FIND_ROOT_PATH}")
  list(TRANSFORM _llvm_libs PREPEND "${CMAKE_FIND_ROOT_PATH}")
endif()
find_library(PADDLE_ZLIB NAMES libz.a z REQUIRED)
find_library(PADDLE_ZSTD NAMES libzstd.a zstd REQUIRED)
add_library(paddle_llvm_headers INTERFACE)
target_include_directories(paddle_llvm_headers SYSTEM INTERFACE "${_llvm_include}")
list(JOIN _llvm_libs "," _llvm_group)
add_library(paddle_llvm INTERFACE)
target_link_libraries(paddle_llvm INTERFACE "$<LINK_GROUP:RESCAN,${_llvm_group}>"
                      ${PADDLE_ZSTD} ${PADDLE_ZLIB} rt dl m)
message(STATUS "LLVM ${PADDLE_LLVM_VERSION}: ${_llvm_include}")
