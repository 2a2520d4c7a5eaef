// SPDX-License-Identifier: Apache-2.0
// Describes operations for fusion: elementwise ops and their gradients, reductions and theirs, views.
#include "paddle/cinn/fusion/op_facts.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "paddle/cinn/fusion/attr_reader.h"
#include "paddle/cinn/fusion/decomposed_facts.h"
#include "paddle/cinn/fusion/rearrange_facts.h"
#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"

namespace cinn {
namespace {

using common::Dims;

Expr Identity(const Expr* in, const phi::Scalar*) { return in[0]; }
Expr Times(const Expr* in, const phi::Scalar* attrs) { return in[0] * attrs[0]; }

ReduceKind KindOf(common::Reduction reduction) {
  switch (reduction) {
    case common::Reduction::kMean: return ReduceKind::kMean;
    case common::Reduction::kMax: return ReduceKind::kMax;
    case common::Reduction::kMin: return ReduceKind::kMin;
    case common::Reduction::kAny: return ReduceKind::kAny;
    case common::Reduction::kAll: return ReduceKind::kAll;
    default: return ReduceKind::kSum;
  }
}

// The reduced axes. The argument is called "axis"; none, or reduce_all, means all.
bool ReducedAxes(const pir::Operation& op, int rank, AxisSet& reduced) {
  auto axes = IntegersArg(op, "axis");
  if (!axes) return false;
  if (axes->empty() || NumberOf(AttrOf(op, "reduce_all")).value_or(0).to_bool()) {
    reduced = AxisSet::Range(0, rank);
    return rank > 0;
  }
  for (int64_t a : *axes) {
    if (a < -rank || a >= rank) return false;
    reduced.add(static_cast<int>(a < 0 ? a + rank : a));
  }
  return reduced.count() == static_cast<int>(axes->size());
}

// Axes of `from` that must be summed to give `to`, which broadcasts to it; none when it has its shape.
bool SumToAxes(const Dims& from, const Dims& to, AxisSet& summed) {
  const int64_t lead = from.size() - to.size();
  if (lead < 0) return false;
  for (int64_t k = 0; k < from.size(); ++k) {
    const bool same = k >= lead && common::SameDim(from[k], to[k - lead]);
    if (!same && k >= lead && !common::IsOne(to[k - lead])) return false;
    if (!same) summed.add(static_cast<int>(k));
  }
  return true;
}

class Describer {
 public:
  Describer(const pir::Operation& op, const char** why, bool alone) : op_(op), why_(why), alone_(alone) {}

  std::optional<OpFacts> Run() {
    if (op_.num_regions() || op_.num_results() < 1) return No("no results");
    if (op_.info()->has(pir::kRandom) ||
        ((op_.info()->has(pir::kSideEffect) || pir::WritesOperand(*op_.info())) && !KeepsOwnState(op_)))
      return No("has effects");
    if (MakesViews(op_) && !op_.result(0).type().is_dense())
      return No("a list of views; what reads them reads through them");
    if (pir::HoldsNumbers(op_)) return No("a constant; what reads it may hold it");
    if (op_.isa("builtin.parameter") || op_.isa("builtin.constant")) return No("a given value");
    if (op_.isa("builtin.combine")) return No("a list; it goes with the operation that reads it");
    for (int k = 0; k < op_.num_results(); ++k)
      if (!op_.result(k).use_empty() && !Usable(op_.result(k))) return No("result type");
    if (std::optional<OpFacts> f; DescribeRearranged(op_, f, why_) || DescribeDecomposed(op_, f, why_)) return f;
    const common::OpTraits& traits = common::TraitsOf(op_.name());
    if (traits.reduction == common::Reduction::kLike) return No("a sum to the shape of another value");
    if (traits.reduction != common::Reduction::kNone) return Reduce(KindOf(traits.reduction));
    if (const std::vector<GradLowering>* results = FindGradLowering(op_.name(), alone_)) return Gradient(*results);
    const common::OpTraits& forward = common::TraitsOfForward(op_.name());
    if (forward.movement == common::Movement::kExpand) return SummedTo();
    if (forward.reduction == common::Reduction::kSum) return ReduceGrad(false);
    if (forward.reduction == common::Reduction::kMean) return ReduceGrad(true);
    const bool backward = op_.name().ends_with("_grad");
    if (traits.movement == common::Movement::kExtents)
      return View(backward ? OperandOf(op_, "out_grad") : op_.operand(0));
    if (traits.movement == common::Movement::kTranspose) return Transpose(backward);
    if (MakesViews(op_) && !FindLowering(op_.name())) return No("stays a view; what reads it reads through it");
    return Elementwise();
  }

 private:
  std::optional<OpFacts> No(const char* text) {
    *why_ = text;
    return std::nullopt;
  }

  ResultFacts Result(int k, const Dims& shape, LowerFn fn) {
    ResultFacts r;
    r.index = k;
    r.shape = shape;
    r.fn = fn;
    r.integers = true;
    return r;
  }

  std::optional<OpFacts> Elementwise() {
    const Lowering* lowering = FindLowering(op_.name(), alone_);
    if (!lowering || op_.num_results() != 1) return No("no lowering");
    ResultFacts r = Result(0, op_.result(0).dims(), lowering->fn);
    r.integers = lowering->integers;
    const common::OpTraits& traits = common::TraitsOf(op_.name());
    r.is_cast = traits.calculation == common::Calculation::kCast;
    const bool shape_only = lowering->nin == 0;
    const bool first_only = traits.movement == common::Movement::kExpand;
    bool integer_operand = false;
    std::unordered_set<int> absent;  // operands that the rule must not read; another one stands for them
    pir::Value present;
    auto is_number = [&](int k) {
      return k < static_cast<int>(op_.info()->inputs.size()) && op_.info()->inputs[k].mutable_attr;
    };
    for (int k = op_.num_operands(); k-- > 0;)
      if (op_.operand(k) && !is_number(k)) present = op_.operand(k);
    for (int k = 0; k < op_.num_operands() && !shape_only; ++k) {
      if (is_number(k)) continue;
      if (first_only && k > 0) break;
      if (!op_.operand(k)) absent.insert(static_cast<int>(r.operands.size()));
      const pir::Value v = op_.operand(k) ? op_.operand(k) : present;
      if (!Usable(v)) return No("operand type");
      integer_operand |= !phi::IsFloating(v.dtype());
      r.operands.push_back({v, false, {}});
    }
    if (static_cast<int>(r.operands.size()) != lowering->nin) return No("operand count");
    if (integer_operand && !r.integers && !phi::IsFloating(op_.result(0).dtype())) return No("integer operands");
    if (!first_only) {
      auto attrs = NumbersOf(op_);
      if (!attrs) return No("an argument is known only at run time");
      r.attrs = std::move(*attrs);
    }
    if (!absent.empty()) {
      std::vector<Expr> in;
      for (const OperandFacts& o : r.operands) in.push_back(Expr::Input(static_cast<int>(in.size()), o.value.dtype()));
      bool read = false;
      std::unordered_set<const ExprNode*> seen;
      ForEachLeaf(r.fn(in.data(), r.attrs.data()), seen, [&](int i) { read = read || absent.count(i); });
      if (read) return No("an operand that is absent");
    }
    OpFacts f;
    f.trivial = shape_only || first_only || traits.calculation == common::Calculation::kSame;
    f.results.push_back(std::move(r));
    return f;
  }

  std::optional<OpFacts> Reduce(ReduceKind kind) {
    const pir::Value x = op_.operand(0);
    if (!Usable(x)) return No("operand type");
    if (phi::IsFloating(x.dtype()) && phi::IsInteger(op_.result(0).dtype())) return No("fractions summed as integers");
    ResultFacts r = Result(0, x.dims(), Identity);
    r.operands = {{x, false, {}}};
    r.reduces = true;
    r.reduce = kind;
    if (!ReducedAxes(op_, static_cast<int>(x.dims().size()), r.reduced)) return No("reduction axes not known");
    OpFacts f;
    f.results.push_back(std::move(r));
    return f;
  }

  // An expression over the output gradient's shape, summed to the input's shape.
  bool AddSummed(OpFacts& f, int k, pir::Value input, LowerFn fn, const std::vector<const char*>& names) {
    const pir::Value dout = OperandOf(op_, "out_grad");
    if (op_.result(k).use_empty()) return true;
    if (!Usable(dout) || !Usable(input) || !phi::IsFloating(dout.dtype())) return false;
    ResultFacts r = Result(k, dout.dims(), fn);
    for (const char* n : names) {
      const pir::Value v = OperandOf(op_, n);
      if (!Usable(v)) return false;
      r.operands.push_back({v, false, {}});
    }
    if (!SumToAxes(dout.dims(), input.dims(), r.reduced)) return false;
    r.reduces = !r.reduced.empty();
    f.results.push_back(std::move(r));
    return true;
  }

  std::optional<OpFacts> Gradient(const std::vector<GradLowering>& results) {
    OpFacts f;
    if (op_.num_results() != static_cast<int>(results.size())) return No("result count");
    for (size_t k = 0; k < results.size(); ++k)
      if (!AddSummed(f, static_cast<int>(k), OperandOf(op_, results[k].input), results[k].fn, results[k].operands))
        return No("shapes not known for certain, or an operand is absent");
    if (f.results.empty()) return No("nobody uses it");
    return f;
  }

  std::optional<OpFacts> SummedTo() {
    OpFacts f;
    if (!AddSummed(f, 0, OperandOf(op_, "x"), Identity, {"out_grad"}) || f.results.empty())
      return No("shapes not known for certain");
    return f;
  }

  std::optional<OpFacts> ReduceGrad(bool mean) {
    const pir::Value x = OperandOf(op_, "x"), dout = OperandOf(op_, "out_grad");
    if (!Usable(x) || !Usable(dout) || !phi::IsFloating(dout.dtype())) return No("operand type");
    const int rank = static_cast<int>(x.dims().size());
    AxisSet summed;
    if (!ReducedAxes(op_, rank, summed)) return No("reduction axes not known");
    ResultFacts r = Result(0, x.dims(), mean ? Times : Identity);
    OperandFacts o{dout, true, {}};
    const bool kept = dout.dims().size() == rank;
    if (!kept && dout.dims().size() != rank - summed.count()) return No("operand shape");
    for (int a = 0; a < rank; ++a) {
      const bool reduced = summed.has(a);
      if (!reduced)
        o.dims.push_back(a);
      else if (kept)
        o.dims.push_back(-1);
    }
    r.operands.push_back(std::move(o));
    if (mean) {
      double n = 1;
      for (int a = 0; a < rank; ++a) {
        if (!summed.has(a)) continue;
        if (!x.dims()[a].known()) return No("the count is known only at run time");
        n *= static_cast<double>(x.dims()[a].value());
      }
      r.attrs = {1 / n};
    }
    OpFacts f;
    f.results.push_back(std::move(r));
    return f;
  }

  std::optional<OpFacts> View(pir::Value x) {
    if (op_.num_results() != 1 || !Usable(x)) return No("operand type");
    OperandFacts o{x, true, {}};
    if (!MapByExtent(x.dims(), op_.result(0).dims(), o.dims)) return No("a view that is more than added or dropped 1s");
    return Moved(std::move(o));
  }

  std::optional<OpFacts> Transpose(bool inverse) {
    const pir::Value x = op_.operand(0);
    if (op_.num_results() != 1 || !Usable(x)) return No("operand type");
    auto perm = Permutation(op_, x.dims().size());
    if (!perm) return No("permutation");
    OperandFacts o{x, true, std::vector<ViewDim>(perm->size())};
    for (int i = 0; i < static_cast<int>(perm->size()); ++i) {
      if (inverse)
        o.dims[i] = (*perm)[i];
      else
        o.dims[(*perm)[i]] = i;
    }
    return Moved(std::move(o));
  }

  std::optional<OpFacts> Moved(OperandFacts o) {
    OpFacts f;
    f.trivial = true;
    f.results.push_back(Result(0, op_.result(0).dims(), Identity));
    f.results[0].operands.push_back(std::move(o));
    return f;
  }

  const pir::Operation& op_;
  const char** why_;
  const bool alone_;
};

// A parameter, or what the program is given, that one operation reads.
bool IsOwn(pir::Value v) {
  const pir::Operation* op = v ? v.defining_op() : nullptr;
  int uses = 0;
  if (v) v.ForEachUse([&](pir::OpOperand&) { ++uses; });
  return op && uses == 1 && IsOneOf(*op, {"builtin.parameter", pir::pd::kData});
}

}  // namespace

bool Usable(pir::Value v) {
  return v && v.type().is_dense() && SupportedType(v.dtype()) && v.dims().size() <= kMaxGroupRank;
}
bool SupportedType(DataType t) { return t != DataType::UNDEFINED && !phi::IsComplex(t) && !phi::IsFloat8(t); }

std::optional<phi::Scalar> ConstantOf(pir::Value v) {
  const pir::Operation* op = pir::FullBehind(v);
  if (!op) return std::nullopt;
  const auto number = NumberOf(AttrOf(*op, "value"));
  return number && phi::IsComplex(number->dtype()) ? std::nullopt : number;
}

bool KeepsOwnState(const pir::Operation& op) {
  if (!op.isa(pir::pd::kBatchNorm_)) return false;
  auto is = [&](std::string_view name) { return NumberOf(AttrOf(op, name)).value_or(0).to_bool(); };
  if (is("use_global_stats") || (is("is_test") && !is("trainable_statistics")))  // it is given them, and makes none
    return op.result(1).use_empty() && op.result(2).use_empty();
  return IsOwn(OperandOf(op, "mean")) && IsOwn(OperandOf(op, "variance"));
}

std::optional<OpFacts> Describe(const pir::Operation& op, const char** why, bool alone) {
  return Describer(op, why, alone).Run();
}

}  // namespace cinn
