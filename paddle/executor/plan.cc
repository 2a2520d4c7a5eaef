// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/plan.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "paddle/phi/core/device.h"
#include "paddle/pir/core/operation.h"
#include "paddle/pir/core/program.h"

namespace executor {
namespace {

FusionPass g_fusion = nullptr;

// The constant an attribute operand holds, when its maker is full or full_int_array.
bool ConstantOperand(pir::Value v, phi::AttrValue* out) {
  pir::Operation* def = v.defining_op();
  if (!def) return false;
  if (def->isa("pd_op.full_int_array")) {
    *out = def->attr("value").to_ints();
    return true;
  }
  if (def->isa("pd_op.full")) {
    phi::Scalar s = def->attr("value").to_scalar();
    phi::DataType t = def->attr("dtype").to_dtype();
    *out = phi::IsInteger(t) ? phi::Scalar(s.to_int()) : t == phi::DataType::BOOL ? phi::Scalar(s.to_bool()) : phi::Scalar(s.to_double());
    return true;
  }
  return false;
}

}  // namespace

void SetFusionPass(FusionPass pass) { g_fusion = pass; }

struct Plan::Frame {
  std::vector<Tensor> values;
  std::vector<std::vector<phi::InSlot>> in;
  std::vector<std::vector<phi::OutSlot>> out;
  std::vector<std::vector<std::vector<Tensor>>> lists_in, lists_out;
  std::vector<std::vector<phi::AttrValue>> attrs;  // only of instructions with dynamic attributes
  std::vector<Tensor> sink;                        // results nobody reads
};

Plan::Plan() = default;
Plan::~Plan() = default;

int Plan::NumberOf(pir::Value v) {
  if (!v) return -1;
  auto [it, fresh] = numbers_.try_emplace(v.impl(), num_values_);
  if (fresh) ++num_values_;
  return it->second;
}

std::shared_ptr<Plan> Plan::Build(pir::Program& program, bool fuse) {
  std::vector<pir::Value> inputs, outputs;
  std::vector<std::string> in_names, out_names;
  for (pir::Operation* op = program.block().front(); op; op = op->next()) {
    if (op->isa("pd_op.data")) {
      inputs.push_back(op->result(0));
      in_names.push_back(op->attr("name").to_str());
    } else if (op->isa("pd_op.fetch")) {
      outputs.push_back(op->operand(0));
      out_names.push_back(op->attr("name").to_str());
    } else if (op->isa("builtin.shadow_output")) {
      outputs.push_back(op->operand(0));
      out_names.push_back(op->attr("output_name").to_str());
    }
  }
  auto plan = Build(program, inputs, outputs, fuse);
  plan->input_names_ = in_names;
  plan->output_names_ = out_names;
  return plan;
}

std::shared_ptr<Plan> Plan::Build(pir::Program& program, const std::vector<pir::Value>& inputs, const std::vector<pir::Value>& outputs,
                                  bool fuse) {
  auto plan = std::make_shared<Plan>();
  for (pir::Operation* op = program.block().front(); op; op = op->next()) {
    const bool constant = op->isa("builtin.constant");
    if (!constant && !op->isa("builtin.parameter")) continue;
    const std::string& name = op->attr(constant ? "value" : "parameter_name").to_str();
    auto held = std::static_pointer_cast<Tensor>(program.parameter(name));
    PD_CHECK(held && held->defined(), NotFound, "[executor] expected parameter ", name, " to have a value, got none");
    plan->constants_.push_back({plan->NumberOf(op->result(0)), *held});
  }
  for (pir::Value v : inputs) plan->input_values_.push_back(plan->NumberOf(v));
  plan->Compile(program.block(), fuse);
  for (pir::Value v : outputs) plan->output_values_.push_back(plan->NumberOf(v));
  return plan;
}

void Plan::Compile(pir::Block& block, bool fuse) {
  std::unordered_map<pir::Operation*, FusedGroup*> last;
  std::unordered_set<pir::Operation*> grouped;
  std::vector<FusedGroup> groups;
  if (fuse && g_fusion) groups = g_fusion(block);
  for (FusedGroup& g : groups) {
    if (!g.kernel) continue;
    last[g.ops.back()] = &g;
    grouped.insert(g.ops.begin(), g.ops.end());
  }
  for (pir::Operation* op = block.front(); op; op = op->next()) {
    auto it = last.find(op);
    if (it != last.end()) {
      Instruction ins;
      ins.fused = it->second->kernel;
      for (pir::Value v : it->second->inputs) {
        Instruction::In in;
        in.first = NumberOf(v);
        ins.in.push_back(std::move(in));
      }
      for (pir::Value v : it->second->outputs) {
        Instruction::Out out;
        out.value = NumberOf(v);
        ins.out.push_back(std::move(out));
      }
      instructions_.push_back(std::move(ins));
      ++fused_;
    } else if (!grouped.count(op)) {
      CompileOp(op);
    }
  }
}

void Plan::CompileOp(pir::Operation* op) {
  const std::string& name = op->name();
  if (name == "builtin.parameter" || name == "builtin.constant" || name == "pd_op.data" || name == "pd_op.fetch" || name == "builtin.shadow_output" ||
      name == "builtin.combine" || name == "builtin.split")
    return;  // no work at run time: numbering alone
  const phi::OpDef* def = static_cast<const phi::OpDef*>(op->info()->phi_op);
  if (!def) def = phi::FindOpDef(name);
  PD_CHECK(def && name.substr(0, 6) == "pd_op.", Unimplemented, "[executor] expected an op with a kernel, got ", name);
  // Constants that only serve as attribute operands need no instruction.
  if (op->num_results() == 1 && (name == "pd_op.full_int_array" || name == "pd_op.full") && !op->result(0).use_empty()) {
    bool only_attrs = true;
    op->result(0).ForEachUse([&](pir::OpOperand& u) {
      auto* info = u.owner()->info();
      size_t i = static_cast<size_t>(u.index());
      only_attrs = only_attrs && i < info->inputs.size() && info->inputs[i].mutable_attr;
    });
    if (only_attrs) return;
  }
  Instruction ins;
  ins.op = def;
  int operand = 0;
  for (const phi::ArgDef* t : def->tensors) {
    Instruction::In in;
    pir::Value v = operand < op->num_operands() ? op->operand(operand) : pir::Value();
    ++operand;
    if (t->kind == phi::ArgDef::kTensorList) {
      in.variadic = true;
      if (v) {
        pir::Operation* combine = v.defining_op();
        PD_CHECK(combine && combine->isa("builtin.combine"), Unimplemented, "[executor] expected a list made by builtin.combine for ", t->name,
                 " of ", name);
        for (int i = 0; i < combine->num_operands(); ++i) in.list.push_back(NumberOf(combine->operand(i)));
      }
    } else {
      in.first = NumberOf(v);
    }
    ins.in.push_back(std::move(in));
  }
  for (size_t a = 0; a < def->attrs.size(); ++a) {
    const phi::ArgDef& d = *def->attrs[a];
    if (d.kind == phi::ArgDef::kOperandAttr) {
      pir::Value v = operand < op->num_operands() ? op->operand(operand) : pir::Value();
      ++operand;
      phi::AttrValue value = d.def;
      if (v && !ConstantOperand(v, &value)) ins.dynamic_attrs.push_back({static_cast<int>(a), NumberOf(v)});
      ins.attrs.push_back(value);
    } else {
      pir::Attribute attr = op->attr(d.name);
      ins.attrs.push_back(attr ? attr.value(static_cast<pir::AttrCode>(d.attr_index)) : d.def);
    }
  }
  if (ins.attrs.empty()) ins.attrs.emplace_back();
  for (size_t k = 0; k < def->outs.size(); ++k) {
    Instruction::Out out;
    out.variadic = def->outs[k].variadic;
    pir::Value v = static_cast<int>(k) < op->num_results() ? op->result(static_cast<int>(k)) : pir::Value();
    if (v && v.type()) {
      if (out.variadic) {
        for (pir::OpOperand* u = v.first_use(); u; u = u->next_use())
          if (u->owner()->isa("builtin.split"))
            for (int i = 0; i < u->owner()->num_results(); ++i) out.list.push_back(NumberOf(u->owner()->result(i)));
      } else {
        out.value = NumberOf(v);
      }
    }
    ins.out.push_back(std::move(out));
    if (const char* same = def->outs[k].same_as_input)
      for (size_t i = 0; i < def->tensors.size(); ++i)
        if (!ins.in[i].variadic && ins.in[i].first >= 0 && std::string_view(def->tensors[i]->name) == same)
          ins.inplace.push_back({static_cast<int>(k), static_cast<int>(i)});
  }
  instructions_.push_back(std::move(ins));
}

std::unique_ptr<Plan::Frame> Plan::MakeFrame() {
  auto f = std::make_unique<Frame>();
  size_t n = instructions_.size();
  f->values.resize(num_values_);
  f->in.resize(n);
  f->out.resize(n);
  f->lists_in.resize(n);
  f->lists_out.resize(n);
  f->attrs.resize(n);
  size_t sinks = 0;
  for (auto& ins : instructions_) sinks += ins.out.size();
  f->sink.resize(sinks);
  size_t sink = 0;
  for (auto& [value, tensor] : constants_) f->values[value] = tensor;
  for (size_t i = 0; i < n; ++i) {
    const Instruction& ins = instructions_[i];
    f->lists_in[i].resize(ins.in.size());
    f->lists_out[i].resize(ins.out.size());
    for (size_t k = 0; k < ins.in.size(); ++k) {
      if (ins.in[k].variadic) {
        f->lists_in[i][k].resize(ins.in[k].list.size());
        f->in[i].push_back(phi::InSlot(f->lists_in[i][k]));
      } else {
        f->in[i].push_back(ins.in[k].first >= 0 ? phi::InSlot(f->values[ins.in[k].first]) : phi::InSlot());
      }
    }
    for (size_t k = 0; k < ins.out.size(); ++k) {
      if (ins.out[k].variadic) f->out[i].push_back(phi::OutSlot(f->lists_out[i][k]));
      else f->out[i].push_back(phi::OutSlot(ins.out[k].value >= 0 ? f->values[ins.out[k].value] : f->sink[sink++]));
    }
    if (!ins.dynamic_attrs.empty()) f->attrs[i] = ins.attrs;
  }
  return f;
}

void Plan::RunInstruction(const Instruction& ins, Frame& f, size_t i) {
  if (ins.fused) {
    const Tensor* in[kMaxFusedInputs];
    Tensor* out[kMaxFusedOutputs];
    for (size_t k = 0; k < ins.in.size(); ++k) in[k] = &f.values[ins.in[k].first];
    for (size_t k = 0; k < ins.out.size(); ++k) out[k] = &f.values[ins.out[k].value];
    ins.fused->Run(in, out);
    return;
  }
  for (size_t k = 0; k < ins.in.size(); ++k)
    if (ins.in[k].variadic)
      for (size_t j = 0; j < ins.in[k].list.size(); ++j) f.lists_in[i][k][j] = f.values[ins.in[k].list[j]];
  const phi::AttrValue* attrs = ins.attrs.data();
  if (!ins.dynamic_attrs.empty()) {
    for (auto [a, v] : ins.dynamic_attrs) {
      const phi::ArgDef& d = *ins.op->attrs[a];
      bool list = static_cast<pir::AttrCode>(d.attr_index) == pir::AttrCode::kIntArray;
      if (list) f.attrs[i][a] = common::Ints(phi::ToIntVector(f.values[v]));
      else f.attrs[i][a] = phi::IsInteger(f.values[v].dtype()) ? phi::Scalar(phi::ScalarAsInt(f.values[v])) : phi::Scalar(phi::ScalarAsDouble(f.values[v]));
    }
    attrs = f.attrs[i].data();
  }
  for (auto [out, in] : ins.inplace) *f.out[i][out].p = *f.in[i][in].p;
  ins.op->run(f.in[i].data(), attrs, f.out[i].data());
  for (size_t k = 0; k < ins.out.size(); ++k)
    if (ins.out[k].variadic)
      for (size_t j = 0; j < ins.out[k].list.size() && j < f.lists_out[i][k].size(); ++j) f.values[ins.out[k].list[j]] = f.lists_out[i][k][j];
}

std::vector<Tensor> Plan::Run(const std::vector<Tensor>& inputs) {
  PD_CHECK(inputs.size() == input_values_.size(), InvalidArgument, "[executor] expected ", input_values_.size(), " inputs, got ", inputs.size());
  std::unique_ptr<Frame> f;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!frames_.empty()) {
      f = std::move(frames_.back());
      frames_.pop_back();
    }
  }
  if (!f) f = MakeFrame();
  for (size_t i = 0; i < inputs.size(); ++i) f->values[input_values_[i]] = phi::ToHost(inputs[i]);
  for (size_t i = 0; i < instructions_.size(); ++i) RunInstruction(instructions_[i], *f, i);
  std::vector<Tensor> result;
  for (int v : output_values_) result.push_back(f->values[v]);
  // Memory that left the frame, or belongs to the caller, must not be written by the next run.
  std::unordered_set<const void*> gone;
  for (const Tensor& t : result)
    if (t.defined()) gone.insert(t->storage.get());
  for (const Tensor& t : inputs)
    if (t.defined()) gone.insert(t->storage.get());
  std::unordered_set<int> fixed;
  for (auto& [value, tensor] : constants_) {
    gone.insert(tensor->storage.get());
    fixed.insert(value);
  }
  auto drop = [&](Tensor& t) {
    if (t.defined() && gone.count(t->storage.get())) t.reset();
  };
  for (int i = 0; i < num_values_; ++i)
    if (!fixed.count(i)) drop(f->values[i]);
  for (Tensor& t : f->sink) drop(t);
  for (auto* lists : {&f->lists_in, &f->lists_out})
    for (auto& per : *lists)
      for (auto& l : per)
        for (Tensor& t : l) drop(t);
  std::lock_guard<std::mutex> lock(mutex_);
  frames_.push_back(std::move(f));
  return result;
}

}  // namespace executor
