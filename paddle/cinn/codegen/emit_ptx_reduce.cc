// SPDX-License-Identifier: Apache-2.0
// Reductions of a kernel for a GPU in LLVM IR.
#include <bit>
#include <map>
#include <tuple>

#include "paddle/cinn/codegen/ptx_values.h"

namespace cinn {
namespace {

using llvm::Type;
using llvm::Value;

constexpr int kWarp = 32;

class PtxReduction : PtxValues {
 public:
  using PtxValues::PtxValues;
  void Run() {
    if (form_.row) ChooseKept();
    Reducing();
    b_.CreateRetVoid();
  }

 private:
  // ---- rows that stay in the block ----
  // An input, or a costly value of a reduction, of each element of the block's rows, which one sweep leaves in the
  // block's memory for later ones. A thread meets the same elements in each sweep, so it waits for no other.
  struct Kept {
    int input = -1;  // or
    Expr value;
    Type* element = nullptr;    // in memory
    int first = -1, last = -1;  // the sweep that makes it, the last one that reads it
    llvm::GlobalVariable* room = nullptr;
    int pieces = 1;  // of the room, in each vector
  };
  // What a sweep reads in each of its turns.
  struct Needs {
    std::vector<int> buffers;
    std::vector<const Kept*> values;
  };
  Needs NeedsOf(const LoopStage& st) {
    const int stage = static_cast<int>(&st - nest_.stages.data());
    Needs needs;
    std::unordered_set<const ExprNode*> seen;
    std::function<void(const Expr&)> visit = [&](const Expr& e) {
      if (!seen.insert(e.node()).second) return;
      if (e->op == Op::kInput && e->index >= nin_ && form_.row) return visit(SpilledAs(e->index));
      if (const Kept* kept = KeptValue(e); kept && kept->first < stage) return needs.values.push_back(kept);
      if (e->op == Op::kInput && !Invariant(e) && ByVector(e->index) &&
          std::find(needs.buffers.begin(), needs.buffers.end(), e->index) == needs.buffers.end())
        needs.buffers.push_back(e->index);
      for (int k = 0; k < e->nargs; ++k) visit(e->args[k]);
    };
    for (int j : st.reductions) visit(Red(j).value);
    for (const LoopSpill& p : nest_.spills)
      if (p.stage == stage) visit(p.value);
    for (int o : st.outputs) visit(g_.outputs[static_cast<size_t>(o)].value);
    return needs;
  }
  const Kept* KeptInput(int input) const {
    for (const Kept& k : kept_)
      if (k.input == input && k.room) return &k;
    return nullptr;
  }
  const Kept* KeptValue(const Expr& e) const {
    for (const Kept& k : kept_)
      if (k.value.defined() && k.value.node() == e.node()) return &k;
    return nullptr;
  }
  int64_t BytesOf(Type* element) const {
    return static_cast<int64_t>(element->getScalarSizeInBits()) / 8 * form_.row * Groups();
  }
  // As many as there is room for. A value takes the place of an input that nothing reads after it.
  void ChooseKept() {
    const int last = static_cast<int>(nest_.stages.size()) - 1;
    int64_t used = 0;
    for (int s = 0; s < last; ++s) {
      for (int j : nest_.stages[static_cast<size_t>(s)].reductions) {
        const Expr& e = Red(j).value;
        if (!phi::IsFloating(e.dtype()) || Invariant(e) || OperationsOf(e) < kCostly || KeptValue(e)) continue;
        Kept k{.value = e, .element = LlvmType(b_, e.dtype(), 0), .first = s};
        if (used + BytesOf(k.element) > kKeptBytes) continue;
        kept_.push_back(k);
        for (int later = s + 1; later <= last; ++later)
          if (!NeedsOf(nest_.stages[static_cast<size_t>(later)]).values.empty()) kept_.back().last = later;
        if (kept_.back().last < 0)
          kept_.pop_back();
        else
          used += BytesOf(k.element);
      }
    }
    const size_t values = kept_.size();
    for (Kept& k : kept_) MakeRoom(k);
    for (int input = 0; input < nin_; ++input) {
      Kept k{.input = input, .element = ElementType(input)};
      for (int s = 0; s <= last; ++s) {
        const Needs needs = NeedsOf(nest_.stages[static_cast<size_t>(s)]);
        if (std::find(needs.buffers.begin(), needs.buffers.end(), input) == needs.buffers.end()) continue;
        if (k.first < 0) k.first = s;
        k.last = s;
      }
      if (k.first == k.last) continue;
      for (size_t v = 0; v < values && !k.room; ++v) {
        const Kept& successor = kept_[v];
        const bool taken = std::any_of(kept_.begin() + static_cast<std::ptrdiff_t>(values), kept_.end(),
                                       [&](const Kept& other) { return other.room == successor.room; });
        if (taken || successor.first < k.last || PieceAlign(successor.element) != PieceAlign(k.element) ||
            Pieces(successor.element) < Pieces(k.element))
          continue;
        k.room = successor.room;
        k.pieces = successor.pieces;
      }
      if (!k.room) {
        if (used + BytesOf(k.element) > kKeptBytes) continue;
        used += BytesOf(k.element);
        MakeRoom(k);
      }
      kept_.push_back(k);
    }
  }
  void MakeRoom(Kept& k) {
    k.pieces = Pieces(k.element);
    k.room = Shared(Piece(k.element), form_.row / form_.vector * k.pieces * Groups(), "row");
  }
  // Pieces of different numbers lie apart, so that neighbours in a warp read 16 bytes side by side.
  Value* KeptSlot(const Kept& k, Value* number, int piece) {
    const int64_t each = form_.row / form_.vector;
    Value* at = b_.CreateAdd(b_.CreateMul(group_, At(each * k.pieces)), At(each * piece));
    return b_.CreateGEP(Piece(k.element), k.room, b_.CreateAdd(at, number));
  }
  Values ReadKept(const Kept& k, Value* number) {
    Values pieces;
    for (int p = 0; p < Pieces(k.element); ++p)
      pieces.push_back(b_.CreateAlignedLoad(Piece(k.element), KeptSlot(k, number, p), PieceAlign(k.element)));
    return pieces;
  }
  void WriteKept(const Kept& k, Value* number, const Values& pieces) {
    for (size_t p = 0; p < pieces.size(); ++p)
      b_.CreateAlignedStore(pieces[p], KeptSlot(k, number, static_cast<int>(p)), PieceAlign(k.element));
  }

  // ---- tiles ----
  // A tile is what a block has at once: rows of `across` threads each, or `across` times `vector` columns, whose
  // elements the other threads share.
  bool Rows() const { return nest_.mode == LoopMode::kRowReduce && form_.part != PtxPart::kRest; }
  int Groups() const { return kGpuThreads / form_.across; }
  int Columns() const { return Rows() ? 1 : form_.vector; }
  Value* Identity(ReduceKind k, DataType t) { return ReduceIdentity(b_, k, t, 0); }
  Value* Combine(ReduceKind k, DataType t, Value* x, Value* y) {
    const bool max = k == ReduceKind::kMax;
    if (capability_ >= 80 && t == DataType::FLOAT32 && (max || k == ReduceKind::kMin))
      return b_.CreateBinaryIntrinsic(max ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
    return ReduceStep(b_, math_, k, t, x, y);
  }
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
  Value* Recall(Value* at, DataType t) {
    Value* v = b_.CreateLoad(KeptType(t), at);
    return t == DataType::BOOL ? b_.CreateTrunc(v, b_.getInt1Ty()) : v;
  }
  Value* Slot(const Room& room, Value* k) { return b_.CreateGEP(room.type, room.memory, k); }

  // Of the threads with one row, the same in each: warps by halves, then one warp after another.
  Value* AcrossRow(ReduceKind k, DataType t, Value* v) {
    for (int by = std::min(kWarp, form_.across) / 2; by; by /= 2) v = Combine(k, t, v, Shuffle(v, by));
    if (form_.across <= kWarp) return v;
    const int warps = form_.across / kWarp;  // of a row
    const Room room = RoomFor(t, kGpuThreads / kWarp);
    If(b_.CreateICmpEQ(b_.CreateAnd(thread_, At(kWarp - 1)), At(0)),
       [&] { Keep(Slot(room, b_.CreateLShr(thread_, 5)), t, v); });
    Barrier();
    Value* total = nullptr;
    for (int w = 0; w < warps; ++w) {
      Value* one = Recall(Slot(room, b_.CreateAdd(b_.CreateMul(group_, At(warps)), At(w))), t);
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
          Value* one = Recall(Slot(room, b_.CreateAdd(slots[s], At(int64_t{w} * columns))), t);
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
    Value* number = nullptr;  // of the vector in its row
    Lanes lanes;
  };
  Turn Read(const LoopStage& st, Value* k, Value* last) {
    Turn turn;
    turn.number = k;
    Split(k, inner_, last);
    if (Rows() && form_.vector > 1) position_.back() = b_.CreateMul(position_.back(), At(form_.vector));
    const Needs needs = NeedsOf(st);
    for (int buf : needs.buffers) {
      const Kept* kept = KeptInput(buf);
      turn.lanes.read.emplace(buf, kept && kept->first != stage_ ? ReadKept(*kept, k) : ReadVector(buf));
    }
    for (const Kept* kept : needs.values) {
      const Values pieces = ReadKept(*kept, k);
      Values& lanes = turn.lanes.values[kept->value.node()];
      for (int l = 0; l < form_.vector; ++l) lanes.push_back(PieceElement(pieces, kept->element, l));
    }
    turn.lanes.start = turn.position = position_;
    return turn;
  }
  void Step(const LoopStage& st, Turn& turn, Values& acc) {
    Lanes& lanes = turn.lanes;
    position_ = turn.position;
    vector_ = &lanes;
    for (const auto& [buf, pieces] : lanes.read)
      if (const Kept* kept = KeptInput(buf); kept && kept->first == stage_) WriteKept(*kept, turn.number, pieces);
    std::map<const Kept*, Values> made;
    const size_t count = st.reductions.size();
    std::vector<Values> kept(nest_.spills.size()), results(st.outputs.size());
    for (int l = 0; l < form_.vector; ++l) {
      InLane(l, lanes, [&] {
        for (size_t k = 0; k < nest_.spills.size(); ++k) {
          const LoopSpill& p = nest_.spills[k];
          if (form_.row || &nest_.stages[static_cast<size_t>(p.stage)] != &st) continue;
          kept[k].push_back(Of(p.value));
        }
        for (size_t k = 0; k < count; ++k) {
          const GroupReduction& r = Red(st.reductions[k]);
          Value* v = Of(r.value);
          if (const Kept* own = KeptValue(r.value); own && own->first == stage_) made[own].push_back(v);
          v = ConvertCompute(b_, v, r.value.dtype(), LaneType(r));
          Value*& a = acc[static_cast<size_t>(l) * count + k];
          a = Combine(r.kind, LaneType(r), a, v);
        }
        for (size_t k = 0; k < st.outputs.size(); ++k) results[k].push_back(Result(st.outputs[k]));
      });
    }
    vector_ = nullptr;
    position_ = lanes.start;
    for (const auto& [own, values] : made) WriteKept(*own, turn.number, Pack(values, own->element));
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
    int bits = 32, work = 0;
    const Needs needs = NeedsOf(st);
    for (int buf = 0; buf < nbuf_; ++buf) {
      const bool read = std::find(needs.buffers.begin(), needs.buffers.end(), buf) != needs.buffers.end();
      bits += read ? static_cast<int>(ElementType(buf)->getScalarSizeInBits()) * form_.vector : buf < nin_ ? 32 : 0;
    }
    for (const Kept* kept : needs.values) bits += static_cast<int>(kept->element->getScalarSizeInBits()) * form_.vector;
    const int words = bits / 32;
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
  void StoreReduced() {
    for (size_t o = 0; o < g_.outputs.size(); ++o)
      if (g_.outputs[o].reduced) Store(static_cast<int>(o));
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
        Reduced(j) = Recall(ResultAt(j, column), ReducedType(Red(j)));
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
          for (int j : st.reductions) found.push_back(Recall(PartAt(j, part, tile.at), TopType(Red(j))));
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

  std::vector<Scope> columns_;  // what is known of each of the thread's columns
  std::map<std::pair<Type*, int>, llvm::GlobalVariable*> shared_;
  std::vector<Kept> kept_;
  int stage_ = 0;
  Value *along_ = nullptr, *group_ = nullptr;          // a thread's number along and across the last axis
  Value *kept_elements_ = nullptr, *count_ = nullptr;  // rows or columns of the group, and what each of them reduces
  Value *parts_ = nullptr, *own_slot_ = nullptr;
};

}  // namespace

void EmitPtxReduction(const LoopNest& nest, const std::string& symbol, PtxForm form, int capability,
                      llvm::Module& module, llvm::Module* math) {
  PtxReduction(nest, symbol, form, capability, module, math).Run();
}

}  // namespace cinn
