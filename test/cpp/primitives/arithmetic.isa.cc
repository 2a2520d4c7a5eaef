// SPDX-License-Identifier: Apache-2.0
// Loops of + - * / and select in the form of the generated ones, for arithmetic_test.cc.
#include "paddle/phi/primitives/ew_loop.inc.h"

namespace phi::PD_ISA {

#define PD_TEST_LOOP(name, T, ...) \
  PD_EW_BEGIN(name)                \
  PD_EW_OUT(0, T)                  \
  PD_EW_IN(1, T)                   \
  PD_EW_IN(2, T)                   \
  PD_EW_BODY                       \
  PD_EW_LOAD(1, x)                 \
  PD_EW_LOAD(2, y)                 \
  PD_EW_STORE(0, __VA_ARGS__)      \
  PD_EW_END
#define PD_TEST_LOOPS(T, suffix, quotient)                                   \
  PD_TEST_LOOP(test_add_##suffix, T, add(x, y))                              \
  PD_TEST_LOOP(test_sub_##suffix, T, sub(x, y))                              \
  PD_TEST_LOOP(test_mul_##suffix, T, mul(x, y))                              \
  PD_TEST_LOOP(test_div_##suffix, T, quotient)                               \
  PD_TEST_LOOP(test_select_##suffix, T, select(x < y, sub(y, x), mul(x, x))) \
  PD_TEST_LOOP(test_chain_##suffix, T, add(mul(x, y), mul(sub(x, y), y)))

PD_TEST_LOOPS(float, f32, x / y)
PD_TEST_LOOPS(double, f64, x / y)
PD_TEST_LOOPS(int32_t, i32, div_trunc(x, y))
PD_TEST_LOOPS(int64_t, i64, div_trunc(x, y))

}  // namespace phi::PD_ISA
