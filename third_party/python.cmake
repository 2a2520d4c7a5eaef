# SPDX-License-Identifier: Apache-2.0
# Python (the project's .venv unless another is asked for), without NumPy's headers, and pybind11: for the extension module alone.
if(NOT Python_EXECUTABLE AND NOT SKBUILD AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "Python interpreter")
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

add_library(paddle_python INTERFACE)
target_include_directories(paddle_python SYSTEM INTERFACE ${Python_INCLUDE_DIRS} "${_pybind_include}")
message(STATUS "Python ${Python_VERSION}: ${Python_EXECUTABLE}; pybind11 ${_pybind_version}")
