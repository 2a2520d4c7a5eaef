// SPDX-License-Identifier: Apache-2.0
// Losses that sum over alignments (forward-backward recursions in log space, in float64) or over paths of a tree.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/softmax.h"

namespace phi {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// log(exp(a) + exp(b)).
inline double LogAdd(double a, double b) {
  if (a == kNever) return b;
  if (b == kNever) return a;
  return (a > b ? a : b) + std::log1p(std::exp(-std::fabs(a - b)));
}

// log(exp(a) + exp(b) + exp(c)).
inline double LogAdd(double a, double b, double c) {
  const double top = std::max({a, b, c});
  if (top == kNever) return top;
  // Terms below one unit in the last place of the sum are not worth an exponential; NaN is.
  auto part = [top](double v) { return v - top < -40 ? 0.0 : std::exp(v - top); };
  return top + std::log(part(a) + part(b) + part(c));
}

void CheckFloat(const char* op, const char* name, DataType t) {
  PD_CHECK_DTYPE(t == DataType::FLOAT32 || t == DataType::FLOAT64, "[", op, "] expected ", name,
                 " of float32 or float64, got ", NameOf(t));
}
// Labels [batch, width] and two lengths for each sequence.
void CheckSequences(const char* op, Dim batch, const Meta& label, const Meta& times, const Meta& lengths) {
  auto one_each = [&](const Meta& m) {
    Dim n(1);
    for (Dim d : m.dims) n = n * d;
    return !common::CertainlyDiffer(n, batch);
  };
  PD_CHECK(
      label.dims.size() == 2 && !common::CertainlyDiffer(label.dims[0], batch) && one_each(times) && one_each(lengths),
      InvalidArgument, "[", op, "] expected labels, label lengths and input lengths of ", common::DimText(batch),
      " sequences, got shapes ", common::ShapeText(label.dims), ", ", common::ShapeText(lengths.dims), " and ",
      common::ShapeText(times.dims));
  PD_CHECK(IsInteger(label.dtype) && IsInteger(times.dtype) && IsInteger(lengths.dtype), InvalidArgument, "[", op,
           "] expected integer labels and lengths, got ", NameOf(label.dtype), ", ", NameOf(lengths.dtype), " and ",
           NameOf(times.dtype));
}

// The labels and lengths of a batch, each in its range.
struct Sequences {
  std::vector<int64_t> times, lengths, labels;
  int64_t width;

  Sequences(const char* op, const Tensor& label, const Tensor& t, const Tensor& l, int64_t least_time, int64_t steps,
            int64_t most_labels, int64_t classes, int64_t blank)
      : times(ToIntVector(t)), lengths(ToIntVector(l)), labels(ToIntVector(label)), width(label.dim(1)) {
    const int64_t batch = label.dim(0);
    auto within = [op](const char* what, int64_t v, int64_t low, int64_t high) {
      PD_CHECK(low <= v && v <= high, InvalidArgument, "[", op, "] expected ", what, " from ", low, " to ", high,
               ", got ", v);
    };
    within("a blank", blank, 0, classes - 1);
    for (int64_t b = 0; b < batch; ++b) {
      within("input lengths", times[b], least_time, steps);
      within("label lengths", lengths[b], 0, std::min(width, most_labels));
      for (int64_t u = 0; u < lengths[b]; ++u) within("labels", labels[b * width + u], 0, classes - 1);
    }
  }
  const int64_t* of(int64_t b) const { return labels.data() + b * width; }
};

// The loss of one sequence of CTC. log_p and grad are [time, classes] with rows `stride` apart; grad holds the
// probabilities and leaves with the gradient by the logits.
template <class T>
double CtcOne(const T* log_p, T* grad, int64_t stride, int64_t steps, int64_t time, int64_t classes,
              const int64_t* labels, int64_t length, int64_t blank) {
  const int64_t states = 2 * length + 1;
  auto symbol = [&](int64_t s) { return s % 2 ? labels[s / 2] : blank; };
  auto clear = [&](int64_t from) {
    for (int64_t t = from; t < steps; ++t) std::fill_n(grad + t * stride, classes, T(0));
  };
  clear(time);
  if (time == 0) return length == 0 ? 0 : -kNever;
  std::vector<double> alpha(time * states, kNever), beta(states, kNever), next(states);
  std::vector<char> skips(states + 2, 0);  // whether state s may be reached from s - 2
  for (int64_t s = 3; s < states; s += 2) skips[s] = symbol(s) != symbol(s - 2);
  // State s can be met at time t where the blanks and repeats before and after it leave room.
  auto first = [&](int64_t t) { return std::max<int64_t>(0, states - 2 * (time - t)); };
  auto last = [&](int64_t t) { return std::min(states, 2 * (t + 1)); };
  for (int64_t s = first(0); s < last(0); ++s) alpha[s] = log_p[symbol(s)];
  for (int64_t t = 1; t < time; ++t) {
    const double* before = alpha.data() + (t - 1) * states;
    double* now = alpha.data() + t * states;
    const T* p = log_p + t * stride;
    for (int64_t s = first(t); s < last(t); ++s) {
      now[s] = LogAdd(before[s], s > 0 ? before[s - 1] : kNever, skips[s] ? before[s - 2] : kNever) + p[symbol(s)];
    }
  }
  const double* ends = alpha.data() + (time - 1) * states;
  const double total = states > 1 ? LogAdd(ends[states - 1], ends[states - 2]) : ends[0];
  if (total == kNever) {
    clear(0);
    return -kNever;
  }
  for (int64_t s = std::max<int64_t>(0, states - 2); s < states; ++s) beta[s] = 0;
  for (int64_t t = time - 1; t >= 0; --t) {
    const double* now = alpha.data() + t * states;
    T* g = grad + t * stride;
    for (int64_t s = first(t); s < last(t); ++s) g[symbol(s)] -= static_cast<T>(std::exp(now[s] + beta[s] - total));
    if (t == 0) break;
    const T* p = log_p + t * stride;
    std::fill(next.begin(), next.end(), kNever);
    for (int64_t s = first(t - 1); s < last(t - 1); ++s) {
      next[s] = LogAdd(beta[s] + p[symbol(s)], s + 1 < states ? beta[s + 1] + p[symbol(s + 1)] : kNever,
                       skips[s + 2] ? beta[s + 2] + p[symbol(s + 2)] : kNever);
    }
    beta.swap(next);
  }
  return -total;
}

// The loss of one sequence of a transducer. log_p and grad are [steps, width, classes]; grad is all zero.
template <class T>
double TransducerOne(const T* log_p, T* grad, int64_t width, int64_t time, int64_t classes, const int64_t* labels,
                     int64_t length, int64_t blank, double fastemit) {
  const int64_t n = length + 1;
  auto at = [&](int64_t t, int64_t u) { return (t * width + u) * classes; };
  std::vector<double> alpha(time * n, kNever), beta(n + 1, kNever);
  for (int64_t t = 0; t < time; ++t) {
    for (int64_t u = 0; u < n; ++u) {
      double sum = t == 0 && u == 0 ? 0 : kNever;
      if (t > 0) sum = LogAdd(sum, alpha[(t - 1) * n + u] + log_p[at(t - 1, u) + blank]);
      if (u > 0) sum = LogAdd(sum, alpha[t * n + u - 1] + log_p[at(t, u - 1) + labels[u - 1]]);
      alpha[t * n + u] = sum;
    }
  }
  const double total = alpha[time * n - 1] + log_p[at(time - 1, length) + blank];
  if (total == kNever) return -kNever;
  // beta[u]: of what follows (t + 1, u), then of what follows (t, u).
  for (int64_t t = time - 1; t >= 0; --t) {
    for (int64_t u = length; u >= 0; --u) {
      const double here = alpha[t * n + u] - total;
      const bool end = t == time - 1 && u == length;
      const double stay = log_p[at(t, u) + blank] + (end ? 0 : beta[u]);
      double sum = stay;
      grad[at(t, u) + blank] -= static_cast<T>(std::exp(here + stay));
      if (u < length) {
        const double emit = log_p[at(t, u) + labels[u]] + beta[u + 1];
        grad[at(t, u) + labels[u]] -= static_cast<T>((1 + fastemit) * std::exp(here + emit));
        sum = LogAdd(sum, emit);
      }
      beta[u] = sum;
    }
  }
  return -total;
}

// grad scaled by the gradient of each loss: [outer, batch, inner].
void ScaleRows(const char* op, const Tensor& grad, const Tensor& dloss, const std::vector<double>& factors,
               int64_t outer, Tensor* out) {
  EnsureOut(*out, grad.dims(), grad.dtype());
  if (grad.numel() == 0) return;
  const int64_t batch = static_cast<int64_t>(factors.size());
  PD_CHECK(dloss.numel() == batch, InvalidArgument, "[", op, "] expected the gradients of ", batch,
           " losses, got shape ", common::ShapeText(dloss.dims()));
  const int64_t inner = grad.numel() / (outer * batch);
  ByFloat(grad.dtype(), [&](auto tag) {
    using T = decltype(tag);
    cpu::ParallelFor(0, outer * batch, std::max<int64_t>(1, cpu::kGrain / inner), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T factor = dloss.data<T>()[i % batch] * static_cast<T>(factors[i % batch]);
        const T* from = grad.data<T>() + i * inner;
        T* to = out->data<T>() + i * inner;
        for (int64_t k = 0; k < inner; ++k) to[k] = factor == T(0) ? T(0) : from[k] * factor;
      }
    });
  });
}

}  // namespace

void warpctc_infer(const Meta& logits, const Meta& label, const Meta* times, const Meta* lengths, int64_t, bool,
                   Meta& loss, Meta& grad) {
  CheckFloat("ctc_loss", "logits", logits.dtype);
  PD_CHECK(logits.dims.size() == 3, InvalidArgument, "[ctc_loss] expected logits [time, batch, classes], got shape ",
           common::ShapeText(logits.dims));
  PD_CHECK(times && lengths, InvalidArgument, "[ctc_loss] expected the lengths of logits and labels, got None");
  CheckSequences("ctc_loss", logits.dims[1], label, *times, *lengths);
  loss = {Dims{logits.dims[1], Dim(1)}, logits.dtype};
  grad = logits;
}
int64_t warpctc_workspace(const Meta& logits, const Meta&, const Meta*, const Meta*, int64_t, bool) {
  return WorkspaceFor(logits.dims, ComputeType(logits.dtype));
}
void warpctc_kernel(const Tensor& logits, const Tensor& label, const Tensor& times, const Tensor& lengths,
                    int64_t blank, bool, Tensor& loss, Tensor& grad) {
  const int64_t steps = logits.dim(0), batch = logits.dim(1), classes = logits.dim(2);
  const Sequences s("ctc_loss", label, times, lengths, 0, steps, label.dim(1), classes, blank);
  const ScratchTensor logs(logits.dims(), logits.dtype());
  const Tensor& log_p = logs.tensor;
  cpu::LogSoftmax(logits.dtype(), logits.raw_data(), steps * batch, classes, 1, log_p.raw_data());
  cpu::Softmax(logits.dtype(), logits.raw_data(), steps * batch, classes, 1, grad.raw_data());
  ByFloat(logits.dtype(), [&](auto tag) {
    using T = decltype(tag);
    cpu::ParallelFor(0, batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t from = b * classes;
        loss.data<T>()[b] = static_cast<T>(CtcOne(log_p.data<T>() + from, grad.data<T>() + from, batch * classes, steps,
                                                  s.times[b], classes, s.of(b), s.lengths[b], blank));
      }
    });
  });
}
void warpctc_grad_kernel(const Tensor& times, const Tensor& grad, const Tensor& dloss, const Tensor&, int64_t,
                         bool norm_by_times, Tensor* dlogits) {
  if (!dlogits || !dloss.defined()) return;
  std::vector<double> factors(grad.dim(1), 1.0);
  if (norm_by_times) {
    PD_CHECK(times.defined() && times.numel() == grad.dim(1), InvalidArgument,
             "[warpctc_grad] expected the lengths of ", factors.size(), " sequences, got ",
             times.defined() ? "shape " + common::ShapeText(times.dims()) : "none");
    const std::vector<int64_t> own = ToIntVector(times);
    for (size_t b = 0; b < factors.size(); ++b) factors[b] = 1.0 / std::max<int64_t>(own[b], 1);
  }
  ScaleRows("warpctc_grad", grad, dloss, factors, grad.dim(0), dlogits);
}

void warprnnt_infer(const Meta& x, const Meta& label, const Meta& times, const Meta& lengths, int64_t, double,
                    Meta& loss, Meta& grad) {
  CheckFloat("rnnt_loss", "input", x.dtype);
  PD_CHECK(x.dims.size() == 4, InvalidArgument,
           "[rnnt_loss] expected input [batch, time, labels + 1, classes], got shape ", common::ShapeText(x.dims));
  CheckSequences("rnnt_loss", x.dims[0], label, times, lengths);
  loss = {Dims{x.dims[0]}, x.dtype};
  grad = x;
}
void warprnnt_kernel(const Tensor& input, const Tensor& label, const Tensor& times, const Tensor& lengths,
                     int64_t blank, double fastemit, Tensor& loss, Tensor& grad) {
  const int64_t batch = input.dim(0), steps = input.dim(1), width = input.dim(2), classes = input.dim(3);
  const Sequences s("rnnt_loss", label, times, lengths, 1, steps, width - 1, classes, blank);
  cpu::Zero(grad.raw_data(), grad.numel() * SizeOf(grad.dtype()));
  ByFloat(input.dtype(), [&](auto tag) {
    using T = decltype(tag);
    cpu::ParallelFor(0, batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t from = b * steps * width * classes;
        loss.data<T>()[b] = static_cast<T>(TransducerOne(input.data<T>() + from, grad.data<T>() + from, width,
                                                         s.times[b], classes, s.of(b), s.lengths[b], blank, fastemit));
      }
    });
  });
}
void warprnnt_grad_kernel(const Tensor& grad, const Tensor& dloss, const Tensor&, int64_t, double, Tensor* dinput) {
  if (!dinput || !dloss.defined()) return;
  ScaleRows("warprnnt_grad", grad, dloss, std::vector<double>(grad.dim(0), 1.0), 1, dinput);
}

namespace {

// The logit of a node is read within these bounds. As in PaddlePaddle, the gradient is that of the loss without them.
constexpr double kMostLogit = 40;

// The inner nodes from the root to a class and which way they turn. In the complete binary tree, class c is leaf
// number c + classes and node k of the weights has number k + 1.
struct Tree {
  int64_t classes, rows, depth;
  std::vector<int64_t> labels, nodes, turns;

  Tree(const Tensor& x, const Tensor& label, const Tensor& w, const Tensor& bias, const Tensor& path,
       const Tensor& code, int64_t classes)
      : classes(classes), rows(path.defined() ? path.dim(0) : label.numel()) {
    const int64_t most = w.dim(0);
    PD_CHECK(rows == x.dim(0), InvalidArgument, "[hsigmoid_loss] expected labels of ", x.dim(0), " rows, got ", rows);
    PD_CHECK(path.defined() || most >= classes - 1, InvalidArgument, "[hsigmoid_loss] expected a weight of ",
             classes - 1, " rows for ", classes, " classes, got shape ", common::ShapeText(w.dims()));
    PD_CHECK(!bias.defined() || bias.numel() >= most, InvalidArgument, "[hsigmoid_loss] expected a bias of ", most,
             " numbers, got shape ", common::ShapeText(bias.dims()));
    if (path.defined()) {
      depth = path.dim(1);
      nodes = ToIntVector(path), turns = ToIntVector(code);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t d = 0; d < depth && nodes[r * depth + d] >= 0; ++d)
          PD_CHECK(nodes[r * depth + d] < most, InvalidArgument, "[hsigmoid_loss] expected nodes below ", most,
                   ", the rows of weight, got ", nodes[r * depth + d]);
      return;
    }
    labels = ToIntVector(label);
    depth = std::bit_width(static_cast<uint64_t>(classes - 1));
    for (int64_t c : labels)
      PD_CHECK(0 <= c && c < classes, InvalidArgument, "[hsigmoid_loss] expected labels in [0, ", classes, "), got ",
               c);
  }
  // f(place, node, turn) for the nodes of a row.
  template <class F>
  void Walk(int64_t row, F&& f) const {
    if (labels.empty()) {
      for (int64_t d = 0; d < depth && nodes[row * depth + d] >= 0; ++d)
        f(d, nodes[row * depth + d], turns[row * depth + d] != 0);
      return;
    }
    const uint64_t number = static_cast<uint64_t>(labels[row]) + static_cast<uint64_t>(classes);
    const int64_t used = std::bit_width(number) - 1;
    for (int64_t d = 0; d < used; ++d) f(d, static_cast<int64_t>(number >> (d + 1)) - 1, (number >> d) % 2 == 1);
  }
};

template <class T>
T Dot(const T* a, const T* b, int64_t n) {
  constexpr int64_t kLanes = 16;
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  T sum = 0;
  for (T v : lanes) sum += v;
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void hsigmoid_loss_infer(const Meta& x, const Meta& label, const Meta& w, const Meta* bias, const Meta* path,
                         const Meta* code, int64_t classes, bool, Meta& out, Meta& pre_out, Meta& w_out) {
  CheckFloat("hsigmoid_loss", "x", x.dtype);
  PD_CHECK(w.dtype == x.dtype && (!bias || bias->dtype == x.dtype), InvalidArgument,
           "[hsigmoid_loss] expected weight and bias of the dtype of x, ", NameOf(x.dtype), ", got ", NameOf(w.dtype),
           bias ? std::string(" and ") + std::string(NameOf(bias->dtype)) : "");
  PD_CHECK(x.dims.size() == 2 && w.dims.size() == 2 && !common::CertainlyDiffer(x.dims[1], w.dims[1]), InvalidArgument,
           "[hsigmoid_loss] expected x [N, D] and weight [nodes, D], got shapes ", common::ShapeText(x.dims), " and ",
           common::ShapeText(w.dims));
  PD_CHECK(!path == !code, InvalidArgument, "[hsigmoid_loss] expected path and code together, got ",
           path ? "path" : "code", " alone");
  const Meta& rows = path ? *path : label;
  PD_CHECK(!rows.dims.empty() && !common::CertainlyDiffer(rows.dims[0], x.dims[0]), InvalidArgument,
           "[hsigmoid_loss] expected ", path ? "paths" : "labels", " of ", common::DimText(x.dims[0]),
           " rows, got shape ", common::ShapeText(rows.dims));
  PD_CHECK(IsInteger(label.dtype) && (!path || (IsInteger(path->dtype) && IsInteger(code->dtype))), InvalidArgument,
           "[hsigmoid_loss] expected integer labels, paths and codes, got ", NameOf(rows.dtype));
  Dim depth(0);
  if (path) {
    PD_CHECK(path->dims.size() == 2 && code->dims.size() == 2 &&
                 !common::CertainlyDiffer(path->dims[0], code->dims[0]) &&
                 !common::CertainlyDiffer(path->dims[1], code->dims[1]),
             InvalidArgument, "[hsigmoid_loss] expected path and code of one shape [N, depth], got ",
             common::ShapeText(path->dims), " and ", common::ShapeText(code->dims));
    depth = path->dims[1];
  } else {
    PD_CHECK(classes >= 2, InvalidArgument, "[hsigmoid_loss] expected num_classes of at least 2, got ", classes);
    depth = Dim(static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(classes - 1))));
  }
  out = {Dims{x.dims[0], Dim(1)}, x.dtype};
  pre_out = {Dims{x.dims[0], depth}, x.dtype};
  w_out = {Dims{Dim(0)}, x.dtype};
}
void hsigmoid_loss_kernel(const Tensor& x, const Tensor& label, const Tensor& w, const Tensor& bias, const Tensor& path,
                          const Tensor& code, int64_t classes, bool, Tensor& out, Tensor& pre_out, Tensor&) {
  const int64_t n = x.dim(1);
  const Tree tree(x, label, w, bias, path, code, classes);
  ByFloat(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const int64_t grain = std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, tree.depth * n));
    cpu::ParallelFor(0, tree.rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        // A place that a short path does not use counts log(2), as in PaddlePaddle.
        T* terms = pre_out.data<T>() + r * tree.depth;
        std::fill_n(terms, tree.depth, static_cast<T>(std::log(2.0)));
        T sum = 0;
        tree.Walk(r, [&](int64_t d, int64_t node, bool turn) {
          T z = Dot(x.data<T>() + r * n, w.data<T>() + node * n, n);
          if (bias.defined()) z += bias.data<T>()[node];
          z = z < T(-kMostLogit) ? T(-kMostLogit) : z > T(kMostLogit) ? T(kMostLogit) : z;
          terms[d] = std::log(1 + std::exp(z));
          if (turn) sum -= z;
        });
        for (int64_t d = 0; d < tree.depth; ++d) sum += terms[d];
        out.data<T>()[r] = sum;
      }
    });
  });
}
void hsigmoid_loss_grad_kernel(const Tensor& x, const Tensor& label, const Tensor& w, const Tensor& bias,
                               const Tensor& path, const Tensor& code, const Tensor& pre_out, const Tensor& dout,
                               const Tensor&, const Tensor&, int64_t classes, bool, Tensor* dx, Tensor* dw,
                               Tensor* dbias) {
  if (!dout.defined()) return;
  const int64_t n = x.dim(1);
  const Tree tree(x, label, w, bias, path, code, classes);
  PD_CHECK(pre_out.numel() == tree.rows * tree.depth && dout.numel() == tree.rows, InvalidArgument,
           "[hsigmoid_loss_grad] expected pre_out [", tree.rows, ", ", tree.depth, "] and a gradient of each row, got ",
           common::ShapeText(pre_out.dims()), " and ", common::ShapeText(dout.dims()));
  auto zeros = [](Tensor* to, const Tensor& like) {
    if (!to) return;
    EnsureOut(*to, like.dims(), like.dtype());
    cpu::Zero(to->raw_data(), to->numel() * SizeOf(to->dtype()));
  };
  zeros(dx, x), zeros(dw, w);
  if (bias.defined()) zeros(dbias, bias);
  ByFloat(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    // The derivative by a logit: its sigmoid less the turn.
    auto by_logit = [&](int64_t r, int64_t d, bool turn) {
      return (-std::expm1(-pre_out.data<T>()[r * tree.depth + d]) - T(turn)) * dout.data<T>()[r];
    };
    auto add = [](T* to, T by, const T* from, int64_t count) {
      for (int64_t k = 0; k < count; ++k) to[k] += by * from[k];
    };
    if (dx) {
      const int64_t grain = std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, tree.depth * n));
      cpu::ParallelFor(0, tree.rows, grain, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r)
          tree.Walk(r, [&](int64_t d, int64_t node, bool turn) {
            add(dx->data<T>() + r * n, by_logit(r, d, turn), w.data<T>() + node * n, n);
          });
      });
    }
    // Rows share nodes: each thread has columns of its own.
    if (dw) {
      const int64_t grain = std::max<int64_t>(32, cpu::kGrain / std::max<int64_t>(1, tree.rows * tree.depth));
      cpu::ParallelFor(0, n, grain, [&](int64_t begin, int64_t end) {
        for (int64_t r = 0; r < tree.rows; ++r)
          tree.Walk(r, [&](int64_t d, int64_t node, bool turn) {
            add(dw->data<T>() + node * n + begin, by_logit(r, d, turn), x.data<T>() + r * n + begin, end - begin);
          });
      });
    }
    if (dbias && bias.defined())
      for (int64_t r = 0; r < tree.rows; ++r)
        tree.Walk(r, [&](int64_t d, int64_t node, bool turn) { dbias->data<T>()[node] += by_logit(r, d, turn); });
  });
}

}  // namespace phi
