// SPDX-License-Identifier: Apache-2.0
// Cross entropy of cosines with margins.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/loss.h"

namespace phi {
namespace {

// What the cosine of the own class counts as.
class Margins {
 public:
  Margins(double factor, double angle, double cosine) : factor_(factor), angle_(angle), cosine_(cosine) {}
  template <class T>
  T operator()(T t) const {
    return Plain() ? t - T(cosine_) : std::cos(T(factor_) * Angle(t) + T(angle_)) - T(cosine_);
  }
  // Cosines outside [-1, 1] count as the nearer end, where nothing depends on them.
  template <class T>
  T Derivative(T t) const {
    if (Plain()) return 1;
    if (t < T(-1) || t > T(1)) return 0;
    return T(factor_) * std::sin(T(factor_) * Angle(t) + T(angle_)) / std::sqrt((1 - t) * (1 + t));
  }

 private:
  // The angle of a cosine is not needed where only a number is subtracted.
  bool Plain() const { return factor_ == 1 && angle_ == 0; }
  template <class T>
  static T Angle(T t) {
    return std::acos(std::clamp(t, T(-1), T(1)));
  }
  double factor_, angle_, cosine_;
};

// The class of each row.
std::vector<int64_t> ClassesOf(const Tensor& label, int64_t rows, int64_t classes) {
  std::vector<int64_t> out = ToIntVector(label);
  PD_CHECK(static_cast<int64_t>(out.size()) == rows, InvalidArgument,
           "[margin_cross_entropy] expected a label for each of ", rows, " rows, got ", out.size());
  for (int64_t c : out)
    PD_CHECK(0 <= c && c < classes, OutOfRange, "[margin_cross_entropy] expected label in [0, ", classes, "), got ", c);
  return out;
}

}  // namespace

void margin_cross_entropy_infer(const Meta& x, const Meta& label, bool, int64_t, int64_t, int64_t ranks, double, double,
                                double, double, Meta& softmax, Meta& loss) {
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[margin_cross_entropy] expected logits of a floating dtype, got ",
                 NameOf(x.dtype));
  PD_CHECK(ranks == 1, Unimplemented, "[margin_cross_entropy] expected nranks 1, got ", ranks,
           ": the classes are on one process");
  const bool column = label.dims.size() == 2 && !common::CertainlyDiffer(label.dims[1], Dim(1));
  PD_CHECK(x.dims.size() == 2 && (label.dims.size() == 1 || column) && IsInteger(label.dtype) &&
               !common::CertainlyDiffer(label.dims[0], x.dims[0]),
           InvalidArgument, "[margin_cross_entropy] expected logits [N, C] and an integer label [N] or [N, 1], got ",
           common::ShapeText(x.dims), " and ", NameOf(label.dtype), " ", common::ShapeText(label.dims));
  softmax = x;
  loss = {Dims{x.dims[0], Dim(1)}, x.dtype};
}
int64_t margin_cross_entropy_workspace(const Meta& x, const Meta&, bool, int64_t, int64_t, int64_t, double, double,
                                       double, double) {
  return WorkspaceFor(x.dims, ComputeType(x.dtype)) + cpu::CrossEntropyBytes(x.dims[0].value(), false);
}
void margin_cross_entropy_kernel(const Tensor& x, const Tensor& label, bool, int64_t, int64_t, int64_t, double margin1,
                                 double margin2, double margin3, double scale, Tensor& softmax, Tensor& loss) {
  const int64_t rows = x.dim(0), classes = x.dim(1);
  const std::vector<int64_t> own = ClassesOf(label, rows, classes);
  const Margins margins(margin1, margin2, margin3);
  const DataType t = x.dtype();
  const CallMemory adjusted(x.numel() * SizeOf(t));
  ByFloat(t, [&](auto tag) {
    using T = decltype(tag);
    const int64_t grain = std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, classes));
    cpu::ParallelFor(0, rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* v = x.data<T>() + r * classes;
        T* to = adjusted.as<T>() + r * classes;
        for (int64_t c = 0; c < classes; ++c) to[c] = v[c] * T(scale);
        to[own[r]] = margins(v[own[r]]) * T(scale);
      }
    });
  });
  cpu::CrossEntropyHard(t, adjusted.as<void>(), rows, classes, 1, DataType::INT64, own.data(), -1, false,
                        softmax.raw_data(), loss.raw_data());
}
void margin_cross_entropy_grad_kernel(const Tensor& x, const Tensor& label, const Tensor& softmax, const Tensor&,
                                      const Tensor& dloss, bool, int64_t, int64_t, int64_t, double margin1,
                                      double margin2, double margin3, double scale, Tensor* dx) {
  if (!dx || !dloss.defined()) return;
  const int64_t rows = x.dim(0), classes = x.dim(1);
  const std::vector<int64_t> own = ClassesOf(label, rows, classes);
  PD_CHECK(softmax.dims() == x.dims() && dloss.numel() == rows, InvalidArgument,
           "[margin_cross_entropy_grad] expected softmax ", common::ShapeText(x.dims()), " and a gradient of ", rows,
           " losses, got shapes ", common::ShapeText(softmax.dims()), " and ", common::ShapeText(dloss.dims()));
  const Margins margins(margin1, margin2, margin3);
  EnsureOut(*dx, x.dims(), x.dtype());
  ByFloat(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const int64_t grain = std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, classes));
    cpu::ParallelFor(0, rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T by = dloss.data<T>()[r] * T(scale), *v = softmax.data<T>() + r * classes;
        T* d = dx->data<T>() + r * classes;
        for (int64_t c = 0; c < classes; ++c) d[c] = v[c] * by;
        d[own[r]] = (v[own[r]] - 1) * by * margins.Derivative(x.data<T>()[r * classes + own[r]]);
      }
    });
  });
}

}  // namespace phi
