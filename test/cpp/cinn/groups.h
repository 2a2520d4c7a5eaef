// SPDX-License-Identifier: Apache-2.0
// What tests of generated code share: groups, by hand and at random, and their data with the interpreter's results.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "paddle/cinn/ir/group.h"
#include "paddle/cinn/ir/interp.h"

namespace cinn::testing {

inline Expr In(int i, DataType t = DataType::FLOAT32) { return Expr::Input(i, t); }
inline const GroupInput kF32{DataType::FLOAT32, {}, {}};

inline FusionGroup Elementwise(int rank, std::vector<GroupInput> in, Expr value, DataType out = DataType::FLOAT32) {
  FusionGroup g;
  g.rank = rank;
  g.inputs = std::move(in);
  g.outputs = {{value, out, false}};
  return g;
}

inline FusionGroup Reduce(int rank, int rb, int re, std::vector<GroupInput> in, ReduceKind k, Expr v,
                          DataType out = DataType::FLOAT32) {
  FusionGroup g;
  g.rank = rank;
  g.reduced = AxisSet::Range(rb, re);
  g.inputs = std::move(in);
  g.reductions = {{k, v}};
  g.outputs = {{Expr::Reduced(0, ReducedType(g.reductions[0])), out, true}};
  return g;
}

// Over the last axis of two.
inline FusionGroup Softmax() {
  FusionGroup g;
  g.rank = 2;
  g.reduced.add(1);
  g.inputs = {kF32};
  const Expr e = exp(In(0) - Expr::Reduced(0, DataType::FLOAT32));
  g.reductions = {{ReduceKind::kMax, In(0)}, {ReduceKind::kSum, e}};
  g.outputs = {{e / Expr::Reduced(1, DataType::FLOAT32), DataType::FLOAT32, false}};
  return g;
}

// Over the last axis of three, bfloat16 with a float32 weight; also stores the inverse root.
inline FusionGroup RmsNorm() {
  FusionGroup g;
  g.rank = 3;
  g.reduced.add(2);
  const DataType h = DataType::BFLOAT16;
  g.inputs = {{h, {}, {}}, {DataType::FLOAT32, {false, false, true}, {}}};
  g.reductions = {{ReduceKind::kMean, In(0, h) * In(0, h)}};
  const Expr inv = rsqrt(Expr::Reduced(0, DataType::FLOAT32) + 1e-6);
  g.outputs = {{In(0, h) * inv * In(1), h, false}, {inv, DataType::FLOAT32, true}};
  return g;
}

inline constexpr int64_t kFurther = 3;  // the largest offset of an input

inline double Ulp(double want, DataType t) {
  if (t == DataType::FLOAT64) return std::max(std::nextafter(std::fabs(want), INFINITY) - std::fabs(want), 0x1p-1074);
  const float w = static_cast<float>(std::fabs(want));
  if (t == DataType::FLOAT32) return std::max(std::nextafter(w, INFINITY) - w, 0x1p-149f);
  int e;
  std::frexp(w, &e);
  return std::ldexp(1.0, e - (t == DataType::FLOAT16 ? 11 : 8));
}

// Where the elements of a group's tensors are: strides as for Interpret, and how many elements each buffer has.
struct Memory {
  std::vector<int64_t> sizes, strides;
};

// Buffers of a group at given extents: inputs, `got` for the code under test and `want` from the interpreter.
class GroupData {
 public:
  // Without `memory`, all tensors are whole.
  GroupData(const FusionGroup& g, std::vector<int64_t> extents, const std::function<Number(DataType)>& draw,
            const Memory& memory = {})
      : group(g), dims(std::move(extents)) {
    size_t next = 0;
    auto size = [&](int64_t whole) { return memory.sizes.empty() ? whole : memory.sizes[next++]; };
    for (const GroupInput& i : g.inputs) {
      const int64_t n = size(Elements([&](int a) { return i.real.empty() || i.real[static_cast<size_t>(a)]; }) +
                             (i.offset.defined() ? kFurther : 0));
      in_.emplace_back(static_cast<size_t>(n * phi::SizeOf(i.dtype)) + 1);
      for (int64_t k = 0; k < n; ++k) StoreElement(in_.back().data(), k, i.dtype, draw(i.dtype));
    }
    for (const GroupOutput& o : g.outputs) {
      sizes_.push_back(size(Elements([&](int a) { return !o.reduced || !g.reduced.has(a); })));
      for (auto* buffers : {&got_, &want_})
        buffers->emplace_back(static_cast<size_t>(sizes_.back() * phi::SizeOf(o.dtype)) + kGuard, 0x5a);
    }
    for (auto& b : in_) inputs.push_back(b.data());
    for (auto& b : got_) outputs.push_back(b.data());
    std::vector<void*> want;
    for (auto& b : want_) want.push_back(b.data());
    Interpret(g, inputs.data(), want.data(), dims.data(), memory.strides.empty() ? nullptr : memory.strides.data());
  }

  // The first element that is further than `ulps` units in the last place from the interpreter's (0: may differ in the
  // sign of a zero; below 0: in no bit), or a write past the end; empty: none.
  std::string Difference(double ulps) const {
    for (size_t o = 0; o < sizes_.size(); ++o) {
      const DataType t = group.outputs[o].dtype;
      const std::string where = "shape " + Shape() + "output " + std::to_string(o);
      const size_t end = got_[o].size() - kGuard;
      if (std::memcmp(got_[o].data() + end, want_[o].data() + end, kGuard) != 0) return where + ": wrote past the end";
      for (int64_t i = 0; i < sizes_[o]; ++i) {
        const Number a = LoadElement(got_[o].data(), i, t), w = LoadElement(want_[o].data(), i, t);
        bool ok;
        if (!phi::IsFloating(t))
          ok = a.i == w.i;
        else if (std::isnan(w.f) || std::isnan(a.f))
          ok = std::isnan(w.f) && std::isnan(a.f);
        else if (ulps < 0)
          ok = std::memcmp(&a.f, &w.f, sizeof(a.f)) == 0;
        else
          ok = a.f == w.f || std::fabs(a.f - w.f) <= ulps * Ulp(w.f, t);
        if (ok) continue;
        const bool flt = phi::IsFloating(t);
        return where + " element " + std::to_string(i) + ": expected " +
               (flt ? std::to_string(w.f) : std::to_string(w.i)) + ", got " +
               (flt ? std::to_string(a.f) : std::to_string(a.i)) + " (" +
               std::to_string(std::fabs(a.f - w.f) / Ulp(w.f, t)) + " ulp)";
      }
    }
    return {};
  }

  const FusionGroup group;
  const std::vector<int64_t> dims;
  std::vector<void*> inputs, outputs;

 private:
  static constexpr size_t kGuard = 64;
  int64_t Elements(const std::function<bool(int)>& has) const {
    int64_t n = 1;
    for (int a = 0; a < group.rank; ++a)
      if (has(a)) n *= dims[static_cast<size_t>(a)];
    return n;
  }
  std::string Shape() const {
    std::string s;
    for (int64_t d : dims) s += std::to_string(d) + " ";
    return s;
  }
  std::vector<std::vector<char>> in_, got_, want_;
  std::vector<int64_t> sizes_;
};

// Numbers around 0; with `special`, NaN, infinities, zeros and subnormals among them.
inline std::function<Number(DataType)> Draw(unsigned seed, bool special) {
  return [rng = std::mt19937(seed), normal = std::normal_distribution<double>(0, 2),
          special](DataType t) mutable -> Number {
    double v = normal(rng);
    if (special && rng() % 13 == 0) {
      const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 1e-40, 100, -100};
      v = odd[rng() % 10];
    }
    if (!phi::IsFloating(t)) return {DataType::INT64, 0, static_cast<int64_t>(std::isfinite(v) ? v * 3 : 0)};
    return {DataType::FLOAT64, v, 0};
  };
}

inline constexpr DataType kTypes[] = {DataType::BOOL,    DataType::UINT8,  DataType::INT8,    DataType::INT16,
                                      DataType::INT32,   DataType::INT64,  DataType::FLOAT16, DataType::BFLOAT16,
                                      DataType::FLOAT32, DataType::FLOAT64};

// Groups whose result is exact by definition.
class Generator {
 public:
  explicit Generator(unsigned seed) : rng_(seed) {}
  int Below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  DataType AnyType() { return Below(3) ? DataType::FLOAT32 : kTypes[Below(10)]; }

  FusionGroup Group(std::vector<int64_t>& dims) {
    FusionGroup g;
    g.rank = Below(5);
    constexpr int64_t kExtents[] = {1, 2, 3, 5, 7, 16, 17, 33, 70};
    for (int a = 0; a < g.rank; ++a) dims.push_back(kExtents[Below(g.rank > 2 ? 6 : 9)]);
    if (Below(40) == 0 && g.rank) dims[Below(g.rank)] = 0;
    if (g.rank && Below(2)) {
      const int begin = Below(g.rank);
      g.reduced = AxisSet::Range(begin, begin + 1 + Below(g.rank - begin));
      if (Below(3) == 0) g.reduced.add(Below(g.rank));
    }
    const int nin = 1 + Below(4);
    for (int k = 0; k < nin; ++k) {
      GroupInput in;
      in.dtype = AnyType();
      if (Below(2)) {
        for (int a = 0; a < g.rank; ++a) in.real.push_back(Below(3) != 0);
        if (Below(3) == 0) {
          for (int a = 0; a < g.rank; ++a)
            if (in.real[a]) in.order.push_back(a);
          std::shuffle(in.order.begin(), in.order.end(), rng_);
        }
      }
      if (g.rank && Below(5) == 0) Mask(in, g);
      if (k > 0 && Below(8) == 0 && !phi::IsFloating(g.inputs[0].dtype)) {
        const Expr by = abs(cast(Expr::Input(0, g.inputs[0].dtype), DataType::INT64));
        in.offset = by - by / (kFurther + 1) * (kFurther + 1);
      }
      g.inputs.push_back(in);
    }
    g_ = &g;
    const int nred = !g.reduced.empty() ? 1 + Below(2) : 0;
    for (int j = 0; j < nred; ++j) {
      Expr e = Value(4, false);
      const bool flt = phi::IsFloating(e.dtype());
      const ReduceKind kinds[] = {ReduceKind::kMax, ReduceKind::kMin, ReduceKind::kAny,
                                  ReduceKind::kAll, ReduceKind::kSum, ReduceKind::kProd};
      const ReduceKind k = kinds[Below(flt ? 4 : 6)];
      if (k == ReduceKind::kAny || k == ReduceKind::kAll) e = cast(e, DataType::BOOL);
      if (flt && (k == ReduceKind::kMax || k == ReduceKind::kMin))
        e = e + 0.0;  // which of 0 and -0 wins depends on the order
      g.reductions.push_back({k, e});
    }
    const int nout = 1 + Below(3);
    for (int o = 0; o < nout; ++o) {
      const bool reduced = nred && Below(2);
      g.outputs.push_back({Value(5, reduced), AnyType(), reduced, {}, true});
    }
    return g;
  }

  void Mask(GroupInput& in, const FusionGroup& g) {
    const int a = Below(g.rank);
    if (g.reduced.has(a)) return;
    const Expr at = Expr::Index(a), bound = Expr::Int(Below(5), DataType::INT64);
    in.mask = Below(2) ? at >= bound : at < bound;
  }

  // Makes some of the tensors parts of larger ones.
  Memory Parts(FusionGroup& g, const std::vector<int64_t>& dims) {
    Memory m;
    const bool some = Below(3) == 0;
    for (GroupInput& in : g.inputs) {
      std::vector<int> order = in.order;
      for (int a = 0; a < g.rank && in.order.empty(); ++a)
        if (in.real.empty() || in.real[a]) order.push_back(a);
      m.sizes.push_back(Part(in, order, dims, !some || Below(2), m.strides) + (in.offset.defined() ? kFurther : 0));
    }
    for (GroupOutput& out : g.outputs) {
      std::vector<int> order;
      for (int a = 0; a < g.rank; ++a)
        if (!out.reduced || !g.reduced.has(a)) order.push_back(a);
      m.sizes.push_back(Part(out, order, dims, !some || out.reduced || Below(2), m.strides));
    }
    return m;
  }

  // Strides of a tensor that has the elements along `order` as a part of it; returns how many elements it has.
  template <class T>
  int64_t Part(T& t, const std::vector<int>& order, const std::vector<int64_t>& dims, bool whole,
               std::vector<int64_t>& strides) {
    std::vector<int64_t> own(dims.size(), 0);
    std::vector<bool> cut(dims.size(), false);
    int64_t inner = 1;
    bool dense = true, any = false;
    for (size_t k = order.size(); k-- > 0;) {
      const int a = order[k];
      const int64_t step = whole || Below(4) ? 1 : 2, more = whole || Below(3) ? 0 : Below(3);
      own[a] = inner * step;
      const bool follows = dense && step == 1;
      if (k + 1 == order.size())
        t.unit = follows;
      else
        cut[a] = !follows;
      any |= cut[a];
      dense = step == 1 && more == 0;
      inner *= std::max<int64_t>(dims[a] * step + more, 1);
    }
    if (any) t.cut = cut;
    strides.insert(strides.end(), own.begin(), own.end());
    return inner;
  }

  Expr Leaf(bool reduced) {
    for (int tries = 0; tries < 8; ++tries) {
      const int pick = Below(10);
      if (pick < 6) {
        const int k = Below(static_cast<int>(g_->inputs.size()));
        const GroupInput& in = g_->inputs[k];
        bool ok = true;
        for (int a = 0; a < g_->rank && reduced; ++a) ok &= !g_->reduced.has(a) || !(in.real.empty() || in.real[a]);
        ok &= !reduced || !in.offset.defined();
        if (ok) return Expr::Input(k, in.dtype);
      } else if (pick < 8 && !g_->reductions.empty()) {
        const int j = Below(static_cast<int>(g_->reductions.size()));
        return Expr::Reduced(j, ReducedType(g_->reductions[j]));
      } else if (pick == 8 && g_->rank) {
        const int a = Below(g_->rank);
        if (Below(2)) return Expr::Extent(a);
        if (!reduced || !g_->reduced.has(a)) return Expr::Index(a);
      } else {
        break;
      }
    }
    return Below(2) ? Expr::Float(Below(9) * 0.5 - 2, DataType::FLOAT32) : Expr::Int(Below(9) - 4, DataType::INT32);
  }

  Expr Integer(const Expr& e) {
    return phi::IsFloating(e.dtype()) ? cast(e, Below(2) ? DataType::INT32 : DataType::INT64) : e;
  }

  Expr Value(int depth, bool reduced) {
    if (depth == 0 || Below(6) == 0) return Leaf(reduced);
    const Expr a = Value(depth - 1, reduced);
    switch (Below(24)) {
      case 0: return -a;
      case 1: return abs(a);
      case 2: return sqrt(a);
      case 3: return floor(a);
      case 4: return sign(a);
      case 5: return cast(a, kTypes[Below(10)]);
      case 6: return isnan(a) | isinf(a);
      case 7: return logical_not(a);
      case 8: return round(a) + ceil(a) * trunc(a);
      default: break;
    }
    const Expr b = Value(depth - 1, reduced);
    switch (Below(14)) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * b;
      case 3: return a / b;
      case 4: return maximum(a, b);
      case 5: return minimum(a, b);
      case 6: return select(a > b, a, b);
      case 7: return select(a == b, 1, Value(depth - 1, reduced));
      case 8: return floor_divide(Integer(a), Integer(b));
      case 9: return mod(Integer(a), Integer(b));
      case 10: return Integer(a) & Integer(b);
      case 11: return Integer(a) ^ ~Integer(b);
      case 12: return fmax(a, fmin(b, a));
      default: return (a <= b) & (b != a);
    }
  }

  Number Random(DataType t) {
    if (!phi::IsFloating(t)) return {DataType::INT64, 0, static_cast<int64_t>(rng_() % 300) - 150};
    const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 1e30, -3e38, 1e-40, 65504, 0.5};
    if (Below(6) == 0) return {DataType::FLOAT64, odd[Below(12)], 0};
    return {DataType::FLOAT64, std::normal_distribution<double>(0, 3)(rng_), 0};
  }

 private:
  std::mt19937 rng_;
  const FusionGroup* g_ = nullptr;
};

}  // namespace cinn::testing
