// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/run_program.h"

#include "paddle/executor/stack.h"
#include "paddle/phi/core/tensor_copy.h"

namespace paddle::jit {
namespace {

uint32_t Version(const Tensor& t) {
  return t.defined() && t->storage() ? t->storage()->version() : executor::VersionOfStack(t);
}
void Check(const Tensor& t, uint32_t version, const char* what) {
  if (Version(t) != version)
    PD_THROW(PreconditionNotMet, "[run_program] expected ", what, ", which the gradient needs, to keep version ",
             version, ", got version ", Version(t), ": it was modified by an in-place operation");
}
// A tensor nobody else holds an object of.
Tensor Own(Tensor& t) { return t.defined() && t->use_count() > 1 ? phi::AliasOf(t) : t; }

}  // namespace

RunProgramNode::RunProgramNode(std::shared_ptr<Traced> fn, const std::vector<Tensor>& inputs)
    : fn_(std::move(fn)), inputs_(inputs) {
  const auto& leaves = fn_->leaves();
  SetCounts(static_cast<int>(leaves.size()), static_cast<int>(fn_->differentiable().size()));
  for (size_t k = 0; k < leaves.size(); ++k)
    if (leaves[k].output < 0)
      SetInput(static_cast<int>(k), leaves[k].input >= 0 ? inputs_[leaves[k].input] : leaves[k].tensor);
}
void RunProgramNode::ReleaseSaved() {
  inputs_.clear();
  saved_.clear();
}

void RunProgramNode::CopyInput(int i) {
  const Tensor t = inputs_[i];
  Tensor copy = phi::CopyOf(t);
  copy->stop_gradient = t->stop_gradient;
  if (egr::NeedsGrad(t)) {
    egr::Edge e = egr::GradEdge(t);
    copy->SetHistory(phi::Ref<phi::RefCounted>(e.node.get()), e.slot);
  }
  inputs_[i] = copy;
}

void RunProgramNode::Keep(std::vector<Tensor> saved, std::vector<Tensor>& outputs) {
  saved_ = std::move(saved);
  for (Tensor& t : saved_) versions_.push_back(Version(t));
  for (Tensor& t : inputs_) input_versions_.push_back(Version(t));
  captured_versions_ = fn_->CapturedVersions();
  for (int k = 0; k < num_inputs(); ++k)
    if (const int i = fn_->leaves()[k].output; i >= 0) edge(k) = egr::GradEdge(outputs[i]);
  int slot = 0;
  for (int i : fn_->differentiable()) {
    Tensor& out = outputs[i];
    metas_.push_back({out.dims(), out.dtype()});
    SetOutput(slot++, out);
  }
}

void RunProgramNode::Run(Tensor* grads, Tensor* in, bool create_graph) {
  // A leaf that none of the given gradients leads to gets none, rather than zeros.
  std::vector<bool> wanted(num_inputs());
  bool any = false;
  for (int k = 0; k < num_inputs(); ++k) {
    for (int i = 0; i < num_outputs() && needs(k) && !wanted[k]; ++i)
      wanted[k] = grads[i].defined() && fn_->Reaches(i, k);
    any = any || wanted[k];
  }
  if (!any) return;
  std::vector<Tensor> douts;
  for (int i = 0; i < num_outputs(); ++i)
    douts.push_back(grads[i].defined() ? grads[i] : phi::FullLike(metas_[i].first, metas_[i].second, 0));
  if (create_graph) return RunSecond(douts, wanted, in);
  const Traced::Backward& b = fn_->BackwardFor(wanted);
  std::vector<Tensor> feeds;
  executor::StackCopies stacks;
  feeds.reserve(b.feeds.size());
  for (const Traced::Source& s : b.feeds) {
    switch (s.kind) {
      case Traced::Source::kInput:
        if (s.read) Check(inputs_[s.index], input_versions_[s.index], "an input");
        feeds.push_back(inputs_[s.index]);
        break;
      case Traced::Source::kSaved:
        if (s.read) Check(saved_[s.index], versions_[s.index], "a saved value");
        feeds.push_back(executor::CopyOfStack(saved_[s.index], stacks));
        break;
      default: feeds.push_back(douts[s.index]);
    }
  }
  for (int i : b.reads) Check(fn_->captured(i), captured_versions_[i], "a parameter");
  std::vector<Tensor> r = Traced::Run(*b.plan, feeds);
  for (size_t k = 0; k < b.wanted.size(); ++k) in[b.wanted[k]] = Own(r[k]);
}

void RunProgramNode::RunSecond(const std::vector<Tensor>& douts, const std::vector<bool>& wanted, Tensor* in) {
  std::shared_ptr<Traced> second = fn_->Second();
  std::vector<Tensor> feeds(inputs_.begin(), inputs_.begin() + fn_->num_inputs());
  feeds.insert(feeds.end(), douts.begin(), douts.end());
  feeds.insert(feeds.end(), inputs_.begin() + fn_->num_inputs(), inputs_.end());
  feeds.insert(feeds.end(), saved_.begin(), saved_.begin() + fn_->num_random());
  std::vector<Tensor> r = second->Call(feeds);
  for (size_t k = 0; k < r.size(); ++k)
    if (const int leaf = fn_->second_leaves()[k]; wanted[leaf]) in[leaf] = r[k];
}

void SpentNode::Run(Tensor*, Tensor*, bool) {
  PD_THROW(
      Fatal,
      "[run_program] expected saved tensors, got none: backward ran through this graph before and freed them; pass "
      "retain_graph=True to the first call");
}

}  // namespace paddle::jit
