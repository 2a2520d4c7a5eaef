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
#include "paddle/common/place.h"

namespace phi {

// A number with the type it was written in; arithmetic converts it to the operand's dtype.
class Scalar {
 public:
  Scalar() = default;
  Scalar(bool v) : dtype_(DataType::BOOL) { i_ = v; }                                  // NOLINT
  Scalar(int v) : dtype_(DataType::INT64) { i_ = v; }                                  // NOLINT
  Scalar(int64_t v) : dtype_(DataType::INT64) { i_ = v; }                              // NOLINT
  Scalar(float v) : dtype_(DataType::FLOAT32) { d_ = v; }                              // NOLINT
  Scalar(double v) : dtype_(DataType::FLOAT64) { d_ = v; }                             // NOLINT
  Scalar(complex128 v) : dtype_(DataType::COMPLEX128), d_(v.real()), im_(v.imag()) {}  // NOLINT

  // An integer known only when the program being recorded runs; `number` is what the recorder knows it by.
  static Scalar Symbol(int64_t number) {
    Scalar s(number);
    s.symbol_ = true;
    return s;
  }

  DataType dtype() const { return dtype_; }
  bool is_symbol() const { return symbol_; }
  bool is_integral() const { return dtype_ == DataType::BOOL || dtype_ == DataType::INT64; }
  double to_double() const { return is_integral() ? static_cast<double>(i_) : d_; }
  // Real numbers towards zero, those that do not fit to the nearest that does; NaN to the lowest.
  int64_t to_int() const {
    if (is_integral()) return i_;
    return d_ >= 0x1p63 ? INT64_MAX : d_ >= -0x1p63 ? static_cast<int64_t>(d_) : INT64_MIN;
  }
  bool to_bool() const { return is_integral() ? i_ != 0 : (d_ != 0 || im_ != 0); }
  complex128 to_complex() const { return {to_double(), im_}; }
  friend bool operator==(const Scalar& a, const Scalar& b) {
    return a.dtype_ == b.dtype_ && a.symbol_ == b.symbol_ && a.i_ == b.i_ && a.d_ == b.d_ && a.im_ == b.im_;
  }

 private:
  DataType dtype_ = DataType::FLOAT64;
  bool symbol_ = false;
  int64_t i_ = 0;
  double d_ = 0, im_ = 0;
};

using AttrValue =
    std::variant<std::monostate, bool, int32_t, int64_t, float, double, std::string, std::vector<int32_t>,
                 std::vector<int64_t>, std::vector<float>, std::vector<double>, std::vector<bool>,
                 std::vector<std::string>, Scalar, std::vector<Scalar>, common::Ints /* IntArray */, DataType, Place>;

}  // namespace phi
