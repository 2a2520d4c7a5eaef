// SPDX-License-Identifier: Apache-2.0
// The loops of a kernel in LLVM IR: vector bodies with masked tails, accumulator trees, stores.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;
using Values = std::vector<Value*>;

class KernelEmitter {
 public:
  KernelEmitter(const LoopNest& nest, const std::string& symbol, llvm::Module& m, llvm::Module* math)
      : nest_(nest), g_(nest.group), m_(m), math_(math), b_(m.getContext()), ub_(m.getContext()) {
    Type* ptr = b_.getPtrTy();
    Type* i64 = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, i64, i64}, false);
    fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, m_);
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
    fn_->addFnAttr("prefer-vector-width", "512");
    fn_->addFnAttr("min-legal-vector-width", "512");
    b_.SetInsertPoint(BasicBlock::Create(m_.getContext(), "entry", fn_));
  }

  void Run() {
    nbuf_ = static_cast<int>(g_.inputs.size() + g_.outputs.size());
    naxes_ = static_cast<int>(nest_.rows.size() + nest_.reds.size()) + 1;
    for (int k = 0; k < nbuf_; ++k) base_.push_back(LoadPtr(k));
    for (int a = 0; a < naxes_; ++a) extent_.push_back(Meta(a));
    for (int k = 0; k < nbuf_; ++k)
      for (int a = 0; a < naxes_; ++a) stride_.push_back(Meta(naxes_ + k * naxes_ + a));
    for (int a = 0; a < g_.rank + g_.params; ++a) dims_.push_back(Meta(naxes_ * (1 + nbuf_) + a));
    reduced_.resize(g_.reductions.size());
    axis_index_.assign(g_.rank, nullptr);
    Value *begin = fn_->getArg(2), *end = fn_->getArg(3);
    if (nest_.mode == LoopMode::kRowReduce) {
      Count(true);
      Loop(begin, end, 1, {}, [&](Value* row, Values&) { RowBody(row); });
    } else {
      if (nest_.mode == LoopMode::kColReduce) Count(false);
      Positions(begin, end);
    }
    b_.CreateRetVoid();
  }

 private:
  // ---- small helpers ----
  Value* I64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  Value* LoadPtr(int k) {
    return b_.CreateLoad(b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getPtrTy(), fn_->getArg(0), k));
  }
  Value* Meta(int k) {
    return b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), fn_->getArg(1), k));
  }
  Value* Lane() { return extent_.back(); }
  Value* Stride(int buf, int axis) { return stride_[buf * naxes_ + axis]; }
  int OutBuf(int o) { return static_cast<int>(g_.inputs.size()) + o; }
  const GroupInput* InputOf(const ExprNode& n) const {  // null: a value kept in an output's memory
    return n.index < static_cast<int>(g_.inputs.size()) ? &g_.inputs[n.index] : nullptr;
  }
  bool LaneVaries(const ExprNode& n) {
    if (n.op == Op::kInput) {
      const GroupInput* in = InputOf(n);
      return nest_.access[n.index] != LaneAccess::kUniform || (in && in->offset.defined() && !Uniform(in->offset)) ||
             (in && in->mask.defined() && !Uniform(in->mask));
    }
    if (n.op == Op::kReduced) return nest_.mode == LoopMode::kColReduce;
    if (n.op == Op::kIndex) return !nest_.lane.parts.empty() && nest_.lane.parts[0] == n.index;
    return false;
  }
  bool Uniform(const Expr& e) {
    auto it = uniform_.find(e.node());
    if (it != uniform_.end()) return it->second;
    bool u = e->nargs > 0 || !LaneVaries(*e.node());
    for (int k = 0; k < e->nargs && u; ++k) u = Uniform(e->args[k]);
    uniform_.emplace(e.node(), u);
    return u;
  }

  Values Loop(Value* begin, Value* end, int64_t step, const Values& carried, const LoopBody& body) {
    return EmitLoop(b_, begin, end, I64(step), true, carried, body);
  }

  Value* Min(Value* a, Value* c) { return b_.CreateSelect(b_.CreateICmpSLT(a, c), a, c); }

  // Splits a flat position over axes [first, first + axes.size()) and adds its strides to the buffers' offsets.
  void AddPosition(const std::vector<LoopAxis>& axes, int first, Value* flat, Values& offset) {
    for (int k = static_cast<int>(axes.size()) - 1; k >= 0; --k) {
      Value* idx = k == 0 ? flat : b_.CreateSRem(flat, extent_[first + k]);
      if (k > 0) flat = b_.CreateSDiv(flat, extent_[first + k]);
      if (axes[k].parts.size() == 1) axis_index_[axes[k].parts[0]] = idx;
      for (int buf = 0; buf < nbuf_; ++buf)
        offset[buf] = b_.CreateAdd(offset[buf], b_.CreateMul(idx, Stride(buf, first + k)));
    }
  }
  Values Zeros() { return Values(nbuf_, I64(0)); }
  Value* RedsExtent() {
    Value* n = I64(1);
    for (size_t k = 0; k < nest_.reds.size(); ++k) n = b_.CreateMul(n, extent_[nest_.rows.size() + k]);
    return n;
  }
  void Count(bool with_lane) {
    Value* n = RedsExtent();
    if (with_lane) n = b_.CreateMul(n, Lane());
    count_ = b_.CreateSIToFP(n, b_.getDoubleTy());
  }

  // ---- expressions ----
  struct Body {             // one vector of lanes
    Value* at = nullptr;    // lane position, i64
    Value* mask = nullptr;  // null: all lanes
    const Values* offset = nullptr;
    int slot = 0;  // which unrolled vector: selects reduced values in column mode
    std::unordered_map<const ExprNode*, Value*> memo;
  };
  struct UniformScope {
    const Values* offset = nullptr;
    llvm::IRBuilderBase* builder = nullptr;
    std::unordered_map<const ExprNode*, Value*> scalar, splat;
  };

  Value* Constant(const ExprNode& n) {
    Type* t = LlvmType(b_, n.dtype, 0);
    if (IsFloat(n.dtype)) return llvm::ConstantFP::get(t, n.f);
    return llvm::ConstantInt::get(t, static_cast<uint64_t>(n.i), true);
  }

  Value* Scalar(const Expr& e) {
    UniformScope& s = *scope_;
    auto it = s.scalar.find(e.node());
    if (it != s.scalar.end()) return it->second;
    llvm::IRBuilderBase& b = *s.builder;
    Value* v = nullptr;
    switch (e->op) {
      case Op::kConst: v = Constant(*e.node()); break;
      case Op::kReduced: v = reduced_[e->index][0]; break;
      case Op::kIndex: v = axis_index_[e->index]; break;
      case Op::kExtent: v = dims_[e->index]; break;
      case Op::kInput: {
        Type* t = StorageType(b, e->storage, 0);
        const GroupInput* in = InputOf(*e.node());
        Value* at = (*s.offset)[e->index];
        if (in && in->offset.defined()) at = b.CreateAdd(at, Scalar(in->offset));
        Value* p = b.CreateGEP(t, base_[e->index], at);
        if (in && in->mask.defined()) {
          Type* one = StorageType(b, e->storage, 1);
          Value* mask = Scalar(in->mask);
          Value* read = b.CreateMaskedLoad(one, b.CreateSelect(mask, p, Mapped()), llvm::Align(phi::SizeOf(e->storage)),
                                           b.CreateVectorSplat(1, mask), llvm::Constant::getNullValue(one));
          v = b.CreateExtractElement(read, uint64_t{0});
        } else {
          v = b.CreateLoad(t, p);
        }
        v = FromStorage(b, v, e->storage);
        break;
      }
      default: {
        Value* args[3];
        for (int k = 0; k < e->nargs; ++k) args[k] = Scalar(e->args[k]);
        v = EmitOp(b, math_, *e.node(), args);
      }
    }
    PD_ASSERT(v != nullptr);
    s.scalar.emplace(e.node(), v);
    return v;
  }

  Value* Splat(const Expr& e) {
    auto it = scope_->splat.find(e.node());
    if (it != scope_->splat.end()) return it->second;
    Value* v = scope_->builder->CreateVectorSplat(nest_.width, Scalar(e));
    scope_->splat.emplace(e.node(), v);
    return v;
  }

  Value* Iota() {
    Values v;
    std::vector<llvm::Constant*> c;
    for (int k = 0; k < nest_.width; ++k) c.push_back(b_.getInt64(k));
    return llvm::ConstantVector::get(c);
  }

  // A vector of pointers when the lanes are not next to each other.
  Value* ElementPointer(int buf, Type* elem, Body& body, const Expr& further = {}) {
    Value* at_row = (*body.offset)[buf];
    Value* apart = nullptr;
    if (further.defined()) {
      if (Uniform(further))
        at_row = b_.CreateAdd(at_row, Scalar(further));
      else
        apart = Lanes(further, body);
    }
    Value* row = b_.CreateGEP(elem, base_[buf], at_row);
    if (nest_.access[buf] == LaneAccess::kUniform) return apart ? b_.CreateGEP(elem, row, apart) : row;
    if (!apart && nest_.access[buf] == LaneAccess::kUnit) return b_.CreateGEP(elem, row, body.at);
    Value* at = b_.CreateAdd(b_.CreateVectorSplat(nest_.width, body.at), Iota());
    at = b_.CreateMul(at, b_.CreateVectorSplat(nest_.width, Stride(buf, naxes_ - 1)));
    if (apart) at = b_.CreateAdd(at, apart);
    return b_.CreateGEP(elem, row, at);
  }

  Value* LoadLanes(const ExprNode& n, Body& body) {
    Type* elem = StorageType(b_, n.storage, 0);
    Type* vec = StorageType(b_, n.storage, nest_.width);
    const GroupInput* in = InputOf(n);
    Value* p = ElementPointer(n.index, elem, body, in ? in->offset : Expr());
    Value* mask = body.mask;
    if (in && in->mask.defined()) {
      Value* own = Lanes(in->mask, body);
      mask = mask ? b_.CreateAnd(mask, own) : own;
    }
    const llvm::Align align(phi::SizeOf(n.storage));
    Value* v;
    if (!p->getType()->isVectorTy() && nest_.access[n.index] == LaneAccess::kUniform)
      p = b_.CreateVectorSplat(nest_.width, p);
    if (p->getType()->isVectorTy()) {
      v = b_.CreateMaskedGather(vec, p, align, mask ? mask : AllOnes(), llvm::Constant::getNullValue(vec));
    } else if (mask) {
      if (in && in->mask.defined()) p = Readable(in->mask, mask, p);
      v = b_.CreateMaskedLoad(vec, p, align, mask, llvm::Constant::getNullValue(vec));
    } else {
      v = b_.CreateAlignedLoad(vec, p, align);
    }
    return FromStorage(b_, v, n.storage);
  }
  // A load of no lane costs as much as 50 loads where its address is outside of the process's memory: it has another
  // one. Short rows have the memory of their neighbours around them, and are not asked for lanes.
  Value* Readable(const Expr& own, Value* lanes, Value* p) {
    if (Uniform(own)) return b_.CreateSelect(Scalar(own), p, Mapped());
    return nest_.rows.empty() ? b_.CreateSelect(b_.CreateOrReduce(lanes), p, Mapped()) : p;
  }
  Value* Mapped() { return fn_->getArg(1); }
  Value* AllOnes() { return llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b_.getInt1Ty(), nest_.width)); }

  Value* Lanes(const Expr& e, Body& body) {
    if (Uniform(e)) return Splat(e);
    auto it = body.memo.find(e.node());
    if (it != body.memo.end()) return it->second;
    Value* v;
    switch (e->op) {
      case Op::kInput: v = LoadLanes(*e.node(), body); break;
      case Op::kReduced: v = reduced_[e->index][body.slot]; break;
      case Op::kIndex: v = b_.CreateAdd(b_.CreateVectorSplat(nest_.width, body.at), Iota()); break;
      default: {
        Value* args[3];
        for (int k = 0; k < e->nargs; ++k) args[k] = Lanes(e->args[k], body);
        v = EmitOp(b_, math_, *e.node(), args);
      }
    }
    body.memo.emplace(e.node(), v);
    return v;
  }

  // An output may be the memory of an input: elements are read before the first of several outputs is written.
  void ReadAll(const LoopStage& st, Body& body) {
    if (nest_.mode != LoopMode::kElementwise || st.outputs.size() < 2) return;
    std::unordered_set<const ExprNode*> seen;
    std::function<void(const Expr&)> visit = [&](const Expr& e) {
      if (!seen.insert(e.node()).second) return;
      if (e->op == Op::kInput) Lanes(e, body);
      for (int k = 0; k < e->nargs; ++k) visit(e->args[k]);
    };
    for (int o : st.outputs) visit(g_.outputs[o].value);
  }

  void StoreLanes(int o, Body& body) { StoreLanes(o, g_.outputs[o].value, body); }
  void StoreLanes(int o, const Expr& value, Body& body) {
    const GroupOutput& out = g_.outputs[o];
    Value* v = ToStorage(b_, Lanes(value, body), value.dtype(), out.dtype);
    Value* p = ElementPointer(OutBuf(o), StorageType(b_, out.dtype, 0), body);
    const llvm::Align align(phi::SizeOf(out.dtype));
    if (p->getType()->isVectorTy())
      b_.CreateMaskedScatter(v, p, align, body.mask ? body.mask : AllOnes());
    else if (body.mask)
      b_.CreateMaskedStore(v, p, align, body.mask);
    else
      b_.CreateAlignedStore(v, p, align);
  }

  // ---- reductions ----
  Value* Identity(ReduceKind k, DataType t, int width) { return ReduceIdentity(b_, k, t, width); }
  Value* Combine(ReduceKind k, DataType t, Value* x, Value* y) { return ReduceStep(b_, math_, k, t, x, y); }
  Value* ToCompute(Value* v, DataType from, DataType to) { return ConvertCompute(b_, v, from, to); }

  // Halves the vector until one lane is left.
  Value* AcrossLanes(ReduceKind k, DataType t, Value* v) {
    for (int w = nest_.width / 2; w >= 1; w /= 2) {
      std::vector<int> lo, hi;
      for (int i = 0; i < w; ++i) {
        lo.push_back(i);
        hi.push_back(i + w);
      }
      v = Combine(k, t, b_.CreateShuffleVector(v, lo), b_.CreateShuffleVector(v, hi));
    }
    return b_.CreateExtractElement(v, uint64_t{0});
  }

  void Accumulate(const LoopStage& st, Body& body, Values& acc, size_t first) {
    for (const LoopSpill& p : nest_.spills)
      if (&nest_.stages[p.stage] == &st) StoreLanes(p.output, p.value, body);
    for (size_t j = 0; j < st.reductions.size(); ++j) {
      const GroupReduction& r = g_.reductions[st.reductions[j]];
      const DataType t = LaneType(r);
      Value* v = ToCompute(Lanes(r.value, body), r.value.dtype(), t);
      Value* next = Combine(r.kind, t, acc[first + j], v);
      if (body.mask && nest_.mode == LoopMode::kRowReduce) next = b_.CreateSelect(body.mask, next, acc[first + j]);
      acc[first + j] = next;
    }
  }

  Value* Final(const GroupReduction& r, Value* top) {
    const bool vec = top->getType()->isVectorTy();
    if (r.kind == ReduceKind::kMean) {
      if (!IsFloat(LaneType(r))) top = b_.CreateSIToFP(top, LlvmType(b_, DataType::FLOAT64, vec ? nest_.width : 0));
      top = b_.CreateFDiv(top, vec ? b_.CreateVectorSplat(nest_.width, count_) : count_);
      return ToCompute(top, DataType::FLOAT64, ReducedType(r));
    }
    return ToCompute(top, TopType(r), ReducedType(r));
  }

  // ---- rows ----
  // Main loop of `unroll` vectors, then masked single vectors; returns the accumulators [slot][reduction], slots
  // combined.
  Values LaneSpan(const LoopStage& st, Value* from, Value* to, const Values& offset) {
    const int u = nest_.unroll, w = nest_.width;
    const size_t nred = st.reductions.size();
    Values acc;
    for (int s = 0; s < u; ++s)
      for (int j : st.reductions) acc.push_back(Identity(g_.reductions[j].kind, LaneType(g_.reductions[j]), w));
    Value* n = b_.CreateSub(to, from);
    Value* main_end = b_.CreateAdd(from, b_.CreateAnd(n, I64(~static_cast<int64_t>(u * w - 1))));
    UniformScope scope;
    // Loop-invariant values are computed before the loops, whose first branch is the end of this block.
    auto* marker = llvm::cast<llvm::Instruction>(b_.CreateFreeze(main_end));
    ub_.SetInsertPoint(marker);
    scope.builder = &ub_;
    scope.offset = &offset;
    scope_ = &scope;
    acc = Loop(from, marker, u * w, acc, [&](Value* i, Values& a) {
      for (int s = 0; s < u; ++s) {
        Body body;
        body.at = s ? b_.CreateNSWAdd(i, I64(s * w)) : i;
        body.offset = &offset;
        ReadAll(st, body);
        Accumulate(st, body, a, s * nred);
        for (int o : st.outputs) StoreLanes(o, body);
      }
    });
    Values first(acc.begin(), acc.begin() + static_cast<long>(nred));
    first = Loop(marker, to, w, first, [&](Value* i, Values& a) {
      Body body;
      body.at = i;
      body.mask = b_.CreateICmpSLT(Iota(), b_.CreateVectorSplat(w, b_.CreateSub(to, i)));
      body.offset = &offset;
      ReadAll(st, body);
      Accumulate(st, body, a, 0);
      for (int o : st.outputs) StoreLanes(o, body);
    });
    for (size_t j = 0; j < nred; ++j) acc[j] = first[j];
    for (int half = u / 2; half >= 1; half /= 2)
      for (int s = 0; s < half; ++s)
        for (size_t j = 0; j < nred; ++j) {
          const GroupReduction& r = g_.reductions[st.reductions[j]];
          acc[s * nred + j] = Combine(r.kind, LaneType(r), acc[s * nred + j], acc[(s + half) * nred + j]);
        }
    scope_ = nullptr;
    acc.resize(nred);
    return acc;
  }

  void RowBody(Value* row) {
    Values row_offset = Zeros();
    AddPosition(nest_.rows, 0, row, row_offset);
    for (const LoopStage& st : nest_.stages) {
      Values top;
      for (int j : st.reductions) top.push_back(Identity(g_.reductions[j].kind, TopType(g_.reductions[j]), 0));
      auto sweep = [&](const Values& offset, Values& t) {
        if (st.reductions.empty()) {
          LaneSpan(st, I64(0), Lane(), offset);
          return;
        }
        t = Loop(I64(0), Lane(), kRowBlock, t, [&](Value* at, Values& tt) {
          Values acc = LaneSpan(st, at, Min(b_.CreateNSWAdd(at, I64(kRowBlock)), Lane()), offset);
          for (size_t j = 0; j < acc.size(); ++j) {
            const GroupReduction& r = g_.reductions[st.reductions[j]];
            Value* v = ToCompute(AcrossLanes(r.kind, LaneType(r), acc[j]), LaneType(r), TopType(r));
            tt[j] = Combine(r.kind, TopType(r), tt[j], v);
          }
        });
      };
      if (nest_.reds.empty()) {
        sweep(row_offset, top);
      } else {
        top = Loop(I64(0), RedsExtent(), 1, top, [&](Value* k, Values& t) {
          Values offset = row_offset;
          AddPosition(nest_.reds, static_cast<int>(nest_.rows.size()), k, offset);
          sweep(offset, t);
        });
      }
      for (size_t j = 0; j < st.reductions.size(); ++j)
        reduced_[st.reductions[j]] = {Final(g_.reductions[st.reductions[j]], top[j])};
    }
    UniformScope scope;
    scope.builder = &b_;
    scope.offset = &row_offset;
    scope_ = &scope;
    for (size_t o = 0; o < g_.outputs.size(); ++o) {
      const GroupOutput& out = g_.outputs[o];
      if (!out.reduced) continue;
      Value* v = ToStorage(b_, Scalar(out.value), out.value.dtype(), out.dtype);
      const int buf = OutBuf(static_cast<int>(o));
      b_.CreateStore(v, b_.CreateGEP(StorageType(b_, out.dtype, 0), base_[buf], row_offset[buf]));
    }
    scope_ = nullptr;
  }

  // ---- elementwise and columns ----
  void Positions(Value* begin, Value* end) {
    Value* lane = Lane();
    // Steps of whole row segments: the next position is the end of this segment.
    BasicBlock* pre = b_.GetInsertBlock();
    BasicBlock* loop = BasicBlock::Create(m_.getContext(), "segment", fn_);
    BasicBlock* done = BasicBlock::Create(m_.getContext(), "end", fn_);
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), loop, done);
    b_.SetInsertPoint(loop);
    PHINode* pos = b_.CreatePHI(b_.getInt64Ty(), 2);
    pos->addIncoming(begin, pre);
    Value *from = pos, *to = end, *next = end;
    Values offset = Zeros();
    if (!nest_.rows.empty()) {
      Value* row = b_.CreateSDiv(pos, lane);
      Value* row_start = b_.CreateMul(row, lane);
      from = b_.CreateSub(pos, row_start);
      to = Min(lane, b_.CreateSub(end, row_start));
      next = b_.CreateAdd(row_start, to);
      AddPosition(nest_.rows, 0, row, offset);
    }
    if (nest_.mode == LoopMode::kElementwise) {
      for (const LoopStage& st : nest_.stages) LaneSpan(st, from, to, offset);
    } else {
      ColSpan(from, to, offset);
    }
    pos->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, done);
    b_.SetInsertPoint(done);
  }

  void ColSpan(Value* from, Value* to, const Values& offset) {
    const int u = nest_.unroll, w = nest_.width;
    Value* n = b_.CreateSub(to, from);
    Value* main_end = b_.CreateAdd(from, b_.CreateAnd(n, I64(~static_cast<int64_t>(u * w - 1))));
    Loop(from, main_end, u * w, {}, [&](Value* i, Values&) { ColBody(i, nullptr, u, offset); });
    Loop(main_end, to, w, {}, [&](Value* i, Values&) {
      ColBody(i, b_.CreateICmpSLT(Iota(), b_.CreateVectorSplat(w, b_.CreateSub(to, i))), 1, offset);
    });
  }

  void ColBody(Value* i, Value* mask, int u, const Values& col_offset) {
    const int w = nest_.width;
    auto body_at = [&](int s, const Values& offset) {
      Body body;
      body.at = s ? b_.CreateNSWAdd(i, I64(s * w)) : i;
      body.mask = mask;
      body.offset = &offset;
      body.slot = s;
      return body;
    };
    for (const LoopStage& st : nest_.stages) {
      const size_t nred = st.reductions.size();
      Values top;
      for (int s = 0; s < u; ++s)
        for (int j : st.reductions) top.push_back(Identity(g_.reductions[j].kind, TopType(g_.reductions[j]), w));
      Value* total = RedsExtent();
      top = Loop(I64(0), total, kColBlock, top, [&](Value* at, Values& t) {
        Values acc;
        for (int s = 0; s < u; ++s)
          for (int j : st.reductions) acc.push_back(Identity(g_.reductions[j].kind, LaneType(g_.reductions[j]), w));
        acc = Loop(at, Min(b_.CreateNSWAdd(at, I64(kColBlock)), total), 1, acc, [&](Value* k, Values& a) {
          Values offset = col_offset;
          AddPosition(nest_.reds, static_cast<int>(nest_.rows.size()), k, offset);
          UniformScope scope;
          scope.builder = &b_;
          scope.offset = &offset;
          scope_ = &scope;
          for (int s = 0; s < u; ++s) {
            Body body = body_at(s, offset);
            Accumulate(st, body, a, s * nred);
            for (int o : st.outputs) StoreLanes(o, body);
          }
          scope_ = nullptr;
        });
        for (size_t k = 0; k < acc.size(); ++k) {
          const GroupReduction& r = g_.reductions[st.reductions[k % nred]];
          t[k] = Combine(r.kind, TopType(r), t[k], ToCompute(acc[k], LaneType(r), TopType(r)));
        }
      });
      for (size_t j = 0; j < nred; ++j) {
        reduced_[st.reductions[j]].clear();
        for (int s = 0; s < u; ++s)
          reduced_[st.reductions[j]].push_back(Final(g_.reductions[st.reductions[j]], top[s * nred + j]));
      }
    }
    UniformScope scope;
    scope.builder = &b_;
    scope.offset = &col_offset;
    scope_ = &scope;
    for (int s = 0; s < u; ++s) {
      Body body = body_at(s, col_offset);
      for (size_t o = 0; o < g_.outputs.size(); ++o)
        if (g_.outputs[o].reduced) StoreLanes(static_cast<int>(o), body);
    }
    scope_ = nullptr;
  }

  const LoopNest& nest_;
  const FusionGroup& g_;
  llvm::Module& m_;
  llvm::Module* math_;
  llvm::IRBuilder<> b_, ub_;
  llvm::Function* fn_ = nullptr;
  int nbuf_ = 0, naxes_ = 0;
  Values base_, extent_, stride_, dims_, axis_index_;
  std::vector<Values> reduced_;  // of each reduction: one scalar (rows) or one vector per unrolled slot (columns)
  Value* count_ = nullptr;
  UniformScope* scope_ = nullptr;
  std::unordered_map<const ExprNode*, bool> uniform_;
};

}  // namespace

void EmitKernel(const LoopNest& nest, const std::string& symbol, llvm::Module& module, llvm::Module* math) {
  KernelEmitter(nest, symbol, module, math).Run();
}

}  // namespace cinn
