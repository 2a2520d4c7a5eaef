// SPDX-License-Identifier: Apache-2.0
// The values an op's attributes take: the one currency between eager recording, PIR, the executor and plugin kernels.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "paddle/common/dim.h"
#include "paddle/common/dtype.h"
#include "paddle/common/int_array.h"
#include "paddle/common/place.h"

namespace phi {

// A number with the type it was written in; arithmetic converts it to the operand's dtype. While a program is recorded
// it may be an extent or an element of a tensor instead, which have a type and no value.
class Scalar {
 public:
  Scalar() = default;
  Scalar(bool v) : dtype_(DataType::BOOL), i_(v) {}                                    // NOLINT
  Scalar(int v) : dtype_(DataType::INT64), i_(v) {}                                    // NOLINT
  Scalar(int64_t v) : dtype_(DataType::INT64), i_(v) {}                                // NOLINT
  Scalar(float v) : dtype_(DataType::FLOAT32), d_(v) {}                                // NOLINT
  Scalar(double v) : dtype_(DataType::FLOAT64), d_(v) {}                               // NOLINT
  Scalar(complex128 v) : dtype_(DataType::COMPLEX128), d_(v.real()), im_(v.imag()) {}  // NOLINT

  Scalar(common::Dim d) : Scalar(Int(d)) {}          // NOLINT
  Scalar(Int v) : dtype_(DataType::INT64), i_(v) {}  // NOLINT
  Scalar(RecordedElement e, DataType dtype) : dtype_(dtype), i_(e) {}

  DataType dtype() const { return dtype_; }
  bool known() const { return i_.known(); }
  // What stands for the number; the number itself only where it is an integer.
  Int integer() const { return i_; }
  bool is_integral() const { return dtype_ == DataType::BOOL || dtype_ == DataType::INT64; }
  // The value in another type. Raises where it is known only when the program runs.
  double to_double() const {
    const int64_t i = i_.value();
    return is_integral() ? static_cast<double>(i) : d_;
  }
  // Real numbers towards zero, those that do not fit to the nearest that does; NaN to the lowest.
  int64_t to_int() const {
    const int64_t i = i_.value();
    if (is_integral()) return i;
    return d_ >= 0x1p63 ? INT64_MAX : d_ >= -0x1p63 ? static_cast<int64_t>(d_) : INT64_MIN;
  }
  bool to_bool() const {
    const int64_t i = i_.value();
    return is_integral() ? i != 0 : (d_ != 0 || im_ != 0);
  }
  complex128 to_complex() const { return {to_double(), im_}; }
  friend bool operator==(const Scalar& a, const Scalar& b) {
    return a.dtype_ == b.dtype_ && a.i_ == b.i_ && a.d_ == b.d_ && a.im_ == b.im_;
  }

 private:
  DataType dtype_ = DataType::FLOAT64;
  Int i_;
  double d_ = 0, im_ = 0;
};

using AttrValue = std::variant<std::monostate, bool, int32_t, int64_t, float, double, std::string, std::vector<int32_t>,
                               std::vector<int64_t>, std::vector<float>, std::vector<double>, std::vector<bool>,
                               std::vector<std::string>, Scalar, std::vector<Scalar>, IntArray, DataType, Place>;

}  // namespace phi
