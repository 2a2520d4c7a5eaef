// SPDX-License-Identifier: Apache-2.0
// Row loops of softmax, log-softmax and cross entropy for float and double.
#include <stdint.h>

#include "paddle/phi/primitives/lanes.inc.h"
#include "paddle/phi/primitives/math.inc.h"
#include "paddle/phi/primitives/softmax_exp.inc.h"

namespace phi::PD_ISA {
namespace {

#define PD_LOOP _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i)

template <class T>
T RowMax(const T* x, int64_t n) {
  T m[kLanes];
  for (int k = 0; k < kLanes; ++k) m[k] = -__builtin_inf();
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) m[k] = x[i + k] > m[k] ? x[i + k] : m[k];
  T r = -__builtin_inf();
  for (int k = 0; k < kLanes; ++k) r = m[k] > r ? m[k] : r;
  for (; i < n; ++i) r = x[i] > r ? x[i] : r;
  return r;
}

// out[i] = exp(x[i] - m); returns the sum.
template <class T>
T ExpSum(const T* x, T m, T* out, int64_t n) {
  T s[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) {
      const T e = ExpNonPositive(x[i + k] - m);
      out[i + k] = e;
      s[k] += e;
    }
  if (i < n) {  // the rest as a full step whose missing lanes add nothing
    T tail[kLanes];
    const int64_t left = n - i;
    for (int k = 0; k < kLanes; ++k) tail[k] = -__builtin_inf();
    for (int64_t k = 0; k < left; ++k) tail[k] = x[i + k] - m;
    for (int k = 0; k < kLanes; ++k) {
      tail[k] = ExpNonPositive(tail[k]);
      s[k] += tail[k];
    }
    for (int64_t k = 0; k < left; ++k) out[i + k] = tail[k];
  }
  return Fold(s);
}
template <class T>
T ExpSumOnly(const T* x, T m, int64_t n) {
  T s[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) s[k] += ExpNonPositive(x[i + k] - m);
  if (i < n) {
    T tail[kLanes];
    for (int k = 0; k < kLanes; ++k) tail[k] = -__builtin_inf();
    for (int64_t k = 0; k < n - i; ++k) tail[k] = x[i + k] - m;
    for (int k = 0; k < kLanes; ++k) s[k] += ExpNonPositive(tail[k]);
  }
  return Fold(s);
}
template <class T>
T Dot(const T* a, const T* b, int64_t n) {
  T s[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) s[k] += a[i + k] * b[i + k];
  for (int k = 0; i < n; ++i, ++k) s[k] += a[i] * b[i];
  return Fold(s);
}
template <class T>
T Sum(const T* a, int64_t n) {
  T s[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) s[k] += a[i + k];
  for (int k = 0; i < n; ++i, ++k) s[k] += a[i];
  return Fold(s);
}
// A row whose maximum is -inf is all -inf (or has NaN): shifting by 0 keeps its NaNs.
template <class T>
T Shift(T m) {
  return m == -__builtin_inf() ? T(0) : m;
}

template <class T>
void Softmax(const T* x, T* out, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, x += n, out += n) {
    const T m = RowMax(x, n);
    const T inv = T(1) / ExpSum(x, m, out, n);
    PD_LOOP out[i] *= inv;
  }
}
template <class T>
void LogSoftmax(const T* x, T* out, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, x += n, out += n) {
    const T m = RowMax(x, n);
    const T c = m + log(ExpSumOnly(x, m, n));
    PD_LOOP out[i] = x[i] - c;
  }
}
template <class T>
void SoftmaxGrad(const T* out, const T* dout, T* dx, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, out += n, dout += n, dx += n) {
    const T s = Dot(out, dout, n);
    PD_LOOP dx[i] = out[i] * (dout[i] - s);
  }
}
template <class T>
void LogSoftmaxGrad(const T* out, const T* dout, T* dx, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, out += n, dout += n, dx += n) {
    const T s = Sum(dout, n);
    PD_LOOP dx[i] = dout[i] - ExpNonPositive(out[i]) * s;
  }
}

// Columns [n, w] at row stride `ld`; tmp has room for 2 * w.
template <class T>
void Columns(const T* x, int64_t n, int64_t w, int64_t ld, bool log_of, T* out, T* tmp) {
  T *m = tmp, *sum = tmp + w;
  for (int64_t j = 0; j < w; ++j) {
    m[j] = x[j];
    sum[j] = 0;
  }
  for (int64_t r = 1; r < n; ++r) {
#pragma GCC ivdep
    for (int64_t j = 0; j < w; ++j) m[j] = x[r * ld + j] > m[j] ? x[r * ld + j] : m[j];
  }
  if (log_of) {
    for (int64_t r = 0; r < n; ++r) {
#pragma GCC ivdep
      for (int64_t j = 0; j < w; ++j) sum[j] += ExpNonPositive(x[r * ld + j] - m[j]);
    }
#pragma GCC ivdep
    for (int64_t j = 0; j < w; ++j) m[j] += log(sum[j]);
    for (int64_t r = 0; r < n; ++r) {
#pragma GCC ivdep
      for (int64_t j = 0; j < w; ++j) out[r * ld + j] = x[r * ld + j] - m[j];
    }
    return;
  }
  for (int64_t r = 0; r < n; ++r) {
#pragma GCC ivdep
    for (int64_t j = 0; j < w; ++j) {
      const T e = ExpNonPositive(x[r * ld + j] - m[j]);
      out[r * ld + j] = e;
      sum[j] += e;
    }
  }
  for (int64_t j = 0; j < w; ++j) sum[j] = T(1) / sum[j];
  for (int64_t r = 0; r < n; ++r) {
#pragma GCC ivdep
    for (int64_t j = 0; j < w; ++j) out[r * ld + j] *= sum[j];
  }
}
template <class T>
void ColumnsGrad(const T* y, const T* dy, int64_t n, int64_t w, int64_t ld, bool log_of, T* dx, T* tmp) {
  for (int64_t j = 0; j < w; ++j) tmp[j] = 0;
  for (int64_t r = 0; r < n; ++r) {
    if (log_of) {
#pragma GCC ivdep
      for (int64_t j = 0; j < w; ++j) tmp[j] += dy[r * ld + j];
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < w; ++j) tmp[j] += y[r * ld + j] * dy[r * ld + j];
    }
  }
  for (int64_t r = 0; r < n; ++r) {
    if (log_of) {
#pragma GCC ivdep
      for (int64_t j = 0; j < w; ++j) dx[r * ld + j] = dy[r * ld + j] - ExpNonPositive(y[r * ld + j]) * tmp[j];
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < w; ++j) dx[r * ld + j] = y[r * ld + j] * (dy[r * ld + j] - tmp[j]);
    }
  }
}

}  // namespace

// The same kinds along the first axis of [n, w] blocks at row stride ld, w at most 256.
__attribute__((visibility("hidden"))) void softmax_columns(int kind, bool f64, const void* a, const void* b, void* c,
                                                           int64_t n, int64_t w, int64_t ld);
void softmax_columns(int kind, bool f64, const void* a, const void* b, void* c, int64_t n, int64_t w, int64_t ld) {
#define PD_CASE(T)                                                                \
  T tmp[512];                                                                     \
  const T *pa = static_cast<const T*>(a), *pb = static_cast<const T*>(b);         \
  if (kind < 2) return Columns(pa, n, w, ld, kind == 1, static_cast<T*>(c), tmp); \
  return ColumnsGrad(pa, pb, n, w, ld, kind == 3, static_cast<T*>(c), tmp);
  if (f64) { PD_CASE(double) }
  PD_CASE(float)
#undef PD_CASE
}

// kind: 0 softmax, 1 log-softmax (a = x, c = out), 2 and 3 their gradients (a = out, b = dout, c = dx). Rows of n
// contiguous elements.
__attribute__((visibility("hidden"))) void softmax_rows(int kind, bool f64, const void* a, const void* b, void* c,
                                                        int64_t rows, int64_t n);
void softmax_rows(int kind, bool f64, const void* a, const void* b, void* c, int64_t rows, int64_t n) {
#define PD_CASE(T)                                                        \
  const T *pa = static_cast<const T*>(a), *pb = static_cast<const T*>(b); \
  T* pc = static_cast<T*>(c);                                             \
  if (kind == 0) return Softmax(pa, pc, rows, n);                         \
  if (kind == 1) return LogSoftmax(pa, pc, rows, n);                      \
  if (kind == 2) return SoftmaxGrad(pa, pb, pc, rows, n);                 \
  return LogSoftmaxGrad(pa, pb, pc, rows, n);
  if (f64) { PD_CASE(double) }
  PD_CASE(float)
#undef PD_CASE
}

}  // namespace phi::PD_ISA
