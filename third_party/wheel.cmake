# SPDX-License-Identifier: Apache-2.0
# paddle_wheel_files(OUT DIST==VERSION FILE...): paths of files that an installed Python wheel carries, or an error.
function(paddle_wheel_files OUT SPEC)
  execute_process(COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/find_wheel_files.py" "${SPEC}" ${ARGN}
                  OUTPUT_VARIABLE found ERROR_VARIABLE problem RESULT_VARIABLE rc OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "[build] ${problem}")
  endif()
  string(REPLACE "\n" ";" found "${found}")
  set(${OUT} "${found}" PARENT_SCOPE)
endfunction()
