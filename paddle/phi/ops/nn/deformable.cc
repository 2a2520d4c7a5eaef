// SPDX-License-Identifier: Apache-2.0
// Deformable convolution: samples are gathered to columns, which a matrix product meets. Halves compute in float32.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {

// How many positions the filter has on an axis of `extent` elements.
Dim Positions(Dim extent, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  const Dim padded = extent + Dim(2 * pad);
  const int64_t field = dilation * (kernel - 1) + 1;
  PD_CHECK(!padded.known() || padded.raw() >= field, InvalidArgument,
           "[deformable_conv] expected the padded input to hold the filter of extent ", field, ", got ",
           common::DimText(padded));
  return common::Div(common::Sub(padded, Dim(field)), Dim(stride)) + Dim(1);
}

// The four elements that a sample reads, with their weights; one outside the plane has the place -1.
template <class T>
struct Corners {
  int64_t at[4];
  T weight[4];
  T across, down;  // parts of the way from the left to the right, and from the upper to the lower elements

  Corners(T y, T x, int64_t height, int64_t width) {
    std::fill(at, at + 4, -1);
    std::fill(weight, weight + 4, T(0));
    across = down = 0;
    // NaN is nowhere.
    if (!(y > -1 && y < static_cast<T>(height) && x > -1 && x < static_cast<T>(width))) return;
    const int64_t y0 = static_cast<int64_t>(std::floor(y)), x0 = static_cast<int64_t>(std::floor(x));
    down = y - static_cast<T>(y0), across = x - static_cast<T>(x0);
    for (int64_t k = 0; k < 4; ++k) {
      const int64_t row = y0 + k / 2, column = x0 + k % 2;
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      at[k] = row * width + column;
      weight[k] = (k / 2 ? down : 1 - down) * (k % 2 ? across : 1 - across);
    }
  }
  T Read(const T* plane, int64_t k) const { return at[k] < 0 ? T(0) : plane[at[k]]; }
  T Value(const T* plane) const {
    T sum = 0;
    for (int64_t k = 0; k < 4; ++k) sum += weight[k] * Read(plane, k);
    return sum;
  }
  T ByRow(const T* plane) const {
    return (1 - across) * (Read(plane, 2) - Read(plane, 0)) + across * (Read(plane, 3) - Read(plane, 1));
  }
  T ByColumn(const T* plane) const {
    return (1 - down) * (Read(plane, 1) - Read(plane, 0)) + down * (Read(plane, 3) - Read(plane, 2));
  }
  void Add(T value, T* plane) const {
    for (int64_t k = 0; k < 4; ++k)
      if (at[k] >= 0) plane[at[k]] += weight[k] * value;
  }
};

struct Windows {
  Ints strides, paddings, dilations;
};

template <class T>
class Deformable {
 public:
  Deformable(const Tensor& x, const Tensor& offset, const Tensor& filter, const Tensor& mask, const Windows& w,
             int64_t shifts, int64_t groups)
      : images(x.dim(0)),
        channels(x.dim(1)),
        height(x.dim(2)),
        width(x.dim(3)),
        results(filter.dim(0)),
        taps(filter.dim(2) * filter.dim(3)),
        size(offset.dim(2) * offset.dim(3)),
        out_width(offset.dim(3)),
        kernel_width(filter.dim(3)),
        groups(groups),
        depth(channels / groups * taps),
        x_(x),
        offset_(offset),
        filter_(filter),
        mask_(mask),
        w_(w),
        shifts_(shifts) {}

  const int64_t images, channels, height, width, results, taps, size, out_width, kernel_width, groups, depth;

  const T* Plane(int64_t image, int64_t channel) const {
    return x_.template data<T>() + (image * channels + channel) * height * width;
  }
  const T* Filter(int64_t group) const { return filter_.template data<T>() + group * (results / groups) * depth; }
  // Of the group of channels that tap `t` of `g` moves, where its offsets along rows lie; those along columns follow
  // `size` behind.
  int64_t OffsetAt(int64_t image, int64_t g, int64_t t) const { return ((image * shifts_ + g) * taps + t) * 2 * size; }
  int64_t MaskAt(int64_t image, int64_t g, int64_t t) const { return ((image * shifts_ + g) * taps + t) * size; }
  T Scale(int64_t at) const { return mask_.defined() ? mask_.template data<T>()[at] : T(1); }
  Corners<T> Sample(int64_t image, int64_t g, int64_t t, int64_t s) const {
    const T* d = offset_.template data<T>() + OffsetAt(image, g, t) + s;
    const int64_t row = s / out_width * w_.strides[0] - w_.paddings[0] + t / kernel_width * w_.dilations[0],
                  column = s % out_width * w_.strides[1] - w_.paddings[1] + t % kernel_width * w_.dilations[1];
    return Corners<T>(static_cast<T>(row) + d[0], static_cast<T>(column) + d[size], height, width);
  }
  // f(g, t, first s, last s) on several threads, which share nothing but planes of x.
  template <class F>
  void ForTaps(F&& f) const {
    const int64_t each = channels / shifts_;
    cpu::ParallelFor(0, shifts_ * taps, std::max<int64_t>(1, cpu::kGrain / (8 * each * size + 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t k = begin; k < end; ++k)
                         f(k / taps, k % taps, k / taps * each, (k / taps + 1) * each);
                     });
  }
  // Row c * taps + t holds what channel c gives tap t at each position.
  void Columns(int64_t image, T* columns) const {
    ForTaps([&](int64_t g, int64_t t, int64_t first, int64_t last) {
      for (int64_t s = 0; s < size; ++s) {
        const Corners<T> sample = Sample(image, g, t, s);
        const T scale = Scale(MaskAt(image, g, t) + s);
        for (int64_t c = first; c < last; ++c)
          columns[(c * taps + t) * size + s] = scale * sample.Value(Plane(image, c));
      }
    });
  }
  bool empty() const { return images * results * size == 0; }

 private:
  Tensor x_, offset_, filter_, mask_;
  const Windows& w_;
  int64_t shifts_;
};

void Multiply(DataType t, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const void* a, const void* b, double beta,
              void* c) {
  cpu::Gemm(t, ta, tb, m, n, k, 1, a, ta ? m : k, b, tb ? k : n, beta, c, n);
}

}  // namespace

void deformable_conv_infer(const Meta& x, const Meta& offset, const Meta& filter, const Meta* mask, const Ints& strides,
                           const Ints& paddings, const Ints& dilations, int64_t shifts, int64_t groups, int64_t,
                           Meta& out) {
  constexpr const char* kOp = "deformable_conv";
  PD_CHECK(offset.dtype == x.dtype && filter.dtype == x.dtype && (!mask || mask->dtype == x.dtype), InvalidArgument,
           "[", kOp, "] expected tensors of one floating dtype, got ", NameOf(x.dtype), ", ", NameOf(offset.dtype),
           " and ", NameOf(filter.dtype));
  PD_CHECK_DTYPE(IsFloating(x.dtype), "[", kOp, "] expected tensors of a floating dtype, got ", NameOf(x.dtype));
  PD_CHECK(
      x.dims.size() == 4 && filter.dims.size() == 4 && offset.dims.size() == 4 && (!mask || mask->dims.size() == 4),
      InvalidArgument, "[", kOp, "] expected x, offset, filter and mask of 4 axes, got shapes ",
      common::ShapeText(x.dims), ", ", common::ShapeText(offset.dims), ", ", common::ShapeText(filter.dims), " and ",
      mask ? common::ShapeText(mask->dims) : "none");
  PD_CHECK(strides.size() == 2 && paddings.size() == 2 && dilations.size() == 2, InvalidArgument, "[", kOp,
           "] expected 2 strides, paddings and dilations, got ", common::ShapeText(strides), ", ",
           common::ShapeText(paddings), " and ", common::ShapeText(dilations));
  CheckWindow(kOp, "strides", strides, 1);
  CheckWindow(kOp, "paddings", paddings, 0);
  CheckWindow(kOp, "dilations", dilations, 1);
  const Dim channels = x.dims[1];
  PD_CHECK(groups > 0 && shifts > 0 && !common::CertainlyDiffer(channels, filter.dims[1] * Dim(groups)) &&
               (!filter.dims[0].known() || filter.dims[0].raw() % groups == 0) &&
               (!channels.known() || channels.raw() % shifts == 0),
           InvalidArgument, "[", kOp, "] expected input channels that are a multiple of ", shifts,
           " deformable groups and equal to filter channels * ", groups,
           " groups, which divide the output channels, got input shape ", common::ShapeText(x.dims),
           " and filter shape ", common::ShapeText(filter.dims));
  out = {Dims{x.dims[0], filter.dims[0]}, x.dtype};
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t k = filter.dims[2 + i].value();
    PD_CHECK(k > 0 && k <= INT32_MAX, InvalidArgument, "[", kOp, "] expected positive filter extents, got shape ",
             common::ShapeText(filter.dims));
    out.dims.push_back(Positions(x.dims[2 + i], k, strides[i], paddings[i], dilations[i]));
  }
  auto check = [&](const char* name, const Dims& dims, int64_t each) {
    const Dims want = {x.dims[0], Dim(each * shifts) * filter.dims[2] * filter.dims[3], out.dims[2], out.dims[3]};
    bool same = true;
    for (int64_t i = 0; i < 4; ++i) same = same && !common::CertainlyDiffer(dims[i], want[i]);
    PD_CHECK(same, InvalidArgument, "[", kOp, "] expected ", name, " of shape ", common::ShapeText(want), ", got ",
             common::ShapeText(dims));
  };
  check("offset", offset.dims, 2);
  if (mask) check("mask", mask->dims, 1);
}
int64_t deformable_conv_workspace(const Meta& x, const Meta& offset, const Meta& filter, const Meta*, const Ints&,
                                  const Ints&, const Ints&, int64_t, int64_t, int64_t) {
  return WorkspaceFor(Dims{x.dims[1], filter.dims[2], filter.dims[3], offset.dims[2], offset.dims[3]},
                      ComputeType(x.dtype));
}
int64_t deformable_conv_grad_workspace(const Meta& x, const Meta& offset, const Meta& filter, const Meta&, const Meta&,
                                       const Ints& strides, const Ints& paddings, const Ints& dilations, int64_t shifts,
                                       int64_t groups, int64_t step) {
  return deformable_conv_workspace(x, offset, filter, nullptr, strides, paddings, dilations, shifts, groups, step);
}
void deformable_conv_kernel(const Tensor& x, const Tensor& offset, const Tensor& filter, const Tensor& mask,
                            const Ints& strides, const Ints& paddings, const Ints& dilations, int64_t shifts,
                            int64_t groups, int64_t, Tensor& out) {
  const Windows windows{strides, paddings, dilations};
  const DataType t = x.dtype();
  ByFloat(t, [&](auto tag) {
    using T = decltype(tag);
    const Deformable<T> d(x, offset, filter, mask, windows, shifts, groups);
    if (d.empty()) return;
    const CallMemory columns(d.channels * d.taps * d.size * static_cast<int64_t>(sizeof(T)));
    const int64_t rows = d.results / groups;
    for (int64_t n = 0; n < d.images; ++n) {
      d.Columns(n, columns.as<T>());
      for (int64_t g = 0; g < groups; ++g)
        Multiply(t, false, false, rows, d.size, d.depth, d.Filter(g), columns.as<T>() + g * d.depth * d.size, 0,
                 out.data<T>() + (n * d.results + g * rows) * d.size);
    }
  });
}
void deformable_conv_grad_kernel(const Tensor& x, const Tensor& offset, const Tensor& filter, const Tensor& mask,
                                 const Tensor& dout, const Ints& strides, const Ints& paddings, const Ints& dilations,
                                 int64_t shifts, int64_t groups, int64_t, Tensor* dx, Tensor* doffset, Tensor* dfilter,
                                 Tensor* dmask) {
  const Windows windows{strides, paddings, dilations};
  const DataType t = x.dtype();
  if (!mask.defined()) dmask = nullptr;
  auto zeros = [&](Tensor* wanted, const Tensor& like) {
    if (!wanted) return;
    EnsureOut(*wanted, like.dims(), t);
    cpu::Zero(wanted->raw_data(), wanted->numel() * SizeOf(t));
  };
  zeros(dx, x), zeros(doffset, offset), zeros(dfilter, filter), zeros(dmask, mask);
  ByFloat(t, [&](auto tag) {
    using T = decltype(tag);
    const Deformable<T> d(x, offset, filter, mask, windows, shifts, groups);
    if (d.empty()) return;
    const CallMemory columns(d.channels * d.taps * d.size * static_cast<int64_t>(sizeof(T)));
    const int64_t rows = d.results / groups, area = d.height * d.width;
    for (int64_t n = 0; n < d.images; ++n) {
      auto results = [&](int64_t g) { return dout.data<T>() + (n * d.results + g * rows) * d.size; };
      auto part = [&](int64_t g) { return columns.as<T>() + g * d.depth * d.size; };
      if (dfilter) {
        d.Columns(n, columns.as<T>());
        for (int64_t g = 0; g < groups; ++g)
          Multiply(t, false, true, rows, d.depth, d.size, results(g), part(g), 1,
                   dfilter->data<T>() + g * rows * d.depth);
      }
      if (!dx && !doffset && !dmask) continue;
      for (int64_t g = 0; g < groups; ++g)
        Multiply(t, true, false, d.depth, d.size, rows, d.Filter(g), results(g), 0, part(g));
      if (doffset || dmask) {
        d.ForTaps([&](int64_t g, int64_t tap, int64_t first, int64_t last) {
          const int64_t at = d.OffsetAt(n, g, tap), scale_at = d.MaskAt(n, g, tap);
          for (int64_t s = 0; s < d.size; ++s) {
            const Corners<T> sample = d.Sample(n, g, tap, s);
            T by_row = 0, by_column = 0, by_mask = 0;
            for (int64_t c = first; c < last; ++c) {
              const T by = columns.as<T>()[(c * d.taps + tap) * d.size + s];
              const T* plane = d.Plane(n, c);
              by_row += by * sample.ByRow(plane);
              by_column += by * sample.ByColumn(plane);
              by_mask += by * sample.Value(plane);
            }
            const T scale = d.Scale(scale_at + s);
            if (doffset)
              doffset->data<T>()[at + s] = by_row * scale, doffset->data<T>()[at + d.size + s] = by_column * scale;
            if (dmask) dmask->data<T>()[scale_at + s] = by_mask;
          }
        });
      }
      if (!dx) continue;
      const int64_t each = d.channels / shifts;
      cpu::ParallelFor(0, d.channels, std::max<int64_t>(1, cpu::kGrain / (8 * d.taps * d.size + 1)),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t g = begin / each; g * each < end; ++g)
                           for (int64_t tap = 0; tap < d.taps; ++tap)
                             for (int64_t s = 0; s < d.size; ++s) {
                               const Corners<T> sample = d.Sample(n, g, tap, s);
                               const T scale = d.Scale(d.MaskAt(n, g, tap) + s);
                               for (int64_t c = std::max(begin, g * each); c < std::min(end, (g + 1) * each); ++c)
                                 sample.Add(scale * columns.as<T>()[(c * d.taps + tap) * d.size + s],
                                            dx->data<T>() + (n * d.channels + c) * area);
                             }
                       });
    }
  });
}

}  // namespace phi
