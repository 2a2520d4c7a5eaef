// SPDX-License-Identifier: Apache-2.0
// Decompositions of stanzas on tensors: what the generated templates of pir/dialect/decompositions.h build gradient
// rules and recorded programs with.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "paddle/common/axis_functions.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/op_def.h"

namespace paddle {

// The functions of the language beside those that ops give by name. Each value has the precision of computation: halves
// are read as float32.
class TensorDecomposer : public common::AxisFunctions<TensorDecomposer, Tensor> {
 public:
  using Value = Tensor;
  Tensor operand(const Tensor& t) const;
  Tensor rounded(const Tensor& t, DataType dtype) const { return t.dtype() == dtype ? t : paddle::cast(t, dtype); }
  static int64_t rank(const Tensor& x) { return x.ndim(); }
  bool has(const Tensor& t) const { return t.defined(); }

  Tensor sum(const Tensor& x, const Ints& axes, bool keep) const {
    return axes.empty() ? x : paddle::sum(x, axes, x.dtype(), keep);
  }
  Tensor mean(const Tensor& x, const Ints& axes, bool keep) const {
    return axes.empty() ? x : paddle::mean(x, axes, keep);
  }
  Tensor max(const Tensor& x, const Ints& axes, bool keep) const {
    return axes.empty() ? x : paddle::max(x, axes, keep);
  }
  Tensor min(const Tensor& x, const Ints& axes, bool keep) const {
    return axes.empty() ? x : paddle::min(x, axes, keep);
  }
  Tensor squeeze(const Tensor& x, const Ints& axes) const { return axes.empty() ? x : paddle::squeeze(x, axes); }
  Tensor unsqueeze(const Tensor& x, const Ints& axes) const;
  Tensor along(const Tensor& x, const Tensor& like, int64_t axis) const;
  Tensor flat(const Tensor& x) const { return paddle::reshape(x, Ints{-1}); }
  Tensor tail(const Tensor& x, const Tensor& like, int64_t axis) const;
  Tensor reshape_like(const Tensor& x, const Tensor& like) const { return paddle::reshape_like(x, like); }
  Tensor reshape(const Tensor& x, const Ints& shape) const { return paddle::reshape(x, shape); }
  Tensor transpose(const Tensor& x, const Ints& perm) const;
  std::vector<Tensor> split(const Tensor& x, int64_t n, int64_t axis) const {
    return split_with_num(x, n, Scalar(axis));
  }
  Tensor relu(const Tensor& x) const { return paddle::relu(x); }
  Tensor repeated(const Tensor& x, const Tensor& like, int64_t axis) const;
  Tensor join(const Tensor& x, const Tensor& y, int64_t axis) const { return concat({x, y}, Scalar(axis)); }
  Tensor matmul(const Tensor& x, const Tensor& y, bool transpose_x, bool transpose_y) const {
    return paddle::matmul(x, y, transpose_x, transpose_y);
  }
  Tensor pick(const Tensor& x, const Tensor& label, int64_t axis, int64_t except) const;
  Tensor position(const Tensor& x, int64_t axis) const { return paddle::position(x, axis); }
  bool is_bool(const Tensor& x) const { return x.dtype() == DataType::BOOL; }
  Tensor cast(const Tensor& x, const char* dtype) const { return paddle::cast(x, phi::DataTypeFromName(dtype)); }
  template <class A, class B>
  Tensor select(const Tensor& c, const A& a, const B& b) const {
    return where(c, a, b);
  }
  template <class A, class B>
  Tensor maximum(const A& a, const B& b) const {
    return paddle::maximum(Like(a, b), Like(b, a));
  }
  template <class A, class B>
  Tensor minimum(const A& a, const B& b) const {
    return paddle::minimum(Like(a, b), Like(b, a));
  }
  template <class A, class B>
  Tensor pow(const A& a, const B& b) const {
    return pow_expr(a, b);
  }

 private:
  // A number as a tensor beside another.
  template <class A, class B>
  static Tensor Like(const A& a, const B& other) {
    if constexpr (std::is_arithmetic_v<A>)
      return scalar_like(Scalar(a), other);
    else
      return a;
  }
};

// The decomposition of an op in the calling form of OpDef::run; results whose slot is null are not built. They have the
// dtype of computation.
using DecomposeFn = void (*)(const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);
void RegisterDecomposition(const char* op, DecomposeFn fn);
// The same for devices that have no kernel for the op; results may have their own dtype.
bool RegisterComposition(const char* op, DecomposeFn fn);
// Null where the stanza has none. Both "softmax" and "pd_op.softmax" are found.
DecomposeFn FindDecomposition(std::string_view op);

}  // namespace paddle
