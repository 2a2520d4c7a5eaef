// SPDX-License-Identifier: Apache-2.0
#include "paddle/cinn/fusion/cost_model.h"

#include <algorithm>
#include <numeric>

namespace cinn {
namespace {

using Coefficients = std::array<double, 8>;
// Written by tools/fit_fusion.py from cost_measurements.csv.
#include "paddle/cinn/fusion/cost_table.inc"

struct Extents {
  double elements = 1, kept = 1;
  double loops = 1;            // how often the loop over lanes starts
  double full = 0, tails = 0;  // elements in full vectors; lanes of the others

  Extents(const LoopNest& nest, const int64_t* dims) {
    for (int a = 0; a < nest.group.rank; ++a) {
      elements *= static_cast<double>(dims[a]);
      if (!nest.group.reduced.has(a)) kept *= static_cast<double>(dims[a]);
    }
    int64_t lane = 1;
    for (int a : nest.lane.parts) lane *= dims[a];
    lane = std::max<int64_t>(lane, 1);
    loops = elements / static_cast<double>(lane);
    full = loops * static_cast<double>(lane / nest.width * nest.width);
    tails = lane % nest.width ? loops * nest.width : 0;
  }
};

double Strided(const LoopNest& nest) {
  return static_cast<double>(std::count(nest.access.begin(), nest.access.end(), LaneAccess::kStrided));
}

// Whether a vector holds different values of the expression.
bool Varies(const Expr& e, const LoopNest& nest) {
  const auto& lane = nest.lane.parts;
  if (!e.defined() || lane.empty()) return false;
  if (e->op == Op::kIndex) return std::find(lane.begin(), lane.end(), e->index) != lane.end();
  if (e->op == Op::kInput) return nest.access[static_cast<size_t>(e->index)] != LaneAccess::kUniform;
  return std::any_of(e->args, e->args + e->nargs, [&](const Expr& a) { return Varies(a, nest); });
}

double Masked(const LoopNest& nest) {
  const auto& in = nest.group.inputs;
  return static_cast<double>(std::count_if(
      in.begin(), in.end(), [&](const GroupInput& i) { return Varies(i.mask, nest) || Varies(i.offset, nest); }));
}

double Sum(const CostTerms& terms, const Coefficients& ns) {
  const auto list = terms.list();
  return std::inner_product(list.begin(), list.end(), ns.begin(), 0.0);
}

}  // namespace

CostTerms FusedTerms(const LoopNest& nest, const int64_t* dims) {
  const Extents e(nest, dims);
  const double sweeps = static_cast<double>(nest.stages.size());
  CostTerms t;
  t.calls = 1;
  t.operations = e.full * nest.work;
  t.tails = e.tails * nest.work;
  t.bytes = e.elements * nest.bytes * sweeps;
  t.strided = e.elements * Strided(nest);
  t.masked = e.elements * Masked(nest);
  t.loops = e.loops * sweeps;
  t.reductions = e.elements * static_cast<double>(nest.group.reductions.size());
  return t;
}

CostTerms SingleTerms(const SingleWork& work, const LoopNest& nest, const int64_t* dims) {
  const Extents e(nest, dims);
  CostTerms t;
  t.calls = work.calls;
  t.operations = e.elements * work.full.operations + e.kept * work.kept.operations;
  t.bytes = e.elements * work.full.bytes + e.kept * work.kept.bytes;
  t.strided = e.elements * Strided(nest);
  t.loops = e.loops * work.full.reductions;
  t.reductions = e.elements * work.full.reductions;
  return t;
}

CostEstimate EstimateCost(const CostTerms& fused, const CostTerms& single) {
  return {Sum(fused, kFusedNs), Sum(single, kSingleNs)};
}

}  // namespace cinn
