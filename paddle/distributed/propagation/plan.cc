// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/propagation/plan.h"

#include <algorithm>
#include <memory>

namespace paddle::distributed {

using phi::Ints;

namespace {

// What an axis of the mesh divides: a factor, or each of equal pieces of it.
struct Choice {
  int factor = -1;  // -1: none
  int pieces = 1;
};

// The factors that the axes of the mesh divide.
class Division {
 public:
  // `by_bytes`: of what operands divide the cheapest is taken, else the first. `windows`: whether factors that windows
  // go over may be divided.
  Division(const ProcessMesh& mesh, const Axes& axes, std::vector<Operand>& operands, const std::vector<Ints>& out,
           bool by_bytes, bool windows = true)
      : mesh_(mesh),
        axes_(axes),
        operands_(operands),
        out_(out),
        by_bytes_(by_bytes),
        windows_(windows),
        parts_(axes_.factors.size(), 1) {
    for (Operand& o : operands_) o.to.clear();
    for (int a = 0; a < mesh.ndim(); ++a) {
      const Choice c = Choose(a);
      chosen_.push_back(c);
      if (c.factor >= 0) parts_[static_cast<size_t>(c.factor)] *= int64_t{mesh.extent(a)} * c.pieces;
      for (size_t i = 0; i < operands_.size(); ++i) operands_[i].to.push_back(Placed(axes_.in[i], c));
    }
  }

  Placements OfOutput(size_t i) const {
    Placements p;
    for (const Choice& c : chosen_) {
      const bool partial = c.factor >= 0 && Lacks(i, c.factor);
      p.push_back(partial ? Placement::Partial(axes_.op) : Placed(axes_.out[i], c));
    }
    return p;
  }
  // Along which axes of the mesh the processes use operand i otherwise, though they have it alike.
  std::vector<bool> Apart(size_t i) const {
    std::vector<bool> apart;
    for (const Choice& c : chosen_) apart.push_back(c.factor >= 0 && Place(axes_.in[i], c.factor) < 0);
    return apart;
  }
  // Which axes of operand i are divided that windows go over.
  std::vector<bool> Windows(size_t i) const {
    std::vector<bool> divided(axes_.in[i].size());
    for (const Choice& c : chosen_)
      if (const int d = c.factor < 0 ? -1 : Place(axes_.in[i], c.factor); d >= 0 && FactorOf(c).windows)
        divided[static_cast<size_t>(d)] = true;
    return divided;
  }

 private:
  static int Place(const std::vector<int>& axes, int f) {
    const auto at = std::find(axes.begin(), axes.end(), f);
    return at == axes.end() ? -1 : static_cast<int>(at - axes.begin());
  }
  static Placement Placed(const std::vector<int>& axes, const Choice& c) {
    const int d = c.factor < 0 ? -1 : Place(axes, c.factor);
    return d < 0 ? Placement() : Placement::Shard(d, c.pieces);
  }
  // Whether result i is a partial one where a factor is divided.
  bool Lacks(size_t i, int f) const { return !axes_.alike[i] && Place(axes_.out[i], f) < 0; }
  const Factor& FactorOf(const Choice& c) const { return axes_.factors[static_cast<size_t>(c.factor)]; }
  bool Divides(const Choice& c, int a) const {
    const Factor& factor = FactorOf(c);
    if (factor.windows && (!windows_ || c.pieces > 1)) return false;
    if (factor.one_run && c.pieces > 1) return false;
    const int64_t parts = parts_[static_cast<size_t>(c.factor)] * mesh_.extent(a) * c.pieces;
    for (int64_t e : factor.evenly)
      if (e % parts) return false;
    return factor.divides;
  }
  // Bytes that move where axis `a` divides so; -1: nothing.
  int64_t Cost(int a, const Choice& c) const {
    const int64_t n = mesh_.extent(a);
    int64_t cost = 0;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Placement p = operands_[i].from[static_cast<size_t>(a)], to = Placed(axes_.in[i], c);
      if (p == to || p.replicates()) continue;
      const int64_t b = operands_[i].bytes;
      if (p.partial())
        cost += (to.shards() ? 1 : 2) * b * (n - 1) / n;
      else
        cost += to.shards() ? b * (n - 1) / n : b * (n - 1);
    }
    if (c.factor >= 0 && FactorOf(c).contracts)
      for (size_t i = 0; i < out_.size(); ++i)
        if (Lacks(i, c.factor)) {
          int64_t bytes = 4;
          for (size_t k = 0; k < axes_.out[i].size(); ++k) {
            const int64_t e = out_[i][static_cast<int64_t>(k)];
            bytes *= axes_.out[i][k] < 0 ? e : e / std::max<int64_t>(1, parts_[static_cast<size_t>(axes_.out[i][k])]);
          }
          cost += 2 * bytes * (n - 1) / n;
        }
    return cost;
  }
  Choice Choose(int a) const {
    Choice best;
    int64_t least = -1;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Placement p = operands_[i].from[static_cast<size_t>(a)];
      const Choice c{p.shards() ? axes_.in[i][static_cast<size_t>(p.dim)] : -1, p.pieces};
      const bool known = c.factor == best.factor && c.pieces == best.pieces;
      if (c.factor < 0 || known || !Divides(c, a)) continue;
      if (!by_bytes_) return c;
      const int64_t cost = Cost(a, c);
      if (least < 0 || cost < least) {
        best = c;
        least = cost;
      }
    }
    return best.factor >= 0 && Cost(a, {}) < least ? Choice() : best;
  }

  const ProcessMesh& mesh_;
  const Axes& axes_;
  std::vector<Operand>& operands_;
  const std::vector<Ints>& out_;
  const bool by_bytes_, windows_;
  std::vector<int64_t> parts_;  // of each factor so far
  std::vector<Choice> chosen_;  // by each axis of the mesh
};

// How an axis of the mesh, of n processes, divides a tensor under another shape where it places the tensor as p, so
// that parts stay the same elements; both shapes are those of parts along the axes of the mesh before. Else a replica.
//
// A divided axis is runs of one length in memory, of each of which a process has a share. They are pieces of an axis of
// the result that begins no later than runs do, if no element along it crosses shares.
Placement UnderShape(const Ints& in, const Ints& out, const Placement& p, int64_t n) {
  int64_t before = 1, after = 1;
  for (int k = 0; k < p.dim; ++k) before *= in[k];
  for (int64_t k = p.dim + 1; k < in.size(); ++k) after *= in[k];
  const int64_t extent = in[p.dim], runs = before * p.pieces, length = extent / p.pieces * after;
  const bool even = extent % (p.pieces * n) == 0;
  Placement found;
  int64_t outer = 1, inner = common::Product(out);
  if (inner == 0) return found;
  for (int j = 0; j < out.size(); ++j) {
    inner /= out[j];
    if (out[j] == 1) continue;
    if (outer == before && out[j] == extent) return Placement::Shard(j, p.pieces);
    if (even && runs % outer == 0 && out[j] % (runs / outer) == 0 && length / n % inner == 0 &&
        (n > 1 || runs == outer))
      found = Placement::Shard(j, runs / outer);
    outer *= out[j];
  }
  return found;
}

// The same along all axes of the mesh; the operand is moved to where its parts stay the same. `by_pieces`: whether an
// axis of the result may be divided by pieces.
Placements UnderShape(const ProcessMesh& mesh, const Ints& in, const Ints& out, Operand& operand, bool by_pieces) {
  const auto axes = static_cast<size_t>(mesh.ndim());
  Placements placed(axes);
  operand.to.assign(axes, Placement());
  for (size_t a = 0; a < axes; ++a) {
    const Placement& p = operand.from[a];
    if (!p.shards()) continue;
    const Placement through = UnderShape(ExtentsOf(in, mesh, operand.to, 0), ExtentsOf(out, mesh, placed, 0), p,
                                         mesh.extent(static_cast<int>(a)));
    if (!through.shards() || (through.pieces > 1 && !by_pieces)) continue;
    placed[a] = through;
    operand.to[a] = p;
  }
  return placed;
}

}  // namespace

const char* RuleTextOf(std::string_view op) {
  const RuleRow* end = kRuleTexts + kRuleTextCount;
  const RuleRow* at =
      std::lower_bound(kRuleTexts, end, op, [](const RuleRow& r, std::string_view n) { return r.op < n; });
  return at != end && op == at->op ? at->text : nullptr;
}

Plan PlanOf(const Rule& rule, const phi::OpDef& op, const phi::AttrValue* attrs, const ProcessMesh& mesh,
            std::vector<Operand>* operands, const std::vector<int>& slot, const std::vector<Ints>& out,
            const std::vector<int>& out_slot, bool history, bool by_bytes) {
  Plan plan;
  plan.apart.assign(operands->size(), std::vector<bool>(static_cast<size_t>(mesh.ndim())));
  const Placements whole(static_cast<size_t>(mesh.ndim()));
  if (rule.kind == Rule::kExtents && !out.empty()) {
    for (Operand& o : *operands) o.to = whole;
    plan.out.assign(out.size(), whole);
    plan.out[0] = UnderShape(mesh, (*operands)[0].dims, out[0], (*operands)[0], by_bytes);
    return plan;
  }
  std::vector<Ints> in;
  for (const Operand& o : *operands) in.push_back(o.dims);
  const Axes axes = AxesOf(rule, op, attrs, in, slot, out, out_slot, history);
  auto division = std::make_unique<Division>(mesh, axes, *operands, out, by_bytes);
  if (HasWindows(rule)) {
    const std::vector<bool> divided = division->Windows(0);
    plan.windows = std::find(divided.begin(), divided.end(), true) != divided.end();
    if (plan.windows) plan.spatial = SpatialOf(op, attrs, in, out[0], divided);
    const Windows& windows = plan.spatial.windows;
    if (plan.windows && (windows.empty() || !AllRead(in[0], mesh, (*operands)[0].to, windows))) {
      plan.windows = false;
      division = std::make_unique<Division>(mesh, axes, *operands, out, by_bytes, false);
    }
  }
  for (size_t i = 0; i < operands->size(); ++i) plan.apart[i] = division->Apart(i);
  for (size_t i = 0; i < out.size(); ++i) plan.out.push_back(division->OfOutput(i));
  for (size_t i = 0; i < operands->size() && axes.begins != kWholeAxis; ++i) {
    const auto at = std::find(axes.in[i].begin(), axes.in[i].end(), axes.begins);
    if (at == axes.in[i].end()) continue;
    plan.begins_operand = static_cast<int>(i);
    plan.begins_axis = static_cast<int>(at - axes.in[i].begin());
  }
  return plan;
}

void PlanBack(const Rule& rule, const phi::OpDef& op, const phi::AttrValue* attrs, const ProcessMesh& mesh,
              std::vector<Operand>* operands, const std::vector<int>& slot, std::vector<Operand>* results,
              const std::vector<int>& out_slot) {
  if (rule.kind == Rule::kExtents) {
    (*operands)[0].to = UnderShape(mesh, (*results)[0].dims, (*operands)[0].dims, (*results)[0], false);
    return;
  }
  std::vector<Ints> in, out;
  for (const Operand& o : *operands) in.push_back(o.dims);
  for (const Operand& o : *results) out.push_back(o.dims);
  Axes axes = AxesOf(rule, op, attrs, in, slot, out, out_slot, false);
  std::swap(axes.in, axes.out);
  axes.alike.assign(axes.out.size(), true);
  const Division division(mesh, axes, *results, in, false);
  for (size_t i = 0; i < operands->size(); ++i) (*operands)[i].to = division.OfOutput(i);
}

}  // namespace paddle::distributed
