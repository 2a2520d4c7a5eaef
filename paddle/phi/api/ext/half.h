// SPDX-License-Identifier: Apache-2.0
// Half precision numbers that kernels of users compute with: each operation converts to float32 and back.
#pragma once

#include "paddle/common/dtype.h"

namespace paddle {

namespace ext {
__attribute__((visibility("default"))) float ToFloat(phi::float16 v);
__attribute__((visibility("default"))) float ToFloat(phi::bfloat16 v);
__attribute__((visibility("default"))) void FromFloat(float f, phi::float16& v);
__attribute__((visibility("default"))) void FromFloat(float f, phi::bfloat16& v);
}  // namespace ext

template <class Stored>
struct HalfNumber : Stored {
  HalfNumber() = default;
  HalfNumber(float f) { ext::FromFloat(f, *this); }  // NOLINT: numbers convert
  operator float() const { return ext::ToFloat(static_cast<const Stored&>(*this)); }
  HalfNumber& operator+=(float f) { return *this = *this + f; }
  HalfNumber& operator-=(float f) { return *this = *this - f; }
  HalfNumber& operator*=(float f) { return *this = *this * f; }
  HalfNumber& operator/=(float f) { return *this = *this / f; }
};
using float16 = HalfNumber<phi::float16>;
using bfloat16 = HalfNumber<phi::bfloat16>;

}  // namespace paddle
