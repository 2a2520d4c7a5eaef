// SPDX-License-Identifier: Apache-2.0
// Makes numbered code lighter before lifetimes are found: fewer results, shapes in place of tensors, early updates.
#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "paddle/executor/code.h"

namespace executor {
namespace {

// What is read anywhere in the code or its regions.
void FindReads(const Code& code, const auto& f) {
  for (const Instruction& ins : code.instructions) {
    ForEachRead(ins, f);
    for (auto& c : ins.regions) FindReads(*c, f);
  }
  for (int v : code.yields)
    if (v >= 0) f(v);
}

void LeaveOutResults(Code& code, const std::vector<char>& read) {
  for (Instruction& ins : code.instructions) {
    for (auto& c : ins.regions) LeaveOutResults(*c, read);
    if (ins.kind != Instruction::kOp || !(ins.op->flags & phi::kOpSparing)) continue;
    for (Instruction::Arg& a : ins.out)
      if (!a.variadic && a.value >= 0 && !read[a.value]) a.value = -1;
  }
}

void SeparateShapes(Code& code, int& num_values) {
  std::unordered_map<int, size_t> maker;
  std::unordered_map<int, int> shape_of;
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    Instruction& ins = code.instructions[i];
    for (auto& c : ins.regions) SeparateShapes(*c, num_values);
    auto separate = [&](int& v) {
      auto it = maker.find(v);
      if (it == maker.end()) return;
      auto [known, fresh] = shape_of.try_emplace(v, num_values);
      if (fresh) {
        ++num_values;
        code.instructions[it->second].shapes.push_back({v, known->second});
      }
      v = known->second;
    };
    auto separate_all = [&](Instruction& one) {
      for (size_t k = 0; one.kind == Instruction::kOp && k < one.in.size(); ++k) {
        if (!one.op->tensors[k]->shape_only) continue;
        separate(one.in[k].value);
        for (int& v : one.in[k].list) separate(v);
      }
    };
    separate_all(ins);
    for (auto& c : ins.regions)
      if (ins.kind == Instruction::kFused)
        for (Instruction& one : c->instructions) separate_all(one);
    ForEachMade(ins, [&](int v) { maker[v] = i; });
  }
}

// Moves an instruction that writes arguments in place and makes nothing else (an optimizer's step), with what is
// computed for it alone, to where its operands are ready. Its gradient's memory is free from there on. Nothing moves
// across instructions that read the memory it writes, those whose effects can be seen, and branches.
class Updates {
 public:
  Updates(CompiledProgram& program, const std::vector<char>& read)
      : program_(program), ins_(program.code.instructions), read_(read) {
    class_.resize(program.num_values);
    std::iota(class_.begin(), class_.end(), 0);
    for (size_t a = 0; a < program.constants.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const Tensor &x = program.constants[a].second, &y = program.constants[b].second;
        if (x->storage && x->storage.get() == y->storage.get())
          Join(program.constants[a].first, program.constants[b].first);
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
    for (size_t i = 0; i < ins_.size(); ++i) {
      if (!IsUpdate(ins_[i])) continue;
      if (!MoveUnit(order, Unit(i))) MoveUnit(order, {i});
    }
    std::vector<Instruction> moved;
    moved.reserve(order.size());
    for (size_t i : order) moved.push_back(std::move(ins_[i]));
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
    for (auto [out, in] : ins.inplace) Join(ins.out[out].value, ins.in[in].value);
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

  // False when the members cannot be brought together.
  bool MoveUnit(std::vector<size_t>& order, const std::vector<size_t>& unit) {
    auto member = [&](size_t i) { return std::find(unit.begin(), unit.end(), i) != unit.end(); };
    std::vector<size_t> rest, before;  // before[k]: how many of the rest come before the member unit[k]
    for (size_t i : order) {
      if (member(i))
        before.push_back(rest.size());
      else
        rest.push_back(i);
    }
    // `order` holds the members in their own order, since units do not share any.
    size_t at = before.back();
    auto free = [&](size_t i) {
      return std::none_of(unit.begin(), unit.end(), [&](size_t m) { return Ordered(ins_[i], ins_[m]); });
    };
    while (at > 0 && free(rest[at - 1])) --at;
    for (size_t k = 0; k < unit.size(); ++k)
      for (size_t j = before[k]; j < at; ++j)
        if (IsBarrier(ins_[rest[j]]) || Ordered(ins_[unit[k]], ins_[rest[j]])) return false;
    if (at < before.back())
      for (auto [out, in] : ins_[unit.back()].inplace) written_.push_back(ins_[unit.back()].in[in].value);
    rest.insert(rest.begin() + static_cast<ptrdiff_t>(at), unit.begin(), unit.end());
    order = std::move(rest);
    return true;
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

void Arrange(CompiledProgram& program) {
  std::vector<char> read(program.num_values, 0);
  FindReads(program.code, [&](int v) { read[v] = 1; });
  LeaveOutResults(program.code, read);
  Updates(program, read).Move();
  SeparateShapes(program.code, program.num_values);
}

}  // namespace executor
