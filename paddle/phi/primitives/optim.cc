// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/optim.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/thread_state.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/phi/primitives/optim_kinds.inc.h"

PD_ISA_DECL(void, optim_run, (int kind, bool f64, void* const* ptrs, int64_t n, const double* a))

namespace phi::cpu {
namespace {

// Flush-to-zero and denormals-are-zero while alive: dead units make Adam's moments denormal, which halves its speed.
class FlushDenormals {
 public:
  FlushDenormals() : old_(_mm_getcsr()) { _mm_setcsr(old_ | 0x8040); }
  ~FlushDenormals() { _mm_setcsr(old_); }

 private:
  unsigned old_;
};

char* Offset(void* p, int64_t bytes) { return p ? static_cast<char*>(p) + bytes : nullptr; }

void Run(const OptimParam& p, int kind, void* s0, void* s1, void* s2, const double* a) {
  const bool f64 = p.t == DataType::FLOAT64;
  const DataType math = f64 ? DataType::FLOAT64 : DataType::FLOAT32;
  const int64_t size = f64 ? 8 : 4;
  const DataType gt = p.grad_t == DataType::UNDEFINED ? p.t : p.grad_t;
  auto run = PD_ISA_CALL(optim_run);
  if (t_state.updates && p.lasts && p.t == math && gt == math && !p.master) {
    UpdateBatch::Item item{kind, f64, {p.param, const_cast<void*>(p.grad), s0, s1, s2}, p.n, {}};
    std::copy_n(a, 6, item.a);
    return t_state.updates->Add(item);
  }
  if (p.n < 4096 && p.t == math && gt == math && !p.master) {
    FlushDenormals flush;
    void* ptrs[] = {p.param, const_cast<void*>(p.grad), s0, s1, s2};
    run(kind, f64, ptrs, p.n, a);
    return;
  }
  ParallelFor(0, p.n, kGrain, [&](int64_t lo, int64_t hi) {
    FlushDenormals flush;
    float param_buf[1024], grad_buf[1024];
    const bool direct = p.t == math && gt == math && !p.master;
    const int64_t step = direct ? hi - lo : 1024;
    for (int64_t at = lo; at < hi; at += step) {
      const int64_t n = std::min(step, hi - at);
      void* param = Offset(p.master ? p.master : p.param, at * size);
      const void* grad = static_cast<const char*>(p.grad) + at * SizeOf(gt);
      if (gt != math) {
        Convert(gt, grad, 1, math, grad_buf, 1, n);
        grad = grad_buf;
      }
      const bool widen = !p.master && p.t != math;
      void* half = static_cast<char*>(p.param) + at * SizeOf(p.t);
      if (widen) {
        Convert(p.t, half, 1, math, param_buf, 1, n);
        param = param_buf;
      }
      void* ptrs[] = {param, const_cast<void*>(grad), Offset(s0, at * size), Offset(s1, at * size),
                      Offset(s2, at * size)};
      run(kind, f64, ptrs, n, a);
      if (widen || p.master) Convert(math, param, 1, p.t, half, 1, n);
    }
  });
}

}  // namespace

UpdateBatch::UpdateBatch() : old_(t_state.updates) { t_state.updates = this; }

UpdateBatch::~UpdateBatch() {
  t_state.updates = old_;
  Finish();
}

void UpdateBatch::Finish() {
  int64_t total = 0;
  for (const Item& item : items_) total += item.n;
  auto run = PD_ISA_CALL(optim_run);
  ParallelFor(0, total, kGrain, [&](int64_t lo, int64_t hi) {
    FlushDenormals flush;
    int64_t at = 0;  // where an item begins
    for (const Item& item : items_) {
      const int64_t from = std::max(lo - at, int64_t{0}), to = std::min(hi - at, item.n), size = item.f64 ? 8 : 4;
      at += item.n;
      if (from >= to) continue;
      void* ptrs[5];
      for (int k = 0; k < 5; ++k) ptrs[k] = Offset(item.ptrs[k], from * size);
      run(item.kind, item.f64, ptrs, to - from, item.a);
    }
  });
  items_.clear();
}

void Sgd(const OptimParam& p, double lr) {
  const double a[6] = {lr};
  Run(p, kOptimSgd, nullptr, nullptr, nullptr, a);
}

void Momentum(const OptimParam& p, void* velocity, double lr, double mu, bool nesterov, double l2_decay,
              double rescale) {
  const double a[6] = {lr, mu, nesterov ? 1.0 : 0.0, l2_decay, rescale};
  Run(p, kOptimMomentum, velocity, nullptr, nullptr, a);
}

void Adam(const OptimParam& p, void* m1, void* m2, void* max_m2, const AdamArgs& s) {
  const double lr = s.lr * (s.decoupled ? s.lr_ratio : 1.0), root = std::sqrt(1 - s.beta2_pow);
  const double a[6] = {lr * root / (1 - s.beta1_pow), s.beta1, s.beta2, s.eps * root,
                       s.decoupled ? 1.0 - lr * s.weight_decay : 1.0};
  Run(p, max_m2 ? kOptimAmsgrad : kOptimAdam, m1, m2, max_m2, a);
}

void Adagrad(const OptimParam& p, void* moment, double lr, double eps) {
  const double a[6] = {lr, eps};
  Run(p, kOptimAdagrad, moment, nullptr, nullptr, a);
}

void RmsProp(const OptimParam& p, void* mean_square, void* mean_grad, void* moment, double lr, double rho, double eps,
             double mu, bool centered) {
  const double a[6] = {lr, rho, eps, mu};
  Run(p, centered ? kOptimRmsPropC : kOptimRmsProp, mean_square, moment, centered ? mean_grad : nullptr, a);
}

void Adadelta(const OptimParam& p, void* avg_sq_grad, void* avg_sq_update, double lr, double rho, double eps) {
  const double a[6] = {lr, rho, eps};
  Run(p, kOptimAdadelta, avg_sq_grad, avg_sq_update, nullptr, a);
}

void Adamax(const OptimParam& p, void* moment, void* inf_norm, double lr, double beta1, double beta2, double eps,
            double beta1_pow) {
  const double a[6] = {lr / (1 - beta1_pow), beta1, beta2, eps};
  Run(p, kOptimAdamax, moment, inf_norm, nullptr, a);
}

void Lamb(const OptimParam& p, void* m1, void* m2, const AdamArgs& s, bool always_adapt) {
  const bool f64 = p.t == DataType::FLOAT64;
  const DataType math = f64 ? DataType::FLOAT64 : DataType::FLOAT32;
  Scratch direction(p.n * SizeOf(math));
  void* d = direction.as<void>();
  // The direction is a function of the parameter: the update reads it, so it is computed on a copy-free first pass.
  const double a[6] = {s.beta1, s.beta2, s.eps, s.weight_decay, 1 - s.beta1_pow, 1 - s.beta2_pow};
  Run(p, kOptimLambDir, m1, m2, d, a);
  double trust = 1;
  if (s.weight_decay > 0 || always_adapt) {
    const double pn =
                     std::sqrt(p.master ? SumSquares(DataType::FLOAT32, p.master, p.n) : SumSquares(p.t, p.param, p.n)),
                 dn = std::sqrt(SumSquares(math, d, p.n));
    trust = pn > 0 && dn > 0 ? pn / dn : 1;
  }
  const double b[6] = {s.lr * trust};
  Run(p, kOptimAxpy, d, nullptr, nullptr, b);
}

void NAdam(const OptimParam& p, void* m1, void* m2, double lr, double beta1, double beta2, double eps, double mu_t,
           double mu_t1, double mu_product, double beta2_pow) {
  const double a[6] = {
      lr * mu_t1 / (1 - mu_product * mu_t1), lr * (1 - mu_t) / (1 - mu_product), beta1, beta2, eps, 1 - beta2_pow};
  Run(p, kOptimNAdam, m1, m2, nullptr, a);
}

void RAdam(const OptimParam& p, void* m1, void* m2, double lr, double beta1, double beta2, double eps, double beta1_pow,
           double beta2_pow, double rho_inf, double rho_t) {
  double rect = -1;
  if (rho_t > 5) rect = std::sqrt((rho_t - 4) * (rho_t - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho_t));
  const double a[6] = {lr / (1 - beta1_pow), beta1, beta2, eps, rect, 1 - beta2_pow};
  Run(p, kOptimRAdam, m1, m2, nullptr, a);
}

void Rprop(const OptimParam& p, void* prev_grad, void* learning_rate, double lr_min, double lr_max, double eta_neg,
           double eta_pos) {
  const double a[6] = {lr_min, lr_max, eta_neg, eta_pos};
  Run(p, kOptimRprop, prev_grad, learning_rate, nullptr, a);
}

void Asgd(const OptimParam& p, void* d, void* y, double lr, double n) {
  const double a[6] = {lr, n};
  Run(p, kOptimAsgd, d, y, nullptr, a);
}

double SumSquares(DataType t, const void* x, int64_t n) {
  double total = 0, buf[1024];
  for (int64_t at = 0; at < n; at += 1024) {
    const int64_t k = std::min<int64_t>(1024, n - at);
    Convert(t, static_cast<const char*>(x) + at * SizeOf(t), 1, DataType::FLOAT64, buf, 1, k);
    double part[8] = {};
    for (int64_t i = 0; i < k; ++i) part[i & 7] += buf[i] * buf[i];
    total += ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  }
  return total;
}

}  // namespace phi::cpu
