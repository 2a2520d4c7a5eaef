// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/autograd/derivative.h"

#include <string>

#include "paddle/eager/dispatch/record.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"

namespace egr {
namespace {

bool OfOneType(const Tensor& v, const Tensor& p) {
  return !phi::g_has_external_kernels && v.dtype() == p.dtype() &&
         (v.dtype() == phi::DataType::FLOAT32 || v.dtype() == phi::DataType::FLOAT64);
}

bool IsRecorded(const Tensor& v, const Tensor& p) {
  return State().record == RecordMode::kRecord && State().amp_level == 0 && (v.is_symbolic() || p.is_symbolic()) &&
         OfOneType(v, p);
}

bool LoopsServe(const Tensor& v, const Tensor& p) {
  return !State().special() && !v.is_symbolic() && !p.is_symbolic() && OfOneType(v, p);
}

// The op that stands for term 0 in programs, null without: of functions of their result, whose derivative is cheap. Of
// others the parts are recorded, so that `cos(x)` in several gradients is one.
const phi::OpDef* FirstOp(const Derivatives& s) {
  const phi::OpDef* op = phi::FindOpDef(std::string(s.term[0]->name) + "_grad");
  const bool fits = op && op->attrs.empty() && op->tensors.size() == 2 && std::string(op->tensors[0]->name) == "out";
  return fits ? op : nullptr;
}

class DerivativeNode final : public GradNode {
 public:
  DerivativeNode(const Derivatives& s, int j, const Tensor* p, const Tensor& v) : s_(s), j_(j) {
    SetCounts(j + 2, 1);
    for (int i = 0; i <= j; ++i) {
      SetInput(i, p[i]);
      p_[i].SaveInput(p[i]);
    }
    SetInput(j + 1, v);
    v_.SaveInput(v);
  }
  const char* name() const override { return s_.node[j_]; }
  bool repeatable() const override { return true; }
  void ReleaseSaved() override {
    for (SavedTensor& p : p_) p.Reset();
    v_.Reset();
  }

  void ForEachSaved(const SavedVisitor& see) const override {
    for (const SavedTensor& p : p_) see(p);
    see(v_);
  }

  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    if (!grads[0].defined()) return;
    // The gradient of p[i] is term j with the incoming gradient in p[i]'s place.
    Tensor p[Derivatives::kOrders];
    const Tensor v = v_.Get(this, name(), "an input");
    for (int i = 0; i <= j_; ++i) p[i] = p_[i].Get(this, name(), "an input");
    p[j_ + 1] = grads[0];
    bool all = true;
    for (int i = 0; i < num_inputs(); ++i) all = all && needs(i);
    if (all && !create_graph && s_.joint[j_] && LoopsServe(v, grads[0])) {
      const Tensor* ins[Derivatives::kOrders + 1];
      Tensor* outs[Derivatives::kOrders];
      for (int i = 0; i <= j_ + 1; ++i) {
        ins[i] = &p[i];
        outs[i] = &in[i];
      }
      ins[j_ + 2] = &v;
      phi::RunEw(*s_.joint[j_], ins, outs, nullptr);
      return;
    }
    if (needs(j_ + 1) && s_.term[j_ + 1]) in[j_ + 1] = Derivative(s_, j_ + 1, p, v);
    for (int i = 0; i <= j_; ++i) {
      if (!needs(i)) continue;
      std::swap(p[i], p[j_ + 1]);
      in[i] = Derivative(s_, j_, p, v);
      std::swap(p[i], p[j_ + 1]);
    }
  }

 private:
  const Derivatives& s_;
  int j_;
  SavedTensor p_[Derivatives::kOrders - 1], v_;
};

}  // namespace

bool DerivativesApply(const Tensor& v, const Tensor& p) { return LoopsServe(v, p) || IsRecorded(v, p); }

Tensor Derivative(const Derivatives& s, int j, const Tensor* p, const Tensor& v) {
  bool loops = true, history = NeedsGrad(v);
  for (int i = 0; i <= j; ++i) {
    loops = loops && LoopsServe(v, p[i]);
    history = history || NeedsGrad(p[i]);
  }
  history = history && State().grad_enabled;
  const phi::OpDef* op = j == 0 && IsRecorded(v, p[0]) ? FirstOp(s) : nullptr;
  Tensor out;
  if (op) {
    const phi::InSlot slots[] = {phi::InSlot(v), phi::InSlot(p[0])};
    const phi::AttrValue attrs[] = {phi::AttrValue()};
    phi::OutSlot results[] = {phi::OutSlot(out)};
    RecordOp(*op, slots, attrs, results);
  } else if (!loops || (history && j + 1 == Derivatives::kOrders)) {
    Tensor product = p[0];
    for (int i = 1; i <= j; ++i) product = product * p[i];
    return s.compose[j](product, v);
  } else {
    const Tensor* ins[Derivatives::kOrders + 1];
    for (int i = 0; i <= j; ++i) ins[i] = &p[i];
    ins[j + 1] = &v;
    Tensor* outs[] = {&out};
    phi::RunEw(*s.term[j], ins, outs, nullptr);
  }
  if (history) {
    Ref<GradNode> n(new DerivativeNode(s, j, p, v));
    n->SetOutput(0, out);
  }
  return out;
}

}  // namespace egr
