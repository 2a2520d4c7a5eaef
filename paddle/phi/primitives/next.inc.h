// SPDX-License-Identifier: Apache-2.0
// The number beside x, towards y, of a floating type with as many bits as U. Bits are in the order of the numbers, once
// those of negative ones are mirrored; bits above `infinite` belong to no number. S is signed, and holds all of them.
// What includes it defines PD_NEXT, how the function is declared.

template <class U, class S>
PD_NEXT U NextBits(U x, U y, U infinite) {
  constexpr U kSign = static_cast<U>(U(1) << (sizeof(U) * 8 - 1)), kRest = static_cast<U>(~kSign);
  const S a = x & kSign ? -static_cast<S>(x & kRest) : static_cast<S>(x),
          b = y & kSign ? -static_cast<S>(y & kRest) : static_cast<S>(y), to = a + (b > a) - (b < a);
  if (static_cast<U>(x & kRest) > infinite) return x;
  if (static_cast<U>(y & kRest) > infinite || a == b) return y;
  return to < 0 || (to == 0 && a < 0) ? static_cast<U>(kSign + static_cast<U>(-to)) : static_cast<U>(to);
}
