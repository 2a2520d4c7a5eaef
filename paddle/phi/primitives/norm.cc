// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, norm_rows,
            (bool f64, const void* x, int64_t rows, int64_t n, const void* scale, const void* bias, double eps,
             bool rms, void* out, void* mean, void* var))
PD_ISA_DECL(void, norm_rows_grad,
            (bool f64, const void* x, const void* g, int64_t rows, int64_t n, const void* scale, const void* mean,
             const void* var, double eps, bool rms, void* dx))
PD_ISA_DECL(void, norm_columns_grad,
            (bool f64, const void* x, const void* g, int64_t rows, int64_t n, int64_t stride, const void* mean,
             const void* var, double eps, bool rms, void* ds, void* db))
PD_ISA_DECL(void, norm_add, (bool f64, const void* x, const void* y, int64_t n, void* out))
PD_ISA_DECL(void, norm_moments, (bool f64, const void* x, int64_t n, double c, double* s))
PD_ISA_DECL(void, norm_grad_moments, (bool f64, const void* x, const void* g, int64_t n, double c, double* s))
PD_ISA_DECL(void, norm_affine, (bool f64, const void* x, int64_t n, double a, double b, void* out))
PD_ISA_DECL(void, norm_affine2,
            (bool f64, const void* x, const void* g, int64_t n, double a, double b, double c, void* out))
PD_ISA_DECL(void, norm_channel_moments,
            (bool f64, const void* x, const void* g, int64_t rows, int64_t n, int64_t stride, const double* shift,
             double* s, double* q))
PD_ISA_DECL(void, norm_channel_affine,
            (bool f64, const void* x, const void* g, int64_t rows, int64_t n, const double* a, const double* b,
             const double* c, void* out))

namespace phi::cpu {
namespace {

char* At(const void* p, int64_t bytes) { return p ? const_cast<char*>(static_cast<const char*>(p)) + bytes : nullptr; }

// An operand in the type the loops compute in: itself, or a converted copy.
class Wide {
 public:
  Wide(DataType t, const void* p, int64_t n) : scratch_(p && Needs(t) ? n * 4 : 0), p_(p) {
    if (p && Needs(t)) {
      CastParallel(t, p, DataType::FLOAT32, scratch_.as<void>(), n);
      p_ = scratch_.as<void>();
    }
  }
  static bool Needs(DataType t) { return IsHalf(t); }
  const void* get() const { return p_; }

 private:
  CallMemory scratch_;
  const void* p_;
};

// A result computed wide and narrowed at the end.
class Narrow {
 public:
  Narrow(DataType t, void* p, int64_t n) : t_(t), p_(p), n_(n), scratch_(p && Wide::Needs(t) ? n * 4 : 0) {}
  ~Narrow() {
    if (p_ && Wide::Needs(t_)) CastParallel(DataType::FLOAT32, scratch_.as<void>(), t_, p_, n_);
  }
  void* get() const { return p_ && Wide::Needs(t_) ? scratch_.as<void>() : p_; }

 private:
  DataType t_;
  void* p_;
  int64_t n_;
  CallMemory scratch_;
};

// f(float32 of x, room for float32 of out, from, to) for the rows [lo, hi) of halves, as many at a time as stay in L1.
template <class F>
void InWideRows(DataType t, const void* x, void* out, int64_t cols, int64_t lo, int64_t hi, const F& f) {
  constexpr int64_t kElements = 2048;
  alignas(64) float near_x[kElements], near_out[kElements];
  const bool fits = cols <= kElements;
  const Scratch far(fits ? 0 : 2 * cols * 4);
  float *wide_x = fits ? near_x : far.as<float>(), *wide_out = fits ? near_out : far.as<float>() + cols;
  const int64_t step = std::max<int64_t>(1, kElements / std::max<int64_t>(cols, 1));
  for (int64_t from = lo; from < hi; from += step) {
    const int64_t to = std::min(from + step, hi), n = (to - from) * cols, at = from * cols * SizeOf(t);
    Convert(t, At(x, at), 1, DataType::FLOAT32, wide_x, 1, n);
    f(wide_x, wide_out, from, to);
    Convert(DataType::FLOAT32, wide_out, 1, t, At(out, at), 1, n);
  }
}

void CheckType(const char* op, DataType t) {
  PD_CHECK(IsHalf(t) || t == DataType::FLOAT32 || t == DataType::FLOAT64, Unimplemented, "[", op,
           "] expected a floating dtype, got ", NameOf(t));
}

void RowNorm(const char* op, DataType t, DataType pt, const void* x, int64_t rows, int64_t cols, const void* scale,
             const void* bias, double eps, bool rms, void* out, void* mean, void* var) {
  CheckType(op, t);
  const bool f64 = t == DataType::FLOAT64;
  const int64_t size = f64 ? 8 : 4;
  Wide ws(pt, scale, cols), wb(pt, bias, cols);
  auto run = PD_ISA_CALL(norm_rows);
  const auto some = [&](const void* from, void* to, int64_t lo, int64_t hi) {
    run(f64, from, hi - lo, cols, ws.get(), wb.get(), eps, rms, to, At(mean, lo * size), At(var, lo * size));
  };
  ParallelFor(0, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(cols, 1)), [&](int64_t lo, int64_t hi) {
    if (Wide::Needs(t))
      InWideRows(t, x, out, cols, lo, hi, some);
    else
      some(At(x, lo * cols * size), At(out, lo * cols * size), lo, hi);
  });
}

void RowNormGrad(DataType t, DataType pt, const void* x, const void* dout, int64_t rows, int64_t cols,
                 const void* scale, const void* mean, const void* var, double eps, bool rms, void* dx, void* dscale,
                 void* dbias) {
  const bool f64 = t == DataType::FLOAT64;
  const int64_t size = f64 ? 8 : 4;
  Wide wx(t, x, rows * cols), wg(t, dout, rows * cols), ws(pt, scale, cols);
  if (dx) {
    Narrow wd(t, dx, rows * cols);
    auto run = PD_ISA_CALL(norm_rows_grad);
    ParallelFor(0, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(cols, 1)), [&](int64_t lo, int64_t hi) {
      run(f64, At(wx.get(), lo * cols * size), At(wg.get(), lo * cols * size), hi - lo, cols, ws.get(),
          At(mean, lo * size), At(var, lo * size), eps, rms, At(wd.get(), lo * cols * size));
    });
  }
  if (dscale || dbias) {
    Narrow wds(pt, dscale, cols), wdb(pt, dbias, cols);
    auto run = PD_ISA_CALL(norm_columns_grad);
    ParallelFor(0, (cols + 63) / 64, std::max<int64_t>(1, 512 / std::max<int64_t>(rows, 1)),
                [&](int64_t lo, int64_t hi) {
                  for (int64_t b = lo; b < hi; ++b) {
                    const int64_t at = b * 64 * size, n = std::min<int64_t>(64, cols - b * 64);
                    run(f64, At(wx.get(), at), At(wg.get(), at), rows, n, cols, mean, var, eps, rms, At(wds.get(), at),
                        At(wdb.get(), at));
                  }
                });
  }
}

double Get(bool f64, const void* p, int64_t i) {
  return f64 ? static_cast<const double*>(p)[i] : static_cast<const float*>(p)[i];
}
void Put(bool f64, void* p, int64_t i, double v) {
  if (!p) return;
  if (f64)
    static_cast<double*>(p)[i] = v;
  else
    static_cast<float*>(p)[i] = static_cast<float>(v);
}

// x seen as [n, c, spatial] or [n, spatial, c], in the computing type.
struct Planes {
  bool f64;
  int64_t n, c, spatial;
  bool last;
  int64_t size() const { return f64 ? 8 : 4; }
  int64_t count() const { return n * spatial; }
};

// Per channel: two sums. Without g: of (x - shift) and its square; with g: of g and g * (x - shift).
void ChannelSums(const Planes& p, const void* x, const void* g, const std::vector<double>& shift,
                 std::vector<double>& s, std::vector<double>& q) {
  s.assign(p.c, 0);
  q.assign(p.c, 0);
  if (p.last) {
    auto run = PD_ISA_CALL(norm_channel_moments);
    ParallelFor(0, (p.c + 63) / 64, std::max<int64_t>(1, 512 / std::max<int64_t>(p.count(), 1)),
                [&](int64_t lo, int64_t hi) {
                  for (int64_t b = lo; b < hi; ++b)
                    run(p.f64, At(x, b * 64 * p.size()), At(g, b * 64 * p.size()), p.count(),
                        std::min<int64_t>(64, p.c - b * 64), p.c, &shift[b * 64], &s[b * 64], &q[b * 64]);
                });
    return;
  }
  auto plain = PD_ISA_CALL(norm_moments);
  auto grad = PD_ISA_CALL(norm_grad_moments);
  ParallelFor(0, p.c, std::max<int64_t>(1, 16384 / std::max<int64_t>(p.count(), 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t c = lo; c < hi; ++c) {
      double sums[2] = {0, 0};
      for (int64_t i = 0; i < p.n; ++i) {
        const int64_t at = (i * p.c + c) * p.spatial * p.size();
        if (g)
          grad(p.f64, At(x, at), At(g, at), p.spatial, shift[c], sums);
        else
          plain(p.f64, At(x, at), p.spatial, shift[c], sums);
      }
      s[c] = sums[0];
      q[c] = sums[1];
    }
  });
}

// out = x * a + b, or with g: g * a + x * b + k, by channel.
void ChannelAffine(const Planes& p, const void* x, const void* g, const std::vector<double>& a,
                   const std::vector<double>& b, const std::vector<double>& k, void* out) {
  if (p.last) {
    auto run = PD_ISA_CALL(norm_channel_affine);
    ParallelFor(0, p.count(), std::max<int64_t>(1, 16384 / std::max<int64_t>(p.c, 1)), [&](int64_t lo, int64_t hi) {
      const int64_t at = lo * p.c * p.size();
      run(p.f64, At(x, at), At(g, at), hi - lo, p.c, a.data(), b.data(), k.data(), At(out, at));
    });
    return;
  }
  auto one = PD_ISA_CALL(norm_affine);
  auto two = PD_ISA_CALL(norm_affine2);
  ParallelFor(0, p.n * p.c, std::max<int64_t>(1, 16384 / std::max<int64_t>(p.spatial, 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t c = i % p.c, at = i * p.spatial * p.size();
      if (g)
        two(p.f64, At(x, at), At(g, at), p.spatial, a[c], b[c], k[c], At(out, at));
      else
        one(p.f64, At(x, at), p.spatial, a[c], b[c], At(out, at));
    }
  });
}

std::vector<double> FirstOfChannels(const Planes& p, const void* x) {
  std::vector<double> v(p.c, 0);
  if (p.count())
    for (int64_t c = 0; c < p.c; ++c) v[c] = Get(p.f64, x, p.last ? c : c * p.spatial);
  return v;
}

}  // namespace

void LayerNorm(DataType t, DataType param_t, const void* x, int64_t rows, int64_t cols, const void* scale,
               const void* bias, double eps, void* out, void* mean, void* variance) {
  RowNorm("layer_norm", t, param_t, x, rows, cols, scale, bias, eps, false, out, mean, variance);
}
void LayerNormGrad(DataType t, DataType param_t, const void* x, const void* dout, int64_t rows, int64_t cols,
                   const void* scale, const void* mean, const void* variance, double eps, void* dx, void* dscale,
                   void* dbias) {
  RowNormGrad(t, param_t, x, dout, rows, cols, scale, mean, variance, eps, false, dx, dscale, dbias);
}
void RmsNorm(DataType t, DataType param_t, const void* x, int64_t rows, int64_t cols, const void* scale,
             const void* bias, double eps, void* out, void* inv_rms) {
  RowNorm("rms_norm", t, param_t, x, rows, cols, scale, bias, eps, true, out, nullptr, inv_rms);
}
void AddNorm(DataType t, const void* x, const void* y, int64_t rows, int64_t cols, const void* scale, const void* bias,
             double eps, bool rms, void* sum, void* out) {
  const bool f64 = t == DataType::FLOAT64;
  const int64_t row = cols * SizeOf(t), few = std::max<int64_t>(1, 32768 / std::max<int64_t>(row, 1));
  ParallelFor(0, rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(cols, 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t r = lo; r < hi; r += few) {  // a few rows are normalised while they are in cache
      const int64_t n = std::min(few, hi - r);
      PD_ISA_CALL(norm_add)(f64, At(x, r * row), At(y, r * row), n * cols, At(sum, r * row));
      PD_ISA_CALL(norm_rows)(f64, At(sum, r * row), n, cols, scale, bias, eps, rms, At(out, r * row), nullptr, nullptr);
    }
  });
}
void RmsNormGrad(DataType t, DataType param_t, const void* x, const void* dout, int64_t rows, int64_t cols,
                 const void* scale, const void* inv_rms, void* dx, void* dscale, void* dbias) {
  RowNormGrad(t, param_t, x, dout, rows, cols, scale, nullptr, inv_rms, 0, true, dx, dscale, dbias);
}

void BatchNormTrain(DataType t, const void* x, int64_t n, int64_t c, int64_t spatial, bool channels_last,
                    const void* scale, const void* bias, double eps, double momentum, void* running_mean,
                    void* running_var, void* out, void* save_mean, void* save_inv_std) {
  CheckType("batch_norm", t);
  const Planes p{t == DataType::FLOAT64, n, c, spatial, channels_last};
  Wide wx(t, x, n * c * spatial);
  Narrow wo(t, out, n * c * spatial);
  std::vector<double> shift = FirstOfChannels(p, wx.get()), s, q, a(c), b(c);
  ChannelSums(p, wx.get(), nullptr, shift, s, q);
  for (int64_t i = 0; i < c; ++i) {
    const double d = s[i] / p.count(), mean = shift[i] + d, var = std::max(0.0, q[i] / p.count() - d * d),
                 inv = 1 / std::sqrt(var + eps);
    Put(p.f64, save_mean, i, mean);
    Put(p.f64, save_inv_std, i, inv);
    if (running_mean) Put(p.f64, running_mean, i, Get(p.f64, running_mean, i) * momentum + mean * (1 - momentum));
    if (running_var) Put(p.f64, running_var, i, Get(p.f64, running_var, i) * momentum + var * (1 - momentum));
    a[i] = inv * (scale ? Get(p.f64, scale, i) : 1.0);
    b[i] = (bias ? Get(p.f64, bias, i) : 0.0) - mean * a[i];
  }
  ChannelAffine(p, wx.get(), nullptr, a, b, b, wo.get());
}

void BatchNormInfer(DataType t, const void* x, int64_t n, int64_t c, int64_t spatial, bool channels_last,
                    const void* scale, const void* bias, const void* mean, const void* var, double eps, void* out) {
  CheckType("batch_norm", t);
  const Planes p{t == DataType::FLOAT64, n, c, spatial, channels_last};
  Wide wx(t, x, n * c * spatial);
  Narrow wo(t, out, n * c * spatial);
  std::vector<double> a(c), b(c);
  for (int64_t i = 0; i < c; ++i) {
    a[i] = (scale ? Get(p.f64, scale, i) : 1.0) / std::sqrt(Get(p.f64, var, i) + eps);
    b[i] = (bias ? Get(p.f64, bias, i) : 0.0) - Get(p.f64, mean, i) * a[i];
  }
  ChannelAffine(p, wx.get(), nullptr, a, b, b, wo.get());
}

void BatchNormGrad(DataType t, const void* x, const void* dout, int64_t n, int64_t c, int64_t spatial,
                   bool channels_last, const void* scale, const void* mean, const void* inv_std, bool use_global_stats,
                   void* dx, void* dscale, void* dbias) {
  const Planes p{t == DataType::FLOAT64, n, c, spatial, channels_last};
  Wide wx(t, x, n * c * spatial), wg(t, dout, n * c * spatial);
  std::vector<double> shift(c), s, q, a(c), b(c), k(c);
  for (int64_t i = 0; i < c; ++i) shift[i] = Get(p.f64, mean, i);
  ChannelSums(p, wx.get(), wg.get(), shift, s, q);  // s: sum g; q: sum g (x - mean)
  for (int64_t i = 0; i < c; ++i) {
    const double inv = Get(p.f64, inv_std, i), w = scale ? Get(p.f64, scale, i) : 1.0;
    Put(p.f64, dscale, i, q[i] * inv);
    Put(p.f64, dbias, i, s[i]);
    a[i] = w * inv;
    b[i] = use_global_stats ? 0 : -w * inv * inv * inv * q[i] / p.count();
    k[i] = use_global_stats ? 0 : -w * inv * s[i] / p.count() - b[i] * shift[i];
  }
  if (dx) {
    Narrow wd(t, dx, n * c * spatial);
    ChannelAffine(p, wx.get(), wg.get(), a, b, k, wd.get());
  }
}

void GroupNorm(DataType t, DataType param_t, const void* x, int64_t n, int64_t c, int64_t spatial, int64_t groups,
               bool channels_last, const void* scale, const void* bias, double eps, void* out, void* mean,
               void* variance) {
  CheckType("group_norm", t);
  PD_CHECK(groups > 0 && c % groups == 0, InvalidArgument, "[group_norm] expected groups that divide ", c,
           " channels, got ", groups);
  const bool f64 = t == DataType::FLOAT64;
  const int64_t size = f64 ? 8 : 4, per = c / groups, total = n * c * spatial;
  Wide wx(t, x, total), ws(param_t, scale, c), wb(param_t, bias, c);
  Narrow wo(t, out, total);
  // Channels-last data is worked on in channels-first order.
  CallMemory tx(channels_last ? total * size : 0), to(channels_last ? total * size : 0);
  const int64_t shape_cf[] = {n, c, spatial}, from_cl[] = {spatial * c, 1, c}, cf[] = {c * spatial, spatial, 1};
  if (channels_last) CopyStrided(size, shape_cf, wx.get(), from_cl, tx.as<void>(), cf);
  const void* src = channels_last ? tx.as<void>() : wx.get();
  void* dst = channels_last ? to.as<void>() : wo.get();
  auto moments = PD_ISA_CALL(norm_moments);
  auto affine = PD_ISA_CALL(norm_affine);
  const int64_t run = per * spatial;
  ParallelFor(0, n * groups, std::max<int64_t>(1, 16384 / std::max<int64_t>(run, 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t g = lo; g < hi; ++g) {
      double sums[2] = {0, 0};
      const double shift = Get(f64, src, g * run);
      moments(f64, At(src, g * run * size), run, shift, sums);
      const double d = sums[0] / run, mu = shift + d, var = std::max(0.0, sums[1] / run - d * d),
                   inv = 1 / std::sqrt(var + eps);
      Put(f64, mean, g, mu);
      Put(f64, variance, g, var);
      for (int64_t j = 0; j < per; ++j) {
        const int64_t ch = g % groups * per + j, at = (g * per + j) * spatial * size;
        const double a = inv * (ws.get() ? Get(f64, ws.get(), ch) : 1.0);
        affine(f64, At(src, at), spatial, a, (wb.get() ? Get(f64, wb.get(), ch) : 0.0) - mu * a, At(dst, at));
      }
    }
  });
  if (channels_last) CopyStrided(size, shape_cf, dst, cf, wo.get(), from_cl);
}

void GroupNormGrad(DataType t, DataType param_t, const void* x, const void* dout, int64_t n, int64_t c, int64_t spatial,
                   int64_t groups, bool channels_last, const void* scale, const void* mean, const void* variance,
                   double eps, void* dx, void* dscale, void* dbias) {
  const bool f64 = t == DataType::FLOAT64;
  const int64_t size = f64 ? 8 : 4, per = c / groups, total = n * c * spatial, run = per * spatial;
  Wide wx(t, x, total), wg(t, dout, total), ws(param_t, scale, c);
  CallMemory tx(channels_last ? total * size : 0), tg(channels_last ? total * size : 0),
      td(channels_last ? total * size : 0);
  const int64_t shape_cf[] = {n, c, spatial}, from_cl[] = {spatial * c, 1, c}, cf[] = {c * spatial, spatial, 1};
  if (channels_last) {
    CopyStrided(size, shape_cf, wx.get(), from_cl, tx.as<void>(), cf);
    CopyStrided(size, shape_cf, wg.get(), from_cl, tg.as<void>(), cf);
  }
  const void *px = channels_last ? tx.as<void>() : wx.get(), *pg = channels_last ? tg.as<void>() : wg.get();
  Narrow wd(t, dx, total);
  void* pd = channels_last ? td.as<void>() : wd.get();
  auto sums_of = PD_ISA_CALL(norm_grad_moments);
  auto affine = PD_ISA_CALL(norm_affine2);
  std::vector<double> sg(n * c), sgx(n * c);  // per plane: sum g, sum g (x - mean of its group)
  ParallelFor(0, n * groups, std::max<int64_t>(1, 16384 / std::max<int64_t>(run, 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t g = lo; g < hi; ++g) {
      const double mu = Get(f64, mean, g), inv = 1 / std::sqrt(Get(f64, variance, g) + eps);
      double m1 = 0, m2 = 0;
      for (int64_t j = 0; j < per; ++j) {
        const int64_t plane = g * per + j;
        double s[2] = {0, 0};
        sums_of(f64, At(px, plane * spatial * size), At(pg, plane * spatial * size), spatial, mu, s);
        sg[plane] = s[0];
        sgx[plane] = s[1];
        const double w = ws.get() ? Get(f64, ws.get(), g % groups * per + j) : 1.0;
        m1 += w * s[0];
        m2 += w * s[1];
      }
      m1 /= run;
      m2 = m2 * inv * inv / run;
      if (!dx) continue;
      for (int64_t j = 0; j < per; ++j) {
        const int64_t at = (g * per + j) * spatial * size;
        const double w = ws.get() ? Get(f64, ws.get(), g % groups * per + j) : 1.0;
        affine(f64, At(px, at), At(pg, at), spatial, w * inv, -inv * m2, inv * (mu * m2 - m1), At(pd, at));
      }
    }
  });
  if (dx && channels_last) CopyStrided(size, shape_cf, pd, cf, wd.get(), from_cl);
  Narrow wds(param_t, dscale, c), wdb(param_t, dbias, c);
  for (int64_t ch = 0; ch < c && (dscale || dbias); ++ch) {
    double a = 0, b = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t g = i * groups + ch / per;
      a += sgx[i * c + ch] / std::sqrt(Get(f64, variance, g) + eps);
      b += sg[i * c + ch];
    }
    Put(f64, wds.get(), ch, a);
    Put(f64, wdb.get(), ch, b);
  }
}

}  // namespace phi::cpu
