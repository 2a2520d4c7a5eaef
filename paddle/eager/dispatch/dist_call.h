// SPDX-License-Identifier: Apache-2.0
// An operation on distributed tensors: the dispatcher runs it on the parts of this process. Declared here for generated
// code; paddle/distributed/propagation defines it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "paddle/phi/core/dist_tensor.h"
#include "paddle/phi/core/op_def.h"

namespace egr {

using paddle::Tensor;

inline bool IsDist(const Tensor& t) { return t.defined() && t.is_dist(); }
inline bool IsDist(const std::vector<Tensor>& ts) {
  for (const Tensor& t : ts)
    if (IsDist(t)) return true;
  return false;
}
// Whether a call with these tensors has more to do than run: record, or run on parts.
inline bool IsSpecial(const Tensor& t) { return t.defined() && !t.is_dense(); }
inline bool IsSpecial(const std::vector<Tensor>& ts) {
  for (const Tensor& t : ts)
    if (IsSpecial(t)) return true;
  return false;
}

// One call. Placements of the operands are chosen and operands moved when it is made; then the operation is called on
// what `operator[]`, `List` and `Attr` give, and `Wrap` makes its results distributed.
class DistCall {
 public:
  // `rule` is the stanza's `spmd` (docs/design/distributed.md); empty: operands are replicated.
  DistCall(const phi::OpDef& op, const char* rule, std::span<const phi::InSlot> in, const phi::AttrValue* attrs);
  ~DistCall();
  DistCall(const DistCall&) = delete;

  const Tensor& operator[](int operand) const { return operands_[operand].front(); }
  const std::vector<Tensor>& List(int operand) const { return operands_[operand]; }
  // The shape that attribute `i` asks of this process's part, where `given` is that of the whole.
  const phi::IntArray& Attr(int i, const phi::IntArray& given) const { return i == shape_attr_ ? shape_ : given; }
  // Where this process's part begins, where `given` is that of the whole.
  int64_t Begin(int64_t given) const { return given + begin_; }
  // Of an operation with windows: the paddings of this process's part, and how they are meant.
  const phi::Ints& Paddings(const phi::Ints& given) const { return windows_ ? paddings_ : given; }
  const std::string& PaddingAlgorithm(const std::string& given) const {
    static const std::string kGiven = "EXPLICIT";
    return windows_ ? kGiven : given;
  }

  // Whether this process has parts of the operands.
  bool here() const { return here_; }
  // The results where it has none.
  template <class T>
  T Absent() {
    return Wrap(T());
  }
  Tensor Wrap(Tensor local) { return WrapOne(0, std::move(local)); }
  std::vector<Tensor> Wrap(std::vector<Tensor> locals) { return WrapOne(0, std::move(locals)); }
  template <class... T>
  std::tuple<T...> Wrap(std::tuple<T...> locals) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<T...>{WrapOne(I, std::move(std::get<I>(locals)))...};
    }
    (std::index_sequence_for<T...>());
  }

 private:
  Tensor WrapOne(size_t output, Tensor local);
  std::vector<Tensor> WrapOne(size_t output, std::vector<Tensor> locals);

  bool here_ = true;
  // Outside the mesh, where gradients flow: what stands for the parts of the operands.
  std::unique_ptr<std::vector<Tensor>> absent_;
  std::vector<std::vector<Tensor>> operands_;  // of each argument
  int shape_attr_ = -1;
  phi::IntArray shape_;
  int64_t begin_ = 0;
  bool windows_ = false;
  phi::Ints paddings_;
  struct Results;
  std::unique_ptr<Results> results_;
};

// The form of `op` that writes x, a distributed tensor, which keeps its placements: `compute` is the op without it.
void DistWrite(Tensor& x, const char* op, const std::function<Tensor(const Tensor&)>& compute);

}  // namespace egr
