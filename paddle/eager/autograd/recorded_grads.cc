// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/autograd/recorded_grads.h"

#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"

namespace egr {
namespace {

constexpr int kDepth = 8;  // operations above two values that are compared

class SameGrad final : public GradNode {
 public:
  explicit SameGrad(const Tensor& t) {
    SetCounts(1, 1);
    SetInput(0, t);
  }
  const char* name() const override { return "same"; }
  bool repeatable() const override { return true; }
  void Run(Tensor* grads, Tensor* in, bool) override { in[0] = grads[0]; }
};

// A symbolic tensor of its own for the same value and history.
Tensor SymbolicAlias(const Tensor& t) {
  if (!t.defined()) return t;
  Tensor r = State().recorder->Wrap(State().recorder->ValueOf(t));
  r->ShareHistory(*t.impl());
  r->stop_gradient = t->stop_gradient;
  return r;
}

bool SameValue(pir::Value a, pir::Value b, int depth) {
  if (a == b) return !a || !pir::IsMutated(a);
  if (!a || !b || depth == 0 || !(a.type() == b.type())) return false;
  pir::Operation *x = a.defining_op(), *y = b.defining_op();
  if (!x || !y || x->info() != y->info() || a.index() != b.index() || x->num_operands() != y->num_operands())
    return false;
  if (x->num_regions() || !pir::IsDeterministic(*x) || x->isa(pir::pd::kData) || x->isa("builtin.parameter"))
    return false;
  if (!(x->attrs() == y->attrs()) || pir::IsMutated(a) || pir::IsMutated(b)) return false;
  for (int i = 0; i < x->num_operands(); ++i)
    if (!SameValue(x->operand(i), y->operand(i), depth - 1)) return false;
  return true;
}

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  if (a->node().get() != b->node().get() || (a->node() && a->slot() != b->slot())) return false;
  Recorder& r = *State().recorder;
  return SameValue(r.ValueOf(a), r.ValueOf(b), kDepth);
}

bool AllSymbolic(const Tensor* t, int n) {
  for (int i = 0; i < n; ++i)
    if (t[i].defined() && !t[i].is_symbolic()) return false;
  return true;
}

}  // namespace

RecordedGrads* RecordedGradsFor(GradNode* n) {
  DispatchState& s = State();
  if (s.record != RecordMode::kRecord || s.amp_level || !s.recorder->frames().empty() || !n->repeatable())
    return nullptr;
  return &s.recorder->grads();
}

Tensor WithOwnNode(const Tensor& t) {
  if (!NeedsGrad(t) || !t.is_symbolic()) return t;
  Tensor r = SymbolicAlias(t);
  Ref<GradNode> node(new SameGrad(t));
  node->SetOutput(0, r);
  return r;
}

bool RecordedGrads::Recall(GradNode* n, const Tensor* grads, Tensor* in) {
  auto it = runs_.find(n);
  if (it == runs_.end() || !AllSymbolic(grads, n->num_outputs())) return false;
  for (Run& r : it->second) {
    bool fits = true;
    for (int k = 0; k < n->num_inputs() && fits; ++k) fits = r.needed[k] || !n->needs(k);
    for (int s = 0; s < n->num_outputs() && fits; ++s) fits = SameTensor(grads[s], r.grads[s]);
    if (!fits) continue;
    for (int k = 0; k < n->num_inputs(); ++k)
      if (n->needs(k)) in[k] = SymbolicAlias(r.in[k]);
    return true;
  }
  return false;
}

void RecordedGrads::Remember(GradNode* n, const Tensor* grads, const Tensor* in) {
  if (!AllSymbolic(grads, n->num_outputs()) || !AllSymbolic(in, n->num_inputs())) return;
  Run r;
  r.node = Ref<GradNode>(n);
  for (int s = 0; s < n->num_outputs(); ++s) r.grads.push_back(SymbolicAlias(grads[s]));
  for (int k = 0; k < n->num_inputs(); ++k) {
    r.in.push_back(SymbolicAlias(in[k]));
    r.needed.push_back(n->needs(k));
  }
  runs_[n].push_back(std::move(r));
}

}  // namespace egr
