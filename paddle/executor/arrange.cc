// SPDX-License-Identifier: Apache-2.0
// Makes numbered code lighter before lifetimes are found: fewer results, shapes in place of tensors.
#include <unordered_map>

#include "paddle/executor/code.h"

namespace executor {
namespace {

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

}  // namespace

void Arrange(CompiledProgram& program) {
  std::vector<char> read(program.num_values, 0);
  FindReads(program.code, [&](int v) { read[v] = 1; });
  LeaveOutResults(program.code, read);
  MoveUpdates(program, read);
  SeparateShapes(program.code, program.num_values);
}

}  // namespace executor
