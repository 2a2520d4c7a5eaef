// SPDX-License-Identifier: Apache-2.0
// LLVM's target for NVIDIA GPUs, and how a kernel's form and work follow from its arguments.
#include "paddle/cinn/codegen/ptx.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";
// The version of PTX, which drivers of CUDA 12.0 and newer take.
constexpr const char* kIsa = "+ptx80";
constexpr int64_t kMostBlocks = 1 << 20;  // further work is walked in turns
// Blocks that keep any GPU busy; beyond, a thread of an elementwise kernel takes some turns, which share its start.
constexpr int64_t kManyBlocks = 1024, kMostTurns = 4;
constexpr int64_t kNarrowLimit = 1 << 30;
// Blocks that a reduction is cut into where it has fewer than kFewBlocks of its own.
constexpr int64_t kFewBlocks = 512, kPartBlocks = 2048;
constexpr int kWarp = 32;

std::unique_ptr<llvm::TargetMachine> Machine(int capability) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, why);
  PD_CHECK(target, Internal, "[cinn] expected LLVM's target for GPUs, got: ", why);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(kTriple, "sm_" + std::to_string(PtxTarget(capability)), kIsa, options, std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Default));
}

bool IsUnit(const LoopNest& nest, size_t buf) { return nest.access[buf] == LaneAccess::kUnit; }
bool IsReduced(const LoopNest& nest, size_t buf) {
  const FusionGroup& g = nest.group;
  return buf >= g.inputs.size() && !g.reduced.empty() && g.outputs[buf - g.inputs.size()].reduced;
}
int64_t Ceil(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }
// Elements that the grid walks, and those that each of them reduces.
struct Extents {
  int64_t outer = 1, inner = 1;
};
Extents ExtentsOf(const LoopNest& nest, const KernelMeta& meta) {
  const auto nrows = static_cast<int64_t>(nest.rows.size()), lane = nrows + static_cast<int64_t>(nest.reds.size());
  Extents e;
  for (int64_t a = 0; a <= lane; ++a)
    (a < nrows || (a == lane && nest.mode != LoopMode::kRowReduce) ? e.outer : e.inner) *= meta[a];
  return e;
}
// Whether functions whose long series are computed in float64, for whatever dtype, are among those of a value.
bool HasLongSeries(const Expr& e, std::unordered_set<const ExprNode*>& seen) {
  if (!seen.insert(e.node()).second) return false;
  if (e->op == Op::k_lgamma || e->op == Op::k_digamma) return true;
  for (int k = 0; k < e->nargs; ++k)
    if (HasLongSeries(e->args[k], seen)) return true;
  return false;
}
int64_t SizeOfBuffer(const LoopNest& nest, size_t buf) {
  const FusionGroup& g = nest.group;
  return static_cast<int64_t>(
      phi::SizeOf(buf < g.inputs.size() ? g.inputs[buf].dtype : g.outputs[buf - g.inputs.size()].dtype));
}

}  // namespace

void BuildForGpu(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability, llvm::Module& module) {
  auto math = VectorMath(module.getContext());
  EmitPtxKernel(nest, symbol, form, capability, module, math.get());
  InlineCalls(*module.getFunction(symbol));
  for (const llvm::Function& f : module)
    PD_CHECK(!f.isDeclaration() || f.isIntrinsic(), Unimplemented,
             "[cinn] expected operations with code for GPUs, got ", f.getName().str());
}

int PtxTarget(int capability) {
  int best = 75;
  for (int known : {75, 80, 86, 87, 89, 90})
    if (known <= capability) best = known;
  return best;
}

std::string PtxKey(int capability) {
  return std::string(kTriple) + "|sm_" + std::to_string(PtxTarget(capability)) + kIsa + "|llvm " + LLVM_VERSION_STRING +
         "|math " + VectorMathHash();
}

int PtxVector(const LoopNest& nest) {
  const FusionGroup& g = nest.group;
  if (nest.lane.parts.empty()) return 1;
  int64_t least = 8;
  for (size_t k = 0; k < nest.access.size(); ++k) {
    const bool output = k >= g.inputs.size();
    if (output && IsReduced(nest, k)) continue;
    if (output && !IsUnit(nest, k)) return 1;
    if (!output && (g.inputs[k].offset.defined() || g.inputs[k].mask.defined())) return 1;
    if (IsUnit(nest, k)) least = std::min(least, SizeOfBuffer(nest, k));
  }
  const int64_t fewest = nest.mode == LoopMode::kElementwise ? 4 : 2;
  std::unordered_set<const ExprNode*> seen;
  for (const GroupOutput& o : g.outputs)
    if (HasLongSeries(o.value, seen)) least = std::max<int64_t>(least, 4);  // eight of them spill registers
  return static_cast<int>(std::clamp<int64_t>(16 / least, fewest, 8));
}

PtxForm ChooseForm(const LoopNest& nest, int vector, const KernelMeta& meta, void* const* addresses) {
  const FusionGroup& g = nest.group;
  const auto nrows = static_cast<int64_t>(nest.rows.size()), naxes = nrows + static_cast<int64_t>(nest.reds.size()) + 1;
  const int64_t lane = meta[naxes - 1];
  const bool flat = nest.mode == LoopMode::kElementwise && nrows == 0;
  PtxForm form;
  form.vector = vector;
  int64_t positions = 1;
  for (int64_t a = 0; a < naxes; ++a) positions *= std::max<int64_t>(meta[a], 1);
  form.narrow = positions < kNarrowLimit;
  bool whole = lane >= form.vector && (flat || lane % form.vector == 0);
  for (size_t k = 0; k < nest.access.size(); ++k) {
    const int64_t* strides = &meta[naxes * (1 + static_cast<int64_t>(k))];
    int64_t reach = 0;
    for (int64_t a = 0; a < naxes; ++a) reach += std::abs(strides[a]) * std::max<int64_t>(meta[a] - 1, 0);
    form.narrow = form.narrow && reach < kNarrowLimit && (k >= g.inputs.size() || !g.inputs[k].offset.defined());
    if (!IsUnit(nest, k) || IsReduced(nest, k)) continue;
    const int64_t bytes = std::min<int64_t>(16, SizeOfBuffer(nest, k) * form.vector);
    whole = whole && reinterpret_cast<uintptr_t>(addresses[k]) % static_cast<uintptr_t>(bytes) == 0;
    for (int64_t a = 0; a + 1 < naxes; ++a) whole = whole && strides[a] % form.vector == 0;
  }
  if (!whole) form.vector = 1;
  const Extents e = ExtentsOf(nest, meta);
  if (nest.mode == LoopMode::kRowReduce) {
    const int64_t turns = std::max<int64_t>(e.inner / form.vector, 1);
    const bool sweeps = nest.stages.size() > 1;
    const auto room = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(e.inner, 1))));
    // Threads with several turns each share the work of joining a row; all of them where there are few rows.
    const int64_t most = std::min<int64_t>(std::bit_ceil(static_cast<uint64_t>(turns)), kGpuThreads);
    form.across = static_cast<int>(std::min<int64_t>(most, kWarp));
    while (form.across < most &&
           (turns / form.across > (sweeps ? 8 : 16) || e.outer < kFewBlocks * kGpuThreads / form.across ||
            room * nest.kept * (kGpuThreads / form.across) > kKeptBytes))
      form.across *= 2;
    if (sweeps && e.inner <= 8192) form.row = static_cast<int>(std::max<int64_t>(room, form.vector));
  } else if (nest.mode == LoopMode::kColReduce) {
    // Threads share a column where each has some elements of it.
    const int64_t units = std::min<int64_t>(e.outer / form.vector, kWarp);
    const int64_t across = std::max(units, 4 * kGpuThreads / std::max<int64_t>(e.inner, 1));
    form.across = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(across, 1, kGpuThreads))));
    if (form.across * form.vector > kGpuThreads) form.across = kGpuThreads;
  }
  return form;
}

int64_t PtxParts(const LoopNest& nest, PtxForm form, const KernelMeta& meta) {
  if (nest.mode == LoopMode::kElementwise) return 1;
  const Extents e = ExtentsOf(nest, meta);
  const bool rows = nest.mode == LoopMode::kRowReduce;
  const int64_t blocks = PtxBlocks(nest, form, meta, 1);
  const int64_t turns = rows ? e.inner / (int64_t{form.vector} * form.across) : e.inner * form.across / kGpuThreads;
  const auto sweeps = static_cast<int64_t>(nest.stages.size());
  if (blocks >= kFewBlocks || turns < 32 * sweeps) return 1;
  const int64_t each = blocks * turns >= 8 * kFewBlocks / 2 ? 8 : 4;  // turns of a thread
  return std::min(kPartBlocks / blocks, turns / each);
}

int64_t PtxScratch(const LoopNest& nest, const KernelMeta& meta, int64_t parts) {
  return static_cast<int64_t>(nest.group.reductions.size()) * (parts + 1) * ExtentsOf(nest, meta).outer * 8;
}

std::vector<PtxForm> PtxKernels(const LoopNest& nest, PtxForm form, const KernelMeta& meta, int64_t parts) {
  if (parts == 1) return {form};
  const auto kept = static_cast<uint64_t>(ExtentsOf(nest, meta).outer);
  std::vector<PtxForm> kernels;
  form.row = 0;
  for (form.stage = 0; form.stage < static_cast<int>(nest.stages.size()); ++form.stage) {
    form.part = PtxPart::kBlocks;
    kernels.push_back(form);
    if (nest.stages[static_cast<size_t>(form.stage)].reductions.empty()) continue;
    PtxForm rest = form;
    rest.part = PtxPart::kRest;
    rest.vector = 1;
    rest.across = static_cast<int>(std::bit_ceil(std::min<uint64_t>(kept, parts >= 64 ? 8 : kWarp)));
    kernels.push_back(rest);
  }
  return kernels;
}

int64_t PtxBlocks(const LoopNest& nest, PtxForm form, const KernelMeta& meta, int64_t parts) {
  const int64_t kept = ExtentsOf(nest, meta).outer;
  int64_t n;
  if (nest.mode == LoopMode::kElementwise) {
    n = Ceil(kept, int64_t{kGpuThreads} * form.vector);
    n = std::max(Ceil(n, kMostTurns), std::min(n, kManyBlocks));
  } else if (nest.mode == LoopMode::kRowReduce && form.part != PtxPart::kRest) {
    n = Ceil(kept, kGpuThreads / form.across);
  } else {
    n = Ceil(kept, int64_t{form.across} * form.vector);
  }
  return std::clamp<int64_t>(form.part == PtxPart::kBlocks ? n * parts : n, 1, kMostBlocks);
}

void CheckPtx(const LoopNest& nest) {
  llvm::LLVMContext context;
  llvm::Module module("check", context);
  BuildForGpu(nest, "check", {}, 0, module);
}

std::string CompileToPtx(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability) {
  llvm::LLVMContext context;
  llvm::Module module(symbol, context);
  module.setDataLayout(Machine(capability)->createDataLayout());
  module.setTargetTriple(kTriple);
  BuildForGpu(nest, symbol, form, PtxTarget(capability), module);
  return PrintPtx(module, capability);
}

void StateBounds(llvm::Function& kernel, int threads, int blocks) {
  llvm::LLVMContext& c = kernel.getContext();
  auto* const notes = kernel.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  const auto note = [&](const char* what, int n) {
    auto* const number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(c), static_cast<uint64_t>(n));
    notes->addOperand(llvm::MDNode::get(
        c, {llvm::ValueAsMetadata::get(&kernel), llvm::MDString::get(c, what), llvm::ConstantAsMetadata::get(number)}));
  };
  note("maxntidx", threads);
  note("minctasm", blocks);
}

std::string PrintPtx(llvm::Module& module, int capability) {
  auto machine = Machine(capability);
  std::string why;
  llvm::raw_string_ostream os(why);
  PD_CHECK(!llvm::verifyModule(module, &os), Internal, "[cinn] expected valid IR, got: ", os.str());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream to(text);
  llvm::legacy::PassManager passes;
  PD_CHECK(!machine->addPassesToEmitFile(passes, to, nullptr, llvm::CodeGenFileType::AssemblyFile), Internal,
           "[cinn] expected a target that writes PTX");
  passes.run(module);
  return std::string(text);
}

}  // namespace cinn
