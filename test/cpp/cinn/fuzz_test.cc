// SPDX-License-Identifier: Apache-2.0
// Random groups whose result is exact by definition, compiled and interpreted: every bit must agree, NaN and infinities
// included. CINN_FUZZ in the environment sets how many (default 200), CINN_FUZZ_SEED the first seed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "paddle/cinn/compiler.h"
#include "paddle/cinn/ir/interp.h"

namespace cinn {
namespace {

constexpr DataType kTypes[] = {DataType::BOOL,  DataType::UINT8,   DataType::INT8,     DataType::INT16,   DataType::INT32,
                               DataType::INT64, DataType::FLOAT16, DataType::BFLOAT16, DataType::FLOAT32, DataType::FLOAT64};

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
      g.reduce_begin = Below(g.rank);
      g.reduce_end = g.reduce_begin + 1 + Below(g.rank - g.reduce_begin);
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
      g.inputs.push_back(in);
    }
    g_ = &g;
    const int nred = g.reduce_end > g.reduce_begin ? 1 + Below(2) : 0;
    for (int j = 0; j < nred; ++j) {
      Expr e = Value(4, false);
      const bool flt = phi::IsFloating(e.dtype());
      const ReduceKind kinds[] = {ReduceKind::kMax, ReduceKind::kMin, ReduceKind::kAny, ReduceKind::kAll, ReduceKind::kSum, ReduceKind::kProd};
      const ReduceKind k = kinds[Below(flt ? 4 : 6)];
      if (k == ReduceKind::kAny || k == ReduceKind::kAll) e = cast(e, DataType::BOOL);
      if (flt && (k == ReduceKind::kMax || k == ReduceKind::kMin)) e = e + 0.0;  // which of 0 and -0 wins depends on the order
      g.reductions.push_back({k, e});
    }
    const int nout = 1 + Below(3);
    for (int o = 0; o < nout; ++o) {
      const bool reduced = nred && Below(2);
      g.outputs.push_back({Value(5, reduced), AnyType(), reduced});
    }
    return g;
  }

  Expr Leaf(bool reduced) {
    for (int tries = 0; tries < 8; ++tries) {
      const int pick = Below(10);
      if (pick < 6) {
        const int k = Below(static_cast<int>(g_->inputs.size()));
        const GroupInput& in = g_->inputs[k];
        bool ok = true;
        for (int a = g_->reduce_begin; a < g_->reduce_end && reduced; ++a) ok &= !(in.real.empty() || in.real[a]);
        if (ok) return Expr::Input(k, in.dtype);
      } else if (pick < 8 && !g_->reductions.empty()) {
        const int j = Below(static_cast<int>(g_->reductions.size()));
        return Expr::Reduced(j, ReducedType(g_->reductions[j]));
      } else if (pick == 8 && g_->rank) {
        const int a = Below(g_->rank);
        if (Below(2)) return Expr::Extent(a);
        if (!reduced || a < g_->reduce_begin || a >= g_->reduce_end) return Expr::Index(a);
      } else {
        break;
      }
    }
    return Below(2) ? Expr::Float(Below(9) * 0.5 - 2, DataType::FLOAT32) : Expr::Int(Below(9) - 4, DataType::INT32);
  }

  Expr Integer(const Expr& e) { return phi::IsFloating(e.dtype()) ? cast(e, Below(2) ? DataType::INT32 : DataType::INT64) : e; }

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

TEST(Fuzz, ExactGroupsAgreeBitForBit) {
  const char* count = std::getenv("CINN_FUZZ");
  const char* first = std::getenv("CINN_FUZZ_SEED");
  const unsigned n = count ? static_cast<unsigned>(std::atoi(count)) : 200, seed0 = first ? static_cast<unsigned>(std::atoi(first)) : 1;
  int failures = 0;
  for (unsigned seed = seed0; seed < seed0 + n && failures < 3; ++seed) {
    Generator gen(seed);
    std::vector<int64_t> dims;
    const FusionGroup g = gen.Group(dims);
    std::vector<std::vector<char>> in, got, want;
    std::vector<void*> pin, pgot, pwant;
    for (const GroupInput& i : g.inputs) {
      int64_t size = 1;
      for (int a = 0; a < g.rank; ++a)
        if (i.real.empty() || i.real[a]) size *= dims[a];
      in.emplace_back(size * phi::SizeOf(i.dtype) + 1);
      for (int64_t k = 0; k < size; ++k) StoreElement(in.back().data(), k, i.dtype, gen.Random(i.dtype));
    }
    std::vector<int64_t> sizes;
    for (const GroupOutput& o : g.outputs) {
      int64_t size = 1;
      for (int a = 0; a < g.rank; ++a)
        if (!o.reduced || a < g.reduce_begin || a >= g.reduce_end) size *= dims[a];
      sizes.push_back(size);
      got.emplace_back(size * phi::SizeOf(o.dtype) + 64, 0x33);
      want.emplace_back(size * phi::SizeOf(o.dtype) + 64, 0x33);
    }
    for (auto& b : in) pin.push_back(b.data());
    for (auto& b : got) pgot.push_back(b.data());
    for (auto& b : want) pwant.push_back(b.data());
    auto kernel = Compile(g);
    kernel->Run(pin.data(), pgot.data(), dims.data());
    Interpret(g, pin.data(), pwant.data(), dims.data());
    for (size_t o = 0; o < g.outputs.size(); ++o) {
      const DataType t = g.outputs[o].dtype;
      int64_t bad = -1;
      for (int64_t k = 0; k < sizes[o] && bad < 0; ++k) {
        const Number x = LoadElement(pgot[o], k, t), y = LoadElement(pwant[o], k, t);
        const bool same = phi::IsFloating(t) ? std::memcmp(&x.f, &y.f, 8) == 0 || (std::isnan(x.f) && std::isnan(y.f)) : x.i == y.i;
        if (!same) bad = k;
      }
      const bool wrote_past = std::memcmp(got[o].data() + got[o].size() - 64, want[o].data() + want[o].size() - 64, 64) != 0;
      if (bad < 0 && !wrote_past) continue;
      ++failures;
      std::string shape;
      for (int64_t d : dims) shape += std::to_string(d) + " ";
      const Number x = LoadElement(pgot[o], std::max<int64_t>(bad, 0), t), y = LoadElement(pwant[o], std::max<int64_t>(bad, 0), t);
      ADD_FAILURE() << "seed " << seed << " shape " << shape << "output " << o << " element " << bad << ": expected " << y.f << " / " << y.i
                    << ", got " << x.f << " / " << x.i << (wrote_past ? ", wrote past the end" : "") << "\n" << ToString(g) << kernel->Explain();
      break;
    }
  }
}

}  // namespace
}  // namespace cinn
