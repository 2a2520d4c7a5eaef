// SPDX-License-Identifier: Apache-2.0
// One kernel of the library for GPUs as PTX.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/runtime/device_kernels.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

std::unique_ptr<llvm::Module> Library(llvm::LLVMContext& context) {
  llvm::StringRef bytes(reinterpret_cast<const char*>(kDeviceKernels), kDeviceKernelsSize);
  auto library = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "device_kernels"), context);
  PD_CHECK(library, Internal, "[cinn] expected readable kernels, got: ", llvm::toString(library.takeError()));
  return std::move(*library);
}

}  // namespace

std::vector<std::string> LibraryKernels() {
  llvm::LLVMContext context;
  std::vector<std::string> names;
  const auto library = Library(context);
  for (const llvm::Function& f : *library)
    if (f.getName().starts_with("device_")) names.push_back(f.getName().str());
  return names;
}

std::string LibraryPtx(const std::string& name, int capability) {
  llvm::LLVMContext context;
  const auto library = Library(context);
  llvm::Module& m = *library;
  llvm::Function* kernel = m.getFunction(name);
  PD_CHECK(kernel && !kernel->isDeclaration(), Internal, "[cinn] expected a kernel of the library, got ", name);
  PD_CHECK(!llvm::errorToBool(kernel->materialize()), Internal, "[cinn] expected a readable kernel ", name);
  for (llvm::Function& f : llvm::make_early_inc_range(m)) {
    if (&f == kernel || (f.isDeclaration() && !f.use_empty() && f.isIntrinsic())) continue;
    f.deleteBody();
    if (f.use_empty()) f.eraseFromParent();
  }
  PD_CHECK(!llvm::errorToBool(m.materializeAll()), Internal, "[cinn] expected a readable module of ", name);
  for (llvm::GlobalVariable& g : llvm::make_early_inc_range(m.globals()))
    if (g.use_empty()) g.eraseFromParent();
  // What it was compiled for gives way to the device.
  kernel->removeFnAttr("target-cpu");
  kernel->removeFnAttr("target-features");
  const llvm::StringRef what = kernel->getName();
  if (what.starts_with("device_flat_"))  // where nothing is transposed, three blocks leave too few registers on sm_90
    StateBounds(*kernel, kFlatThreads, what.starts_with("device_flat_00_") ? 2 : 3);
  else if (what.starts_with("device_reduce_") || what.starts_with("device_channel_"))
    StateBounds(*kernel);
  return PrintPtx(m, capability);
}

}  // namespace cinn
