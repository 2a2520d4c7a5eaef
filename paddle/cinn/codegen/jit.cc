// SPDX-License-Identifier: Apache-2.0
// The only file that includes LLVM's JIT, target and object headers.
#include "paddle/cinn/codegen/jit.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#ifdef __SANITIZE_ADDRESS__
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>
#endif

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

std::string Text(llvm::Error e) { return llvm::toString(std::move(e)); }

struct Host {
  llvm::orc::JITTargetMachineBuilder builder;
  std::string key;

  Host() : builder(Detect()) {
    if (const char* isa = std::getenv("FLAGS_cpu_isa"); isa && std::strcmp(isa, "avx2") == 0) {
      llvm::SubtargetFeatures& f = builder.getFeatures();
      std::vector<std::string> kept;
      for (const std::string& s : f.getFeatures())
        if (s.find("avx512") == std::string::npos && s.find("evex") == std::string::npos) kept.push_back(s);
      builder.getFeatures() = llvm::SubtargetFeatures();
      builder.addFeatures(kept);
      builder.setCPU("x86-64-v3");
    }
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    builder.setCodeModel(llvm::CodeModel::Small);
    builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    key = builder.getTargetTriple().str() + "|" + builder.getCPU() + "|" + builder.getFeatures().getString() +
          "|llvm " + LLVM_VERSION_STRING + "|math ";
    key += VectorMathHash();
  }

  static llvm::orc::JITTargetMachineBuilder Detect() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto b = llvm::orc::JITTargetMachineBuilder::detectHost();
    PD_CHECK(b, PreconditionNotMet, "[cinn] expected a host LLVM can generate code for, got: ", Text(b.takeError()));
    return std::move(*b);
  }
};

// Never destroyed: kernels may run in other threads while the process exits.
const Host& TheHost() {
  static const Host* host = new Host();
  return *host;
}

// One thread's tools; a context and the parsed math library are costly to set up, so they are kept and reused.
struct Workshop {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> math;
  int uses = 0;

  Workshop() {
    auto m = llvm::orc::JITTargetMachineBuilder(TheHost().builder).createTargetMachine();
    PD_CHECK(m, PreconditionNotMet, "[cinn] expected a code generator for this host, got: ", Text(m.takeError()));
    machine = std::move(*m);
    math = VectorMath(context);
  }
};

class WorkshopPool {
 public:
  std::unique_ptr<Workshop> Take() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        auto w = std::move(free_.back());
        free_.pop_back();
        return w;
      }
    }
    return std::make_unique<Workshop>();
  }
  // A context keeps every constant it has seen, so it is retired after a while.
  void Give(std::unique_ptr<Workshop> w) {
    if (++w->uses > 500) return;
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_.size() < 4) free_.push_back(std::move(w));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workshop>> free_;
};

WorkshopPool& Pool() {
  static WorkshopPool* pool = new WorkshopPool();
  return *pool;
}

std::unique_ptr<llvm::Module> BuildModule(Workshop& w, const LoopNest& nest, const std::string& symbol) {
  auto module = std::make_unique<llvm::Module>(symbol, w.context);
  module->setDataLayout(w.machine->createDataLayout());
  module->setTargetTriple(w.machine->getTargetTriple().str());
  EmitKernel(nest, symbol, *module, w.math.get());
  std::string why;
  llvm::raw_string_ostream os(why);
  PD_CHECK(!llvm::verifyModule(*module, &os), Internal, "[cinn] expected valid IR, got: ", os.str());
  return module;
}

llvm::orc::LLJIT& Jit() {
  static llvm::orc::LLJIT* jit = [] {
    auto j = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(TheHost().builder).create();
    PD_CHECK(j, PreconditionNotMet, "[cinn] expected a working JIT, got: ", Text(j.takeError()));
    auto symbols =
        llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*j)->getDataLayout().getGlobalPrefix());
    PD_CHECK(symbols, PreconditionNotMet, "[cinn] expected access to the C library, got: ", Text(symbols.takeError()));
    (*j)->getMainJITDylib().addGenerator(std::move(*symbols));
    return j->release();
  }();
  return *jit;
}

#ifdef __SANITIZE_ADDRESS__
// Accesses are checked as those of compiled C++ are.
void Instrument(llvm::Module& module) {
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) f.addFnAttr(llvm::Attribute::SanitizeAddress);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AddressSanitizerPass({}, false, false));  // globals of a kernel are constants
  passes.run(module, modules);
}
#endif

}  // namespace

std::string LlvmVersion() { return LLVM_VERSION_STRING; }

const std::string& TargetKey() { return TheHost().key; }

std::string CompileToObject(const LoopNest& nest, const std::string& symbol) {
  auto w = Pool().Take();
  llvm::SmallVector<char, 0> bytes;
  {
    auto module = BuildModule(*w, nest, symbol);
#ifdef __SANITIZE_ADDRESS__
    Instrument(*module);
#endif
    llvm::raw_svector_ostream os(bytes);
    llvm::legacy::PassManager passes;
    llvm::MCContext* mc = nullptr;
    PD_CHECK(!w->machine->addPassesToEmitMC(passes, mc, os, true), Internal,
             "[cinn] expected a target that writes objects");
    passes.run(*module);
  }
  Pool().Give(std::move(w));
  return std::string(bytes.data(), bytes.size());
}

std::string KernelIr(const LoopNest& nest, const std::string& symbol) {
  auto w = Pool().Take();
  std::string text;
  {
    auto module = BuildModule(*w, nest, symbol);
    llvm::raw_string_ostream os(text);
    module->print(os, nullptr);
  }
  Pool().Give(std::move(w));
  return text;
}

// The library's own tracker keeps the kernel's memory. A tracker of ours would hand that memory over when it goes,
// which LLVM 19 does by reading a table that it may just have freed.
LinkedKernel::LinkedKernel(const std::string& object, const std::string& symbol) {
  // Symbols of one library must differ, also between a kernel and the same one built again.
  static std::atomic<uint64_t> serial{0};
  llvm::orc::LLJIT& jit = Jit();
  auto lib = jit.createJITDylib(symbol + "." + std::to_string(serial++));
  PD_CHECK(lib, Internal, "[cinn] expected room for a kernel, got: ", Text(lib.takeError()));
  lib->addToLinkOrder(jit.getMainJITDylib());
  auto fail = [&](llvm::Error e) {
    const std::string why = Text(std::move(e));
    llvm::consumeError(jit.getExecutionSession().removeJITDylib(*lib));
    PD_THROW(Internal, "[cinn] expected a loadable kernel, got: ", why);
  };
  if (auto e = jit.addObjectFile(*lib, llvm::MemoryBuffer::getMemBufferCopy(object, symbol))) fail(std::move(e));
  auto address = jit.lookup(*lib, symbol);
  if (!address) fail(address.takeError());
  fn_ = address->toPtr<KernelFn>();
  library_ = &*lib;
}

LinkedKernel::~LinkedKernel() {
  if (library_) llvm::consumeError(Jit().getExecutionSession().removeJITDylib(*library_));
}

}  // namespace cinn
