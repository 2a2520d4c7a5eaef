// SPDX-License-Identifier: Apache-2.0
// Decides which operations of a block share a kernel. Operations are visited in order; each joins a group of one of its
// producers when shapes allow and no dependency would run in a circle through the outside.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <unordered_map>

#include "paddle/cinn/fusion/group_builder.h"

namespace cinn {
namespace {

class BlockFuser {
 public:
  // Ops [begin, end) of one stretch between barriers.
  BlockFuser(std::vector<pir::Operation*> ops, bool explain) : ops_(std::move(ops)), explain_(explain) {
    const int n = static_cast<int>(ops_.size());
    for (int i = 0; i < n; ++i) index_[ops_[i]] = i;
    deps_.resize(n);
    facts_.resize(n);
    group_.assign(n, -1);
    int last_effect = -1;
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < ops_[i]->num_operands(); ++k) {
        const pir::Value v = ops_[i]->operand(k);
        if (!v || !v.defining_op()) continue;
        auto it = index_.find(v.defining_op());
        if (it != index_.end()) deps_[i].push_back(it->second);
      }
      if (ops_[i]->info()->has(pir::kSideEffect) || ops_[i]->info()->has(pir::kRandom)) {
        if (last_effect >= 0) deps_[i].push_back(last_effect);
        last_effect = i;
      }
    }
  }

  void Run() {
    for (int i = 0; i < static_cast<int>(ops_.size()); ++i) Place(i);
  }

  // Groups worth a kernel, and the order of all ops with members adjacent.
  void Collect(std::vector<FusedOps>& out, std::vector<pir::Operation*>& order) {
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].members.empty()) DropEscapingViews(static_cast<int>(g));
      if (groups_[g].members.empty()) continue;
      FusedOps f;
      int work = 0;
      for (int i : groups_[g].members) work += !facts_[i]->trivial;
      if (work >= 2 && groups_[g].builder.Finish(f)) {
        Absorb(f);
        out.push_back(std::move(f));
        continue;
      }
      for (int i : groups_[g].members) group_[i] = -1;
      groups_[g].members.clear();
    }
    Order(order);
  }

 private:
  struct Group {
    GroupBuilder builder;
    std::vector<int> members;  // increasing
  };

  void Say(int i, const char* text) const {
    if (explain_) std::fprintf(stderr, "cinn: %s (op %d): %s\n", ops_[i]->name().c_str(), i, text);
  }

  void Place(int i) {
    const char* why = "";
    facts_[i] = Describe(*ops_[i], &why);
    if (!facts_[i]) {
      Say(i, why);
      return;
    }
    std::vector<int> candidates;  // producers' groups, latest producer first
    std::vector<int> producers;
    for (const ResultFacts& r : facts_[i]->results)
      for (const OperandFacts& o : r.operands) {
        auto it = o.value && o.value.defining_op() ? index_.find(o.value.defining_op()) : index_.end();
        if (it != index_.end()) producers.push_back(it->second);
      }
    std::sort(producers.rbegin(), producers.rend());
    for (int p : producers)
      if (group_[p] >= 0 && std::find(candidates.begin(), candidates.end(), group_[p]) == candidates.end()) candidates.push_back(group_[p]);
    int joined = -1;
    for (int g : candidates) {
      if (joined >= 0) {
        Merge(joined, g);
        continue;
      }
      if (Circular(i, g)) {
        Say(i, "a path through another operation leads back to the group");
        continue;
      }
      if (groups_[g].builder.Add(ops_[i], *facts_[i], &why)) {
        joined = g;
        group_[i] = g;
        groups_[g].members.push_back(i);
        if (explain_) std::fprintf(stderr, "cinn: %s (op %d): joins group %d\n", ops_[i]->name().c_str(), i, g);
      } else {
        Say(i, why);
      }
    }
    if (joined >= 0) return;
    Group fresh;
    if (!fresh.builder.Add(ops_[i], *facts_[i], &why)) {
      Say(i, why);
      return;
    }
    fresh.members.push_back(i);
    group_[i] = static_cast<int>(groups_.size());
    groups_.push_back(std::move(fresh));
    if (explain_) std::fprintf(stderr, "cinn: %s (op %d): starts group %d\n", ops_[i]->name().c_str(), i, group_[i]);
  }

  // No op before it needs group g, however groups in between reach: none has members on both sides.
  int Horizon(int g) const {
    int bound = groups_[g].members.front();
    for (bool moved = true; moved;) {
      moved = false;
      for (const Group& h : groups_) {
        if (h.members.empty() || h.members.front() >= bound || h.members.back() < bound) continue;
        bound = h.members.front();
        moved = true;
      }
    }
    return bound;
  }

  // Whether one of the ops in `stack` needs, directly or not, a member of group g. A group needs what its members need.
  bool Depend(std::vector<int> stack, int g) const {
    const int horizon = Horizon(g);
    std::vector<bool> seen_op(ops_.size(), false), seen_group(groups_.size(), false);
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      const int own = group_[i];
      if (own == g) return true;
      if (i < horizon || (own >= 0 ? seen_group[own] : seen_op[i])) continue;
      if (own < 0) {
        seen_op[i] = true;
        stack.insert(stack.end(), deps_[i].begin(), deps_[i].end());
        continue;
      }
      seen_group[own] = true;
      for (int m : groups_[own].members) stack.insert(stack.end(), deps_[m].begin(), deps_[m].end());
    }
    return false;
  }

  // Whether an operand of i that is not made in g needs g.
  bool Circular(int i, int g) const {
    std::vector<int> from;
    for (int d : deps_[i])
      if (group_[d] != g) from.push_back(d);
    return Depend(std::move(from), g);
  }

  void Merge(int into, int from) {
    Group &a = groups_[into], &b = groups_[from];
    auto crosses = [&](const Group& x, int other) {
      std::vector<int> outside;
      for (int m : x.members)
        for (int d : deps_[m])
          if (group_[d] != into && group_[d] != from) outside.push_back(d);
      return Depend(std::move(outside), other);
    };
    if (crosses(a, from) || crosses(b, into)) return;
    std::vector<int> all = a.members;
    all.insert(all.end(), b.members.begin(), b.members.end());
    std::sort(all.begin(), all.end());
    GroupBuilder merged;
    const char* why = "";
    for (int m : all)
      if (!merged.Add(ops_[m], *facts_[m], &why)) return;
    if (explain_) std::fprintf(stderr, "cinn: group %d joins group %d\n", from, into);
    for (int m : b.members) group_[m] = into;
    a.builder = std::move(merged);
    a.members = std::move(all);
    b.members.clear();
    b.builder = GroupBuilder();
  }

  // A view of an outside value that outside operations read as well stays a view instead of becoming a stored copy.
  void DropEscapingViews(int g) {
    std::vector<int> kept;
    for (int i : groups_[g].members) {
      bool escapes = false, outside = facts_[i]->trivial;
      for (const ResultFacts& r : facts_[i]->results) {
        if (r.index < 0) continue;
        ops_[i]->result(r.index).ForEachUse([&](pir::OpOperand& u) {
          auto it = index_.find(u.owner());
          escapes |= it == index_.end() || group_[it->second] != g;
        });
      }
      for (int d : deps_[i]) outside &= group_[d] != g;  // also one that is read for its shape only
      if (escapes && outside) Say(i, "stays a view");
      else kept.push_back(i);
    }
    if (kept.size() == groups_[g].members.size()) return;
    GroupBuilder rebuilt;
    const char* why = "";
    for (int i : kept)
      if (!rebuilt.Add(ops_[i], *facts_[i], &why)) return;
    for (int i : groups_[g].members) group_[i] = -1;
    for (int i : kept) group_[i] = g;
    groups_[g].members = std::move(kept);
    groups_[g].builder = std::move(rebuilt);
  }

  // Constants read by nobody else go with the group.
  void Absorb(FusedOps& f) {
    const int g = group_[index_.at(f.ops.front())];
    std::vector<int> extra;
    for (pir::Operation* op : f.ops) {
      for (int k = 0; k < op->num_operands(); ++k) {
        pir::Operation* def = op->operand(k) ? op->operand(k).defining_op() : nullptr;
        auto it = def ? index_.find(def) : index_.end();
        if (it == index_.end() || group_[it->second] >= 0) continue;
        if (!def->isa("pd_op.full") && !def->isa("pd_op.full_int_array")) continue;
        if (std::find(f.inputs.begin(), f.inputs.end(), def->result(0)) != f.inputs.end()) continue;
        bool only = def->num_operands() == 0;
        def->result(0).ForEachUse([&](pir::OpOperand& u) {
          auto at = index_.find(u.owner());
          only &= at != index_.end() && group_[at->second] == g;
        });
        if (!only) continue;
        group_[it->second] = g;
        extra.push_back(it->second);
      }
    }
    std::vector<int>& m = groups_[g].members;
    m.insert(m.end(), extra.begin(), extra.end());
    std::sort(m.begin(), m.end());
    f.ops.clear();
    for (int i : m) f.ops.push_back(ops_[i]);
  }

  // Topological order of groups and single ops, as close to the program's as possible.
  void Order(std::vector<pir::Operation*>& order) {
    const int n = static_cast<int>(ops_.size());
    auto node = [&](int i) { return group_[i] >= 0 ? groups_[group_[i]].members.back() : i; };
    std::vector<int> missing(n, 0);
    std::vector<std::vector<int>> users(n);
    for (int i = 0; i < n; ++i)
      for (int d : deps_[i]) {
        if (node(d) == node(i)) continue;
        users[node(d)].push_back(node(i));
        ++missing[node(i)];
      }
    std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
    for (int i = 0; i < n; ++i)
      if (node(i) == i && missing[i] == 0) ready.push(i);
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      if (group_[i] >= 0)
        for (int m : groups_[group_[i]].members) order.push_back(ops_[m]);
      else
        order.push_back(ops_[i]);
      for (int u : users[i])
        if (--missing[u] == 0) ready.push(u);
    }
  }

  std::vector<pir::Operation*> ops_;
  bool explain_;
  std::unordered_map<const pir::Operation*, int> index_;
  std::vector<std::vector<int>> deps_;
  std::vector<std::optional<OpFacts>> facts_;
  std::vector<int> group_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<FusedOps> FuseBlock(pir::Block& block) {
  const char* flag = std::getenv("FLAGS_cinn_explain");
  const bool explain = flag && *flag && *flag != '0';
  std::vector<FusedOps> out;
  std::vector<pir::Operation*> order, stretch;
  size_t total = 0;
  auto flush = [&] {
    if (stretch.empty()) return;
    BlockFuser fuser(std::move(stretch), explain);
    fuser.Run();
    fuser.Collect(out, order);
    stretch.clear();
  };
  // Nothing moves across an operation that writes in place, holds regions, or ends the block.
  for (pir::Operation& op : block) {
    ++total;
    const bool barrier = op.num_regions() || op.info()->has(pir::kInplace) || op.info()->has(pir::kTerminator);
    if (!barrier) {
      stretch.push_back(&op);
      continue;
    }
    flush();
    order.push_back(&op);
  }
  flush();
  if (order.size() != total) {
    if (explain) std::fprintf(stderr, "cinn: groups need each other in a circle: the block stays as it is\n");
    return {};
  }
  pir::Operation* at = nullptr;
  for (pir::Operation* op : order) {
    if (!at) {
      if (op != block.front()) op->MoveBefore(block.front());
    } else if (at->next() != op) {
      op->MoveAfter(at);
    }
    at = op;
  }
  return out;
}

}  // namespace cinn
