// SPDX-License-Identifier: Apache-2.0
// LLVM's target for NVIDIA GPUs, and how a kernel's form and work follow from its arguments.
#include "paddle/cinn/codegen/ptx.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

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
int64_t SizeOfBuffer(const LoopNest& nest, size_t buf) {
  const FusionGroup& g = nest.group;
  return static_cast<int64_t>(
      phi::SizeOf(buf < g.inputs.size() ? g.inputs[buf].dtype : g.outputs[buf - g.inputs.size()].dtype));
}

}  // namespace

void BuildForGpu(const LoopNest& nest, const std::string& symbol, PtxForm form, llvm::Module& module) {
  auto math = VectorMath(module.getContext());
  EmitPtxKernel(nest, symbol, form, module, math.get());
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
  if (nest.mode != LoopMode::kElementwise || nest.lane.parts.empty()) return 1;
  int64_t least = 8;
  for (size_t k = 0; k < nest.access.size(); ++k) {
    const bool output = k >= g.inputs.size();
    if (output && !IsUnit(nest, k)) return 1;
    if (!output && (g.inputs[k].offset.defined() || g.inputs[k].mask.defined())) return 1;
    if (IsUnit(nest, k)) least = std::min(least, SizeOfBuffer(nest, k));
  }
  return static_cast<int>(std::clamp<int64_t>(16 / least, 4, 8));
}

PtxForm ChooseForm(const LoopNest& nest, const KernelMeta& meta, void* const* addresses) {
  const FusionGroup& g = nest.group;
  const auto nrows = static_cast<int64_t>(nest.rows.size()), naxes = nrows + static_cast<int64_t>(nest.reds.size()) + 1;
  const int64_t lane = meta[naxes - 1];
  PtxForm form;
  form.vector = PtxVector(nest);
  int64_t positions = 1;
  for (int64_t a = 0; a < naxes; ++a) positions *= std::max<int64_t>(meta[a], 1);
  form.narrow = positions < kNarrowLimit;
  bool whole = lane >= form.vector && (nrows == 0 || lane % form.vector == 0);
  for (size_t k = 0; k < nest.access.size(); ++k) {
    const int64_t* strides = &meta[naxes * (1 + static_cast<int64_t>(k))];
    int64_t reach = 0;
    for (int64_t a = 0; a < naxes; ++a) reach += std::abs(strides[a]) * std::max<int64_t>(meta[a] - 1, 0);
    form.narrow = form.narrow && reach < kNarrowLimit && (k >= g.inputs.size() || !g.inputs[k].offset.defined());
    if (!IsUnit(nest, k)) continue;
    const int64_t bytes = std::min<int64_t>(16, SizeOfBuffer(nest, k) * form.vector);
    whole = whole && reinterpret_cast<uintptr_t>(addresses[k]) % static_cast<uintptr_t>(bytes) == 0;
    for (int64_t a = 0; a < nrows; ++a) whole = whole && strides[a] % form.vector == 0;
  }
  if (!whole) form.vector = 1;
  if (nest.mode == LoopMode::kRowReduce && nest.stages.size() > 1) {
    int64_t n = 1;
    for (int64_t a = nrows; a < naxes; ++a) n *= meta[a];
    for (int room : {1024, 4096, 8192})
      if (n <= room && !form.row) form.row = room;
  }
  return form;
}

int64_t PtxBlocks(const LoopNest& nest, PtxForm form, const KernelMeta& meta) {
  const auto nrows = static_cast<int64_t>(nest.rows.size());
  int64_t n = 1;
  for (int64_t a = 0; a < nrows; ++a) n *= meta[a];
  if (nest.mode != LoopMode::kRowReduce) {
    n *= meta[nrows + static_cast<int64_t>(nest.reds.size())];
    const int64_t each = int64_t{kGpuThreads} * form.vector;
    n = (n + each - 1) / each;
    if (nest.mode == LoopMode::kElementwise) n = std::max((n + kMostTurns - 1) / kMostTurns, std::min(n, kManyBlocks));
  }
  return std::clamp<int64_t>(n, 1, kMostBlocks);
}

void CheckPtx(const LoopNest& nest) {
  llvm::LLVMContext context;
  llvm::Module module("check", context);
  BuildForGpu(nest, "check", {}, module);
}

std::string CompileToPtx(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability) {
  llvm::LLVMContext context;
  llvm::Module module(symbol, context);
  module.setDataLayout(Machine(capability)->createDataLayout());
  module.setTargetTriple(kTriple);
  BuildForGpu(nest, symbol, form, module);
  return PrintPtx(module, capability);
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
