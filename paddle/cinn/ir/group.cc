// SPDX-License-Identifier: Apache-2.0
// Checks, text and the direct evaluator of fusion groups.
#include "paddle/cinn/ir/group.h"

#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "paddle/cinn/ir/interp.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

// The leaves of an expression, those of the inputs' own offsets and masks included.
void VisitLeaves(const FusionGroup& g, const Expr& e, std::unordered_set<const ExprNode*>& seen,
                 const std::function<void(const ExprNode&)>& f) {
  if (!seen.insert(e.node()).second) return;
  if (e->nargs == 0) f(*e.node());
  for (int k = 0; k < e->nargs; ++k) VisitLeaves(g, e->args[k], seen, f);
  if (e->op != Op::kInput) return;
  const GroupInput& in = g.inputs[static_cast<size_t>(e->index)];
  if (in.offset.defined()) VisitLeaves(g, in.offset, seen, f);
  if (in.mask.defined()) VisitLeaves(g, in.mask, seen, f);
}

bool IsReal(const GroupInput& in, int axis) { return in.real.empty() || in.real[axis]; }

std::vector<int64_t> InputStrides(const GroupInput& in, const int64_t* dims, int rank) {
  std::vector<int64_t> s(rank, 0);
  int64_t at = 1;
  auto place = [&](int axis) {
    s[axis] = at;
    at *= dims[axis];
  };
  if (!in.order.empty()) {
    for (int k = static_cast<int>(in.order.size()) - 1; k >= 0; --k) place(in.order[k]);
  } else {
    for (int k = rank - 1; k >= 0; --k)
      if (IsReal(in, k)) place(k);
  }
  return s;
}

Number Identity(ReduceKind k, DataType t) {
  const double inf = std::numeric_limits<double>::infinity();
  const int64_t lo = t == DataType::INT32 ? INT32_MIN : INT64_MIN, hi = t == DataType::INT32 ? INT32_MAX : INT64_MAX;
  switch (k) {
    case ReduceKind::kProd: return {t, 1, 1};
    case ReduceKind::kMax: return {t, -inf, t == DataType::BOOL ? 0 : lo};
    case ReduceKind::kMin: return {t, inf, t == DataType::BOOL ? 1 : hi};
    case ReduceKind::kAll: return {t, 0, 1};
    default: return {t, 0, 0};
  }
}

Number Combine(ReduceKind k, Number a, Number b) {
  const bool flt = IsFloat(a.dtype);
  switch (k) {
    case ReduceKind::kSum:
    case ReduceKind::kMean: return {a.dtype, a.f + b.f, static_cast<int64_t>(static_cast<uint64_t>(a.i) + b.i)};
    case ReduceKind::kProd: return {a.dtype, a.f * b.f, static_cast<int64_t>(static_cast<uint64_t>(a.i) * b.i)};
    case ReduceKind::kMax: return flt ? (std::isnan(a.f) || a.f > b.f ? a : b) : (a.i > b.i ? a : b);
    case ReduceKind::kMin: return flt ? (std::isnan(a.f) || a.f < b.f ? a : b) : (a.i < b.i ? a : b);
    case ReduceKind::kAny: return {a.dtype, 0, a.i || b.i};
    case ReduceKind::kAll: return {a.dtype, 0, a.i && b.i};
  }
  return a;
}

}  // namespace

const char* ReduceName(ReduceKind k) {
  constexpr const char* kNames[] = {"sum", "mean", "prod", "max", "min", "any", "all"};
  return kNames[static_cast<int>(k)];
}

DataType ReducedType(const GroupReduction& r) {
  const DataType t = r.value.dtype();
  switch (r.kind) {
    case ReduceKind::kSum:
    case ReduceKind::kProd: return IsFloat(t) ? t : DataType::INT64;
    case ReduceKind::kMean: return IsFloat(t) ? t : DataType::FLOAT32;
    case ReduceKind::kAny:
    case ReduceKind::kAll: return DataType::BOOL;
    default: return t;
  }
}

void Validate(const FusionGroup& g) {
  PD_CHECK(g.rank >= 0 && g.rank <= kMaxGroupRank, InvalidArgument, "[cinn] expected a group of rank 0 to ",
           kMaxGroupRank, ", got ", g.rank);
  PD_CHECK(g.reduced.end() <= g.rank, InvalidArgument, "[cinn] expected reduced axes below rank ", g.rank,
           ", got axis ", g.reduced.end() - 1);
  PD_CHECK(!g.outputs.empty(), InvalidArgument, "[cinn] expected a group with at least one output, got none");
  const int nin = static_cast<int>(g.inputs.size()), nred = static_cast<int>(g.reductions.size());
  for (int i = 0; i < nin; ++i) {
    const GroupInput& in = g.inputs[i];
    PD_CHECK(!in.offset.defined() || in.offset.dtype() == DataType::INT64, InvalidArgument,
             "[cinn] expected an int64 offset of input ", i);
    PD_CHECK(!in.mask.defined() || in.mask.dtype() == DataType::BOOL, InvalidArgument,
             "[cinn] expected a bool mask of input ", i);
    for (const Expr& e : {in.offset, in.mask}) {  // what an offset reads comes earlier: no circles
      std::vector<Expr> stack;
      if (e.defined()) stack.push_back(e);
      while (!stack.empty()) {
        const Expr at = stack.back();
        stack.pop_back();
        PD_CHECK(at->op != Op::kReduced && (at->op != Op::kInput || at->index < i), InvalidArgument,
                 "[cinn] expected the offset and mask of input ", i, " to read earlier inputs only");
        for (int k = 0; k < at->nargs; ++k) stack.push_back(at->args[k]);
      }
    }
    PD_CHECK(in.cut.empty() || static_cast<int>(in.cut.size()) == g.rank, InvalidArgument, "[cinn] expected ", g.rank,
             " flags of an input, got ", in.cut.size());
    PD_CHECK(in.real.empty() || static_cast<int>(in.real.size()) == g.rank, InvalidArgument, "[cinn] expected ", g.rank,
             " axis flags of an input, got ", in.real.size());
    if (in.order.empty()) continue;
    std::vector<int> count(g.rank, 0);
    for (int a : in.order) {
      PD_CHECK(a >= 0 && a < g.rank && IsReal(in, a) && count[a]++ == 0, InvalidArgument,
               "[cinn] expected the order of an input to list its real axes once, got axis ", a);
    }
    for (int a = 0; a < g.rank; ++a)
      PD_CHECK(count[a] == IsReal(in, a), InvalidArgument, "[cinn] expected the order of an input to name axis ", a);
  }
  auto check = [&](const Expr& e, int reductions, bool reduced_only) {
    PD_CHECK(e.defined(), InvalidArgument, "[cinn] expected a value, got an undefined expression");
    std::unordered_set<const ExprNode*> seen;
    VisitLeaves(g, e, seen, [&](const ExprNode& n) {
      if (n.op == Op::kInput) {
        PD_CHECK(n.index >= 0 && n.index < nin && g.inputs[n.index].dtype == n.storage, InvalidArgument,
                 "[cinn] expected one of ", nin, " inputs with its type, got %", n.index, " of ",
                 phi::NameOf(n.storage));
        if (reduced_only)
          for (int a = 0; a < g.rank; ++a)
            PD_CHECK(!g.reduced.has(a) || !IsReal(g.inputs[n.index], a), InvalidArgument,
                     "[cinn] expected a reduced output to read only inputs without the reduced axes, got %", n.index);
      } else if (n.op == Op::kReduced) {
        PD_CHECK(n.index >= 0 && n.index < reductions && n.dtype == ReducedType(g.reductions[n.index]), InvalidArgument,
                 "[cinn] expected an earlier reduction with its type, got $", n.index);
      } else if (n.op == Op::kIndex || n.op == Op::kExtent) {
        const int end = n.op == Op::kExtent ? g.rank + g.params : g.rank;
        PD_CHECK(n.index >= 0 && n.index < end, InvalidArgument, "[cinn] expected an axis below ", end, ", got ",
                 n.index);
        PD_CHECK(n.op == Op::kExtent || !reduced_only || !g.reduced.has(n.index), InvalidArgument,
                 "[cinn] expected a reduced output not to use a position along a reduced axis, got @", n.index);
      }
    });
  };
  PD_CHECK(nred == 0 || !g.reduced.empty(), InvalidArgument, "[cinn] expected axes to reduce, got none");
  for (int j = 0; j < nred; ++j) check(g.reductions[j].value, j, false);
  for (const GroupOutput& o : g.outputs) {
    phi::ComputeType(o.dtype);
    check(o.value, nred, o.reduced);
  }
}

void SimplifyGroup(FusionGroup& g) {
  std::vector<Expr> all;
  for (GroupReduction& r : g.reductions) all.push_back(r.value);
  // Storing converts, so an outermost conversion to the stored type is dropped.
  for (GroupOutput& o : g.outputs) all.push_back(o.value.is_weak() ? cast(o.value, o.dtype) : o.value);
  for (GroupInput& in : g.inputs)
    for (const Expr& e : {in.offset, in.mask})
      if (e.defined()) all.push_back(e);
  all = SimplifyAll(all);
  size_t k = 0;
  for (GroupReduction& r : g.reductions) r.value = all[k++];
  for (GroupOutput& o : g.outputs) {
    o.value = all[k++];
    while (o.value->op == Op::kCast && o.value->storage == o.dtype) o.value = o.value->args[0];
  }
  for (GroupInput& in : g.inputs)
    for (Expr* e : {&in.offset, &in.mask})
      if (e->defined()) *e = all[k++];
}

std::string GroupKey(const FusionGroup& g) {
  std::string s = "g" + std::to_string(g.rank) + ",";
  for (int a = 0; a < g.rank; ++a) s += g.reduced.has(a) ? 'x' : '-';
  if (g.params) s += ",p" + std::to_string(g.params);
  std::unordered_map<const ExprNode*, int> seen;
  auto part = [&](const std::vector<bool>& cut, bool unit) {
    if (!cut.empty()) s += "c";
    for (bool c : cut) s += c ? '1' : '0';
    if (!unit) s += "s";
  };
  for (const GroupInput& in : g.inputs) {
    s += ";i" + std::to_string(static_cast<int>(in.dtype)) + ":";
    for (int a = 0; a < g.rank; ++a) s += IsReal(in, a) ? 'r' : 'b';
    for (int a : in.order) s += "." + std::to_string(a);
    part(in.cut, in.unit);
    for (const Expr& e : {in.offset, in.mask}) {
      s += ',';
      if (e.defined()) AppendKey(e, seen, s);
    }
  }
  for (const GroupReduction& r : g.reductions) {
    s += std::string(";r") + ReduceName(r.kind) + "=";
    AppendKey(r.value, seen, s);
  }
  for (const GroupOutput& o : g.outputs) {
    s += ";o" + std::to_string(static_cast<int>(o.dtype)) + (o.reduced ? "r" : "");
    part(o.cut, o.unit);
    s += '=';
    AppendKey(o.value, seen, s);
  }
  return s;
}

std::string ToString(const FusionGroup& g) {
  std::string s = "group rank " + std::to_string(g.rank);
  if (!g.reduced.empty()) s += " reduce";
  for (int a = 0; a < g.rank; ++a)
    if (g.reduced.has(a)) s += " d" + std::to_string(a);
  s += "\n";
  for (size_t i = 0; i < g.inputs.size(); ++i) {
    const GroupInput& in = g.inputs[i];
    s += "  %" + std::to_string(i) + ": " + std::string(phi::NameOf(in.dtype)) + "[";
    for (int a = 0; a < g.rank; ++a)
      s += (a ? ", " : "") + (IsReal(in, a) ? "d" + std::to_string(a) : std::string("1"));
    s += "]";
    if (!in.order.empty()) {
      s += " order";
      for (int a : in.order) s += " " + std::to_string(a);
    }
    if (!in.cut.empty() || !in.unit) s += " part";
    if (in.offset.defined()) s += " at " + ToString(in.offset);
    if (in.mask.defined()) s += " where " + ToString(in.mask);
    s += "\n";
  }
  for (size_t j = 0; j < g.reductions.size(); ++j)
    s += "  $" + std::to_string(j) + " = " + ReduceName(g.reductions[j].kind) + " " + ToString(g.reductions[j].value) +
         "\n";
  for (const GroupOutput& o : g.outputs)
    s += std::string("  ") +
         (o.reduced   ? "store reduced "
          : o.plain() ? "store "
                      : "store part ") +
         std::string(phi::NameOf(o.dtype)) + " " + ToString(o.value) + "\n";
  return s;
}

void Interpret(const FusionGroup& g, void* const* inputs, void* const* outputs, const int64_t* dims,
               const int64_t* given) {
  Validate(g);
  std::vector<std::vector<int64_t>> strides;
  for (const GroupInput& in : g.inputs) {
    if (given)
      strides.emplace_back(given + strides.size() * g.rank, given + (strides.size() + 1) * g.rank);
    else
      strides.push_back(InputStrides(in, dims, g.rank));
  }
  std::vector<int64_t> idx(g.rank, 0);
  std::vector<Number> reduced(g.reductions.size());
  std::function<Number(const ExprNode&)> leaf = [&](const ExprNode& n) -> Number {
    switch (n.op) {
      case Op::kInput: {
        const GroupInput& in = g.inputs[static_cast<size_t>(n.index)];
        if (in.mask.defined() && !Evaluate(in.mask, leaf).i) return {n.dtype, 0, 0};
        int64_t at = in.offset.defined() ? Evaluate(in.offset, leaf).i : 0;
        for (int a = 0; a < g.rank; ++a) at += idx[a] * strides[n.index][a];
        return LoadElement(inputs[n.index], at, n.storage);
      }
      case Op::kReduced: return reduced[n.index];
      case Op::kIndex: return {DataType::INT64, 0, idx[n.index]};
      default: return {DataType::INT64, 0, dims[n.index]};
    }
  };
  std::vector<int> kept, inner;
  int64_t nkept = 1, ninner = 1;
  for (int a = 0; a < g.rank; ++a) {
    const bool red = g.reduced.has(a);
    (red ? inner : kept).push_back(a);
    (red ? ninner : nkept) *= dims[a];
  }
  auto set = [&](const std::vector<int>& axes, int64_t flat) {
    for (int k = static_cast<int>(axes.size()) - 1; k >= 0; --k) {
      idx[axes[k]] = flat % dims[axes[k]];
      flat /= dims[axes[k]];
    }
  };
  for (int64_t row = 0; row < nkept; ++row) {
    set(kept, row);
    for (size_t j = 0; j < g.reductions.size(); ++j) {
      const GroupReduction& r = g.reductions[j];
      const DataType t = ReducedType(r);
      Number acc = Identity(r.kind, r.kind == ReduceKind::kMean ? DataType::FLOAT64 : t);
      for (int64_t k = 0; k < ninner; ++k) {
        set(inner, k);
        Number v = Evaluate(r.value, leaf);
        if (!IsFloat(v.dtype) && IsFloat(acc.dtype)) v.f = static_cast<double>(v.i);
        if (acc.dtype == DataType::BOOL) v = ConvertTo(v, DataType::BOOL);
        acc = Combine(r.kind, acc, v);
      }
      if (r.kind == ReduceKind::kMean) acc.f /= static_cast<double>(ninner);
      acc.dtype = t;
      if (t == DataType::FLOAT32) acc.f = static_cast<float>(acc.f);
      reduced[j] = acc;
    }
    for (int64_t k = 0; k < ninner; ++k) {
      set(inner, k);
      int64_t at = 0;
      for (int a = 0; a < g.rank; ++a) at = at * dims[a] + idx[a];
      for (size_t o = 0; o < g.outputs.size(); ++o) {
        if (g.outputs[o].reduced && k) continue;
        int64_t to = g.outputs[o].reduced ? row : at;
        if (!g.outputs[o].plain()) {
          to = 0;
          for (int a = 0; a < g.rank; ++a) to += idx[a] * given[(g.inputs.size() + o) * g.rank + a];
        }
        StoreElement(outputs[o], to, g.outputs[o].dtype, Evaluate(g.outputs[o].value, leaf));
      }
    }
    if (ninner == 0)
      for (size_t o = 0; o < g.outputs.size(); ++o)
        if (g.outputs[o].reduced) StoreElement(outputs[o], row, g.outputs[o].dtype, Evaluate(g.outputs[o].value, leaf));
  }
}

}  // namespace cinn
