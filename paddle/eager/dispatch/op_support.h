// SPDX-License-Identifier: Apache-2.0
// What generated op code calls: AMP casts, recording, history of composed and in-place ops, gradient clean-up.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/eager/dispatch/record.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/phi/core/ew_run.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/infer/rules.h"

namespace paddle {

using phi::ArgDef;
using phi::AttrValue;
using phi::EwDef;
using phi::EwOut;
using phi::InSlot;
using phi::KernelContext;
using phi::Meta;
using phi::MetaList;
using phi::MetaSlot;
using phi::OpDef;
using phi::OutSlot;

// Position of T among AttrValue's alternatives.
template <class T, size_t I = 0>
constexpr uint8_t AttrIndex() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, AttrValue>, T>) {
    return I;
  } else {
    return AttrIndex<T, I + 1>();
  }
}

// Runs kernels without recording, casting or history; a composition that is being expanded is recorded.
class PlainGuard {
 public:
  PlainGuard() : old_(egr::State()) {
    egr::State() = {};
    egr::State().grad_enabled = false;
    if (__builtin_expect(old_.record == egr::RecordMode::kExpand, 0)) {
      egr::State().record = egr::RecordMode::kRecord;
      egr::State().recorder = old_.recorder;
    }
  }
  ~PlainGuard() { egr::State() = old_; }
  PlainGuard(const PlainGuard&) = delete;

 private:
  egr::DispatchState old_;
};

// What AMP does with an op that is on no list: kWhite runs in the low dtype, kBlack in float32, kPromote in float32 if
// an input has it.
enum class AmpClass : uint8_t { kWhite, kBlack, kPromote };
using AmpInput = std::span<const Tensor>;
inline AmpInput AmpInputOf(const Tensor& x) { return {&x, 1}; }
inline AmpInput AmpInputOf(const std::vector<Tensor>& xs) { return xs; }
// The dtype in which this op runs under the AMP state of the thread, which is not off.
phi::DataType AmpTarget(const char* op, AmpClass cls, std::initializer_list<AmpInput> inputs);
// `x` in `dtype` if it is of float32 or half precision, else `x`.
Tensor AmpCast(const Tensor& x, phi::DataType dtype);
std::vector<Tensor> AmpCast(const std::vector<Tensor>& xs, phi::DataType dtype);
// The lists of ops that AMP runs in the low dtype and in float32, whatever their stanzas say: what DispatchState names.
const egr::AmpLists* AmpListsOf(const std::vector<std::string>& white, const std::vector<std::string>& black);

inline bool AnyNeedsGrad(const std::vector<Tensor>& ts) {
  for (const Tensor& t : ts)
    if (egr::NeedsGrad(t)) return true;
  return false;
}
inline MetaList MetasOf(const std::vector<Tensor>& ts) {
  MetaList m;
  m.reserve(ts.size());
  for (const Tensor& t : ts) m.push_back(t.meta());
  return m;
}

// The gradient of an output nothing was propagated to is zero.
Tensor GradOrZeros(const Tensor& g, const phi::TensorImpl* meta);
// Sums `g` to the shape of `like` and casts it to its dtype.
Tensor ReduceGrad(const Tensor& g, const Tensor& like);
// A gradient in the dtype of the input that it is of; the real part where that is real.
Tensor CastGrad(Tensor g, const Tensor& like);
// Whether one of those that are there is of complex numbers.
bool AnyComplex(std::initializer_list<const Tensor*> tensors);
Tensor CastGrad(Tensor g, phi::DataType dtype);
// Moves a result into an executor's buffer if there is one that fits; `like` gives the shape to reduce to.
void Deliver(const Tensor& result, const Tensor& like, Tensor& out);

// History of an op given only as a composition while it is recorded as one op: its gradient differentiates the
// composition.
void ComposeHistory(const char* op, const std::vector<const Tensor*>& inputs, Tensor& out,
                    std::function<Tensor(const std::vector<Tensor>&)> compose);

// In-place support.
Tensor CloneWithHistory(const Tensor& x);
Tensor AliasWithHistory(const Tensor& x);
inline bool SharesMemory(const Tensor& a, const Tensor& b) { return a.defined() && phi::SameStorage(a, b); }
inline bool SharesMemory(const std::vector<Tensor>& ts, const Tensor& b) {
  for (const Tensor& t : ts)
    if (SharesMemory(t, b)) return true;
  return false;
}
void CheckInplaceShape(const char* op, const Tensor& x, const Tensor& other);
// While recording: x's cell now holds the value of `out`.
void ReplaceRecorded(Tensor& x, const Tensor& out);

}  // namespace paddle
