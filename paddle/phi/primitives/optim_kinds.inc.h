// SPDX-License-Identifier: Apache-2.0
// The update rules optim.cc asks optim.isa.cc for, and where each finds its numbers in the argument array.
#pragma once

namespace phi {

enum OptimKind {
  kOptimSgd,       // lr
  kOptimMomentum,  // lr, mu, nesterov, l2, rescale; state: velocity
  kOptimAdam,      // step, beta1, beta2, eps, keep; state: m1, m2
  kOptimAmsgrad,   // the same; state: m1, m2, max m2
  kOptimAdagrad,   // lr, eps; state: moment
  kOptimRmsProp,   // lr, rho, eps, mu; state: mean square, moment
  kOptimRmsPropC,  // the same, centred; state: mean square, moment, mean grad
  kOptimAdadelta,  // lr, rho, eps; state: squared gradient, squared update
  kOptimAdamax,    // step, beta1, beta2, eps; state: moment, inf norm
  kOptimNAdam,     // c_m, c_g, beta1, beta2, eps, bias2; state: m1, m2
  kOptimRAdam,     // c_m, beta1, beta2, eps, rectified (< 0: no), bias2; state: m1, m2
  kOptimRprop,     // lr_min, lr_max, eta_neg, eta_pos; state: previous gradient, learning rate
  kOptimAsgd,      // lr, n; state: d, y
  kOptimLambDir,   // beta1, beta2, eps, decay, bias1, bias2; state: m1, m2, out: direction
  kOptimAxpy,      // step; state: direction
};

}  // namespace phi
