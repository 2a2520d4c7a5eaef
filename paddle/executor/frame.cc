// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/frame.h"

#include "paddle/phi/core/device.h"

namespace executor {

Frame::Frame(const CompiledProgram& program) : program_(program) {
  values_.resize(program.num_values);
  slots_.resize(program.num_ids);
  for (auto& [value, tensor] : program.constants) values_[value] = tensor;
  MakeSlots(program.code);
}

void Frame::MakeSlots(const Code& code) {
  for (const Instruction& ins : code.instructions) {
    Slots& s = slots_[ins.id];
    s.lists_in.resize(ins.in.size());
    s.lists_out.resize(ins.out.size());
    for (size_t k = 0; k < ins.in.size(); ++k) {
      s.lists_in[k].resize(ins.in[k].list.size());
      s.in.push_back(ins.in[k].variadic     ? phi::InSlot(s.lists_in[k])
                     : ins.in[k].value >= 0 ? phi::InSlot(values_[ins.in[k].value])
                                            : phi::InSlot());
    }
    for (size_t k = 0; k < ins.out.size(); ++k)
      s.out.push_back(ins.out[k].variadic ? phi::OutSlot(s.lists_out[k]) : phi::OutSlot(values_[ins.out[k].value]));
    if (!ins.dynamic_attrs.empty()) s.attrs = ins.attrs;
    for (auto& region : ins.regions) MakeSlots(*region);
  }
}

std::vector<Tensor> Frame::Run(const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) values_[program_.inputs[i]] = phi::ToHost(inputs[i]);
  RunCode(program_.code);
  std::vector<Tensor> result;
  result.reserve(program_.code.yields.size());
  for (size_t i = 0; i < program_.code.yields.size(); ++i) result.push_back(Take(program_.code, i));
  for (int v : program_.inputs) values_[v].reset();
  return result;
}

void Frame::RunCode(const Code& code) {
  for (const Instruction& ins : code.instructions) {
    RunInstruction(ins);
    for (int v : ins.drops) values_[v].reset();
  }
}

void Frame::RunInstruction(const Instruction& ins) {
  switch (ins.kind) {
    case Instruction::kOp:
      return RunKernel(ins);
    case Instruction::kFused:
      return RunFused(ins);
    case Instruction::kIf:
      return RunIf(ins);
    case Instruction::kWhile:
      return RunWhile(ins);
    case Instruction::kAssert:
      return Assert(ins);
    case Instruction::kPrint:
      return Print(ins);
    default:
      return RunStack(ins);
  }
}

void Frame::RunFused(const Instruction& ins) {
  const Tensor* in[kMaxFusedInputs];
  Tensor* out[kMaxFusedOutputs];
  for (size_t k = 0; k < ins.in.size(); ++k) in[k] = &values_[ins.in[k].value];
  for (size_t k = 0; k < ins.out.size(); ++k) out[k] = &values_[ins.out[k].value];
  ins.fused->Run(in, out);
}

void Frame::RunKernel(const Instruction& ins) {
  Slots& s = slots_[ins.id];
  for (size_t k = 0; k < ins.in.size(); ++k)
    for (size_t j = 0; j < ins.in[k].list.size(); ++j) s.lists_in[k][j] = values_[ins.in[k].list[j]];
  const phi::AttrValue* attrs = ins.attrs.data();
  if (!ins.dynamic_attrs.empty()) {
    for (auto [a, v] : ins.dynamic_attrs) {
      const bool list = static_cast<pir::AttrCode>(ins.op->attrs[a]->attr_index) == pir::AttrCode::kIntArray;
      const Tensor& t = values_[v];
      if (list) s.attrs[a] = common::Ints(phi::ToIntVector(t));
      else s.attrs[a] = phi::IsInteger(t.dtype()) ? phi::Scalar(phi::ScalarAsInt(t)) : phi::Scalar(phi::ScalarAsDouble(t));
    }
    attrs = s.attrs.data();
  }
  for (auto [out, in] : ins.inplace) *s.out[out].p = *s.in[in].p;
  ins.op->run(s.in.data(), attrs, s.out.data());
  for (size_t k = 0; k < ins.out.size(); ++k) {
    if (!ins.out[k].variadic) continue;
    for (size_t j = 0; j < ins.out[k].list.size() && j < s.lists_out[k].size(); ++j)
      if (ins.out[k].list[j] >= 0) values_[ins.out[k].list[j]] = s.lists_out[k][j];
    s.lists_out[k].clear();
  }
  for (auto& list : s.lists_in)
    for (Tensor& t : list) t.reset();
}

}  // namespace executor
