// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/decomposed_facts.h"

#include <map>
#include <mutex>
#include <utility>

#include "paddle/cinn/fusion/facts_parts.h"

namespace cinn {
namespace {

using common::Dims;
using common::Ints;

constexpr char kType[] = "operand type", kShape[] = "operands that do not broadcast for certain",
               kReshaped[] = "a value that changes its shape", kAxis[] = "an axis that is out of range",
               kAttr[] = "an argument is known only at run time";

Val Declined(const char* why) {
  Val v;
  v.declined = why;
  return v;
}

// The shape `b` broadcasts to beside `a`, aligned from the right; false when that is not certain.
bool Meet(Dims& a, const Dims& b) {
  Dims longer = a.size() < b.size() ? b : a;
  const Dims& shorter = a.size() < b.size() ? a : b;
  const int64_t lead = longer.size() - shorter.size();
  for (int64_t k = 0; k < shorter.size(); ++k) {
    if (common::SameDim(longer[lead + k], shorter[k]) || common::IsOne(shorter[k])) continue;
    if (!common::IsOne(longer[lead + k])) return false;
    longer[lead + k] = shorter[k];
  }
  a = std::move(longer);
  return true;
}

DataType ReducedTypeOf(ReduceKind kind, DataType t) {
  if (kind == ReduceKind::kSum && !phi::IsFloating(t)) return DataType::INT64;
  return t;
}

struct Table {
  std::mutex mutex;
  std::map<std::string, void (*)(DecomposedFacts&), std::less<>> rows;
};
Table& TheTable() {
  static Table* table = new Table();
  return *table;
}

}  // namespace

void ForEachLeaf(const Expr& e, std::unordered_set<const ExprNode*>& seen, const std::function<void(int)>& f) {
  if (!seen.insert(e.node()).second) return;
  if (e->op == Op::kInput) return f(e->index);
  for (int k = 0; k < e->nargs; ++k) ForEachLeaf(e->args[k], seen, f);
}

Val Over(Expr (*fn)(const Expr*), std::initializer_list<Val> values) {
  Expr in[3];
  Val v;
  v.number = true;
  int n = 0;
  for (const Val& part : values) {
    if (part.declined) return part;
    if (!part.expr.defined()) return Declined("an operand is absent");
    if (!part.number && !v.number) {
      if (part.dropped != v.dropped && part.dims.size() != v.dims.size())
        return Declined("a reduced value beside one of another rank");
      if (!Meet(v.dims, part.dims)) return Declined(kShape);
      v.dropped = v.dropped || part.dropped;
    } else if (!part.number) {
      v.dims = part.dims;
      v.dropped = part.dropped;
      v.number = false;
    }
    in[n++] = part.expr;
  }
  v.expr = fn(in);
  return v;
}

Val DecomposedFacts::Add(Leaf leaf, DataType type, Dims dims) {
  Val v;
  v.expr = Expr::Input(static_cast<int>(leaves_.size()), type);
  v.dims = std::move(dims);
  leaves_.push_back(std::move(leaf));
  return v;
}

const DecomposedFacts::Leaf* DecomposedFacts::LeafOf(const Val& v) const {
  return !v.declined && v.expr.defined() && v.expr->op == Op::kInput ? &leaves_[static_cast<size_t>(v.expr->index)]
                                                                     : nullptr;
}

Val DecomposedFacts::operand(const char* name, bool stored) {
  const pir::Value v = OperandOf(op_, name);
  if (!v) return {};
  if (!Usable(v)) return Declined(kType);
  Leaf leaf;
  leaf.facts = stored ? Stored(v) : Read(v);
  return Add(std::move(leaf), v.dtype(), v.dims());
}

double DecomposedFacts::number(const char* name) {
  const auto v = NumberArg(op_, name);
  if (!v) No(kAttr);
  return v ? v->to_double() : 0;
}
int64_t DecomposedFacts::integer(const char* name) {
  const auto v = NumberArg(op_, name);
  if (!v) No(kAttr);
  return v ? v->to_int() : 0;
}
bool DecomposedFacts::flag(const char* name) { return NumberOf(AttrOf(op_, name)).value_or(0).to_bool(); }
std::string DecomposedFacts::text(const char* name) {
  const phi::AttrValue v = AttrOf(op_, name);
  const auto* s = std::get_if<std::string>(&v);
  return s ? *s : std::string();
}
Ints DecomposedFacts::integers(const char* name) {
  const auto v = IntegersArg(op_, name);
  if (!v) No(kAttr);
  return v ? Ints(v->begin(), v->end()) : Ints();
}

bool DecomposedFacts::wanted(int k) const { return k < op_.num_results() && !op_.result(k).use_empty(); }

void DecomposedFacts::result(int k, const Val& v, const char* written) {
  if (v.declined) return No(v.declined);
  const pir::Value memory = written ? OperandOf(op_, written) : pir::Value();
  const Leaf* leaf = LeafOf(v);
  if (memory && leaf && leaf->facts.value == memory) {  // it stays as it is
    if (!op_.result(k).use_empty()) No("somebody reads the state it was given");
    return;
  }
  results_.push_back({k, v, memory});
}

Val DecomposedFacts::Reduce(ReduceKind kind, const Val& x, const Ints& axes, bool keep) {
  if (x.declined) return x;
  if (!x.expr.defined()) return Declined("an operand is absent");
  if (x.number || x.dropped) return Declined("a reduction of a reduced value");
  const int64_t rank = x.dims.size();
  Leaf leaf;
  for (int64_t a : axes) {
    if (a < -rank || a >= rank) return Declined(kAxis);
    leaf.axes.add(static_cast<int>(a < 0 ? a + rank : a));
  }
  if (leaf.axes.empty()) return x;
  const DataType type = ReducedTypeOf(kind, x.expr.dtype());
  if (kind == ReduceKind::kMean && !phi::IsFloating(type)) return Declined("a mean of integers");
  Dims dims;
  for (int64_t k = 0; k < rank; ++k) {
    if (!leaf.axes.has(static_cast<int>(k)))
      dims.push_back(x.dims[k]);
    else if (keep)
      dims.push_back(common::Dim(1));
  }
  leaf.reduces = true;
  leaf.kind = kind;
  leaf.of = x;
  Val v;
  for (size_t i = 0; i < leaves_.size() && !v.expr.defined(); ++i) {
    const Leaf& l = leaves_[i];
    if (l.reduces && l.kind == kind && l.axes == leaf.axes && Same(l.of.expr, x.expr) &&
        common::SameDims(l.of.dims, x.dims))
      v.expr = Expr::Input(static_cast<int>(i), type);
  }
  if (v.expr.defined())
    v.dims = std::move(dims);
  else
    v = Add(std::move(leaf), type, std::move(dims));
  v.dropped = !keep;
  return v;
}

Val DecomposedFacts::squeeze(const Val& x, const Ints& axes) const {
  if (x.declined) return x;
  const int64_t rank = x.dims.size();
  AxisSet gone;
  for (int64_t a : axes) {
    if (a < -rank || a >= rank) return Declined(kAxis);
    if (!common::IsOne(x.dims[a < 0 ? a + rank : a])) return Declined("an axis that is more than 1");
    gone.add(static_cast<int>(a < 0 ? a + rank : a));
  }
  Val v = x;
  v.dims = {};
  v.dropped = true;
  for (int64_t k = 0; k < rank; ++k)
    if (!gone.has(static_cast<int>(k))) v.dims.push_back(x.dims[k]);
  return v;
}

Val DecomposedFacts::unsqueeze(const Val& x, const Ints& axes) {
  if (x.declined || axes.empty()) return x;
  const Leaf* leaf = LeafOf(x);
  const int64_t rank = x.dims.size() + axes.size();
  if (!leaf || leaf->reduces || leaf->facts.mapped) return Declined("a value made in it gets more axes");
  AxisSet added;
  for (int64_t a : axes) {
    if (a < -rank || a >= rank) return Declined(kAxis);
    added.add(static_cast<int>(a < 0 ? a + rank : a));
  }
  Leaf spread = *leaf;
  spread.facts.mapped = true;
  Dims dims;
  for (int64_t k = 0, at = 0; k < rank; ++k) {
    const bool one = added.has(static_cast<int>(k));
    dims.push_back(one ? common::Dim(1) : x.dims[at++]);
    if (!one) spread.facts.dims.push_back(static_cast<int>(k));
  }
  return Add(std::move(spread), leaf->facts.value.dtype(), std::move(dims));
}

Val DecomposedFacts::along(const Val& x, const Val& like, int64_t axis) {
  if (x.declined || like.declined) return x.declined ? x : like;
  const Leaf* leaf = LeafOf(x);
  const int64_t rank = like.dims.size();
  if (!leaf || leaf->reduces || leaf->facts.mapped) return Declined("a value made in it lies along an axis");
  if (axis < 0 || axis + x.dims.size() > rank) return Declined(kAxis);
  Leaf moved;
  moved.facts = ReadAlong(leaf->facts.value, static_cast<int>(axis));
  moved.facts.stored = leaf->facts.stored;
  Dims dims;
  for (int64_t k = 0; k < rank; ++k)
    dims.push_back(k >= axis && k < axis + x.dims.size() ? x.dims[k - axis] : common::Dim(1));
  return Add(std::move(moved), leaf->facts.value.dtype(), std::move(dims));
}

Val DecomposedFacts::flat(const Val& x) const {
  if (x.declined || x.dims.size() == 1) return x;
  for (const common::Dim& d : x.dims)
    if (!common::IsOne(d)) return Declined("several axes in one");
  Val one = x;
  one.dims = Dims{common::Dim(1)};
  return one;
}

Val DecomposedFacts::tail(const Val& x, const Val& like, int64_t axis) {
  if (x.declined || like.declined) return x.declined ? x : like;
  if (x.dims.size() != like.dims.size() - axis) return Declined("several axes in one");
  return x;
}

Val DecomposedFacts::reshape_like(const Val& x, const Val& like) const {
  if (x.declined || like.declined) return x.declined ? x : like;
  return common::SameDims(x.dims, like.dims) ? x : Declined(kReshaped);
}

std::vector<Val> DecomposedFacts::split(const Val& x, int64_t n, int64_t axis) {
  const auto each = [n](const Val& v) { return std::vector<Val>(static_cast<size_t>(n), v); };
  if (x.declined) return each(x);
  const Leaf* leaf = LeafOf(x);
  const int64_t rank = x.dims.size(), a = axis < 0 ? axis + rank : axis;
  if (!leaf || leaf->reduces || leaf->facts.mapped) return each(Declined("a part of a value made in it"));
  if (a < 0 || a >= rank || !x.dims[a].known() || x.dims[a].value() % n) return each(Declined(kAxis));
  const int64_t extent = x.dims[a].value() / n;
  const Leaf whole = *leaf;
  Dims dims = x.dims;
  dims[a] = common::Dim(extent);
  std::vector<Val> parts;
  for (int64_t k = 0; k < n; ++k) {
    Leaf cut = whole;
    cut.facts.mapped = true;
    for (int64_t d = 0; d < rank; ++d)
      cut.facts.dims.push_back(d == a ? ViewDim(static_cast<int>(d), k * extent, 1) : ViewDim(static_cast<int>(d)));
    parts.push_back(Add(std::move(cut), whole.facts.value.dtype(), dims));
  }
  return parts;
}

Val DecomposedFacts::reshape(const Val&, const Ints&) const { return Declined(kReshaped); }
Val DecomposedFacts::transpose(const Val&, const Ints&) const { return Declined(kReshaped); }
Val DecomposedFacts::repeated(const Val&, const Val&, int64_t) const {
  return Declined("slices of which some are one");
}
Val DecomposedFacts::join(const Val&, const Val&, int64_t) const { return Declined("two values in one"); }
Val DecomposedFacts::matmul(const Val&, const Val&, bool, bool) const { return Declined("a product of matrices"); }

Val DecomposedFacts::position(const Val& x, int64_t axis) {
  if (x.declined) return x;
  const int64_t rank = x.dims.size(), a = axis < 0 ? axis + rank : axis;
  if (a < 0 || a >= rank) return Declined(kAxis);
  Leaf leaf;
  leaf.facts = Position(static_cast<int>(a));
  Dims dims;
  for (int64_t k = 0; k < rank; ++k) dims.push_back(k == a ? x.dims[k] : common::Dim(1));
  return Add(std::move(leaf), DataType::INT64, std::move(dims));
}

Val DecomposedFacts::pick(const Val& x, const Val& label, int64_t axis, int64_t except) {
  if (x.declined || label.declined) return x.declined ? x : label;
  const Leaf* leaf = LeafOf(label);
  const int64_t rank = x.dims.size(), a = axis < 0 ? axis + rank : axis;
  static constexpr char why[] = "labels that are not class numbers of a known count";
  if (!leaf || leaf->reduces || a < 0 || a >= rank || !x.dims[a].known() || label.dims.size() != rank ||
      !common::IsOne(label.dims[a]))
    return Declined(why);
  const DataType type = leaf->facts.value.dtype();
  if (type != DataType::INT64 && type != DataType::INT32) return Declined(why);
  Leaf checked = *leaf;
  checked.facts.below = x.dims[a].value();
  checked.facts.except = except;
  const Val number = Add(std::move(checked), type, label.dims);
  const Val there = cast(number, "int64") == position(x, a);
  const Val zero = Over([](const Expr* in) { return cinn::cast(Expr(0.0), in[0].dtype()); }, {x});
  return Reduce(ReduceKind::kSum, select(there, x, zero), Ints{a}, true);
}

Val DecomposedFacts::cast(const Val& x, const char* dtype) const {
  if (x.declined) return x;
  Val v = x;
  v.expr = cinn::cast(x.expr, phi::DataTypeFromName(dtype));
  return v;
}

Val DecomposedFacts::select(const Val& c, const Val& a, const Val& b) const {
  return Over([](const Expr* in) { return cinn::select(in[0], in[1], in[2]); }, {c, a, b});
}

Expr DecomposedFacts::Shared(const Expr& e) const {
  return Substitute(e, [&](const ExprNode& n) -> Expr {
    if (n.op != Op::kInput) return {};
    const Leaf& mean = leaves_[static_cast<size_t>(n.index)];
    if (!mean.reduces || mean.kind != ReduceKind::kMean) return {};
    double count = 1;
    for (int64_t k = 0; k < mean.of.dims.size(); ++k) {
      if (!mean.axes.has(static_cast<int>(k))) continue;
      if (!mean.of.dims[k].known()) return {};
      count *= static_cast<double>(mean.of.dims[k].value());
    }
    for (size_t i = 0; i < leaves_.size() && count > 0; ++i)
      if (i < summed_.size() && summed_[i] && leaves_[i].axes == mean.axes && Same(leaves_[i].of.expr, mean.of.expr))
        return Expr::Input(static_cast<int>(i), n.dtype) * (1 / count);
    return {};
  });
}

void DecomposedFacts::Mark(const Expr& e) {
  std::unordered_set<const ExprNode*> seen;
  ForEachLeaf(e, seen, [&](int i) {
    const Leaf& l = leaves_[static_cast<size_t>(i)];
    if (!l.reduces) return;
    if (l.kind == ReduceKind::kSum) summed_[static_cast<size_t>(i)] = true;
    Mark(l.of.expr);
  });
}

int DecomposedFacts::EntryOf(int leaf) {
  if (leaves_[static_cast<size_t>(leaf)].entry >= 0) return leaves_[static_cast<size_t>(leaf)].entry;
  const Leaf l = leaves_[static_cast<size_t>(leaf)];
  ResultFacts r = ReducedEntry(-1, l.of.dims, nullptr, {}, l.kind, l.axes);
  Express(r, Shared(l.of.expr));
  r.part = ReducedTypeOf(l.kind, l.of.expr.dtype());
  facts_.results.push_back(std::move(r));
  return leaves_[static_cast<size_t>(leaf)].entry = static_cast<int>(facts_.results.size()) - 1;
}

void DecomposedFacts::Express(ResultFacts& r, const Expr& e) {
  std::map<int, int> place;  // of a leaf among the operands
  std::unordered_set<const ExprNode*> seen;
  ForEachLeaf(e, seen, [&](int i) {
    if (!place.emplace(i, static_cast<int>(place.size())).second) return;
    const Leaf& l = leaves_[static_cast<size_t>(i)];
    r.operands.push_back(l.reduces ? Part(EntryOf(i)) : l.facts);
  });
  r.expr = Substitute(e, [&](const ExprNode& n) -> Expr {
    return n.op == Op::kInput ? Expr::Input(place.at(n.index), n.dtype) : Expr();
  });
}

std::optional<OpFacts> DecomposedFacts::Take(const char** why) {
  if (!why_ && results_.empty()) No("nobody uses it");
  if (!why_ && !phi::IsFloating(op_.result(results_[0].index).dtype())) No(kType);
  summed_.assign(leaves_.size(), false);
  for (const Result& r : results_) {
    if (r.value.number) No("a result that is a number");
    if (!why_) Mark(r.value.expr);
  }
  for (const Result& r : results_) {
    if (why_) break;
    const Leaf* leaf = LeafOf(r.value);
    if (leaf && leaf->reduces) {
      const int k = EntryOf(r.value.expr->index);
      if (facts_.results[static_cast<size_t>(k)].index < 0) {
        facts_.results[static_cast<size_t>(k)].index = r.index;
        continue;
      }
    }
    ResultFacts entry = Entry(r.index, op_.result(r.index).dims(), nullptr, {});
    Express(entry, Shared(r.value.expr));
    facts_.results.push_back(std::move(entry));
    if (!r.written) continue;
    facts_.inplace.push_back({r.index, r.written});
    for (const Leaf& l : leaves_)  // without elements the state stays, which the expressions do not say
      for (int64_t a = 0; l.reduces && a < l.of.dims.size(); ++a)
        if (!l.of.dims[a].known() || l.of.dims[a].value() == 0) No("may have no elements");
    if (r.written.dtype() != phi::ComputeType(op_.result(0).dtype())) No(kType);
  }
  if (why_) {
    *why = why_;
    return std::nullopt;
  }
  return std::move(facts_);
}

void RegisterDecomposedFacts(const char* op, void (*build)(DecomposedFacts&)) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.rows.emplace(op, build);
}

bool DescribeDecomposed(const pir::Operation& op, std::optional<OpFacts>& facts, const char** why) {
  void (*build)(DecomposedFacts&) = nullptr;
  {
    Table& t = TheTable();
    std::lock_guard<std::mutex> lock(t.mutex);
    auto it = t.rows.find(std::string_view(op.name()).substr(op.name().find('.') + 1));
    if (it == t.rows.end()) return false;
    build = it->second;
  }
  DecomposedFacts d(op);
  build(d);
  facts = d.Take(why);
  return true;
}

}  // namespace cinn
