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

phi::DataType UpdateRule::TypeOf(int slot) const {
  if (slot < 0) return RoomOf(slot).dtype;
  const phi::Tensor* t = TensorOf(slot);
  PD_CHECK(t, Unimplemented, "an operand that is absent");
  return t->dtype();
}
int UpdateRule::ElementSlot(std::string_view name) const {
  if (name == "param" && TensorOf(SlotOf(kMaster))) return SlotOf(kMaster);
  for (size_t r = 0; r < rooms_.size(); ++r)
    if (rooms_[r].name == name) return -1 - static_cast<int>(r);
  return SlotOf(name);
}
int UpdateRule::AddRoom(Room room) {
  rooms_.push_back(std::move(room));
  return -static_cast<int>(rooms_.size());
}

Expr UpdateRule::Read(int slot, int element, bool whole) {
  const phi::DataType type = TypeOf(slot);
  size_t k = 0;
  while (k < inputs_.size() && (inputs_[k].slot != slot || inputs_[k].element != element)) ++k;
  if (k == inputs_.size()) {
    inputs_.push_back({slot, element});
    GroupInput input;
    input.dtype = type;
    if (!whole) input.real = {false};
    kinds_.push_back(input);
  }
  return Expr::Input(static_cast<int>(k), type);
}
Expr UpdateRule::Element(const char* tensor) { return cast(Read(ElementSlot(tensor), 0, true), type_); }
Expr UpdateRule::Held(const char* tensor, int k) {
  return cast(Read(SlotOf(tensor), k, false), phi::DataType::FLOAT64);
}
Expr UpdateRule::Norm(const char* tensor) {
  const int slot = ElementSlot(tensor), to = AddRoom({"", phi::DataType::FLOAT64, false});
  FusionGroup g;
  g.reduced.add(0);
  g.inputs.emplace_back().dtype = TypeOf(slot);
  const Expr x = cast(Expr::Input(0, TypeOf(slot)), phi::DataType::FLOAT64);
  g.reductions.push_back({ReduceKind::kSum, x * x});
  g.outputs.push_back({sqrt(Expr::Reduced(0, phi::DataType::FLOAT64)), phi::DataType::FLOAT64, true});
  phases_.back().norms.push_back({slot, to, GroupForGpus(g, text_)});
  return Read(to, 0, false);
}

void UpdateRule::SetElement(const char* tensor, const Expr& value) {
  if (!value.defined()) return;
  Phase& phase = phases_.back();
  const auto put = [&](int slot) {
    if (slot >= 0 && !TensorOf(slot)) return;
    phase.group.outputs.push_back({value, TypeOf(slot)});
    phase.to.push_back(slot);
  };
  const int slot = SlotOf(tensor);
  put(slot >= 0 ? slot : AddRoom({tensor, type_, true}));
  if (std::string_view(tensor) == "param" && SlotOf(kMaster) >= 0) put(SlotOf(kMaster));
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
  rule->text_ = text;
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
  for (Phase& phase : rule->phases_) {
    phase.group.inputs = rule->kinds_;
    phase.kernel = GroupForGpus(phase.group, text);
  }
  rule->numbers_.inputs = rule->kinds_;
  if (!rule->numbers_.outputs.empty()) rule->number_kernel_ = GroupForGpus(rule->numbers_, text);
  rule->in_ = nullptr;
  rule->attrs_ = nullptr;
  return rule;
}

bool UpdateRule::Run(const phi::OpDef& op, const phi::InSlot* in, phi::OutSlot* outs, phi::Place place) const {
  // What is written is there, and without gaps; a number may come from the host.
  const auto in_place = [&](const std::vector<int>& slots) {
    return std::all_of(slots.begin(), slots.end(), [&](int slot) {
      return slot < 0 || (in[slot].p->place() == place && in[slot].p->is_contiguous());
    });
  };
  if (!in_place(numbers_to_)) return false;
  for (const Phase& phase : phases_)
    if (!in_place(phase.to)) return false;
  const int64_t n = in[SlotOf("param")].p->numel(), one = 1;
  std::vector<phi::Ref<phi::Storage>> rooms;
  for (const Room& r : rooms_)
    rooms.push_back(phi::AllocateOnDevice(
        static_cast<size_t>(std::max<int64_t>(r.whole ? n : 1, 1) * phi::SizeOf(r.dtype)), place));
  const auto at = [&](int slot) {
    return slot < 0 ? rooms[static_cast<size_t>(-slot - 1)]->data() : in[slot].p->raw_data();
  };
  std::vector<phi::Tensor> held;
  std::vector<void*> from, to;
  for (const Input& input : inputs_) {
    if (input.slot < 0) {
      from.push_back(at(input.slot));
      continue;
    }
    held.push_back(phi::Contiguous(phi::ToPlace(*in[input.slot].p, place)));
    const phi::Tensor& t = held.back();
    if (t.numel() <= input.element && t.numel()) return false;
    from.push_back(static_cast<char*>(t.raw_data()) + input.element * phi::SizeOf(t.dtype()));
  }
  for (const Phase& phase : phases_) {
    for (const NormOf& norm : phase.norms) {
      void *const source = at(norm.slot), *const result = at(norm.to);
      norm.kernel->Run(place, &source, &result, &n, nullptr, nullptr);
    }
    to.clear();
    for (int slot : phase.to) to.push_back(at(slot));
    if (n) phase.kernel->Run(place, from.data(), to.data(), &n, nullptr, nullptr);
  }
  if (number_kernel_) {
    to.clear();
    for (int slot : numbers_to_) to.push_back(at(slot));
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
