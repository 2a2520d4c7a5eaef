// SPDX-License-Identifier: Apache-2.0
// The loss of a YOLOv3 head.
#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/by_float.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {

template <class T>
struct Box {
  T x, y, w, h;  // centre and size in parts of the image
  bool known() const { return w > T(1e-6) && h > T(1e-6); }
};

template <class T>
T SharedSide(T centre, T size, T other, T other_size) {
  const T low = std::max(centre - size / 2, other - other_size / 2),
          high = std::min(centre + size / 2, other + other_size / 2);
  return std::max(high - low, T(0));
}
template <class T>
T Overlap(const Box<T>& a, const Box<T>& b) {
  const T shared = SharedSide(a.x, a.w, b.x, b.w) * SharedSide(a.y, a.h, b.y, b.h);
  return shared / (a.w * a.h + b.w * b.h - shared);
}
template <class T>
T Sigmoid(T v) {
  return 1 / (1 + std::exp(-v));
}
// Cross entropy of sigmoid(logit).
template <class T>
T CrossEntropy(T logit, T label) {
  return std::max(logit, T(0)) - logit * label + std::log1p(std::exp(-std::fabs(logit)));
}

// A head [images, own * (5 + classes), height, width], its anchors and its objects.
template <class T>
class YoloHead {
 public:
  YoloHead(const Tensor& x, const Tensor& boxes, const Tensor& labels, const Tensor& scores, const Ints& anchors,
           const Ints& mask, int64_t classes, int64_t ratio, bool smooth, double scale)
      : images(x.dim(0)),
        height(x.dim(2)),
        width(x.dim(3)),
        own(mask.size()),
        objects(boxes.dim(1)),
        area(x.dim(2) * x.dim(3)),
        classes_(classes),
        mask_(mask),
        size_(static_cast<T>(ratio) * static_cast<T>(x.dim(2))),
        scale_(static_cast<T>(scale)),
        x_(x),
        boxes_(boxes),
        scores_(scores),
        labels_(ToIntVector(labels)) {
    for (int64_t a : anchors) anchors_.push_back(static_cast<T>(a) / size_);
    const T off = smooth ? std::min(T(1) / static_cast<T>(classes), T(1) / 40) : T(0);
    off_ = off, on_ = 1 - off;
  }

  const int64_t images, height, width, own, objects, area;

  // Where the first number of a cell lies; the others follow `area` apart.
  int64_t At(int64_t image, int64_t anchor, int64_t cell) const {
    return (image * own + anchor) * (5 + classes_) * area + cell;
  }
  Box<T> Object(int64_t image, int64_t k) const {
    const T* b = boxes_.template data<T>() + (image * objects + k) * 4;
    return {b[0], b[1], b[2], b[3]};
  }
  T Score(int64_t image, int64_t k) const {
    return scores_.defined() ? scores_.template data<T>()[image * objects + k] : T(1);
  }
  int64_t Cell(const Box<T>& b) const {
    // The product of a number below 1 with an extent may round to the extent.
    auto at = [](T part, int64_t extent) { return std::min(static_cast<int64_t>(part * extent), extent - 1); };
    return at(b.y, height) * width + at(b.x, width);
  }
  // The place in `mask` of the anchor that fits best when both have one centre; -1: another head has it.
  int64_t Match(const Box<T>& b) const {
    int64_t best = 0;
    T most = -1;
    for (size_t a = 0; a + 1 < anchors_.size(); a += 2) {
      const T overlap = Overlap(Box<T>{0, 0, b.w, b.h}, Box<T>{0, 0, anchors_[a], anchors_[a + 1]});
      if (overlap > most) most = overlap, best = static_cast<int64_t>(a / 2);
    }
    for (int64_t k = own; k-- > 0;)
      if (mask_[k] == best) return k;
    return -1;
  }
  bool Ignored(int64_t image, int64_t anchor, int64_t cell, double threshold) const {
    const T* v = x_.template data<T>() + At(image, anchor, cell);
    const T shift = T(-0.5) * (scale_ - 1);
    const Box<T> found = {(static_cast<T>(cell % width) + Sigmoid(v[0]) * scale_ + shift) / width,
                          (static_cast<T>(cell / width) + Sigmoid(v[area]) * scale_ + shift) / height,
                          std::exp(v[2 * area]) * anchors_[2 * mask_[anchor]],
                          std::exp(v[3 * area]) * anchors_[2 * mask_[anchor] + 1]};
    T most = 0;
    for (int64_t k = 0; k < objects; ++k) {
      const Box<T> b = Object(image, k);
      if (b.known()) most = std::max(most, Overlap(found, b));
    }
    return most > static_cast<T>(threshold);
  }
  // Calls f(number of the value, logit, wanted, weight, whether a size) for what one object says of its cell.
  template <class F>
  void Visit(int64_t image, int64_t k, int64_t anchor, F&& f) const {
    const Box<T> b = Object(image, k);
    const int64_t cell = Cell(b), at = At(image, anchor, cell), a = 2 * mask_[anchor];
    const T score = Score(image, k), weight = (2 - b.w * b.h) * score;
    const T wanted[4] = {b.x * width - static_cast<T>(cell % width), b.y * height - static_cast<T>(cell / width),
                         std::log(b.w / anchors_[a]), std::log(b.h / anchors_[a + 1])};
    const T* v = x_.template data<T>();
    for (int64_t i = 0; i < 4; ++i) f(at + i * area, v[at + i * area], wanted[i], weight, i >= 2);
    const int64_t label = labels_[image * objects + k];
    for (int64_t c = 0; c < classes_; ++c) {
      const int64_t place = at + (5 + c) * area;
      f(place, v[place], c == label ? on_ : off_, score, false);
    }
  }
  int64_t ObjectnessAt(int64_t image, int64_t anchor, int64_t cell) const { return At(image, anchor, cell) + 4 * area; }
  T Logit(int64_t at) const { return x_.template data<T>()[at]; }
  void CheckObject(int64_t image, int64_t k) const {
    const Box<T> b = Object(image, k);
    PD_CHECK(area > 0, InvalidArgument, "[yolo_loss] expected x with a cell for each object, got one of ", height, "x",
             width, " cells");
    PD_CHECK(b.x >= 0 && b.x < 1 && b.y >= 0 && b.y < 1, InvalidArgument,
             "[yolo_loss] expected centres of gt_box in [0, 1), got ", b.x, ", ", b.y);
    const int64_t label = labels_[image * objects + k];
    PD_CHECK(0 <= label && label < classes_, InvalidArgument, "[yolo_loss] expected gt_label in [0, ", classes_,
             "), got ", label);
  }

 private:
  int64_t classes_;
  const Ints& mask_;
  T size_, scale_, on_, off_;
  std::vector<T> anchors_;
  Tensor x_, boxes_, scores_;
  std::vector<int64_t> labels_;
};

// Marks of cells: above this the score of an object, from there to kIgnored background.
constexpr double kObject = 1e-5, kIgnored = -0.5;

}  // namespace

void yolo_loss_infer(const Meta& x, const Meta& boxes, const Meta& labels, const Meta* scores, const Ints& anchors,
                     const Ints& mask, int64_t classes, double, int64_t ratio, bool, double, Meta& loss,
                     Meta& objectness, Meta& match) {
  PD_CHECK_DTYPE(x.dtype == DataType::FLOAT32 || x.dtype == DataType::FLOAT64,
                 "[yolo_loss] expected x of float32 or float64, got ", NameOf(x.dtype));
  PD_CHECK(classes > 0 && ratio > 0 && !mask.empty() && anchors.size() % 2 == 0, InvalidArgument,
           "[yolo_loss] expected a positive class_num and downsample_ratio, anchors in pairs and an anchor_mask, got ",
           classes, ", ", ratio, ", ", common::ShapeText(anchors), " and ", common::ShapeText(mask));
  for (int64_t a : mask)
    PD_CHECK(0 <= a && a < anchors.size() / 2, InvalidArgument, "[yolo_loss] expected anchor_mask in [0, ",
             anchors.size() / 2, "), got ", a);
  for (int64_t a : anchors)
    PD_CHECK(a > 0, InvalidArgument, "[yolo_loss] expected positive anchors, got ", common::ShapeText(anchors));
  const Dim channels = Dim(static_cast<int64_t>(mask.size())) * (Dim(5) + Dim(classes));
  PD_CHECK(x.dims.size() == 4 && !common::CertainlyDiffer(x.dims[1], channels), InvalidArgument,
           "[yolo_loss] expected x [N, ", common::DimText(channels), ", H, W] for ", mask.size(), " anchors and ",
           classes, " classes, got shape ", common::ShapeText(x.dims));
  auto objects = [&](const Meta& m, int64_t rank) {
    return m.dims.size() == rank && !common::CertainlyDiffer(m.dims[0], x.dims[0]) &&
           !common::CertainlyDiffer(m.dims[1], boxes.dims[1]);
  };
  PD_CHECK(boxes.dims.size() == 3 && objects(boxes, 3) && !common::CertainlyDiffer(boxes.dims[2], Dim(4)) &&
               objects(labels, 2) && (!scores || objects(*scores, 2)),
           InvalidArgument, "[yolo_loss] expected gt_box [N, B, 4], gt_label [N, B] and gt_score [N, B], got shapes ",
           common::ShapeText(boxes.dims), ", ", common::ShapeText(labels.dims), " and ",
           scores ? common::ShapeText(scores->dims) : "none");
  PD_CHECK(IsInteger(labels.dtype), InvalidArgument, "[yolo_loss] expected integer gt_label, got ",
           NameOf(labels.dtype));
  loss = {Dims{x.dims[0]}, x.dtype};
  objectness = {Dims{x.dims[0], Dim(mask.size()), x.dims[2], x.dims[3]}, x.dtype};
  match = {Dims{boxes.dims[0], boxes.dims[1]}, DataType::INT32};
}
void yolo_loss_kernel(const Tensor& x, const Tensor& boxes, const Tensor& labels, const Tensor& scores,
                      const Ints& anchors, const Ints& mask, int64_t classes, double threshold, int64_t ratio,
                      bool smooth, double scale, Tensor& loss, Tensor& objectness, Tensor& match) {
  ByFloat(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const YoloHead<T> head(x, boxes, labels, scores, anchors, mask, classes, ratio, smooth, scale);
    cpu::ParallelFor(0, head.images, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        T* marks = objectness.data<T>() + n * head.own * head.area;
        for (int64_t a = 0; a < head.own; ++a)
          for (int64_t c = 0; c < head.area; ++c) marks[a * head.area + c] = head.Ignored(n, a, c, threshold) ? -1 : 0;
        double total = 0;
        for (int64_t k = 0; k < head.objects; ++k) {
          const Box<T> b = head.Object(n, k);
          int32_t& place = match.data<int32_t>()[n * head.objects + k];
          place = -1;
          if (!b.known()) continue;
          head.CheckObject(n, k);
          place = static_cast<int32_t>(head.Match(b));
          if (place < 0) continue;
          // Of several objects in one cell the last one marks it.
          marks[place * head.area + head.Cell(b)] = head.Score(n, k);
          head.Visit(n, k, place, [&](int64_t, T logit, T wanted, T weight, bool size) {
            total += weight * (size ? std::fabs(logit - wanted) : CrossEntropy(logit, wanted));
          });
        }
        for (int64_t a = 0; a < head.own; ++a)
          for (int64_t c = 0; c < head.area; ++c) {
            const T mark = marks[a * head.area + c], logit = head.Logit(head.ObjectnessAt(n, a, c));
            if (mark > kObject)
              total += CrossEntropy(logit, T(1)) * mark;
            else if (mark > kIgnored)
              total += CrossEntropy(logit, T(0));
          }
        loss.data<T>()[n] = static_cast<T>(total);
      }
    });
  });
}
void yolo_loss_grad_kernel(const Tensor& x, const Tensor& boxes, const Tensor& labels, const Tensor& scores,
                           const Tensor& objectness, const Tensor& match, const Tensor& dloss, const Tensor&,
                           const Tensor&, const Ints& anchors, const Ints& mask, int64_t classes, double, int64_t ratio,
                           bool smooth, double scale, Tensor* dx) {
  if (!dx || !dloss.defined()) return;
  EnsureOut(*dx, x.dims(), x.dtype());
  cpu::Zero(dx->raw_data(), dx->numel() * SizeOf(dx->dtype()));
  ByFloat(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const YoloHead<T> head(x, boxes, labels, scores, anchors, mask, classes, ratio, smooth, scale);
    PD_CHECK(dloss.numel() == head.images && objectness.numel() == head.images * head.own * head.area &&
                 match.numel() == head.images * head.objects,
             InvalidArgument, "[yolo_loss_grad] expected gradients of ", head.images, " losses, marks of ", head.own,
             " anchors of ", head.area, " cells and places of ", head.objects, " objects, got shapes ",
             common::ShapeText(dloss.dims()), ", ", common::ShapeText(objectness.dims()), " and ",
             common::ShapeText(match.dims()));
    T* out = dx->data<T>();
    cpu::ParallelFor(0, head.images, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const T by = dloss.data<T>()[n];
        for (int64_t k = 0; k < head.objects; ++k) {
          const int32_t place = match.data<int32_t>()[n * head.objects + k];
          if (place < 0) continue;
          PD_CHECK(place < head.own, InvalidArgument, "[yolo_loss_grad] expected gt_match_mask below ", head.own,
                   ", got ", place);
          head.CheckObject(n, k);
          head.Visit(n, k, place, [&](int64_t at, T logit, T wanted, T weight, bool size) {
            const T apart = logit - wanted;
            out[at] += by * weight * (size ? T((apart > 0) - (apart < 0)) : Sigmoid(logit) - wanted);
          });
        }
        for (int64_t a = 0; a < head.own; ++a)
          for (int64_t c = 0; c < head.area; ++c) {
            const T mark = objectness.data<T>()[(n * head.own + a) * head.area + c];
            const int64_t at = head.ObjectnessAt(n, a, c);
            if (mark > kObject)
              out[at] = by * mark * (Sigmoid(head.Logit(at)) - 1);
            else if (mark > kIgnored)
              out[at] = by * Sigmoid(head.Logit(at));
          }
      }
    });
  });
}

}  // namespace phi
