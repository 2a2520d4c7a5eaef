// SPDX-License-Identifier: Apache-2.0
// The loops of a kernel for a GPU in LLVM IR: every thread computes scalars; what is read and written together is one
// access.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "paddle/cinn/codegen/emit.h"
#include "paddle/cinn/codegen/ptx.h"
#include "paddle/common/error.h"

namespace cinn {
namespace {

using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;
using Values = std::vector<Value*>;

constexpr int kWarp = 32;
constexpr unsigned kGlobalMemory = 1, kSharedMemory = 3;

class PtxEmitter {
 public:
  PtxEmitter(const LoopNest& nest, const std::string& symbol, PtxForm form, llvm::Module& m, llvm::Module* math)
      : nest_(nest), g_(nest.group), form_(form), m_(m), math_(math), b_(m.getContext()) {
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
    std::vector<Type*> params(static_cast<size_t>(first_number_), b_.getPtrTy(kGlobalMemory));
    params.resize(static_cast<size_t>(first_ + (form.firsts ? nbuf_ : 0) + parts), b_.getInt64Ty());
    PD_CHECK(params.size() * 8 <= kMostParameterBytes, Unimplemented, "[cinn] expected a group of at most ",
             kMostParameterBytes / 8, " numbers and buffers for a GPU, got ", params.size());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), params, false);
    fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, m_);
    fn_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
    if (nest.mode != LoopMode::kElementwise) StateBounds(*fn_);
    // An output of a group without reductions may be the memory of an input.
    if (nest.mode != LoopMode::kElementwise)
      for (int k = 0; k < nin_; ++k) {
        fn_->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::NoAlias);
        fn_->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::ReadOnly);
      }
    b_.SetInsertPoint(BasicBlock::Create(m_.getContext(), "entry", fn_));
    index_ = form.narrow ? b_.getInt32Ty() : b_.getInt64Ty();
    position_.assign(static_cast<size_t>(naxes_), nullptr);
    reduced_.assign(g_.reductions.size() * static_cast<size_t>(form.vector), nullptr);
    if (form_.row) ChooseKept();
  }

  void Run() {
    scopes_.emplace_back();
    thread_ = b_.CreateZExt(Special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x), index_);
    block_ = b_.CreateZExt(Special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), index_);
    blocks_ = b_.CreateZExt(Special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), index_);
    if (nest_.mode == LoopMode::kElementwise)
      Elementwise();
    else
      Reducing();
    b_.CreateRetVoid();
  }

 private:
  struct KeptInput {
    int first = -1, sweeps = 0;  // the first sweep that reads it, and how many do
    llvm::GlobalVariable* room = nullptr;
  };
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

  // ---- rows that stay in the block ----
  // Buffers whose elements a value reads anew in each turn, at the positions of its vector.
  void Reads(const Expr& e, std::unordered_set<const ExprNode*>& seen, std::vector<bool>& found) {
    if (!seen.insert(e.node()).second) return;
    if (e->op == Op::kInput && e->index >= nin_ && form_.row) return Reads(SpilledAs(e->index), seen, found);
    if (e->op == Op::kInput && !Invariant(e) && ByVector(e->index)) found[static_cast<size_t>(e->index)] = true;
    for (int k = 0; k < e->nargs; ++k) Reads(e->args[k], seen, found);
  }
  std::vector<bool> ReadBy(const LoopStage& st) {
    std::unordered_set<const ExprNode*> seen;
    std::vector<bool> found(static_cast<size_t>(nbuf_));
    for (int j : st.reductions) Reads(Red(j).value, seen, found);
    for (const LoopSpill& p : nest_.spills)
      if (&nest_.stages[static_cast<size_t>(p.stage)] == &st) Reads(p.value, seen, found);
    for (int o : st.outputs) Reads(g_.outputs[static_cast<size_t>(o)].value, seen, found);
    return found;
  }
  const Expr& SpilledAs(int buf) const {
    for (const LoopSpill& p : nest_.spills)
      if (p.output == buf - nin_) return p.value;
    PD_THROW(Internal, "[cinn] expected a value that an earlier sweep kept, got output ", buf - nin_);
  }
  // Inputs that several sweeps read, as many as there is room for. A thread meets the same elements in each sweep.
  void ChooseKept() {
    constexpr int64_t kRoom = 32 << 10;  // four blocks fit on a multiprocessor of capability 8.0
    kept_.assign(static_cast<size_t>(nin_), {});
    for (size_t s = 0; s < nest_.stages.size(); ++s) {
      const std::vector<bool> found = ReadBy(nest_.stages[s]);
      for (size_t k = 0; k < kept_.size(); ++k) {
        if (!found[k]) continue;
        if (kept_[k].first < 0) kept_[k].first = static_cast<int>(s);
        ++kept_[k].sweeps;
      }
    }
    int64_t used = 0;
    for (size_t k = 0; k < kept_.size(); ++k) {
      const int64_t bytes = static_cast<int64_t>(phi::SizeOf(g_.inputs[k].dtype)) * form_.row * Groups();
      if (kept_[k].sweeps < 2 || used + bytes > kRoom) continue;
      used += bytes;
      kept_[k].room = Shared(StorageType(b_, g_.inputs[k].dtype, 0), form_.row * Groups(), "row");
    }
  }
  llvm::GlobalVariable* Shared(Type* element, int n, const char* name) {
    auto* type = llvm::ArrayType::get(element, static_cast<uint64_t>(n));
    auto* room =
        new llvm::GlobalVariable(m_, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type), name,
                                 nullptr, llvm::GlobalValue::NotThreadLocal, kSharedMemory);
    room->setAlignment(llvm::Align(16));
    return room;
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
    if (vector_ && ByVector(n.index)) return FromStorage(b_, VectorElement(n, type), n.storage);
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
    PHINode* v = b_.CreatePHI(type, 2);
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
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
      if (auto it = s->find(e.node()); it != s->end()) return it->second;
    Value* v;
    if (e->op == Op::kInput) {
      v = Load(*e.node());
    } else {
      Value* args[3];
      for (int k = 0; k < e->nargs; ++k) args[k] = Of(e->args[k]);
      v = EmitOp(b_, math_, *e.node(), args);
    }
    scopes_.back().emplace(e.node(), v);
    return v;
  }
  Value* Stored(const Expr& value, DataType storage) { return ToStorage(b_, Of(value), value.dtype(), storage); }
  void Store(int o, const Expr& value) {
    const GroupOutput& out = g_.outputs[static_cast<size_t>(o)];
    Value* v = Stored(value, out.dtype);
    b_.CreateStore(v, Element(nin_ + o, v->getType(), Offset(nin_ + o)));
  }

  // ---- several elements at once ----
  // Elements below 32 bits are read and written as parts of words.
  static int Words(Type* element, int n) {
    return std::max(1, static_cast<int>(element->getScalarSizeInBits()) * n / 32);
  }
  Type* Packed(Type* element) {
    const unsigned bits = element->getScalarSizeInBits();
    if (form_.vector == 1) return element;
    if (bits >= 32) return llvm::FixedVectorType::get(element, static_cast<unsigned>(form_.vector));
    return llvm::FixedVectorType::get(b_.getInt32Ty(), static_cast<unsigned>(Words(element, form_.vector)));
  }
  llvm::Align PackedAlign(Type* element) {
    return llvm::Align(
        std::min<uint64_t>(16, element->getScalarSizeInBits() / 8 * static_cast<uint64_t>(form_.vector)));
  }
  struct Lanes {
    std::unordered_map<int, Value*> read;  // of each buffer
    Values start;                          // positions of the first element, by axis
    int lane = 0;
  };
  // All elements of a vector that begins at the present position.
  Value* ReadVector(int buf, Type* type) {
    return b_.CreateAlignedLoad(Packed(type), Element(buf, type, Offset(buf)), PackedAlign(type));
  }
  Value* VectorElement(const ExprNode& n, Type* type) {
    auto [it, fresh] = vector_->read.emplace(n.index, nullptr);
    if (fresh) {
      std::swap(position_, vector_->start);
      it->second = ReadVector(n.index, type);
      std::swap(position_, vector_->start);
    }
    if (form_.vector == 1) return it->second;
    const unsigned bits = type->getScalarSizeInBits();
    if (bits >= 32) return b_.CreateExtractElement(it->second, static_cast<uint64_t>(vector_->lane));
    const unsigned each = 32 / bits, lane = static_cast<unsigned>(vector_->lane);
    Value* word = b_.CreateExtractElement(it->second, static_cast<uint64_t>(lane / each));
    Value* part = b_.CreateTrunc(b_.CreateLShr(word, lane % each * bits), b_.getIntNTy(bits));
    return b_.CreateBitCast(part, type);
  }
  void StoreVector(int o, const Values& lanes) {
    Type* type = lanes[0]->getType();
    if (lanes.size() == 1) {
      b_.CreateStore(lanes[0], Element(nin_ + o, type, Offset(nin_ + o)));
      return;
    }
    const unsigned bits = type->getScalarSizeInBits();
    Value* packed = llvm::PoisonValue::get(Packed(type));
    if (bits >= 32) {
      for (size_t k = 0; k < lanes.size(); ++k) packed = b_.CreateInsertElement(packed, lanes[k], k);
    } else {
      const unsigned each = 32 / bits;
      for (unsigned w = 0; w < lanes.size() / each; ++w) {
        Value* word = b_.getInt32(0);
        for (unsigned k = 0; k < each; ++k) {
          Value* part = b_.CreateZExt(b_.CreateBitCast(lanes[w * each + k], b_.getIntNTy(bits)), b_.getInt32Ty());
          word = b_.CreateOr(word, b_.CreateShl(part, k * bits));
        }
        packed = b_.CreateInsertElement(packed, word, uint64_t{w});
      }
    }
    b_.CreateAlignedStore(packed, Element(nin_ + o, type, Offset(nin_ + o)), PackedAlign(type));
  }

  // ---- elementwise ----
  // Everything is read before anything is written: an output may be the memory of an input.
  void ElementAt(const LoopStage& st) {
    for (int o : st.outputs) Of(g_.outputs[static_cast<size_t>(o)].value);
    for (int o : st.outputs) Store(o, g_.outputs[static_cast<size_t>(o)].value);
  }
  void VectorAt(const LoopStage& st) {
    Lanes lanes;
    lanes.start = position_;
    vector_ = &lanes;
    std::vector<Values> results(st.outputs.size());
    const size_t last = position_.size() - 1;
    for (lanes.lane = 0; lanes.lane < form_.vector; ++lanes.lane) {
      scopes_.emplace_back();
      position_[last] = b_.CreateAdd(lanes.start[last], At(lanes.lane));
      for (size_t k = 0; k < st.outputs.size(); ++k) {
        const GroupOutput& out = g_.outputs[static_cast<size_t>(st.outputs[k])];
        results[k].push_back(Stored(out.value, out.dtype));
      }
      scopes_.pop_back();
    }
    vector_ = nullptr;
    position_ = lanes.start;
    for (size_t k = 0; k < st.outputs.size(); ++k) StoreVector(st.outputs[k], results[k]);
  }
  void Elementwise() {
    Value* first = b_.CreateAdd(b_.CreateMul(block_, At(kGpuThreads)), thread_);
    Value* step = b_.CreateMul(blocks_, At(kGpuThreads));
    Value* size = Product(outer_);
    for (const LoopStage& st : nest_.stages) {
      Hoist(st);
      if (form_.vector == 1) {
        Loop(first, size, step, {}, [&](Value* at, Values&) {
          Split(at, outer_);
          ElementAt(st);
        });
        continue;
      }
      const bool flat = nest_.rows.empty();
      Value* vectors = b_.CreateUDiv(size, At(form_.vector));
      Value* last = b_.CreateUDiv(Extent(outer_.back()), At(form_.vector));
      Loop(first, vectors, step, {}, [&](Value* at, Values&) {
        Split(at, outer_, last);
        Value*& lane = position_.back();
        lane = b_.CreateMul(lane, At(form_.vector));
        VectorAt(st);
      });
      if (!flat) continue;  // rows are whole vectors
      Value* rest = b_.CreateAdd(b_.CreateMul(vectors, At(form_.vector)), first);
      If(b_.CreateICmpSLT(rest, size), [&] {
        position_.back() = rest;
        ElementAt(st);
      });
    }
  }

  // ---- reductions ----
  // A tile is what a block has at once: rows of `across` threads each, or `across` times `vector` columns, whose
  // elements the other threads share.
  bool Rows() const { return nest_.mode == LoopMode::kRowReduce && form_.part != PtxPart::kRest; }
  int Groups() const { return kGpuThreads / form_.across; }
  int Columns() const { return Rows() ? 1 : form_.vector; }
  Value* Identity(ReduceKind k, DataType t) { return ReduceIdentity(b_, k, t, 0); }
  Value* Combine(ReduceKind k, DataType t, Value* x, Value* y) { return ReduceStep(b_, math_, k, t, x, y); }
  static int Log2(int n) { return std::countr_zero(static_cast<unsigned>(n)); }

  // The value of the thread that is `by` lanes away in its warp, counted in bits of its number.
  Value* Shuffle(Value* v, int by) {
    Type* type = v->getType();
    const unsigned bits = type->getScalarSizeInBits();
    auto word = [&](Value* w) {
      return b_.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                                {b_.getInt32(~0u), w, b_.getInt32(static_cast<uint32_t>(by)), b_.getInt32(kWarp - 1)});
    };
    Value* raw = b_.CreateBitCast(v, b_.getIntNTy(bits));
    if (bits <= 32)
      return b_.CreateBitCast(b_.CreateTrunc(word(b_.CreateZExt(raw, b_.getInt32Ty())), b_.getIntNTy(bits)), type);
    Value* low = word(b_.CreateTrunc(raw, b_.getInt32Ty()));
    Value* high = word(b_.CreateTrunc(b_.CreateLShr(raw, 32), b_.getInt32Ty()));
    Value* both =
        b_.CreateOr(b_.CreateZExt(low, b_.getInt64Ty()), b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), 32));
    return b_.CreateBitCast(both, type);
  }
  // Memory of the block for `n` values.
  struct Room {
    DataType dtype;
    Type* type;
    llvm::GlobalVariable* memory;
  };
  Room RoomFor(DataType t, int n) {
    Type* type = KeptType(t);
    auto*& memory = shared_[{type, n}];
    if (!memory) memory = Shared(type, n, "shared");
    return {t, type, memory};
  }
  // Flags are kept as words.
  Type* KeptType(DataType t) { return t == DataType::BOOL ? b_.getInt32Ty() : LlvmType(b_, t, 0); }
  void Keep(Value* at, DataType t, Value* v) { b_.CreateStore(b_.CreateZExtOrBitCast(v, KeptType(t)), at); }
  Value* Kept(Value* at, DataType t) {
    Value* v = b_.CreateLoad(KeptType(t), at);
    return t == DataType::BOOL ? b_.CreateTrunc(v, b_.getInt1Ty()) : v;
  }
  Value* Slot(const Room& room, Value* k) { return b_.CreateGEP(room.type, room.memory, k); }

  // Of the threads with one row, the same in each: warps by halves, then one warp after another.
  Value* AcrossRow(ReduceKind k, DataType t, Value* v) {
    for (int by = std::min(kWarp, form_.across) / 2; by; by /= 2) v = Combine(k, t, v, Shuffle(v, by));
    if (form_.across <= kWarp) return v;
    constexpr int kWarps = kGpuThreads / kWarp;
    const Room room = RoomFor(t, kWarps);
    If(b_.CreateICmpEQ(b_.CreateAnd(thread_, At(kWarp - 1)), At(0)),
       [&] { Keep(Slot(room, b_.CreateLShr(thread_, 5)), t, v); });
    Barrier();
    Value* total = nullptr;
    for (int w = 0; w < kWarps; ++w) {
      Value* one = Kept(Slot(room, At(w)), t);
      total = total ? Combine(k, t, total, one) : one;
    }
    Barrier();
    return total;
  }
  // Of the threads with the same columns: within warps, then one share after another, for the columns of the tile in
  // `slots`. Element l of a thread's vector is slot l * across + its place.
  Values AcrossColumns(const LoopStage& st, Values v, const Values& slots) {
    const int together = std::max(form_.across, kWarp), shares = kGpuThreads / together;
    const int columns = form_.across * form_.vector;
    const size_t count = st.reductions.size();
    Values totals(slots.size() * count);
    Value* own = b_.CreateMul(b_.CreateLShr(thread_, static_cast<uint64_t>(Log2(together))), At(columns));
    for (size_t k = 0; k < count; ++k) {
      const GroupReduction& r = Red(st.reductions[k]);
      const DataType t = TopType(r);
      const Room room = RoomFor(t, shares * columns);
      for (size_t l = k; l < v.size(); l += count)
        for (int by = form_.across; by < kWarp; by *= 2) v[l] = Combine(r.kind, t, v[l], Shuffle(v[l], by));
      auto put = [&] {
        for (size_t l = k, at = 0; l < v.size(); l += count, at += static_cast<size_t>(form_.across))
          Keep(Slot(room, b_.CreateAdd(own, b_.CreateAdd(along_, At(static_cast<int64_t>(at))))), t, v[l]);
      };
      if (form_.across < kWarp)
        If(b_.CreateICmpSLT(b_.CreateAnd(thread_, At(kWarp - 1)), At(form_.across)), put);
      else
        put();
      Barrier();
      for (size_t s = 0; s < slots.size(); ++s) {
        Value*& total = totals[s * count + k];
        for (int w = 0; w < shares; ++w) {
          Value* one = Kept(Slot(room, b_.CreateAdd(slots[s], At(int64_t{w} * columns))), t);
          total = total ? Combine(r.kind, t, total, one) : one;
        }
      }
      Barrier();
    }
    return totals;
  }
  void Barrier() { b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

  bool TwoLevels(const LoopStage& st) const {
    return std::any_of(st.reductions.begin(), st.reductions.end(),
                       [&](int j) { return LaneType(Red(j)) != TopType(Red(j)); });
  }
  // `vector` neighbours of a row, or an element of each column: what is read of them comes first, for all turns whose
  // loads are to be under way together.
  struct Turn {
    Values position;
    Value* row = nullptr;  // where they are kept in the block
    Lanes lanes;
  };
  Turn Read(const LoopStage& st, Value* k, Value* last) {
    Turn turn;
    Split(k, inner_, last);
    if (Rows() && form_.vector > 1) position_.back() = b_.CreateMul(position_.back(), At(form_.vector));
    if (form_.row) turn.row = b_.CreateAdd(row_begin_, b_.CreateMul(k, At(form_.vector)));
    const std::vector<bool> found = ReadBy(st);
    for (int buf = 0; buf < nbuf_; ++buf) {
      if (!found[static_cast<size_t>(buf)]) continue;
      Type* type = ElementType(buf);
      const KeptInput* kept = form_.row && buf < nin_ ? &kept_[static_cast<size_t>(buf)] : nullptr;
      Value* value = kept && kept->room && kept->first != stage_
                         ? b_.CreateAlignedLoad(Packed(type), KeptSlot(*kept, type, turn.row), PackedAlign(type))
                         : ReadVector(buf, type);
      turn.lanes.read.emplace(buf, value);
    }
    turn.lanes.start = turn.position = position_;
    return turn;
  }
  Type* ElementType(int buf) {
    const auto k = static_cast<size_t>(buf), n = g_.inputs.size();
    return StorageType(b_, k < n ? g_.inputs[k].dtype : g_.outputs[k - n].dtype, 0);
  }
  Value* KeptSlot(const KeptInput& kept, Type* type, Value* row) { return b_.CreateGEP(type, kept.room, row); }
  void Step(const LoopStage& st, Turn& turn, Values& acc) {
    Lanes& lanes = turn.lanes;
    position_ = turn.position;
    vector_ = &lanes;
    for (int buf = 0; form_.row && buf < nin_; ++buf) {
      const KeptInput& kept = kept_[static_cast<size_t>(buf)];
      if (!kept.room || kept.first != stage_) continue;
      Type* type = ElementType(buf);
      b_.CreateAlignedStore(lanes.read.at(buf), KeptSlot(kept, type, turn.row), PackedAlign(type));
    }
    const size_t count = st.reductions.size();
    std::vector<Values> kept(nest_.spills.size()), results(st.outputs.size());
    for (int l = 0; l < form_.vector; ++l) {
      InLane(l, lanes, [&] {
        for (size_t k = 0; k < nest_.spills.size(); ++k) {
          const LoopSpill& p = nest_.spills[k];
          if (form_.row || &nest_.stages[static_cast<size_t>(p.stage)] != &st) continue;
          kept[k].push_back(Stored(p.value, g_.outputs[static_cast<size_t>(p.output)].dtype));
        }
        for (size_t k = 0; k < count; ++k) {
          const GroupReduction& r = Red(st.reductions[k]);
          Value* v = ConvertCompute(b_, Of(r.value), r.value.dtype(), LaneType(r));
          Value*& a = acc[static_cast<size_t>(l) * count + k];
          a = Combine(r.kind, LaneType(r), a, v);
        }
        for (size_t k = 0; k < st.outputs.size(); ++k) {
          const GroupOutput& out = g_.outputs[static_cast<size_t>(st.outputs[k])];
          results[k].push_back(Stored(out.value, out.dtype));
        }
      });
    }
    vector_ = nullptr;
    position_ = lanes.start;
    for (size_t k = 0; k < kept.size(); ++k)
      if (!kept[k].empty()) StoreVector(nest_.spills[k].output, kept[k]);
    for (size_t k = 0; k < results.size(); ++k) StoreVector(st.outputs[k], results[k]);
  }
  // Runs `body` for element `l` of a vector that begins at lanes.start, with what is known of its column.
  void InLane(int l, Lanes& lanes, const std::function<void()>& body) {
    lanes.lane = l;
    lane_ = Rows() ? 0 : l;
    if (vector_ || !Rows()) position_.back() = b_.CreateAdd(lanes.start.back(), At(l));
    if (!Rows()) scopes_.push_back(std::move(columns_[static_cast<size_t>(l)]));
    scopes_.emplace_back();
    body();
    scopes_.pop_back();
    if (!Rows()) {
      columns_[static_cast<size_t>(l)] = std::move(scopes_.back());
      scopes_.pop_back();
    }
    lane_ = 0;
  }
  void HoistColumns(const LoopStage& st) {
    if (Rows()) return Hoist(st);
    Lanes lanes;
    lanes.start = position_;
    vector_ = &lanes;
    for (int l = 0; l < form_.vector; ++l) {
      lanes.lane = lane_ = l;
      position_.back() = b_.CreateAdd(lanes.start.back(), At(l));
      scopes_.push_back(std::move(columns_[static_cast<size_t>(l)]));
      Hoist(st);
      columns_[static_cast<size_t>(l)] = std::move(scopes_.back());
      scopes_.pop_back();
    }
    lane_ = 0;
    vector_ = nullptr;
    position_ = lanes.start;
  }
  Values Start(const LoopStage& st, int each, DataType (*type)(const GroupReduction&)) {
    Values acc;
    for (int l = 0; l < each; ++l)
      for (int j : st.reductions) acc.push_back(Identity(Red(j).kind, type(Red(j))));
    return acc;
  }
  // Turns that are one turn of the loop, so that their loads are under way together: up to 16 registers of them.
  int Unroll(const LoopStage& st) {
    int words = 1, work = 0;
    const std::vector<bool> found = ReadBy(st);
    for (int buf = 0; buf < nbuf_; ++buf)
      words += found[static_cast<size_t>(buf)] ? Words(ElementType(buf), form_.vector) : buf < nin_;
    for (int j : st.reductions) work += OperationsOf(Red(j).value);
    for (int o : st.outputs) work += OperationsOf(g_.outputs[static_cast<size_t>(o)].value);
    work *= form_.vector;
    return work <= 64 && words <= 5 ? 4 : work <= 160 && words <= 9 ? 2 : 1;
  }
  // Positions from + first, from + first + step, ... below `to`, as many at a time as `unroll`.
  using TurnsBody = std::function<void(const Values& at, Values& acc)>;
  Values Turns(Value* from, Value* first, Value* to, int step, int unroll, const Values& acc, const TurnsBody& body) {
    first = b_.CreateAdd(from, first);
    auto one = [&](Value* k, Values& a) { body({k}, a); };
    if (unroll == 1) return Loop(first, to, At(step), acc, one);
    Value* n = b_.CreateLShr(b_.CreateAdd(b_.CreateSub(to, first), At(step - 1)), static_cast<uint64_t>(Log2(step)));
    Value* middle = b_.CreateAdd(first, b_.CreateMul(b_.CreateAnd(n, At(-unroll)), At(step)));
    const Values main = Loop(first, middle, At(int64_t{unroll} * step), acc, [&](Value* k, Values& a) {
      Values at = {k};
      for (int u = 1; u < unroll; ++u) at.push_back(b_.CreateAdd(k, At(int64_t{u} * step)));
      body(at, a);
    });
    return Loop(middle, to, At(step), main, one);
  }
  // One thread's share of the positions [begin, end), in the types of the upper level: of each column, each reduction.
  Values Sweep(const LoopStage& st, Value* begin, Value* end) {
    HoistColumns(st);
    const int step = Rows() ? form_.across : Groups(), unroll = Unroll(st);
    Value* first = Rows() ? along_ : group_;
    Value* last = Extent(inner_.back());
    if (Rows()) last = b_.CreateUDiv(last, At(form_.vector));
    auto span = [&](Value* from, Value* to, const Values& acc) {
      return Turns(from, first, to, step, unroll, acc, [&](const Values& at, Values& a) {
        std::vector<Turn> turns;
        for (Value* k : at) turns.push_back(Read(st, k, last));
        for (Turn& turn : turns) Step(st, turn, a);
      });
    };
    const size_t count = st.reductions.size();
    // The elements of a row's vector have sums of their own, which are joined here.
    auto rise = [&](const Values& acc, Values& top) {
      for (size_t k = 0; k < top.size(); ++k) {
        const GroupReduction& r = Red(st.reductions[k % count]);
        Values parts;
        for (size_t l = k; l < acc.size(); l += top.size())
          parts.push_back(ConvertCompute(b_, acc[l], LaneType(r), TopType(r)));
        for (size_t half = parts.size() / 2; half; half /= 2)
          for (size_t l = 0; l < half; ++l) parts[l] = Combine(r.kind, TopType(r), parts[l], parts[l + half]);
        top[k] = Combine(r.kind, TopType(r), top[k], parts[0]);
      }
    };
    Values top = Start(st, Columns(), TopType);
    if (!TwoLevels(st)) {
      rise(span(begin, end, Start(st, form_.vector, LaneType)), top);
      return top;
    }
    const int64_t block = Rows() ? kRowBlock / form_.vector : int64_t{kColBlock} * Groups();
    return Loop(begin, end, At(block), top, [&](Value* base, Values& t) {
      Value* to = b_.CreateAdd(base, At(block));
      to = Least(to, end);
      rise(span(base, to, Start(st, form_.vector, LaneType)), t);
    });
  }
  Value* Finished(int j, Value* v) {
    const GroupReduction& r = Red(j);
    DataType t = TopType(r);
    if (r.kind == ReduceKind::kMean) {
      v = ConvertCompute(b_, v, t, DataType::FLOAT64);
      v = b_.CreateFDiv(v, b_.CreateSIToFP(count_, b_.getDoubleTy()));
      t = DataType::FLOAT64;
    }
    return ConvertCompute(b_, v, t, ReducedType(r));
  }
  Value*& Reduced(int j) {
    return reduced_[static_cast<size_t>(lane_) * g_.reductions.size() + static_cast<size_t>(j)];
  }
  void StoreReduced() {
    for (size_t o = 0; o < g_.outputs.size(); ++o)
      if (g_.outputs[o].reduced) Store(static_cast<int>(o), g_.outputs[o].value);
  }
  bool HasReduced() const {
    return std::any_of(g_.outputs.begin(), g_.outputs.end(), [](const GroupOutput& o) { return o.reduced; });
  }

  // What the threads of a tile have of it: rows, or columns in vectors; none beyond the last.
  struct Tile {
    Value *number, *at, *valid;
  };
  Value* UnitsOfTile() { return At(Rows() ? Groups() : form_.across); }
  Value* Units() { return Rows() ? kept_elements_ : b_.CreateUDiv(kept_elements_, At(form_.vector)); }
  Value* Tiles() { return b_.CreateUDiv(b_.CreateSub(b_.CreateAdd(Units(), UnitsOfTile()), At(1)), UnitsOfTile()); }
  Tile Enter(Value* number) {
    Value* units = Units();
    Value* at = b_.CreateAdd(b_.CreateMul(number, UnitsOfTile()), Rows() ? group_ : along_);
    Value* valid = b_.CreateICmpSLT(at, units);
    at = b_.CreateSelect(valid, at, b_.CreateSub(units, At(1)));
    if (Rows()) {
      Split(at, outer_);
      row_begin_ = b_.CreateMul(group_, At(form_.row));
    } else {
      if (form_.vector > 1) at = b_.CreateMul(at, At(form_.vector));
      Split(at, outer_);
    }
    columns_.assign(static_cast<size_t>(Columns()), {});
    return {number, at, valid};
  }

  // ---- reductions whose elements several blocks share ----
  // Results of a block are in memory that kernels of the same call pass on: of each reduction, each part, each kept
  // element 8 bytes; then what the reductions are.
  Value* Wide(Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); }
  Value* PartAt(int j, Value* part, Value* column) {
    Value* k = b_.CreateAdd(b_.CreateMul(b_.getInt64(static_cast<uint64_t>(j)), Wide(parts_)), Wide(part));
    k = b_.CreateAdd(b_.CreateMul(k, Wide(kept_elements_)), Wide(column));
    return b_.CreateGEP(b_.getInt64Ty(), fn_->getArg(static_cast<unsigned>(nbuf_)), k);
  }
  Value* ResultAt(int j, Value* column) {
    Value* k = b_.CreateMul(b_.getInt64(g_.reductions.size()), Wide(parts_));
    k = b_.CreateMul(b_.CreateAdd(k, b_.getInt64(static_cast<uint64_t>(j))), Wide(kept_elements_));
    return b_.CreateGEP(b_.getInt64Ty(), fn_->getArg(static_cast<unsigned>(nbuf_)), b_.CreateAdd(k, Wide(column)));
  }
  // What earlier kernels of the call found.
  void ReadResults(Value* column) {
    for (int s = 0; s < form_.stage; ++s)
      for (int j : nest_.stages[static_cast<size_t>(s)].reductions)
        Reduced(j) = Kept(ResultAt(j, column), ReducedType(Red(j)));
  }
  bool LastReduction(int stage) const {
    for (size_t s = static_cast<size_t>(stage) + 1; s < nest_.stages.size(); ++s)
      if (!nest_.stages[s].reductions.empty()) return false;
    return true;
  }

  // The column of the tile that a thread finishes alone, and whether there is one.
  std::pair<Value*, Value*> OwnColumn(const Tile& tile) {
    const int columns = form_.across * form_.vector;
    Value* column = own_slot_ = b_.CreateAnd(thread_, At(columns - 1));
    if (form_.vector > 1)
      column = b_.CreateAdd(b_.CreateMul(b_.CreateAnd(column, At(form_.across - 1)), At(form_.vector)),
                            b_.CreateLShr(column, static_cast<uint64_t>(Log2(form_.across))));
    column = b_.CreateAdd(b_.CreateMul(tile.number, At(columns)), column);
    return {column, b_.CreateAnd(b_.CreateICmpSLT(thread_, At(columns)), b_.CreateICmpSLT(column, kept_elements_))};
  }
  void StoreParts(const LoopStage& st, const Tile& tile, Value* part, const Values& top) {
    if (st.reductions.empty()) return;
    Values totals;
    Value *column = tile.at, *does = tile.valid;
    if (Rows()) {
      for (size_t k = 0; k < top.size(); ++k) {
        const GroupReduction& r = Red(st.reductions[k]);
        totals.push_back(AcrossRow(r.kind, TopType(r), top[k]));
      }
      does = b_.CreateAnd(does, b_.CreateICmpEQ(along_, At(0)));
    } else {
      std::tie(column, does) = OwnColumn(tile);
      totals = AcrossColumns(st, top, {own_slot_});
    }
    If(does, [&] {
      for (size_t k = 0; k < totals.size(); ++k)
        Keep(PartAt(st.reductions[k], part, column), TopType(Red(st.reductions[k])), totals[k]);
    });
  }
  void Rest() {
    const LoopStage& st = nest_.stages[static_cast<size_t>(form_.stage)];
    Loop(block_, Tiles(), blocks_, {}, [&](Value* number, Values&) {
      const Tile tile = Enter(number);
      Value* end = b_.CreateSelect(tile.valid, parts_, At(0));
      Values top = Turns(At(0), group_, end, Groups(), 4, Start(st, 1, TopType), [&](const Values& at, Values& acc) {
        Values found;
        for (Value* part : at)
          for (int j : st.reductions) found.push_back(Kept(PartAt(j, part, tile.at), TopType(Red(j))));
        for (size_t k = 0; k < found.size(); ++k) {
          const GroupReduction& r = Red(st.reductions[k % acc.size()]);
          acc[k % acc.size()] = Combine(r.kind, TopType(r), acc[k % acc.size()], found[k]);
        }
      });
      const auto [column, does] = OwnColumn(tile);
      const Values totals = AcrossColumns(st, top, {own_slot_});
      If(does, [&, column = column] {
        Split(column, outer_);
        ReadResults(column);
        for (size_t k = 0; k < totals.size(); ++k) {
          const int j = st.reductions[k];
          Reduced(j) = Finished(j, totals[k]);
          if (static_cast<size_t>(form_.stage) + 1 < nest_.stages.size())
            Keep(ResultAt(j, column), ReducedType(Red(j)), Reduced(j));
        }
        if (LastReduction(form_.stage)) StoreReduced();
      });
    });
  }

  void Results(const LoopStage& st, const Values& top) {
    const size_t count = st.reductions.size();
    Values totals = top;
    if (Rows()) {
      for (size_t k = 0; k < count; ++k)
        totals[k] = AcrossRow(Red(st.reductions[k]).kind, TopType(Red(st.reductions[k])), top[k]);
    } else if (Groups() > 1 && count) {
      Values slots;
      for (int l = 0; l < form_.vector; ++l) slots.push_back(b_.CreateAdd(along_, At(int64_t{l} * form_.across)));
      totals = AcrossColumns(st, top, slots);
    }
    for (lane_ = 0; lane_ < Columns(); ++lane_)
      for (size_t k = 0; k < count; ++k)
        Reduced(st.reductions[k]) = Finished(st.reductions[k], totals[static_cast<size_t>(lane_) * count + k]);
    lane_ = 0;
  }
  void WholeTile(const Tile& tile, Value* n) {
    Value* end = b_.CreateSelect(tile.valid, n, At(0));
    const bool alone = !Rows() && Groups() > 1 && nest_.stages.size() == 1;
    for (stage_ = 0; stage_ < static_cast<int>(nest_.stages.size()); ++stage_) {
      const LoopStage& st = nest_.stages[static_cast<size_t>(stage_)];
      const Values top = Sweep(st, At(0), end);
      if (!alone) {
        Results(st, top);
        continue;
      }
      const auto [column, does] = OwnColumn(tile);
      const Values totals = AcrossColumns(st, top, {own_slot_});
      If(does, [&, column = column] {
        Split(column, outer_);
        for (size_t k = 0; k < totals.size(); ++k) Reduced(st.reductions[k]) = Finished(st.reductions[k], totals[k]);
        StoreReduced();
      });
    }
    if (alone || !HasReduced()) return;
    Value* first = b_.CreateICmpEQ(Rows() ? along_ : group_, At(0));
    If(b_.CreateAnd(tile.valid, first), [&] {
      Lanes lanes;
      lanes.start = position_;
      for (int l = 0; l < Columns(); ++l) InLane(l, lanes, [&] { StoreReduced(); });
    });
  }
  void Reducing() {
    along_ = b_.CreateAnd(thread_, At(form_.across - 1));
    group_ = b_.CreateLShr(thread_, static_cast<uint64_t>(Log2(form_.across)));
    kept_elements_ = Product(outer_);
    count_ = Product(inner_);
    if (form_.part != PtxPart::kWhole) parts_ = Number(static_cast<int>(fn_->arg_size()) - 1 - first_number_);
    if (form_.part == PtxPart::kRest) return Rest();
    Value* n = Rows() ? b_.CreateUDiv(count_, At(form_.vector)) : count_;
    if (form_.part == PtxPart::kWhole) {
      Loop(block_, Tiles(), blocks_, {}, [&](Value* number, Values&) { WholeTile(Enter(number), n); });
      return;
    }
    stage_ = form_.stage;
    const LoopStage& st = nest_.stages[static_cast<size_t>(stage_)];
    Value* tiles = Tiles();
    Value* each = b_.CreateUDiv(b_.CreateSub(b_.CreateAdd(n, parts_), At(1)), parts_);
    Loop(block_, b_.CreateMul(tiles, parts_), blocks_, {}, [&](Value* at, Values&) {
      Value* part = b_.CreateUDiv(at, tiles);
      const Tile tile = Enter(b_.CreateURem(at, tiles));
      for (lane_ = 0; lane_ < Columns(); ++lane_) ReadResults(b_.CreateAdd(tile.at, At(lane_)));
      lane_ = 0;
      Value* begin = Least(b_.CreateMul(part, each), n);
      Value* end = Least(b_.CreateAdd(begin, each), n);
      StoreParts(st, tile, part, Sweep(st, begin, b_.CreateSelect(tile.valid, end, begin)));
    });
  }
  Value* Least(Value* x, Value* y) { return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y); }

  const LoopNest& nest_;
  const FusionGroup& g_;
  const PtxForm form_;
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
  std::vector<Scope> columns_;  // what is known of each of the thread's columns
  std::unordered_map<const ExprNode*, bool> invariant_;
  std::map<std::pair<Type*, int>, llvm::GlobalVariable*> shared_;
  std::vector<KeptInput> kept_;  // of each input
  Value* row_begin_ = nullptr;   // where the row is kept in the block
  int stage_ = 0;
  Value *along_ = nullptr, *group_ = nullptr;          // a thread's number along and across the last axis
  Value *kept_elements_ = nullptr, *count_ = nullptr;  // rows or columns of the group, and what each of them reduces
  Value *parts_ = nullptr, *own_slot_ = nullptr;
};

}  // namespace

void EmitPtxKernel(const LoopNest& nest, const std::string& symbol, PtxForm form, llvm::Module& module,
                   llvm::Module* math) {
  PtxEmitter(nest, symbol, form, module, math).Run();
}

}  // namespace cinn
