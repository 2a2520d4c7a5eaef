// SPDX-License-Identifier: Apache-2.0
// The values of a kernel for a GPU in LLVM IR: where the elements of its buffers are, what is computed of them, and how
// a thread reads and writes several neighbours at once. What loops there are is emit_ptx.cc's and emit_ptx_reduce.cc's.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/cinn/codegen/ptx.h"
#include "paddle/common/error.h"

namespace cinn {

using Values = std::vector<llvm::Value*>;

class PtxValues {
 public:
  PtxValues(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability, llvm::Module& m,
            llvm::Module* math)
      : nest_(nest), g_(nest.group), form_(form), capability_(capability), m_(m), math_(math), b_(m.getContext()) {
    nin_ = static_cast<int>(g_.inputs.size());
    nbuf_ = nin_ + static_cast<int>(g_.outputs.size());
    axes_ = nest.rows;
    axes_.insert(axes_.end(), nest.reds.begin(), nest.reds.end());
    axes_.push_back(nest.lane);
    naxes_ = static_cast<int>(axes_.size());
    const int rows = static_cast<int>(nest.rows.size()), reds = rows + static_cast<int>(nest.reds.size());
    for (int a = 0; a < naxes_; ++a) {
      const bool reduced = a == reds ? nest.mode == LoopMode::kRowReduce : a >= rows;
      (reduced && nest.mode != LoopMode::kElementwise ? inner_ : outer_).push_back(a);
    }
    const bool parts = form.part != PtxPart::kWhole;
    first_number_ = nbuf_ + parts;
    first_ = first_number_ + naxes_ * (1 + nbuf_) + g_.rank + g_.params;
    std::vector<llvm::Type*> params(static_cast<size_t>(first_number_), b_.getPtrTy(kGlobalMemory));
    params.resize(static_cast<size_t>(first_ + (form.firsts ? nbuf_ : 0) + parts), b_.getInt64Ty());
    PD_CHECK(params.size() * 8 <= kMostParameterBytes, Unimplemented, "[cinn] expected a group of at most ",
             kMostParameterBytes / 8, " numbers and buffers for a GPU, got ", params.size());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), params, false);
    fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, m_);
    fn_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
    StateBounds(*fn_);
    // An output of a group without reductions may be the memory of an input.
    if (nest.mode != LoopMode::kElementwise)
      for (int k = 0; k < nin_; ++k) {
        fn_->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::NoAlias);
        fn_->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::ReadOnly);
      }
    b_.SetInsertPoint(llvm::BasicBlock::Create(m_.getContext(), "entry", fn_));
    index_ = form.narrow ? b_.getInt32Ty() : b_.getInt64Ty();
    position_.assign(static_cast<size_t>(naxes_), nullptr);
    reduced_.assign(g_.reductions.size() * static_cast<size_t>(form.vector), nullptr);
    scopes_.emplace_back();
    thread_ = b_.CreateZExt(Special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x), index_);
    block_ = b_.CreateZExt(Special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), index_);
    blocks_ = b_.CreateZExt(Special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), index_);
  }

 protected:
  using BasicBlock = llvm::BasicBlock;
  using Type = llvm::Type;
  using Value = llvm::Value;
  static constexpr unsigned kGlobalMemory = 1, kSharedMemory = 3;

  static constexpr size_t kMostParameterBytes = 4096;

  Value* Special(llvm::Intrinsic::ID id) { return b_.CreateIntrinsic(id, {}, {}); }
  Value* At(int64_t v) { return llvm::ConstantInt::get(index_, static_cast<uint64_t>(v), true); }
  Value* Number(int k) { return b_.CreateTrunc(fn_->getArg(static_cast<unsigned>(first_number_ + k)), index_); }
  Value* Extent(int axis) { return Number(axis); }
  Value* Stride(int buf, int axis) { return Number(naxes_ * (1 + buf) + axis); }
  Value* Product(const std::vector<int>& axes) {
    Value* n = At(1);
    for (int a : axes) n = b_.CreateMul(n, Extent(a));
    return n;
  }
  Value*& Reduced(int j) {
    return reduced_[static_cast<size_t>(lane_) * g_.reductions.size() + static_cast<size_t>(j)];
  }
  const GroupReduction& Red(int j) const { return g_.reductions[static_cast<size_t>(j)]; }

  // What is computed in a turn is not known behind the loop.
  Values Loop(Value* begin, Value* end, Value* step, const Values& carried, const LoopBody& body) {
    return EmitLoop(b_, begin, end, step, false, carried, [&](Value* v, Values& now) {
      scopes_.emplace_back();
      body(v, now);
      scopes_.pop_back();
    });
  }
  void If(Value* condition, const std::function<void()>& then) {
    BasicBlock* yes = BasicBlock::Create(m_.getContext(), "then", fn_);
    BasicBlock* after = BasicBlock::Create(m_.getContext(), "after", fn_);
    b_.CreateCondBr(condition, yes, after);
    b_.SetInsertPoint(yes);
    scopes_.emplace_back();
    then();
    scopes_.pop_back();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  llvm::GlobalVariable* Shared(Type* element, int n, const char* name) {
    auto* type = llvm::ArrayType::get(element, static_cast<uint64_t>(n));
    auto* room =
        new llvm::GlobalVariable(m_, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type), name,
                                 nullptr, llvm::GlobalValue::NotThreadLocal, kSharedMemory);
    room->setAlignment(llvm::Align(16));
    return room;
  }

  const Expr& SpilledAs(int buf) const {
    for (const LoopSpill& p : nest_.spills)
      if (p.output == buf - nin_) return p.value;
    PD_THROW(Internal, "[cinn] expected a value that an earlier sweep kept, got output ", buf - nin_);
  }

  // ---- positions ----
  // Splits a position in the product of `axes`, whose last one has `last` steps.
  void Split(Value* at, const std::vector<int>& axes, Value* last) {
    for (size_t k = axes.size(); k-- > 0;) {
      Value* extent = k + 1 == axes.size() ? last : Extent(axes[k]);
      position_[static_cast<size_t>(axes[k])] = k ? b_.CreateURem(at, extent) : at;
      if (k) at = b_.CreateUDiv(at, extent);
    }
  }
  void Split(Value* at, const std::vector<int>& axes) {
    if (!axes.empty()) Split(at, axes, Extent(axes.back()));
  }
  bool IsReal(int buf, int axis) const {
    const LoopAxis& parts = axes_[static_cast<size_t>(axis)];
    if (parts.parts.empty()) return false;
    const int a = parts.parts.back();
    if (buf >= nin_) return !(g_.outputs[static_cast<size_t>(buf - nin_)].reduced && g_.reduced.has(a));
    const GroupInput& in = g_.inputs[static_cast<size_t>(buf)];
    return in.real.empty() || in.real[static_cast<size_t>(a)] || !in.plain();
  }
  bool Unit(int buf) const { return nest_.access[static_cast<size_t>(buf)] == LaneAccess::kUnit; }
  // Of a buffer at the present position, without what the lane axis adds if `lane` is false.
  Value* Offset(int buf, bool lane = true) {
    Value* s = At(0);
    for (int a = 0; a < naxes_ - (lane ? 0 : 1); ++a) {
      if (!IsReal(buf, a)) continue;
      Value* i = position_[static_cast<size_t>(a)];
      s = b_.CreateAdd(s, a == naxes_ - 1 && Unit(buf) ? i : b_.CreateMul(i, Stride(buf, a)));
    }
    return s;
  }
  Value* Element(int buf, Type* type, Value* offset) {
    Value* wide = b_.CreateSExt(offset, b_.getInt64Ty());
    if (form_.firsts) wide = b_.CreateAdd(wide, fn_->getArg(static_cast<unsigned>(first_ + buf)));
    return b_.CreateGEP(type, fn_->getArg(static_cast<unsigned>(buf)), wide);
  }

  // ---- values ----
  // The same for all turns of the innermost loop.
  bool Invariant(const Expr& e) {
    auto it = invariant_.find(e.node());
    if (it != invariant_.end()) return it->second;
    bool same = true;
    const AxisSet inner = g_.reduced.empty() ? AxisSet::Range(0, g_.rank) : g_.reduced;
    if (e->op == Op::kInput) {
      same = e->index < nin_;
      for (int a = 0; a < g_.rank && same; ++a) {
        const GroupInput& in = g_.inputs[static_cast<size_t>(e->index)];
        same = !inner.has(a) || (in.plain() && !in.real.empty() && !in.real[static_cast<size_t>(a)]);
      }
    } else if (e->op == Op::kIndex) {
      same = !inner.has(e->index);
    }
    for (int k = 0; k < e->nargs; ++k) same = Invariant(e->args[k]) && same;
    invariant_.emplace(e.node(), same);
    return same;
  }
  void Hoist(const Expr& e, std::unordered_set<const ExprNode*>& seen) {
    if (!seen.insert(e.node()).second) return;
    if (Invariant(e)) {
      Of(e);
      return;
    }
    for (int k = 0; k < e->nargs; ++k) Hoist(e->args[k], seen);
  }
  void Hoist(const LoopStage& st) {
    std::unordered_set<const ExprNode*> seen;
    for (int j : st.reductions) Hoist(Red(j).value, seen);
    for (const LoopSpill& p : nest_.spills)
      if (&nest_.stages[static_cast<size_t>(p.stage)] == &st) Hoist(p.value, seen);
    for (int o : st.outputs) Hoist(g_.outputs[static_cast<size_t>(o)].value, seen);
  }

  Value* Constant(const ExprNode& n) {
    Type* t = LlvmType(b_, n.dtype, 0);
    if (t->isFloatingPointTy()) return llvm::ConstantFP::get(t, n.f);
    return llvm::ConstantInt::get(t, static_cast<uint64_t>(n.i), true);
  }

  // Whether the elements of a thread's vector are read together.
  bool ByVector(int buf) const {
    if (buf < nin_ &&
        (g_.inputs[static_cast<size_t>(buf)].offset.defined() || g_.inputs[static_cast<size_t>(buf)].mask.defined()))
      return false;
    return form_.vector == 1 || Unit(buf);
  }
  Value* Load(const ExprNode& n) {
    Type* type = StorageType(b_, n.storage, 0);
    if (form_.row && n.index >= nin_) return Of(SpilledAs(n.index));
    if (vector_ && ByVector(n.index)) return FromStorage(b_, VectorElement(n.index), n.storage);
    const GroupInput* in = n.index < nin_ ? &g_.inputs[static_cast<size_t>(n.index)] : nullptr;
    Value* offset = Offset(n.index);
    if (in && in->offset.defined()) offset = b_.CreateAdd(offset, b_.CreateTrunc(Of(in->offset), index_));
    Value* from = Element(n.index, type, offset);
    if (!in || !in->mask.defined()) return FromStorage(b_, b_.CreateLoad(type, from), n.storage);
    Value* mask = Of(in->mask);
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* read = BasicBlock::Create(m_.getContext(), "read", fn_);
    BasicBlock* after = BasicBlock::Create(m_.getContext(), "after", fn_);
    b_.CreateCondBr(mask, read, after);
    b_.SetInsertPoint(read);
    Value* loaded = b_.CreateLoad(type, from);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    llvm::PHINode* v = b_.CreatePHI(type, 2);
    v->addIncoming(llvm::Constant::getNullValue(type), before);
    v->addIncoming(loaded, read);
    return FromStorage(b_, v, n.storage);
  }

  Value* Of(const Expr& e) {
    switch (e->op) {
      case Op::kConst: return Constant(*e.node());
      case Op::kReduced: return Reduced(e->index);
      case Op::kExtent: return fn_->getArg(static_cast<unsigned>(first_number_ + naxes_ * (1 + nbuf_) + e->index));
      case Op::kIndex:
        for (int a = 0; a < naxes_; ++a)
          if (axes_[static_cast<size_t>(a)].parts == std::vector<int>{e->index})
            return b_.CreateSExt(position_[static_cast<size_t>(a)], b_.getInt64Ty());
        PD_THROW(Internal, "[cinn] the position along a merged axis ", e->index);
      default: break;
    }
    if (vector_)
      if (auto it = vector_->values.find(e.node()); it != vector_->values.end())
        return it->second[static_cast<size_t>(vector_->lane)];
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
      if (auto it = s->find(e.node()); it != s->end()) return it->second;
    Value* v;
    if (e->op == Op::kInput) {
      v = Load(*e.node());
    } else {
      Value* args[3];
      for (int k = 0; k < e->nargs; ++k) args[k] = Of(e->args[k]);
      v = e->op == Op::kCast ? Cast(e, args[0]) : EmitOp(b_, math_, *e.node(), args);
    }
    scopes_.back().emplace(e.node(), v);
    return v;
  }
  // In the compute type of the output's storage.
  Value* Result(int o) {
    const GroupOutput& out = g_.outputs[static_cast<size_t>(o)];
    return ConvertCompute(b_, Of(out.value), out.value.dtype(), phi::ComputeType(out.dtype));
  }
  void Store(int o) { StoreVector(o, {Result(o)}); }

  // ---- halves ----
  // Whether an instruction rounds to this type.
  bool Rounds(DataType t) const { return capability_ >= 80 && (t == DataType::BFLOAT16 || t == DataType::FLOAT16); }
  // Two numbers in a word, the first in its low half.
  Value* Halves(DataType t, Value* low, Value* high) {
    const bool brain = t == DataType::BFLOAT16;
    const auto id = brain ? llvm::Intrinsic::nvvm_ff2bf16x2_rn : llvm::Intrinsic::nvvm_ff2f16x2_rn;
    return b_.CreateBitCast(b_.CreateIntrinsic(id, {}, {high, low}), b_.getInt32Ty());
  }
  Value* Cast(const Expr& e, Value* x) {
    if (e->storage != DataType::BFLOAT16 || e->dtype == e->storage || !Rounds(e->storage))
      return EmitOp(b_, math_, *e.node(), &x);
    x = ConvertCompute(b_, x, e->args[0].dtype(), DataType::FLOAT32);
    return b_.CreateBitCast(Halves(e->storage, llvm::ConstantFP::get(x->getType(), 0), x), x->getType());
  }

  // ---- several elements at once ----
  // A thread's vector is read and written in pieces of 16 bytes, or one of less; elements below 32 bits are parts of
  // words.
  int PerPiece(Type* element) const {
    const int bits = static_cast<int>(element->getScalarSizeInBits());
    return bits < 32 ? form_.vector : std::min(form_.vector, 128 / bits);
  }
  int Pieces(Type* element) const { return form_.vector / PerPiece(element); }
  Type* Piece(Type* element) {
    const auto bits = element->getScalarSizeInBits(), n = static_cast<unsigned>(PerPiece(element));
    if (n == 1) return element;
    return bits < 32 ? llvm::FixedVectorType::get(b_.getInt32Ty(), std::max(bits * n / 32, 1u))
                     : llvm::FixedVectorType::get(element, n);
  }
  llvm::Align PieceAlign(Type* element) const {
    return llvm::Align(element->getScalarSizeInBits() / 8 * static_cast<uint64_t>(PerPiece(element)));
  }
  Value* PieceElement(const Values& pieces, Type* type, int lane) {
    const int per = PerPiece(type), bits = static_cast<int>(type->getScalarSizeInBits());
    Value* piece = pieces[static_cast<size_t>(lane / per)];
    if (per == 1) return piece;
    if (bits >= 32) return b_.CreateExtractElement(piece, static_cast<uint64_t>(lane % per));
    const int each = 32 / bits;
    Value* word = b_.CreateExtractElement(piece, static_cast<uint64_t>(lane / each));
    Value* part = b_.CreateTrunc(b_.CreateLShr(word, static_cast<uint64_t>(lane % each * bits)), IntegerOf(bits));
    return b_.CreateBitCast(part, type);
  }
  Type* IntegerOf(int bits) { return b_.getIntNTy(static_cast<unsigned>(bits)); }
  // `lanes` are of the memory form `type`.
  Values Pack(const Values& lanes, Type* type) {
    const auto per = static_cast<size_t>(PerPiece(type)), bits = static_cast<size_t>(type->getScalarSizeInBits());
    if (per == 1) return lanes;
    Values pieces;
    for (size_t first = 0; first < lanes.size(); first += per) {
      Value* piece = llvm::PoisonValue::get(Piece(type));
      for (size_t k = 0; k < per && bits >= 32; ++k) piece = b_.CreateInsertElement(piece, lanes[first + k], k);
      for (size_t k = 0, each = 32 / bits; k < per && bits < 32; k += each) {
        Value* word = b_.getInt32(0);
        for (size_t i = 0; i < each; ++i) {
          Value* part = b_.CreateBitCast(lanes[first + k + i], IntegerOf(static_cast<int>(bits)));
          word = b_.CreateOr(word, b_.CreateShl(b_.CreateZExt(part, b_.getInt32Ty()), i * bits));
        }
        piece = b_.CreateInsertElement(piece, word, k / each);
      }
      pieces.push_back(piece);
    }
    return pieces;
  }
  struct Lanes {
    std::unordered_map<int, Values> read;                // pieces of each buffer
    std::unordered_map<const ExprNode*, Values> values;  // of each element, that are known
    Values start;                                        // positions of the first element, by axis
    int lane = 0;
  };
  Type* ElementType(int buf) {
    const auto k = static_cast<size_t>(buf), n = g_.inputs.size();
    return StorageType(b_, k < n ? g_.inputs[k].dtype : g_.outputs[k - n].dtype, 0);
  }
  // All elements of a vector that begins at the present position.
  Values ReadVector(int buf) {
    Type* type = ElementType(buf);
    Value* from = Element(buf, type, Offset(buf));
    Values pieces;
    for (int p = 0; p < Pieces(type); ++p)
      pieces.push_back(b_.CreateAlignedLoad(Piece(type), PieceAt(from, type, p), PieceAlign(type)));
    return pieces;
  }
  Value* PieceAt(Value* from, Type* type, int p) {
    return p ? b_.CreateGEP(Piece(type), from, b_.getInt32(static_cast<uint32_t>(p))) : from;
  }
  Value* VectorElement(int buf) {
    auto [it, fresh] = vector_->read.emplace(buf, Values());
    if (fresh) {
      std::swap(position_, vector_->start);
      it->second = ReadVector(buf);
      std::swap(position_, vector_->start);
    }
    return PieceElement(it->second, ElementType(buf), vector_->lane);
  }
  // The elements of an output, one or a vector, at the present position; in its compute type.
  void StoreVector(int o, const Values& lanes) {
    const DataType storage = g_.outputs[static_cast<size_t>(o)].dtype;
    const DataType from = phi::ComputeType(storage);
    Type* type = ElementType(nin_ + o);
    Value* to = Element(nin_ + o, type, Offset(nin_ + o));
    if (lanes.size() == 1) {
      Value* v = Rounds(storage)
                     ? b_.CreateBitCast(b_.CreateTrunc(Halves(storage, lanes[0], lanes[0]), b_.getInt16Ty()), type)
                     : ToStorage(b_, lanes[0], from, storage);
      b_.CreateStore(v, to);
      return;
    }
    Values pieces;
    if (Rounds(storage)) {
      Value* words = llvm::PoisonValue::get(Piece(type));
      for (size_t k = 0; k < lanes.size(); k += 2)
        words = b_.CreateInsertElement(words, Halves(storage, lanes[k], lanes[k + 1]), k / 2);
      pieces = {words};
    } else {
      Values stored;
      for (Value* v : lanes) stored.push_back(ToStorage(b_, v, from, storage));
      pieces = Pack(stored, type);
    }
    for (size_t p = 0; p < pieces.size(); ++p)
      b_.CreateAlignedStore(pieces[p], PieceAt(to, type, static_cast<int>(p)), PieceAlign(type));
  }

  const LoopNest& nest_;
  const FusionGroup& g_;
  const PtxForm form_;
  const int capability_;
  llvm::Module& m_;
  llvm::Module* math_;
  llvm::IRBuilder<> b_;
  llvm::Function* fn_ = nullptr;
  int nin_ = 0, nbuf_ = 0, naxes_ = 0;
  int first_number_ = 0, first_ = 0;  // parameters: the first extent, the first element of buffer 0
  std::vector<LoopAxis> axes_;        // rows, reds, lane: the numbering of the runtime description
  std::vector<int> outer_, inner_;    // of them: walked by the grid, and within a thread or block
  Type* index_ = nullptr;
  Value *thread_ = nullptr, *block_ = nullptr, *blocks_ = nullptr;
  Values position_;  // along each axis
  Values reduced_;   // of each column, each reduction
  Lanes* vector_ = nullptr;
  int lane_ = 0;  // the column of the thread's
  using Scope = std::unordered_map<const ExprNode*, Value*>;
  std::vector<Scope> scopes_;
  std::unordered_map<const ExprNode*, bool> invariant_;
};

}  // namespace cinn
