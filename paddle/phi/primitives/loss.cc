// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/reduce.h"
#include "paddle/phi/primitives/softmax.h"
#include "paddle/phi/primitives/wide_bytes.h"

namespace phi::cpu {
namespace {

int64_t LabelAt(DataType t, const void* labels, int64_t i) {
  if (t == DataType::INT64) return static_cast<const int64_t*>(labels)[i];
  if (t == DataType::INT32) return static_cast<const int32_t*>(labels)[i];
  int64_t v;
  Convert(t, static_cast<const char*>(labels) + i * SizeOf(t), 1, DataType::INT64, &v, 1, 1);
  return v;
}
double At(DataType t, const void* p, int64_t i) {
  if (t == DataType::FLOAT32) return static_cast<const float*>(p)[i];
  if (t == DataType::FLOAT64) return static_cast<const double*>(p)[i];
  double v;
  Convert(t, static_cast<const char*>(p) + i * SizeOf(t), 1, DataType::FLOAT64, &v, 1, 1);
  return v;
}
void Put(DataType t, void* p, int64_t i, double v) {
  if (t == DataType::FLOAT32) {
    static_cast<float*>(p)[i] = static_cast<float>(v);
    return;
  }
  Convert(DataType::FLOAT64, &v, 1, t, static_cast<char*>(p) + i * SizeOf(t), 1, 1);
}
void CheckLabel(int64_t label, int64_t n) {
  PD_CHECK(label >= 0 && label < n, OutOfRange, "[cross_entropy] expected labels in [0, ", n, "), got ", label);
}
void CheckNllLabel(int64_t label, int64_t n) {
  PD_CHECK(label >= 0 && label < n, InvalidArgument, "[nll_loss] expected labels in [0, ", n, "), got ", label);
}

// Before the parallel part, which must not throw.
void CheckLabels(DataType t, const void* labels, int64_t count, int64_t n, int64_t ignore_index) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t label = LabelAt(t, labels, i);
    if (label != ignore_index) CheckLabel(label, n);
  }
}

// The log-sum-exp of every slice along the middle axis, [outer, inner] of StatType.
void LogSumExps(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* out) {
  const int64_t shape[] = {outer, n, inner}, strides[] = {n * inner, inner, 1};
  Reduce(ReduceOp::kLogSumExp, t, x, shape, strides, 2, StatType(t), out);
}

double LogSumExp(DataType t, const void* x, int64_t at, int64_t n, int64_t stride) {
  double m = -INFINITY, s = 0;
  for (int64_t k = 0; k < n; ++k) m = std::max(m, At(t, x, at + k * stride));
  for (int64_t k = 0; k < n; ++k) s += std::exp(At(t, x, at + k * stride) - m);
  return m + std::log(s);
}

}  // namespace

void CrossEntropyHard(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, DataType label_t,
                      const void* labels, int64_t ignore_index, bool x_is_softmax, void* softmax, void* loss) {
  if (softmax && !x_is_softmax) Softmax(t, x, outer, n, inner, softmax);
  CheckLabels(label_t, labels, outer * inner, n, ignore_index);
  if (outer * n * inner == 0) return;
  // -log p is exact enough where the probability is at hand in full precision and does not underflow.
  const bool from_p = !x_is_softmax && softmax && !IsHalf(t);
  CallMemory lse(x_is_softmax || from_p ? 0 : outer * inner * 8);
  if (!x_is_softmax && !from_p) LogSumExps(t, x, outer, n, inner, lse.as<void>());
  ParallelFor(0, outer * inner, 4096, [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t label = LabelAt(label_t, labels, i), at = i / inner * n * inner + i % inner;
      double v = 0;
      if (label != ignore_index) {
        const int64_t pos = at + label * inner;
        if (x_is_softmax) {
          v = -std::log(At(t, x, pos));
        } else if (from_p) {
          const double p = At(t, softmax, pos);
          v = p > 1e-30 ? -std::log(p) : LogSumExp(t, x, at, n, inner) - At(t, x, pos);
        } else {
          v = At(StatType(t), lse.as<void>(), i) - At(t, x, pos);
        }
      }
      Put(t, loss, i, v);
    }
  });
}

void CrossEntropyHardGrad(DataType t, const void* softmax, int64_t outer, int64_t n, int64_t inner, DataType label_t,
                          const void* labels, int64_t ignore_index, bool x_is_softmax, const void* dloss, void* dx) {
  CheckLabels(label_t, labels, outer * inner, n, ignore_index);  // the gradient may be called with other labels
  ParallelFor(0, outer, std::max<int64_t>(1, 8192 / std::max<int64_t>(n * inner, 1)), [&](int64_t lo, int64_t hi) {
    std::vector<double> g(inner);
    std::vector<int64_t> label(inner);
    for (int64_t o = lo; o < hi; ++o) {
      for (int64_t j = 0; j < inner; ++j) {
        label[j] = LabelAt(label_t, labels, o * inner + j);
        g[j] = label[j] == ignore_index ? 0.0 : At(t, dloss, o * inner + j);
      }
      const int64_t base = o * n * inner;
      if (x_is_softmax) {
        for (int64_t k = 0; k < n; ++k)
          for (int64_t j = 0; j < inner; ++j) {
            const int64_t at = base + k * inner + j;
            Put(t, dx, at, k == label[j] && g[j] != 0 ? -g[j] / At(t, softmax, at) : 0.0);
          }
        continue;
      }
      const int64_t count = n * inner, size = SizeOf(t);
      const char* src = static_cast<const char*>(softmax) + base * size;
      char* dst = static_cast<char*>(dx) + base * size;
      const auto block = [&](const auto* s, auto* d) {
        using T = std::remove_reference_t<decltype(*d)>;
        if (inner == 1) {
          const T scale = static_cast<T>(g[0]);
          for (int64_t k = 0; k < n; ++k) d[k] = s[k] * scale;
        } else {
          for (int64_t k = 0; k < n; ++k)
            for (int64_t j = 0; j < inner; ++j) d[k * inner + j] = s[k * inner + j] * static_cast<T>(g[j]);
        }
        for (int64_t j = 0; j < inner; ++j)
          if (label[j] != ignore_index) d[label[j] * inner + j] -= static_cast<T>(g[j]);
      };
      if (IsHalf(t)) {
        Scratch wide(count * 4);
        Convert(t, src, 1, DataType::FLOAT32, wide.as<void>(), 1, count);
        block(wide.as<float>(), wide.as<float>());
        Convert(DataType::FLOAT32, wide.as<void>(), 1, t, dst, 1, count);
        continue;
      }
      if (t == DataType::FLOAT32)
        block(reinterpret_cast<const float*>(src), reinterpret_cast<float*>(dst));
      else
        block(reinterpret_cast<const double*>(src), reinterpret_cast<double*>(dst));
    }
  });
}

void CrossEntropySoft(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, const void* labels,
                      bool x_is_softmax, void* softmax, void* loss) {
  if (outer * n * inner == 0) return;
  if (softmax && !x_is_softmax) Softmax(t, x, outer, n, inner, softmax);
  CallMemory lse(x_is_softmax ? 0 : outer * inner * 8);
  if (!x_is_softmax) LogSumExps(t, x, outer, n, inner, lse.as<void>());
  ParallelFor(0, outer * inner, std::max<int64_t>(1, 2048 / std::max<int64_t>(n, 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t at = i / inner * n * inner + i % inner;
      const double c = x_is_softmax ? 0 : At(StatType(t), lse.as<void>(), i);
      double s = 0;
      for (int64_t k = 0; k < n; ++k) {
        const double y = At(t, labels, at + k * inner), v = At(t, x, at + k * inner);
        if (y != 0) s += y * (x_is_softmax ? std::log(v) : v - c);
      }
      Put(t, loss, i, -s);
    }
  });
}

void CrossEntropySoftGrad(DataType t, const void* softmax, int64_t outer, int64_t n, int64_t inner, const void* labels,
                          bool x_is_softmax, const void* dloss, void* dx) {
  ParallelFor(0, outer * inner, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t at = i / inner * n * inner + i % inner;
      const double g = At(t, dloss, i);
      double total = 0;
      for (int64_t k = 0; k < n; ++k) total += At(t, labels, at + k * inner);
      for (int64_t k = 0; k < n; ++k) {
        const int64_t j = at + k * inner;
        const double p = At(t, softmax, j), y = At(t, labels, j);
        Put(t, dx, j, (x_is_softmax ? -y / p : p * total - y) * g);
      }
    }
  });
}

void NllLoss(DataType t, const void* logp, int64_t outer, int64_t n, int64_t inner, DataType label_t,
             const void* labels, const void* weight, int64_t ignore_index, int reduction, void* out,
             void* total_weight) {
  double total = 0, sum = 0;
  for (int64_t i = 0; i < outer * inner; ++i) {
    const int64_t label = LabelAt(label_t, labels, i);
    double w = 0, v = 0;
    if (label != ignore_index) {
      CheckNllLabel(label, n);
      w = weight ? At(t, weight, label) : 1.0;
      v = -w * At(t, logp, i / inner * n * inner + label * inner + i % inner);
    }
    total += w;
    sum += v;
    if (reduction == 0) Put(t, out, i, v);
  }
  // Labels that do not count give no loss, as in the cross entropy.
  if (reduction == 1) Put(t, out, 0, total == 0 ? 0.0 : sum / total);
  if (reduction == 2) Put(t, out, 0, sum);
  Put(t, total_weight, 0, total);
}

void NllLossGrad(DataType t, int64_t outer, int64_t n, int64_t inner, DataType label_t, const void* labels,
                 const void* weight, int64_t ignore_index, int reduction, const void* total_weight, const void* dout,
                 void* dlogp) {
  Zero(dlogp, outer * n * inner * SizeOf(t));
  for (int64_t i = 0; i < outer * inner; ++i) {
    const int64_t label = LabelAt(label_t, labels, i);
    if (label == ignore_index) continue;
    const double w = weight ? At(t, weight, label) : 1.0, g = At(t, dout, reduction == 0 ? i : 0);
    Put(t, dlogp, i / inner * n * inner + label * inner + i % inner,
        -w * g / (reduction == 1 ? At(t, total_weight, 0) : 1.0));
  }
}

}  // namespace phi::cpu
