// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/deferred.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "paddle/common/extent.h"
#include "paddle/common/op_traits.h"
#include "paddle/eager/dispatch/control_flow.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pir/dialect/pd_op.h"

namespace egr {
namespace {

// [-2^62 - 2^61, -2^62]: recorder, place in its list, and 20 zero bits, so that a sum with a small number is noticed.
constexpr int64_t kDeferred = -(int64_t{1} << 62);
constexpr int kLow = 20, kIndex = 20;
constexpr int64_t kLowMask = (int64_t{1} << kLow) - 1, kIndexMask = (int64_t{1} << kIndex) - 1;

bool IsList(const phi::AttrValue& v) { return std::holds_alternative<common::Ints>(v); }

struct NoGrad {
  bool old = State().grad_enabled;
  NoGrad() { State().grad_enabled = false; }
  ~NoGrad() { State().grad_enabled = old; }
};

const pir::Operation* Named(pir::Value v, std::string_view name) {
  const pir::Operation* op = v.defining_op();
  return op && op->name() == name ? op : nullptr;
}

// The metas of several guesses as one: extents in which they differ are unknown.
void Merge(const char* op, const std::vector<phi::Meta>& other, std::vector<phi::Meta>& into) {
  bool same = other.size() == into.size();
  for (size_t i = 0; same && i < into.size(); ++i) same = other[i].dims.size() == into[i].dims.size();
  PD_CHECK(same, InvalidType, "[", op,
           "] expected an argument whose value is known while recording where the number of results or of their axes "
           "depends on it, got one that is being recorded");
  for (size_t i = 0; i < into.size(); ++i)
    for (int64_t d = 0; d < into[i].dims.size(); ++d)
      if (!common::SameDim(into[i].dims[d], other[i].dims[d]) && into[i].dims[d].known())
        into[i].dims[d] = common::NewSymbol();
}

// The extent that element `i` of an integer value is, where the program tells.
std::optional<common::Dim> FindExtent(pir::Value v, int64_t i) {
  if (auto* op = Named(v, pir::pd::kShape64); op || (op = Named(v, pir::pd::kShape))) {
    const common::Dims& dims = op->operand(0).dims();
    if (i < dims.size()) return dims[i];
  }
  if (auto* op = Named(v, pir::pd::kFull)) {
    const int64_t value = op->attr("value").to_int();
    if (value >= 0) return common::Dim(value);
  }
  if (auto* op = Named(v, pir::pd::kFullIntArray)) {
    common::Ints values = op->attr("value").to_ints();
    if (i < values.size() && values[i] >= 0) return common::Dim(values[i]);
  }
  const pir::Operation* maker = v.defining_op();
  if (maker && maker->isa(pir::pd::kCast) && v.dtype() != phi::DataType::INT64 && v.dtype() != phi::DataType::INT32)
    return std::nullopt;
  if (maker && (maker->isa(pir::pd::kCast) || maker->isa(pir::pd::kAssign) ||
                common::TraitsOf(maker->name()).movement == common::Movement::kExtents))
    return FindExtent(maker->operand(0), i);
  if (auto* op = Named(v, pir::pd::kSlice); op && op->operand(0).dims().size() == 1) {
    if (auto* at = Named(op->operand(1), pir::pd::kFullIntArray)) {
      common::Ints start = at->attr("value").to_ints();
      common::Dim n = op->operand(0).dims()[0];
      if (start.size() == 1 && n.known())
        return FindExtent(op->operand(0),
                          i + std::clamp<int64_t>(start[0] < 0 ? start[0] + n.value() : start[0], 0, n.value()));
    }
  }
  if (auto* op = Named(v, pir::pd::kStack))
    if (auto* list = Named(op->operand(0), "builtin.combine"); list && i < list->num_operands())
      if (pir::Value item = list->operand(static_cast<int>(i)); item.dims().empty()) return FindExtent(item, 0);
  if (!v.dims().empty()) return std::nullopt;
  if (!maker || !(maker->isa(pir::pd::kAdd) || maker->isa(pir::pd::kSubtract) || maker->isa(pir::pd::kMultiply) ||
                  maker->isa(pir::pd::kFloorDivide)))
    return std::nullopt;
  std::optional<common::Dim> a = FindExtent(maker->operand(0), 0), b = FindExtent(maker->operand(1), 0);
  if (!a || !b) return std::nullopt;
  if (maker->isa(pir::pd::kAdd)) return *a + *b;
  if (maker->isa(pir::pd::kMultiply)) return *a * *b;
  if (maker->isa(pir::pd::kFloorDivide)) return common::Div(*a, *b);
  if (a->known() && b->known()) return std::nullopt;  // a known difference may be below zero, which is no extent
  return common::Sub(*a, *b);
}

}  // namespace

bool IsDeferred(int64_t v) { return v <= kDeferred && v >= kDeferred + kDeferred / 2; }

bool IsUnknown(int64_t v) { return IsDeferred(v) || common::IsUnknownExtent(v); }

bool HasDeferred(const phi::AttrValue& v) {
  auto any = [](auto& list) {
    for (auto i : list)
      if (IsUnknown(i)) return true;
    return false;
  };
  if (auto* ints = std::get_if<common::Ints>(&v)) return any(*ints);
  if (auto* ints = std::get_if<std::vector<int64_t>>(&v)) return any(*ints);
  if (auto* s = std::get_if<phi::Scalar>(&v)) return s->is_symbol();
  if (auto* i = std::get_if<int64_t>(&v)) return IsUnknown(*i);
  return false;
}

int64_t Defer(const Tensor& t, int64_t i) {
  DispatchState& s = State();
  PD_CHECK(s.recorder != nullptr && s.record == RecordMode::kRecord, PreconditionNotMet,
           "expected a tensor with data where nothing is being recorded, got a value of a program");
  return s.recorder->Defer(t, i);
}

int64_t Recorder::Defer(const Tensor& t, int64_t i) {
  PD_CHECK(Knows(t), PreconditionNotMet, "expected a value of the program being recorded, got one of another program");
  size_t at = deferred_.size();
  for (size_t k = 0; k < at; ++k)
    if (deferred_[k].tensor->value == t->value && deferred_[k].element == i) at = k;
  if (at == deferred_.size()) {
    PD_CHECK(at < kIndexMask, ResourceExhausted, "expected fewer numbers that are known only at run time, got ", at);
    Tensor plain = phi::WithoutData(t);  // and without history
    plain->kind = phi::ImplKind::kSymbolic;
    plain->value = t->value;
    deferred_.push_back({plain, i, ExtentIn(ValueOf(t), i)});
  }
  return kDeferred - ((static_cast<int64_t>(id_ & kIndexMask) << kIndex | static_cast<int64_t>(at)) << kLow);
}

common::Dim Recorder::ExtentFor(int64_t number) const {
  return common::IsUnknownExtent(number) ? common::ExtentOf(number) : DeferredAt(number).extent;
}

Recorder::Deferred Recorder::deferred(int64_t number) {
  if (!common::IsUnknownExtent(number)) return DeferredAt(number);
  common::Dim d = common::ExtentOf(number);
  return {ExtentTensor(d), 0, d};
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
    default: return made(paddle::floor_divide(a, b));
  }
}

const Recorder::Deferred& Recorder::DeferredAt(int64_t number) const {
  int64_t bits = kDeferred - number;
  PD_CHECK((bits & kLowMask) == 0, InvalidType,
           "expected an argument whose value is known while recording, got a number calculated from one that is not");
  bits >>= kLow;
  int64_t at = bits & kIndexMask;
  PD_CHECK(bits >> kIndex == static_cast<int64_t>(id_ & kIndexMask) && at < static_cast<int64_t>(deferred_.size()),
           PreconditionNotMet, "expected a value of the program being recorded, got one of another program");
  return deferred_[at];
}

pir::Value Recorder::DeferredOperand(const phi::AttrValue& v) {
  NoGrad guard;
  if (auto* s = std::get_if<phi::Scalar>(&v)) return ValueOf(deferred(s->to_int()).tensor);
  const common::Ints& ints = std::get<common::Ints>(v);
  // All of one tensor: it is the operand.
  bool whole = true;
  for (int64_t i = 0; whole && i < ints.size(); ++i)
    whole = IsDeferred(ints[i]) && deferred(ints[i]).element == i &&
            deferred(ints[i]).tensor->value == deferred(ints[0]).tensor->value;
  if (whole && deferred(ints[0]).tensor->numel == ints.size()) return ValueOf(deferred(ints[0]).tensor);
  std::vector<Tensor> items;
  for (int64_t i : ints) {
    if (!IsUnknown(i)) {
      items.push_back(paddle::full({}, i, phi::DataType::INT64, phi::Place{phi::AllocationType::CPU, 0, 0}));
      continue;
    }
    const Deferred d = deferred(i);
    Tensor t = d.tensor;
    if (t->numel != 1)
      t = paddle::slice(t, {0}, {d.element}, {d.element + 1}, {1}, {0});
    else if (!t->symbolic_dims.empty())
      t = paddle::reshape(t, {});
    items.push_back(t.dtype() == phi::DataType::INT64 ? t : paddle::cast(t, phi::DataType::INT64));
  }
  return ValueOf(paddle::stack(items, 0));
}

void InferDeferred(const phi::OpDef& op, const phi::MetaSlot* in, const phi::AttrValue* attrs,
                   std::vector<phi::Meta>* outs, const Recorder& recorder) {
  std::vector<phi::AttrValue> known(attrs, attrs + op.attrs.size());
  std::vector<size_t> guessed;
  for (size_t a = 0; a < op.attrs.size(); ++a) {
    if (!HasDeferred(attrs[a])) continue;
    const std::string_view name = op.attrs[a]->name;
    if (IsList(attrs[a]) && (name == "shape" || name == "sections")) {
      for (int64_t& i : std::get<common::Ints>(known[a]))
        if (IsUnknown(i)) i = common::ExtentNumber(recorder.ExtentFor(i));
    } else if ((std::string_view(op.name) == "arange" && name == "end") || std::string_view(op.name) == "eye") {
      known[a] =
          common::ExtentScalar(common::ExtentNumber(recorder.ExtentFor(std::get<phi::Scalar>(attrs[a]).to_int())));
    } else {
      guessed.push_back(a);
    }
  }
  if (guessed.empty()) {
    op.infer(in, known.data(), outs);
    return;
  }
  const std::function<int64_t(int64_t, int64_t)> guesses[] = {
      [](int64_t, int64_t) { return 1; },   [](int64_t, int64_t) { return 2; },
      [](int64_t, int64_t) { return 0; },   [](int64_t, int64_t) { return -1; },
      [](int64_t i, int64_t) { return i; }, [](int64_t i, int64_t n) { return n - 1 - i; }};
  bool found = false;
  std::exception_ptr error;
  for (auto& guess : guesses) {
    for (size_t a : guessed) {
      if (auto* ints = std::get_if<common::Ints>(&known[a])) {
        const common::Ints& given = std::get<common::Ints>(attrs[a]);
        for (int64_t i = 0; i < given.size(); ++i)
          if (IsUnknown(given[i])) (*ints)[i] = guess(i, given.size());
      } else {
        known[a] = phi::Scalar(guess(0, 1));
      }
    }
    std::vector<std::vector<phi::Meta>> metas(op.outs.size());
    try {
      op.infer(in, known.data(), metas.data());
    } catch (const common::Error&) {
      if (!error) error = std::current_exception();
      continue;
    }
    for (size_t k = 0; k < op.outs.size(); ++k) {
      if (found)
        Merge(op.name, metas[k], outs[k]);
      else
        outs[k] = metas[k];
    }
    found = true;
  }
  if (!found) std::rethrow_exception(error);
}

common::Dim ExtentIn(pir::Value v, int64_t i) {
  std::optional<common::Dim> d = FindExtent(v, i);
  return d ? *d : common::NewSymbol();
}

}  // namespace egr
