// SPDX-License-Identifier: Apache-2.0
// Features of boxes and non-maximum suppression.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/vision/boxes.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/window_max.h"

namespace phi {
namespace {

// Shape rule of features of boxes: `channels` of them, the rest as asked.
void BoxFeatures(const char* op, const Meta& x, const Meta& boxes, Dim channels, int64_t height, int64_t width,
                 Meta& out) {
  PD_CHECK_DTYPE(IsFloating(x.dtype) && IsFloating(boxes.dtype), "[", op,
                 "] expected x and boxes of floating dtypes, got ", NameOf(x.dtype), " and ", NameOf(boxes.dtype));
  PD_CHECK(x.dims.size() == 4 && boxes.dims.size() == 2 && !common::CertainlyDiffer(boxes.dims[1], Dim(4)),
           InvalidArgument, "[", op, "] expected x [N, C, H, W] and boxes [R, 4], got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(boxes.dims));
  PD_CHECK(height > 0 && width > 0, InvalidArgument, "[", op, "] expected a positive output_size, got ", height, "x",
           width);
  out = {Dims{boxes.dims[0], channels, Dim(height), Dim(width)}, x.dtype};
}

// The image of each box: the first counts[0] boxes are of image 0, and so on.
std::vector<int64_t> ImagesOf(const char* op, const Tensor& counts, int64_t boxes, int64_t images) {
  PD_CHECK(counts.defined(), InvalidArgument, "[", op, "] expected boxes_num, how many boxes each image has, got None");
  std::vector<int64_t> out;
  const std::vector<int64_t> each = ToIntVector(counts);
  int64_t total = 0;
  for (int64_t c : each) {
    PD_CHECK(0 <= c && c <= boxes - total, InvalidArgument, "[", op, "] expected boxes_num that adds up to ", boxes,
             ", the boxes, got ", common::ShapeText(Ints(each.begin(), each.end())));
    total += c;
  }
  PD_CHECK(total == boxes && static_cast<int64_t>(each.size()) <= images, InvalidArgument, "[", op,
           "] expected boxes_num of at most ", images, " images that adds up to ", boxes, ", the boxes, got ",
           common::ShapeText(Ints(each.begin(), each.end())));
  for (size_t i = 0; i < each.size(); ++i) out.insert(out.end(), each[i], static_cast<int64_t>(i));
  return out;
}
// Four numbers a box. They, the scale and their products are below 1e9: what bins compute from them are finite numbers
// that int64 holds.
std::vector<double> CornersOf(const char* op, const Tensor& boxes, double scale) {
  PD_CHECK(std::fabs(scale) < 1e9, InvalidArgument, "[", op, "] expected a spatial_scale below 1e9, got ", scale);
  std::vector<double> out(boxes.data<double>(), boxes.data<double>() + boxes.numel());
  for (double v : out)
    PD_CHECK(std::fabs(v) < 1e9 && std::fabs(v * scale) < 1e9, InvalidArgument, "[", op,
             "] expected boxes below 1e9 before and after spatial_scale ", scale, ", got ", v);
  return out;
}
// Shape rule of gradients of features of boxes: `out` is x, of which the shape is given; dy is shaped as the features.
void FeatureGradient(const char* op, const Meta& dy, const Meta& boxes, const Ints& shape, Dim channels, int64_t height,
                     int64_t width, Meta& out) {
  out = {common::ToDims(shape), dy.dtype};
  Meta features;
  BoxFeatures(op, out, boxes, channels, height, width, features);
  bool same = dy.dims.size() == 4;
  for (int64_t i = 0; same && i < 4; ++i) same = !common::CertainlyDiffer(dy.dims[i], features.dims[i]);
  PD_CHECK(same, InvalidArgument, "[", op, "] expected a gradient of shape ", common::ShapeText(features.dims),
           ", got ", common::ShapeText(dy.dims));
}

void Clear(const Tensor& t) { cpu::Zero(t.raw_data(), t.numel() * SizeOf(t.dtype())); }

// What roi_align reads along one axis of a box: elements and how much each of them counts in the sum of the `each`
// samples of a bin. Bin i has all[starts[i]] to all[starts[i + 1]].
struct Samples {
  struct One {
    int64_t at;
    double weight;
  };
  int64_t each;
  std::vector<int64_t> starts = {0};
  std::vector<One> all;

  Samples(double begin, double length, int64_t bins, int64_t ratio, int64_t extent) {
    const double bin = length / static_cast<double>(bins);
    each = ratio > 0 ? ratio : std::max<int64_t>(1, static_cast<int64_t>(std::ceil(bin)));
    PD_CHECK(each < (int64_t{1} << 24) / bins, InvalidArgument,
             "[roi_align] expected boxes and a sampling_ratio of at most 2^24 samples an axis, got ", each, " a bin");
    for (int64_t i = 0; i < each * bins; ++i) {
      double v = begin + (static_cast<double>(i) + 0.5) * (bin / static_cast<double>(each));
      if (-1 <= v && v <= static_cast<double>(extent)) {
        v = std::max(v, 0.0);
        const int64_t low = std::min(static_cast<int64_t>(v), extent - 1);
        const double part = low == extent - 1 ? 0 : v - static_cast<double>(low);
        Add(low, 1 - part);
        Add(std::min(low + 1, extent - 1), part);
      }
      if ((i + 1) % each == 0) starts.push_back(static_cast<int64_t>(all.size()));
    }
  }

 private:
  // Samples run one way, so that an element that the bin has is one of its last three.
  void Add(int64_t at, double weight) {
    const int64_t first = std::max(starts.back(), static_cast<int64_t>(all.size()) - 3);
    for (int64_t k = static_cast<int64_t>(all.size()); k-- > first;)
      if (all[k].at == at) {
        all[k].weight += weight;
        return;
      }
    all.push_back({at, weight});
  }
};

struct AlignArgs {
  int64_t height, width;
  double scale;
  int64_t ratio;
  bool aligned;
};
// Visits f(place in out, place in x, weight) for all that one box reads of one plane [h, w].
template <class F>
void VisitSamples(const Samples& rows, const Samples& columns, const AlignArgs& a, int64_t w, F&& f) {
  const double share = 1.0 / static_cast<double>(rows.each * columns.each);
  for (int64_t i = 0; i < a.height; ++i)
    for (int64_t j = 0; j < a.width; ++j)
      for (int64_t p = rows.starts[i]; p < rows.starts[i + 1]; ++p)
        for (int64_t q = columns.starts[j]; q < columns.starts[j + 1]; ++q) {
          const Samples::One &r = rows.all[p], &c = columns.all[q];
          f(i * a.width + j, r.at * w + c.at, share * r.weight * c.weight);
        }
}
// Planes that are worth a thread of their own.
int64_t GrainOf(const Samples& rows, const Samples& columns) {
  return std::max<int64_t>(1, cpu::kGrain / static_cast<int64_t>(rows.all.size() * columns.all.size() + 1));
}
// Calls f(box, its image, rows, columns) for all boxes of roi_align.
template <class F>
void ForAligned(const Tensor& boxes, const Tensor& counts, const AlignArgs& a, int64_t images, int64_t h, int64_t w,
                F&& f) {
  const std::vector<double> corners = CornersOf("roi_align", boxes, a.scale);
  const std::vector<int64_t> image = ImagesOf("roi_align", counts, boxes.dim(0), images);
  const double shift = a.aligned ? 0.5 : 0;
  for (int64_t r = 0; r < boxes.dim(0); ++r) {
    double v[4];
    for (int k = 0; k < 4; ++k) v[k] = corners[r * 4 + k] * a.scale - shift;
    double across = v[2] - v[0], down = v[3] - v[1];
    if (!a.aligned) across = std::max(across, 1.0), down = std::max(down, 1.0);
    f(r, image[r], Samples(v[1], down, a.height, a.ratio, h), Samples(v[0], across, a.width, a.ratio, w));
  }
}

// What each bin is summed of is found on the host; boxes of an image, which follow each other, are summed at once.
void AlignOn(const DeviceForms& d, const Tensor& x, const Tensor& boxes, const Tensor& counts, const AlignArgs& a,
             Tensor& out) {
  const int64_t channels = x.dim(1), h = x.dim(2), w = x.dim(3), area = a.height * a.width, size = SizeOf(x.dtype());
  Clear(out);
  if (h == 0 || w == 0 || out.numel() == 0) return;
  std::vector<int64_t> starts = {0}, at;
  std::vector<double> weights;
  int64_t first = 0, of = 0;
  const auto sum = [&](int64_t end) {
    const int64_t n = end - first, shape[] = {n, channels, area}, from[] = {area, n * area, 1},
                  to[] = {channels * area, area, 1};
    if (n == 0) return;
    const auto bins = d.Room(n * channels * area * size);
    d.WeightedRows(x.dtype(), x.dtype(), static_cast<char*>(x.raw_data()) + of * channels * h * w * size, channels,
                   h * w, 1, starts, at, weights, bins.get());
    d.Copy(size, shape, bins.get(), from, static_cast<char*>(out.raw_data()) + first * channels * area * size, to);
    starts = {0}, at.clear(), weights.clear(), first = end;
  };
  ForAligned(ToHost(boxes), counts, a, x.dim(0), h, w,
             [&](int64_t r, int64_t image, const Samples& rows, const Samples& columns) {
               if (image != of) sum(r);
               of = image;
               int64_t bin = 0;
               const auto end = [&] { starts.push_back(static_cast<int64_t>(at.size())); };
               VisitSamples(rows, columns, a, w, [&](int64_t b, int64_t from, double weight) {
                 for (; bin < b; ++bin) end();
                 at.push_back(from);
                 weights.push_back(weight);
               });
               for (; bin < area; ++bin) end();
             });
  sum(boxes.dim(0));
}

}  // namespace

void roi_align_infer(const Meta& x, const Meta& boxes, const Meta*, int64_t height, int64_t width, double, int64_t,
                     bool, Meta& out) {
  BoxFeatures("roi_align", x, boxes, x.dims.size() == 4 ? x.dims[1] : Dim(0), height, width, out);
}
void roi_align_kernel(const Tensor& x, const Tensor& boxes, const Tensor& counts, int64_t height, int64_t width,
                      double scale, int64_t ratio, bool aligned, Tensor& out) {
  const int64_t channels = x.dim(1), h = x.dim(2), w = x.dim(3), area = height * width;
  const AlignArgs a{height, width, scale, ratio, aligned};
  if (const DeviceForms* d = FormsHere()) return AlignOn(*d, x, boxes, counts, a, out);
  InComputeType(x, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    Clear(to);
    if (h == 0 || w == 0) return;
    ForAligned(boxes, counts, a, x.dim(0), h, w,
               [&](int64_t r, int64_t image, const Samples& rows, const Samples& columns) {
                 cpu::ParallelFor(0, channels, GrainOf(rows, columns), [&](int64_t begin, int64_t end) {
                   for (int64_t c = begin; c < end; ++c) {
                     const T* plane = x.data<T>() + (image * channels + c) * h * w;
                     T* bins = to.data<T>() + (r * channels + c) * area;
                     VisitSamples(rows, columns, a, w, [&](int64_t bin, int64_t at, double weight) {
                       bins[bin] += static_cast<T>(weight) * plane[at];
                     });
                   }
                 });
               });
  });
}
void roi_align_scatter_infer(const Meta& dy, const Meta& boxes, const Meta*, const Ints& shape, int64_t height,
                             int64_t width, double, int64_t, bool, Meta& out) {
  FeatureGradient("roi_align_grad", dy, boxes, shape, shape.size() == 4 ? common::ToDims(shape)[1] : Dim(0), height,
                  width, out);
}
void roi_align_scatter_kernel(const Tensor& dy, const Tensor& boxes, const Tensor& counts, const Ints& shape,
                              int64_t height, int64_t width, double scale, int64_t ratio, bool aligned, Tensor& out) {
  const int64_t channels = shape[1], h = shape[2], w = shape[3], area = height * width;
  const AlignArgs a{height, width, scale, ratio, aligned};
  InComputeType(dy, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    Clear(to);
    if (h == 0 || w == 0) return;
    ForAligned(boxes, counts, a, shape[0], h, w,
               [&](int64_t r, int64_t image, const Samples& rows, const Samples& columns) {
                 cpu::ParallelFor(0, channels, GrainOf(rows, columns), [&](int64_t begin, int64_t end) {
                   for (int64_t c = begin; c < end; ++c) {
                     T* plane = to.data<T>() + (image * channels + c) * h * w;
                     const T* bins = dy.data<T>() + (r * channels + c) * area;
                     VisitSamples(rows, columns, a, w, [&](int64_t bin, int64_t at, double weight) {
                       plane[at] += static_cast<T>(weight) * bins[bin];
                     });
                   }
                 });
               });
  });
}

namespace {

// Elements [first, end) of a bin of whole ones.
struct Span {
  int64_t first, end;
};
Span Clamped(double first, double end, int64_t extent) {
  auto in = [extent](double v) { return static_cast<int64_t>(std::clamp(v, 0.0, static_cast<double>(extent))); };
  return {in(std::floor(first)), in(std::ceil(end))};
}
// Bins of a box from `low` to `high`, whole numbers that are both in it.
Span PoolBin(double low, double high, int64_t i, int64_t bins, int64_t extent) {
  const double size = std::max(high - low + 1, 1.0) / static_cast<double>(bins);
  return Clamped(std::floor(static_cast<double>(i) * size) + low, std::ceil(static_cast<double>(i + 1) * size) + low,
                 extent);
}

}  // namespace

void roi_pool_infer(const Meta& x, const Meta& boxes, const Meta*, int64_t height, int64_t width, double, Meta& out,
                    Meta& arg_max) {
  BoxFeatures("roi_pool", x, boxes, x.dims.size() == 4 ? x.dims[1] : Dim(0), height, width, out);
  arg_max = {out.dims, DataType::INT64};
}
void roi_pool_kernel(const Tensor& x, const Tensor& boxes, const Tensor& counts, int64_t height, int64_t width,
                     double scale, Tensor& out, Tensor& arg_max) {
  const int64_t channels = x.dim(1), h = x.dim(2), w = x.dim(3), area = height * width;
  const std::vector<double> corners = CornersOf("roi_pool", boxes, scale);
  const std::vector<int64_t> image = ImagesOf("roi_pool", counts, boxes.dim(0), x.dim(0));
  std::vector<Span> rows, columns;
  for (int64_t r = 0; r < boxes.dim(0); ++r) {
    double v[4];
    for (int k = 0; k < 4; ++k) v[k] = std::floor(corners[r * 4 + k] * scale + 0.5);
    for (int64_t i = 0; i < height; ++i) rows.push_back(PoolBin(v[1], v[3], i, height, h));
    for (int64_t i = 0; i < width; ++i) columns.push_back(PoolBin(v[0], v[2], i, width, w));
  }
  InComputeType(x, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    cpu::ParallelFor(0, boxes.dim(0) * channels, 1, [&](int64_t begin, int64_t end) {
      cpu::ColumnMaxima<T> maxima(w);
      for (int64_t n = begin; n < end; ++n) {
        const int64_t r = n / channels;
        const T* plane = x.data<T>() + (image[r] * channels + n % channels) * h * w;
        const Span *down = &rows[r * height], *across = &columns[r * width];
        const int64_t low = across[0].first, high = across[width - 1].end;
        int64_t* place = arg_max.data<int64_t>() + n * area;
        T* top = to.data<T>() + n * area;
        for (int64_t i = 0; i < height; ++i) {
          const int64_t count = down[i].end - down[i].first;
          if (count > 0) maxima.Reset(plane, down[i].first, count, w, low, high);
          for (int64_t j = 0; j < width; ++j, ++place, ++top) {
            const bool empty = count <= 0 || across[j].end <= across[j].first;
            const int64_t best = empty ? 0 : maxima.Best(across[j].first, across[j].end);
            *place = empty ? -1 : maxima.row(best) * w + best;
            *top = empty ? T(0) : maxima.value(best);
          }
        }
      }
    });
  });
}
void roi_pool_scatter_infer(const Meta& dy, const Meta*, const Meta& arg_max, const Ints& shape, Meta& out) {
  bool same = shape.size() == 4 && dy.dims.size() == 4 && arg_max.dims.size() == 4;
  for (int64_t i = 0; same && i < 4; ++i) same = !common::CertainlyDiffer(dy.dims[i], arg_max.dims[i]);
  PD_CHECK(same, InvalidArgument,
           "[roi_pool_grad] expected a gradient and places of one shape [R, C, h, w], got shapes ",
           common::ShapeText(dy.dims), " and ", common::ShapeText(arg_max.dims));
  out = {common::ToDims(shape), dy.dtype};
}
namespace {
// f(index in dy, index in x) for the largest values of all bins.
template <class F>
void ForLargest(const Tensor& counts, const Tensor& arg_max, const Ints& shape, F&& f) {
  const int64_t boxes = arg_max.dim(0), channels = shape[1], plane = shape[2] * shape[3],
                area = arg_max.dim(2) * arg_max.dim(3);
  PD_CHECK(arg_max.dim(1) == channels && arg_max.dtype() == DataType::INT64, InvalidArgument,
           "[roi_pool_grad] expected int64 places of ", channels, " channels, got ", NameOf(arg_max.dtype()), " ",
           common::ShapeText(arg_max.dims()));
  const std::vector<int64_t> image = ImagesOf("roi_pool_grad", counts, boxes, shape[0]);
  for (int64_t n = 0; n < boxes * channels; ++n)
    for (int64_t i = n * area; i < (n + 1) * area; ++i) {
      const int64_t at = arg_max.data<int64_t>()[i];
      if (at >= 0 && at < plane) f(i, (image[n / channels] * channels + n % channels) * plane + at);
    }
}
}  // namespace
void roi_pool_scatter_kernel(const Tensor& dy, const Tensor& counts, const Tensor& arg_max, const Ints& shape,
                             Tensor& out) {
  InComputeType(dy, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    Clear(to);
    ForLargest(counts, arg_max, shape, [&](int64_t i, int64_t at) { to.data<T>()[at] += dy.data<T>()[i]; });
  });
}
void roi_pool_gather_infer(const Meta& x, const Meta*, const Meta& arg_max, Meta& out) {
  PD_CHECK(x.dims.size() == 4 && arg_max.dims.size() == 4, InvalidArgument,
           "[roi_pool_grad] expected x [N, C, H, W] and places [R, C, h, w], got shapes ", common::ShapeText(x.dims),
           " and ", common::ShapeText(arg_max.dims));
  out = {arg_max.dims, x.dtype};
}
void roi_pool_gather_kernel(const Tensor& x, const Tensor& counts, const Tensor& arg_max, Tensor& out) {
  InComputeType(x, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    Clear(to);
    ForLargest(counts, arg_max, x.dims(), [&](int64_t i, int64_t at) { to.data<T>()[i] = x.data<T>()[at]; });
  });
}

namespace {
// Channels of features x [N, C, H, W], each of them of one bin.
void CheckPositions(const Meta& x, int64_t height, int64_t width, int64_t channels) {
  const Dim want = Dim(channels) * Dim(height) * Dim(width);
  PD_CHECK(channels > 0 && !common::CertainlyDiffer(x.dims[1], want), InvalidArgument, "[psroi_pool] expected x of ",
           common::DimText(want), " channels, ", channels, " for each of ", height, "x", width, " bins, got shape ",
           common::ShapeText(x.dims));
}
}  // namespace
void psroi_pool_infer(const Meta& x, const Meta& boxes, const Meta*, int64_t height, int64_t width, int64_t channels,
                      double, Meta& out) {
  PD_CHECK(channels > 0, InvalidArgument, "[psroi_pool] expected positive output_channels, got ", channels);
  BoxFeatures("psroi_pool", x, boxes, Dim(channels), height, width, out);
  CheckPositions(x, height, width, channels);
}
namespace {
// f(index in out, first index of a plane in x, rows, columns) for the bins of all boxes.
template <class F>
void ForPositions(const Tensor& boxes, const Tensor& counts, const Ints& x, int64_t height, int64_t width,
                  int64_t channels, double scale, F&& f) {
  const std::vector<double> corners = CornersOf("psroi_pool", boxes, scale);
  const std::vector<int64_t> image = ImagesOf("psroi_pool", counts, boxes.dim(0), x[0]);
  for (int64_t r = 0; r < boxes.dim(0); ++r) {
    const double* v = corners.data() + r * 4;
    const double x1 = std::nearbyint(v[0]) * scale, y1 = std::nearbyint(v[1]) * scale,
                 bin_w = std::max((std::nearbyint(v[2]) + 1) * scale - x1, 0.1) / static_cast<double>(width),
                 bin_h = std::max((std::nearbyint(v[3]) + 1) * scale - y1, 0.1) / static_cast<double>(height);
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < height * width; ++i) {
        const double p = static_cast<double>(i / width), q = static_cast<double>(i % width);
        f((r * channels + c) * height * width + i, (image[r] * x[1] + c * height * width + i) * x[2] * x[3],
          Clamped(p * bin_h + y1, (p + 1) * bin_h + y1, x[2]), Clamped(q * bin_w + x1, (q + 1) * bin_w + x1, x[3]));
      }
  }
}
}  // namespace
void psroi_pool_kernel(const Tensor& x, const Tensor& boxes, const Tensor& counts, int64_t height, int64_t width,
                       int64_t channels, double scale, Tensor& out) {
  InComputeType(x, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    const int64_t w = x.dim(3);
    ForPositions(boxes, counts, x.dims(), height, width, channels, scale,
                 [&](int64_t i, int64_t plane, Span rows, Span columns) {
                   const int64_t n = (rows.end - rows.first) * (columns.end - columns.first);
                   T sum = 0;
                   for (int64_t p = rows.first; p < rows.end; ++p)
                     for (int64_t q = columns.first; q < columns.end; ++q) sum += x.data<T>()[plane + p * w + q];
                   to.data<T>()[i] =
                       rows.end > rows.first && columns.end > columns.first ? sum / static_cast<T>(n) : T(0);
                 });
  });
}
void psroi_pool_scatter_infer(const Meta& dy, const Meta& boxes, const Meta*, const Ints& shape, int64_t height,
                              int64_t width, int64_t channels, double, Meta& out) {
  FeatureGradient("psroi_pool_grad", dy, boxes, shape, Dim(channels), height, width, out);
  CheckPositions(out, height, width, channels);
}
void psroi_pool_scatter_kernel(const Tensor& dy, const Tensor& boxes, const Tensor& counts, const Ints& shape,
                               int64_t height, int64_t width, int64_t channels, double scale, Tensor& out) {
  InComputeType(dy, out, [&](auto tag, const Tensor& to) {
    using T = decltype(tag);
    Clear(to);
    const int64_t w = shape[3];
    ForPositions(
        boxes, counts, shape, height, width, channels, scale, [&](int64_t i, int64_t plane, Span rows, Span columns) {
          const T share = dy.data<T>()[i] / static_cast<T>((rows.end - rows.first) * (columns.end - columns.first));
          for (int64_t p = rows.first; p < rows.end; ++p)
            for (int64_t q = columns.first; q < columns.end; ++q) to.data<T>()[plane + p * w + q] += share;
        });
  });
}

void nms_infer(const Meta& x, double, Meta& out) {
  CheckFloating("nms", "boxes", x);
  PD_CHECK(x.dims.size() == 2 && !common::CertainlyDiffer(x.dims[1], Dim(4)), InvalidArgument,
           "[nms] expected boxes [N, 4], got shape ", common::ShapeText(x.dims));
  out = {Dims{common::NewSymbol()}, DataType::INT64};
}
void nms_kernel(const Tensor& x, double threshold, Tensor& out) {
  const double* boxes = x.data<double>();
  const int64_t n = x.dim(0);
  std::vector<int64_t> kept;
  std::vector<char> dropped(n, 0);
  auto area = [&](int64_t i) {
    const double* b = boxes + i * 4;
    return (b[2] - b[0]) * (b[3] - b[1]);
  };
  for (int64_t i = 0; i < n; ++i) {
    if (dropped[i]) continue;
    kept.push_back(i);
    const double *a = boxes + i * 4, own = area(i);
    for (int64_t j = i + 1; j < n; ++j) {
      if (dropped[j]) continue;
      const double* b = boxes + j * 4;
      const double across = std::min(a[2], b[2]) - std::max(a[0], b[0]),
                   down = std::min(a[3], b[3]) - std::max(a[1], b[1]);
      const double shared = std::max(across, 0.0) * std::max(down, 0.0);
      dropped[j] = !(shared / std::max(own + area(j) - shared, 1e-12) <= threshold);
    }
  }
  EnsureOut(out, Ints{static_cast<int64_t>(kept.size())}, DataType::INT64);
  std::copy(kept.begin(), kept.end(), out.data<int64_t>());
}

}  // namespace phi
