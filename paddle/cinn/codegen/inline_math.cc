// SPDX-License-Identifier: Apache-2.0
// Copies a branch-free scalar function of the vector math library into the kernel, instruction by instruction, at the
// width of the operands. No loop vectoriser is involved, so the result cannot depend on its heuristics.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/cinn/runtime/vector_math.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using llvm::Type;
using llvm::Value;

class Widener {
 public:
  Widener(llvm::IRBuilderBase& b, int width) : b_(b), width_(width) {}

  Value* Run(llvm::Function* f, llvm::ArrayRef<Value*> args) {
    if (f->isMaterializable() && llvm::errorToBool(f->materialize())) return nullptr;
    if (f->size() != 1) return nullptr;
    llvm::DenseMap<const Value*, Value*> map;
    for (llvm::Argument& a : f->args()) map[&a] = args[a.getArgNo()];
    for (llvm::Instruction& i : f->getEntryBlock()) {
      if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&i)) return Get(map, ret->getReturnValue());
      Value* v = One(map, i);
      if (!v) return nullptr;
      map[&i] = v;
    }
    return nullptr;
  }

 private:
  Type* Widen(Type* t) { return width_ ? llvm::FixedVectorType::get(t, width_) : t; }

  Value* Get(llvm::DenseMap<const Value*, Value*>& map, Value* v) {
    if (Value* found = map.lookup(v)) return found;
    auto* c = llvm::dyn_cast<llvm::Constant>(v);
    if (!c || llvm::isa<llvm::GlobalValue>(c) || llvm::isa<llvm::ConstantExpr>(c)) return nullptr;
    return width_ ? llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width_), c) : c;
  }

  // Element k of a constant table.
  Value* TableLoad(llvm::DenseMap<const Value*, Value*>& map, llvm::LoadInst& load) {
    auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(load.getPointerOperand());
    auto* table = gep ? llvm::dyn_cast<llvm::GlobalVariable>(gep->getPointerOperand()) : nullptr;
    if (!table || !table->isConstant() || !table->hasInitializer()) return nullptr;
    llvm::Module* m = b_.GetInsertBlock()->getModule();
    auto* copy = m->getGlobalVariable(table->getName(), true);
    if (!copy) {
      copy = new llvm::GlobalVariable(*m, table->getValueType(), true, llvm::GlobalValue::PrivateLinkage,
                                      table->getInitializer(), table->getName());
      copy->setAlignment(table->getAlign());
    }
    llvm::SmallVector<Value*, 4> idx;
    for (Value* v : gep->indices()) {
      auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
      Value* w = c ? c : Get(map, v);
      if (!w) return nullptr;
      idx.push_back(w);
    }
    Value* p = b_.CreateGEP(gep->getSourceElementType(), copy, idx);
    if (!width_) return b_.CreateLoad(load.getType(), p);
    if (!p->getType()->isVectorTy()) return b_.CreateVectorSplat(width_, b_.CreateLoad(load.getType(), p));
    return b_.CreateMaskedGather(Widen(load.getType()), p, load.getAlign());
  }

  Value* One(llvm::DenseMap<const Value*, Value*>& map, llvm::Instruction& i) {
    if (llvm::isa<llvm::GetElementPtrInst>(i)) return &i;  // used by TableLoad only
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return TableLoad(map, *load);
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) return Call(map, *call);
    llvm::SmallVector<Value*, 3> ops;
    for (Value* v : i.operands()) {
      Value* w = Get(map, v);
      if (!w) return nullptr;
      ops.push_back(w);
    }
    if (auto* x = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return b_.CreateBinOp(x->getOpcode(), ops[0], ops[1]);
    if (auto* x = llvm::dyn_cast<llvm::UnaryOperator>(&i)) return b_.CreateUnOp(x->getOpcode(), ops[0]);
    if (auto* x = llvm::dyn_cast<llvm::CmpInst>(&i)) return b_.CreateCmp(x->getPredicate(), ops[0], ops[1]);
    if (llvm::isa<llvm::SelectInst>(i)) return b_.CreateSelect(ops[0], ops[1], ops[2]);
    if (auto* x = llvm::dyn_cast<llvm::CastInst>(&i)) return b_.CreateCast(x->getOpcode(), ops[0], Widen(i.getType()));
    if (llvm::isa<llvm::FreezeInst>(i)) return b_.CreateFreeze(ops[0]);
    return nullptr;
  }

  Value* Call(llvm::DenseMap<const Value*, Value*>& map, llvm::CallInst& call) {
    llvm::Function* callee = call.getCalledFunction();
    if (!callee) return nullptr;
    llvm::SmallVector<Value*, 3> args;
    for (unsigned k = 0; k < call.arg_size(); ++k) {
      const bool immediate = callee->getAttributes().hasParamAttr(k, llvm::Attribute::ImmArg);
      Value* v = immediate ? call.getArgOperand(k) : Get(map, call.getArgOperand(k));
      if (!v) return nullptr;
      args.push_back(v);
    }
    const auto id = callee->getIntrinsicID();
    if (id == llvm::Intrinsic::not_intrinsic) return Run(callee, args);
    llvm::SmallVector<Type*, 4> types;
    if (!llvm::Intrinsic::getIntrinsicSignature(callee, types)) return nullptr;
    for (Type*& t : types) t = Widen(t);
    llvm::Module* m = b_.GetInsertBlock()->getModule();
    return b_.CreateCall(llvm::Intrinsic::getDeclaration(m, id, types), args);
  }

  llvm::IRBuilderBase& b_;
  int width_;
};

// Neither it nor what it calls has branches.
bool IsBranchFree(llvm::Function& f) {
  if (f.isMaterializable() && llvm::errorToBool(f.materialize())) return false;
  if (f.size() != 1) return false;
  for (llvm::Instruction& i : f.getEntryBlock())
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) {
      llvm::Function* callee = call->getCalledFunction();
      if (!callee || (!callee->isIntrinsic() && !IsBranchFree(*callee))) return false;
    }
  return true;
}

// A function of the library with branches, copied into the kernel's module with what it calls and reads.
llvm::Function* Copied(llvm::Module& m, llvm::Function* f);

// What stands for a global of the library in the kernel's module.
llvm::GlobalValue* CopiedGlobal(llvm::Module& m, llvm::GlobalValue* g) {
  if (auto* f = llvm::dyn_cast<llvm::Function>(g)) {
    if (!f->isIntrinsic()) return Copied(m, f);
    return llvm::cast<llvm::Function>(m.getOrInsertFunction(f->getName(), f->getFunctionType()).getCallee());
  }
  auto* table = llvm::cast<llvm::GlobalVariable>(g);
  if (auto* there = m.getGlobalVariable(table->getName(), true)) return there;
  auto* copy = new llvm::GlobalVariable(m, table->getValueType(), true, llvm::GlobalValue::PrivateLinkage,
                                        table->getInitializer(), table->getName());
  copy->setAlignment(table->getAlign());
  return copy;
}
void MapGlobals(llvm::Module& m, llvm::Value* v, llvm::ValueToValueMapTy& map) {
  if (auto* g = llvm::dyn_cast<llvm::GlobalValue>(v)) {
    if (!map.count(g)) map[g] = CopiedGlobal(m, g);
  } else if (auto* c = llvm::dyn_cast<llvm::ConstantExpr>(v)) {
    for (Value* part : c->operands()) MapGlobals(m, part, map);
  }
}
llvm::Function* Copied(llvm::Module& m, llvm::Function* f) {
  if (llvm::Function* there = m.getFunction(f->getName())) return there;
  if (f->isMaterializable() && llvm::errorToBool(f->materialize())) return nullptr;
  auto* copy = llvm::Function::Create(f->getFunctionType(), llvm::GlobalValue::InternalLinkage, f->getName(), m);
  if (f->isDeclaration()) return copy;
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& a : f->args()) map[&a] = copy->getArg(a.getArgNo());
  for (llvm::BasicBlock& block : *f)
    for (llvm::Instruction& i : block)
      for (Value* v : i.operands()) MapGlobals(m, v, map);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(copy, f, map, llvm::CloneFunctionChangeType::DifferentModule, returns);
  copy->setAttributes({});  // those of the processor that the library was compiled for
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setComdat(nullptr);
  return copy;
}

}  // namespace

void InlineCalls(llvm::Function& kernel) {
  for (bool found = true; found;) {
    found = false;
    for (llvm::BasicBlock& block : kernel) {
      for (llvm::Instruction& i : block) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
        llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || callee->isDeclaration()) continue;
        llvm::InlineFunctionInfo info;
        found = llvm::InlineFunction(*call, info).isSuccess();
        break;
      }
      if (found) break;
    }
  }
  for (bool found = true; found;) {
    found = false;
    for (llvm::Function& f : llvm::make_early_inc_range(*kernel.getParent())) {
      if (&f == &kernel || !f.use_empty()) continue;
      f.eraseFromParent();
      found = true;
    }
  }
}

Value* InlineMath(llvm::IRBuilderBase& b, llvm::Module* math, const std::string& name, Value* const* args, int nargs) {
  llvm::Function* f = math ? math->getFunction(name) : nullptr;
  if (!f || f->arg_size() != static_cast<size_t>(nargs)) return nullptr;
  auto* vec = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  const llvm::Function* kernel = b.GetInsertBlock()->getParent();
  if (!vec && kernel->getCallingConv() == llvm::CallingConv::PTX_Kernel) {
    if (!IsBranchFree(*f))
      return b.CreateCall(Copied(*b.GetInsertBlock()->getModule(), f), llvm::ArrayRef<Value*>(args, nargs));
  }
  return Widener(b, vec ? static_cast<int>(vec->getNumElements()) : 0).Run(f, llvm::ArrayRef<Value*>(args, nargs));
}

std::unique_ptr<llvm::Module> VectorMath(llvm::LLVMContext& context) {
  if (kVectorMathSize == 0) return nullptr;
  llvm::StringRef bytes(reinterpret_cast<const char*>(kVectorMath), kVectorMathSize);
  auto library = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bytes, "vector_math"), context);
  PD_CHECK(library, Internal,
           "[cinn] expected a readable vector math library, got: ", llvm::toString(library.takeError()));
  return std::move(*library);
}

std::string VectorMathHash() {
  uint64_t h = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < kVectorMathSize; ++i) h = (h ^ kVectorMath[i]) * 0x100000001b3ull;
  return std::to_string(h);
}

}  // namespace cinn
