// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/rearrange_facts.h"

#include <algorithm>

#include "paddle/common/op_traits.h"

namespace cinn {
namespace {

using common::Dims;
using common::Movement;
using Facts = std::optional<OpFacts>;

constexpr size_t kMaxAssembled = 16;  // parts that are stored one by one
constexpr size_t kMaxSelected = 4;    // parts that are read under masks for each element

Expr First(const Expr* in, const phi::Scalar*) { return in[0]; }
Expr Chosen(const Expr* in, const phi::Scalar* attrs) { return in[attrs[0].to_int()]; }
// attrs[0] tensors, then the position along the new axis.
Expr Stacked(const Expr* in, const phi::Scalar* attrs) {
  const int64_t n = attrs[0].to_int();
  Expr e = in[n - 1];
  for (int64_t k = n - 2; k >= 0; --k) e = select(in[n] == Expr::Int(k, DataType::INT64), in[k], e);
  return e;
}
Expr Row(const Expr* in, const phi::Scalar* attrs) {  // ids, the row's element
  return attrs[0].to_int() < 0
             ? in[1]
             : select(in[0] == Expr::Int(attrs[0].to_int(), in[0].dtype()), cast(Expr(0), in[1].dtype()), in[1]);
}

ResultFacts Entry(const Dims& shape, LowerFn fn) {
  ResultFacts r;
  r.shape = shape;
  r.fn = fn;
  r.integers = true;
  return r;
}

OperandFacts Mapped(pir::Value v, std::vector<ViewDim> dims) {
  OperandFacts o;
  o.value = v;
  o.mapped = true;
  o.dims = std::move(dims);
  return o;
}

// Parts of one tensor, each with its place in it.
struct Parts {
  std::vector<pir::Value> values;
  std::vector<std::vector<ViewDim>> places;
  std::vector<pir::Operation*> with;
  std::optional<phi::Scalar> fill;
};

// Each part stored at its place, by the group that makes it.
OpFacts Assembled(const Parts& p) {
  OpFacts f;
  f.with = p.with;
  for (size_t k = 0; k < p.values.size(); ++k) {
    ResultFacts r = Entry(p.values[k].dims(), First);
    r.operands.push_back(Mapped(p.values[k], Whole(p.values[k].dims().size())));
    r.assembles = true;
    r.place = p.places[k];
    r.fill = p.fill;
    f.results.push_back(std::move(r));
  }
  return f;
}

// Each element of the result read from the part that has it. The places must be steps of 1 along all dims.
Facts Selected(const Parts& p, const Dims& shape) {
  if (p.values.size() > kMaxSelected) return std::nullopt;
  OpFacts f;
  f.with = p.with;
  ResultFacts r = Entry(shape, Chosen);
  for (size_t k = 0; k < p.values.size(); ++k) {
    OperandFacts o = Mapped(p.values[k], std::vector<ViewDim>(static_cast<size_t>(p.values[k].dims().size())));
    for (size_t d = 0; d < p.places[k].size(); ++d) {
      const ViewDim& at = p.places[k][d];
      if (at.axis < 0 || at.step != 1) return std::nullopt;
      o.dims[static_cast<size_t>(at.axis)] =
          at.part ? ViewDim(static_cast<int>(d), -at.start, 1) : ViewDim(static_cast<int>(d));
    }
    o.masked = true;
    o.fill = p.fill.value_or(0);
    o.otherwise = static_cast<int>(k) - 1;
    r.operands.push_back(std::move(o));
  }
  r.attrs = {static_cast<int64_t>(p.values.size()) - 1};
  f.results.push_back(std::move(r));
  return f;
}

// Assembled where the parts are made, else read where the result is used.
Facts Either(const Parts& p, const Dims& shape) {
  bool equal = p.values.size() <= kMaxAssembled;
  for (pir::Value v : p.values) equal &= common::SameDims(v.dims(), p.values[0].dims());
  Facts selected = Selected(p, shape);
  if (!equal) return selected;
  OpFacts f = Assembled(p);
  if (selected) f.otherwise = std::make_shared<OpFacts>(std::move(*selected));
  return f;
}

bool List(const pir::Operation& op, Parts& p) {
  const pir::Value list = op.operand(0);
  pir::Operation* combine = list ? list.defining_op() : nullptr;
  if (!combine || !combine->isa("builtin.combine") || combine->num_operands() == 0) return false;
  for (int k = 0; k < combine->num_operands(); ++k) {
    if (!Usable(combine->operand(k)) || combine->operand(k).dtype() != op.result(0).dtype()) return false;
    p.values.push_back(combine->operand(k));
  }
  if (list.has_one_use()) p.with.push_back(combine);
  return true;
}

// The axis of the result along which the tensors of a list lie, from 0 on; -1: not such, and why.
int64_t ListAxis(const pir::Operation& op, Parts& p, const char** why) {
  *why = "a list of unlike or unusual tensors";
  if (!List(op, p)) return -1;
  const auto axis = NumberArg(op, "axis");
  *why = "an axis or extent known only at a run";
  if (!axis) return -1;
  const int64_t rank = op.result(0).dims().size(), a = axis->to_int() + (axis->to_int() < 0 ? rank : 0);
  return a < rank ? std::max<int64_t>(a, -1) : -1;
}

Facts Concat(const pir::Operation& op, const char** why) {
  Parts p;
  const int64_t a = ListAxis(op, p, why);
  if (a < 0) return std::nullopt;
  const Dims& shape = op.result(0).dims();
  int64_t start = 0;
  for (pir::Value v : p.values) {
    if (v.dims().size() != shape.size() || !v.dims()[a].known()) return std::nullopt;
    for (int64_t k = 0; k < shape.size(); ++k)
      if (k != a && !common::SameDim(v.dims()[k], shape[k])) return std::nullopt;
    p.places.push_back(Whole(shape.size()));
    p.places.back()[static_cast<size_t>(a)] = ViewDim(static_cast<int>(a), start, 1);
    start += v.dims()[a].value();
  }
  *why = "many parts of unlike extents";
  return Either(p, shape);
}

Facts Stack(const pir::Operation& op, const char** why) {
  Parts p;
  const int64_t a = ListAxis(op, p, why);
  if (a < 0) return std::nullopt;
  *why = "many parts, or parts of unlike extents";
  if (p.values.size() > kMaxAssembled) return std::nullopt;
  const Dims& shape = op.result(0).dims();
  ResultFacts r = Entry(shape, Stacked);
  for (size_t i = 0; i < p.values.size(); ++i) {
    if (!common::SameDims(p.values[i].dims(), p.values[0].dims()) || p.values[i].dims().size() + 1 != shape.size())
      return std::nullopt;
    std::vector<ViewDim> place, read;
    for (int64_t k = 0; k < shape.size(); ++k) {
      place.push_back(k == a ? ViewDim(-1, static_cast<int64_t>(i), 1) : ViewDim(static_cast<int>(k < a ? k : k - 1)));
      if (k != a) read.push_back(static_cast<int>(k));
    }
    p.places.push_back(std::move(place));
    r.operands.push_back(Mapped(p.values[i], std::move(read)));
  }
  OpFacts f = Assembled(p);
  if (p.values.size() > kMaxSelected) return f;
  OperandFacts at;
  at.position = static_cast<int>(a);
  r.operands.push_back(std::move(at));
  r.attrs = {static_cast<int64_t>(p.values.size())};
  f.otherwise = std::make_shared<OpFacts>();
  f.otherwise->with = p.with;
  f.otherwise->results.push_back(std::move(r));
  return f;
}

bool AddPart(pir::Operation& op, Parts& p) {
  const pir::Value x = op.operand(0), dout = OperandOf(op, "out_grad");
  if (!x || !x.type().is_dense() || !Usable(dout)) return false;
  auto place = SlicePlace(op, x.dims());
  if (!place) return false;
  for (size_t k = 0; k < place->size(); ++k)
    if (((*place)[k].part || (*place)[k].axis < 0) && !x.dims()[static_cast<int64_t>(k)].known()) return false;
  p.values.push_back(dout);
  p.places.push_back(std::move(*place));
  p.fill = 0;
  return true;
}

bool IsSum(const pir::Operation& op) { return common::TraitsOf(op.name()).calculation == common::Calculation::kSum; }

// The slice_grads that a tree of additions joins, which are read by nobody else.
bool Tree(const pir::Operation& add, Parts& p) {
  for (int k = 0; k < 2; ++k) {
    const pir::Value v = add.operand(k);
    pir::Operation* op = v ? v.defining_op() : nullptr;
    if (!op || !v.has_one_use() || p.values.size() >= kMaxAssembled || op->block() != add.block()) return false;
    if (IsSum(*op)) {
      if (!Tree(*op, p)) return false;
    } else if (MovementOf(*op) != Movement::kUnslice || !AddPart(*op, p)) {
      return false;
    }
    p.with.push_back(op);
  }
  return true;
}

// Parts that differ along one dim only and do not overlap there.
bool Disjoint(const Parts& p) {
  int64_t along = -1;
  for (const auto& place : p.places)
    for (size_t k = 0; k < place.size(); ++k) {
      if (!place[k].part && place[k].axis >= 0) continue;
      if (along >= 0 && along != static_cast<int64_t>(k)) return false;
      along = static_cast<int64_t>(k);
    }
  if (along < 0) return false;
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (size_t i = 0; i < p.places.size(); ++i) {
    const ViewDim& d = p.places[i][static_cast<size_t>(along)];
    if (!d.part && d.axis >= 0) return false;
    if (d.step != 1) return false;
    const common::Dim n = d.axis < 0 ? common::Dim(1) : p.values[i].dims()[d.axis];
    if (!n.known()) return false;
    spans.push_back({d.start, d.start + n.value()});
  }
  std::sort(spans.begin(), spans.end());
  for (size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second) return false;
  return true;
}

std::optional<Parts> SumOfParts(const pir::Operation& op) {
  if (!IsSum(op) || op.num_operands() != 2 || !Usable(op.result(0))) return std::nullopt;
  Parts p;
  if (!Tree(op, p) || p.values.size() < 2) return std::nullopt;
  for (size_t k = 0; k < p.values.size(); ++k)
    if (p.values[k].dtype() != op.result(0).dtype() ||
        p.places[k].size() != static_cast<size_t>(op.result(0).dims().size()))
      return std::nullopt;
  if (!Disjoint(p)) return std::nullopt;
  int64_t filled = 0;
  const Dims& shape = op.result(0).dims();
  for (size_t k = 0; k < p.places.size(); ++k)
    for (size_t d = 0; d < p.places[k].size(); ++d) {
      const ViewDim& at = p.places[k][d];
      if (at.axis < 0 || at.part) filled += at.axis < 0 ? 1 : p.values[k].dims()[at.axis].value();
      if ((at.axis < 0 || at.part) && k + 1 == p.places.size() && shape[static_cast<int64_t>(d)].known() &&
          filled == shape[static_cast<int64_t>(d)].value())
        p.fill.reset();
    }
  return p;
}

bool InSumOfParts(const pir::Operation& op) {
  if (op.num_results() != 1 || !op.result(0).has_one_use()) return false;
  return SumOfParts(*op.result(0).first_use()->owner()).has_value();
}

Facts Unslice(const pir::Operation& op, const char** why) {
  *why = "positions known only at a run";
  Parts p;
  if (!AddPart(const_cast<pir::Operation&>(op), p)) return std::nullopt;
  return Either(p, op.result(0).dims());
}

Facts Pad(const pir::Operation& op, const char** why) {
  const pir::Value x = op.operand(0);
  *why = "a padding other than by a known constant";
  const auto value = NumberArg(op, "pad_value");
  auto amounts = IntegersArg(op, "paddings");
  if (!Usable(x) || !value || !amounts) return std::nullopt;
  const Dims& shape = op.result(0).dims();
  const int64_t rank = x.dims().size();
  std::vector<int64_t> lo(static_cast<size_t>(rank), 0), hi = lo;
  if (!PadAmounts(op, rank, lo, hi)) return std::nullopt;
  Parts p;
  p.values.push_back(x);
  p.places.push_back(Whole(rank));
  p.fill = *value;
  bool crops = false;
  for (int64_t k = 0; k < rank; ++k) {
    const size_t d = static_cast<size_t>(k);
    if (!lo[d] && !hi[d]) continue;
    crops |= lo[d] < 0 || hi[d] < 0;
    if (!x.dims()[k].known() || !shape[k].known()) return std::nullopt;
    p.places[0][d] = ViewDim(static_cast<int>(k), lo[d], 1);
  }
  return crops ? Selected(p, shape) : Either(p, shape);
}

Facts Roll(const pir::Operation& op, const char** why) {
  const bool backward = op.name().ends_with("_grad");
  const pir::Value x = backward ? OperandOf(op, "out_grad") : op.operand(0);
  auto axes = IntegersArg(op, "axis"), shifts = IntegersArg(op, "shifts");
  *why = "rolls in another way than along one axis by a known amount";
  if (!Usable(x) || !axes || !shifts || axes->size() != 1 || shifts->size() != 1) return std::nullopt;
  const int64_t rank = x.dims().size(), a = (*axes)[0] + ((*axes)[0] < 0 ? rank : 0);
  if (a < 0 || a >= rank || !x.dims()[a].known() || x.dims()[a].value() == 0) return std::nullopt;
  const int64_t n = x.dims()[a].value(), by = (((backward ? -(*shifts)[0] : (*shifts)[0]) % n) + n) % n;
  OpFacts f;
  ResultFacts r = Entry(x.dims(), Chosen);
  for (int k = 0; k < 2; ++k) {
    OperandFacts o = Mapped(x, Whole(rank));
    o.dims[static_cast<size_t>(a)] = ViewDim(static_cast<int>(a), k ? -by : n - by, 1);
    o.masked = true;
    o.otherwise = k - 1;
    r.operands.push_back(std::move(o));
  }
  r.attrs = {1};
  f.results.push_back(std::move(r));
  return f;
}

Facts Rows(const pir::Operation& op, const char** why) {
  const pir::Value ids = op.operand(0), table = op.operand(1);
  *why = "operand type";
  if (!Usable(ids) || !Usable(table) || (ids.dtype() != DataType::INT64 && ids.dtype() != DataType::INT32))
    return std::nullopt;
  const Dims& shape = op.result(0).dims();
  if (table.dims().size() != 2 || shape.size() != ids.dims().size() + 1) return std::nullopt;
  OpFacts f;
  ResultFacts r = Entry(shape, Row);
  r.operands.push_back(Mapped(ids, Whole(ids.dims().size())));
  OperandFacts o = Mapped(table, {ViewDim(), ViewDim(static_cast<int>(shape.size()) - 1)});
  o.looked_up = 0;
  o.index = 0;
  r.operands.push_back(std::move(o));
  r.attrs = {NumberOf(AttrOf(op, "padding_idx")).value_or(-1)};
  f.results.push_back(std::move(r));
  return f;
}

Facts Gather(const pir::Operation& op, const char** why) {
  const pir::Value x = op.operand(0), index = OperandOf(op, "index");
  const auto axis = NumberArg(op, "axis");
  *why = "operand type, or an axis known only at a run";
  if (!axis || !Usable(x) || !Usable(index) || (index.dtype() != DataType::INT64 && index.dtype() != DataType::INT32))
    return std::nullopt;
  const int64_t rank = x.dims().size(), a = axis->to_int() + (axis->to_int() < 0 ? rank : 0);
  if (a < 0 || a >= rank || index.dims().size() != 1 || op.result(0).dims().size() != rank) return std::nullopt;
  OpFacts f;
  ResultFacts r = Entry(op.result(0).dims(), Chosen);
  r.operands.push_back(Mapped(index, {ViewDim(static_cast<int>(a))}));
  OperandFacts o = Mapped(x, Whole(rank));
  o.looked_up = static_cast<int>(a);
  o.index = 0;
  o.wraps = true;
  o.indexes = !common::TraitsOf(op.name()).index_value_error;
  r.operands.push_back(std::move(o));
  r.attrs = {1};
  f.results.push_back(std::move(r));
  return f;
}

}  // namespace

bool DescribeRearranged(const pir::Operation& op, Facts& facts, const char** why) {
  const Movement movement = MovementOf(op);
  if (movement == Movement::kUnslice || IsSum(op)) {
    if (InSumOfParts(op)) {
      facts.reset();
      *why = "a part of a sum that is put together at once";
      return true;
    }
    if (auto p = SumOfParts(op)) {
      facts = Either(*p, op.result(0).dims());
      if (facts) return true;
    }
  }
  switch (movement) {
    case Movement::kConcat: facts = Concat(op, why); return true;
    case Movement::kStack: facts = Stack(op, why); return true;
    case Movement::kUnslice: facts = Unslice(op, why); return true;
    case Movement::kPad: facts = Pad(op, why); return true;
    case Movement::kRoll: facts = Roll(op, why); return true;
    case Movement::kRows: facts = Rows(op, why); return true;
    case Movement::kGather: facts = Gather(op, why); return true;
    default: return false;
  }
}

}  // namespace cinn
