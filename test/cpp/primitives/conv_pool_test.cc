// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling against loops written from their definitions, over many small descriptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/conv.h"
#include "paddle/phi/backends/cpu/pool.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi::cpu {
namespace {

std::mt19937 g_rng(7);
int64_t Pick(int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(g_rng); }

std::vector<double> Random(int64_t n) {
  std::vector<double> v(static_cast<size_t>(n));
  for (double& x : v) x = static_cast<double>(Pick(-64, 64)) / 32;  // exact in every type
  return v;
}

// The stored form of values in type t; complex types get an imaginary part from `imag`.
std::vector<char> Store(DataType t, const std::vector<double>& v) {
  std::vector<char> s(v.size() * SizeOf(t) + 1);
  Convert(DataType::FLOAT64, v.data(), 1, t, s.data(), 1, static_cast<int64_t>(v.size()));
  return s;
}
std::vector<double> Load(DataType t, const std::vector<char>& s) {
  std::vector<double> v(s.size() / SizeOf(t));
  Convert(t, s.data(), 1, DataType::FLOAT64, v.data(), 1, static_cast<int64_t>(v.size()));
  return v;
}
double Tolerance(DataType t) {
  switch (t) {
    case DataType::FLOAT64:
    case DataType::COMPLEX128: return 1e-12;
    case DataType::BFLOAT16: return 1e-2;
    case DataType::FLOAT16: return 2e-3;
    default: return 1e-5;
  }
}
void Near(DataType t, const std::vector<double>& want, const std::vector<char>& stored, const char* what) {
  const std::vector<double> got = Load(t, stored);
  ASSERT_EQ(got.size(), want.size()) << what;
  double scale = 1;
  for (double v : want) scale = std::max(scale, std::fabs(v));
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << what << " at " << i;
      continue;
    }
    ASSERT_NEAR(got[i], want[i], Tolerance(t) * scale) << what << " at " << i << " of " << NameOf(t);
  }
}

int64_t Volume(const int64_t* v) { return v[0] * v[1] * v[2]; }

// Index of element (n, c, position) in either order.
int64_t At(bool last, int64_t channels, int64_t positions, int64_t n, int64_t c, int64_t p) {
  return last ? (n * positions + p) * channels + c : (n * channels + c) * positions + p;
}

struct alignas(64) CacheLine {
  char bytes[64];
};

// Calls in a workspace of the bytes that are declared, which the call takes and no more.
template <class F>
void InDeclared(int64_t bytes, const F& call) {
  std::vector<CacheLine> memory(bytes / 64 + 1);
  const Workspace lent(memory.data(), bytes);
  call();
  EXPECT_EQ(lent.most(), bytes);
}

// f(x index, w index, y index) for every product of the convolution. Unused dims of the description are 1.
template <class F>
void EachProduct(const ConvDesc& d, const F& f) {
  const int64_t icg = d.ic / d.groups, ocg = d.oc / d.groups;
  for (int64_t n = 0; n < d.n; ++n)
    for (int64_t oc = 0; oc < d.oc; ++oc)
      for (int64_t o = 0; o < Volume(d.out); ++o)
        for (int64_t ic = 0; ic < icg; ++ic)
          for (int64_t k = 0; k < Volume(d.k); ++k) {
            const int64_t oo[3] = {o / (d.out[1] * d.out[2]), o / d.out[2] % d.out[1], o % d.out[2]};
            const int64_t kk[3] = {k / (d.k[1] * d.k[2]), k / d.k[2] % d.k[1], k % d.k[2]};
            int64_t at = 0;
            bool inside = true;
            for (int i = 0; i < 3; ++i) {
              const int64_t p = oo[i] * d.stride[i] + kk[i] * d.dilation[i] - d.pad_lo[i];
              inside = inside && p >= 0 && p < d.in[i];
              at = at * d.in[i] + p;
            }
            if (!inside) continue;
            f(At(d.channels_last, d.ic, Volume(d.in), n, oc / ocg * icg + ic, at), (oc * icg + ic) * Volume(d.k) + k,
              At(d.channels_last, d.oc, Volume(d.out), n, oc, o));
          }
}

// The reference works on three dims; the description under test drops the leading ones of extent 1.
ConvDesc Drop(const ConvDesc& d, int nd) {
  ConvDesc e = d;
  e.nd = nd;
  for (int i = 0; i < nd; ++i) {
    const int j = 3 - nd + i;
    e.in[i] = d.in[j], e.k[i] = d.k[j], e.out[i] = d.out[j], e.stride[i] = d.stride[j];
    e.dilation[i] = d.dilation[j], e.pad_lo[i] = d.pad_lo[j], e.pad_hi[i] = d.pad_hi[j];
  }
  return e;
}

ConvDesc RandomConv(int nd) {
  ConvDesc d;
  d.nd = 3;
  for (;;) {
    d.groups = Pick(0, 3) == 0 ? Pick(2, 4) : 1;
    d.n = Pick(1, 3);
    d.ic = d.groups * Pick(1, Pick(0, 3) == 0 ? 20 : 4);
    d.oc = d.groups * Pick(1, Pick(0, 3) == 0 ? 20 : 4);
    d.channels_last = Pick(0, 1) == 1;
    bool ok = true;
    for (int i = 0; i < 3; ++i) {
      const bool used = i >= 3 - nd;
      d.in[i] = used ? Pick(1, nd == 3 ? 6 : 12) : 1;
      d.k[i] = used ? Pick(1, 4) : 1;
      d.stride[i] = used ? Pick(1, 3) : 1;
      d.dilation[i] = used ? Pick(1, 2) : 1;
      d.pad_lo[i] = used ? Pick(0, 3) : 0;
      d.pad_hi[i] = used ? Pick(0, 3) : 0;
      d.out[i] = ConvOutSize(d.in[i], d.k[i], d.stride[i], d.dilation[i], d.pad_lo[i], d.pad_hi[i]);
      ok = ok && d.out[i] > 0;
    }
    if (ok) return d;
  }
}

std::string Text(const ConvDesc& d) {
  std::ostringstream s;
  s << "n " << d.n << " ic " << d.ic << " oc " << d.oc << " groups " << d.groups << " last " << d.channels_last;
  for (int i = 0; i < 3; ++i)
    s << " [in " << d.in[i] << " k " << d.k[i] << " s " << d.stride[i] << " d " << d.dilation[i] << " p " << d.pad_lo[i]
      << "," << d.pad_hi[i] << " out " << d.out[i] << "]";
  return s.str();
}

void CheckConv(DataType t, const ConvDesc& d, int nd) {
  SCOPED_TRACE(Text(d));
  const ConvDesc e = Drop(d, nd);
  const int64_t nx = d.n * d.ic * Volume(d.in), ny = d.n * d.oc * Volume(d.out);
  const int64_t nw = d.oc * (d.ic / d.groups) * Volume(d.k);
  const auto x = Random(nx), w = Random(nw), y = Random(ny), b = Random(d.oc), bt = Random(d.ic);
  const auto sx = Store(t, x), sw = Store(t, w), sy = Store(t, y), sb = Store(t, b), sbt = Store(t, bt);
  std::vector<double> fwd(ny), fwd0(ny), gx(nx), gw(nw), gb(d.oc), tr(nx);
  EachProduct(d, [&](int64_t i, int64_t k, int64_t o) {
    fwd[o] += x[i] * w[k];
    gx[i] += y[o] * w[k];
    gw[k] += x[i] * y[o];
  });
  fwd0 = fwd;
  tr = gx;
  for (int64_t n = 0; n < d.n; ++n) {
    for (int64_t c = 0; c < d.oc; ++c)
      for (int64_t p = 0; p < Volume(d.out); ++p) {
        const int64_t at = At(d.channels_last, d.oc, Volume(d.out), n, c, p);
        fwd[at] += b[c];
        gb[c] += y[at];
      }
    for (int64_t c = 0; c < d.ic; ++c)
      for (int64_t p = 0; p < Volume(d.in); ++p) {
        const int64_t at = At(d.channels_last, d.ic, Volume(d.in), n, c, p);
        tr[at] += bt[c];
      }
  }
  const std::vector<char> junk = Store(t, Random(std::max({nx, ny, nw, d.oc, d.ic})));
  auto blank = [&](int64_t n) { return std::vector<char>(junk.begin(), junk.begin() + n * SizeOf(t)); };
  auto lent = [&](ConvUse use, bool bias, auto call) { InDeclared(ConvScratch(use, t, e, {}, bias), call); };
  auto oy = blank(ny), ox = blank(nx), ow = blank(nw), ob = blank(d.oc);
  lent(ConvUse::kForward, true, [&] { ConvForward(t, e, sx.data(), sw.data(), sb.data(), oy.data()); });
  Near(t, fwd, oy, "forward with bias");
  lent(ConvUse::kForward, false, [&] { ConvForward(t, e, sx.data(), sw.data(), nullptr, oy.data()); });
  Near(t, fwd0, oy, "forward");
  lent(ConvUse::kGradInput, false, [&] { ConvGradInput(t, e, sy.data(), sw.data(), ox.data()); });
  Near(t, gx, ox, "input gradient");
  lent(ConvUse::kGradWeight, true, [&] { ConvGradWeight(t, e, sx.data(), sy.data(), ow.data(), ob.data()); });
  Near(t, gw, ow, "weight gradient");
  Near(t, gb, ob, "bias gradient");
  ow = blank(nw), ob = blank(d.oc);
  lent(ConvUse::kGradWeight, false, [&] { ConvGradWeight(t, e, sx.data(), sy.data(), ow.data(), nullptr); });
  Near(t, gw, ow, "weight gradient alone");
  ConvGradWeight(t, e, sx.data(), sy.data(), nullptr, ob.data());
  Near(t, gb, ob, "bias gradient alone");

  lent(ConvUse::kTranspose, false, [&] { ConvTransposeForward(t, e, sy.data(), sw.data(), nullptr, ox.data()); });
  Near(t, gx, ox, "transposed forward without a bias");
  ConvTransposeForward(t, e, sy.data(), sw.data(), sbt.data(), ox.data());
  Near(t, tr, ox, "transposed forward");
}

class ConvTypes : public ::testing::TestWithParam<DataType> {};

TEST_P(ConvTypes, RandomDescriptions) {
  for (int nd = 1; nd <= 3; ++nd)
    for (int i = 0; i < 25; ++i) {
      CheckConv(GetParam(), RandomConv(nd), nd);
      if (HasFatalFailure()) return;
    }
}

TEST_P(ConvTypes, TapsThatMeetPaddingAlone) {
  for (const bool last : {false, true}) {
    ConvDesc d;
    d.nd = 3;
    d.n = 1, d.ic = 9, d.oc = 3, d.channels_last = last;
    for (int i = 0; i < 3; ++i) d.in[i] = d.k[i] = d.out[i] = 1;
    d.in[2] = 2, d.k[2] = 4, d.stride[2] = 3, d.pad_lo[2] = d.pad_hi[2] = 3, d.out[2] = 2;
    for (int round = 0; round < 20; ++round) CheckConv(GetParam(), d, 1);
  }
}

ConvDesc Plain(int64_t n, int64_t ic, int64_t oc, int64_t in, int64_t k, int64_t s, int64_t p, int64_t groups) {
  ConvDesc d;
  d.nd = 3;
  d.n = n, d.ic = ic, d.oc = oc, d.groups = groups;
  for (int i = 1; i < 3; ++i) {
    d.in[i] = in, d.k[i] = k, d.stride[i] = s, d.pad_lo[i] = d.pad_hi[i] = p;
    d.out[i] = ConvOutSize(in, k, s, 1, p, p);
  }
  return d;
}

TEST_P(ConvTypes, NetworkShapes) {
  for (bool last : {false, true})
    for (ConvDesc d :
         {Plain(5, 1, 6, 28, 3, 1, 1, 1), Plain(5, 6, 16, 14, 5, 1, 0, 1), Plain(2, 3, 32, 23, 7, 2, 3, 1),
          Plain(2, 32, 32, 7, 3, 1, 1, 1), Plain(2, 32, 48, 9, 1, 2, 0, 1), Plain(2, 32, 32, 9, 3, 1, 1, 32),
          Plain(1, 16, 32, 9, 3, 2, 1, 4), Plain(3, 32, 20, 1, 1, 1, 0, 1)}) {
      d.channels_last = last;
      CheckConv(GetParam(), d, 2);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, ConvTypes,
                         ::testing::Values(DataType::FLOAT32, DataType::FLOAT64, DataType::BFLOAT16, DataType::FLOAT16,
                                           DataType::COMPLEX64, DataType::COMPLEX128),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

TEST(Conv, ComplexGradientsConjugate) {
  ConvDesc d = Plain(2, 2, 3, 5, 3, 1, 1, 1);
  const ConvDesc e = Drop(d, 2);
  const int64_t nx = 2 * 2 * 25, ny = 2 * 3 * 25, nw = 3 * 2 * 9;
  auto make = [](int64_t n) {
    std::vector<complex128> v(static_cast<size_t>(n));
    for (auto& z : v) z = {static_cast<double>(Pick(-8, 8)), static_cast<double>(Pick(-8, 8))};
    return v;
  };
  const auto x = make(nx), w = make(nw), dy = make(ny);
  std::vector<complex128> y(ny), dx(nx), dw(nw), gy(ny), gx(nx), gw(nw);
  EachProduct(d, [&](int64_t i, int64_t k, int64_t o) {
    y[o] += x[i] * w[k];
    dx[i] += dy[o] * std::conj(w[k]);
    dw[k] += dy[o] * std::conj(x[i]);
  });
  ConvForward(DataType::COMPLEX128, e, x.data(), w.data(), nullptr, gy.data());
  ConvGradInput(DataType::COMPLEX128, e, dy.data(), w.data(), gx.data());
  ConvGradWeight(DataType::COMPLEX128, e, x.data(), dy.data(), gw.data(), nullptr);
  for (int64_t i = 0; i < ny; ++i) ASSERT_LT(std::abs(y[i] - gy[i]), 1e-9);
  for (int64_t i = 0; i < nx; ++i) ASSERT_LT(std::abs(dx[i] - gx[i]), 1e-9);
  for (int64_t i = 0; i < nw; ++i) ASSERT_LT(std::abs(dw[i] - gw[i]), 1e-9);
}

TEST(Conv, ShortRowsOfManyChannels) { CheckConv(DataType::FLOAT32, Plain(1, 128, 128, 7, 3, 1, 1, 1), 2); }

TEST(Conv, KeptWeights) {
  ConvDesc e = Drop(Plain(1, 32, 32, 8, 3, 1, 1, 1), 2);
  const int64_t n = 32 * 64, nw = 32 * 32 * 9;
  const auto x = Store(DataType::FLOAT32, Random(n)), w = Store(DataType::FLOAT32, Random(nw));
  const auto v = Store(DataType::FLOAT32, Random(nw));
  std::vector<char> want(n * 4), other(n * 4), got(n * 4);
  ConvForward(DataType::FLOAT32, e, x.data(), w.data(), nullptr, want.data());
  ConvForward(DataType::FLOAT32, e, x.data(), v.data(), nullptr, other.data());
  for (int64_t limit : {int64_t{1} << 20, int64_t{40000}, int64_t{0}}) {
    SetConvWeightCacheLimit(limit);
    for (int round = 0; round < 3; ++round) {
      e.weight_key = {11, 0, 0};
      ConvForward(DataType::FLOAT32, e, x.data(), w.data(), nullptr, got.data());
      EXPECT_EQ(got, want);
      e.weight_key = {11, 0, nw};  // another part of the same memory
      ConvForward(DataType::FLOAT32, e, x.data(), v.data(), nullptr, got.data());
      EXPECT_EQ(got, other);
    }
    ClearConvCaches();
  }
  SetConvWeightCacheLimit(int64_t{256} << 20);
}

TEST(Workspace, LendsWhatFitsAndCountsTheRest) {
  CacheLine memory[2];
  char* base = memory[0].bytes;
  const Workspace lent(base, 128);
  {
    const CallMemory first(1), second(64);
    EXPECT_EQ(first.as(), base);
    EXPECT_EQ(second.as(), base + 64);
    const CallMemory third(100);
    EXPECT_TRUE(third.as() < base || third.as() >= base + 128);
    std::fill_n(third.as(), 100, 'x');
    const Workspace inner(nullptr, 0);
    const CallMemory fourth(8);
    EXPECT_TRUE(fourth.as() < base || fourth.as() >= base + 128);
    EXPECT_EQ(inner.most(), 64);
  }
  EXPECT_EQ(CallMemory(128).as(), base);
  EXPECT_EQ(lent.most(), 64 + 64 + 128);
}

TEST(Conv, ThreadsShareWhatIsKept) {
  const int64_t n = 32 * 64, nw = 32 * 32 * 9;
  const auto x = Store(DataType::FLOAT32, Random(n)), w = Store(DataType::FLOAT32, Random(nw));
  ConvDesc e = Drop(Plain(1, 32, 32, 8, 3, 1, 1, 1), 2);
  std::vector<char> want(n * 4);
  ConvForward(DataType::FLOAT32, e, x.data(), w.data(), nullptr, want.data());
  e.weight_key = {21, 3, 0};
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<char> got(n * 4);
      for (int k = 0; k < 50; ++k) {
        ConvForward(DataType::FLOAT32, e, x.data(), w.data(), nullptr, got.data());
        wrong += got != want;
        if (t == 0 && k % 7 == 0) ClearConvCaches();
        if (t == 1 && k % 5 == 0) SetConvWeightCacheLimit(k % 2 ? 0 : int64_t{1} << 20);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  SetConvWeightCacheLimit(int64_t{256} << 20);
}

TEST(Conv, EmptyAndBad) {
  ConvDesc e = Drop(Plain(0, 2, 3, 5, 3, 1, 1, 1), 2);
  std::vector<float> w(54, 1), dw(54, 5), db(3, 5), bias{1, 2, 3};
  ConvForward(DataType::FLOAT32, e, nullptr, w.data(), bias.data(), nullptr);
  ConvGradInput(DataType::FLOAT32, e, nullptr, w.data(), nullptr);
  ConvGradWeight(DataType::FLOAT32, e, nullptr, nullptr, dw.data(), db.data());
  EXPECT_EQ(dw, std::vector<float>(54, 0));
  EXPECT_EQ(db, std::vector<float>(3, 0));
  auto bad = [&](auto change) {
    ConvDesc b = Drop(Plain(1, 2, 3, 5, 3, 1, 1, 1), 2);
    change(b);
    EXPECT_THROW(ConvForward(DataType::FLOAT32, b, nullptr, nullptr, nullptr, nullptr), common::Error);
    EXPECT_THROW(ConvGradWeight(DataType::FLOAT32, b, nullptr, nullptr, nullptr, nullptr), common::Error);
  };
  bad([](ConvDesc& b) { b.out[0] = 4; });
  bad([](ConvDesc& b) { b.stride[1] = 0; });
  bad([](ConvDesc& b) { b.pad_lo[0] = -1; });
  bad([](ConvDesc& b) { b.groups = 2; });
  bad([](ConvDesc& b) { b.nd = 4; });
  bad([](ConvDesc& b) { b.k[0] = 0; });
  bad([](ConvDesc& b) { b.dilation[0] = int64_t{1} << 62; });
  EXPECT_THROW(ConvForward(DataType::INT32, e, nullptr, nullptr, nullptr, nullptr), common::Error);
}

// ---- pooling --------------------------------------------------------------------------------------------------------

// f(position) over the window of output o, first to last; returns the divisor of a non-exclusive average.
template <class F>
int64_t EachOfWindow(const PoolDesc& d, int64_t o, const F& f) {
  const int64_t oo[3] = {o / (d.out[1] * d.out[2]), o / d.out[2] % d.out[1], o % d.out[2]};
  std::vector<int64_t> at[3];
  int64_t divisor = 1;
  for (int i = 0; i < 3; ++i) {
    if (d.adaptive) {
      for (int64_t p = oo[i] * d.in[i] / d.out[i]; p < ((oo[i] + 1) * d.in[i] + d.out[i] - 1) / d.out[i]; ++p)
        at[i].push_back(p);
      divisor *= static_cast<int64_t>(at[i].size());
      continue;
    }
    int64_t counted = 0;
    for (int64_t k = 0; k < d.k[i]; ++k) {
      const int64_t p = oo[i] * d.stride[i] - d.pad_lo[i] + k * d.dilation[i];
      if (p >= 0 && p < d.in[i]) at[i].push_back(p);
      if (p < d.in[i] + d.pad_hi[i]) ++counted;
    }
    divisor *= counted;
  }
  for (int64_t a : at[0])
    for (int64_t b : at[1])
      for (int64_t c : at[2]) f((a * d.in[1] + b) * d.in[2] + c);
  return divisor;
}

PoolDesc Drop(const PoolDesc& d, int nd) {
  PoolDesc e = d;
  e.nd = nd;
  for (int i = 0; i < nd; ++i) {
    const int j = 3 - nd + i;
    e.in[i] = d.in[j], e.k[i] = d.k[j], e.out[i] = d.out[j], e.stride[i] = d.stride[j];
    e.dilation[i] = d.dilation[j], e.pad_lo[i] = d.pad_lo[j], e.pad_hi[i] = d.pad_hi[j];
  }
  return e;
}

PoolDesc RandomPool(int nd, bool average) {
  PoolDesc d;
  d.nd = 3;
  for (;;) {
    d.n = Pick(1, 3);
    d.c = Pick(1, Pick(0, 1) ? 40 : 3);
    d.channels_last = Pick(0, 1);
    d.adaptive = Pick(0, 3) == 0;
    d.exclusive = Pick(0, 1);
    d.divisor = Pick(0, 4) == 0 ? 3 : 0;
    const bool tile = Pick(0, 3) == 0;
    bool ok = true;
    for (int i = 0; i < 3; ++i) {
      const bool used = i >= 3 - nd;
      d.k[i] = used ? Pick(1, 5) : 1;
      d.stride[i] = used ? Pick(1, 3) : 1;
      d.dilation[i] = used && !average && !d.adaptive && Pick(0, 3) == 0 ? 2 : 1;
      d.pad_lo[i] = used ? Pick(0, d.k[i] - 1) : 0;
      d.pad_hi[i] = used ? Pick(0, d.k[i] - 1) : 0;
      d.in[i] = used ? Pick(1, nd == 3 ? 7 : 40) : 1;
      if (used && tile) {
        d.k[i] = d.stride[i] = 2;
        d.dilation[i] = 1;
        d.pad_lo[i] = d.pad_hi[i] = 0;
        d.in[i] = 2 * Pick(1, 10);
      }
      d.out[i] = PoolOutSize(d.in[i], d.dilation[i] * (d.k[i] - 1) + 1, d.stride[i], d.pad_lo[i], d.pad_hi[i], false);
      if (used && d.adaptive) {
        d.out[i] = Pick(1, 6);
        d.pad_lo[i] = d.pad_hi[i] = 0;
      }
      ok = ok && d.out[i] > 0;
    }
    if (ok) return d;
  }
}

std::string Text(const PoolDesc& d) {
  std::ostringstream s;
  s << "n " << d.n << " c " << d.c << " last " << d.channels_last << " adaptive " << d.adaptive;
  for (int i = 0; i < 3; ++i)
    s << " [in " << d.in[i] << " k " << d.k[i] << " s " << d.stride[i] << " d " << d.dilation[i] << " p " << d.pad_lo[i]
      << "," << d.pad_hi[i] << " out " << d.out[i] << "]";
  return s.str();
}

class PoolTypes : public ::testing::TestWithParam<DataType> {};

TEST_P(PoolTypes, Max) {
  const DataType t = GetParam();
  for (int round = 0; round < 240; ++round) {
    const int nd = 1 + round % 3;
    const PoolDesc d = RandomPool(nd, false), e = Drop(d, nd);
    SCOPED_TRACE(Text(d));
    const int64_t is = Volume(d.in), os = Volume(d.out), nx = d.n * d.c * is, ny = d.n * d.c * os;
    auto x = Random(nx);
    for (double& v : x) v = std::floor(v * 2);  // ties
    if (round % 4 == 3)
      for (int64_t i = 0; i < nx; i += 11) x[i] = std::numeric_limits<double>::quiet_NaN();
    const auto dy = Random(ny);
    std::vector<double> y(ny), dx(nx), mask(ny);
    for (int64_t n = 0; n < d.n; ++n)
      for (int64_t c = 0; c < d.c; ++c)
        for (int64_t o = 0; o < os; ++o) {
          const int64_t at = At(d.channels_last, d.c, os, n, c, o);
          int64_t best = -1;
          double m = 0;
          EachOfWindow(d, o, [&](int64_t p) {
            const double v = x[At(d.channels_last, d.c, is, n, c, p)];
            if (best < 0 || v > m || (std::isnan(v) && !std::isnan(m))) m = v, best = p;
          });
          mask[at] = static_cast<double>(best);
          if (best < 0) {
            y[at] = -1;
            continue;
          }
          y[at] = m;
          dx[At(d.channels_last, d.c, is, n, c, best)] += dy[at];
        }
    const auto sx = Store(t, x), sdy = Store(t, dy);
    std::vector<char> gy(ny * SizeOf(t)), gx(nx * SizeOf(t), 1), m32(ny * 4), m64(ny * 8), gy2(ny * SizeOf(t));
    InDeclared(PoolScratch(PoolUse::kMax, t, e),
               [&] { MaxPool(t, e, sx.data(), gy.data(), DataType::INT32, nullptr); });
    for (int64_t i = 0; i < ny; ++i)
      if (mask[i] < 0) {
        ASSERT_LT(Load(t, gy)[i], -60000);
        y[i] = Load(t, gy)[i];
      }
    const auto lowest = y;
    Near(t, y, gy, "max");
    InDeclared(PoolScratch(PoolUse::kMax, t, e),
               [&] { MaxPool(t, e, sx.data(), gy2.data(), DataType::INT32, m32.data()); });
    Near(t, y, gy2, "max with mask");
    Near(DataType::INT32, mask, m32, "mask");
    MaxPool(t, e, sx.data(), gy2.data(), DataType::INT64, m64.data());
    Near(DataType::INT64, mask, m64, "mask of int64");
    InDeclared(PoolScratch(PoolUse::kMaxGrad, t, e),
               [&] { MaxPoolGrad(t, e, sx.data(), gy.data(), sdy.data(), gx.data()); });
    Near(t, dx, gx, "gradient");
    if (HasFatalFailure()) return;
  }
}

TEST_P(PoolTypes, Average) {
  const DataType t = GetParam();
  for (int round = 0; round < 240; ++round) {
    const int nd = 1 + round % 3;
    const PoolDesc d = RandomPool(nd, true), e = Drop(d, nd);
    SCOPED_TRACE(Text(d));
    const int64_t is = Volume(d.in), os = Volume(d.out), nx = d.n * d.c * is, ny = d.n * d.c * os;
    const auto x = Random(nx), dy = Random(ny);
    std::vector<double> y(ny), dx(nx);
    for (int64_t n = 0; n < d.n; ++n)
      for (int64_t c = 0; c < d.c; ++c)
        for (int64_t o = 0; o < os; ++o) {
          const int64_t at = At(d.channels_last, d.c, os, n, c, o);
          int64_t inside = 0;
          double sum = 0;
          int64_t divisor = EachOfWindow(d, o, [&](int64_t p) {
            sum += x[At(d.channels_last, d.c, is, n, c, p)];
            ++inside;
          });
          if (d.exclusive || d.adaptive) divisor = inside;
          if (d.divisor > 0) divisor = d.divisor;
          y[at] = divisor ? sum / static_cast<double>(divisor) : 0;
          EachOfWindow(d, o, [&](int64_t p) {
            dx[At(d.channels_last, d.c, is, n, c, p)] += dy[at] / static_cast<double>(divisor);
          });
        }
    std::vector<char> gy(ny * SizeOf(t)), gx(nx * SizeOf(t), 1);
    InDeclared(PoolScratch(PoolUse::kAverage, t, e), [&] { AvgPool(t, e, Store(t, x).data(), gy.data()); });
    Near(t, y, gy, "average");
    InDeclared(PoolScratch(PoolUse::kAverageGrad, t, e), [&] { AvgPoolGrad(t, e, Store(t, dy).data(), gx.data()); });
    Near(t, dx, gx, "gradient");
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, PoolTypes,
                         ::testing::Values(DataType::FLOAT32, DataType::FLOAT64, DataType::BFLOAT16, DataType::FLOAT16),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

TEST(Pool, OutSize) {
  EXPECT_EQ(PoolOutSize(7, 2, 2, 0, 0, false), 3);
  EXPECT_EQ(PoolOutSize(7, 2, 2, 0, 0, true), 4);
  EXPECT_EQ(PoolOutSize(1, 3, 2, 0, 0, false), 0);
  EXPECT_EQ(ConvOutSize(1, 4, 1, 1, 0, 0), -2);
}

}  // namespace
}  // namespace phi::cpu
