// SPDX-License-Identifier: Apache-2.0
// Operators and small helpers on Tensor that gradient expressions and C++ users write with; all go through the
// dispatcher.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/api/compose_axes.h"
#include "paddle/phi/api/compose_index.h"
#include "paddle/phi/api/compose_linalg.h"
#include "paddle/phi/api/compose_nn.h"
#include "paddle/phi/core/tensor.h"

#define PADDLE_API __attribute__((visibility("default")))

namespace paddle {

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);
Tensor operator~(const Tensor& a);
Tensor operator!(const Tensor& a);
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(const Tensor& a, double b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(const Tensor& a, double b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(const Tensor& a, double b);
Tensor operator/(double a, const Tensor& b);
Tensor operator+(const Tensor& a, const phi::Scalar& b);
Tensor operator*(const Tensor& a, const phi::Scalar& b);
Tensor operator*(const phi::Scalar& a, const Tensor& b);
Tensor operator-(const Tensor& a, const phi::Scalar& b);
#define PD_DECLARE_COMPARE(sym)                          \
  Tensor operator sym(const Tensor& a, const Tensor& b); \
  Tensor operator sym(const Tensor& a, double b);        \
  Tensor operator sym(const Tensor& a, const phi::Scalar& b);
PD_DECLARE_COMPARE(<)
PD_DECLARE_COMPARE(>)
PD_DECLARE_COMPARE(<=)
PD_DECLARE_COMPARE(>=)
PD_DECLARE_COMPARE(==)
PD_DECLARE_COMPARE(!=)
#undef PD_DECLARE_COMPARE

// Arguments that are numbers, in rules.
inline bool operator==(const phi::Scalar& a, double b) { return a.to_complex() == phi::complex128(b); }
phi::Scalar operator-(const phi::Scalar& a, double b);

// A 0-d tensor of `like`'s dtype on its place.
Tensor scalar_like(const phi::Scalar& value, const Tensor& like);
Tensor where(const Tensor& c, const Tensor& a, double b);
Tensor where(const Tensor& c, double a, const Tensor& b);
Tensor pow_expr(const Tensor& x, const Tensor& y);
// The distribution function of the standard normal distribution.
Tensor normal_cdf(const Tensor& x);
Tensor pow_expr(const Tensor& x, const phi::Scalar& y);
// The conjugate of a complex tensor; a real one as it is.
Tensor conj_of(const Tensor& x);
inline double conj_of(double x) { return x; }
// `x` converted to the dtype of `like`.
Tensor cast_like(const Tensor& x, const Tensor& like);
// `g` in the dtype of the product of x and y, which a sum with it may have left.
Tensor cast_to_common(const Tensor& g, const Tensor& x, const Tensor& y);
// `x` broadcast, reshaped or summed to the shape of `like`, whose contents are not read.
Tensor expand_like(const Tensor& x, const Tensor& like);
Tensor reshape_like(const Tensor& x, const Tensor& like);
Tensor reduce_like(const Tensor& x, const Tensor& like);
// The gradient of a reduction, given back the axes it lost: dout as a broadcastable tensor of rank(x).
Tensor unreduce(const Tensor& dout, const common::Ints& axis, bool keepdim, const Tensor& x);
// `g` divided by the number of elements of x per element of y, less `less`; NaN where that is not positive.
Tensor per_element(const Tensor& g, const Tensor& x, const Tensor& y, double less = 0);
// An extent that must be known, also while recording.
int64_t size_at(const Tensor& x, int64_t axis);
// An extent that may be known only when the program runs.
common::Dim dim_at(const Tensor& x, int64_t axis);
// The same as an item of a list.
phi::Int number_at(const Tensor& x, int64_t axis);
// An extent as a 0-d tensor of like's dtype.
Tensor number_like(common::Dim d, const Tensor& like);
Tensor zeros_of(const phi::IntArray& dims, phi::DataType dtype);
Tensor ones_like_of(const Tensor& x);
Tensor zeros_like_of(const Tensor& x);
Tensor contiguous(const Tensor& x);
// view[...] = value (broadcast), with history: the in-place form of assignment.
Tensor& set_value_into_(Tensor& view, const Tensor& value);
// The shape as a shape argument.
phi::IntArray shape_of(const Tensor& x);

// --- gradients that are compositions rather than expressions
Tensor sign_of(const Tensor& x);                   // x / |x|, 0 at 0; also for complex
Tensor real_if(const Tensor& g, const Tensor& x);  // the real part when x is real and g is not
// A complex tensor of x's dtype with `part` as its real (or imaginary) part; `part` itself when x is real.
Tensor complex_from(const Tensor& part, const Tensor& x, bool imaginary);
// The memory between the lowest and the highest element of x, as a shape: x's own where its elements lie there in order
// (or are not known), else one extent. In it lies the first element of x at first_place.
phi::IntArray memory_shape(const Tensor& x);
int64_t first_place(const Tensor& x);
// What x shows of such memory; elements of x that share a place share its value equally.
Tensor laid_out_like(const Tensor& memory, const Tensor& x);

}  // namespace paddle
