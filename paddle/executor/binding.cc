// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/binding.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/primitives/copy.h"

namespace executor {
namespace {

constexpr int kMaxAttempts = 8;
constexpr int64_t kMostFrozen = 64;    // elements of results that stay
constexpr int64_t kMostSpread = 1024;  // elements as which a number is read that is the same at each run
// Smaller scratch comes from the thread's free lists as fast.
constexpr int64_t kLeastGiven = 4 << 10;

bool IsDense(const Tensor& t) {
  return t.defined() && t->kind() == phi::ImplKind::kDense && t->storage() && t.place().is_cpu();
}

template <class F>
void ForEachInput(const Instruction& ins, F f) {
  for (auto& a : ins.in) {
    if (a.value >= 0) f(a.value);
    for (int v : a.list)
      if (v >= 0) f(v);
  }
}

// Updates are moved by what declarations say of results and arguments (arrange.cc): a result that shares memory with an
// argument it must not share with would make wrong values elsewhere.
void CheckApart(const Instruction& ins, int alias) {
  if (alias < 0 || ins.kind != Instruction::kOp) return;
  for (size_t k = 0; k < ins.in.size(); ++k) {
    const Instruction::Arg& a = ins.in[k];
    if (!ins.op->tensors[k]->apart ||
        (a.value != alias && std::find(a.list.begin(), a.list.end(), alias) == a.list.end()))
      continue;
    const bool declared =
        std::any_of(ins.inplace.begin(), ins.inplace.end(), [&](auto& p) { return p.second == static_cast<int>(k); });
    const bool elsewhere =
        std::count_if(ins.in.begin(), ins.in.end(), [&](auto& other) { return other.value == alias; }) > 1;
    PD_CHECK(declared || elsewhere, Internal, "[", ins.name,
             "] expected results with memory of their own, got one in the memory of ", ins.op->tensors[k]->name,
             "; such an op is declared with `view`");
  }
}

// Whether arguments may escape: somebody outside of the code may keep them.
bool MayEscape(const Instruction& ins) {
  if (ins.kind == Instruction::kFused || ins.kind == Instruction::kUpdates) return false;
  if (ins.kind != Instruction::kOp) return ins.kind != Instruction::kAssert && ins.kind != Instruction::kHasElements;
  return (ins.op->flags & phi::kOpSideEffect) && !(ins.op->flags & phi::kOpRandom) && ins.inplace.empty();
}

// Bytes of a workspace that the call takes with these values: the kernel's scratch and copies of operands.
int64_t WorkspaceOf(const Instruction& ins, const std::vector<Tensor>& values) {
  if (ins.kind != Instruction::kOp) return 0;
  const bool scratch = ins.op->workspace && ins.dynamic_attrs.empty();
  const phi::OrderedRule copies = phi::OrderedRuleOf(*ins.op);
  if (!scratch && !copies) return 0;
  std::vector<std::vector<Tensor>> operands(ins.in.size());
  std::vector<phi::InSlot> slots;
  for (size_t k = 0; k < ins.in.size(); ++k) {
    const auto add = [&](int v) {
      if (v >= 0 && values[v].defined()) operands[k].push_back(values[v]);
    };
    add(ins.in[k].value);
    for (int v : ins.in[k].list) add(v);
    slots.emplace_back(operands[k]);
  }
  std::vector<Tensor> results;
  for (const Instruction::Arg& a : ins.out) results.push_back(!a.variadic && a.value >= 0 ? values[a.value] : Tensor());
  const int64_t bytes = copies ? copies(slots.data(), results.data()) : 0;
  if (!scratch) return bytes;
  std::vector<std::vector<phi::Meta>> metas(ins.in.size());
  std::vector<phi::MetaSlot> known(ins.in.size());
  for (size_t k = 0; k < ins.in.size(); ++k) {
    for (const Tensor& t : operands[k]) metas[k].push_back(t.meta());
    known[k] = {metas[k].data(), static_cast<int>(metas[k].size())};
  }
  return bytes + ins.op->workspace(known.data(), ins.attrs.data());
}

// n elements, all of them the one of x.
Tensor Spread(const Tensor& x, int64_t n) {
  Tensor out = phi::Empty({n}, x.dtype());
  phi::cpu::Fill(phi::SizeOf(x.dtype()), n, out.raw_data(), x.raw_data());
  return out;
}

}  // namespace

bool TakesMemory(const Instruction& ins) {
  if (ins.kind == Instruction::kFused) return true;
  if (ins.kind != Instruction::kOp || (ins.op->flags & (phi::kOpComposed | phi::kOpAllocates))) return false;
  return !(ins.op->flags & phi::kOpView) || !ins.op->outs[0].variadic;  // a view may have to copy
}

Shape Shape::Of(const Tensor& t) {
  if (!IsDense(t)) return {};
  return {t.dtype(), t.is_contiguous(), t.dims()};
}

Tensor Shape::Without(const Tensor& t) { return IsDense(t) ? phi::WithoutData(t) : t; }

bool Shape::Fits(const Tensor& t) const {
  if (!IsDense(t)) return dtype == phi::DataType::UNDEFINED;
  return t.dtype() == dtype && t.is_contiguous() == contiguous && t.dims() == dims;
}

bool Binding::Fits(const std::vector<Tensor>& values) const {
  for (auto& [v, shape] : entry)
    if (!shape.Fits(values[v])) return false;
  return true;
}

void Binding::Restart() {
  Again();
  state = ++attempts_ > kMaxAttempts ? kOff : kNew;
}

void Binding::Again() {
  entry.clear();
  steps.clear();
  traced_.clear();
  buffers_.clear();
  spread_.clear();
  unplanned_.clear();
  arena_.reset();
  least_ = 0;
  installed = outdated = false;
  state = kNew;
}

void Binding::Unstable(size_t i) {
  stable_ = std::min(stable_, i);
  Restart();
}

void Binding::BeginTrace(const Code& code, const std::vector<Tensor>& values) {
  for (const std::vector<int>* list : {&code.args, &code.captured})
    for (int v : *list) entry.push_back({v, Shape::Of(values[v])});
  traced_.assign(code.instructions.size(), {});
}

void Binding::Trace(size_t i, const Instruction& ins, const phi::EwSeen& seen, const std::vector<Tensor>& values) {
  Traced& t = traced_[i];
  auto result = [&](int v, bool member) {
    if (v < 0) return;
    Result r;
    r.value = v;
    const Tensor& out = values[v];
    r.shape = Shape::Of(out);
    if (IsDense(out)) {
      ForEachInput(ins, [&](int in) {
        if (IsDense(values[in]) && values[in]->storage().get() == out->storage().get()) r.alias = in;
      });
      CheckApart(ins, r.alias);
      r.whole = out.is_contiguous() && out->offset() == 0 && r.bytes() == out->storage()->bytes();
      r.own = r.alias < 0 && (!member || TakesMemory(ins)) && out.is_contiguous() && out->offset() == 0 &&
              out->storage()->use_count() == 1;
    }
    t.results.push_back(std::move(r));
  };
  for (auto& a : ins.out) {
    if (!a.variadic) result(a.value, false);
    for (int v : a.list) result(v, true);
  }
  if (i < stable_) t.workspace = WorkspaceOf(ins, values);
  if (i < stable_ && std::all_of(ins.shapes.begin(), ins.shapes.end(),
                                 [&](auto& s) { return IsDense(values[s.first]) && values[s.first].is_contiguous(); }))
    for (auto [v, shape] : ins.shapes) t.shapes.push_back({shape, values[shape]});
  const int n = seen.nout + seen.nin;
  if (ins.kind != Instruction::kOp || !(ins.op->flags & phi::kOpElementwise) || seen.calls != 1 ||
      seen.nout != static_cast<int>(ins.out.size()) || n > Step::kMaxOperands)
    return;
  std::vector<int> operands;
  for (int k = 0; k < n; ++k) {
    const Tensor* p = seen.operands[k];
    if (p < values.data() || p >= values.data() + values.size()) return;
    t.operand_sizes[k] = static_cast<int8_t>(phi::SizeOf(p->dtype()));
    t.whole[k] = p->dims() == seen.operands[0]->dims();
    operands.push_back(static_cast<int>(p - values.data()));
  }
  for (int k = 0; k < seen.nout; ++k)
    if (operands[k] != ins.out[k].value) return;
  if (seen.nout == 1)
    for (int k = 1; k < n; ++k) {
      const Tensor &out = *seen.operands[0], &in = *seen.operands[k];
      if (t.operand_sizes[k] == t.operand_sizes[0] && in.is_contiguous() && in.dims() == out.dims())
        t.overwrites.push_back(operands[k]);
    }
  if (!seen.flat && !seen.spread) return;
  t.operand_values = std::move(operands);
  t.seen = seen;
}

// Decides whose memory could be shared: made by its instruction, and never seen outside of this code.
void Binding::EndTrace(const Code& code) {
  std::unordered_map<int, int> root;  // views -> whose memory it is
  auto root_of = [&](int v) {
    auto it = root.find(v);
    return it == root.end() ? v : it->second;
  };
  std::unordered_set<int> out(code.yields.begin(), code.yields.end());
  std::vector<int> escaping(code.yields);
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& ins = code.instructions[i];
    for (const Result& r : traced_[i].results)
      if (r.alias >= 0) root[r.value] = root_of(r.alias);
    if (!MayEscape(ins)) continue;
    ForEachInput(ins, [&](int v) { escaping.push_back(v); });
    for (auto& c : ins.regions) escaping.insert(escaping.end(), c->captured.begin(), c->captured.end());
  }
  for (int v : escaping) out.insert(root_of(v));
  Freeze(code, out, root_of);
  for (size_t i = 0; i < code.instructions.size(); ++i)
    for (Result& r : traced_[i].results) {
      r.inside = r.own && i < stable_ && !out.count(r.value);
      r.leaves = r.own && !r.inside;
      r.own = r.inside && TakesMemory(code.instructions[i]) && !traced_[i].frozen;
    }
  state = kTraced;
}

template <class F>
void Binding::Freeze(const Code& code, const std::unordered_set<int>& outside, const F& root_of) {
  constexpr uint32_t kAllowed = phi::kOpElementwise | phi::kOpView | phi::kOpInternal;
  std::unordered_set<int> known, written;
  for (auto& [v, t] : code.fixed) known.insert(v);
  for (const Instruction& ins : code.instructions)
    for (auto [result, operand] : ins.inplace) written.insert(root_of(ins.in[operand].value));
  for (size_t i = 0; i < code.instructions.size() && i < stable_; ++i) {
    const Instruction& ins = code.instructions[i];
    Traced& t = traced_[i];
    bool frozen = ins.kind == Instruction::kOp && !ins.op->code && !(ins.op->flags & ~kAllowed) &&
                  ins.inplace.empty() && ins.shapes.size() == t.shapes.size();
    for (size_t k = 0; frozen && k < ins.in.size(); ++k) {
      if (ins.op->tensors[k]->shape_only) continue;
      frozen = ins.in[k].value < 0 || known.count(ins.in[k].value) != 0;
      for (int v : ins.in[k].list) frozen = frozen && known.count(v) != 0;
    }
    for (auto& [a, v] : ins.dynamic_attrs) frozen = frozen && known.count(v) != 0;
    for (const Result& r : t.results)
      frozen = frozen && r.shape.dtype != phi::DataType::UNDEFINED && common::Product(r.shape.dims) <= kMostFrozen &&
               !outside.count(root_of(r.value)) && !written.count(root_of(r.value));
    for (const Instruction::Arg& a : ins.out) frozen = frozen && !a.variadic;
    if (!frozen) continue;
    t.frozen = true;
    for (const Result& r : t.results) known.insert(r.value);
  }
}

void Binding::Offer(size_t i, std::vector<Tensor>& values) {
  for (Result& r : traced_[i].results) {
    if (!r.own) continue;
    values[r.value] = phi::Empty(r.shape.dims, r.shape.dtype);
    r.offered = values[r.value].impl();
  }
}

bool Binding::Check(size_t i, const std::vector<Tensor>& values) {
  for (Result& r : traced_[i].results) {
    if (!r.shape.Fits(values[r.value])) return false;
    if (traced_[i].frozen) r.kept = values[r.value];
    if (r.own && values[r.value].impl() != r.offered) r.own = false;
  }
  return true;
}

// Where values lie in the shared memory.
struct Binding::Layout {
  std::vector<Block> blocks;
  std::vector<size_t> place;                      // of what was numbered first: the block it became part of
  size_t bytes = 0, least = 0;                    // least: that are alive at one time
  std::unordered_map<int, size_t> values;         // those that take the memory they are offered
  std::unordered_map<size_t, size_t> workspaces;  // by instruction
  const Block& at(size_t k) const { return blocks[place[k]]; }
};

// Chooses it: a block for each value that takes its memory, and for scratch; some take over those of others.
class Binding::Planner {
 public:
  Planner(const Code& code, const std::vector<Traced>& traced) : code_(code), traced_(traced) {
    for (size_t i = 0; i < code.instructions.size(); ++i)
      for (int v : code.instructions[i].drops) last_[v] = i;
  }

  void AddValues(size_t i) {
    for (const Result& r : traced_[i].results) {
      if (r.own) {
        layout_.values[r.value] = block_of_[r.value] = Add(r.bytes(), i, LastOf(r.value));
      } else if (auto it = block_of_.find(r.alias); r.alias >= 0 && it != block_of_.end()) {
        const size_t b = it->second;
        blocks_[b].to = std::max(blocks_[b].to, LastOf(r.value));
        block_of_[r.value] = b;
        if (!r.whole) parts_.insert(r.value);
      }
    }
  }

  void AddWorkspace(size_t i) {
    const int64_t bytes = traced_[i].workspace;
    if (bytes >= kLeastGiven) layout_.workspaces[i] = Add(static_cast<size_t>(bytes), i, i);
  }

  // An elementwise run may write over an operand that dies with it.
  void OverwriteOperand(size_t i) {
    const Traced& t = traced_[i];
    if (t.overwrites.empty() || !t.results[0].own) return;
    const size_t to = block_of_[t.results[0].value];
    for (int v : t.overwrites) {
      auto it = block_of_.find(v);
      if (it == block_of_.end() || parts_.count(v)) continue;
      const size_t from = Find(it->second);
      if (!Follows(from, to, i) || from == to) continue;
      return TakeOver(from, to);
    }
  }

  // So may a compiled group.
  void OverwriteByGroup(size_t i) {
    const Instruction& ins = code_.instructions[i];
    std::unordered_set<size_t> taken;
    std::unordered_set<int> done;
    for (auto [o, in] : ins.fused->Overlays()) {
      auto result = layout_.values.find(ins.out[o].value);
      auto operand = block_of_.find(ins.in[in].value);
      if (result == layout_.values.end() || operand == block_of_.end() || parts_.count(operand->first) || done.count(o))
        continue;
      const size_t to = result->second, from = Find(operand->second);
      const auto reads = [&](const Instruction::Arg& a) {
        auto it = block_of_.find(a.value);
        return it != block_of_.end() && Find(it->second) == from;
      };
      if (std::count_if(ins.in.begin(), ins.in.end(), reads) != 1 || !Follows(from, to, i) || merged_[to] != to ||
          !taken.insert(from).second)
        continue;
      TakeOver(from, to);
      done.insert(o);
    }
  }

  Layout Finish() {
    layout_.place.resize(blocks_.size());
    for (size_t b = 0; b < blocks_.size(); ++b)
      if (Find(b) == b) {
        layout_.place[b] = layout_.blocks.size();
        layout_.blocks.push_back(blocks_[b]);
      }
    for (size_t b = 0; b < blocks_.size(); ++b) layout_.place[b] = layout_.place[Find(b)];
    layout_.least = LiveBytes(layout_.blocks);
    layout_.bytes = PlaceBlocks(layout_.blocks);
    return std::move(layout_);
  }

 private:
  size_t Add(size_t bytes, size_t from, size_t to) {
    merged_.push_back(blocks_.size());
    blocks_.push_back({bytes, from, to});
    return blocks_.size() - 1;
  }
  // The instruction after which a value is released.
  size_t LastOf(int v) const {
    auto it = last_.find(v);
    return it == last_.end() ? SIZE_MAX : it->second;
  }
  size_t Find(size_t b) const {
    while (merged_[b] != b) b = merged_[b];
    return b;
  }
  // Whether what is in a block dies with an instruction whose result fills it.
  bool Follows(size_t from, size_t to, size_t i) const {
    return blocks_[from].to == i && blocks_[from].bytes == blocks_[to].bytes;
  }
  void TakeOver(size_t from, size_t to) {
    blocks_[from].to = blocks_[to].to;
    merged_[to] = from;
  }

  const Code& code_;
  const std::vector<Traced>& traced_;
  Layout layout_;
  std::vector<Block> blocks_;
  std::vector<size_t> merged_;                // block -> the block whose memory it takes over
  std::unordered_map<int, size_t> last_;      // value -> the instruction after which it is released
  std::unordered_map<int, size_t> block_of_;  // of the value that owns the memory, and of its views
  std::unordered_set<int> parts_;             // views of a part
};

Binding::Layout Binding::PlanMemory(const Code& code) {
  const size_t count = code.instructions.size();
  Planner planner(code, traced_);
  for (size_t i = 0; i < count; ++i) {
    const Traced& t = traced_[i];
    planner.AddValues(i);
    const auto kind = code.instructions[i].kind;
    const bool plans = kind == Instruction::kOp || kind == Instruction::kFused;
    if (plans && (t.taken > t.workspace || std::any_of(t.results.begin(), t.results.end(), [&](const Result& r) {
                    return r.inside && !r.own && !t.frozen && r.bytes() > 0;
                  })))
      unplanned_.push_back(&code.instructions[i]);
    planner.AddWorkspace(i);
  }
  for (size_t i = 0; i < count; ++i) planner.OverwriteOperand(i);
  for (size_t i = 0; i < count && i < stable_; ++i)
    if (code.instructions[i].kind == Instruction::kFused && !traced_[i].apart) planner.OverwriteByGroup(i);
  Layout layout = planner.Finish();
  least_ = layout.least;
  return layout;
}

// What is the same at each run.
struct Binding::Kept {
  std::unordered_set<int> stays;  // what is put into the frame once
  std::unordered_map<int, char*> address;
  std::unordered_map<int, const void*> own;  // results that lie in the shared memory
  std::unordered_map<int, Tensor> fixed;
};

Binding::Kept Binding::MakeBuffers(const Code& code, const Layout& layout) {
  Kept kept;
  kept.fixed.insert(code.fixed.begin(), code.fixed.end());
  const auto stay = [&](int v, Tensor t) {
    buffers_.push_back({v, std::move(t)});
    kept.stays.insert(v);
  };
  for (const Traced& t : traced_)
    for (const Result& r : t.results) {
      if (!t.frozen) continue;
      kept.fixed.emplace(r.value, r.kept);
      stay(r.value, r.kept);
    }
  for (const Traced& t : traced_)
    for (const Result& r : t.results) {
      if (!r.own) continue;
      const Block& block = layout.at(layout.values.at(r.value));
      char* p = static_cast<char*>(arena_->data()) + block.offset;
      arena_->Retain();
      auto memory = phi::Storage::Wrap(p, block.bytes, phi::Place(), arena_.get(),
                                       [](void* a) { static_cast<phi::Storage*>(a)->Release(); });
      stay(r.value, Tensor(phi::TensorState::Dense(r.shape.dims, r.shape.dtype, std::move(memory))));
      kept.own[r.value] = buffers_.back().second.impl();
      kept.address[r.value] = p;
    }
  for (const Traced& t : traced_)
    for (auto& [v, shape] : t.shapes) stay(v, shape);
  return kept;
}

bool Binding::MakeLoop(const Traced& t, const Kept& kept, Step& s) {
  if (t.operand_values.empty()) return false;
  for (int k = 0; k < t.seen.nout; ++k)
    if (!kept.address.count(t.operand_values[k]) && !(t.results[k].leaves && t.seen.n < phi::kLongWork)) return false;
  std::vector<Tensor> spread(t.operand_values.size());
  for (size_t k = static_cast<size_t>(t.seen.nout); !t.seen.flat && k < spread.size(); ++k) {
    auto known = kept.fixed.find(t.operand_values[k]);
    if (known != kept.fixed.end() && known->second.numel() == 1 && t.seen.n <= kMostSpread)
      spread[k] = Spread(known->second, t.seen.n);
    else if (!t.whole[k])
      return false;
  }
  s.loop = t.seen.loop;
  s.n = t.seen.n;
  s.cost = static_cast<int16_t>(t.seen.cost);
  s.large = s.n * std::max<int>(s.cost, 1) >= (16 << 10);
  s.operands = static_cast<int8_t>(t.operand_values.size());
  for (int k = 0; k < s.operands; ++k) {
    const int v = t.operand_values[k];
    const Tensor& number = spread[static_cast<size_t>(k)];
    auto known = kept.address.find(v);
    s.sizes[k] = t.operand_sizes[k];
    if (number.defined()) {
      s.address[k] = static_cast<char*>(number.raw_data());
      spread_.push_back(number);
    } else if (known != kept.address.end()) {
      s.address[k] = known->second;
    } else if (k < t.seen.nout) {
      s.fresh.push_back({static_cast<int8_t>(k), {v, t.results[k].shape}});
    } else {
      s.move_values[s.moving] = v;
      s.moves[s.moving++] = static_cast<int8_t>(k);
    }
  }
  return true;
}

void Binding::Bind(const Code& code) {
  const Layout layout = PlanMemory(code);
  // What the first runs took is free again, but in blocks of other sizes.
  if (layout.bytes > (size_t{8} << 20)) phi::ReleaseCpuCache();
  if (layout.bytes) arena_ = phi::Storage::Allocate(layout.bytes, phi::Place());
  const Kept kept = MakeBuffers(code, layout);
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& ins = code.instructions[i];
    const Traced& t = traced_[i];
    if (t.frozen) continue;
    Step& s = steps.emplace_back();
    s.ins = &ins;
    s.shapes = !ins.shapes.empty() && t.shapes.empty();
    for (int v : ins.drops)
      if (!kept.stays.count(v)) s.drops.push_back(v);
    if (i < stable_ && MakeLoop(t, kept, s)) continue;
    if (auto it = layout.workspaces.find(i); it != layout.workspaces.end()) {
      s.workspace = static_cast<char*>(arena_->data()) + layout.at(it->second).offset;
      s.workspace_bytes = t.workspace;
    }
    for (const Result& r : t.results) {
      Expected& e = s.results.emplace_back(Expected{r.value, r.shape, nullptr});
      // Where a view that copied is none at a later run, the next copy must not go to the memory of its operand.
      if (r.own && ins.kind == Instruction::kOp && (ins.op->flags & phi::kOpView)) e.lies_in = kept.own.at(r.value);
    }
  }
  traced_.clear();
  traced_.shrink_to_fit();
  state = kBound;
  installed = false;
}

void Binding::Install(std::vector<Tensor>& values) {
  for (auto& [v, t] : buffers_) values[v] = t;
  installed = true;
}

}  // namespace executor
