// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/deferred.h"

#include <algorithm>
#include <optional>

#include "paddle/common/op_traits.h"
#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/eager/dispatch/unfilled.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pir/dialect/numbers.h"

namespace egr {
namespace {

struct NoGrad {
  bool old = State().grad_enabled;
  NoGrad() { State().grad_enabled = false; }
  ~NoGrad() { State().grad_enabled = old; }
};

std::optional<common::Dim> FindExtent(pir::Value v, int64_t i);

// Of what takes a part of a list, where it begins.
std::optional<common::Dim> ExtentOfPart(const pir::Operation& op, int64_t i) {
  const pir::Value x = op.operand(0);
  const pir::Operation* starts = pir::FullIntArrayBehind(op.operand(1));
  if (!starts || x.dims().size() != 1 || !x.dims()[0].known() || op.info()->input_index("strides") >= 0)
    return std::nullopt;
  const common::Ints start = starts->attr("value").to_ints();
  const int64_t n = x.dims()[0].value();
  if (start.size() != 1) return std::nullopt;
  return FindExtent(x, i + std::clamp<int64_t>(start[0] < 0 ? start[0] + n : start[0], 0, n));
}

std::optional<common::Dim> ExtentOfStack(const pir::Operation& op, int64_t i) {
  const pir::Operation* list = op.operand(0).defining_op();
  if (!list || !list->isa("builtin.combine") || i >= list->num_operands()) return std::nullopt;
  const pir::Value item = list->operand(static_cast<int>(i));
  return item.dims().empty() ? FindExtent(item, 0) : std::nullopt;
}

std::optional<common::Dim> Calculated(const pir::Operation& op, common::Calculation calculation) {
  const std::optional<common::Dim> a = FindExtent(op.operand(0), 0), b = FindExtent(op.operand(1), 0);
  if (!a || !b) return std::nullopt;
  switch (calculation) {
    case common::Calculation::kSum: return *a + *b;
    case common::Calculation::kProduct: return *a * *b;
    case common::Calculation::kQuotient: return common::Div(*a, *b);
    default: break;
  }
  if (a->known() && b->known()) return std::nullopt;  // a known difference may be below zero, which is no extent
  return common::Sub(*a, *b);
}

// The extent that element `i` of an integer value is, where the program tells.
std::optional<common::Dim> FindExtent(pir::Value v, int64_t i) {
  if (auto* op = pir::FullBehind(v)) {
    const int64_t value = op->attr("value").to_int();
    return value >= 0 ? std::optional(common::Dim(value)) : std::nullopt;
  }
  if (auto* op = pir::FullIntArrayBehind(v)) {
    const common::Ints values = op->attr("value").to_ints();
    return i < values.size() && values[i] >= 0 ? std::optional(common::Dim(values[i])) : std::nullopt;
  }
  const pir::Operation* maker = v.defining_op();
  if (!maker) return std::nullopt;
  const common::OpTraits& traits = common::TraitsOf(maker->name());
  switch (traits.movement) {
    case common::Movement::kExtents: return FindExtent(maker->operand(0), i);
    case common::Movement::kSlice: return ExtentOfPart(*maker, i);
    case common::Movement::kStack: return ExtentOfStack(*maker, i);
    default: break;
  }
  switch (traits.calculation) {
    case common::Calculation::kNone: return std::nullopt;
    case common::Calculation::kShape: {
      const common::Dims& dims = maker->operand(0).dims();
      return i < dims.size() ? std::optional(dims[i]) : std::nullopt;
    }
    case common::Calculation::kCast:
      if (v.dtype() != phi::DataType::INT64 && v.dtype() != phi::DataType::INT32) return std::nullopt;
      [[fallthrough]];
    case common::Calculation::kSame: return FindExtent(maker->operand(0), i);
    default: return v.dims().empty() ? Calculated(*maker, traits.calculation) : std::nullopt;
  }
}

}  // namespace

bool HasDeferred(const phi::AttrValue& v) {
  if (auto* list = std::get_if<phi::IntArray>(&v)) return !list->known();
  if (auto* s = std::get_if<phi::Scalar>(&v)) return !s->known();
  return false;
}

phi::RecordedElement Defer(const Tensor& t, int64_t i) {
  DispatchState& s = State();
  RequireFilled(t, "record");
  PD_CHECK(s.recorder != nullptr && s.record == RecordMode::kRecord, PreconditionNotMet,
           "expected a tensor with data where nothing is being recorded, got a value of a program");
  return s.recorder->Defer(t, i);
}

phi::RecordedElement Recorder::Defer(const Tensor& t, int64_t i) {
  PD_CHECK(Knows(t), PreconditionNotMet, "expected a value of the program being recorded, got one of another program");
  size_t at = deferred_.size();
  for (size_t k = 0; k < at; ++k)
    if (deferred_[k].tensor->value == t->value && deferred_[k].element == i) at = k;
  if (at == deferred_.size()) {
    Tensor plain(phi::TensorState::Symbolic(t.extents(), t.dtype()));
    plain->value = t->value;
    deferred_.push_back({plain, i, ExtentIn(ValueOf(t), i)});
  }
  return {static_cast<uint32_t>(id_), static_cast<uint32_t>(at)};
}

const Recorder::Deferred& Recorder::At(phi::RecordedElement e) const {
  PD_CHECK(e.recorder == static_cast<uint32_t>(id_) && e.index < deferred_.size(), PreconditionNotMet,
           "expected a value of the program being recorded, got one of another program");
  return deferred_[e.index];
}

common::Dim Recorder::ExtentFor(phi::Int v) const {
  return v.kind() == phi::Int::kElement ? At(v.element()).extent : v.extent();
}

Recorder::Deferred Recorder::deferred(phi::Int v) {
  if (v.kind() == phi::Int::kElement) return At(v.element());
  return {ExtentTensor(v.extent()), 0, v.extent()};
}

phi::AttrValue Recorder::ForRule(const phi::AttrValue& v) const {
  if (auto* list = std::get_if<phi::IntArray>(&v); list && !list->known()) {
    phi::IntArray r;
    for (int64_t i = 0; i < list->size(); ++i)
      r.push_back((*list)[i].known() ? (*list)[i] : phi::Int(ExtentFor((*list)[i])));
    return r;
  }
  if (auto* s = std::get_if<phi::Scalar>(&v); s && !s->known() && s->is_integral())
    return phi::Scalar(ExtentFor(s->integer()));
  return v;
}

bool Recorder::Reaches(pir::Value v) const {
  if (!v) return false;
  if (IsVisible(v, builder_.block())) return true;
  for (RegionFrame* f : frames_)
    for (pir::Block* s = f->source; s; s = source_of(s))
      if (v.block() == s) return true;
  return false;
}

Tensor Recorder::ExtentTensor(common::Dim d) {
  NoGrad guard;
  if (d.known())
    return paddle::full({}, phi::Scalar(d.raw()), phi::DataType::INT64, phi::Place{phi::AllocationType::CPU, 0, 0});
  auto made = [&](const Tensor& t) {
    bearers_[d.raw()].extents.push_back(IndexOf(t));
    return t;
  };
  if (auto it = bearers_.find(d.raw()); it != bearers_.end()) {
    for (size_t at : it->second.extents)
      if (values_[at] && IsVisible(values_[at], builder_.block())) return Wrap(values_[at]);
    for (size_t at : it->second.values) {
      pir::Value v = values_[at];
      if (!Reaches(v)) continue;
      const common::Dims& dims = v.dims();
      for (int64_t i = 0; i < dims.size(); ++i)
        if (common::SameDim(dims[i], d))
          return made(paddle::slice(paddle::shape64(Wrap(v)), {0}, {i}, {i + 1}, {1}, {0}));
    }
  }
  common::DimParts parts = common::PartsOf(d);
  PD_CHECK(parts.op != 's', Unimplemented, "expected an extent that is known here, got ", common::DimText(d),
           ", which no value of the program has that is known here");
  Tensor a = ExtentTensor(parts.a), b = ExtentTensor(parts.b);
  switch (parts.op) {
    case '+': return made(paddle::add(a, b));
    case '-': return made(paddle::subtract(a, b));
    case '*': return made(paddle::multiply(a, b));
    case 'b': return made(paddle::where(paddle::equal(a, ExtentTensor(common::Dim(1))), b, a));
    default: return made(paddle::floor_divide(a, b));
  }
}

pir::Value Recorder::DeferredOperand(const phi::AttrValue& v) {
  NoGrad guard;
  if (auto* s = std::get_if<phi::Scalar>(&v)) return ValueOf(deferred(s->integer()).tensor);
  const auto& list = std::get<phi::IntArray>(v);
  // All of one tensor: it is the operand.
  const auto element = [&](int64_t i) {
    return list[i].kind() == phi::Int::kElement ? &At(list[i].element()) : nullptr;
  };
  const Deferred* first = element(0);
  bool whole = first != nullptr && first->tensor->numel() == list.size();
  for (int64_t i = 0; whole && i < list.size(); ++i) {
    const Deferred* d = element(i);
    whole = d && d->element == i && d->tensor->value == first->tensor->value;
  }
  if (whole) return ValueOf(first->tensor);
  std::vector<Tensor> items;
  for (int64_t i = 0; i < list.size(); ++i) {
    if (list[i].known()) {
      items.push_back(
          paddle::full({}, phi::Scalar(list[i]), phi::DataType::INT64, phi::Place{phi::AllocationType::CPU, 0, 0}));
      continue;
    }
    const Deferred d = deferred(list[i]);
    Tensor t = d.tensor;
    if (t->numel() != 1)
      t = paddle::slice(t, {0}, {d.element}, {d.element + 1}, {1}, {0});
    else if (!t->symbolic_dims().empty())
      t = paddle::reshape(t, {});
    items.push_back(t.dtype() == phi::DataType::INT64 ? t : paddle::cast(t, phi::DataType::INT64));
  }
  return ValueOf(paddle::stack(items, 0));
}

common::Dim ExtentIn(pir::Value v, int64_t i) {
  std::optional<common::Dim> d = FindExtent(v, i);
  return d ? *d : common::NewSymbol();
}

}  // namespace egr
