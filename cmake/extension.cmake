# SPDX-License-Identifier: Apache-2.0
# paddle_extension(NAME PYTHON <target> SOABI <soabi> [EXCLUDE_FROM_ALL]): the extension module of one CPython, whose headers the
# target PYTHON has. Its file name holds the version, so that one folder has room for an extension of each. Python's
# symbols come from the interpreter.
function(paddle_extension NAME)
  cmake_parse_arguments(ARG "EXCLUDE_FROM_ALL" "PYTHON;SOABI" "" ${ARGN})
  paddle_library(${NAME}_object LAYER pybind/object GLOBS paddle/pybind/*.cc DEPS ${ARG_PYTHON} paddle_eager paddle_jit)
  paddle_library(${NAME}_jit LAYER jit/python GLOBS paddle/jit/*.cc DEPS ${ARG_PYTHON} ${NAME}_object paddle_jit)
  paddle_library(${NAME}_pybind LAYER pybind GLOBS paddle/pybind/*.cc
                 DEPS ${ARG_PYTHON} ${NAME}_jit paddle_eager paddle_executor)
  paddle_library(${NAME}_bindings LAYER pybind SRCS ${PADDLE_GENERATED_BINDINGS} DEPS ${ARG_PYTHON} ${NAME}_pybind)
  target_compile_options(${NAME}_bindings PRIVATE -Wno-unused)
  set(parts ${NAME}_object ${NAME}_jit ${NAME}_pybind ${NAME}_bindings)
  list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${NAME} MODULE ${objects})
  target_link_libraries(${NAME} PRIVATE paddle_flags paddle_old_systems paddle_core)
  target_link_options(${NAME} PRIVATE ${PADDLE_LINK_OPTIONS} -Wl,--as-needed
                      "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/extension.map")
  set_target_properties(${NAME} PROPERTIES PREFIX "" OUTPUT_NAME libpaddle SUFFIX ".${ARG_SOABI}.so" LINKER_LANGUAGE CXX
                        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib" BUILD_WITH_INSTALL_RPATH ON
                        INSTALL_RPATH "$ORIGIN/../libs" LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/extension.map")
  set_target_properties(${parts} ${NAME} PROPERTIES EXCLUDE_FROM_ALL ${ARG_EXCLUDE_FROM_ALL})
  install(TARGETS ${NAME} LIBRARY DESTINATION paddle/base)
endfunction()
