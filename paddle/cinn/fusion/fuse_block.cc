// SPDX-License-Identifier: Apache-2.0
// Decides which operations of a block share a kernel. Operations are visited in order; each joins a group of one of its
// producers when shapes allow and no dependency would run in a circle through the outside.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <unordered_map>

#include "paddle/cinn/fusion/group_builder.h"
#include "paddle/common/op_traits.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/pass/passes.h"

namespace cinn {
namespace {

class BlockFuser {
 public:
  // The ops between two barriers.
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
      const bool effect = ops_[i]->info()->has(pir::kSideEffect) && !KeepsOwnState(*ops_[i]);
      if (effect || ops_[i]->info()->has(pir::kRandom)) {
        if (last_effect >= 0) deps_[i].push_back(last_effect);
        last_effect = i;
      }
    }
  }

  void Run() {
    const int n = static_cast<int>(ops_.size());
    for (int i = 0; i < n; ++i) Place(i);
    for (int i = n - 1; i >= 0; --i)
      if (group_[i] >= 0) Sink(i);
  }

  // Groups worth a kernel, and the order of all ops with members adjacent.
  void Collect(std::vector<FusedOps>& out, std::vector<pir::Operation*>& order) {
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].members.empty()) DropEscapingViews(static_cast<int>(g));
      if (groups_[g].members.empty()) continue;
      int work = 0;
      for (int i : groups_[g].members) work += !facts_[i]->trivial;
      const std::vector<int> extra = Gone(static_cast<int>(g));
      std::vector<pir::Operation*> gone;
      for (int i : extra) gone.push_back(ops_[i]);
      FusedOps f;
      const char* why = "only one operation in it does work";
      if (work >= 2) {
        why = "an extent is known only when its results are";
        auto read_elsewhere = [&](pir::Value v) {
          for (size_t h = 0; h < groups_.size(); ++h)
            if (h != g && !groups_[h].members.empty() && groups_[h].builder.Reads(v)) return true;
          return false;
        };
        if (groups_[g].builder.Finish(f, gone, read_elsewhere)) {
          if (f.outputs.size() <= kMaxGroupOutputs) {
            std::vector<int>& m = groups_[g].members;
            m.insert(m.end(), extra.begin(), extra.end());
            std::sort(m.begin(), m.end());
            for (int i : extra) group_[i] = static_cast<int>(g);
            f.ops.clear();
            for (int i : m) f.ops.push_back(ops_[i]);
            out.push_back(std::move(f));
            continue;
          }
          why = "more results leave it than a kernel may have";
          if (Halve(static_cast<int>(g))) {
            --g;
            continue;
          }
        }
      }
      SayGroup(static_cast<int>(g), why);
      Dissolve(static_cast<int>(g));
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

  void SayGroup(int g, const char* text) const {
    if (explain_ && !groups_[g].members.empty())
      std::fprintf(stderr, "cinn: group %d (from %s, op %d): %s\n", g, ops_[groups_[g].members.front()]->name().c_str(),
                   groups_[g].members.front(), text);
  }

  void Place(int i) {
    const char* why = "";
    facts_[i] = Describe(*ops_[i], &why);
    if (!facts_[i]) {
      Say(i, why);
      return;
    }
    for (pir::Operation* w : facts_[i]->with)
      if (!index_.count(w)) {
        facts_[i].reset();
        return Say(i, "an operation that writes in place lies between it and its parts");
      }
    if (Join(i)) return;
    if (facts_[i]->otherwise) {
      OpFacts other = *facts_[i]->otherwise;
      facts_[i] = std::move(other);
      if (Join(i)) return;
    }
    if (facts_[i]->results[0].assembles) return Say(i, "no group makes its parts");
    Group fresh{GroupBuilder(&index_), {}};
    if (!fresh.builder.Add(ops_[i], *facts_[i], &why)) {
      Say(i, why);
      return;
    }
    groups_.push_back(std::move(fresh));
    Belongs(i, static_cast<int>(groups_.size()) - 1);
    if (explain_) std::fprintf(stderr, "cinn: %s (op %d): starts group %d\n", ops_[i]->name().c_str(), i, group_[i]);
  }

  // i is a member of group g, and with it the operations that only it needs.
  void Belongs(int i, int g) {
    const char* why = "";
    std::vector<int>& m = groups_[g].members;
    group_[i] = g;
    m.push_back(i);
    for (pir::Operation* w : facts_[i]->with) {
      const int k = index_.at(w);
      facts_[k] = OpFacts();
      facts_[k]->trivial = true;
      group_[k] = g;
      root_[k] = i;
      groups_[g].builder.Add(w, *facts_[k], &why);
      m.push_back(k);
    }
    std::sort(m.begin(), m.end());
  }

  // Adds i to a group that makes one of its operands, and merges the others into that one.
  bool Join(int i) {
    const char* why = "";
    std::vector<int> candidates;  // producers' groups, latest producer first
    std::vector<int> producers;
    for (const ResultFacts& r : facts_[i]->results)
      for (const OperandFacts& o : r.operands) {
        auto it = o.value && o.value.defining_op() ? index_.find(o.value.defining_op()) : index_.end();
        if (it != index_.end()) producers.push_back(it->second);
      }
    std::sort(producers.rbegin(), producers.rend());
    for (int p : producers)
      if (group_[p] >= 0 && std::find(candidates.begin(), candidates.end(), group_[p]) == candidates.end())
        candidates.push_back(group_[p]);
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
        Belongs(i, g);
        if (explain_) std::fprintf(stderr, "cinn: %s (op %d): joins group %d\n", ops_[i]->name().c_str(), i, g);
      } else {
        Say(i, why);
      }
    }
    return joined >= 0;
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
    std::vector<int> from, own{i};
    for (pir::Operation* w : facts_[i]->with) own.push_back(index_.at(w));
    for (int k : own)
      for (int d : deps_[k])
        if (group_[d] != g && std::find(own.begin(), own.end(), d) == own.end()) from.push_back(d);
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
    auto apart = [&](const char* text) {
      if (explain_) std::fprintf(stderr, "cinn: groups %d and %d stay apart: %s\n", into, from, text);
    };
    if (crosses(a, from) || crosses(b, into))
      return apart("a path through another operation leads from one to the other");
    std::vector<int> all = a.members;
    all.insert(all.end(), b.members.begin(), b.members.end());
    std::sort(all.begin(), all.end());
    GroupBuilder merged(&index_);
    const char* why = "";
    for (int m : all)
      if (!merged.Add(ops_[m], *facts_[m], &why)) return apart(why);
    if (explain_) std::fprintf(stderr, "cinn: group %d joins group %d\n", from, into);
    for (int m : b.members) group_[m] = into;
    a.builder = std::move(merged);
    a.members = std::move(all);
    b.members.clear();
    b.builder = GroupBuilder();
  }

  // Whether member i is elementwise and cheap to compute in several passes, and nothing but data orders it.
  bool Movable(int i) const {
    const OpFacts& f = *facts_[i];
    const pir::OpInfo& info = *ops_[i]->info();
    if (!common::TraitsOf(ops_[i]->name()).cheap || f.trivial || !f.with.empty() || !f.inplace.empty() ||
        info.has(pir::kSideEffect) || info.has(pir::kRandom))
      return false;
    for (const ResultFacts& r : f.results) {
      if (r.reduces || r.assembles) return false;
      for (const OperandFacts& o : r.operands)
        if (o.masked || o.looked_up >= 0 || o.below >= 0) return false;
    }
    return true;
  }

  static constexpr int kNobody = -1, kOthers = -2;
  // The group of all operations that read results of i, `own` aside.
  int Reader(int i, const std::vector<int>& own) const {
    int reader = kNobody;
    for (int k = 0; k < ops_[i]->num_results(); ++k)
      ops_[i]->result(k).ForEachUse([&](pir::OpOperand& u) {
        auto at = index_.find(u.owner());
        const int user = at == index_.end() ? -1 : at->second;
        if (user >= 0 && std::find(own.begin(), own.end(), user) != own.end()) return;
        const int g = user < 0 || group_[user] < 0 ? kOthers : group_[user];
        reader = reader == kNobody || reader == g ? g : kOthers;
      });
    return reader;
  }

  // Moves a member that only group h reads, with what only it reads in turn, into group h, where that one reads all
  // they are computed from anyway: one array less is written and read.
  void Sink(int i) {
    const int g = group_[i], h = Reader(i, {});
    if (h < 0 || h == g) return;
    std::vector<int> moved;
    if (!Cone(i, h, moved)) return;
    std::vector<int> low, high = groups_[h].members;
    for (int m : groups_[g].members)
      (std::find(moved.begin(), moved.end(), m) == moved.end() ? low : high).push_back(m);
    std::sort(high.begin(), high.end());
    GroupBuilder from(&index_), into(&index_);
    const char* why = "";
    for (int m : low)
      if (!from.Add(ops_[m], *facts_[m], &why)) return;
    for (int m : high)
      if (!into.Add(ops_[m], *facts_[m], &why)) return;
    if (explain_) std::fprintf(stderr, "cinn: %s (op %d) goes to group %d\n", ops_[i]->name().c_str(), i, h);
    for (int m : moved) group_[m] = h;
    groups_[g] = {std::move(from), std::move(low)};
    groups_[h] = {std::move(into), std::move(high)};
  }

  // i and the members of its group that only it needs, down to what group h reads.
  bool Cone(int i, int h, std::vector<int>& cone) const {
    const int g = group_[i];
    if (!common::SameDims(groups_[g].builder.space(), groups_[h].builder.space())) return false;
    cone.assign(1, i);
    for (size_t at = 0; at < cone.size(); ++at) {
      if (!Movable(cone[at])) return false;
      for (const ResultFacts& r : facts_[cone[at]]->results)
        for (const OperandFacts& o : r.operands) {
          if (!o.value || groups_[h].builder.Reads(o.value) || ConstantOf(o.value)) continue;
          auto made = o.value.defining_op() ? index_.find(o.value.defining_op()) : index_.end();
          const int d = made == index_.end() ? -1 : made->second;
          if (d < 0 || group_[d] != g) return false;
          if (std::find(cone.begin(), cone.end(), d) != cone.end()) continue;
          if (Reader(d, cone) != kNobody) return false;
          cone.push_back(d);
        }
    }
    return true;
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
      if (escapes && outside)
        Say(i, "stays a view");
      else
        kept.push_back(i);
    }
    if (kept.size() == groups_[g].members.size()) return;
    GroupBuilder rebuilt(&index_);
    const char* why = "";
    for (int i : kept)
      if (!rebuilt.Add(ops_[i], *facts_[i], &why)) return;
    for (int i : groups_[g].members) group_[i] = -1;
    for (int i : kept) group_[i] = g;
    groups_[g].members = std::move(kept);
    groups_[g].builder = std::move(rebuilt);
  }

  void Dissolve(int g) {
    for (int i : groups_[g].members) group_[i] = -1;
    groups_[g].members.clear();
  }

  // Two groups instead of group g: the first half of its members and a new group of the others.
  bool Halve(int g) {
    const std::vector<int> all = groups_[g].members;
    if (all.size() < 2) return false;
    const int middle = all[all.size() / 2];
    GroupBuilder first(&index_), second(&index_);
    std::vector<int> low, high;
    const char* why = "";
    for (int m : all) {
      auto root = root_.find(m);
      const bool up = (root != root_.end() ? root->second : m) >= middle;
      (up ? high : low).push_back(m);
      if (!(up ? second : first).Add(ops_[m], *facts_[m], &why)) return false;
    }
    if (low.empty() || high.empty()) return false;
    SayGroup(g, "split in two, since more results leave it than a kernel may have");
    for (int m : high) group_[m] = static_cast<int>(groups_.size());
    groups_[g] = {std::move(first), std::move(low)};
    groups_.push_back({std::move(second), std::move(high)});
    return true;
  }

  // Constants, lists and views that only group g names, and that its kernel does not read as they are.
  std::vector<int> Gone(int g) const {
    std::vector<int> gone;
    std::priority_queue<int> look;
    auto operands = [&](int i) {
      for (int d : deps_[i])
        if (group_[d] < 0) look.push(d);
    };
    for (int i : groups_[g].members) operands(i);
    for (int last = -1; !look.empty();) {
      const int i = look.top();
      look.pop();
      if (i == last) continue;
      last = i;
      const pir::Operation* op = ops_[i];
      if (!pir::HoldsNumbers(*op) && !op->isa("builtin.combine") && !MakesViews(*op)) continue;
      bool only = true;
      for (int k = 0; k < op->num_results(); ++k) {
        only &= !groups_[g].builder.Reads(op->result(k));
        op->result(k).ForEachUse([&](pir::OpOperand& u) {
          auto at = index_.find(u.owner());
          only &= at != index_.end() &&
                  (group_[at->second] == g || std::find(gone.begin(), gone.end(), at->second) != gone.end());
        });
      }
      if (!only) continue;
      gone.push_back(i);
      operands(i);
    }
    return gone;
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
  OpNumbers index_;
  std::unordered_map<int, int> root_;  // of ops that go with another one
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
  std::vector<pir::Operation*> order, segment;
  size_t total = 0;
  auto flush = [&] {
    if (segment.empty()) return;
    BlockFuser fuser(std::move(segment), explain);
    fuser.Run();
    fuser.Collect(out, order);
    segment.clear();
  };
  // Nothing moves across an operation that writes in place (unless nobody else reads what it writes), holds regions, or
  // ends the block.
  for (pir::Operation& op : block) {
    ++total;
    const bool barrier =
        op.num_regions() || (pir::WritesOperand(*op.info()) && !KeepsOwnState(op)) || op.info()->has(pir::kTerminator);
    if (!barrier) {
      segment.push_back(&op);
      continue;
    }
    if (explain && !op.info()->has(pir::kTerminator))
      std::fprintf(stderr, "cinn: %s: nothing moves across it\n", op.name().c_str());
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
