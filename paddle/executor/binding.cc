// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/binding.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "paddle/phi/core/allocator.h"

namespace executor {
namespace {

constexpr int kMaxAttempts = 8;

bool IsDense(const Tensor& t) { return t.defined() && t->kind == phi::ImplKind::kDense && t->storage && t.place().is_cpu(); }

template <class F>
void ForEachInput(const Instruction& ins, F f) {
  for (auto& a : ins.in) {
    if (a.value >= 0) f(a.value);
    for (int v : a.list)
      if (v >= 0) f(v);
  }
}

// Whether a kernel could hand its arguments to somebody who keeps them.
bool LetsGo(const Instruction& ins) {
  if (ins.kind == Instruction::kFused) return false;
  if (ins.kind != Instruction::kOp) return ins.kind != Instruction::kAssert && ins.kind != Instruction::kHasElements;
  return (ins.op->flags & phi::kOpSideEffect) && !(ins.op->flags & phi::kOpRandom) && ins.inplace.empty();
}

// Whether the results' memory may be given in advance.
bool TakesMemory(const Instruction& ins) {
  if (ins.kind == Instruction::kFused) return true;
  return ins.kind == Instruction::kOp && !(ins.op->flags & (phi::kOpView | phi::kOpComposed | phi::kOpAllocates));
}

}  // namespace

Shape Shape::Of(const Tensor& t) {
  if (!IsDense(t)) return {};
  return {t.dtype(), t.is_contiguous(), t.dims()};
}

Tensor Shape::Without(const Tensor& t) {
  if (!IsDense(t)) return t;
  auto impl = phi::TensorImpl::Make();
  impl->dims = t.dims();
  impl->strides = t.strides();
  impl->numel = t.numel();
  impl->contiguous = t.is_contiguous();
  impl->dtype = t.dtype();
  impl->place = t.place();
  return Tensor(std::move(impl));
}

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
  entry.clear();
  steps.clear();
  traced_.clear();
  buffers_.clear();
  arena_.reset();
  installed = false;
  state = ++attempts_ > kMaxAttempts ? kOff : kNew;
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
        if (IsDense(values[in]) && values[in]->storage.get() == out->storage.get()) r.alias = in;
      });
      r.own = r.alias < 0 && !member && out.is_contiguous() && out->offset == 0 && out->storage->use_count() == 1;
    }
    t.results.push_back(std::move(r));
  };
  for (auto& a : ins.out) {
    if (!a.variadic) result(a.value, false);
    for (int v : a.list) result(v, true);
  }
  if (i < stable_ && std::all_of(ins.shapes.begin(), ins.shapes.end(), [&](auto& s) {
        return IsDense(values[s.first]) && values[s.first].is_contiguous();
      }))
    for (auto [v, shape] : ins.shapes) t.shapes.push_back({shape, values[shape]});
  const int n = seen.nout + seen.nin;
  if (ins.kind != Instruction::kOp || !(ins.op->flags & phi::kOpElementwise) || seen.calls != 1 || !seen.flat ||
      seen.nout != static_cast<int>(ins.out.size()) || n > Step::kMaxOperands)
    return;
  for (int k = 0; k < n; ++k) {
    const Tensor* p = seen.operands[k];
    if (p < values.data() || p >= values.data() + values.size()) return t.operand_values.clear();
    t.operand_sizes[k] = static_cast<int8_t>(phi::SizeOf(p->dtype()));
    t.operand_values.push_back(static_cast<int>(p - values.data()));
  }
  for (int k = 0; k < seen.nout; ++k)
    if (t.operand_values[k] != ins.out[k].value) return t.operand_values.clear();
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
  std::vector<int> seen_outside(code.yields);
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& ins = code.instructions[i];
    for (const Result& r : traced_[i].results)
      if (r.alias >= 0) root[r.value] = root_of(r.alias);
    if (!LetsGo(ins)) continue;
    ForEachInput(ins, [&](int v) { seen_outside.push_back(v); });
    for (auto& c : ins.regions) seen_outside.insert(seen_outside.end(), c->captured.begin(), c->captured.end());
  }
  for (int v : seen_outside) out.insert(root_of(v));
  for (size_t i = 0; i < code.instructions.size(); ++i)
    for (Result& r : traced_[i].results)
      r.own = r.own && i < stable_ && TakesMemory(code.instructions[i]) && !out.count(r.value);
  state = kTraced;
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
    if (r.own && values[r.value].impl() != r.offered) r.own = false;
  }
  return true;
}

void Binding::Bind(const Code& code) {
  const size_t count = code.instructions.size();
  std::unordered_map<int, size_t> block_of;  // of the value that owns the memory, and of its views
  std::vector<Block> blocks;
  std::vector<size_t> merged;  // block -> the block whose memory it takes over
  auto find = [&](size_t b) {
    while (merged[b] != b) b = merged[b];
    return b;
  };
  std::unordered_map<int, size_t> last;
  for (size_t i = 0; i < count; ++i)
    for (int v : code.instructions[i].drops) last[v] = i;
  auto last_of = [&](int v) {
    auto it = last.find(v);
    return it == last.end() ? count : it->second;
  };
  std::unordered_set<int> owned;
  for (size_t i = 0; i < count; ++i)
    for (const Result& r : traced_[i].results) {
      if (r.own) {
        owned.insert(r.value);
        block_of[r.value] = blocks.size();
        merged.push_back(blocks.size());
        blocks.push_back({static_cast<size_t>(common::Product(r.shape.dims) * phi::SizeOf(r.shape.dtype)), i, last_of(r.value)});
      } else if (auto it = block_of.find(r.alias); r.alias >= 0 && it != block_of.end()) {
        const size_t b = it->second;
        blocks[b].to = std::max(blocks[b].to, last_of(r.value));
        block_of[r.value] = b;
      }
    }
  // A flat loop may write over an operand that dies with it.
  for (size_t i = 0; i < count; ++i) {
    const Traced& t = traced_[i];
    if (t.operand_values.empty() || t.seen.nout != 1 || !owned.count(t.operand_values[0])) continue;
    const size_t to = block_of[t.operand_values[0]];
    for (int k = 1; k <= t.seen.nin; ++k) {
      const int v = t.operand_values[k];
      if (!owned.count(v)) continue;
      const size_t from = find(block_of[v]);
      if (blocks[from].to != i || blocks[from].bytes != blocks[to].bytes || from == to) continue;
      blocks[from].to = blocks[to].to;
      merged[to] = from;
      break;
    }
  }
  std::vector<Block> real;
  std::vector<size_t> place(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b)
    if (find(b) == b) {
      place[b] = real.size();
      real.push_back(blocks[b]);
    }
  const size_t bytes = PlaceBlocks(real);
  // What the first runs took is free again, but in blocks of other sizes.
  if (bytes > (size_t{8} << 20)) phi::ReleaseCpuCache();
  if (bytes) arena_ = phi::Storage::Allocate(bytes, phi::Place());
  std::unordered_map<int, char*> address;
  for (size_t i = 0; i < count; ++i)
    for (const Result& r : traced_[i].results) {
      if (!r.own) continue;
      const Block& b = real[place[find(block_of[r.value])]];
      char* p = static_cast<char*>(arena_->data()) + b.offset;
      arena_->Retain();
      auto impl = phi::TensorImpl::Make();
      impl->dims = r.shape.dims;
      impl->dtype = r.shape.dtype;
      impl->place = phi::Place();
      impl->SetContiguousStrides();
      impl->storage = phi::Storage::Wrap(p, b.bytes, phi::Place(), arena_.get(),
                                         [](void* a) { static_cast<phi::Storage*>(a)->Release(); });
      buffers_.push_back({r.value, Tensor(impl)});
      address[r.value] = p;
    }
  for (size_t i = 0; i < count; ++i)
    if (i < stable_)
      for (auto& [v, t] : traced_[i].shapes) {
        buffers_.push_back({v, t});
        owned.insert(v);
      }
  steps.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Instruction& ins = code.instructions[i];
    const Traced& t = traced_[i];
    Step& s = steps[i];
    s.ins = &ins;
    s.shapes = !ins.shapes.empty() && (i >= stable_ || t.shapes.empty());
    for (int v : ins.drops)
      if (!owned.count(v)) s.drops.push_back(v);
    bool loop = !t.operand_values.empty() && i < stable_;
    for (int k = 0; loop && k < t.seen.nout; ++k) loop = owned.count(t.operand_values[k]) != 0;
    if (loop) {
      s.loop = t.seen.loop;
      s.n = t.seen.n;
      s.cost = static_cast<int16_t>(t.seen.cost);
      s.large = s.n * std::max<int>(s.cost, 1) >= (16 << 10);
      s.operands = static_cast<int8_t>(t.operand_values.size());
      for (int k = 0; k < s.operands; ++k) {
        const int v = t.operand_values[k];
        auto known = address.find(v);
        s.sizes[k] = t.operand_sizes[k];
        if (known != address.end()) {
          s.address[k] = known->second;
        } else {
          s.move_values[s.moving] = v;
          s.moves[s.moving++] = static_cast<int8_t>(k);
        }
      }
    } else {
      for (const Result& r : t.results) s.results.push_back({r.value, r.shape});
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
