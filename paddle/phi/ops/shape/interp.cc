// SPDX-License-Identifier: Apache-2.0
// Resampling: along each spatial axis a table of taps (source positions and weights) is applied, or its transpose for
// the gradient.
#include <cmath>
#include <memory>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {

// Output i of an axis is the sum over t of weight[i * taps + t] * input[at[i * taps + t]].
struct Taps {
  int64_t in = 0, out = 0, taps = 1;
  std::vector<int64_t> at;
  std::vector<double> weight;
};

struct Plan {
  bool channels_last = false;
  int64_t spatial = 0;
  int64_t size[3] = {};  // wanted extents of the spatial axes, in order; -1: from the scale
};

Plan PlanOf(const Dims& x, const std::string& format, int64_t d, int64_t h, int64_t w, const std::string& method) {
  Plan p;
  p.spatial = x.size() - 2;
  PD_CHECK(p.spatial >= 1 && p.spatial <= 3, InvalidArgument,
           "[interpolate] expected an input of 3 to 5 axes, got shape ", common::ShapeText(x));
  PD_CHECK(
      method == "nearest" || method == "linear" || method == "bilinear" || method == "trilinear" || method == "bicubic",
      InvalidArgument, "[interpolate] expected method nearest, linear, bilinear, trilinear or bicubic, got ", method);
  p.channels_last = format == "NHWC" || format == "NWC" || format == "NDHWC";
  PD_CHECK(p.channels_last || format == "NCHW" || format == "NCW" || format == "NCDHW", InvalidArgument,
           "[interpolate] expected a known data_format, got ", format);
  int64_t all[3] = {d, h, w};
  for (int64_t i = 0; i < p.spatial; ++i) p.size[i] = all[3 - p.spatial + i];
  return p;
}
double ScaleOf(const std::vector<double>& scale, int64_t i) {
  return scale.empty() ? 0.0 : scale.size() == 1 ? scale[0] : i < static_cast<int64_t>(scale.size()) ? scale[i] : 0.0;
}
int64_t Extent(const Plan& p, int64_t i, int64_t in, const std::vector<double>& scale) {
  double s = ScaleOf(scale, i);
  if (p.size[i] > 0) return p.size[i];
  const double n = static_cast<double>(in) * s;
  PD_CHECK(n >= 1 && n < static_cast<double>(common::kMaxElements), InvalidArgument,
           "[interpolate] expected output extents from 1 to ", common::kMaxElements, ", got ", n, " for scale ", s);
  return static_cast<int64_t>(n);
}

// `exact`: the ratio of the extents is not rounded to float32. As in PaddlePaddle, an only element of pictures is where
// they begin; of lines and volumes it is in the middle.
Taps TapsOf(const std::string& method, int64_t in, int64_t out, double scale, bool align_corners, int64_t align_mode,
            bool exact) {
  Taps t;
  t.in = in;
  t.out = out;
  double ratio = 0;
  if (align_corners)
    ratio = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
  else if (out > 1 || (method != "bilinear" && method != "bicubic"))
    ratio = scale > 0 ? 1.0 / scale : static_cast<double>(in) / static_cast<double>(out);
  const float narrow = static_cast<float>(ratio);
  if (!exact) ratio = narrow;
  auto clamp = [&](int64_t i) { return std::min(std::max<int64_t>(i, 0), in - 1); };
  // Positions, kept where they are integers that a few may be added to; no tap of one so far out is inside.
  auto near_by = [&](double at) { return at != at ? 0.0 : std::clamp(at, -4.0, static_cast<double>(in) + 4.0); };
  if (method == "nearest") {
    for (int64_t i = 0; i < out; ++i) {
      float at = static_cast<float>(near_by(static_cast<double>(narrow * static_cast<float>(i))));
      t.at.push_back(clamp(align_corners ? static_cast<int64_t>(at + 0.5f) : static_cast<int64_t>(at)));
      t.weight.push_back(1);
    }
  } else if (method == "bicubic") {
    t.taps = 4;
    constexpr double a = -0.75;
    auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    for (int64_t i = 0; i < out; ++i) {
      double at = align_corners ? ratio * static_cast<double>(i) : ratio * (static_cast<double>(i) + 0.5) - 0.5;
      at = near_by(at);
      double base = std::floor(at), f = at - base;
      double w[4] = {far(f + 1), near(f), near(1 - f), far(2 - f)};
      for (int64_t k = 0; k < 4; ++k) {
        t.at.push_back(clamp(static_cast<int64_t>(base) - 1 + k));
        t.weight.push_back(w[k]);
      }
    }
  } else {
    t.taps = 2;
    bool centred = align_mode == 0 && !align_corners;
    for (int64_t i = 0; i < out; ++i) {
      double at = centred ? ratio * (static_cast<double>(i) + 0.5) - 0.5 : ratio * static_cast<double>(i);
      at = std::max(near_by(at), 0.0);
      int64_t lo = clamp(static_cast<int64_t>(at));
      double f = std::min(at - static_cast<double>(lo), 1.0);
      t.at.push_back(lo);
      t.weight.push_back(1 - f);
      t.at.push_back(clamp(lo + 1));
      t.weight.push_back(f);
    }
  }
  return t;
}

// What each row of the result is a sum of, in order: entries starts[r] to starts[r + 1] are a source row and a weight.
template <class T>
struct RowSums {
  std::vector<int64_t> starts, at;
  std::vector<T> weights;
  int64_t each = -1;  // so many entries in every row, -1: it differs
  bool plain = true;  // all weights are 1

  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
};

// Of the map from t.in rows to t.out, or of the transposed one. With `zeros` entries of weight 0 are kept.
template <class T>
RowSums<T> SumsOf(const Taps& t, bool transposed, bool zeros) {
  const int64_t rows = transposed ? t.in : t.out;
  RowSums<T> sums;
  sums.starts.assign(static_cast<size_t>(rows) + 1, 0);
  const auto entries = [&](auto f) {  // (row, source, weight)
    for (int64_t i = 0; i < t.out; ++i)
      for (int64_t k = i * t.taps; k < (i + 1) * t.taps; ++k)
        if (const T w = static_cast<T>(t.weight[k]); zeros || w != T(0))
          transposed ? f(t.at[k], i, w) : f(i, t.at[k], w);
  };
  entries([&](int64_t row, int64_t, T) { ++sums.starts[row + 1]; });
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t n = sums.starts[i + 1];
    sums.each = i == 0 || n == sums.each ? n : -1;
    sums.starts[i + 1] += sums.starts[i];
  }
  std::vector<int64_t> next(sums.starts.begin(), sums.starts.end() - 1);
  sums.at.resize(static_cast<size_t>(sums.starts.back()));
  sums.weights.resize(sums.at.size());
  entries([&](int64_t row, int64_t source, T weight) {
    sums.at[next[row]] = source;
    sums.weights[next[row]++] = weight;
    sums.plain &= weight == T(1);
  });
  return sums;
}

// Rows of one element: kEach entries in all of them, or as many as each has.
template <int kEach, class T>
void SumElements(const RowSums<T>& sums, const T* src, T* dst) {
  const int64_t* const at = sums.at.data();
  const T* const w = sums.weights.data();
  for (int64_t r = 0; r < sums.rows(); ++r) {
    T sum(0);
    const int64_t lo = kEach > 0 ? r * kEach : sums.starts[r], hi = kEach > 0 ? lo + kEach : sums.starts[r + 1];
    for (int64_t k = lo; k < hi; ++k) sum += w[k] * src[at[k]];
    dst[r] = sum;
  }
}

// Rows of one element that are copies of others.
template <class T>
void CopyElements(const RowSums<T>& sums, const T* src, T* dst) {
  const int64_t* const at = sums.at.data();
  const int64_t rows = sums.rows();
  for (int64_t r = 0; r < rows; ++r) dst[r] = src[at[r]];
}

// y [outer, rows, inner] from x [outer, from, inner].
template <class T>
void Apply(const Taps& t, bool transposed, int64_t outer, int64_t inner, const T* x, T* y) {
  const int64_t from = transposed ? t.out : t.in;
  const RowSums<T> sums = SumsOf<T>(t, transposed, false);
  const int64_t rows = sums.rows();
  const bool copies = sums.plain && sums.each == 1;
  const auto elements = copies           ? &CopyElements<T>
                        : sums.each == 1 ? &SumElements<1, T>
                        : sums.each == 2 ? &SumElements<2, T>
                        : sums.each == 4 ? &SumElements<4, T>
                                         : &SumElements<0, T>;
  const auto one = [&](const T* src, T* dst) {
    if (inner == 1) return elements(sums, src, dst);
    for (int64_t r = 0; r < rows; ++r) {
      T* const d = dst + r * inner;
      if (copies) {
        std::copy_n(src + sums.at[r] * inner, inner, d);
      } else {
        std::fill_n(d, inner, T(0));
        for (int64_t k = sums.starts[r]; k < sums.starts[r + 1]; ++k) {
          const T w = sums.weights[k];
          const T* const s = src + sums.at[k] * inner;
          for (int64_t c = 0; c < inner; ++c) d[c] += w * s[c];
        }
      }
    }
  };
  cpu::ParallelFor(0, outer, std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, rows * inner)),
                   [&](int64_t b, int64_t e) {
                     for (int64_t o = b; o < e; ++o) one(x + o * from * inner, y + o * rows * inner);
                   });
}

void ApplyOn(const DeviceForms& forms, const Taps& t, bool transposed, const AxisSplit& s, DataType from_t,
             const void* x, DataType to_t, void* out) {
  const RowSums<double> sums = SumsOf<double>(t, transposed, true);
  forms.WeightedRows(from_t, to_t, x, s.outer, transposed ? t.out : t.in, s.inner, sums.starts, sums.at, sums.weights,
                     out);
}

void ResampleOn(const DeviceForms& forms, const Plan& p, const std::vector<Taps>& taps, bool transposed,
                const Tensor& x, Tensor& out) {
  if (!IsFloating(x.dtype()) || x.dtype() != out.dtype()) throw NoDeviceForm{"pictures of integers"};
  const DataType wide = ComputeType(x.dtype());
  const int64_t first = p.channels_last ? 1 : 2;
  Ints dims = x.dims();
  DataType from_t = x.dtype();
  const void* from = x.raw_data();  // in order, as the stanza says
  std::vector<std::shared_ptr<void>> steps;
  for (int64_t i = 0; i < p.spatial; ++i) {
    const AxisSplit s = SplitAt("interpolate", dims, first + i);
    dims[first + i] = transposed ? taps[i].in : taps[i].out;
    const bool last = i + 1 == p.spatial;
    if (!last) steps.push_back(forms.Room(common::Product(dims) * SizeOf(wide)));
    void* const to = last ? out.raw_data() : steps.back().get();
    ApplyOn(forms, taps[i], transposed, s, from_t, from, last ? out.dtype() : wide, to);
    from = to;
    from_t = wide;
  }
}

// Axis number `step` of space that is resampled: copies begin with the last one, whose elements are read one by one
// while there are few; what adds up has an order.
int64_t AxisAt(const Plan& p, bool copies, int64_t step) { return copies ? p.spatial - 1 - step : step; }

// x is in order, of the dtype that is computed in.
void Resample(const Plan& p, const std::vector<Taps>& taps, bool transposed, const Tensor& x, Tensor& out) {
  if (const DeviceForms* forms = FormsHere()) return ResampleOn(*forms, p, taps, transposed, x, out);
  const DataType t = x.dtype();
  const Widened wide(out, t);
  Tensor cur = x;
  std::vector<std::unique_ptr<ScratchTensor>> steps;
  const int64_t first = p.channels_last ? 1 : 2;
  const bool copies = !transposed && taps[0].taps == 1;
  for (int64_t step = 0; step < p.spatial; ++step) {
    const int64_t i = AxisAt(p, copies, step);
    Ints dims = cur.dims();
    AxisSplit s = SplitAt("interpolate", dims, first + i);
    dims[first + i] = transposed ? taps[i].in : taps[i].out;
    Tensor next = step + 1 == p.spatial ? static_cast<Tensor&>(wide)
                                        : steps.emplace_back(std::make_unique<ScratchTensor>(dims, t))->tensor;
    if (t == DataType::INT64)
      Apply(taps[i], transposed, s.outer, s.inner, cur.data<int64_t>(), next.data<int64_t>());
    else if (t == DataType::FLOAT64)
      Apply(taps[i], transposed, s.outer, s.inner, cur.data<double>(), next.data<double>());
    else
      Apply(taps[i], transposed, s.outer, s.inner, cur.data<float>(), next.data<float>());
    cur = next;
  }
  // Fractions are cut, and what rounding left just below an integer is that integer.
  if (t == DataType::FLOAT64 && IsInteger(out.dtype()))
    for (int64_t i = 0; i < cur.numel(); ++i) cur.data<double>()[i] += 1e-9;
  cur = Tensor();
  while (!steps.empty()) steps.pop_back();
}
// Bytes of the steps but the last one.
int64_t StepBytes(const Plan& p, Dims from, const Dims& to, DataType t, bool copies) {
  int64_t bytes = 0;
  for (int64_t step = 0; step + 1 < p.spatial; ++step) {
    const int64_t i = (p.channels_last ? 1 : 2) + AxisAt(p, copies, step);
    from[i] = to[i];
    bytes += WorkspaceFor(from, t);
  }
  return bytes;
}
// What x is computed in.
DataType StepType(DataType x, const std::string& method) {
  return IsFloating(x) ? ComputeType(x) : method == "nearest" ? DataType::INT64 : DataType::FLOAT64;
}
std::vector<Taps> AllTaps(const Plan& p, const Ints& input, const std::vector<double>& scale, const std::string& method,
                          bool align_corners, int64_t align_mode, bool exact = false) {
  std::vector<Taps> taps;
  int64_t first = p.channels_last ? 1 : 2;
  for (int64_t i = 0; i < p.spatial; ++i) {
    int64_t in = input[first + i];
    taps.push_back(TapsOf(method, in, Extent(p, i, in, scale), ScaleOf(scale, i), align_corners, align_mode, exact));
  }
  return taps;
}

}  // namespace

void interp_infer(const Meta& x, const Meta* out_size, const Meta* size_tensor, const Meta* scale_tensor,
                  const std::string& format, int64_t d, int64_t h, int64_t w, const std::vector<double>& scale,
                  const std::string& method, bool, int64_t, Meta& out) {
  PD_CHECK(!size_tensor && !scale_tensor, Unimplemented,
           "[interpolate] expected sizes given as numbers or one tensor, got several tensors or a tensor of scales");
  const bool image = x.dtype == DataType::UINT8, integer = x.dtype == DataType::INT32 || x.dtype == DataType::INT64;
  PD_CHECK_DTYPE(IsFloating(x.dtype) || (image && method != "bicubic") || (integer && method == "nearest"),
                 "[interpolate] expected a floating dtype, got ", NameOf(x.dtype));
  Plan p = PlanOf(x.dims, format, d, h, w, method);
  out = x;
  int64_t first = p.channels_last ? 1 : 2;
  for (int64_t i = 0; i < p.spatial; ++i) {
    Dim in = x.dims[first + i];
    PD_CHECK(!in.known() || in.raw() > 0, InvalidArgument,
             "[interpolate] expected positive spatial extents, got shape ", common::ShapeText(x.dims));
    out.dims[first + i] = out_size        ? common::NewSymbol(1)
                          : p.size[i] > 0 ? Dim(p.size[i])
                          : in.known()    ? Dim(Extent(p, i, in.value(), scale))
                                          : common::NewSymbol(1);
  }
}
void interp_kernel(const Tensor& x, const Tensor& out_size, const Tensor&, const Tensor&, const std::string& format,
                   int64_t d, int64_t h, int64_t w, const std::vector<double>& scale, const std::string& method,
                   bool align_corners, int64_t align_mode, Tensor& out) {
  Plan p = PlanOf(common::ToDims(x.dims()), format, d, h, w, method);
  const int64_t first = p.channels_last ? 1 : 2;
  Ints dims = x.dims();
  for (int64_t i = 0; !out_size.defined() && i < p.spatial; ++i) dims[first + i] = Extent(p, i, dims[first + i], scale);
  if (out_size.defined()) {
    Ints sizes(ToIntVector(out_size));
    PD_CHECK(sizes.size() == p.spatial, InvalidArgument, "[interpolate] expected ", p.spatial, " sizes, got ",
             common::ShapeText(sizes));
    for (int64_t i = 0; i < p.spatial; ++i) {
      PD_CHECK(sizes[i] > 0, InvalidArgument, "[interpolate] expected positive sizes, got ", common::ShapeText(sizes));
      dims[first + i] = p.size[i] = sizes[i];
    }
  }
  EnsureOut(out, dims, x.dtype());
  if (out.numel() == 0) return;
  if (const DeviceForms* forms = FormsHere()) {
    if (!IsFloating(x.dtype())) throw NoDeviceForm{"pictures of integers"};
    return ResampleOn(*forms, p, AllTaps(p, x.dims(), scale, method, align_corners, align_mode), false, x, out);
  }
  const Ordered from(x, StepType(x.dtype(), method));
  Resample(p, AllTaps(p, x.dims(), scale, method, align_corners, align_mode, !IsFloating(x.dtype())), false, from, out);
}
// Sizes in a tensor are not known in advance.
int64_t interp_workspace(const Meta& x, const Meta* out_size, const Meta* size_tensor, const Meta* scale_tensor,
                         const std::string& format, int64_t d, int64_t h, int64_t w, const std::vector<double>& scale,
                         const std::string& method, bool align_corners, int64_t align_mode) {
  if (out_size) return 0;
  Meta out;
  interp_infer(x, out_size, size_tensor, scale_tensor, format, d, h, w, scale, method, align_corners, align_mode, out);
  const DataType t = StepType(x.dtype, method);
  return ConvertedBytes(x, t) + ConvertedBytes(out, t) +
         StepBytes(PlanOf(x.dims, format, d, h, w, method), x.dims, out.dims, t, method == "nearest");
}
// dy is of the shape that resampling gives for `zero`: its own extents in space, none of them 0.
static void CheckAdjoint(const Plan& p, const Dims& dy, const Dims& zero) {
  bool fits = dy.size() == zero.size();
  const int64_t first = p.channels_last ? 1 : 2;
  for (int64_t i = 0; fits && i < dy.size(); ++i)
    fits = i >= first && i < first + p.spatial ? dy[i].raw() != 0 : !common::CertainlyDiffer(dy[i], zero[i]);
  PD_CHECK(fits, InvalidArgument, "[interp_adjoint] expected a gradient of what resampling shape ",
           common::ShapeText(zero), " gives, got shape ", common::ShapeText(dy));
}
void interp_adjoint_infer(const Meta& dy, const Meta& zero, const std::string& format, int64_t d, int64_t h, int64_t w,
                          const std::vector<double>&, const std::string& method, bool, int64_t, Meta& out) {
  CheckAdjoint(PlanOf(zero.dims, format, d, h, w, method), dy.dims, zero.dims);
  out = {zero.dims, dy.dtype};
}
void interp_adjoint_kernel(const Tensor& dy, const Tensor& zero, const std::string& format, int64_t d, int64_t h,
                           int64_t w, const std::vector<double>& scale, const std::string& method, bool align_corners,
                           int64_t align_mode, Tensor& out) {
  if (out.numel() == 0) return;
  const Dims from = common::ToDims(zero.dims());
  Plan p = PlanOf(from, format, d, h, w, method);
  CheckAdjoint(p, common::ToDims(dy.dims()), from);
  for (int64_t i = 0; i < p.spatial; ++i) p.size[i] = dy.dim((p.channels_last ? 1 : 2) + i);
  Resample(p, AllTaps(p, zero.dims(), scale, method, align_corners, align_mode), true, dy, out);
}
int64_t interp_adjoint_workspace(const Meta& dy, const Meta& zero, const std::string& format, int64_t d, int64_t h,
                                 int64_t w, const std::vector<double>&, const std::string& method, bool, int64_t) {
  return StepBytes(PlanOf(zero.dims, format, d, h, w, method), dy.dims, zero.dims, StepType(dy.dtype, method), false);
}

}  // namespace phi
