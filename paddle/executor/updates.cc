// SPDX-License-Identifier: Apache-2.0
// Brings updates in place (an optimizer's steps) to where their gradients are ready, and joins those of small
// parameters.
#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "paddle/executor/code.h"

namespace executor {
namespace {

// Parameters below kSmallBytes are updated together, as far as their gradients, which wait for each other, are no more
// than kBucketBytes.
constexpr int64_t kSmallBytes = 64 << 10, kBucketBytes = 1 << 20;

// Moves an instruction that writes arguments in place and makes nothing else (an optimizer's step), with what is
// computed for it alone, to where its operands are ready. Its gradient's memory is free from there on. Nothing moves
// across instructions that read the memory it writes, those whose effects can be seen, and branches.
// Steps on small parameters come together, where the last of their gradients is ready, and become one instruction.
class Updates {
 public:
  Updates(CompiledProgram& program, const std::vector<char>& read)
      : program_(program), ins_(program.code.instructions), read_(read) {
    class_.resize(program.num_values);
    std::iota(class_.begin(), class_.end(), 0);
    for (size_t a = 0; a < program.constants.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const Tensor &x = program.constants[a].second, &y = program.constants[b].second;
        if (phi::SameStorage(x, y)) Join(program.constants[a].first, program.constants[b].first);
      }
    for (size_t i = 0; i < ins_.size(); ++i) {
      Share(ins_[i]);
      ForEachMade(ins_[i], [&](int v) { maker_[v] = i; });
      auto reads = [&](int v) { readers_[v].push_back(i); };
      ForEachRead(ins_[i], reads);
      for (auto& c : ins_[i].regions) FindReads(*c, reads);
    }
    for (int v : program.code.yields) readers_[v].push_back(ins_.size());
  }

  void Move() {
    std::vector<size_t> order(ins_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const std::vector<std::vector<size_t>> buckets = Buckets();
    std::unordered_set<size_t> later;
    for (const std::vector<size_t>& updates : buckets) later.insert(updates.begin(), updates.end());
    auto move_alone = [&](size_t i) {
      if (!MoveUnit(order, Unit(i))) MoveUnit(order, {i});
    };
    for (size_t i = 0; i < ins_.size(); ++i)
      if (IsUpdate(ins_[i]) && !later.count(i)) move_alone(i);
    for (const std::vector<size_t>& updates : buckets)
      if (!MoveBucket(order, updates))
        for (size_t i : updates) move_alone(i);
    std::unordered_map<size_t, size_t> begins;  // where the updates of a bucket lie one after another: how many
    for (const std::vector<size_t>& updates : buckets) {
      auto at = std::find(order.begin(), order.end(), updates[0]);
      if (order.end() - at >= static_cast<ptrdiff_t>(updates.size()) && std::equal(updates.begin(), updates.end(), at))
        begins[updates[0]] = updates.size();
    }
    std::vector<Instruction> moved;
    moved.reserve(order.size());
    for (size_t k = 0; k < order.size();) {
      auto it = begins.find(order[k]);
      const size_t n = it == begins.end() ? 1 : it->second;
      moved.push_back(n == 1 ? std::move(ins_[order[k]]) : Together(&order[k], n));
      k += n;
    }
    ins_ = std::move(moved);
    std::unordered_set<int> early;
    for (int v : written_) early.insert(Class(v));
    for (auto& [v, t] : program_.constants)
      if (early.count(Class(v))) program_.early.push_back(v);
  }

 private:
  int Class(int v) {
    while (class_[v] != v) v = class_[v] = class_[class_[v]];
    return v;
  }
  void Join(int a, int b) { class_[Class(a)] = Class(b); }

  static bool IsShape(const Instruction& ins, size_t k) {
    return ins.kind == Instruction::kOp && ins.op->tensors[k]->shape_only;
  }

  // Joins values that may share memory.
  void Share(const Instruction& ins) {
    for (auto [out, in] : ins.inplace) Join(ins.out[out].value, ins.in[in].value);
    if (ins.kind == Instruction::kFused) return;
    auto join = [&](int in) {
      if (in >= 0) ForEachMade(ins, [&](int out) { Join(in, out); });
    };
    for (auto& c : ins.regions) FindReads(*c, join);
    for (size_t k = 0; k < ins.in.size(); ++k) {
      if (IsShape(ins, k) || (ins.kind == Instruction::kOp && ins.op->tensors[k]->apart)) continue;
      join(ins.in[k].value);
      for (int v : ins.in[k].list) join(v);
    }
  }

  // Whether others may see that the instruction ran, or it writes what is not declared.
  static bool IsBarrier(const Instruction& ins) {
    if (ins.kind == Instruction::kFused) return false;
    if (ins.kind != Instruction::kOp) return true;
    size_t declared = 0;
    for (auto& o : ins.op->outs) declared += o.same_as_input != nullptr;
    if (declared > ins.inplace.size())
      for (size_t k = 0; k < ins.op->outs.size(); ++k)
        if (ins.op->outs[k].same_as_input && ins.out[k].variadic) return true;
    return (ins.op->flags & phi::kOpSideEffect) && !(ins.op->flags & phi::kOpRandom) && ins.inplace.empty();
  }

  bool IsUpdate(const Instruction& ins) {
    if (ins.kind != Instruction::kOp || ins.inplace.empty() || (ins.op->flags & phi::kOpRandom) || IsBarrier(ins))
      return false;
    for (size_t k = 0; k < ins.out.size(); ++k) {
      if (ins.out[k].variadic) return false;
      const bool inplace =
          std::any_of(ins.inplace.begin(), ins.inplace.end(), [&](auto& p) { return p.first == static_cast<int>(k); });
      if (!inplace && ins.out[k].value >= 0 && read_[ins.out[k].value]) return false;
    }
    return true;
  }

  // The update and what serves it alone, in order.
  std::vector<size_t> Unit(size_t update) {
    std::vector<size_t> unit{update};
    for (size_t at = 0; at < unit.size(); ++at)
      ForEachRead(ins_[unit[at]], [&](int v) {
        auto it = maker_.find(v);
        if (it == maker_.end()) return;
        const Instruction& maker = ins_[it->second];
        if (maker.kind != Instruction::kOp ||
            (maker.op->flags & (phi::kOpSideEffect | phi::kOpRandom | phi::kOpSparing)))
          return;
        if (std::find(unit.begin(), unit.end(), it->second) != unit.end()) return;
        bool alone = true;
        ForEachMade(maker, [&](int made) {
          for (size_t r : readers_[made]) alone = alone && std::find(unit.begin(), unit.end(), r) != unit.end();
        });
        if (alone) unit.push_back(it->second);
      });
    std::sort(unit.begin(), unit.end());
    return unit;
  }

  bool Writes(const Instruction& ins, int memory) {
    return std::any_of(ins.inplace.begin(), ins.inplace.end(),
                       [&](auto& p) { return Class(ins.in[p.second].value) == memory; });
  }
  bool Reads(const Instruction& ins, int memory) {
    for (size_t k = 0; k < ins.in.size(); ++k) {
      if (IsShape(ins, k)) continue;
      if (ins.in[k].value >= 0 && Class(ins.in[k].value) == memory) return true;
      for (int v : ins.in[k].list)
        if (v >= 0 && Class(v) == memory) return true;
    }
    bool inside = false;
    for (auto& c : ins.regions) FindReads(*c, [&](int v) { inside = inside || Class(v) == memory; });
    if (inside) return true;
    return std::any_of(ins.dynamic_attrs.begin(), ins.dynamic_attrs.end(),
                       [&](auto& a) { return Class(a.second) == memory; });
  }
  // Whether the order of the two matters.
  bool Ordered(const Instruction& first, const Instruction& second) {
    if (IsBarrier(first)) return true;
    bool ordered = false;
    ForEachMade(first, [&](int made) { ForEachRead(second, [&](int v) { ordered = ordered || v == made; }); });
    for (auto [out, in] : first.inplace) ordered = ordered || Reads(second, Class(first.in[in].value));
    for (auto [out, in] : second.inplace) ordered = ordered || Reads(first, Class(second.in[in].value));
    return ordered;
  }

  // Places the unit, in its order, as early as it may come. False when its members cannot be brought together.
  bool MoveUnit(std::vector<size_t>& order, const std::vector<size_t>& unit) {
    std::unordered_map<size_t, size_t> before;  // by member: how many of the rest come before it
    for (size_t i : unit) before[i] = 0;
    std::vector<size_t> rest;
    size_t at = 0;
    for (size_t i : order) {
      auto member = before.find(i);
      if (member != before.end())
        at = member->second = rest.size();
      else
        rest.push_back(i);
    }
    const size_t last = at;
    auto free = [&](size_t i) {
      return std::none_of(unit.begin(), unit.end(), [&](size_t m) { return Ordered(ins_[i], ins_[m]); });
    };
    while (at > 0 && free(rest[at - 1])) --at;
    for (size_t m : unit)
      for (size_t j = before[m]; j < at; ++j)
        if (IsBarrier(ins_[rest[j]]) || Ordered(ins_[m], ins_[rest[j]])) return false;
    if (at < last)
      for (size_t m : unit)
        for (auto [out, in] : ins_[m].inplace) written_.push_back(ins_[m].in[in].value);
    rest.insert(rest.begin() + static_cast<ptrdiff_t>(at), unit.begin(), unit.end());
    order = std::move(rest);
    return true;
  }

  // Steps of an optimizer on small parameters, in lists that are worth one launch each.
  std::vector<std::vector<size_t>> Buckets() {
    std::unordered_map<int, int64_t> bytes;
    for (auto& [v, t] : program_.constants) bytes[v] = t.numel() * phi::SizeOf(t.dtype());
    std::vector<std::vector<size_t>> buckets;
    int64_t sum = kBucketBytes;
    for (size_t i = 0; i < ins_.size(); ++i) {
      const Instruction& ins = ins_[i];
      if (!IsUpdate(ins)) continue;
      int param = -1;
      bool grad = false, read = false;
      for (size_t k = 0; k < ins.in.size(); ++k) {
        const std::string_view name = ins.op->tensors[k]->name;
        if (name == "param") param = ins.in[k].value;
        grad = grad || name == "grad";
      }
      ForEachMade(ins, [&](int v) { read = read || read_[v]; });
      auto size = bytes.find(param);
      if (!grad || read || size == bytes.end() || size->second >= kSmallBytes) continue;
      if (sum + size->second > kBucketBytes) buckets.emplace_back(), sum = 0;
      sum += size->second;
      buckets.back().push_back(i);
    }
    std::erase_if(buckets, [](const std::vector<size_t>& b) { return b.size() < 2; });
    return buckets;
  }

  // What serves the updates, then these.
  bool MoveBucket(std::vector<size_t>& order, const std::vector<size_t>& updates) {
    std::vector<size_t> unit;
    for (size_t i : updates)
      for (size_t m : Unit(i))
        if (m != i) unit.push_back(m);
    std::sort(unit.begin(), unit.end());
    for (size_t a : updates) {
      for (size_t m : unit)
        if (m > a && (Ordered(ins_[a], ins_[m]) || Ordered(ins_[m], ins_[a]))) return false;
      for (size_t b : updates)
        if (b > a && Ordered(ins_[a], ins_[b])) return false;
    }
    unit.insert(unit.end(), updates.begin(), updates.end());
    return MoveUnit(order, unit);
  }

  Instruction Together(const size_t* updates, size_t n) {
    Instruction all;
    all.kind = Instruction::kUpdates;
    all.id = program_.num_ids++;
    auto code = std::make_unique<Code>();
    code->id = program_.num_codes++;
    for (size_t k = 0; k < n; ++k) {
      Instruction& one = ins_[updates[k]];
      if (all.name.find(one.name) == std::string::npos) all.name += one.name + " ";
      program_.spare[one.id] = 1;
      code->instructions.push_back(std::move(one));
    }
    all.name += "x " + std::to_string(n);
    all.regions.push_back(std::move(code));
    program_.names.push_back(all.name);
    program_.spare.push_back(0);
    return all;
  }

  CompiledProgram& program_;
  std::vector<Instruction>& ins_;
  const std::vector<char>& read_;
  std::vector<int> class_;
  std::unordered_map<int, size_t> maker_;
  std::unordered_map<int, std::vector<size_t>> readers_;
  std::vector<int> written_;
};

}  // namespace

void MoveUpdates(CompiledProgram& program, const std::vector<char>& read) { Updates(program, read).Move(); }

}  // namespace executor
