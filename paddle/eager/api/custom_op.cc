// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/api/custom_op.h"

#include <utility>

#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"

namespace egr {
namespace {

using paddle::PlainGuard;
using phi::CustomOp;

int CountOf(const CustomValues& values) {
  size_t n = 0;
  for (const auto& list : values) n += list.size();
  return static_cast<int>(n);
}

// The gradients of one call: its gradient operator, called for the tensors and attributes it names.
class CustomGradNode final : public GradNode {
 public:
  CustomGradNode(const CustomOp& op, const CustomValues& inputs, const std::vector<phi::AttrValue>& attrs)
      : op_(op), saved_(op.grad->inputs.size()) {
    size_t next = 0;
    for (const auto& list : inputs) {
      first_input_.push_back(next);
      next += list.size();
    }
    for (size_t g = 0; g < saved_.size(); ++g)
      if (const int i = op.InputIndex(op.grad->inputs[g].name); i >= 0 && !op.IsWritten(i))
        for (const Tensor& t : inputs[i]) saved_[g].emplace_back().SaveInput(t);
    for (const CustomOp::Attr& a : op.grad->attrs) attrs_.push_back(attrs[op.AttrIndex(a.name)]);
  }

  // To be called once the outputs have this node. Of an input that was written over, gradients read what it is now.
  void SaveOutputs(const CustomValues& outputs) {
    for (size_t g = 0; g < saved_.size(); ++g) {
      const std::string& name = op_.grad->inputs[g].name;
      const int i = op_.InputIndex(name);
      if (i >= 0 && !op_.IsWritten(i)) continue;
      if (const int k = i < 0 ? op_.OutputIndex(name) : op_.OutputOver(i); k >= 0)
        for (const Tensor& t : outputs[k]) saved_[g].emplace_back().SaveOutput(t);
    }
    for (const auto& list : outputs) {
      metas_.emplace_back(list.size());
      for (size_t j = 0; j < list.size(); ++j) metas_.back()[j].SaveMeta(list[j]);
    }
  }

  const char* name() const override { return op_.grad->name.c_str(); }

  void Run(Tensor* grads, Tensor* in, bool create_graph) override {
    CustomValues given(saved_.size());
    for (size_t g = 0; g < saved_.size(); ++g) {
      const std::string& name = op_.grad->inputs[g].name;
      for (const SavedTensor& t : saved_[g]) given[g].push_back(t.Get(this, op_.name.c_str(), name.c_str()));
      if (op_.InputIndex(name) >= 0 || op_.OutputIndex(name) >= 0) continue;
      const int k = op_.OutputIndex(phi::PrimalName(name));
      int slot = 0;
      for (int before = 0; before < k; ++before) slot += static_cast<int>(metas_[before].size());
      for (const SavedTensor& t : metas_[k]) given[g].push_back(paddle::GradOrZeros(grads[slot++], t.meta()));
    }
    const GradModeGuard mode(create_graph);
    const CustomValues made = CallCustomOp(*op_.grad, given, attrs_);
    for (size_t k = 0; k < made.size(); ++k) {
      const int i = op_.InputIndex(phi::PrimalName(op_.grad->outputs[k].name));
      for (size_t j = 0; j < made[k].size(); ++j) {
        const int slot = static_cast<int>(first_input_[i] + j);
        if (needs(slot)) in[slot] = made[k][j];
      }
    }
  }

  void ReleaseSaved() override {
    for (auto& list : saved_)
      for (SavedTensor& t : list) t.Reset();
  }
  void ForEachSaved(const SavedVisitor& visit) const override {
    for (const auto& list : saved_)
      for (const SavedTensor& t : list) visit(t);
  }

 private:
  const CustomOp& op_;
  std::vector<phi::AttrValue> attrs_;                    // of the gradient operator
  std::vector<std::vector<SavedTensor>> saved_, metas_;  // by input of the gradient operator; by output
  std::vector<size_t> first_input_;
};

// The results of one run, which are what they are written over, or of one record.
CustomValues Perform(const CustomOp& op, const CustomValues& inputs, const std::vector<phi::AttrValue>& attrs,
                     bool record) {
  std::vector<phi::InSlot> in;
  for (const auto& list : inputs) in.emplace_back(list);
  CustomValues outputs(op.outputs.size());
  std::vector<phi::OutSlot> out(op.outputs.size());
  for (size_t k = 0; k < out.size(); ++k) {
    const int written = op.WrittenInput(k);
    const bool absent = written >= 0 && inputs[written].empty();
    if (!op.outputs[k].list && !absent) outputs[k].resize(1);
    if (op.outputs[k].list)
      out[k] = phi::OutSlot(outputs[k]);
    else if (!absent)
      out[k] = phi::OutSlot(outputs[k][0]);
  }
  if (record) {
    RecordOp(*op.def, in.data(), attrs.data(), out.data());
  } else {
    const PlainGuard plain;
    op.Run(phi::ThreadContext(), in.data(), attrs.data(), out.data());
  }
  for (auto& list : outputs)
    if (list.size() == 1 && !list[0].defined()) list.clear();
  return outputs;
}

CustomValues WithHistory(const CustomOp& op, const CustomValues& inputs, const std::vector<phi::AttrValue>& attrs,
                         bool record) {
  bool need = false;
  for (const auto& list : inputs) need = need || paddle::AnyNeedsGrad(list);
  need = need && op.grad && State().grad_enabled;
  // While programs are recorded, what is written over is a result like any other.
  const bool write = !record && !op.inplace.empty();
  CustomValues before = inputs;
  if (write)
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t j = 0; need && op.IsWritten(i) && j < inputs[i].size(); ++j)
        before[i][j] = paddle::AliasWithHistory(inputs[i][j]);
  CustomValues outputs = Perform(op, inputs, attrs, record);
  Ref<CustomGradNode> node;
  if (need) {
    node = Ref<CustomGradNode>::First(new CustomGradNode(op, before, attrs));
    node->SetCounts(CountOf(before), CountOf(outputs));
    int i = 0;
    for (const auto& list : before)
      for (const Tensor& t : list) node->SetInput(i++, t);
  }
  int slot = 0;
  for (size_t k = 0; k < outputs.size(); ++k)
    for (Tensor& t : outputs[k]) {
      if (write && op.WrittenInput(k) >= 0)
        AfterInplace(t, node.get(), slot);
      else if (node && phi::IsDifferentiable(t.dtype()))
        node->SetOutput(slot, t);
      ++slot;
    }
  if (node) node->SaveOutputs(outputs);
  return outputs;
}

}  // namespace

CustomValues CallCustomOp(const CustomOp& op, const CustomValues& inputs, const std::vector<phi::AttrValue>& attrs) {
  bool record = State().record != RecordMode::kRun;
  for (const auto& list : inputs)
    for (const Tensor& t : list) {
      PD_CHECK(t.is_dense() || t.is_symbolic(), InvalidType, "[", op.name,
               "] expected dense tensors, got a sparse or distributed one");
      record = record || t.is_symbolic();
    }
  if (op.inplace.empty()) return WithHistory(op, inputs, attrs, record);
  if (!record) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (op.IsWritten(i))
        for (const Tensor& t : inputs[i]) BeforeInplace(t, op.name.c_str());
    return WithHistory(op, inputs, attrs, false);
  }
  CustomValues old = inputs, copies = inputs;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = 0; op.IsWritten(i) && j < inputs[i].size(); ++j) {
      old[i][j] = BeforeWrite(const_cast<Tensor&>(inputs[i][j]), op.name.c_str(), true);
      copies[i][j] = paddle::assign(old[i][j]);
    }
  CustomValues outputs = WithHistory(op, copies, attrs, true);
  for (size_t k = 0; k < outputs.size(); ++k)
    if (const int i = op.WrittenInput(k); i >= 0)
      for (size_t j = 0; j < outputs[k].size(); ++j) {
        Tensor x = inputs[i][j];
        WriteOver(x, old[i][j], outputs[k][j], op.name.c_str(), true);
        outputs[k][j] = x;
      }
  return outputs;
}

}  // namespace egr
