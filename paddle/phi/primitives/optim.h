// SPDX-License-Identifier: Apache-2.0
// Fused optimizer updates on contiguous parameters, in place, with denormals flushed to zero.
#pragma once

#include <vector>

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/threads.h"

namespace phi::cpu {

// One parameter. t: type of param and grad (f32 f64 f16 bf16). State, master and arithmetic have MathType: f64 with
// f64, else f32. master (may be null): the f32 copy of a half parameter; it is updated and param receives the rounded
// value. Without it, a half param is widened, updated, rounded.
struct OptimParam {
  DataType t = DataType::FLOAT32;
  int64_t n = 0;
  void* param = nullptr;
  const void* grad = nullptr;
  void* master = nullptr;
  DataType grad_t = DataType::UNDEFINED;  // UNDEFINED = t; may be FLOAT32 with half params
  bool lasts = false;                     // all memory of this update outlives an UpdateBatch around the call
};

// While it lives, updates on this thread that may wait (OptimParam::lasts, nothing to convert) are collected; Finish,
// or else the destructor, runs them in one loop over all their elements, on as many threads as these are worth. Their
// results are those of updates run one by one, if no update reads or writes what another one writes.
class UpdateBatch {
 public:
  UpdateBatch();
  ~UpdateBatch();
  UpdateBatch(const UpdateBatch&) = delete;
  UpdateBatch& operator=(const UpdateBatch&) = delete;
  void Finish();

  struct Item {
    int kind;
    bool f64;
    void* ptrs[5];  // param, grad, state
    int64_t n;
    double a[6];
  };
  void Add(const Item& item) { items_.push_back(item); }

 private:
  UpdateBatch* old_;
  std::vector<Item> items_;
};

void Sgd(const OptimParam& p, double lr);
// regularization: grad += l2_decay * param; grad *= rescale first. velocity = mu * velocity + grad;
// param -= lr * (nesterov ? grad + mu * velocity : velocity).
void Momentum(const OptimParam& p, void* velocity, double lr, double mu, bool nesterov, double l2_decay,
              double rescale);

struct AdamArgs {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double beta1_pow = 0.9, beta2_pow = 0.999;  // before this step's multiplication, as PaddlePaddle keeps them
  double weight_decay = 0;                    // AdamW's coefficient
  double lr_ratio = 1;                        // AdamW
  bool decoupled = false;                     // AdamW: param *= 1 - lr * lr_ratio * weight_decay first
};
// m1 = b1 m1 + (1-b1) g; m2 = b2 m2 + (1-b2) g^2; lr_t = lr sqrt(1-b2pow) / (1-b1pow);
// param -= lr_t * m1 / (sqrt(m2) + eps * sqrt(1-b2pow)). max_m2 (amsgrad) may be null. The caller multiplies the powers
// afterwards.
void Adam(const OptimParam& p, void* m1, void* m2, void* max_m2, const AdamArgs& a);
// moment += g^2; param -= lr * g / (sqrt(moment) + eps).
void Adagrad(const OptimParam& p, void* moment, double lr, double eps);
// mean_square = rho ms + (1-rho) g^2; centered: mean_grad too; mom = mu mom + lr g / sqrt(ms - mg^2 + eps); param -=
// mom.
void RmsProp(const OptimParam& p, void* mean_square, void* mean_grad, void* moment, double lr, double rho, double eps,
             double mu, bool centered);
// avg_sq_grad, avg_sq_update: update = -sqrt((au + eps) / (ag + eps)) * g; param += lr * update.
void Adadelta(const OptimParam& p, void* avg_sq_grad, void* avg_sq_update, double lr, double rho, double eps);
// m = b1 m + (1-b1) g; inf = max(|g|, b2 inf + eps); param -= lr / (1 - beta1_pow) * m / inf.
void Adamax(const OptimParam& p, void* moment, void* inf_norm, double lr, double beta1, double beta2, double eps,
            double beta1_pow);
// LAMB: trust ratio |param| / |update| with decoupled weight decay; powers before multiplication.
void Lamb(const OptimParam& p, void* m1, void* m2, const AdamArgs& a, bool always_adapt);
// NAdam and RAdam keep their scalar state in the caller.
void NAdam(const OptimParam& p, void* m1, void* m2, double lr, double beta1, double beta2, double eps, double mu_t,
           double mu_t1, double mu_product, double beta2_pow);
void RAdam(const OptimParam& p, void* m1, void* m2, double lr, double beta1, double beta2, double eps, double beta1_pow,
           double beta2_pow, double rho_inf, double rho_t);
void Rprop(const OptimParam& p, void* prev_grad, void* learning_rate, double lr_min, double lr_max, double eta_neg,
           double eta_pos);
void Asgd(const OptimParam& p, void* d, void* y, double lr, double n);

// Sum of squares of one gradient (for global norm clipping), in f64; deterministic.
double SumSquares(DataType t, const void* x, int64_t n);

}  // namespace phi::cpu
