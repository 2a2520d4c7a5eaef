// SPDX-License-Identifier: Apache-2.0
// The product of two complex numbers, pairs {re, im}. Each product of parts is rounded before it is added to another.
// GCC 12.2 makes a difference and a sum of products that lie side by side one vfmaddsub, -ffp-contract=off or not;
// past a barrier it does not look, and vectorises as before.
#pragma once

#if __has_builtin(__builtin_assoc_barrier)
#define PD_ROUNDED(x) __builtin_assoc_barrier(x)
#else
#define PD_ROUNDED(x) (x)
#endif

namespace phi {
namespace PD_ISA {

template <class C>
static inline __attribute__((always_inline, unused)) C ProductOf(C a, C b) {
  return {PD_ROUNDED(a.re * b.re) - PD_ROUNDED(a.im * b.im), PD_ROUNDED(a.re * b.im) + PD_ROUNDED(a.im * b.re)};
}

}  // namespace PD_ISA
}  // namespace phi
