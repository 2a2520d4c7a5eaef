// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/update_rule.h"

#include <algorithm>
#include <map>

#include "paddle/cinn/gpu_group.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

struct Registered {
  UpdateFn fn;
  std::vector<const char*> numbers;
};
std::map<std::string_view, Registered>& Registry() {
  static auto& table = *new std::map<std::string_view, Registered>;
  return table;
}

constexpr std::string_view kMaster = "master_param", kSkip = "skip_update";

}  // namespace

void RegisterUpdate(const char* op, UpdateFn fn, std::vector<const char*> numbers) {
  Registry()[op] = {fn, std::move(numbers)};
}

int UpdateRule::SlotOf(std::string_view tensor) const {
  for (size_t i = 0; i < op_->tensors.size(); ++i)
    if (op_->tensors[i]->name == tensor) return static_cast<int>(i);
  return -1;
}
const phi::Tensor* UpdateRule::TensorOf(int slot) const {
  if (slot < 0 || !in_[slot].n || !in_[slot].p->defined()) return nullptr;
  return in_[slot].p;
}
const phi::AttrValue& UpdateRule::AttributeOf(const char* name) const {
  for (size_t a = 0; a < op_->attrs.size(); ++a)
    if (std::string_view(op_->attrs[a]->name) == name) return attrs_[a];
  PD_THROW(Internal, "[", op_->name, "] expected an attribute ", name, ", got none");
}
bool UpdateRule::Flag(const char* name) const { return phi::AttrAs<bool>(AttributeOf(name), op_->name, name); }
double UpdateRule::Number(const char* name) const {
  const phi::AttrValue& v = AttributeOf(name);
  if (const auto* s = std::get_if<phi::Scalar>(&v)) return s->to_double();
  return phi::AttrAs<double>(v, op_->name, name);
}
std::string UpdateRule::Text(const char* name) const {
  return phi::AttrAs<std::string>(AttributeOf(name), op_->name, name);
}

Expr UpdateRule::Read(int slot, int element, bool whole) {
  const phi::Tensor* t = TensorOf(slot);
  PD_CHECK(t, Unimplemented, "an operand that is absent");
  size_t k = 0;
  while (k < inputs_.size() && (inputs_[k].slot != slot || inputs_[k].element != element)) ++k;
  if (k == inputs_.size()) {
    inputs_.push_back({slot, element});
    GroupInput input;
    input.dtype = t->dtype();
    if (!whole) input.real = {false};
    elements_.inputs.push_back(input);
  }
  return Expr::Input(static_cast<int>(k), t->dtype());
}
Expr UpdateRule::Element(const char* tensor) {
  int slot = SlotOf(tensor);
  if (std::string_view(tensor) == "param" && TensorOf(SlotOf(kMaster))) slot = SlotOf(kMaster);
  return cast(Read(slot, 0, true), type_);
}
Expr UpdateRule::Held(const char* tensor, int k) {
  return cast(Read(SlotOf(tensor), k, false), phi::DataType::FLOAT64);
}

void UpdateRule::SetElement(const char* tensor, const Expr& value) {
  if (!value.defined()) return;
  const auto put = [&](int slot) {
    const phi::Tensor* t = TensorOf(slot);
    if (!t) return;
    elements_.outputs.push_back({value, t->dtype()});
    elements_to_.push_back(slot);
  };
  put(SlotOf(tensor));
  if (std::string_view(tensor) == "param") put(SlotOf(kMaster));
}
void UpdateRule::SetNumber(const char* tensor, const Expr& value) {
  const int slot = SlotOf(tensor);
  const phi::Tensor* t = TensorOf(slot);
  if (!t || !value.defined()) return;
  numbers_.outputs.push_back({value, t->dtype()});
  numbers_to_.push_back(slot);
}

std::shared_ptr<UpdateRule> UpdateRule::Make(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs,
                                             phi::KernelText text) {
  const auto found = Registry().find(op.name);
  if (found == Registry().end()) return nullptr;
  std::shared_ptr<UpdateRule> rule(new UpdateRule(op, in, attrs));
  const phi::Tensor* param = rule->TensorOf(rule->SlotOf("param"));
  if (!param || rule->TensorOf(rule->SlotOf(kSkip))) return nullptr;
  const auto& numbers = found->second.numbers;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const phi::Tensor* t = rule->TensorOf(static_cast<int>(i));
    if (!t) continue;
    const bool number = std::any_of(numbers.begin(), numbers.end(),
                                    [&](const char* n) { return std::string_view(n) == op.tensors[i]->name; });
    if (!t->is_dense() || !t->initialized() || phi::IsComplex(t->dtype()) || phi::IsFloat8(t->dtype())) return nullptr;
    if (number ? t->numel() < 1 : t->dims() != param->dims() || !phi::IsFloating(t->dtype())) return nullptr;
  }
  const phi::Tensor* master = rule->TensorOf(rule->SlotOf(kMaster));
  rule->type_ = phi::ComputeType((master ? master : param)->dtype());
  found->second.fn(*rule);
  rule->numbers_.inputs = rule->elements_.inputs;
  rule->element_kernel_ = GroupForGpus(rule->elements_, text);
  if (!rule->numbers_.outputs.empty()) rule->number_kernel_ = GroupForGpus(rule->numbers_, text);
  rule->in_ = nullptr;
  rule->attrs_ = nullptr;
  return rule;
}

bool UpdateRule::Run(const phi::OpDef& op, const phi::InSlot* in, phi::OutSlot* outs, phi::Place place) const {
  // What is written is there, and without gaps; a number may come from the host.
  for (const std::vector<int>* slots : {&elements_to_, &numbers_to_})
    for (int slot : *slots)
      if (in[slot].p->place() != place || !in[slot].p->is_contiguous()) return false;
  std::vector<phi::Tensor> held;
  std::vector<void*> from, to;
  for (const Input& input : inputs_) {
    held.push_back(phi::Contiguous(phi::ToPlace(*in[input.slot].p, place)));
    const phi::Tensor& t = held.back();
    if (t.numel() <= input.element && t.numel()) return false;
    from.push_back(static_cast<char*>(t.raw_data()) + input.element * phi::SizeOf(t.dtype()));
  }
  const int64_t n = in[elements_to_[0]].p->numel(), one = 1;
  for (int slot : elements_to_) to.push_back(in[slot].p->raw_data());
  if (n) element_kernel_->Run(place, from.data(), to.data(), &n, nullptr, nullptr);
  if (number_kernel_) {
    to.clear();
    for (int slot : numbers_to_) to.push_back(in[slot].p->raw_data());
    number_kernel_->Run(place, from.data(), to.data(), &one, nullptr, nullptr);
  }
  for (size_t k = 0; k < op.outs.size(); ++k)
    if (outs[k].p)
      for (size_t i = 0; i < op.tensors.size(); ++i)
        if (op.outs[k].same_as_input && std::string_view(op.tensors[i]->name) == op.outs[k].same_as_input && in[i].n)
          *outs[k].p = *in[i].p;
  return true;
}

}  // namespace cinn
