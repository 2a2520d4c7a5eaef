// SPDX-License-Identifier: Apache-2.0
// The loops of a kernel for a GPU in LLVM IR: every thread computes scalars; what is read and written together is one
// access.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <functional>
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
    first_ = nbuf_ + naxes_ * (1 + nbuf_) + g_.rank + g_.params;
    const int numbers = first_ - nbuf_ + (form.firsts ? nbuf_ : 0);
    std::vector<Type*> params(static_cast<size_t>(nbuf_), b_.getPtrTy(kGlobalMemory));
    params.resize(static_cast<size_t>(nbuf_ + numbers), b_.getInt64Ty());
    PD_CHECK(params.size() * 8 <= kMostParameterBytes, Unimplemented, "[cinn] expected a group of at most ",
             kMostParameterBytes / 8, " numbers and buffers for a GPU, got ", params.size());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), params, false);
    fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, m_);
    fn_->setCallingConv(llvm::CallingConv::PTX_Kernel);
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
    // An output of a group without reductions may be the memory of an input.
    if (nest.mode != LoopMode::kElementwise)
      for (int k = 0; k < nin_; ++k) {
        fn_->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::NoAlias);
        fn_->addParamAttr(static_cast<unsigned>(k), llvm::Attribute::ReadOnly);
      }
    b_.SetInsertPoint(BasicBlock::Create(m_.getContext(), "entry", fn_));
    index_ = form.narrow ? b_.getInt32Ty() : b_.getInt64Ty();
    position_.assign(static_cast<size_t>(naxes_), nullptr);
    reduced_.assign(g_.reductions.size(), nullptr);
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
  static constexpr size_t kMostParameterBytes = 4096;

  Value* Special(llvm::Intrinsic::ID id) { return b_.CreateIntrinsic(id, {}, {}); }
  Value* At(int64_t v) { return llvm::ConstantInt::get(index_, static_cast<uint64_t>(v), true); }
  Value* Number(int k) { return b_.CreateTrunc(fn_->getArg(static_cast<unsigned>(nbuf_ + k)), index_); }
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
  void Reads(const Expr& e, std::unordered_set<const ExprNode*>& seen, std::vector<bool>& found) {
    if (!seen.insert(e.node()).second) return;
    if (e->op == Op::kInput && e->index >= nin_) return Reads(SpilledAs(e->index), seen, found);
    if (e->op == Op::kInput) {
      const GroupInput& in = g_.inputs[static_cast<size_t>(e->index)];
      if (!Invariant(e) && !in.offset.defined() && !in.mask.defined()) found[static_cast<size_t>(e->index)] = true;
    }
    for (int k = 0; k < e->nargs; ++k) Reads(e->args[k], seen, found);
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
      std::unordered_set<const ExprNode*> seen;
      std::vector<bool> found(static_cast<size_t>(nin_));
      for (int j : nest_.stages[s].reductions) Reads(Red(j).value, seen, found);
      for (int o : nest_.stages[s].outputs) Reads(g_.outputs[static_cast<size_t>(o)].value, seen, found);
      for (size_t k = 0; k < kept_.size(); ++k) {
        if (!found[k]) continue;
        if (kept_[k].first < 0) kept_[k].first = static_cast<int>(s);
        ++kept_[k].sweeps;
      }
    }
    int64_t used = 0;
    for (size_t k = 0; k < kept_.size(); ++k) {
      const int64_t bytes = static_cast<int64_t>(phi::SizeOf(g_.inputs[k].dtype)) * form_.row;
      if (kept_[k].sweeps < 2 || used + bytes > kRoom) continue;
      used += bytes;
      kept_[k].room = Shared(StorageType(b_, g_.inputs[k].dtype, 0), form_.row, "row");
    }
  }
  llvm::GlobalVariable* Shared(Type* element, int n, const char* name) {
    auto* type = llvm::ArrayType::get(element, static_cast<uint64_t>(n));
    auto* room =
        new llvm::GlobalVariable(m_, type, false, llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type), name,
                                 nullptr, llvm::GlobalValue::NotThreadLocal, kSharedMemory);
    room->setAlignment(llvm::Align(8));
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

  Value* Load(const ExprNode& n) {
    Type* type = StorageType(b_, n.storage, 0);
    if (vector_ && n.index < nin_ && Unit(n.index)) return FromStorage(b_, VectorElement(n, type), n.storage);
    if (form_.row && n.index >= nin_) return Of(SpilledAs(n.index));
    Kept* kept = form_.row && row_at_ ? &kept_[static_cast<size_t>(n.index)] : nullptr;
    Value* slot = kept && kept->room ? b_.CreateGEP(type, kept->room, row_at_) : nullptr;
    if (slot && stage_ != kept->first) return FromStorage(b_, b_.CreateLoad(type, slot), n.storage);
    const GroupInput* in = n.index < nin_ ? &g_.inputs[static_cast<size_t>(n.index)] : nullptr;
    Value* offset = Offset(n.index);
    if (in && in->offset.defined()) offset = b_.CreateAdd(offset, b_.CreateTrunc(Of(in->offset), index_));
    Value* from = Element(n.index, type, offset);
    if (!in || !in->mask.defined()) {
      Value* read = b_.CreateLoad(type, from);
      if (slot) b_.CreateStore(read, slot);
      return FromStorage(b_, read, n.storage);
    }
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
      case Op::kReduced: return reduced_[static_cast<size_t>(e->index)];
      case Op::kExtent: return fn_->getArg(static_cast<unsigned>(nbuf_ + naxes_ * (1 + nbuf_) + e->index));
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
  Value* VectorElement(const ExprNode& n, Type* type) {
    auto [it, fresh] = vector_->read.emplace(n.index, nullptr);
    if (fresh) {
      std::swap(position_, vector_->start);
      it->second = b_.CreateAlignedLoad(Packed(type), Element(n.index, type, Offset(n.index)), PackedAlign(type));
      std::swap(position_, vector_->start);
    }
    const unsigned bits = type->getScalarSizeInBits();
    if (bits >= 32) return b_.CreateExtractElement(it->second, static_cast<uint64_t>(vector_->lane));
    const unsigned each = 32 / bits, lane = static_cast<unsigned>(vector_->lane);
    Value* word = b_.CreateExtractElement(it->second, static_cast<uint64_t>(lane / each));
    Value* part = b_.CreateTrunc(b_.CreateLShr(word, lane % each * bits), b_.getIntNTy(bits));
    return b_.CreateBitCast(part, type);
  }
  void StoreVector(int o, const Values& lanes) {
    Type* type = lanes[0]->getType();
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
  Value* Identity(ReduceKind k, DataType t) { return ReduceIdentity(b_, k, t, 0); }
  Value* Combine(ReduceKind k, DataType t, Value* x, Value* y) { return ReduceStep(b_, math_, k, t, x, y); }

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
  // Of all threads of the block, the same in each: warps by halves, then one warp after another.
  Value* AcrossBlock(ReduceKind k, DataType t, Value* v) {
    for (int by = kWarp / 2; by; by /= 2) v = Combine(k, t, v, Shuffle(v, by));
    constexpr int kWarps = kGpuThreads / kWarp;
    const bool flag = t == DataType::BOOL;
    Type* kept = flag ? b_.getInt32Ty() : v->getType();
    auto*& room = shared_[kept];
    if (!room) room = Shared(kept, kWarps, "shared");
    auto slot = [&](Value* k) { return b_.CreateGEP(kept, room, k); };
    Value* lane = b_.CreateAnd(thread_, At(kWarp - 1));
    If(b_.CreateICmpEQ(lane, At(0)),
       [&] { b_.CreateStore(flag ? b_.CreateZExt(v, kept) : v, slot(b_.CreateLShr(thread_, 5))); });
    Barrier();
    Value* total = nullptr;
    for (int w = 0; w < kWarps; ++w) {
      Value* one = b_.CreateLoad(kept, slot(At(w)));
      if (flag) one = b_.CreateTrunc(one, b_.getInt1Ty());
      total = total ? Combine(k, t, total, one) : one;
    }
    Barrier();
    return total;
  }
  void Barrier() { b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

  bool TwoLevels(const LoopStage& st) const {
    return std::any_of(st.reductions.begin(), st.reductions.end(),
                       [&](int j) { return LaneType(Red(j)) != TopType(Red(j)); });
  }
  void Step(const LoopStage& st, Values& acc) {
    for (const LoopSpill& p : nest_.spills)
      if (!form_.row && &nest_.stages[static_cast<size_t>(p.stage)] == &st) Store(p.output, p.value);
    for (size_t k = 0; k < st.reductions.size(); ++k) {
      const GroupReduction& r = Red(st.reductions[k]);
      Value* v = ConvertCompute(b_, Of(r.value), r.value.dtype(), LaneType(r));
      acc[k] = Combine(r.kind, LaneType(r), acc[k], v);
    }
    ElementAt(st);
  }
  Values Start(const LoopStage& st, DataType (*type)(const GroupReduction&)) {
    Values acc;
    for (int j : st.reductions) acc.push_back(Identity(Red(j).kind, type(Red(j))));
    return acc;
  }
  // One thread's share of the reduced positions, in the types of the upper level.
  Values Sweep(const LoopStage& st, Value* n) {
    const bool rows = nest_.mode == LoopMode::kRowReduce;
    auto span = [&](Value* from, Value* to, const Values& acc) {
      return Loop(rows ? b_.CreateAdd(from, thread_) : from, to, At(rows ? kGpuThreads : 1), acc,
                  [&](Value* k, Values& a) {
                    Split(k, inner_);
                    row_at_ = rows ? k : nullptr;
                    Step(st, a);
                    row_at_ = nullptr;
                  });
    };
    Hoist(st);
    Values top = Start(st, TopType);
    if (!TwoLevels(st)) return span(At(0), n, top);
    const int64_t block = rows ? kRowBlock : kColBlock;
    return Loop(At(0), n, At(block), top, [&](Value* base, Values& t) {
      Value* end = b_.CreateAdd(base, At(block));
      end = b_.CreateSelect(b_.CreateICmpSLT(end, n), end, n);
      Values acc = span(base, end, Start(st, LaneType));
      for (size_t k = 0; k < acc.size(); ++k) {
        const GroupReduction& r = Red(st.reductions[k]);
        t[k] = Combine(r.kind, TopType(r), t[k], ConvertCompute(b_, acc[k], LaneType(r), TopType(r)));
      }
    });
  }
  void Results(const LoopStage& st, const Values& top, Value* n) {
    for (size_t k = 0; k < st.reductions.size(); ++k) {
      const GroupReduction& r = Red(st.reductions[k]);
      DataType t = TopType(r);
      Value* v = nest_.mode == LoopMode::kRowReduce ? AcrossBlock(r.kind, t, top[k]) : top[k];
      if (r.kind == ReduceKind::kMean) {
        v = ConvertCompute(b_, v, t, DataType::FLOAT64);
        v = b_.CreateFDiv(v, b_.CreateSIToFP(n, b_.getDoubleTy()));
        t = DataType::FLOAT64;
      }
      reduced_[static_cast<size_t>(st.reductions[k])] = ConvertCompute(b_, v, t, ReducedType(r));
    }
  }
  void Reducing() {
    const bool rows = nest_.mode == LoopMode::kRowReduce;
    Value *size = Product(outer_), *n = Product(inner_);
    Value* first = rows ? block_ : b_.CreateAdd(b_.CreateMul(block_, At(kGpuThreads)), thread_);
    Value* step = rows ? blocks_ : b_.CreateMul(blocks_, At(kGpuThreads));
    Loop(first, size, step, {}, [&](Value* at, Values&) {
      Split(at, outer_);
      for (stage_ = 0; stage_ < static_cast<int>(nest_.stages.size()); ++stage_) {
        const LoopStage& st = nest_.stages[static_cast<size_t>(stage_)];
        Results(st, Sweep(st, n), n);
      }
      if (std::none_of(g_.outputs.begin(), g_.outputs.end(), [](const GroupOutput& o) { return o.reduced; })) return;
      auto store = [&] {
        for (size_t o = 0; o < g_.outputs.size(); ++o)
          if (g_.outputs[o].reduced) Store(static_cast<int>(o), g_.outputs[o].value);
      };
      if (rows)
        If(b_.CreateICmpEQ(thread_, At(0)), store);
      else
        store();
    });
  }

  const LoopNest& nest_;
  const FusionGroup& g_;
  const PtxForm form_;
  llvm::Module& m_;
  llvm::Module* math_;
  llvm::IRBuilder<> b_;
  llvm::Function* fn_ = nullptr;
  int nin_ = 0, nbuf_ = 0, naxes_ = 0, first_ = 0;  // first_: the parameter with the first element of buffer 0
  std::vector<LoopAxis> axes_;                      // rows, reds, lane: the numbering of the runtime description
  std::vector<int> outer_, inner_;                  // of them: walked by the grid, and within a thread or block
  Type* index_ = nullptr;
  Value *thread_ = nullptr, *block_ = nullptr, *blocks_ = nullptr;
  Values position_;  // along each axis
  Values reduced_;   // of each reduction
  Lanes* vector_ = nullptr;
  std::vector<std::unordered_map<const ExprNode*, Value*>> scopes_;
  std::unordered_map<const ExprNode*, bool> invariant_;
  std::unordered_map<Type*, llvm::GlobalVariable*> shared_;
  struct Kept {
    int first = -1, sweeps = 0;  // the first sweep that reads it, and how many do
    llvm::GlobalVariable* room = nullptr;
  };
  std::vector<Kept> kept_;   // of each input
  Value* row_at_ = nullptr;  // the element of the row
  int stage_ = 0;
};

}  // namespace

void EmitPtxKernel(const LoopNest& nest, const std::string& symbol, PtxForm form, llvm::Module& module,
                   llvm::Module* math) {
  PtxEmitter(nest, symbol, form, module, math).Run();
}

}  // namespace cinn
