# SPDX-License-Identifier: Apache-2.0
# Runs tools/opgen over the op stanzas. Sets PADDLE_GENERATED_{SOURCES,ISA,BINDINGS,PYTHON} and target paddle_generate.
# opgen rewrites only files whose text changed, so an edit of one stanza rebuilds one family.

set(PADDLE_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
set(PADDLE_GENERATED_SOURCES "")
set(PADDLE_GENERATED_ISA "")
set(PADDLE_GENERATED_BINDINGS "")
set(PADDLE_GENERATED_PYTHON "")
file(MAKE_DIRECTORY "${PADDLE_GENERATED_DIR}")
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/tools/opgen/__main__.py")
  message(STATUS "opgen: not present, nothing is generated")
  return()
endif()

file(GLOB_RECURSE _stanzas CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/paddle/phi/ops/*.yaml")
file(GLOB_RECURSE _opgen CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/opgen/*.py"
     "${PROJECT_SOURCE_DIR}/tools/opgen/*.yaml" "${PROJECT_SOURCE_DIR}/tools/opgen/*.json")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_stanzas} ${_opgen})

# The C++ functions that gradient rules may call.
file(GLOB _api CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/paddle/phi/api/*.h")

set(_run "${CMAKE_COMMAND}" -E env PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=${PROJECT_SOURCE_DIR}/tools"
    "${Python_EXECUTABLE}" -m opgen --ops "${PROJECT_SOURCE_DIR}/paddle/phi/ops" --out "${PADDLE_GENERATED_DIR}"
    --sets ${PADDLE_ISAS})
execute_process(COMMAND ${_run} --list-outputs WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                OUTPUT_VARIABLE _listed ERROR_VARIABLE _stderr RESULT_VARIABLE _rc)
if(NOT _rc EQUAL 0)
  message(FATAL_ERROR "[build] expected 'opgen --list-outputs' to succeed, got status ${_rc}:\n${_listed}${_stderr}")
endif()
string(REGEX REPLACE "[\r\n]+" ";" _listed "${_listed}")
set(_outputs "")
foreach(_file IN LISTS _listed)
  if(_file STREQUAL "")
    continue()
  endif()
  cmake_path(ABSOLUTE_PATH _file BASE_DIRECTORY "${PADDLE_GENERATED_DIR}" NORMALIZE)
  list(APPEND _outputs "${_file}")
  if(_file MATCHES "\\.isa\\.cc$")
    list(APPEND PADDLE_GENERATED_ISA "${_file}")
  elseif(_file MATCHES "/pybind/[^/]*\\.cc$")
    list(APPEND PADDLE_GENERATED_BINDINGS "${_file}")
  elseif(_file MATCHES "\\.cc$")
    list(APPEND PADDLE_GENERATED_SOURCES "${_file}")
  elseif(_file MATCHES "\\.(py|json)$")
    list(APPEND PADDLE_GENERATED_PYTHON "${_file}")
  endif()
endforeach()
if(NOT _outputs)
  return()
endif()
add_custom_command(OUTPUT ${_outputs} COMMAND ${_run} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                   DEPENDS ${_stanzas} ${_opgen} ${_api} COMMENT "opgen: op stanzas -> generated code" VERBATIM)
add_custom_target(paddle_generate DEPENDS ${_outputs})

# Files of an earlier listing would otherwise stay on the include path and in the Python mirror.
file(GLOB_RECURSE _present "${PADDLE_GENERATED_DIR}/*")
foreach(_file IN LISTS _present)
  if(NOT _file IN_LIST _outputs AND _file MATCHES "\\.(cc|h|py|pyi|json)$")
    file(REMOVE "${_file}")
  endif()
endforeach()
