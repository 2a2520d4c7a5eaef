// SPDX-License-Identifier: Apache-2.0
// The LLVM IR that GPUs' kernels are made of, printed as OpenCL C: a variable a value, a label a block. Integers are
// unsigned and cast where an instruction is not; halves are their 16 bits.
#include "paddle/cinn/codegen/opencl.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <unordered_map>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using llvm::Instruction;
using llvm::Type;
using llvm::Value;
using P = llvm::CmpInst::Predicate;

[[noreturn]] void NoCode(const std::string& what) {
  PD_THROW(Unimplemented, "[cinn] expected operations with OpenCL C, got ", what);
}

// What every device takes.
constexpr size_t kMostParameterBytes = 1024;

class Printer {
 public:
  explicit Printer(const llvm::Module& m) : m_(m) {}

  std::string Run(const llvm::Function& f) {
    size_t bytes = 0;
    for (const llvm::Argument& a : f.args()) bytes += a.getType()->isPointerTy() ? 16 : 8;
    if (bytes > kMostParameterBytes) NoCode("more numbers and buffers than a kernel takes");
    for (const llvm::BasicBlock& block : f) labels_.emplace(&block, "L" + std::to_string(labels_.size()));
    std::string parameters, addresses;
    for (const llvm::Argument& a : f.args()) {
      const std::string name = "a" + std::to_string(a.getArgNo());
      if (a.getArgNo()) parameters += ", ";
      if (a.getType()->isPointerTy()) {
        parameters += "__global uchar* " + name + "_start, ulong " + name + "_from";
        addresses += "  __global uchar* " + name + " = " + name + "_start + " + name + "_from;\n";
      } else {
        parameters += "ulong " + name;
      }
      names_.emplace(&a, name);
    }
    for (const llvm::BasicBlock& block : f) Block(block);
    std::string text = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n";
    text += "float of_half(ushort h) { return vload_half(0, (half*)&h); }\n";
    text += "ushort to_half(float x) { ushort h; vstore_half_rte(x, 0, (half*)&h); return h; }\n";
    text += tables_ + "__kernel __attribute__((reqd_work_group_size(" + std::to_string(kGpuThreads) +
            ", 1, 1))) void " + f.getName().str() + "(" + parameters + ") {\n" + addresses;
    if (shuffles_) text += "  __local uint lanes[" + std::to_string(kGpuThreads) + "];\n";
    return text + declarations_ + body_ + "}\n";
  }

 private:
  // ---- types ----
  static std::string TypeName(const Type* t) {
    if (t->isFloatTy()) return "float";
    if (t->isDoubleTy()) return "double";
    if (t->isHalfTy()) return "ushort";
    if (t->isIntegerTy()) return Integer(t->getIntegerBitWidth(), "u");
    std::string text;
    llvm::raw_string_ostream os(text);
    t->print(os);
    NoCode("values of type " + text);
  }
  static std::string Integer(unsigned bits, const char* sign) {
    switch (bits) {
      case 1: return "bool";
      case 8: return std::string(sign) + "char";
      case 16: return std::string(sign) + "short";
      case 32: return std::string(sign) + "int";
      case 64: return std::string(sign) + "long";
      default: NoCode("integers of " + std::to_string(bits) + " bits");
    }
  }
  static unsigned Bits(const Value* v) { return v->getType()->getScalarSizeInBits(); }
  std::string Signed(const Value* v) {
    if (Bits(v) == 1) return "(-(int)" + Name(v) + ")";
    return "((" + Integer(Bits(v), "") + ")" + Name(v) + ")";
  }
  static std::string Pointer(unsigned space) {
    return space == 1 ? "__global uchar*" : space == 3 ? "__local uchar*" : "__constant uchar*";
  }

  // ---- operands ----
  static std::string Hex(uint64_t v, bool wide) {
    char text[32];
    std::snprintf(text, sizeof(text), wide ? "0x%llxul" : "0x%llxu", static_cast<unsigned long long>(v));
    return text;
  }
  std::string Constant(const llvm::Constant* c) {
    if (const auto* i = llvm::dyn_cast<llvm::ConstantInt>(c)) {
      if (i->getBitWidth() == 1) return i->isZero() ? "false" : "true";
      return "((" + TypeName(c->getType()) + ")" + Hex(i->getZExtValue(), i->getBitWidth() == 64) + ")";
    }
    if (const auto* f = llvm::dyn_cast<llvm::ConstantFP>(c)) {
      const uint64_t bits = f->getValueAPF().bitcastToAPInt().getZExtValue();
      if (c->getType()->isHalfTy()) return "((ushort)" + Hex(bits, false) + ")";
      return c->getType()->isDoubleTy() ? "as_double(" + Hex(bits, true) + ")" : "as_float(" + Hex(bits, false) + ")";
    }
    if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(c)) return Global(g);
    if (llvm::isa<llvm::UndefValue>(c) || c->isNullValue()) return "((" + TypeName(c->getType()) + ")0)";
    if (const auto* e = llvm::dyn_cast<llvm::GEPOperator>(c)) return Address(*e);
    NoCode("a constant of another kind");
  }
  std::string Name(const Value* v) {
    if (const auto* c = llvm::dyn_cast<llvm::Constant>(v)) return Constant(c);
    return names_.at(v);
  }
  // Memory of the block, or a table of numbers; as bytes.
  std::string Global(const llvm::GlobalVariable* g) {
    const auto* array = llvm::dyn_cast<llvm::ArrayType>(g->getValueType());
    if (!array) NoCode("memory that is no array");
    const std::string element = TypeName(array->getElementType());
    auto [it, fresh] = names_.emplace(g, "g" + std::to_string(names_.size()));
    const unsigned space = g->getAddressSpace();
    const std::string extent = "[" + std::to_string(array->getNumElements()) + "]";
    if (fresh && space == 3) declarations_ += "  __local " + element + " " + it->second + extent + ";\n";
    if (fresh && space != 3) {
      tables_ += "__constant " + element + " " + it->second + extent + " = {";
      for (uint64_t k = 0; k < array->getNumElements(); ++k)
        tables_ += Literal(g->getInitializer()->getAggregateElement(static_cast<unsigned>(k))) + ", ";
      tables_ += "};\n";
    }
    return "((" + Pointer(space) + ")" + it->second + ")";
  }
  // Initialisers are constant expressions, which as_float is not everywhere.
  std::string Literal(const llvm::Constant* c) {
    const auto* f = llvm::dyn_cast<llvm::ConstantFP>(c);
    if (!f || c->getType()->isHalfTy()) return Constant(c);
    char text[64];
    const bool wide = c->getType()->isDoubleTy();
    std::snprintf(text, sizeof(text), wide ? "%a" : "%af",
                  wide ? f->getValueAPF().convertToDouble() : static_cast<double>(f->getValueAPF().convertToFloat()));
    return text;
  }
  std::string Address(const llvm::GEPOperator& gep) {
    std::string text = "(" + Name(gep.getPointerOperand());
    Type* type = gep.getSourceElementType();
    for (auto it = gep.idx_begin(); it != gep.idx_end(); ++it) {
      if (it != gep.idx_begin()) {
        if (!type->isArrayTy()) NoCode("an address in a struct");
        type = type->getArrayElementType();
      }
      const uint64_t size = m_.getDataLayout().getTypeAllocSize(type).getFixedValue();
      text += " + (long)" + Signed(it->get()) + " * " + std::to_string(size);
    }
    return text + ")";
  }
  std::string At(const Value* pointer, const Type* type) {
    std::string to = Pointer(pointer->getType()->getPointerAddressSpace());
    to.replace(to.find("uchar"), 5, type->isIntegerTy(1) ? "uchar" : TypeName(type));
    return "*(" + to + ")(" + Name(pointer) + ")";
  }

  // ---- instructions ----
  void Line(const std::string& text) { body_ += "  " + text + ";\n"; }
  void Block(const llvm::BasicBlock& block) {
    body_ += labels_.at(&block) + ":;\n";
    for (const Instruction& i : block) {
      if (!i.getType()->isVoidTy()) names_.emplace(&i, "v" + std::to_string(names_.size()));
    }
    for (const Instruction& i : block) One(i);
  }
  std::string Declare(const Instruction& i) {
    const std::string name = names_.at(&i);
    const Type* t = i.getType();
    declarations_ +=
        "  " + (t->isPointerTy() ? Pointer(t->getPointerAddressSpace()) : TypeName(t)) + " " + name + ";\n";
    return name;
  }
  void Set(const Instruction& i, const std::string& value) { Line(Declare(i) + " = " + value); }

  // To a block, with what it takes from this one.
  void Jump(const llvm::BasicBlock* from, const llvm::BasicBlock* to, std::string& text) {
    for (const llvm::PHINode& phi : to->phis())
      text += PhiName(phi) + "_next = " + Name(phi.getIncomingValueForBlock(from)) + "; ";
    text += "goto " + labels_.at(to) + ";";
  }
  // Values of a later block are named when an earlier one branches to it.
  std::string PhiName(const llvm::PHINode& phi) {
    return names_.emplace(&phi, "v" + std::to_string(names_.size())).first->second;
  }

  void One(const Instruction& i) {
    auto op = [&](unsigned k) { return Name(i.getOperand(k)); };
    auto both = [&](const char* sign) { return op(0) + " " + sign + " " + op(1); };
    auto cast = [&](const std::string& v) { return "(" + TypeName(i.getType()) + ")(" + v + ")"; };
    switch (i.getOpcode()) {
      case Instruction::PHI: {
        const std::string name = Declare(i);
        declarations_ += "  " + TypeName(i.getType()) + " " + name + "_next;\n";
        return Line(name + " = " + name + "_next");
      }
      case Instruction::Br: {
        const auto& br = llvm::cast<llvm::BranchInst>(i);
        std::string text;
        if (br.isConditional()) {
          text = "if (" + Name(br.getCondition()) + ") { ";
          Jump(i.getParent(), br.getSuccessor(0), text);
          text += " } else { ";
          Jump(i.getParent(), br.getSuccessor(1), text);
          text += " }";
        } else {
          Jump(i.getParent(), br.getSuccessor(0), text);
        }
        body_ += "  " + text + "\n";
        return;
      }
      case Instruction::Ret: return Line("return");
      case Instruction::Load: {
        const bool flag = i.getType()->isIntegerTy(1);
        return Set(i, At(i.getOperand(0), i.getType()) + (flag ? " != 0" : ""));
      }
      case Instruction::Store: return Line(At(i.getOperand(1), i.getOperand(0)->getType()) + " = " + op(0));
      case Instruction::GetElementPtr: return Set(i, Address(llvm::cast<llvm::GEPOperator>(i)));
      case Instruction::Select: return Set(i, op(0) + " ? " + op(1) + " : " + op(2));
      case Instruction::Freeze: return Set(i, op(0));
      case Instruction::FNeg: return Set(i, "-" + op(0));
      case Instruction::FAdd: return Set(i, both("+"));
      case Instruction::FSub: return Set(i, both("-"));
      case Instruction::FMul: return Set(i, both("*"));
      case Instruction::FDiv: return Set(i, both("/"));
      case Instruction::Add: return Set(i, Bits(&i) == 1 ? both("!=") : both("+"));
      case Instruction::Sub: return Set(i, Bits(&i) == 1 ? both("!=") : both("-"));
      case Instruction::Mul: return Set(i, both("*"));
      case Instruction::UDiv: return Set(i, both("/"));
      case Instruction::URem: return Set(i, both("%"));
      case Instruction::SDiv: return Set(i, Signed(i.getOperand(0)) + " / " + Signed(i.getOperand(1)));
      case Instruction::SRem: return Set(i, Signed(i.getOperand(0)) + " % " + Signed(i.getOperand(1)));
      case Instruction::And: return Set(i, both("&"));
      case Instruction::Or: return Set(i, both("|"));
      case Instruction::Xor: return Set(i, both("^"));
      case Instruction::Shl: return Set(i, both("<<"));
      case Instruction::LShr: return Set(i, both(">>"));
      case Instruction::AShr: return Set(i, Signed(i.getOperand(0)) + " >> " + op(1));
      case Instruction::ICmp:
      case Instruction::FCmp: return Set(i, Compare(llvm::cast<llvm::CmpInst>(i)));
      case Instruction::Trunc: return Set(i, Bits(&i) == 1 ? "(" + op(0) + " & 1) != 0" : cast(op(0)));
      case Instruction::ZExt:
      case Instruction::UIToFP: return Set(i, cast(op(0)));
      case Instruction::SExt: return Set(i, cast("(" + Integer(Bits(&i), "") + ")" + Signed(i.getOperand(0))));
      case Instruction::SIToFP: return Set(i, cast(Signed(i.getOperand(0))));
      case Instruction::FPToUI: return Set(i, cast(op(0)));
      case Instruction::FPToSI: return Set(i, cast("(" + Integer(Bits(&i), "") + ")" + op(0)));
      case Instruction::FPExt: {
        const bool half = i.getOperand(0)->getType()->isHalfTy();
        return Set(i, cast(half ? "of_half(" + op(0) + ")" : op(0)));
      }
      case Instruction::FPTrunc: {
        if (!i.getType()->isHalfTy()) return Set(i, cast(op(0)));
        if (!i.getOperand(0)->getType()->isFloatTy()) NoCode("a half of a double");
        return Set(i, "to_half(" + op(0) + ")");
      }
      case Instruction::BitCast: {
        const Type *from = i.getOperand(0)->getType(), *to = i.getType();
        return Set(i, TypeName(from) == TypeName(to) ? op(0) : "as_" + TypeName(to) + "(" + op(0) + ")");
      }
      case Instruction::Call: return Call(llvm::cast<llvm::CallInst>(i));
      default: NoCode(std::string("the instruction ") + i.getOpcodeName());
    }
  }

  std::string Compare(const llvm::CmpInst& c) {
    const Value *x = c.getOperand(0), *y = c.getOperand(1);
    auto with = [&](const char* sign) { return Name(x) + " " + sign + " " + Name(y); };
    auto not_ = [&](const char* sign) { return "!(" + with(sign) + ")"; };
    switch (c.getPredicate()) {
      case P::ICMP_EQ:
      case P::FCMP_OEQ: return with("==");
      case P::ICMP_NE:
      case P::FCMP_UNE: return with("!=");
      case P::ICMP_UGT:
      case P::FCMP_OGT: return with(">");
      case P::ICMP_UGE:
      case P::FCMP_OGE: return with(">=");
      case P::ICMP_ULT:
      case P::FCMP_OLT: return with("<");
      case P::ICMP_ULE:
      case P::FCMP_OLE: return with("<=");
      case P::ICMP_SGT: return Signed(x) + " > " + Signed(y);
      case P::ICMP_SGE: return Signed(x) + " >= " + Signed(y);
      case P::ICMP_SLT: return Signed(x) + " < " + Signed(y);
      case P::ICMP_SLE: return Signed(x) + " <= " + Signed(y);
      case P::FCMP_ONE: return "(" + with("<") + ") | (" + with(">") + ")";
      case P::FCMP_UEQ: return "!((" + with("<") + ") | (" + with(">") + "))";
      case P::FCMP_UNO: return "(" + Name(x) + " != " + Name(x) + ") | (" + Name(y) + " != " + Name(y) + ")";
      case P::FCMP_ORD: return "(" + Name(x) + " == " + Name(x) + ") & (" + Name(y) + " == " + Name(y) + ")";
      case P::FCMP_UGT: return not_("<=");
      case P::FCMP_UGE: return not_("<");
      case P::FCMP_ULT: return not_(">=");
      case P::FCMP_ULE: return not_(">");
      default: NoCode("a comparison of another kind");
    }
  }

  void Call(const llvm::CallInst& call) {
    namespace I = llvm::Intrinsic;
    const llvm::Function* callee = call.getCalledFunction();
    auto arg = [&](unsigned k) { return Name(call.getArgOperand(k)); };
    auto number = [&](unsigned k) { return Signed(call.getArgOperand(k)); };
    auto cast = [&](const std::string& v) { return "(" + TypeName(call.getType()) + ")" + v; };
    switch (callee ? callee->getIntrinsicID() : I::not_intrinsic) {
      case I::nvvm_read_ptx_sreg_tid_x: return Set(call, "(uint)get_local_id(0)");
      case I::nvvm_read_ptx_sreg_ctaid_x: return Set(call, "(uint)get_group_id(0)");
      case I::nvvm_read_ptx_sreg_nctaid_x: return Set(call, "(uint)get_num_groups(0)");
      case I::nvvm_barrier0: return Line("barrier(CLK_LOCAL_MEM_FENCE)");
      case I::nvvm_shfl_sync_bfly_i32: {  // (all lanes, value, distance, last lane)
        shuffles_ = true;
        Line("lanes[get_local_id(0)] = " + arg(1));
        Line("barrier(CLK_LOCAL_MEM_FENCE)");
        Set(call, "lanes[get_local_id(0) ^ " + arg(2) + "]");
        return Line("barrier(CLK_LOCAL_MEM_FENCE)");
      }
      case I::fabs: return Set(call, "fabs(" + arg(0) + ")");
      case I::floor: return Set(call, "floor(" + arg(0) + ")");
      case I::ceil: return Set(call, "ceil(" + arg(0) + ")");
      case I::trunc: return Set(call, "trunc(" + arg(0) + ")");
      case I::rint:
      case I::nearbyint:
      case I::roundeven: return Set(call, "rint(" + arg(0) + ")");
      case I::sqrt: return Set(call, "sqrt(" + arg(0) + ")");
      case I::copysign: return Set(call, "copysign(" + arg(0) + ", " + arg(1) + ")");
      case I::fma: return Set(call, "fma(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")");
      case I::maxnum: return Set(call, "fmax(" + arg(0) + ", " + arg(1) + ")");
      case I::minnum: return Set(call, "fmin(" + arg(0) + ", " + arg(1) + ")");
      case I::ldexp: return Set(call, "ldexp(" + arg(0) + ", (int)" + number(1) + ")");
      case I::abs: return Set(call, cast("(" + number(0) + " < 0 ? -" + arg(0) + " : " + arg(0) + ")"));
      case I::smax: return Set(call, number(0) + " > " + number(1) + " ? " + arg(0) + " : " + arg(1));
      case I::smin: return Set(call, number(0) + " < " + number(1) + " ? " + arg(0) + " : " + arg(1));
      case I::umax: return Set(call, "max(" + arg(0) + ", " + arg(1) + ")");
      case I::umin: return Set(call, "min(" + arg(0) + ", " + arg(1) + ")");
      case I::ctlz: return Set(call, "clz(" + arg(0) + ")");
      case I::ctpop: return Set(call, "popcount(" + arg(0) + ")");
      default: NoCode(callee ? callee->getName().str() : "a call of a pointer");
    }
  }

  const llvm::Module& m_;
  std::unordered_map<const Value*, std::string> names_;
  std::unordered_map<const llvm::BasicBlock*, std::string> labels_;
  std::string tables_, declarations_, body_;
  bool shuffles_ = false;
};

}  // namespace

std::string PrintOpenCl(const LoopNest& nest, const std::string& symbol, PtxForm form) {
  llvm::LLVMContext context;
  llvm::Module module(symbol, context);
  form.vector = 1;
  BuildForGpu(nest, symbol, form, 0, module);
  return Printer(module).Run(*module.getFunction(symbol));
}

std::string OpenClKey() { return std::string("OpenCL C|llvm ") + LLVM_VERSION_STRING + "|math " + VectorMathHash(); }

}  // namespace cinn
