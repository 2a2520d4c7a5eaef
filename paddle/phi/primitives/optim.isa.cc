// SPDX-License-Identifier: Apache-2.0
// Update loops of the optimizers; every loop is element by element and vectorises.
#include <stdint.h>

#include "paddle/phi/primitives/optim_kinds.inc.h"

namespace phi::PD_ISA {
namespace {

inline float Root(float x) { return __builtin_sqrtf(x); }
inline double Root(double x) { return __builtin_sqrt(x); }
template <class T>
inline T Abs(T x) {
  return x < T(0) ? -x : x;
}

#define PD_LOOP _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i)

template <class T>
void Run(int kind, void* const* ptrs, int64_t n, const double* a) {
  T* p = static_cast<T*>(ptrs[0]);
  const T* g = static_cast<const T*>(ptrs[1]);
  T* s0 = static_cast<T*>(ptrs[2]);
  T* s1 = static_cast<T*>(ptrs[3]);
  T* s2 = static_cast<T*>(ptrs[4]);
  const T a0 = T(a[0]), a1 = T(a[1]), a2 = T(a[2]), a3 = T(a[3]), a4 = T(a[4]), a5 = T(a[5]);
  switch (kind) {
    case kOptimSgd: PD_LOOP p[i] -= a0 * g[i]; break;
    case kOptimMomentum: {
      const bool nesterov = a[2] != 0;
      if (nesterov) {
        PD_LOOP {
          const T d = g[i] * a4 + a3 * p[i];
          const T v = a1 * s0[i] + d;
          s0[i] = v;
          p[i] -= (d + a1 * v) * a0;
        }
      } else {
        PD_LOOP {
          const T d = g[i] * a4 + a3 * p[i];
          const T v = a1 * s0[i] + d;
          s0[i] = v;
          p[i] -= a0 * v;
        }
      }
      break;
    }
    case kOptimAdam:
      PD_LOOP {
        const T m = a1 * s0[i] + (T(1) - a1) * g[i];
        const T v = a2 * s1[i] + (T(1) - a2) * g[i] * g[i];
        s0[i] = m;
        s1[i] = v;
        p[i] = p[i] * a4 - a0 * (m / (Root(v) + a3));
      }
      break;
    case kOptimAmsgrad:
      PD_LOOP {
        const T m = a1 * s0[i] + (T(1) - a1) * g[i];
        const T v = a2 * s1[i] + (T(1) - a2) * g[i] * g[i];
        const T x = s2[i] > v ? s2[i] : v;
        s0[i] = m;
        s1[i] = v;
        s2[i] = x;
        p[i] = p[i] * a4 - a0 * (m / (Root(x) + a3));
      }
      break;
    case kOptimAdagrad:
      PD_LOOP {
        s0[i] += g[i] * g[i];
        p[i] -= a0 * g[i] / (Root(s0[i]) + a1);
      }
      break;
    case kOptimRmsProp:
      PD_LOOP {
        s0[i] = a1 * s0[i] + (T(1) - a1) * g[i] * g[i];
        s1[i] = a3 * s1[i] + a0 * g[i] / Root(s0[i] + a2);
        p[i] -= s1[i];
      }
      break;
    case kOptimRmsPropC:
      PD_LOOP {
        s0[i] = a1 * s0[i] + (T(1) - a1) * g[i] * g[i];
        s2[i] = a1 * s2[i] + (T(1) - a1) * g[i];
        s1[i] = a3 * s1[i] + a0 * g[i] / Root(s0[i] - s2[i] * s2[i] + a2);
        p[i] -= s1[i];
      }
      break;
    case kOptimAdadelta:
      PD_LOOP {
        s0[i] = a1 * s0[i] + (T(1) - a1) * g[i] * g[i];
        const T u = -Root((s1[i] + a2) / (s0[i] + a2)) * g[i];
        s1[i] = a1 * s1[i] + (T(1) - a1) * u * u;
        p[i] += a0 * u;
      }
      break;
    case kOptimAdamax:
      PD_LOOP {
        s0[i] = a1 * s0[i] + (T(1) - a1) * g[i];
        const T x = Abs(g[i]), y = a2 * s1[i] + a3;
        s1[i] = x > y ? x : y;
        p[i] -= a0 * s0[i] / s1[i];
      }
      break;
    case kOptimNAdam:
      PD_LOOP {
        s0[i] = a2 * s0[i] + (T(1) - a2) * g[i];
        s1[i] = a3 * s1[i] + (T(1) - a3) * g[i] * g[i];
        p[i] -= (a0 * s0[i] + a1 * g[i]) / (Root(s1[i] / a5) + a4);
      }
      break;
    case kOptimRAdam:
      PD_LOOP {
        s0[i] = a1 * s0[i] + (T(1) - a1) * g[i];
        s1[i] = a2 * s1[i] + (T(1) - a2) * g[i] * g[i];
        const T rect = a4 * Root(a5) / (Root(s1[i]) + a3);
        p[i] -= a0 * s0[i] * (a4 < T(0) ? T(1) : rect);
      }
      break;
    case kOptimRprop:
      PD_LOOP {
        const T sign = g[i] * s0[i];
        const T eta = sign > T(0) ? a3 : sign < T(0) ? a2 : T(1);
        const T grad = sign < T(0) ? T(0) : g[i];
        T lr = s1[i] * eta;
        lr = lr < a0 ? a0 : lr > a1 ? a1 : lr;
        p[i] -= (grad > T(0) ? lr : grad < T(0) ? -lr : T(0));
        s0[i] = grad;
        s1[i] = lr;
      }
      break;
    case kOptimAsgd:
      PD_LOOP {
        const T d = s0[i] - s1[i] + g[i];
        s0[i] = d;
        s1[i] = g[i];
        p[i] -= a0 / a1 * d;
      }
      break;
    case kOptimLambDir:
      PD_LOOP {
        s0[i] = a0 * s0[i] + (T(1) - a0) * g[i];
        s1[i] = a1 * s1[i] + (T(1) - a1) * g[i] * g[i];
        s2[i] = (s0[i] / a4) / (Root(s1[i] / a5) + a2) + a3 * p[i];
      }
      break;
    case kOptimAxpy: PD_LOOP p[i] -= a0 * s0[i]; break;
  }
}

}  // namespace

// ptrs: param, grad, three states (null where unused), all of one type.
__attribute__((visibility("hidden"))) void optim_run(int kind, bool f64, void* const* ptrs, int64_t n, const double* a);
void optim_run(int kind, bool f64, void* const* ptrs, int64_t n, const double* a) {
  if (f64) {
    Run<double>(kind, ptrs, n, a);
  } else {
    Run<float>(kind, ptrs, n, a);
  }
}

}  // namespace phi::PD_ISA
