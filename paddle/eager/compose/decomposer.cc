// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/compose/decomposer.h"

#include <map>
#include <mutex>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/core/device_ops.h"

namespace paddle {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, DecomposeFn, std::less<>> rows;

  void Add(const char* op, DecomposeFn fn) {
    std::lock_guard<std::mutex> lock(mutex);
    rows.emplace(op, fn);
  }
  DecomposeFn Find(std::string_view op) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = rows.find(op);
    return it == rows.end() ? nullptr : it->second;
  }
};
Table& TheTable() {
  static Table* table = new Table();
  return *table;
}
Table& Compositions() {
  static Table* table = new Table();
  return *table;
}

bool RunComposed(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  const DecomposeFn fn = Compositions().Find(op.name);
  if (!fn || !outs) return fn != nullptr;
  const PlainGuard plain;
  fn(in, attrs, outs);
  return true;
}
const bool g_registered = [] {
  phi::g_run_composed = RunComposed;
  return true;
}();

}  // namespace

Tensor TensorDecomposer::operand(const Tensor& t) const {
  return t.defined() && phi::IsHalf(t.dtype()) ? paddle::cast(t, DataType::FLOAT32) : t;
}

Tensor TensorDecomposer::along(const Tensor& x, const Tensor& like, int64_t axis) const {
  IntArray shape = Ints(like.ndim(), 1);
  for (int64_t k = 0; k < x.ndim(); ++k) shape.set(axis + k, dim_at(x, k));
  return paddle::reshape(x, shape);
}

Tensor TensorDecomposer::tail(const Tensor& x, const Tensor& like, int64_t axis) const {
  IntArray shape;
  for (int64_t k = axis; k < like.ndim(); ++k) shape.push_back(dim_at(like, k));
  return paddle::reshape(x, shape);
}

Tensor TensorDecomposer::transpose(const Tensor& x, const Ints& perm) const {
  for (int64_t k = 0; k < perm.size(); ++k)
    if (perm[k] != k) return paddle::transpose(x, perm);
  return x;
}

Tensor TensorDecomposer::repeated(const Tensor& x, const Tensor& like, int64_t axis) const {
  const int64_t own = size_at(x, axis), wanted = size_at(like, axis);
  return wanted == own ? x : repeat_interleave(x, wanted / own, axis);
}

Tensor TensorDecomposer::pick(const Tensor& x, const Tensor& label, int64_t axis, int64_t except) const {
  const Tensor number = paddle::cast(label, DataType::INT64);
  const Tensor counts = not_equal(number, full({}, Scalar(except), DataType::INT64));
  return take_along_axis(x, where(counts, number, zeros_like_of(number)), axis);
}

Tensor TensorDecomposer::unsqueeze(const Tensor& x, const Ints& axes) const {
  if (axes.empty()) return x;
  IntArray shape;
  const int64_t rank = x.ndim() + axes.size();
  common::SmallVector<bool, 8> added(rank, false);
  for (int64_t a : axes) added[common::NormalizeAxis("unsqueeze", a, rank)] = true;
  for (int64_t k = 0, at = 0; k < rank; ++k) shape.push_back(added[k] ? phi::Int(1) : number_at(x, at++));
  return paddle::reshape(x, shape);
}

void RegisterDecomposition(const char* op, DecomposeFn fn) { TheTable().Add(op, fn); }
bool RegisterComposition(const char* op, DecomposeFn fn) {
  Compositions().Add(op, fn);
  return true;
}

DecomposeFn FindDecomposition(std::string_view op) { return TheTable().Find(op.substr(op.find('.') + 1)); }

}  // namespace paddle
