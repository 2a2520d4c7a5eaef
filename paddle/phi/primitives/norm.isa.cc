// SPDX-License-Identifier: Apache-2.0
// Loops of the normalisations for float and double: statistics of contiguous runs, scaled application, and their
// gradients.
#include <stdint.h>

#include "paddle/phi/primitives/lanes.inc.h"

namespace phi::PD_ISA {
namespace {

#define PD_LOOP _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i)
// Sum and sum of squares about `c` of n elements, added to s[0] and s[1] in double.
template <class T>
void Moments(const T* x, int64_t n, T c, double* s) {
  // Blocks keep the float partial sums short.
  for (int64_t at = 0; at < n; at += 4096) {
    const int64_t m = n - at < 4096 ? n - at : 4096;
    const T* p = x + at;
    T a[kLanes] = {}, b[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= m; i += kLanes)
      for (int k = 0; k < kLanes; ++k) {
        const T d = p[i + k] - c;
        a[k] += d;
        b[k] += d * d;
      }
    for (int k = 0; i < m; ++i, ++k) {
      const T d = p[i] - c;
      a[k] += d;
      b[k] += d * d;
    }
    s[0] += Fold(a);
    s[1] += Fold(b);
  }
}

// Sums of g and of g * (x - c), in double.
template <class T>
void GradMoments(const T* x, const T* g, int64_t n, T c, double* s) {
  for (int64_t at = 0; at < n; at += 4096) {
    const int64_t m = n - at < 4096 ? n - at : 4096;
    T a[kLanes] = {}, b[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= m; i += kLanes)
      for (int k = 0; k < kLanes; ++k) {
        a[k] += g[at + i + k];
        b[k] += g[at + i + k] * (x[at + i + k] - c);
      }
    for (int k = 0; i < m; ++i, ++k) {
      a[k] += g[at + i];
      b[k] += g[at + i] * (x[at + i] - c);
    }
    s[0] += Fold(a);
    s[1] += Fold(b);
  }
}

template <class T>
void RowForward(const T* x, int64_t rows, int64_t n, const T* scale, const T* bias, double eps, bool rms, T* out,
                T* mean, T* var) {
  for (int64_t r = 0; r < rows; ++r, x += n, out += n) {
    double s[2] = {0, 0};
    const T c = rms ? T(0) : x[0];
    Moments(x, n, c, s);
    const double d = s[0] / n;
    const T mu = rms ? T(0) : T(c + d);
    double v = rms ? s[1] / n : s[1] / n - d * d;
    v = v < 0 ? 0 : v;
    const T inv = T(1 / __builtin_sqrt(v + eps));
    if (mean) mean[r] = mu;
    if (var) var[r] = rms ? inv : T(v);
    if (scale && bias) {
      PD_LOOP out[i] = (x[i] - mu) * inv * scale[i] + bias[i];
    } else if (scale) {
      PD_LOOP out[i] = (x[i] - mu) * inv * scale[i];
    } else if (bias) {
      PD_LOOP out[i] = (x[i] - mu) * inv + bias[i];
    } else {
      PD_LOOP out[i] = (x[i] - mu) * inv;
    }
  }
}

// dx of rows; `var` holds the variance, or with rms the inverse root.
template <class T>
void RowBackward(const T* x, const T* g, int64_t rows, int64_t n, const T* scale, const T* mean, const T* var,
                 double eps, bool rms, T* dx) {
  for (int64_t r = 0; r < rows; ++r, x += n, g += n, dx += n) {
    const T mu = rms ? T(0) : mean[r];
    const T inv = rms ? var[r] : T(1 / __builtin_sqrt(double(var[r]) + eps));
    T a[kLanes] = {}, b[kLanes] = {};
    int64_t i = 0;
    auto add = [&](int64_t j, int k) {
      const T w = scale ? g[j] * scale[j] : g[j];
      a[k] += w;
      b[k] += w * (x[j] - mu);
    };
    if (scale) {
      for (; i + kLanes <= n; i += kLanes)
        for (int k = 0; k < kLanes; ++k) {
          const T w = g[i + k] * scale[i + k];
          a[k] += w;
          b[k] += w * (x[i + k] - mu);
        }
    } else {
      for (; i + kLanes <= n; i += kLanes)
        for (int k = 0; k < kLanes; ++k) {
          a[k] += g[i + k];
          b[k] += g[i + k] * (x[i + k] - mu);
        }
    }
    for (int k = 0; i < n; ++i, ++k) add(i, k);
    const T m1 = rms ? T(0) : Fold(a) / T(n), m2 = Fold(b) * inv * inv / T(n);
    if (scale) {
      PD_LOOP dx[i] = inv * (g[i] * scale[i] - m1 - (x[i] - mu) * m2);
    } else {
      PD_LOOP dx[i] = inv * (g[i] - m1 - (x[i] - mu) * m2);
    }
  }
}

// Column sums over rows of g * (x - mean) * inv and of g, for columns [0, n) of a row stride `stride`.
template <class T>
void ColumnBackward(const T* x, const T* g, int64_t rows, int64_t n, int64_t stride, const T* mean, const T* var,
                    double eps, bool rms, T* ds, T* db) {
  T s[64], b[64];
  PD_LOOP s[i] = b[i] = T(0);
  for (int64_t r = 0; r < rows; ++r, x += stride, g += stride) {
    const T mu = rms ? T(0) : mean[r];
    const T inv = rms ? var[r] : T(1 / __builtin_sqrt(double(var[r]) + eps));
    PD_LOOP {
      s[i] += g[i] * (x[i] - mu) * inv;
      b[i] += g[i];
    }
  }
  if (ds) PD_LOOP ds[i] = s[i];
  if (db) PD_LOOP db[i] = b[i];
}

}  // namespace

#define PD_HIDDEN __attribute__((visibility("hidden")))

PD_HIDDEN void norm_rows(bool f64, const void* x, int64_t rows, int64_t n, const void* scale, const void* bias,
                         double eps, bool rms, void* out, void* mean, void* var);
void norm_rows(bool f64, const void* x, int64_t rows, int64_t n, const void* scale, const void* bias, double eps,
               bool rms, void* out, void* mean, void* var) {
  if (f64)
    RowForward((const double*)x, rows, n, (const double*)scale, (const double*)bias, eps, rms, (double*)out,
               (double*)mean, (double*)var);
  else
    RowForward((const float*)x, rows, n, (const float*)scale, (const float*)bias, eps, rms, (float*)out, (float*)mean,
               (float*)var);
}
PD_HIDDEN void norm_rows_grad(bool f64, const void* x, const void* g, int64_t rows, int64_t n, const void* scale,
                              const void* mean, const void* var, double eps, bool rms, void* dx);
void norm_rows_grad(bool f64, const void* x, const void* g, int64_t rows, int64_t n, const void* scale,
                    const void* mean, const void* var, double eps, bool rms, void* dx) {
  if (f64)
    RowBackward((const double*)x, (const double*)g, rows, n, (const double*)scale, (const double*)mean,
                (const double*)var, eps, rms, (double*)dx);
  else
    RowBackward((const float*)x, (const float*)g, rows, n, (const float*)scale, (const float*)mean, (const float*)var,
                eps, rms, (float*)dx);
}
PD_HIDDEN void norm_columns_grad(bool f64, const void* x, const void* g, int64_t rows, int64_t n, int64_t stride,
                                 const void* mean, const void* var, double eps, bool rms, void* ds, void* db);
void norm_columns_grad(bool f64, const void* x, const void* g, int64_t rows, int64_t n, int64_t stride,
                       const void* mean, const void* var, double eps, bool rms, void* ds, void* db) {
  if (f64)
    ColumnBackward((const double*)x, (const double*)g, rows, n, stride, (const double*)mean, (const double*)var, eps,
                   rms, (double*)ds, (double*)db);
  else
    ColumnBackward((const float*)x, (const float*)g, rows, n, stride, (const float*)mean, (const float*)var, eps, rms,
                   (float*)ds, (float*)db);
}
// Adds to s[0], s[1] the sum and the sum of squares of x about c.
PD_HIDDEN void norm_moments(bool f64, const void* x, int64_t n, double c, double* s);
void norm_moments(bool f64, const void* x, int64_t n, double c, double* s) {
  if (f64)
    Moments((const double*)x, n, c, s);
  else
    Moments((const float*)x, n, float(c), s);
}
PD_HIDDEN void norm_grad_moments(bool f64, const void* x, const void* g, int64_t n, double c, double* s);
void norm_grad_moments(bool f64, const void* x, const void* g, int64_t n, double c, double* s) {
  if (f64)
    GradMoments((const double*)x, (const double*)g, n, c, s);
  else
    GradMoments((const float*)x, (const float*)g, n, float(c), s);
}
// out = x * a + b for one channel's run.
PD_HIDDEN void norm_affine(bool f64, const void* x, int64_t n, double a, double b, void* out);
void norm_affine(bool f64, const void* x, int64_t n, double a, double b, void* out) {
  if (f64) {
    PD_LOOP((double*)out)[i] = ((const double*)x)[i] * a + b;
    return;
  }
  const float fa = float(a), fb = float(b);
  const float* p = (const float*)x;
  float* o = (float*)out;
  PD_LOOP o[i] = p[i] * fa + fb;
}
// out = g * a + x * b + c.
PD_HIDDEN void norm_affine2(bool f64, const void* x, const void* g, int64_t n, double a, double b, double c, void* out);
void norm_affine2(bool f64, const void* x, const void* g, int64_t n, double a, double b, double c, void* out) {
  if (f64) {
    PD_LOOP((double*)out)[i] = ((const double*)g)[i] * a + ((const double*)x)[i] * b + c;
    return;
  }
  const float fa = float(a), fb = float(b), fc = float(c);
  const float *p = (const float*)x, *q = (const float*)g;
  float* o = (float*)out;
  PD_LOOP o[i] = q[i] * fa + p[i] * fb + fc;
}
// Channels last: rows of n <= 64 channels with a stride. Adds sums about `shift` to s and squares to q (double).
PD_HIDDEN void norm_channel_moments(bool f64, const void* x, const void* g, int64_t rows, int64_t n, int64_t stride,
                                    const double* shift, double* s, double* q);
void norm_channel_moments(bool f64, const void* x, const void* g, int64_t rows, int64_t n, int64_t stride,
                          const double* shift, double* s, double* q) {
  for (int64_t r = 0; r < rows; ++r) {
    if (f64) {
      const double* p = (const double*)x + r * stride;
      const double* w = g ? (const double*)g + r * stride : nullptr;
      PD_LOOP {
        const double d = p[i] - shift[i];
        s[i] += w ? w[i] : d;
        q[i] += (w ? w[i] : d) * d;
      }
    } else {
      const float* p = (const float*)x + r * stride;
      const float* w = g ? (const float*)g + r * stride : nullptr;
      PD_LOOP {
        const double d = double(p[i]) - shift[i];
        s[i] += w ? double(w[i]) : d;
        q[i] += (w ? double(w[i]) : d) * d;
      }
    }
  }
}
// Rows of n channels: out = x * a + b, or with g: out = g * a + x * b + c, per channel.
PD_HIDDEN void norm_channel_affine(bool f64, const void* x, const void* g, int64_t rows, int64_t n, const double* a,
                                   const double* b, const double* c, void* out);
void norm_channel_affine(bool f64, const void* x, const void* g, int64_t rows, int64_t n, const double* a,
                         const double* b, const double* c, void* out) {
  for (int64_t r = 0; r < rows; ++r) {
    if (f64) {
      const double *p = (const double*)x + r * n, *w = g ? (const double*)g + r * n : nullptr;
      double* o = (double*)out + r * n;
      if (w)
        PD_LOOP o[i] = w[i] * a[i] + p[i] * b[i] + c[i];
      else
        PD_LOOP o[i] = p[i] * a[i] + b[i];
    } else {
      const float *p = (const float*)x + r * n, *w = g ? (const float*)g + r * n : nullptr;
      float* o = (float*)out + r * n;
      if (w)
        PD_LOOP o[i] = w[i] * float(a[i]) + p[i] * float(b[i]) + float(c[i]);
      else
        PD_LOOP o[i] = p[i] * float(a[i]) + float(b[i]);
    }
  }
}

PD_HIDDEN void norm_add(bool f64, const void* x, const void* y, int64_t n, void* out);
void norm_add(bool f64, const void* x, const void* y, int64_t n, void* out) {
  if (f64) {
    const double *a = static_cast<const double*>(x), *b = static_cast<const double*>(y);
    double* d = static_cast<double*>(out);
    PD_LOOP d[i] = a[i] + b[i];
  } else {
    const float *a = static_cast<const float*>(x), *b = static_cast<const float*>(y);
    float* d = static_cast<float*>(out);
    PD_LOOP d[i] = a[i] + b[i];
  }
}

}  // namespace phi::PD_ISA
