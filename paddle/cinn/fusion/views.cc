// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/views.h"

#include <algorithm>

#include "paddle/cinn/fusion/op_facts.h"
#include "paddle/common/op_traits.h"

namespace cinn {
namespace {

using common::Dims;
using common::Movement;

bool IsGradient(const pir::Operation& op) { return op.name().ends_with("_grad"); }

// The axes of a flip, or the one of a list operation, from the front.
std::optional<int> Axis(const pir::Operation& op, int64_t rank) {
  auto a = NumberArg(op, "axis");
  if (!a) return std::nullopt;
  const int64_t axis = a->to_int() + (a->to_int() < 0 ? rank : 0);
  if (axis < 0 || axis >= rank) return std::nullopt;
  return static_cast<int>(axis);
}

// Whether the op has an argument of this name, operand or attribute.
bool Takes(const pir::Operation& op, std::string_view name) {
  return op.info()->input_index(name) >= 0 || op.info()->attr(name);
}

// Result `i` of a list operation.
std::optional<ViewFacts> Element(const pir::Operation& list, int i, std::span<const pir::Type> types) {
  const Movement movement = MovementOf(list);
  if (movement != Movement::kSplit && movement != Movement::kUnbind) return std::nullopt;
  const bool backward = IsGradient(list);
  const pir::Value base = backward ? OperandOf(list, "out_grad") : list.operand(0);
  if (!base || !base.type().is_dense()) return std::nullopt;
  const int64_t rank = base.dims().size();
  const auto axis = Axis(list, rank);
  if (!axis) return std::nullopt;
  ViewFacts f{base, {}};
  if (movement == Movement::kUnbind) {
    for (int k = 0; k < rank; ++k) f.dims.push_back(k == *axis ? ViewDim(-1, i, 1) : ViewDim(k < *axis ? k : k - 1));
    return f;
  }
  int64_t start = 0;
  for (int k = 0; k < i; ++k) {
    const common::Dim d = types[static_cast<size_t>(k)].dims()[*axis];
    if (!d.known()) return std::nullopt;
    start += d.value();
  }
  f.dims = Whole(rank);
  if (!common::SameDim(types[static_cast<size_t>(i)].dims()[*axis], base.dims()[*axis])) {
    if (!types[static_cast<size_t>(i)].dims()[*axis].known()) return std::nullopt;
    f.dims[static_cast<size_t>(*axis)] = ViewDim(*axis, start, 1);
  }
  return f;
}

std::optional<ViewFacts> Sliced(const pir::Operation& op, pir::Value base) {
  auto place = SlicePlace(op, base.dims());
  if (!place) return std::nullopt;
  return ViewFacts{base, std::move(*place)};
}

}  // namespace

std::vector<ViewDim> Whole(int64_t rank) {
  std::vector<ViewDim> d;
  for (int64_t k = 0; k < rank; ++k) d.push_back(static_cast<int>(k));
  return d;
}
Movement MovementOf(const pir::Operation& op) { return common::TraitsOf(op.name()).movement; }

bool MapByExtent(const Dims& from, const Dims& to, std::vector<ViewDim>& map) {
  int64_t t = 0;
  for (int64_t k = 0; k < from.size(); ++k) {
    if (common::IsOne(from[k])) {
      map.push_back(-1);
      continue;
    }
    while (t < to.size() && common::IsOne(to[t])) ++t;
    if (t == to.size() || !common::SameDim(from[k], to[t])) return false;
    map.push_back(static_cast<int>(t++));
  }
  while (t < to.size() && common::IsOne(to[t])) ++t;
  return t == to.size();
}

std::optional<std::vector<int>> Permutation(const pir::Operation& op, int64_t rank) {
  auto perm = IntegersArg(op, "perm");
  if (!perm || static_cast<int64_t>(perm->size()) != rank) return std::nullopt;
  std::vector<int> out;
  std::vector<bool> seen(perm->size(), false);
  for (int64_t p : *perm) {
    if (p < 0) p += rank;
    if (p < 0 || p >= rank || seen[static_cast<size_t>(p)]) return std::nullopt;
    seen[static_cast<size_t>(p)] = true;
    out.push_back(static_cast<int>(p));
  }
  return out;
}

std::optional<std::vector<ViewDim>> SlicePlace(const pir::Operation& op, const Dims& base) {
  auto axes = IntegersArg(op, "axes"), starts = IntegersArg(op, "starts"), ends = IntegersArg(op, "ends");
  const bool strided = Takes(op, "strides");
  auto steps = strided ? IntegersArg(op, "strides") : std::optional(std::vector<int64_t>(axes ? axes->size() : 0, 1));
  auto dropped = strided ? std::optional(std::vector<int64_t>()) : IntegersArg(op, "decrease_axis");
  if (!axes || !starts || !ends || !steps || !dropped) return std::nullopt;
  if (starts->size() != axes->size() || ends->size() != axes->size() || steps->size() != axes->size())
    return std::nullopt;
  const int64_t rank = base.size();
  std::vector<bool> drop(static_cast<size_t>(rank), false);
  for (int64_t a : *dropped) {
    if (a < 0) a += rank;
    if (a < 0 || a >= rank) return std::nullopt;
    drop[static_cast<size_t>(a)] = true;
  }
  std::vector<ViewDim> out;
  int next = 0;
  for (int64_t k = 0; k < rank; ++k) out.push_back(drop[static_cast<size_t>(k)] ? -1 : next++);
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t a = (*axes)[i] + ((*axes)[i] < 0 ? rank : 0), step = (*steps)[i];
    if (a < 0 || a >= rank || step == 0) return std::nullopt;
    ViewDim& d = out[static_cast<size_t>(a)];
    int64_t start = (*starts)[i], end = (*ends)[i];
    if (!base[a].known()) {
      if (start != 0 || end < INT32_MAX || step != 1 || d.axis < 0) return std::nullopt;
      continue;
    }
    const int64_t n = base[a].value();
    if (start < 0) start += n;
    if (end < 0) end += n;
    const int64_t lo = step > 0 ? 0 : -1, hi = step > 0 ? n : n - 1;
    start = std::clamp(start, lo, hi);
    end = std::clamp(end, lo, hi);
    if (d.axis < 0 && start >= hi) return std::nullopt;  // not one element
    if (d.axis < 0 || step != 1 || start != 0 || end < n) d = ViewDim(d.axis, start, step);
  }
  return out;
}

bool PadAmounts(const pir::Operation& op, int64_t rank, std::vector<int64_t>& before, std::vector<int64_t>& after) {
  auto amounts = IntegersArg(op, "paddings");
  if (!amounts) return false;
  before.assign(static_cast<size_t>(rank), 0);
  after = before;
  if (!Takes(op, "mode")) {  // pairs for each axis
    if (static_cast<int64_t>(amounts->size()) != 2 * rank) return false;
    for (size_t k = 0; k < before.size(); ++k) {
      before[k] = (*amounts)[2 * k];
      after[k] = (*amounts)[2 * k + 1];
    }
    return true;
  }
  const phi::AttrValue mode = AttrOf(op, "mode"), format = AttrOf(op, "data_format");
  const auto *m = std::get_if<std::string>(&mode), *f = std::get_if<std::string>(&format);
  if (!m || !f || *m != "constant" || rank != 5 || amounts->size() != 6 || (*f != "NCDHW" && *f != "NDHWC"))
    return false;
  const size_t first = *f == "NCDHW" ? 2 : 1;
  for (size_t k = 0; k < 3; ++k) {  // width, height, depth
    before[first + 2 - k] = (*amounts)[2 * k];
    after[first + 2 - k] = (*amounts)[2 * k + 1];
  }
  return true;
}

bool MakesViews(const pir::Operation& op) {
  return common::IsView(MovementOf(op)) || op.isa("builtin.split") || op.isa("builtin.slice");
}

std::optional<ViewFacts> ViewOf(pir::Value v) {
  const pir::Operation* op = v.defining_op();
  if (!op || !v.type().is_dense() || !MakesViews(*op)) return std::nullopt;
  if (op->isa("builtin.split") || op->isa("builtin.slice")) {
    const pir::Value list = op->operand(0);
    if (!list || !list.defining_op() || !list.type().is_vector()) return std::nullopt;
    const int i = op->isa("builtin.split") ? v.index() : static_cast<int>(op->attr("index").to_int());
    return Element(*list.defining_op(), i, list.type().elements());
  }
  if (op->num_results() != 1) return std::nullopt;
  const Movement movement = MovementOf(*op);
  const bool backward = IsGradient(*op);
  const pir::Value base = backward ? OperandOf(*op, "out_grad") : op->operand(0);
  if (!base || !base.type().is_dense()) return std::nullopt;
  const Dims &from = base.dims(), &to = v.dims();
  ViewFacts f{base, {}};
  if (movement == Movement::kSlice) return Sliced(*op, base);
  if (movement == Movement::kTranspose) {
    auto perm = Permutation(*op, from.size());
    if (!perm) return std::nullopt;
    f.dims = Whole(from.size());
    for (int i = 0; i < static_cast<int>(perm->size()); ++i) {
      if (backward)
        f.dims[static_cast<size_t>(i)] = (*perm)[static_cast<size_t>(i)];
      else
        f.dims[static_cast<size_t>((*perm)[static_cast<size_t>(i)])] = i;
    }
    return f;
  }
  if (movement == Movement::kExpand) {
    const int64_t lead = to.size() - from.size();
    for (int64_t k = 0; k < from.size(); ++k) {
      if (lead + k < 0) return std::nullopt;
      if (common::SameDim(from[k], to[lead + k]))
        f.dims.push_back(static_cast<int>(lead + k));
      else if (common::IsOne(from[k]))
        f.dims.push_back(-1);
      else
        return std::nullopt;
    }
    return f;
  }
  if (movement == Movement::kFlip) {
    auto axes = IntegersArg(*op, "axis");
    if (!axes) return std::nullopt;
    f.dims = Whole(from.size());
    for (int64_t a : *axes) {
      if (a < 0) a += from.size();
      if (a < 0 || a >= from.size() || !from[a].known()) return std::nullopt;
      f.dims[static_cast<size_t>(a)] = ViewDim(static_cast<int>(a), from[a].value() - 1, -1);
    }
    return f;
  }
  if (movement == Movement::kUnpad) {
    std::vector<int64_t> lo, hi;
    if (!PadAmounts(*op, from.size(), lo, hi) || to.size() != from.size()) return std::nullopt;
    f.dims = Whole(from.size());
    for (size_t k = 0; k < lo.size(); ++k) {
      if (lo[k] < 0 || hi[k] < 0) return std::nullopt;
      if (lo[k] || hi[k]) f.dims[k] = ViewDim(static_cast<int>(k), lo[k], 1);
    }
    return f;
  }
  if (movement != Movement::kExtents || !MapByExtent(from, to, f.dims)) return std::nullopt;
  return f;
}

}  // namespace cinn
