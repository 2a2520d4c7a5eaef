# SPDX-License-Identifier: Apache-2.0
# test_primitives: the tests of kernels, linked with these alone, so that they are built and run for another processor in minutes.
# What kernels refer to of ops lies in sections that the linker drops.
file(GLOB isa_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*.isa.cc")
add_library(paddle_primitives STATIC $<TARGET_OBJECTS:paddle_common> $<TARGET_OBJECTS:paddle_kernels>
            "${PADDLE_GENERATED_DIR}/paddle/common/op_trait_table.cc")
add_dependencies(paddle_primitives paddle_generate)
target_link_libraries(paddle_primitives PRIVATE paddle_flags)
foreach(isa IN LISTS PADDLE_ISAS)
  string(REPLACE cpu_ "" name ${isa})
  paddle_isa_library(test_isa_${name} ISA ${isa} SRCS ${isa_tests} FLAGS ${PADDLE_FLAGS_${isa}})
  target_sources(paddle_primitives PRIVATE $<TARGET_OBJECTS:paddle_isa_${name}> $<TARGET_OBJECTS:test_isa_${name}>)
endforeach()
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*_test.cc")
add_executable(test_primitives ${sources})
target_compile_options(test_primitives PRIVATE ${PADDLE_BASE_ARCH})
target_include_directories(test_primitives PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(test_primitives PRIVATE paddle_flags paddle_primitives ${PADDLE_MATH} GTest::gtest GTest::gtest_main dl)
target_link_options(test_primitives PRIVATE -Wl,--gc-sections)
set(libraries "")
foreach(library IN ITEMS "${PADDLE_GOMP_LIBRARY}" "${PADDLE_ONEDNN_LIBRARY}" "${PADDLE_OPENBLAS_LIBRARY}")
  cmake_path(GET library PARENT_PATH folder)
  list(APPEND libraries "${folder}")
endforeach()
set_target_properties(test_primitives PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${libraries}")
gtest_discover_tests(test_primitives TEST_PREFIX "primitives/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                     WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
