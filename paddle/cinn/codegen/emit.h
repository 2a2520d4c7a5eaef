// SPDX-License-Identifier: Apache-2.0
// LLVM IR of a loop nest. Only files under codegen/ include LLVM headers, this one by forward declaration.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/schedule/loop_nest.h"

namespace llvm {
class LLVMContext;
class Module;
class Value;
class Function;
class IRBuilderBase;
class Type;
}  // namespace llvm

namespace cinn {

// Adds `void symbol(void* const* buffers, const int64_t* meta, int64_t begin, int64_t end)` to the module. buffers are
// the inputs, then the outputs; meta is FillMeta's; [begin, end) are rows of a kRowReduce nest, else positions in rows
// x lane. `math` holds the vector library's scalar functions (cinn_<name>_f32, cinn_<name>_f64), or is null.
void EmitKernel(const LoopNest& nest, const std::string& symbol, llvm::Module& module, llvm::Module* math);

// The same for a GPU of the capability; the parameters are those of CompileToPtx.
void EmitPtxKernel(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability, llvm::Module& module,
                   llvm::Module* math);
void EmitPtxReduction(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability,
                      llvm::Module& module, llvm::Module* math);

// The same with the vector library; capability 0 has what every GPU has. Unimplemented where an operation calls a
// function that GPUs have not.
void BuildForGpu(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability, llvm::Module& module);

// Of a kernel that hides waiting by other blocks and by loads that are under way together: states how many threads a
// block has and that four blocks are to share a multiprocessor. The assembler gives it as many registers as that
// allows.
void StateBounds(llvm::Function& kernel, int threads = kGpuThreads, int blocks = 4);

// As text for GPUs of the capability and newer.
std::string PrintPtx(llvm::Module& module, int capability);

// Puts the bodies of the functions that a kernel calls in their places.
void InlineCalls(llvm::Function& kernel);

// The vector library, read as it is needed; null where the build has none.
std::unique_ptr<llvm::Module> VectorMath(llvm::LLVMContext& context);
std::string VectorMathHash();

// Emits the body of `name` from the library on operands of any width. Null when the library lacks it or it has
// branches.
llvm::Value* InlineMath(llvm::IRBuilderBase& b, llvm::Module* math, const std::string& name, llvm::Value* const* args,
                        int nargs);

// for (v = begin; v < end; v += step), with loop-carried values, which `body` changes; returns them as they are after
// the last iteration. The position may not overflow where `no_wrap`.
using LoopBody = std::function<void(llvm::Value*, std::vector<llvm::Value*>&)>;
std::vector<llvm::Value*> EmitLoop(llvm::IRBuilderBase& b, llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                                   bool no_wrap, const std::vector<llvm::Value*>& carried, const LoopBody& body);

// The value of one operation; operands are LLVM values of equal width.
llvm::Value* EmitOp(llvm::IRBuilderBase& b, llvm::Module* math, const ExprNode& node, llvm::Value* const* args);
// What a reduction starts from, and one step of it.
llvm::Value* ReduceIdentity(llvm::IRBuilderBase& b, ReduceKind kind, DataType compute_type, int width);
llvm::Value* ReduceStep(llvm::IRBuilderBase& b, llvm::Module* math, ReduceKind kind, DataType compute_type,
                        llvm::Value* x, llvm::Value* y);
llvm::Type* LlvmType(llvm::IRBuilderBase& b, DataType compute_type, int width);                   // width 0: scalar
llvm::Value* ConvertCompute(llvm::IRBuilderBase& b, llvm::Value* v, DataType from, DataType to);  // both compute types
// Between memory form and compute form.
llvm::Type* StorageType(llvm::IRBuilderBase& b, DataType storage, int width);
llvm::Value* FromStorage(llvm::IRBuilderBase& b, llvm::Value* v, DataType storage);
llvm::Value* ToStorage(llvm::IRBuilderBase& b, llvm::Value* v, DataType from, DataType storage);

}  // namespace cinn
