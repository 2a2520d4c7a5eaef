// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/frame.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_set>

#include "paddle/common/error.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/gradient_check.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/op_watch.h"
#include "paddle/phi/core/tensor_copy.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/optim.h"

namespace executor {
namespace {

// Kernels of fewer elements keep the host's lock (`long_from` of the stanzas is 2,048 at least).
constexpr int64_t kLeastApart = 2048;
constexpr size_t kManySteps = 64;

}  // namespace

Frame::Frame(const CompiledProgram& program) : program_(program) {
  values_.resize(program.num_values);
  slots_.resize(program.num_ids);
  bindings_.resize(program.num_codes);
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
      s.out.push_back(ins.out[k].variadic     ? phi::OutSlot(s.lists_out[k])
                      : ins.out[k].value >= 0 ? phi::OutSlot(values_[ins.out[k].value])
                                              : phi::OutSlot());
    if (!ins.dynamic_attrs.empty()) s.attrs = ins.attrs;
    for (auto& region : ins.regions) MakeSlots(*region);
  }
}

bool Frame::Fits(const std::vector<Tensor>& inputs) const {
  for (size_t i = 0; i < signature_.size(); ++i)
    if (!signature_[i].Fits(inputs[i])) return false;
  return true;
}

void Frame::LearnNothing() {
  learns_ = false;
  for (Binding& b : bindings_) b.state = Binding::kOff;
}

size_t Frame::least_bytes() const {
  size_t sum = 0;
  for (const Binding& b : bindings_) sum += b.least_bytes();
  return sum;
}

std::vector<std::string> Frame::Unplanned() const {
  std::vector<std::string> names;
  for (const Binding& b : bindings_)
    for (const Instruction* ins : b.unplanned()) names.push_back(ins->name);
  return names;
}

size_t Frame::workspace_bytes() const {
  size_t sum = 0;
  for (const Binding& b : bindings_) sum += b.bytes();
  return sum;
}

const Tensor& Frame::Stand::For(const Tensor& t) {
  if (own_.defined() && t.defined() && t->kind() == phi::ImplKind::kDense && t->storage()) {
    own_->Become(t->state());
    own_->is_parameter = t->is_parameter;
  } else {
    own_ = phi::Held(t);
  }
  return own_;
}

void Frame::Stand::Release() {
  if (own_.defined() && own_->use_count() == 1 && own_->storage()) {
    own_->ReleaseStorage();
  } else {
    own_.reset();  // a result of the run, or a tensor that has no stand
  }
}

void Frame::Begin(const std::vector<Tensor>& inputs, bool held) {
  if (signature_.empty() && learns_)
    for (const Tensor& t : inputs) signature_.push_back(Shape::Of(t));
  held_ = held;
  if (!held) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[program_.inputs[i]] = inputs[i];
    return;
  }
  stands_.resize(inputs.size() + program_.constants.size());
  auto stand = stands_.begin();
  for (size_t i = 0; i < inputs.size(); ++i) values_[program_.inputs[i]] = (stand++)->For(inputs[i]);
  for (auto& [value, tensor] : program_.constants) values_[value] = (stand++)->For(tensor);
}

void Frame::End() {
  for (int v : program_.inputs) values_[v].reset();
  if (!held_) return;
  for (auto& [value, tensor] : program_.constants) values_[value] = tensor;
  for (Stand& s : stands_) s.Release();
}

// Whether runs on such inputs may go by the steps alone (RunBoundSteps): whatever else a run looks after is not there.
void Frame::LookForSteps() {
  const Binding& b = bindings_[program_.code.id];
  by_steps_ = false;
  if (!learns_ || !program_.plain || b.state != Binding::kBound || b.outdated) return;
  for (const Shape& s : signature_)
    if (s.dtype == phi::DataType::UNDEFINED) return;
  by_steps_ = true;
  std::unordered_set<int> given(program_.inputs.begin(), program_.inputs.end());
  outer_.clear();
  int64_t most = 0;
  for (auto& [v, shape] : b.entry) {
    most = std::max(most, common::Product(shape.dims));
    if (!given.count(v)) outer_.push_back({v, shape});
  }
  for (const Step& s : b.steps) {
    most = std::max(most, s.n);
    for (const Expected& r : s.results) most = std::max(most, common::Product(r.shape.dims));
  }
  apart_ = most >= kLeastApart;
}

bool Frame::MayRunSteps() const {
  if (!by_steps_ || phi::OpsWatched() || phi::g_has_external_kernels) return false;
  if (program_.trials && program_.trials->lost() != lost_) return false;
  const Binding& b = bindings_[program_.code.id];
  if (b.state != Binding::kBound || b.outdated) return false;
  for (auto& [v, shape] : outer_)
    if (!shape.Fits(values_[v])) return false;
  return true;
}

std::vector<Tensor> Frame::RunSteps(const std::vector<Tensor>& inputs, bool unlocked) {
  Binding& b = bindings_[program_.code.id];
  const bool apart = apart_ || (unlocked && b.steps.size() >= kManySteps);
  Begin(inputs, apart);
  std::vector<Tensor> result;
  {
    const phi::WithoutHostLock without(unlocked && apart);
    RunBound<false>(program_.code, b);
    result.reserve(program_.code.yields.size());
    for (size_t i = 0; i < program_.code.yields.size(); ++i) result.push_back(Take(program_.code, i));
  }
  End();
  return result;
}

std::vector<Tensor> Frame::Run() {
  for (int v : program_.inputs) {
    const Tensor& t = values_[v];
    const bool there = t.defined() && phi::KernelTextOf(t.place()) != phi::KernelText::kNone;
    values_[v] = Apart(there ? t : phi::ToHost(t));
  }
  if (program_.trials && program_.trials->lost() != lost_) {
    lost_ = program_.trials->lost();
    LearnLost(program_.code);
  }
  RunCode(program_.code);
  std::vector<Tensor> result;
  result.reserve(program_.code.yields.size());
  for (size_t i = 0; i < program_.code.yields.size(); ++i) result.push_back(Take(program_.code, i));
  return result;
}

Tensor Frame::Apart(const Tensor& input) const {
  for (int v : program_.early)
    if (phi::SameStorage(input, values_[v])) return phi::CopyOf(input);
  return input;
}

void Frame::RunCode(const Code& code) {
  Binding& b = bindings_[code.id];
  if (b.state != Binding::kNew && b.state != Binding::kOff && (!b.Fits(values_) || phi::g_has_external_kernels)) {
    Forget(code, 0);
    b.Restart();
  }
  if (b.outdated) {
    b.outdated = false;
    if (b.state == Binding::kTraced || b.state == Binding::kBound) {
      Forget(code, 0);
      b.Again();
    }
  }
  if (b.state == Binding::kOff || phi::g_has_external_kernels) {
    RunPlain(code, 0);
  } else if (b.state == Binding::kNew) {
    RunTraced(code, b);
  } else if (b.state == Binding::kTraced) {
    RunOffered(code, b);
  } else if (profile_ || phi::OpsWatched()) {
    RunBound<true>(code, b);
  } else {
    RunBound<false>(code, b);
  }
}

void Frame::RunTraced(const Code& code, Binding& b) {
  const phi::FrugalMemory frugal;
  Forget(code, 0);
  b.BeginTrace(code, values_);
  CheckDeclared(code.declared, "while");
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& ins = code.instructions[i];
    Choose(ins);
    slots_[ins.id].unknown = true;
    CheckOperands(ins);
    phi::EwSeen seen;
    if (ins.kind == Instruction::kOp) {
      phi::EwWatch watch(&seen);
      Execute(ins);
    } else {
      Execute(ins);
    }
    CheckResults(ins);
    KeepShapes(ins);
    b.Trace(i, ins, seen, values_);
    for (int v : ins.drops) values_[v].reset();
  }
  b.EndTrace(code);
}

void Frame::RunOffered(const Code& code, Binding& b) {
  const phi::FrugalMemory frugal;
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& ins = code.instructions[i];
    b.Offer(i, values_);
    if (ins.kind == Instruction::kFused && !ins.regions.empty()) {
      const bool lost = Compare(ins);
      Execute(ins);
      slots_[ins.id].separate |= lost;
      if (slots_[ins.id].separate) b.KeepApart(i);
    } else {
      const phi::Workspace none(nullptr, 0);
      Execute(ins);
      if (ins.kind == Instruction::kOp) b.Took(i, none.most());
    }
    KeepShapes(ins);
    const bool same = b.Check(i, values_);
    for (int v : ins.drops) values_[v].reset();
    if (same) continue;
    b.Unstable(i);
    return RunPlain(code, i + 1);
  }
  b.Bind(code);
}

template <bool kProfiled>
void Frame::RunBound(const Code& code, Binding& b) {
  if (!b.installed) b.Install(values_);
  for (Step& s : b.steps) {
    if (s.loop) {
      auto run = [&] {
        for (auto& [k, made] : s.fresh) {
          values_[made.value] = phi::Empty(made.shape.dims, made.shape.dtype);
          s.address[k] = static_cast<char*>(values_[made.value].raw_data());
        }
        for (int k = 0; k < s.moving; ++k)
          s.address[s.moves[k]] = static_cast<char*>(values_[s.move_values[k]].raw_data());
        if (s.large)
          phi::RunElementwiseContiguous(s.loop, s.operands, s.address, s.sizes, s.n, nullptr, s.cost);
        else
          s.loop(s.address, s.n, nullptr);
      };
      if constexpr (kProfiled)
        Measured(*s.ins, run);
      else
        run();
    } else {
      std::optional<phi::Workspace> lent;
      if (s.workspace) lent.emplace(s.workspace, s.workspace_bytes);
      if constexpr (kProfiled)
        Execute(*s.ins);
      else
        RunInstruction(*s.ins);
      lent.reset();
      if (s.shapes) KeepShapes(*s.ins);
      bool same = true;
      for (const Expected& r : s.results)
        same = same && r.shape.Fits(values_[r.value]) && (!r.lies_in || values_[r.value].impl() == r.lies_in);
      if (__builtin_expect(!same, 0)) {
        const size_t i = static_cast<size_t>(s.ins - code.instructions.data());
        for (int v : s.ins->drops) values_[v].reset();
        Forget(code, i + 1);
        b.Unstable(i);
        return RunPlain(code, i + 1);
      }
    }
    for (int v : s.drops) values_[v].reset();
  }
}

void Frame::RunPlain(const Code& code, size_t from) {
  if (from == 0) CheckDeclared(code.declared, "while");
  for (size_t i = from; i < code.instructions.size(); ++i) {
    const Instruction& ins = code.instructions[i];
    Choose(ins);
    slots_[ins.id].unknown = true;
    CheckOperands(ins);
    Execute(ins);
    CheckResults(ins);
    KeepShapes(ins);
    for (int v : ins.drops) values_[v].reset();
  }
}

void Frame::CheckOperands(const Instruction& ins) const try {
  const auto computed = [&](int v) {
    const Tensor& t = values_[v];
    return t.defined() && (t->kind() != phi::ImplKind::kDense || t->storage() || t.numel() == 0);
  };
  const auto require = [&](int v, const char* of) {
    PD_CHECK(computed(v), InvalidArgument, "[", ins.name, "] expected a tensor for ", of,
             ", got a result that its operation did not compute");
  };
  if (ins.kind == Instruction::kFused)
    for (const auto& a : ins.in) require(a.value, "an operand");
  if (ins.kind != Instruction::kOp) return;
  for (size_t k = 0; k < ins.op->tensors.size(); ++k) {
    const phi::ArgDef& arg = *ins.op->tensors[k];
    if (arg.shape_only) continue;
    if (arg.kind == phi::ArgDef::kTensor || (ins.in[k].value >= 0 && values_[ins.in[k].value].defined()))
      require(ins.in[k].value, arg.name);
    for (int v : ins.in[k].list)
      if (values_[v].defined()) require(v, arg.name);
  }
  for (auto [a, v] : ins.dynamic_attrs) require(v, ins.op->attrs[a]->name);
} catch (...) { common::RethrowAt(ins.sources.data(), ins.sources.size()); }

void Frame::CheckDeclared(const std::vector<Declared>& declared, const std::string& by) const {
  for (const Declared& d : declared) {
    const Tensor& t = values_[d.value];
    if (!t.defined() || t->kind() != phi::ImplKind::kDense) continue;
    const common::Dims dims = common::ToDims(t.dims());
    PD_CHECK(t.dtype() == d.dtype && common::MayMatch(dims, d.dims), InvalidArgument, "[", by,
             "] expected a result of shape ", common::ShapeText(d.dims), " and dtype ", phi::NameOf(d.dtype),
             ", as the program declares, got ", common::ShapeText(dims), " and ", phi::NameOf(t.dtype()));
  }
}

void Frame::CheckResults(const Instruction& ins) const try { CheckDeclared(ins.declared, ins.name); } catch (...) {
  common::RethrowAt(ins.sources.data(), ins.sources.size());
}

void Frame::KeepShapes(const Instruction& ins) {
  for (auto [v, shape] : ins.shapes)
    values_[shape] = phi::g_has_external_kernels ? values_[v] : Shape::Without(values_[v]);
}

// Results of the instructions from `from` on are gone, and with them memory that a binding had lent.
void Frame::Forget(const Code& code, size_t from) {
  for (size_t i = from; i < code.instructions.size(); ++i)
    for (auto& a : code.instructions[i].out) {
      if (a.value >= 0) values_[a.value].reset();
      for (int v : a.list)
        if (v >= 0) values_[v].reset();
    }
}

void Frame::Measured(const Instruction& ins, const auto& f) {
  auto begin = std::chrono::steady_clock::now();
  if (phi::OpsWatched()) {
    phi::OpScope scope(program_.names[static_cast<size_t>(ins.id)], phi::OpFrom::kProgram);
    f();
    for (const auto& a : ins.out) {
      if (a.value >= 0) scope.Result(values_[static_cast<size_t>(a.value)]);
      for (int v : a.list)
        if (v >= 0) scope.Result(values_[static_cast<size_t>(v)]);
    }
  } else {
    f();
  }
  if (!profile_) return;
  ProfileEntry& e = (*profile_)[ins.id];
  ++e.calls;
  e.ns += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
}

void Frame::Execute(const Instruction& ins) {
  if (__builtin_expect(profile_ != nullptr, 0) || phi::OpsWatched())
    Measured(ins, [&] { RunInstruction(ins); });
  else
    RunInstruction(ins);
}

void Frame::RunInstruction(const Instruction& ins) {
  try {
    switch (ins.kind) {
      case Instruction::kOp: return RunKernel(ins);
      case Instruction::kFused: return slots_[ins.id].separate ? RunSeparate(ins) : RunFused(ins);
      case Instruction::kUpdates: return RunUpdates(ins);
      case Instruction::kIf: return RunIf(ins);
      case Instruction::kWhile: return RunWhile(ins);
      case Instruction::kAssert: return Assert(ins);
      case Instruction::kPrint: return Print(ins);
      default: return RunStack(ins);
    }
  } catch (...) { common::RethrowAt(ins.sources.data(), ins.sources.size()); }
}

void Frame::RunFused(const Instruction& ins) {
  const Tensor* in[kMaxFusedInputs];
  Tensor* out[kMaxFusedOutputs];
  for (size_t k = 0; k < ins.in.size(); ++k) in[k] = &values_[ins.in[k].value];
  for (size_t k = 0; k < ins.out.size(); ++k) out[k] = &values_[ins.out[k].value];
  ins.fused->Run(in, out);
}

void Frame::RunUpdates(const Instruction& ins) {
  const Code& code = *ins.regions[0];
  if (phi::OpsWatched()) return RunPlain(code, 0);  // results are looked at after each
  phi::cpu::UpdateBatch batch;
  for (const Instruction& one : code.instructions) RunInstruction(one);
  batch.Finish();
  for (const Instruction& one : code.instructions)
    for (int v : one.drops) values_[v].reset();
}

void Frame::RunKernel(const Instruction& ins) {
  Slots& s = slots_[ins.id];
  for (size_t k = 0; k < ins.in.size(); ++k)
    for (size_t j = 0; j < ins.in[k].list.size(); ++j) s.lists_in[k][j] = values_[ins.in[k].list[j]];
  const phi::AttrValue* attrs = ins.attrs.data();
  if (!ins.dynamic_attrs.empty()) {
    for (auto [a, v] : ins.dynamic_attrs) {
      const bool list = static_cast<pir::AttrCode>(ins.op->attrs[a]->attr_index) == pir::AttrCode::kIntArray;
      const Tensor t = phi::ToHost(values_[v]);
      if (list)
        s.attrs[a] = phi::IntArray(common::Ints(phi::ToIntVector(t)));
      else
        s.attrs[a] = phi::ScalarOf(t);
    }
    attrs = s.attrs.data();
  }
  if (s.unknown && ins.gradient_of) phi::CheckGradientOperands(*ins.op, *ins.gradient_of, s.in.data(), attrs);
  s.unknown = false;
  for (auto [out, in] : ins.inplace) *s.out[out].p = *s.in[in].p;
  for (size_t k = 0; k < ins.out.size(); ++k) {
    if (!ins.out[k].variadic || !TakesMemory(ins)) continue;
    s.lists_out[k].resize(ins.out[k].list.size());
    for (size_t j = 0; j < ins.out[k].list.size(); ++j)
      if (ins.out[k].list[j] >= 0) s.lists_out[k][j] = values_[ins.out[k].list[j]];
  }
  phi::Place there;
  if (phi::g_has_external_kernels && ins.gradient_of)
    for (size_t k = 0; k < s.in.size() && there.is_cpu(); ++k) there = phi::DevicePlace(s.in[k].p, s.in[k].n);
  if (there.is_cpu())
    ins.op->Run(phi::ThreadContext(), s.in.data(), attrs, s.out.data());
  else
    phi::RunGradOnDevice(*ins.op, s.in.data(), attrs, s.out.data(), there);
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
