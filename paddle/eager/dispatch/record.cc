// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/record.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "paddle/common/dtype_error.h"
#include "paddle/common/op_traits.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/eager/dispatch/recorded_rules.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/eager/dispatch/selected_rows.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"

namespace egr {
namespace {

common::SourceId (*g_user_source)() = nullptr;

pir::Type TypeOf(const phi::Meta& m) { return pir::DenseTensorType::Get(m.dtype, m.dims); }

constexpr int kIndexBits = 32;
uint64_t IdOf(const Tensor& t) { return reinterpret_cast<uint64_t>(t->value) >> kIndexBits; }

std::string PirName(std::string_view op) { return "pd_op." + std::string(op); }

const pir::OpInfo* InfoOf(const phi::OpDef& op) {
  static auto* infos = [] {
    auto* m = new std::unordered_map<const phi::OpDef*, const pir::OpInfo*>;
    for (auto& [name, def] : phi::AllOpDefs())
      if (const pir::OpInfo* info = pir::FindOp(PirName(name))) (*m)[def] = info;
    return m;
  }();
  auto it = infos->find(&op);
  if (it != infos->end()) return it->second;
  return pir::FindOp(op.dialect() + std::string(op.name));  // registered later: operators of users
}

// Whether an argument is known only when the program runs.
bool AnyDeferred(const phi::OpDef& op, const phi::AttrValue* attrs) {
  return std::any_of(attrs, attrs + op.attrs.size(), HasDeferred);
}

// A shape argument with fewer extents to find out at run time: one of a reshape can be inferred, others are kept.
void Simplify(const Recorder& r, const phi::OpDef& op, const phi::InSlot* in, phi::AttrValue& shape) {
  const common::Movement movement = common::TraitsOf(op.name).movement;
  const bool expand = movement == common::Movement::kExpand;
  if (!(expand || movement == common::Movement::kExtents) || !in[0].n) return;
  auto& list = std::get<phi::IntArray>(shape);
  const common::Dims x = in[0].p[0].extents();
  const int64_t lead = expand ? list.size() - x.size() : 0;
  int64_t open = -1, unknown = 0;
  for (int64_t i = 0; i < list.size(); ++i) {
    const phi::Int v = list[i];
    if (v.is(-1)) ++unknown;
    if (v.known()) continue;
    const int64_t k = i - lead;
    if (k >= 0 && k < x.size() && common::SameDim(r.ExtentFor(v), x[k])) {
      list.set(i, expand ? -1 : 0);
      continue;
    }
    ++unknown;
    if (v.kind() == phi::Int::kExtent) open = i;  // a number of the user's may be below zero
  }
  if (!expand && unknown == 1 && open >= 0) list.set(open, -1);
}

// The number that elements of the dtype hold: integers that do not fit wrap around, as in eager mode.
phi::Scalar AsElement(const phi::Scalar& number, phi::DataType dtype) {
  if (!number.is_integral() || !phi::IsInteger(dtype)) return number;
  return phi::ScalarOf(phi::FullLike({}, dtype, number));
}

bool InUse(const pir::Program& program, const std::string& name) { return program.parameter(name) != nullptr; }

}  // namespace

Recorder::Recorder(pir::Program* program) : program_(program), builder_(program) {
  static std::atomic<uint64_t> next{1};
  id_ = next++;
}

Recorder::~Recorder() = default;

size_t Recorder::IndexOf(const Tensor& t) {
  return reinterpret_cast<uint64_t>(t->value) & ((uint64_t{1} << kIndexBits) - 1);
}

bool Recorder::Knows(const Tensor& t) const { return t->value && IdOf(t) == id_; }

pir::Block* Recorder::source_of(pir::Block* block) const {
  auto it = sources_.find(block);
  return it == sources_.end() ? nullptr : it->second;
}

void Recorder::Forget(size_t mark) {
  for (size_t i = mark; i < values_.size(); ++i) values_[i] = {};
}

void Recorder::BeforeWrite(const Tensor& t) {
  if (frames_.empty()) return;
  RegionFrame& f = *frames_.back();
  if (f.written_index.count(t.impl())) return;
  if (!f.all_written && Knows(t) && IsInside(values_[IndexOf(t)], f.block)) return;
  f.written_index[t.impl()] = f.written.size();
  f.written.push_back({t, CellState(t)});
}

void Recorder::Use(const Tensor& t, pir::Value v) {
  PD_CHECK(v, PreconditionNotMet, "expected a value of the program, got one of a branch that was recorded anew");
  pir::Block* home = v.block();
  if (home == builder_.block()) return;
  bool gradient = false;
  for (RegionFrame* f : frames_) gradient = gradient || f->source;
  PD_CHECK(gradient || IsVisible(v, builder_.block()), PreconditionNotMet,
           "expected a value that is known here, got one that only exists inside a branch or loop body: return it from "
           "there");
  if (!NeedsGrad(t)) return;
  for (auto it = frames_.rbegin(); it != frames_.rend() && !IsInside(v, (*it)->block); ++it) {
    if (!IsVisible(v, (*it)->block)) continue;
    Edge e = GradEdge(t);
    GradNode* node = e.node.get();
    (*it)->uses.try_emplace({node, e.slot}, OuterUse{std::move(e), v});
  }
}

Tensor Recorder::Wrap(pir::Value v) {
  Tensor t(phi::TensorState::Symbolic(v.dims(), v.dtype()));
  values_.push_back(v);
  t->value = reinterpret_cast<void*>((id_ << kIndexBits) | (values_.size() - 1));
  constexpr size_t kBearers = 8;
  for (const common::Dim& d : t->symbolic_dims()) {
    if (d.known()) continue;
    std::vector<size_t>& places = bearers_[d.raw()].values;
    if (places.size() < kBearers) places.push_back(values_.size() - 1);
  }
  return t;
}

pir::Operation* Recorder::Create(const pir::OpInfo* info, const std::vector<pir::Value>& operands,
                                 pir::AttributeMap attrs, const std::vector<pir::Type>& types, bool differentiable) {
  pir::Operation* op = builder_.Create(info, operands, std::move(attrs), types);
  for (int i = 0; i < op->num_results(); ++i) {
    pir::Value v = op->result(i);
    if (!v.type()) continue;
    bool floating = v.type().is_vector() || phi::IsDifferentiable(v.dtype());
    v.set_stop_gradient(!(differentiable && floating));
  }
  return op;
}

pir::Value Recorder::MakeData(const std::string& name, const phi::Meta& meta) {
  pir::Value v = pir::BuildData(builder_, name, TypeOf(meta));
  v.set_name(name);
  v.set_stop_gradient(true);
  return v;
}

Tensor Recorder::Data(const std::string& name, const phi::Meta& meta) {
  Tensor t = Wrap(MakeData(name, meta));
  inputs_.push_back({t, values_.back()});
  return t;
}

void Recorder::SyncFlags() {
  for (auto& [t, v] : inputs_) v.set_stop_gradient(t.stop_gradient());
}

pir::Value Recorder::Capture(const Tensor& t) {
  auto it = captured_index_.find(t.impl());
  if (it != captured_index_.end()) return captured_[it->second].value;
  PD_CHECK(t->kind() == phi::ImplKind::kDense, Unimplemented,
           "[record] expected a dense tensor, got one of another kind");
  AutogradMeta* m = MaybeMeta(t);
  std::string name = m && !m->name.empty() ? m->name : "captured_" + std::to_string(captured_.size());
  for (std::string base = name; InUse(*program_, name);) name = base + "_" + std::to_string(captured_.size());
  pir::Builder::Guard guard(builder_);
  builder_.SetToStart(&program_->block());
  pir::Value v = pir::BuildParameter(builder_, name, TypeOf(t.meta()), t.requires_grad());
  v.set_stop_gradient(t.stop_gradient());
  v.set_persistable(true);
  v.set_name(name);
  program_->set_parameter(name, std::make_shared<Tensor>(t));
  captured_index_[t.impl()] = captured_.size();
  captured_.push_back({t, v, name});
  return v;
}

pir::Value Recorder::ValueOf(const Tensor& t) {
  if (!t.defined()) return {};
  if (Knows(t)) {
    pir::Value v = values_[IndexOf(t)];
    Use(t, v);
    return v;
  }
  RequireFilled(t, "record");
  PD_CHECK(!t.is_symbolic(), PreconditionNotMet,
           "expected a value of the program being recorded, got one of another program");
  pir::Value v = Capture(t);
  Use(t, v);
  return v;
}

pir::Value Recorder::AttrOperand(const phi::AttrValue& v) {
  if (HasDeferred(v)) return DeferredOperand(v);
  pir::Value made;
  if (auto* list = std::get_if<phi::IntArray>(&v)) {
    made = pir::BuildIntegers(builder_, list->numbers());
  } else {
    const phi::Scalar s = std::get<phi::Scalar>(v);
    PD_CHECK(!phi::IsComplex(s.dtype()), Unimplemented, "[record] expected a real scalar argument, got a complex one");
    const phi::DataType dtype = s.dtype() == phi::DataType::FLOAT64 ? phi::DataType::FLOAT32 : s.dtype();
    made = pir::BuildNumber(builder_, pir::Attribute::Number(s), dtype);
  }
  made.set_stop_gradient(true);
  return made;
}

pir::Value Recorder::Expand(pir::Value v, const common::Dims& dims, pir::Value same, bool differentiable) {
  pir::Type type = pir::DenseTensorType::Get(v.type().dtype(), dims);
  if (same && !common::AllKnown(dims)) {
    std::vector<pir::Attribute> visible;
    for (common::Dim d : dims) visible.push_back(pir::Attribute::Int32(static_cast<int32_t>(d.visible())));
    pir::AttributeMap attrs;
    attrs.Set("target_shape", pir::Attribute::Array(std::move(visible)));
    return Create(pir::KnownOp(pir::pd::kExpandAs), {v, same}, std::move(attrs), {type}, differentiable)->result(0);
  }
  phi::IntArray shape(dims);
  const int64_t lead = dims.size() - v.dims().size();
  for (int64_t i = lead; i < dims.size(); ++i)
    if (!dims[i].known() && common::SameDim(dims[i], v.dims()[i - lead])) shape.set(i, -1);
  return Create(pir::KnownOp(pir::pd::kExpand), {v, AttrOperand(shape)}, {}, {type}, differentiable)->result(0);
}

void SetUserSource(common::SourceId (*find)()) { g_user_source = find; }

pir::Builder::SourceGuard Recorder::AtUserLine() {
  const common::SourceId given = builder_.source();
  return {builder_, given || !g_user_source ? given : g_user_source()};
}

// The shape rule of a recorded call. What it has no kernel for is a dtype.
static void InferRecorded(const phi::OpDef& op, const phi::MetaSlot* in, const phi::AttrValue* attrs,
                          std::vector<phi::Meta>* outs) {
  try {
    op.Infer(in, attrs, outs);
  } catch (const common::Error& e) {
    if (e.code() != common::ErrorCode::kUnimplemented) throw;
    throw common::DtypeError(e.code(), e.what());
  }
}

void Recorder::RecordAgain(const phi::OpDef& op, const phi::InSlot* in, phi::OutSlot* outs) {
  pir::Operation* made = std::exchange(again_, nullptr);
  for (size_t i = 0; i < op.tensors.size() && !frames_.empty(); ++i)
    for (int k = 0; k < in[i].n; ++k) ValueOf(in[i].p[k]);  // notes what the regions use
  PD_CHECK(made->info() == InfoOf(op) && made->num_results() == static_cast<int>(op.outs.size()), Unimplemented,
           "[gradients] expected ", made->name(), " to be called as it was recorded, got ", op.name);
  for (int k = 0; k < made->num_results(); ++k) {
    const pir::Value v = made->result(k);
    if (outs[k].list) {
      pir::Operation* split = nullptr;
      for (pir::OpOperand* u = v.first_use(); u && !split; u = u->next_use())
        if (u->owner()->isa("builtin.split")) split = u->owner();
      PD_CHECK(split, Unimplemented, "[gradients] expected a list whose members are read, got that of ", made->name());
      outs[k].list->clear();
      for (int i = 0; i < split->num_results(); ++i) outs[k].list->push_back(Wrap(split->result(i)));
    } else if (outs[k].p && v.type()) {
      *outs[k].p = Wrap(v);
    }
  }
}

struct Recorder::Operands {
  std::vector<pir::Value> values;
  std::vector<std::vector<phi::Meta>> metas;  // of the tensor arguments
  bool differentiable = false;
};

Recorder::Operands Recorder::OperandsOf(const phi::OpDef& op, const phi::InSlot* in) {
  Operands r;
  r.metas.resize(op.tensors.size());
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    bool needs = false;
    PD_CHECK(op.tensors[i]->kind != phi::ArgDef::kTensor || (in[i].n && in[i].p[0].defined()), InvalidArgument, "[",
             op.name, "] expected a tensor ", op.tensors[i]->name, ", got none");
    for (int k = 0; k < in[i].n; ++k)
      if (in[i].p[k].defined()) {
        r.metas[i].push_back(in[i].p[k].meta());
        needs = needs || (State().grad_enabled && NeedsGrad(in[i].p[k]));
      }
    r.differentiable = r.differentiable || needs;
    if (op.tensors[i]->kind == phi::ArgDef::kTensorList) {
      std::vector<pir::Value> items;
      std::vector<pir::Type> types;
      for (int k = 0; k < in[i].n; ++k) {
        items.push_back(ValueOf(in[i].p[k]));
        types.push_back(items.back().type());
      }
      r.values.push_back(
          Create(pir::KnownOp("builtin.combine"), items, {}, {pir::VectorType::Get(types)}, needs)->result(0));
    } else {
      r.values.push_back(in[i].n && in[i].p[0].defined() ? ValueOf(in[i].p[0]) : pir::Value());
    }
  }
  return r;
}

std::vector<std::vector<phi::Meta>> Recorder::ResultsOf(const phi::OpDef& op, const Operands& in,
                                                        const phi::AttrValue* attrs, const phi::OutSlot* outs) const {
  std::vector<phi::MetaSlot> slots;
  for (const auto& metas : in.metas) slots.push_back({metas.data(), static_cast<int>(metas.size())});
  std::vector<std::vector<phi::Meta>> made(op.outs.size());
  if (AnyDeferred(op, attrs)) {
    std::vector<phi::AttrValue> given;
    for (size_t a = 0; a < op.attrs.size(); ++a) given.push_back(ForRule(attrs[a]));
    InferRecorded(op, slots.data(), given.data(), made.data());
  } else {
    InferRecorded(op, slots.data(), attrs, made.data());
  }
  for (size_t k = 0; k < op.outs.size(); ++k) {
    const phi::OutDef& o = op.outs[k];
    if (made[k].empty() && o.same_as_input)
      for (size_t i = 0; i < op.tensors.size(); ++i)
        if (std::string_view(op.tensors[i]->name) == o.same_as_input) made[k] = in.metas[i];
    const bool may_be_absent = o.same_as_input || o.optional || o.variadic || !outs[k].p;
    PD_CHECK(!made[k].empty() || may_be_absent, Unimplemented, "[", op.name,
             "] expected an op with a shape rule, got one that cannot be recorded");
  }
  return made;
}

void Recorder::BroadcastOperands(Operands& in, const common::Dims& dims) {
  auto fits = [&](pir::Value v) { return v && common::SameDims(v.type().dims(), dims); };
  const auto same = std::find_if(in.values.begin(), in.values.end(), fits);
  const pir::Value like = same == in.values.end() ? pir::Value() : *same;
  for (pir::Value& v : in.values)
    if (v && !fits(v)) v = Expand(v, dims, like, in.differentiable);
}

pir::AttributeMap Recorder::AttributesOf(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs,
                                         const std::vector<std::vector<phi::Meta>>& made, Operands& operands) {
  const bool filled = pir::IsFull(op.name);
  pir::AttributeMap map;
  for (size_t a = 0; a < op.attrs.size(); ++a) {
    const phi::ArgDef& d = *op.attrs[a];
    if (d.kind == phi::ArgDef::kOperandAttr) {
      phi::AttrValue value = attrs[a];
      if (HasDeferred(value) && d.name == std::string_view("shape")) Simplify(*this, op, in, value);
      operands.values.push_back(AttrOperand(value));
      continue;
    }
    const auto* number = std::get_if<phi::Scalar>(&attrs[a]);
    pir::Attribute attr = number ? pir::Attribute::Number(filled ? AsElement(*number, made[0][0].dtype) : *number)
                                 : pir::Attribute::From(attrs[a]);
    if (attrs[a].index() != d.attr_index && attr)
      attr = pir::Attribute::From(attr.value(static_cast<pir::AttrCode>(d.attr_index)));
    map.Set(d.name, attr);
  }
  return map;
}

void Recorder::GiveResults(pir::Operation* made, const std::vector<std::vector<phi::Meta>>& metas, bool differentiable,
                           phi::OutSlot* outs) {
  for (size_t k = 0; k < metas.size(); ++k) {
    const pir::Value v = made->result(static_cast<int>(k));
    if (outs[k].list) {
      std::vector<pir::Type> items;
      for (auto& m : metas[k]) items.push_back(TypeOf(m));
      pir::Operation* split = Create(pir::KnownOp("builtin.split"), {v}, {}, items, differentiable);
      outs[k].list->clear();
      for (size_t i = 0; i < items.size(); ++i) outs[k].list->push_back(Wrap(split->result(static_cast<int>(i))));
    } else if (outs[k].p && v.type()) {
      *outs[k].p = Wrap(v);
    }
  }
}

void Recorder::Record(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  if (again_) return RecordAgain(op, in, outs);
  const pir::Builder::SourceGuard at = AtUserLine();
  const pir::OpInfo* info = InfoOf(op);
  PD_ASSERT(info != nullptr);
  const bool deferred = AnyDeferred(op, attrs);
  const RecordedRules* rules = RecordedRulesOf(op);
  if (rules && rules->others) {
    if (const Tensor whole = rules->others({*this, op, in, attrs, deferred}); whole.defined()) {
      *outs[0].p = whole;
      return;
    }
  }
  for (size_t a = 0; deferred && a < op.attrs.size(); ++a)
    PD_CHECK(op.attrs[a]->kind == phi::ArgDef::kOperandAttr || !HasDeferred(attrs[a]), InvalidType, "[", op.name,
             "] expected '", op.attrs[a]->name, "' to be known while recording, got a tensor that is being recorded");
  Operands operands = OperandsOf(op, in);
  const std::vector<std::vector<phi::Meta>> metas = ResultsOf(op, operands, attrs, outs);
  if (rules && rules->broadcast && metas[0].size() == 1) BroadcastOperands(operands, metas[0][0].dims);
  pir::AttributeMap map = AttributesOf(op, in, attrs, metas, operands);
  std::vector<pir::Type> types;
  for (size_t k = 0; k < op.outs.size(); ++k) {
    std::vector<pir::Type> items;
    for (auto& m : metas[k]) items.push_back(TypeOf(m));
    const bool absent = metas[k].empty() || metas[k][0].dtype == phi::DataType::UNDEFINED;
    types.push_back(op.outs[k].variadic ? pir::VectorType::Get(items) : absent ? pir::Type() : items[0]);
  }
  pir::Operation* made = Create(info, operands.values, std::move(map), types, operands.differentiable);
  GiveResults(made, metas, operands.differentiable, outs);
  if (op.flags & phi::kOpView) MarkRecordedViews(op, in, attrs, outs);
}

void RecordOp(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs) {
  DispatchState& s = State();
  for (size_t i = 0; i < op.tensors.size(); ++i)
    for (int k = 0; k < in[i].n; ++k) RequireFilled(in[i].p[k], op.name);
  if (s.record == RecordMode::kRun && AnyRows(op, in)) return RunOnRows(op, in, attrs, outs);
  PD_CHECK(s.record != RecordMode::kRun, InvalidArgument, "[", op.name,
           "] expected tensors with data where nothing is being recorded, got a value of a program");
  PD_ASSERT(s.recorder != nullptr);
  s.recorder->Record(op, in, attrs, outs);
}

}  // namespace egr
