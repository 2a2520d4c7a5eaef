# SPDX-License-Identifier: Apache-2.0
# Python (the project's .venv unless another is asked for), without NumPy's headers, and pybind11: for the extension module alone.
if(NOT Python_EXECUTABLE AND NOT SKBUILD AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "Python interpreter")
endif()
if(CMAKE_CROSSCOMPILING)  # for the generators alone; a build for another processor has no extension module
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter)
  return()
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)

execute_process(COMMAND "${Python_EXECUTABLE}" -c "import pybind11; print(pybind11.__version__); print(pybind11.get_include())"
                OUTPUT_VARIABLE _pybind RESULT_VARIABLE _rc ERROR_VARIABLE _problem OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" _pybind "${_pybind}")
list(LENGTH _pybind _n)
if(NOT _rc EQUAL 0 OR NOT _n EQUAL 2)
  message(FATAL_ERROR "[build] expected pybind11 in ${Python_EXECUTABLE}, got: ${_problem}; run tools/setup.sh")
endif()
list(GET _pybind 0 _pybind_version)
list(GET _pybind 1 _pybind_include)
if(_pybind_version VERSION_LESS 2.13)
  message(FATAL_ERROR "[build] expected pybind11 2.13 or newer, got ${_pybind_version}")
endif()

# Sets target NAME, with what an extension module for one CPython includes.
function(_python_target NAME)
  add_library(${NAME} INTERFACE)
  target_include_directories(${NAME} SYSTEM INTERFACE ${ARGN} "${_pybind_include}")
endfunction()
_python_target(paddle_python ${Python_INCLUDE_DIRS})

# Other interpreters get an extension each, of the target paddle_extensions: what a wheel for all of them is made of.
set(PADDLE_PYTHONS "" CACHE STRING "Interpreters that get an extension module beside Python_EXECUTABLE's")
set(PADDLE_OTHER_SOABIS "")
foreach(_python IN LISTS PADDLE_PYTHONS)
  execute_process(COMMAND "${_python}" -c "import sys, sysconfig; v = sysconfig.get_config_var
assert sys.implementation.name == 'cpython' and sys.version_info >= (3, 9) and not v('Py_GIL_DISABLED')
print(v('SOABI'), sysconfig.get_path('include'), sep='\\n')"
                  OUTPUT_VARIABLE _found RESULT_VARIABLE _rc ERROR_VARIABLE _problem OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" _found "${_found}")
  if(NOT _rc EQUAL 0)
    message(FATAL_ERROR "[build] expected CPython 3.9 or newer with the lock, got ${_python}: ${_problem}")
  endif()
  list(POP_FRONT _found _soabi)
  if(NOT EXISTS "${_found}/Python.h")
    message(FATAL_ERROR "[build] expected the headers of ${_python} in ${_found}, got none")
  endif()
  if(NOT _soabi IN_LIST PADDLE_OTHER_SOABIS AND NOT _soabi STREQUAL Python_SOABI)
    _python_target(paddle_python_${_soabi} "${_found}")
    list(APPEND PADDLE_OTHER_SOABIS "${_soabi}")
  endif()
endforeach()
message(STATUS "Python ${Python_VERSION}: ${Python_EXECUTABLE}; pybind11 ${_pybind_version}; also: ${PADDLE_OTHER_SOABIS}")
