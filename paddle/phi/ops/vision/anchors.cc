// SPDX-License-Identifier: Apache-2.0
// Prior boxes, boxes relative to them, and the boxes of a YOLOv3 head.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/vision/boxes.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {

using Floats = std::vector<double>;

// Half the width and height of each prior box of a cell, in pixels.
struct Size {
  double across, down;
};
// The ratios of sides, 1 first, each once; with `flip` those of the turned boxes too.
Floats RatiosOf(const Floats& given, bool flip) {
  Floats all = {1.0};
  for (double ratio : given) {
    if (std::any_of(all.begin(), all.end(), [&](double r) { return std::fabs(ratio - r) <= 1e-6; })) continue;
    all.push_back(ratio);
    if (flip) all.push_back(1 / ratio);
  }
  return all;
}
std::vector<Size> SizesOf(const Floats& least, const Floats& most, const Floats& ratios, bool most_second) {
  std::vector<Size> out;
  for (size_t k = 0; k < least.size(); ++k) {
    auto add = [&](double across, double down) { out.push_back({across / 2, down / 2}); };
    auto large = [&] {
      if (!most.empty()) add(std::sqrt(least[k] * most[k]), std::sqrt(least[k] * most[k]));
    };
    add(least[k], least[k]);
    if (most_second) large();
    for (size_t i = 1; i < ratios.size(); ++i) add(least[k] * std::sqrt(ratios[i]), least[k] / std::sqrt(ratios[i]));
    if (!most_second) large();
  }
  return out;
}

// Centre and size of a box; `extra`: what a side has beside the difference of its ends.
struct Centred {
  double x, y, w, h;
  template <class T>
  Centred(const T* box, double extra)
      : w(static_cast<double>(box[2]) - box[0] + extra), h(static_cast<double>(box[3]) - box[1] + extra) {
    x = box[0] + w / 2, y = box[1] + h / 2;
  }
};

bool Encodes(const std::string& type) {
  PD_CHECK(type == "encode_center_size" || type == "decode_center_size", InvalidArgument,
           "[box_coder] expected code_type encode_center_size or decode_center_size, got ", type);
  return type == "encode_center_size";
}

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

}  // namespace

void prior_box_infer(const Meta& x, const Meta& image, const Floats& least, const Floats& most, const Floats& ratios,
                     const Floats& variances, bool flip, bool, double, double, double, bool, Meta& out, Meta& var) {
  CheckFloating("prior_box", "input", x);
  PD_CHECK(x.dims.size() == 4 && image.dims.size() == 4, InvalidArgument,
           "[prior_box] expected input and image of 4 axes, got shapes ", common::ShapeText(x.dims), " and ",
           common::ShapeText(image.dims));
  PD_CHECK(most.empty() || most.size() == least.size(), InvalidArgument,
           "[prior_box] expected one of max_sizes for each of min_sizes, got ", most.size(), " for ", least.size());
  for (size_t i = 0; i < most.size(); ++i)
    PD_CHECK(most[i] > least[i], InvalidArgument, "[prior_box] expected max_sizes above min_sizes, got ", most[i],
             " for ", least[i]);
  PD_CHECK(variances.size() == 4 || variances.size() == 1 || variances.empty(), InvalidArgument,
           "[prior_box] expected 4 variances, got ", variances.size());
  const int64_t each = static_cast<int64_t>(RatiosOf(ratios, flip).size()) + (most.empty() ? 0 : 1);
  out = {Dims{x.dims[2], x.dims[3], Dim(static_cast<int64_t>(least.size())) * Dim(each), Dim(4)}, x.dtype};
  var = out;
}
void prior_box_kernel(const Tensor& x, const Tensor& image, const Floats& least, const Floats& most,
                      const Floats& ratios, const Floats& variances, bool flip, bool clip, double step_w, double step_h,
                      double offset, bool most_second, Tensor& out, Tensor& var) {
  const std::vector<Size> sizes = SizesOf(least, most, RatiosOf(ratios, flip), most_second);
  const int64_t h = x.dim(2), w = x.dim(3);
  const double image_h = static_cast<double>(image.dim(2)), image_w = static_cast<double>(image.dim(3));
  if (step_w == 0) step_w = image_w / static_cast<double>(w);
  if (step_h == 0) step_h = image_h / static_cast<double>(h);
  double spread[4] = {0.1, 0.1, 0.2, 0.2};
  for (size_t i = 0; i < 4 && !variances.empty(); ++i) spread[i] = variances[variances.size() == 4 ? i : 0];
  Result boxes(out), spreads(var);
  ByFloat(boxes.wide().dtype(), [&](auto tag) {
    using T = decltype(tag);
    T *box = boxes.data<T>(), *v = spreads.data<T>();
    auto put = [&](double at, double extent) {
      *box++ = static_cast<T>(clip ? std::clamp(at / extent, 0.0, 1.0) : at / extent);
    };
    for (int64_t i = 0; i < h; ++i)
      for (int64_t j = 0; j < w; ++j) {
        const double cx = (static_cast<double>(j) + offset) * step_w, cy = (static_cast<double>(i) + offset) * step_h;
        for (const Size& s : sizes) {
          put(cx - s.across, image_w), put(cy - s.down, image_h);
          put(cx + s.across, image_w), put(cy + s.down, image_h);
          for (double one : spread) *v++ = static_cast<T>(one);
        }
      }
  });
}

void box_coder_infer(const Meta& prior, const Meta* variances, const Meta& target, const std::string& type, bool,
                     int64_t axis, const Floats& variance, Meta& out) {
  CheckFloating("box_coder", "target_box", target);
  CheckFloating("box_coder", "prior_box", prior);
  auto boxes = [](const Dims& d, int64_t rank) {
    return d.size() == rank && !common::CertainlyDiffer(d[rank - 1], Dim(4));
  };
  const bool encode = Encodes(type);
  PD_CHECK(encode || axis == 0 || axis == 1, InvalidArgument, "[box_coder] expected axis 0 or 1, got ", axis);
  PD_CHECK(boxes(prior.dims, 2) && boxes(target.dims, encode ? 2 : 3) &&
               (encode || !common::CertainlyDiffer(target.dims[1 - axis], prior.dims[0])),
           InvalidArgument, "[box_coder] expected prior_box [M, 4] and target_box ",
           encode ? "[N, 4]" : "[N, M, 4] (axis 0) or [M, N, 4] (axis 1)", ", got shapes ",
           common::ShapeText(prior.dims), " and ", common::ShapeText(target.dims));
  PD_CHECK(variance.empty() || variance.size() == 4, InvalidArgument, "[box_coder] expected 4 variances, got ",
           variance.size());
  PD_CHECK(!variances || (boxes(variances->dims, 2) && !common::CertainlyDiffer(variances->dims[0], prior.dims[0])),
           InvalidArgument, "[box_coder] expected prior_box_var of shape [M, 4], got shape ",
           variances ? common::ShapeText(variances->dims) : std::string());
  out = target;
  if (encode) out.dims = Dims{target.dims[0], prior.dims[0], Dim(4)};
}
void box_coder_kernel(const Tensor& prior, const Tensor& variances, const Tensor& target, const std::string& type,
                      bool normalized, int64_t axis, const Floats& variance, Tensor& out) {
  const bool encode = Encodes(type), by_row = axis == 1;
  const double extra = normalized ? 0 : 1;
  const int64_t n = out.dim(0), m = out.dim(1);
  const int64_t stride = variances.defined() && variances.ndim() == 2 ? 4 : 0;
  double listed[4] = {1, 1, 1, 1};
  std::copy(variance.begin(), variance.end(), listed);
  Result made(out);
  ByFloat(made.wide().dtype(), [&](auto tag) {
    using T = decltype(tag);
    cpu::ParallelFor(0, n, std::max<int64_t>(1, 2048 / std::max<int64_t>(m, 1)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < m; ++j) {
          const int64_t p = !encode && by_row ? i : j;
          const Centred own(prior.data<double>() + p * 4, extra);
          const double* by = variances.defined() ? variances.data<double>() + p * stride : listed;
          T* o = made.data<T>() + (i * m + j) * 4;
          if (encode) {
            const double* b = target.data<double>() + i * 4;
            const Centred t(b, extra);
            const double v[4] = {((b[0] + b[2]) / 2 - own.x) / own.w, ((b[1] + b[3]) / 2 - own.y) / own.h,
                                 std::log(std::fabs(t.w / own.w)), std::log(std::fabs(t.h / own.h))};
            for (int k = 0; k < 4; ++k) o[k] = static_cast<T>(v[k] / by[k]);
          } else {
            const double* d = target.data<double>() + (i * m + j) * 4;
            const double x = d[0] * by[0] * own.w + own.x, y = d[1] * by[1] * own.h + own.y,
                         w = std::exp(d[2] * by[2]) * own.w, h = std::exp(d[3] * by[3]) * own.h;
            o[0] = static_cast<T>(x - w / 2), o[1] = static_cast<T>(y - h / 2);
            o[2] = static_cast<T>(x + w / 2 - extra), o[3] = static_cast<T>(y + h / 2 - extra);
          }
        }
    });
  });
}

void yolo_box_infer(const Meta& x, const Meta& size, const Ints& anchors, int64_t classes, double, int64_t ratio, bool,
                    double, bool iou_aware, double factor, Meta& boxes, Meta& scores) {
  CheckFloating("yolo_box", "x", x);
  PD_CHECK(!anchors.empty() && anchors.size() % 2 == 0 && classes > 0 && ratio > 0, InvalidArgument,
           "[yolo_box] expected anchors in pairs and a positive class_num and downsample_ratio, got ",
           common::ShapeText(anchors), ", ", classes, " and ", ratio);
  for (int64_t a : anchors)
    PD_CHECK(a > 0, InvalidArgument, "[yolo_box] expected positive anchors, got ", common::ShapeText(anchors));
  PD_CHECK(!iou_aware || (factor >= 0 && factor <= 1), InvalidArgument,
           "[yolo_box] expected iou_aware_factor from 0 to 1, got ", factor);
  const Dim count(anchors.size() / 2), channels = count * (Dim(classes) + Dim(iou_aware ? 6 : 5));
  PD_CHECK(x.dims.size() == 4 && !common::CertainlyDiffer(x.dims[1], channels), InvalidArgument,
           "[yolo_box] expected x [N, ", common::DimText(channels), ", H, W] for ", common::DimText(count),
           " anchors and ", classes, " classes, got shape ", common::ShapeText(x.dims));
  PD_CHECK(IsInteger(size.dtype) && size.dims.size() == 2 && !common::CertainlyDiffer(size.dims[0], x.dims[0]) &&
               !common::CertainlyDiffer(size.dims[1], Dim(2)),
           InvalidArgument, "[yolo_box] expected integer img_size [N, 2] for x ", common::ShapeText(x.dims), ", got ",
           NameOf(size.dtype), " ", common::ShapeText(size.dims));
  const Dim each = count * x.dims[2] * x.dims[3];
  boxes = {Dims{x.dims[0], each, Dim(4)}, x.dtype};
  scores = {Dims{x.dims[0], each, Dim(classes)}, x.dtype};
}
void yolo_box_kernel(const Tensor& x, const Tensor& img_size, const Ints& anchors, int64_t classes, double least,
                     int64_t ratio, bool clip, double scale, bool iou_aware, double factor, Tensor& boxes,
                     Tensor& scores) {
  const int64_t count = anchors.size() / 2, h = x.dim(2), w = x.dim(3), area = h * w, images = x.dim(0),
                channels = x.dim(1);
  const std::vector<int64_t> sizes = ToIntVector(img_size);
  const double shift = -0.5 * (scale - 1);
  Result found(boxes), rated(scores);
  for (const Result* r : {&found, &rated})
    cpu::Zero(r->wide().raw_data(), r->wide().numel() * SizeOf(r->wide().dtype()));
  ByFloat(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    cpu::ParallelFor(0, images * count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const int64_t image = n / count, anchor = n % count;
        const double image_h = static_cast<double>(sizes[image * 2]),
                     image_w = static_cast<double>(sizes[image * 2 + 1]),
                     anchor_w = static_cast<double>(anchors[anchor * 2]) / static_cast<double>(ratio * w),
                     anchor_h = static_cast<double>(anchors[anchor * 2 + 1]) / static_cast<double>(ratio * h);
        const T* head = x.data<T>() + image * channels * area;
        const T* v = head + ((iou_aware ? count : 0) + anchor * (5 + classes)) * area;
        for (int64_t c = 0; c < area; ++c) {
          double confidence = Sigmoid(v[4 * area + c]);
          if (iou_aware)
            confidence = std::pow(confidence, 1 - factor) * std::pow(Sigmoid(head[anchor * area + c]), factor);
          if (!(confidence >= least)) continue;
          const double cx = (static_cast<double>(c % w) + Sigmoid(v[c]) * scale + shift) * image_w /
                            static_cast<double>(w),
                       cy = (static_cast<double>(c / w) + Sigmoid(v[area + c]) * scale + shift) * image_h /
                            static_cast<double>(h),
                       bw = std::exp(static_cast<double>(v[2 * area + c])) * anchor_w * image_w,
                       bh = std::exp(static_cast<double>(v[3 * area + c])) * anchor_h * image_h;
          double b[4] = {cx - bw / 2, cy - bh / 2, cx + bw / 2, cy + bh / 2};
          if (clip) {
            b[0] = std::max(b[0], 0.0), b[1] = std::max(b[1], 0.0);
            b[2] = std::min(b[2], image_w - 1), b[3] = std::min(b[3], image_h - 1);
          }
          std::transform(b, b + 4, found.data<T>() + (n * area + c) * 4, [](double d) { return static_cast<T>(d); });
          T* score = rated.data<T>() + (n * area + c) * classes;
          for (int64_t k = 0; k < classes; ++k) score[k] = static_cast<T>(confidence * Sigmoid(v[(5 + k) * area + c]));
        }
      }
    });
  });
}

}  // namespace phi
