// SPDX-License-Identifier: Apache-2.0
// Optimizer steps: the tensors of an op mapped to the fused update kernels. Results are the input handles themselves.
#include <cmath>

#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/optim.h"

namespace phi {
namespace {

// A parameter with its gradient as the kernels want them: contiguous, the gradient of the parameter's dtype or float32.
struct Step {
  cpu::OptimParam p;
  Tensor grad;
  bool own = false;  // the gradient is a copy
};

Step Prepare(const char* op, const Tensor& param, const Tensor& grad, const Tensor& master) {
  PD_CHECK(grad.dims() == param.dims(), InvalidArgument, "[", op, "] expected a gradient of the parameter's shape ",
           common::ShapeText(param.dims()), ", got ", common::ShapeText(grad.dims()));
  PD_CHECK(IsFloating(param.dtype()), InvalidType, "[", op, "] expected a floating parameter, got ",
           NameOf(param.dtype()));
  PD_CHECK(param.is_contiguous(), InvalidArgument, "[", op, "] expected a contiguous parameter, got strides ",
           common::ShapeText(param.strides()));
  Step s;
  s.grad = Contiguous(grad.dtype() == param.dtype() || grad.dtype() == DataType::FLOAT32 ? grad
                                                                                         : CastTo(grad, param.dtype()));
  s.own = s.grad.impl() != grad.impl();
  s.p.t = param.dtype();
  s.p.n = param.numel();
  s.p.param = param.raw_data();
  s.p.grad = s.grad.raw_data();
  s.p.grad_t = s.grad.dtype();
  PD_CHECK(!master.defined() ||
               (master.dtype() == DataType::FLOAT32 && master.numel() == param.numel() && master.is_contiguous()),
           InvalidArgument, "[", op, "] expected a contiguous master_param of float32 and the parameter's shape ",
           common::ShapeText(param.dims()), ", got ", NameOf(master.dtype()), " ", common::ShapeText(master.dims()));
  s.p.master = master.defined() ? master.raw_data() : nullptr;
  return s;
}

// Numbers are kept in tensors of one element, or (nadam, radam) in the first element of one like the parameter.
void CheckOne(const Tensor& t) {
  PD_CHECK(t.numel() > 0, InvalidArgument, "[optimizer] expected a tensor of one element, got shape ",
           common::ShapeText(t.dims()));
}
double One(const Tensor& t) {
  CheckOne(t);
  if (t.dtype() == DataType::FLOAT32) return *t.data<float>();
  if (t.dtype() == DataType::FLOAT64) return *t.data<double>();
  return ScalarAsDouble(t);
}
void SetOne(const Tensor& t, double v) {
  CheckOne(t);
  if (t.dtype() == DataType::FLOAT64)
    *t.data<double>() = v;
  else if (t.dtype() == DataType::FLOAT32)
    *t.data<float>() = static_cast<float>(v);
  else
    CopyInto(FullLike(t.dims(), t.dtype(), v), t);
}
// For state of the parameter's shape with one value.
void Fill(const Tensor& t, double v) { CopyInto(FullLike(t.dims(), t.dtype(), v), t); }
bool Skip(const Tensor& skip) { return skip.defined() && ScalarAsDouble(skip) != 0; }

// State must be what the kernels compute in.
void* State(const char* op, const char* what, const Tensor& t, const Tensor& param) {
  DataType want = param.dtype() == DataType::FLOAT64 ? DataType::FLOAT64 : DataType::FLOAT32;
  PD_CHECK(t.defined() && t.numel() == param.numel() && t.is_contiguous(), InvalidArgument, "[", op,
           "] expected contiguous ", what, " of the parameter's shape ", common::ShapeText(param.dims()), ", got ",
           t.defined() ? common::ShapeText(t.dims()) : "none");
  PD_CHECK(t.dtype() == want, InvalidType, "[", op, "] expected ", what, " of dtype ", NameOf(want), ", got ",
           NameOf(t.dtype()));
  return t.raw_data();
}

// Runs `f` on float32 copies of the state when it is kept in half precision.
class HalfState {
 public:
  HalfState(const char* op, const char* what, const Tensor& t, const Tensor& param) : kept_(t) {
    if (t.defined() && IsHalf(t.dtype())) wide_ = CastTo(t, DataType::FLOAT32);
    ptr_ = State(op, what, wide_.defined() ? wide_ : t, param);
  }
  ~HalfState() {
    if (wide_.defined()) CopyInto(wide_, kept_);
  }
  operator void*() const { return ptr_; }
  bool wide() const { return wide_.defined(); }

 private:
  Tensor kept_, wide_;
  void* ptr_;
};

void AdamStep(const char* op, const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& m1,
              const Tensor& m2, const Tensor& max_m2, const Tensor& b1p, const Tensor& b2p, const Tensor& master,
              cpu::AdamArgs a, const Scalar& beta1, const Scalar& beta2, const Scalar& eps, bool global_pow,
              bool amsgrad) {
  Step s = Prepare(op, param, grad, master);
  a.lr = One(lr);
  a.beta1 = beta1.to_double();
  a.beta2 = beta2.to_double();
  a.eps = eps.to_double();
  a.beta1_pow = One(b1p);
  a.beta2_pow = One(b2p);
  if (param.numel()) {
    HalfState h1(op, "moment1", m1, param), h2(op, "moment2", m2, param);
    s.p.lasts = !s.own && !h1.wide() && !h2.wide();
    cpu::Adam(s.p, h1, h2, amsgrad ? State(op, "moment2_max", max_m2, param) : nullptr, a);
  }
  if (!global_pow) {
    SetOne(b1p, a.beta1_pow * a.beta1);
    SetOne(b2p, a.beta2_pow * a.beta2);
  }
}

}  // namespace

void sgd_kernel(const Tensor& param, const Tensor& lr, const Tensor& grad, const Tensor& master, bool,
                Tensor& param_out, Tensor& master_out) {
  Step s = Prepare("sgd", param, grad, master);
  s.p.lasts = !s.own;
  cpu::Sgd(s.p, One(lr));
  param_out = param;
  master_out = master;
}

void momentum_kernel(const Tensor& param, const Tensor& grad, const Tensor& velocity, const Tensor& lr,
                     const Tensor& master, double mu, bool nesterov, const std::string& method, double coeff, bool,
                     double rescale, Tensor& param_out, Tensor& velocity_out, Tensor& master_out) {
  Step s = Prepare("momentum", param, grad, master);
  HalfState v("momentum", "velocity", velocity, param);
  s.p.lasts = !s.own && !v.wide();
  cpu::Momentum(s.p, v, One(lr), mu, nesterov, method == "l2_decay" ? coeff : 0.0, rescale);
  param_out = param;
  velocity_out = velocity;
  master_out = master;
}

void adam_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& m1, const Tensor& m2,
                 const Tensor& max_m2, const Tensor& b1p, const Tensor& b2p, const Tensor& master, const Tensor& skip,
                 const Scalar& beta1, const Scalar& beta2, const Scalar& eps, bool, int64_t, bool, bool global_pow,
                 bool amsgrad, Tensor& o0, Tensor& o1, Tensor& o2, Tensor& o3, Tensor& o4, Tensor& o5, Tensor& o6) {
  if (!Skip(skip))
    AdamStep("adam", param, grad, lr, m1, m2, max_m2, b1p, b2p, master, {}, beta1, beta2, eps, global_pow, amsgrad);
  o0 = param, o1 = m1, o2 = m2, o3 = max_m2, o4 = b1p, o5 = b2p, o6 = master;
}

void adamw_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& m1, const Tensor& m2,
                  const Tensor& max_m2, const Tensor& b1p, const Tensor& b2p, const Tensor& master, const Tensor& skip,
                  const Scalar& beta1, const Scalar& beta2, const Scalar& eps, double lr_ratio, double coeff,
                  bool with_decay, bool, int64_t, bool, bool global_pow, bool amsgrad, Tensor& o0, Tensor& o1,
                  Tensor& o2, Tensor& o3, Tensor& o4, Tensor& o5, Tensor& o6) {
  if (!Skip(skip)) {
    cpu::AdamArgs a;
    a.decoupled = with_decay;
    a.weight_decay = with_decay ? coeff : 0;
    a.lr_ratio = lr_ratio;
    AdamStep("adamw", param, grad, lr, m1, m2, max_m2, b1p, b2p, master, a, beta1, beta2, eps, global_pow, amsgrad);
  }
  o0 = param, o1 = m1, o2 = m2, o3 = max_m2, o4 = b1p, o5 = b2p, o6 = master;
}

void adagrad_kernel(const Tensor& param, const Tensor& grad, const Tensor& moment, const Tensor& lr,
                    const Tensor& master, double eps, bool, Tensor& o0, Tensor& o1, Tensor& o2) {
  Step s = Prepare("adagrad", param, grad, master);
  cpu::Adagrad(s.p, HalfState("adagrad", "moment", moment, param), One(lr), eps);
  o0 = param, o1 = moment, o2 = master;
}

void rmsprop_kernel(const Tensor& param, const Tensor& ms, const Tensor& grad, const Tensor& mom, const Tensor& lr,
                    const Tensor& mg, const Tensor& master, double eps, double decay, double momentum, bool centered,
                    bool, Tensor& o0, Tensor& o1, Tensor& o2, Tensor& o3, Tensor& o4) {
  Step s = Prepare("rmsprop", param, grad, master);
  cpu::RmsProp(s.p, State("rmsprop", "mean_square", ms, param),
               centered ? State("rmsprop", "mean_grad", mg, param) : nullptr, State("rmsprop", "moment", mom, param),
               One(lr), decay, eps, momentum, centered);
  o0 = param, o1 = mom, o2 = ms, o3 = mg, o4 = master;
}

void adadelta_kernel(const Tensor& param, const Tensor& grad, const Tensor& ag, const Tensor& au, const Tensor& lr,
                     const Tensor& master, double rho, double eps, bool, Tensor& o0, Tensor& o1, Tensor& o2,
                     Tensor& o3) {
  Step s = Prepare("adadelta", param, grad, master);
  cpu::Adadelta(s.p, State("adadelta", "avg_squared_grad", ag, param),
                State("adadelta", "avg_squared_update", au, param), One(lr), rho, eps);
  o0 = param, o1 = ag, o2 = au, o3 = master;
}

void adamax_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& moment, const Tensor& inf,
                   const Tensor& b1p, const Tensor& master, double beta1, double beta2, double eps, bool, Tensor& o0,
                   Tensor& o1, Tensor& o2, Tensor& o3) {
  Step s = Prepare("adamax", param, grad, master);
  cpu::Adamax(s.p, State("adamax", "moment", moment, param), State("adamax", "inf_norm", inf, param), One(lr), beta1,
              beta2, eps, One(b1p));
  o0 = param, o1 = moment, o2 = inf, o3 = master;
}

void lamb_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& m1, const Tensor& m2,
                 const Tensor& b1p, const Tensor& b2p, const Tensor& master, const Tensor& skip, double weight_decay,
                 double beta1, double beta2, double eps, bool always_adapt, bool, Tensor& o0, Tensor& o1, Tensor& o2,
                 Tensor& o3, Tensor& o4, Tensor& o5) {
  if (!Skip(skip)) {
    Step s = Prepare("lamb", param, grad, master);
    cpu::AdamArgs a;
    a.lr = One(lr), a.beta1 = beta1, a.beta2 = beta2, a.eps = eps, a.weight_decay = weight_decay,
    a.beta1_pow = One(b1p), a.beta2_pow = One(b2p);
    cpu::Lamb(s.p, State("lamb", "moment1", m1, param), State("lamb", "moment2", m2, param), a, always_adapt);
    SetOne(b1p, a.beta1_pow * beta1);
    SetOne(b2p, a.beta2_pow * beta2);
  }
  o0 = param, o1 = m1, o2 = m2, o3 = b1p, o4 = b2p, o5 = master;
}

void nadam_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& decay_pow, const Tensor& b2p,
                  const Tensor& mu_product, const Tensor& m1, const Tensor& m2, const Tensor& master, double beta1,
                  double beta2, double eps, double momentum_decay, bool, Tensor& o0, Tensor& o1, Tensor& o2, Tensor& o3,
                  Tensor& o4, Tensor& o5, Tensor& o6) {
  o0 = param, o1 = decay_pow, o2 = b2p, o3 = mu_product, o4 = m1, o5 = m2, o6 = master;
  Step s = Prepare("nadam", param, grad, master);
  if (param.numel() == 0) return;
  // mu_t = beta1 * (1 - 0.5 * 0.96^(t * momentum_decay)); decay_pow holds 0.96^t.
  double pow_t = One(decay_pow) * 0.96, b2 = One(b2p) * beta2;
  double mu = beta1 * (1 - 0.5 * std::pow(pow_t, momentum_decay)),
         mu1 = beta1 * (1 - 0.5 * std::pow(pow_t * 0.96, momentum_decay));
  double product = One(mu_product) * mu;
  cpu::NAdam(s.p, State("nadam", "moment1", m1, param), State("nadam", "moment2", m2, param), One(lr), beta1, beta2,
             eps, mu, mu1, product, b2);
  Fill(decay_pow, pow_t);
  Fill(b2p, b2);
  Fill(mu_product, product);
}

void radam_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& b1p, const Tensor& b2p,
                  const Tensor& rho, const Tensor& m1, const Tensor& m2, const Tensor& master, double beta1,
                  double beta2, double eps, bool, Tensor& o0, Tensor& o1, Tensor& o2, Tensor& o3, Tensor& o4,
                  Tensor& o5, Tensor& o6) {
  o0 = param, o1 = b1p, o2 = b2p, o3 = rho, o4 = m1, o5 = m2, o6 = master;
  Step s = Prepare("radam", param, grad, master);
  if (param.numel() == 0) return;
  double b1 = One(b1p) * beta1, b2 = One(b2p) * beta2, rho_inf = 2 / (1 - beta2) - 1;
  // rho holds t * beta2^t / (1 - beta2^t) as a running value: (rho * (beta2 - beta2^t) + beta2^t) / (1 - beta2^t).
  double r = (One(rho) * (beta2 - b2) + b2) / (1 - b2);
  cpu::RAdam(s.p, State("radam", "moment1", m1, param), State("radam", "moment2", m2, param), One(lr), beta1, beta2,
             eps, b1, b2, rho_inf, rho_inf - 2 * r);
  Fill(b1p, b1);
  Fill(b2p, b2);
  Fill(rho, r);
}

void rprop_kernel(const Tensor& param, const Tensor& grad, const Tensor& prev, const Tensor& lr, const Tensor& master,
                  const Tensor& range, const Tensor& etas, bool, Tensor& o0, Tensor& o1, Tensor& o2, Tensor& o3) {
  Step s = Prepare("rprop", param, grad, master);
  PD_CHECK(range.numel() == 2 && etas.numel() == 2, InvalidArgument,
           "[rprop] expected two numbers in learning_rate_range and in etas, got shapes ",
           common::ShapeText(range.dims()), " and ", common::ShapeText(etas.dims()));
  Tensor r = Contiguous(CastTo(range, DataType::FLOAT64)), e = Contiguous(CastTo(etas, DataType::FLOAT64));
  cpu::Rprop(s.p, State("rprop", "prev", prev, param), State("rprop", "learning_rate", lr, param), r.data<double>()[0],
             r.data<double>()[1], e.data<double>()[0], e.data<double>()[1]);
  o0 = param, o1 = prev, o2 = lr, o3 = master;
}

void asgd_kernel(const Tensor& param, const Tensor& grad, const Tensor& lr, const Tensor& d, const Tensor& y,
                 const Tensor& n, const Tensor& master, bool, Tensor& o0, Tensor& o1, Tensor& o2, Tensor& o3) {
  Step s = Prepare("asgd", param, grad, master);
  cpu::Asgd(s.p, State("asgd", "d", d, param), State("asgd", "y", y, param), One(lr), One(n));
  o0 = param, o1 = d, o2 = y, o3 = master;
}

}  // namespace phi
