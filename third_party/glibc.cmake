# SPDX-License-Identifier: Apache-2.0
# The oldest C library and libstdc++ that the built libraries run on: tools/glibc/stubs.py says which. The linker sees stubs of the
# system's libraries, which lack what came later; the target paddle_glibc has it. A library that links paddle_old_systems gets both.
if(NOT PADDLE_X86)  # the libraries of the system that builds
  add_library(paddle_old_systems INTERFACE)
  function(paddle_lower OUT FILE NAME)
    set(${OUT} "${FILE}" PARENT_SCOPE)
  endfunction()
  return()
endif()
set(PADDLE_STUB_DIR "${CMAKE_BINARY_DIR}/stubs")
set(_glibc "${PROJECT_SOURCE_DIR}/tools/glibc")
set(_glibc_python "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=${PROJECT_SOURCE_DIR}/tools"
    "${Python_EXECUTABLE}" -m)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_glibc}/stubs.py" "${_glibc}/lower.py")
execute_process(COMMAND ${_glibc_python} glibc.stubs "${PADDLE_STUB_DIR}" "${CMAKE_CXX_COMPILER}" COMMAND_ERROR_IS_FATAL ANY)
add_library(paddle_glibc OBJECT "${_glibc}/newer.cc")
target_compile_options(paddle_glibc PRIVATE -march=x86-64-v2 -fno-builtin -ffunction-sections -fdata-sections
                       -Wno-deprecated-declarations)
add_library(paddle_old_systems INTERFACE)
target_sources(paddle_old_systems INTERFACE $<TARGET_OBJECTS:paddle_glibc>)
target_link_options(paddle_old_systems INTERFACE "-L${PADDLE_STUB_DIR}")

# paddle_lower(OUT FILE NAME): a copy of the library FILE, called NAME, that old systems load.
function(paddle_lower OUT FILE NAME)
  set(lowered "${CMAKE_BINARY_DIR}/lib/${NAME}")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  execute_process(COMMAND ${_glibc_python} glibc.lower "${FILE}" "${lowered}" "${PADDLE_STUB_DIR}" COMMAND_ERROR_IS_FATAL ANY)
  set(${OUT} "${lowered}" PARENT_SCOPE)
endfunction()
