// SPDX-License-Identifier: Apache-2.0
// LLVM values of single operations, on scalars and vectors alike; the meaning of each is that of ir/interp.cc.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using llvm::Constant;
using llvm::ConstantFP;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;
using B = llvm::IRBuilderBase;

int WidthOf(Value* v) {
  auto* t = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return t ? static_cast<int>(t->getNumElements()) : 0;
}
Type* WithWidth(Type* t, int w) { return w ? llvm::FixedVectorType::get(t, w) : t; }

Value* FConst(Value* like, double v) { return ConstantFP::get(like->getType(), v); }
Value* IConst(Value* like, int64_t v) { return ConstantInt::get(like->getType(), static_cast<uint64_t>(v), true); }

Value* FloatToInt(B& b, Value* x, Type* to) {  // out of range and NaN give the smallest value
  const bool narrow = to->getScalarSizeInBits() == 32;
  const double lo = narrow ? -2147483649.0 : -9223372036854775808.0, hi = narrow ? 2147483648.0 : 9223372036854775808.0;
  const bool f32 = x->getType()->getScalarType()->isFloatTy();
  Value* above =
      narrow && !f32 ? b.CreateFCmpOGT(x, FConst(x, lo)) : b.CreateFCmpOGE(x, FConst(x, narrow ? -2147483648.0 : lo));
  Value* ok = b.CreateAnd(above, b.CreateFCmpOLT(x, FConst(x, hi)));
  Value* safe = b.CreateSelect(ok, x, FConst(x, 0));
  Value* r = b.CreateFPToSI(safe, to);
  return b.CreateSelect(ok, r, ConstantInt::get(to, uint64_t{1} << (narrow ? 31 : 63)));
}

Value* Bf16Round(B& b, Value* x) {  // float -> the 16 bits in an i32
  const int w = WidthOf(x);
  Type* i32 = WithWidth(b.getInt32Ty(), w);
  Value* u = b.CreateBitCast(x, i32);
  Value* odd = b.CreateAnd(b.CreateLShr(u, ConstantInt::get(i32, 16)), ConstantInt::get(i32, 1));
  Value* r = b.CreateLShr(b.CreateAdd(u, b.CreateAdd(odd, ConstantInt::get(i32, 0x7fff))), ConstantInt::get(i32, 16));
  Value* nan = b.CreateOr(b.CreateLShr(u, ConstantInt::get(i32, 16)), ConstantInt::get(i32, 0x40));
  return b.CreateSelect(b.CreateFCmpUNO(x, x), nan, r);
}

Value* MaxMin(B& b, bool max, bool skip_nan, Value* x, Value* y) {
  Value* m = b.CreateSelect(max ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y), x, y);
  // A NaN in y makes the comparison false, so m is y already.
  if (!skip_nan) return b.CreateSelect(b.CreateFCmpUNO(x, x), x, m);
  return b.CreateSelect(b.CreateFCmpUNO(y, y), x, m);
}

Value* FloatOp(B& b, llvm::Module* math, Op op, DataType t, Value* const* a, int nargs) {
  auto intrinsic = [&](ID id) { return b.CreateUnaryIntrinsic(id, a[0]); };
  switch (op) {
    case Op::k_neg: return b.CreateFNeg(a[0]);
    case Op::k_abs: return intrinsic(llvm::Intrinsic::fabs);
    case Op::k_square: return b.CreateFMul(a[0], a[0]);
    case Op::k_floor: return intrinsic(llvm::Intrinsic::floor);
    case Op::k_ceil: return intrinsic(llvm::Intrinsic::ceil);
    case Op::k_trunc: return intrinsic(llvm::Intrinsic::trunc);
    case Op::k_round: return intrinsic(llvm::Intrinsic::rint);  // half to even
    case Op::k_sqrt: return intrinsic(llvm::Intrinsic::sqrt);
    case Op::k_reciprocal: return b.CreateFDiv(FConst(a[0], 1), a[0]);
    case Op::k_add: return b.CreateFAdd(a[0], a[1]);
    case Op::k_sub: return b.CreateFSub(a[0], a[1]);
    case Op::k_mul: return b.CreateFMul(a[0], a[1]);
    case Op::k_div: return b.CreateFDiv(a[0], a[1]);
    case Op::k_copysign: return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, a[0], a[1]);
    case Op::k_maximum: return MaxMin(b, true, false, a[0], a[1]);
    case Op::k_minimum: return MaxMin(b, false, false, a[0], a[1]);
    case Op::k_fmax: return MaxMin(b, true, true, a[0], a[1]);
    case Op::k_fmin: return MaxMin(b, false, true, a[0], a[1]);
    default: break;
  }
  const bool f64 = t == DataType::FLOAT64;
  if (Value* v = InlineMath(b, math, std::string("cinn_") + OpName(op) + (f64 ? "_f64" : "_f32"), a, nargs)) return v;
  switch (op) {  // not in the library: composed, or the C library lane by lane
    case Op::k_sign: {
      Value* s = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, FConst(a[0], 1), a[0]);
      s = b.CreateSelect(b.CreateFCmpOEQ(a[0], FConst(a[0], 0)), FConst(a[0], 0), s);
      return b.CreateSelect(b.CreateFCmpUNO(a[0], a[0]), a[0], s);
    }
    case Op::k_sigmoid: {
      Value* n = b.CreateFNeg(a[0]);
      Value* e = FloatOp(b, math, Op::k_exp, t, &n, 1);
      return b.CreateFDiv(FConst(e, 1), b.CreateFAdd(FConst(e, 1), e));
    }
    case Op::k_rsqrt: return b.CreateFDiv(FConst(a[0], 1), intrinsic(llvm::Intrinsic::sqrt));
    case Op::k_mod:
    case Op::k_floor_divide: {
      Value *x = a[0], *y = a[1], *zero = FConst(x, 0);
      Value* m = FloatOp(b, math, Op::k_fmod, t, a, 2);
      Value* opposite = b.CreateXor(b.CreateFCmpOLT(m, zero), b.CreateFCmpOLT(y, zero));
      Value* adjust = b.CreateAnd(b.CreateFCmpUNE(m, zero), opposite);
      if (op == Op::k_mod) return b.CreateSelect(adjust, b.CreateFAdd(m, y), m);
      Value* d = b.CreateFDiv(b.CreateFSub(x, m), y);
      d = b.CreateSelect(adjust, b.CreateFSub(d, FConst(d, 1)), d);
      Value* f = b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, d);
      f = b.CreateSelect(b.CreateFCmpOGT(b.CreateFSub(d, f), FConst(d, 0.5)), b.CreateFAdd(f, FConst(d, 1)), f);
      Value* q = b.CreateFDiv(x, y);
      f = b.CreateSelect(b.CreateFCmpOEQ(d, zero), b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, q), f);
      return b.CreateSelect(b.CreateFCmpOEQ(y, zero), q, f);
    }
    case Op::k_digamma:
    case Op::k_erfinv:
    case Op::k_i0:
    case Op::k_i0e:
    case Op::k_i1:
    case Op::k_i1e: PD_THROW(Unimplemented, "[cinn] expected ", OpName(op), " in the vector math library, got none");
    default: break;
  }
  llvm::Module* m = b.GetInsertBlock()->getModule();
  Type* scalar = f64 ? b.getDoubleTy() : b.getFloatTy();
  std::vector<Type*> params(nargs, scalar);
  auto fn = m->getOrInsertFunction(std::string(OpName(op)) + (f64 ? "" : "f"),
                                   llvm::FunctionType::get(scalar, params, false));
  const int w = WidthOf(a[0]);
  if (w == 0) return b.CreateCall(fn, llvm::ArrayRef<Value*>(a, nargs));
  Value* r = llvm::PoisonValue::get(a[0]->getType());
  for (int k = 0; k < w; ++k) {
    Value* lane[2];
    for (int i = 0; i < nargs; ++i) lane[i] = b.CreateExtractElement(a[i], static_cast<uint64_t>(k));
    r = b.CreateInsertElement(r, b.CreateCall(fn, llvm::ArrayRef<Value*>(lane, nargs)), static_cast<uint64_t>(k));
  }
  return r;
}

// Quotient and remainder toward zero; x/0 = 0 with remainder 0, and the smallest value / -1 wraps.
struct QuotRem {
  Value *q, *r;
};
QuotRem DivideInt(B& b, Value* x, Value* y) {
  Value* zero = IConst(y, 0);
  Value* by_zero = b.CreateICmpEQ(y, zero);
  Value* by_minus = b.CreateICmpEQ(y, IConst(y, -1));
  Value* q;
  Value* safe = b.CreateSelect(b.CreateOr(by_zero, by_minus), IConst(y, 1), y);
  if (y->getType()->getScalarSizeInBits() == 32 && WidthOf(y)) {  // exact in double, and a vector instruction
    Type* d = WithWidth(b.getDoubleTy(), WidthOf(y));
    q = b.CreateFPToSI(b.CreateFDiv(b.CreateSIToFP(x, d), b.CreateSIToFP(safe, d)), y->getType());
  } else {
    q = b.CreateSDiv(x, safe);
  }
  Value* r = b.CreateSub(x, b.CreateMul(q, safe));
  q = b.CreateSelect(by_minus, b.CreateNeg(x), q);
  return {b.CreateSelect(by_zero, zero, q), b.CreateSelect(b.CreateOr(by_zero, by_minus), zero, r)};
}

Value* IntOp(B& b, const ExprNode& n, DataType t, Value* const* a) {
  Value* zero = IConst(a[0], 0);
  const int bits = t == DataType::INT32 ? 32 : 64;
  auto smin = [&](bool max) {
    return b.CreateSelect(max ? b.CreateICmpSGT(a[0], a[1]) : b.CreateICmpSLT(a[0], a[1]), a[0], a[1]);
  };
  switch (n.op) {
    case Op::kBitwiseNot: return b.CreateNot(a[0]);
    case Op::k_neg: return b.CreateNeg(a[0]);
    case Op::k_abs: return b.CreateSelect(b.CreateICmpSLT(a[0], zero), b.CreateNeg(a[0]), a[0]);
    case Op::k_sign:
      return b.CreateSub(b.CreateZExt(b.CreateICmpSGT(a[0], zero), a[0]->getType()),
                         b.CreateZExt(b.CreateICmpSLT(a[0], zero), a[0]->getType()));
    case Op::k_square: return b.CreateMul(a[0], a[0]);
    case Op::k_add: return b.CreateAdd(a[0], a[1]);
    case Op::k_sub: return b.CreateSub(a[0], a[1]);
    case Op::k_mul: return b.CreateMul(a[0], a[1]);
    case Op::k_div: return DivideInt(b, a[0], a[1]).q;
    case Op::k_fmod: return DivideInt(b, a[0], a[1]).r;
    case Op::k_floor_divide:
    case Op::k_mod: {
      const QuotRem qr = DivideInt(b, a[0], a[1]);
      Value* opposite = b.CreateXor(b.CreateICmpSLT(qr.r, zero), b.CreateICmpSLT(a[1], zero));
      Value* adjust = b.CreateAnd(b.CreateICmpNE(qr.r, zero), opposite);
      if (n.op == Op::k_mod) return b.CreateSelect(adjust, b.CreateAdd(qr.r, a[1]), qr.r);
      return b.CreateSelect(adjust, b.CreateSub(qr.q, IConst(zero, 1)), qr.q);
    }
    case Op::k_maximum:
    case Op::k_fmax: return smin(true);
    case Op::k_minimum:
    case Op::k_fmin: return smin(false);
    case Op::k_bitwise_and: return b.CreateAnd(a[0], a[1]);
    case Op::k_bitwise_or: return b.CreateOr(a[0], a[1]);
    case Op::k_bitwise_xor: return b.CreateXor(a[0], a[1]);
    case Op::k_bitwise_left_shift:
    case Op::k_bitwise_right_shift: {
      Value* wide = b.CreateICmpUGE(a[1], IConst(a[1], bits));
      Value* by = b.CreateSelect(wide, zero, a[1]);
      if (n.op == Op::k_bitwise_left_shift) return b.CreateSelect(wide, zero, b.CreateShl(a[0], by));
      return b.CreateSelect(wide, b.CreateAShr(a[0], IConst(a[0], bits - 1)), b.CreateAShr(a[0], by));
    }
    case Op::k_pow: {  // square and multiply over all exponent bits; a negative exponent gives 0 except for 1 and -1
      Value *r = IConst(a[0], 1), *x = a[0], *e = a[1];
      for (int k = 0; k < bits - 1; ++k) {
        Value* bit = b.CreateICmpNE(b.CreateAnd(e, IConst(e, int64_t{1} << k)), zero);
        r = b.CreateSelect(bit, b.CreateMul(r, x), r);
        x = b.CreateMul(x, x);
      }
      Value* odd = b.CreateICmpNE(b.CreateAnd(e, IConst(e, 1)), zero);
      Value* minus = b.CreateSelect(odd, IConst(e, -1), IConst(e, 1));
      Value* neg = b.CreateSelect(b.CreateICmpEQ(a[0], IConst(e, 1)), IConst(e, 1),
                                  b.CreateSelect(b.CreateICmpEQ(a[0], IConst(e, -1)), minus, zero));
      return b.CreateSelect(b.CreateICmpSLT(e, zero), neg, r);
    }
    default: break;
  }
  PD_THROW(Internal, "[cinn] no code for integer ", OpName(n.op));
}

Value* Compare(B& b, Op op, bool flt, bool is_bool, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  P p;
  switch (op) {
    case Op::k_equal: p = flt ? P::FCMP_OEQ : P::ICMP_EQ; break;
    case Op::k_not_equal: p = flt ? P::FCMP_UNE : P::ICMP_NE; break;
    case Op::k_less_than: p = flt ? P::FCMP_OLT : is_bool ? P::ICMP_ULT : P::ICMP_SLT; break;
    case Op::k_less_equal: p = flt ? P::FCMP_OLE : is_bool ? P::ICMP_ULE : P::ICMP_SLE; break;
    case Op::k_greater_than: p = flt ? P::FCMP_OGT : is_bool ? P::ICMP_UGT : P::ICMP_SGT; break;
    default: p = flt ? P::FCMP_OGE : is_bool ? P::ICMP_UGE : P::ICMP_SGE; break;
  }
  return b.CreateCmp(p, x, y);
}

}  // namespace

Value* ConvertCompute(B& b, Value* v, DataType from, DataType to) {
  const int w = WidthOf(v);
  Type* type = LlvmType(b, to, w);
  if (from == to) return v;
  if (to == DataType::BOOL) return IsFloat(from) ? b.CreateFCmpUNE(v, FConst(v, 0)) : b.CreateICmpNE(v, IConst(v, 0));
  if (IsFloat(to)) {
    if (from == DataType::BOOL) return b.CreateUIToFP(v, type);
    if (!IsFloat(from)) return b.CreateSIToFP(v, type);
    return to == DataType::FLOAT64 ? b.CreateFPExt(v, type) : b.CreateFPTrunc(v, type);
  }
  if (from == DataType::BOOL) return b.CreateZExt(v, type);
  if (IsFloat(from)) return FloatToInt(b, v, type);
  return to == DataType::INT64 ? b.CreateSExt(v, type) : b.CreateTrunc(v, type);
}

Type* LlvmType(B& b, DataType t, int width) {
  switch (t) {
    case DataType::BOOL: return WithWidth(b.getInt1Ty(), width);
    case DataType::INT32: return WithWidth(b.getInt32Ty(), width);
    case DataType::INT64: return WithWidth(b.getInt64Ty(), width);
    case DataType::FLOAT32: return WithWidth(b.getFloatTy(), width);
    case DataType::FLOAT64: return WithWidth(b.getDoubleTy(), width);
    default: PD_THROW(Internal, "[cinn] not a compute type: ", phi::NameOf(t));
  }
}

Type* StorageType(B& b, DataType t, int width) {
  switch (t) {
    case DataType::BOOL:
    case DataType::UINT8:
    case DataType::INT8: return WithWidth(b.getInt8Ty(), width);
    case DataType::INT16:
    case DataType::BFLOAT16: return WithWidth(b.getInt16Ty(), width);
    case DataType::FLOAT16: return WithWidth(b.getHalfTy(), width);
    default: return LlvmType(b, t, width);
  }
}

Value* FromStorage(B& b, Value* v, DataType storage) {
  const int w = WidthOf(v);
  Type* type = LlvmType(b, phi::ComputeType(storage), w);
  switch (storage) {
    case DataType::BOOL: return b.CreateICmpNE(v, IConst(v, 0));
    case DataType::UINT8: return b.CreateZExt(v, type);
    case DataType::INT8:
    case DataType::INT16: return b.CreateSExt(v, type);
    case DataType::FLOAT16: return b.CreateFPExt(v, type);
    case DataType::BFLOAT16: {
      Type* i32 = WithWidth(b.getInt32Ty(), w);
      return b.CreateBitCast(b.CreateShl(b.CreateZExt(v, i32), ConstantInt::get(i32, 16)), type);
    }
    default: return v;
  }
}

Value* ToStorage(B& b, Value* v, DataType from, DataType storage) {
  v = ConvertCompute(b, v, from, phi::ComputeType(storage));
  Type* type = StorageType(b, storage, WidthOf(v));
  switch (storage) {
    case DataType::BOOL: return b.CreateZExt(v, type);
    case DataType::UINT8:
    case DataType::INT8:
    case DataType::INT16: return b.CreateTrunc(v, type);
    case DataType::FLOAT16: return b.CreateFPTrunc(v, type);
    case DataType::BFLOAT16: return b.CreateTrunc(Bf16Round(b, v), type);
    default: return v;
  }
}

Value* EmitOp(B& b, llvm::Module* math, const ExprNode& n, Value* const* a) {
  const DataType t = n.args[0].dtype();
  const bool flt = IsFloat(t);
  switch (n.op) {
    case Op::kCast:
      return n.dtype == n.storage ? ConvertCompute(b, a[0], t, n.storage)
                                  : FromStorage(b, ToStorage(b, a[0], t, n.storage), n.storage);
    case Op::kSelect: return b.CreateSelect(a[0], a[1], a[2]);
    case Op::kLogicalNot: return b.CreateNot(a[0]);
    case Op::k_isnan: return b.CreateFCmpUNO(a[0], a[0]);
    case Op::k_isinf:
    case Op::k_isfinite: {
      Value* x = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a[0]);
      Value* inf = ConstantFP::getInfinity(x->getType());
      return n.op == Op::k_isinf ? b.CreateFCmpOEQ(x, inf) : b.CreateFCmpOLT(x, inf);
    }
    case Op::k_logical_and: return b.CreateAnd(a[0], a[1]);
    case Op::k_logical_or: return b.CreateOr(a[0], a[1]);
    case Op::k_logical_xor: return b.CreateXor(a[0], a[1]);
    case Op::k_equal:
    case Op::k_not_equal:
    case Op::k_less_than:
    case Op::k_less_equal:
    case Op::k_greater_than:
    case Op::k_greater_equal: return Compare(b, n.op, flt, t == DataType::BOOL, a[0], a[1]);
    default: return flt ? FloatOp(b, math, n.op, t, a, n.nargs) : IntOp(b, n, t, a);
  }
}

Value* ReduceIdentity(B& b, ReduceKind k, DataType t, int width) {
  Type* type = LlvmType(b, t, width);
  const bool flt = IsFloat(t);
  const int bits = t == DataType::BOOL ? 1 : t == DataType::INT32 ? 32 : 64;
  auto* scalar = type->getScalarType();
  llvm::Constant* c = llvm::Constant::getNullValue(scalar);
  switch (k) {
    case ReduceKind::kSum:
    case ReduceKind::kMean: break;
    case ReduceKind::kProd: c = flt ? llvm::ConstantFP::get(scalar, 1.0) : llvm::ConstantInt::get(scalar, 1); break;
    case ReduceKind::kMax:
    case ReduceKind::kMin: {
      const bool max = k == ReduceKind::kMax;
      if (flt)
        c = llvm::ConstantFP::getInfinity(scalar, max);
      else if (bits == 1)
        c = llvm::ConstantInt::get(scalar, !max);
      else
        c = llvm::ConstantInt::get(scalar,
                                   max ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits));
      break;
    }
    case ReduceKind::kAny: break;
    case ReduceKind::kAll: c = llvm::ConstantInt::get(scalar, 1); break;
  }
  return width ? llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width), c) : c;
}

Value* ReduceStep(B& b, llvm::Module* math, ReduceKind k, DataType t, Value* x, Value* y) {
  const bool flt = IsFloat(t);
  switch (k) {
    case ReduceKind::kSum:
    case ReduceKind::kMean: return flt ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    case ReduceKind::kProd: return flt ? b.CreateFMul(x, y) : b.CreateMul(x, y);
    case ReduceKind::kAny: return b.CreateOr(x, y);
    case ReduceKind::kAll: return b.CreateAnd(x, y);
    default: break;
  }
  const bool max = k == ReduceKind::kMax;
  if (t == DataType::BOOL) return max ? b.CreateOr(x, y) : b.CreateAnd(x, y);
  ExprNode n;
  n.op = max ? Op::k_maximum : Op::k_minimum;
  n.nargs = 2;
  n.args[0] = n.args[1] = flt ? Expr::Float(0, t) : Expr::Int(0, t);
  Value* args[2] = {x, y};
  return EmitOp(b, math, n, args);
}

std::vector<Value*> EmitLoop(B& b, Value* begin, Value* end, Value* step, bool no_wrap,
                             const std::vector<Value*>& carried, const LoopBody& body) {
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* fn = before->getParent();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "loop", fn);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", fn);
  b.CreateCondBr(b.CreateICmpSLT(begin, end), loop, done);
  b.SetInsertPoint(loop);
  const auto enter = [&](Value* from) {
    llvm::PHINode* p = b.CreatePHI(from->getType(), 2);
    p->addIncoming(from, before);
    return p;
  };
  llvm::PHINode* at = enter(begin);
  std::vector<llvm::PHINode*> phis;
  for (Value* v : carried) phis.push_back(enter(v));
  std::vector<Value*> now(phis.begin(), phis.end());
  body(at, now);
  Value* next = b.CreateAdd(at, step, "", false, no_wrap);
  llvm::BasicBlock* latch = b.GetInsertBlock();
  at->addIncoming(next, latch);
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(now[k], latch);
  b.CreateCondBr(b.CreateICmpSLT(next, end), loop, done);
  b.SetInsertPoint(done);
  std::vector<Value*> out;
  for (size_t k = 0; k < phis.size(); ++k) {
    llvm::PHINode* p = enter(carried[k]);
    p->addIncoming(now[k], latch);
    out.push_back(p);
  }
  return out;
}

}  // namespace cinn
