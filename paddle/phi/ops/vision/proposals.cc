// SPDX-License-Identifier: Apache-2.0
// Choosing among boxes: proposals of regions, levels of a pyramid, suppression of overlapping boxes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/vision/boxes.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {

using Places = std::vector<int64_t>;

// One by the other, NaN behind all numbers.
bool Above(double a, double b) { return a > b || (a == a && b != b); }
// `order` with the best of `scores` first, equal ones as they stand; at most `top` of them where that is not negative.
void BestFirst(const double* scores, int64_t top, Places& order) {
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return Above(scores[a], scores[b]); });
  if (top >= 0 && top < static_cast<int64_t>(order.size())) order.resize(top);
}

// Boxes whose sides are the difference of their ends and `extra`.
class Overlaps {
 public:
  // Box k starts at boxes[k * stride].
  Overlaps(const double* boxes, int64_t stride, double extra) : boxes_(boxes), stride_(stride), extra_(extra) {}
  const double* Box(int64_t k) const { return boxes_ + k * stride_; }
  double Area(int64_t k) const { return (Box(k)[2] - Box(k)[0] + extra_) * (Box(k)[3] - Box(k)[1] + extra_); }
  // The part of their union that two boxes share.
  double operator()(int64_t a, int64_t b) const {
    const double shared = Side(a, b, 0) * Side(a, b, 1);
    return shared / std::max(Area(a) + Area(b) - shared, 1e-10);
  }

 private:
  double Side(int64_t a, int64_t b, int axis) const {
    const double low = std::max(Box(a)[axis], Box(b)[axis]), high = std::min(Box(a)[axis + 2], Box(b)[axis + 2]);
    return high >= low ? high - low + extra_ : 0;
  }
  const double* boxes_;
  int64_t stride_;
  double extra_;
};
// Those of `order` that none kept before overlaps by more than the threshold, which every one kept lowers by `eta`
// while it is above one half; at most `most` where that is positive.
Places Suppress(const Overlaps& overlap, const Places& order, double threshold, double eta, int64_t most) {
  Places kept;
  for (int64_t i : order) {
    if (std::any_of(kept.begin(), kept.end(), [&](int64_t k) { return !(overlap(i, k) <= threshold); })) continue;
    kept.push_back(i);
    if (most > 0 && static_cast<int64_t>(kept.size()) >= most) break;
    if (eta < 1 && threshold > 0.5) threshold *= eta;
  }
  return kept;
}

// The places of scores above `threshold`.
Places AboveThreshold(const double* scores, int64_t n, double threshold) {
  Places out;
  for (int64_t k = 0; k < n; ++k)
    if (scores[k] > threshold) out.push_back(k);
  return out;
}

// A box that was chosen.
struct Chosen {
  int64_t label;
  double score;
  const double* box;
  int64_t place;
};
bool Better(const Chosen& a, const Chosen& b) { return Above(a.score, b.score); }
// The best `top` of them; all, as they stand, where there are no more or that is negative.
void KeepBest(std::vector<Chosen>& all, int64_t top) {
  if (top < 0 || top >= static_cast<int64_t>(all.size())) return;
  std::stable_sort(all.begin(), all.end(), Better);
  all.resize(top);
}

// Results of suppression: rows of class, score and box, their places, how many each image has.
void SuppressionMetas(const Meta& boxes, Dim images, Meta& out, Meta& index, Meta& counts) {
  const Dim rows = common::NewSymbol();
  out = {Dims{rows, Dim(6)}, boxes.dtype};
  index = {Dims{rows, Dim(1)}, DataType::INT32};
  counts = {Dims{images}, DataType::INT32};
}
void StoreSuppression(const std::vector<std::vector<Chosen>>& images, DataType t, Tensor& out, Tensor& index,
                      Tensor& counts) {
  int64_t rows = 0;
  for (const auto& image : images) rows += static_cast<int64_t>(image.size());
  Tensor made = Empty(Ints{rows, 6}, DataType::FLOAT64);
  EnsureOut(index, Ints{rows, 1}, DataType::INT32);
  EnsureOut(counts, Ints{static_cast<int64_t>(images.size())}, DataType::INT32);
  double* row = made.data<double>();
  int32_t* place = index.data<int32_t>();
  for (size_t n = 0; n < images.size(); ++n) {
    counts.data<int32_t>()[n] = static_cast<int32_t>(images[n].size());
    for (const Chosen& one : images[n]) {
      *row++ = static_cast<double>(one.label), *row++ = one.score;
      row = std::copy(one.box, one.box + 4, row);
      *place++ = static_cast<int32_t>(one.place);
    }
  }
  out = CastTo(made, t);
}
void CheckSuppression(const char* op, const Meta& boxes, const Meta& scores) {
  CheckFloating(op, "bboxes", boxes);
  CheckFloating(op, "scores", scores);
  PD_CHECK(boxes.dims.size() == 3 && !common::CertainlyDiffer(boxes.dims[2], Dim(4)), InvalidArgument, "[", op,
           "] expected bboxes [N, M, 4], got shape ", common::ShapeText(boxes.dims));
}
void CheckImageScores(const char* op, const Meta& boxes, const Meta& scores) {
  PD_CHECK(scores.dims.size() == 3 && !common::CertainlyDiffer(scores.dims[0], boxes.dims[0]) &&
               !common::CertainlyDiffer(scores.dims[2], boxes.dims[1]),
           InvalidArgument, "[", op, "] expected scores [N, C, M] for bboxes ", common::ShapeText(boxes.dims),
           ", got shape ", common::ShapeText(scores.dims));
}
// Numbers of boxes of images that add up to `boxes`.
Places CountsOf(const char* op, const Tensor& counts, int64_t boxes) {
  Places each = ToIntVector(counts);
  int64_t left = boxes;
  for (int64_t c : each) {
    PD_CHECK(0 <= c && c <= left, InvalidArgument, "[", op, "] expected rois_num that adds up to ", boxes,
             ", the boxes, got ", common::ShapeText(Ints(each.begin(), each.end())));
    left -= c;
  }
  PD_CHECK(left == 0, InvalidArgument, "[", op, "] expected rois_num that adds up to ", boxes, ", the boxes, got ",
           common::ShapeText(Ints(each.begin(), each.end())));
  return each;
}
void CheckCounts(const char* op, const Meta& counts) {
  PD_CHECK(IsInteger(counts.dtype) && counts.dims.size() == 1, InvalidArgument, "[", op,
           "] expected integer rois_num [N], got ", NameOf(counts.dtype), " ", common::ShapeText(counts.dims));
}
// Rows `places` of x [n, width], of its dtype.
Tensor RowsAt(const Tensor& x, std::span<const int64_t> places) {
  const int64_t bytes = (x.dim(0) ? x.numel() / x.dim(0) : 0) * SizeOf(x.dtype());
  Ints dims = x.dims();
  dims[0] = static_cast<int64_t>(places.size());
  Tensor out = Empty(dims, x.dtype());
  char* to = static_cast<char*>(out.raw_data());
  for (int64_t k : places) {
    const char* row = static_cast<const char*>(x.raw_data()) + k * bytes;
    to = std::copy(row, row + bytes, to);
  }
  return out;
}
Tensor Int32s(const Places& values, const Ints& dims) {
  Tensor out = Empty(dims, DataType::INT32);
  std::transform(values.begin(), values.end(), out.data<int32_t>(), [](int64_t v) { return static_cast<int32_t>(v); });
  return out;
}

}  // namespace

void generate_proposals_infer(const Meta& scores, const Meta& deltas, const Meta& sizes, const Meta& anchors,
                              const Meta& variances, int64_t, int64_t, double, double, double, bool, Meta& rois,
                              Meta& probs, Meta& counts) {
  const std::pair<const char*, const Meta*> given[] = {{"scores", &scores},
                                                       {"bbox_deltas", &deltas},
                                                       {"img_size", &sizes},
                                                       {"anchors", &anchors},
                                                       {"variances", &variances}};
  for (auto [name, m] : given) CheckFloating("generate_proposals", name, *m);
  bool fits = scores.dims.size() == 4 && deltas.dims.size() == 4 &&
              !common::CertainlyDiffer(deltas.dims[1], Dim(4) * scores.dims[1]);
  for (int64_t i : {0, 2, 3}) fits = fits && !common::CertainlyDiffer(scores.dims[i], deltas.dims[i]);
  PD_CHECK(fits, InvalidArgument,
           "[generate_proposals] expected scores [N, A, H, W] and bbox_deltas [N, 4 A, H, W], got shapes ",
           common::ShapeText(scores.dims), " and ", common::ShapeText(deltas.dims));
  PD_CHECK(sizes.dims.size() == 2 && !common::CertainlyDiffer(sizes.dims[0], scores.dims[0]) &&
               !common::CertainlyDiffer(sizes.dims[1], Dim(2)),
           InvalidArgument, "[generate_proposals] expected img_size [N, 2] for scores ", common::ShapeText(scores.dims),
           ", got shape ", common::ShapeText(sizes.dims));
  const Dim rows = common::NewSymbol();
  rois = {Dims{rows, Dim(4)}, ComputeType(scores.dtype)};
  probs = {Dims{rows, Dim(1)}, ComputeType(scores.dtype)};
  counts = {Dims{scores.dims[0]}, DataType::INT32};
}
int64_t generate_proposals_workspace(const Meta& scores, const Meta&, const Meta&, const Meta&, const Meta&, int64_t,
                                     int64_t, double, double, double, bool) {
  return ConvertedBytes(scores, DataType::FLOAT64);
}
void generate_proposals_kernel(const Tensor& scores, const Tensor& deltas, const Tensor& sizes, const Tensor& anchors,
                               const Tensor& variances, int64_t pre_top, int64_t post_top, double threshold,
                               double min_size, double eta, bool pixel_offset, Tensor& rois, Tensor& probs,
                               Tensor& counts) {
  const int64_t images = scores.dim(0), each = scores.dim(1), area = scores.dim(2) * scores.dim(3), n = each * area;
  const std::pair<const char*, const Tensor*> numbered[] = {{"anchors", &anchors}, {"variances", &variances}};
  for (auto [name, t] : numbered)
    PD_CHECK(t->numel() == n * 4, InvalidArgument, "[generate_proposals] expected ", name, " of ", n * 4,
             " numbers for scores ", common::ShapeText(scores.dims()), ", got shape ", common::ShapeText(t->dims()));
  const Ordered in_doubles(scores, DataType::FLOAT64);
  const Tensor& score = in_doubles;
  const double extra = pixel_offset ? 1 : 0, least = std::max(min_size, 1.0), limit = std::log(1000.0 / 16);
  std::vector<double> boxes, rated;
  Places found;
  for (int64_t i = 0; i < images; ++i) {
    // Anchor a of cell c has the number c * each + a; its score and deltas lie plane by plane.
    const double *s = score.data<double>() + i * n, *d = deltas.data<double>() + i * n * 4;
    const double height = sizes.data<double>()[i * 2], width = sizes.data<double>()[i * 2 + 1];
    std::vector<double> own(n);
    for (int64_t k = 0; k < n; ++k) own[k] = s[k % each * area + k / each];
    Places order(n);
    std::iota(order.begin(), order.end(), 0);
    BestFirst(own.data(), pre_top > 0 ? pre_top : -1, order);
    std::vector<double> made, values;
    for (int64_t k : order) {
      const double *b = anchors.data<double>() + k * 4, *v = variances.data<double>() + k * 4;
      auto move = [&](int64_t j) { return v[j] * d[(k % each * 4 + j) * area + k / each]; };
      const double w0 = b[2] - b[0] + extra, h0 = b[3] - b[1] + extra, x = move(0) * w0 + b[0] + 0.5 * w0,
                   y = move(1) * h0 + b[1] + 0.5 * h0, w = std::exp(std::min(move(2), limit)) * w0,
                   h = std::exp(std::min(move(3), limit)) * h0;
      auto inside = [&](double at, double extent) { return std::max(std::min(at, extent - extra), 0.0); };
      const double one[4] = {inside(x - w / 2, width), inside(y - h / 2, height), inside(x + w / 2 - extra, width),
                             inside(y + h / 2 - extra, height)};
      if (!(one[2] - one[0] + extra >= least && one[3] - one[1] + extra >= least)) continue;
      if (pixel_offset && !((one[0] + one[2]) / 2 <= width && (one[1] + one[3]) / 2 <= height)) continue;
      made.insert(made.end(), one, one + 4);
      values.push_back(own[k]);
    }
    // An image without a box has one of no size.
    if (values.empty()) made.assign(4, 0.0), values.assign(1, 0.0);
    Places kept(values.size());
    std::iota(kept.begin(), kept.end(), 0);
    if (threshold > 0) kept = Suppress(Overlaps(made.data(), 4, extra), kept, threshold, eta, post_top);
    for (int64_t k : kept) {
      boxes.insert(boxes.end(), made.begin() + k * 4, made.begin() + k * 4 + 4);
      rated.push_back(values[k]);
    }
    found.push_back(static_cast<int64_t>(kept.size()));
  }
  const int64_t rows = static_cast<int64_t>(rated.size());
  auto store = [&](const std::vector<double>& from, int64_t width, Tensor& out) {
    const Tensor wide = Empty(Ints{rows, width}, DataType::FLOAT64);
    std::copy(from.begin(), from.end(), wide.data<double>());
    out = CastTo(wide, ComputeType(scores.dtype()));
  };
  store(boxes, 4, rois);
  store(rated, 1, probs);
  counts = Int32s(found, Ints{images});
}

void distribute_fpn_proposals_infer(const Meta& rois, const Meta* counts, int64_t low, int64_t high, int64_t, int64_t,
                                    bool, std::vector<Meta>& parts, std::vector<Meta>& numbers, Meta& restore) {
  CheckFloating("distribute_fpn_proposals", "fpn_rois", rois);
  PD_CHECK(rois.dims.size() == 2 && !common::CertainlyDiffer(rois.dims[1], Dim(4)), InvalidArgument,
           "[distribute_fpn_proposals] expected fpn_rois [R, 4], got shape ", common::ShapeText(rois.dims));
  PD_CHECK(1 <= low && low < high && high < low + 100, InvalidArgument,
           "[distribute_fpn_proposals] expected min_level of at least 1 and max_level above it by less than 100, got ",
           low, " and ", high);
  PD_CHECK(counts, InvalidArgument,
           "[distribute_fpn_proposals] expected rois_num, how many boxes each image has, got None");
  CheckCounts("distribute_fpn_proposals", *counts);
  parts.clear();
  numbers.clear();
  for (int64_t level = low; level <= high; ++level) {
    parts.push_back({Dims{common::NewSymbol(), Dim(4)}, rois.dtype});
    numbers.push_back({counts->dims, DataType::INT32});
  }
  restore = {Dims{rois.dims[0], Dim(1)}, DataType::INT32};
}
int64_t distribute_fpn_proposals_workspace(const Meta& rois, const Meta*, int64_t, int64_t, int64_t, int64_t, bool) {
  return ConvertedBytes(rois, DataType::FLOAT64);
}
void distribute_fpn_proposals_kernel(const Tensor& rois, const Tensor& counts, int64_t low, int64_t high,
                                     int64_t refer_level, int64_t refer_scale, bool pixel_offset,
                                     std::vector<Tensor>& parts, std::vector<Tensor>& numbers, Tensor& restore) {
  const int64_t n = rois.dim(0), levels = high - low + 1;
  const Places each = CountsOf("distribute_fpn_proposals", counts, n);
  const int64_t images = static_cast<int64_t>(each.size());
  const Ordered in_doubles(rois, DataType::FLOAT64);
  const Tensor& wide = in_doubles;
  const double extra = pixel_offset ? 1 : 0;
  std::vector<Places> of(levels), in(levels, Places(images, 0));
  int64_t k = 0;
  for (int64_t image = 0; image < images; ++image)
    for (const int64_t end = k + each[image]; k < end; ++k) {
      const double* b = wide.data<double>() + k * 4;
      const double area = b[2] < b[0] || b[3] < b[1] ? 0 : (b[2] - b[0] + extra) * (b[3] - b[1] + extra);
      const double at = std::floor(std::log2(std::sqrt(area) / static_cast<double>(refer_scale) + 1e-6) +
                                   static_cast<double>(refer_level));
      // A box without a finite level belongs to the first one.
      const double level = std::isfinite(at) ? std::clamp<double>(at, low, high) - static_cast<double>(low) : 0;
      of[static_cast<int64_t>(level)].push_back(k);
      ++in[static_cast<int64_t>(level)][image];
    }
  parts.clear();
  numbers.clear();
  restore = Empty(Ints{n, 1}, DataType::INT32);
  int32_t at = 0;
  for (int64_t level = 0; level < levels; ++level) {
    parts.push_back(RowsAt(rois, of[level]));
    numbers.push_back(Int32s(in[level], Ints{images}));
    for (int64_t place : of[level]) restore.data<int32_t>()[place] = at++;
  }
}

void collect_fpn_proposals_infer(const MetaList& rois, const MetaList& scores, const MetaList& counts, int64_t top,
                                 Meta& out, Meta& number) {
  const char* op = "collect_fpn_proposals";
  PD_CHECK(!rois.empty() && rois.size() == scores.size() && (counts.empty() || counts.size() == rois.size()),
           InvalidArgument, "[", op, "] expected boxes, scores and numbers of boxes for each level, got ", rois.size(),
           ", ", scores.size(), " and ", counts.size());
  PD_CHECK(top > 0, InvalidArgument, "[", op, "] expected post_nms_topn of at least 1, got ", top);
  for (size_t k = 0; k < rois.size(); ++k) {
    CheckFloating(op, "multi_level_rois", rois[k]);
    CheckFloating(op, "multi_level_scores", scores[k]);
    const Dims &box = rois[k].dims, &score = scores[k].dims;
    PD_CHECK(box.size() == 2 && !common::CertainlyDiffer(box[1], Dim(4)) && rois[k].dtype == rois[0].dtype,
             InvalidArgument, "[", op, "] expected boxes [R, 4] of ", NameOf(rois[0].dtype), " for level ", k, ", got ",
             NameOf(rois[k].dtype), " ", common::ShapeText(box));
    PD_CHECK((score.size() == 1 || (score.size() == 2 && !common::CertainlyDiffer(score[1], Dim(1)))) &&
                 !common::CertainlyDiffer(score[0], box[0]),
             InvalidArgument, "[", op, "] expected scores [R] or [R, 1] for boxes ", common::ShapeText(box),
             " of level ", k, ", got shape ", common::ShapeText(score));
    if (counts.empty()) continue;
    CheckCounts(op, counts[k]);
    PD_CHECK(!common::CertainlyDiffer(counts[k].dims[0], counts[0].dims[0]), InvalidArgument, "[", op,
             "] expected numbers of boxes of as many images for each level, got shapes ",
             common::ShapeText(counts[0].dims), " and ", common::ShapeText(counts[k].dims));
  }
  out = {Dims{common::NewSymbol(), Dim(4)}, rois[0].dtype};
  number = {counts.empty() ? Dims{Dim(1)} : counts[0].dims, DataType::INT32};
}
// The boxes of all levels, and the scores of one.
int64_t collect_fpn_proposals_workspace(const MetaList& rois, const MetaList& scores, const MetaList&, int64_t) {
  Dim rows(0);
  for (const Meta& level : rois) rows = rows + level.dims[0];
  int64_t score = 0;
  for (const Meta& level : scores) score = std::max(score, ConvertedBytes(level, DataType::FLOAT64));
  return WorkspaceFor(Dims{rows, Dim(4)}, rois[0].dtype) + score;
}
void collect_fpn_proposals_kernel(const std::vector<Tensor>& rois, const std::vector<Tensor>& scores,
                                  const std::vector<Tensor>& counts, int64_t top, Tensor& out, Tensor& number) {
  const int64_t images = counts.empty() ? 1 : counts[0].numel();
  std::vector<Chosen> all;  // the label is the image, the place that among the boxes of all levels
  int64_t rows = 0;
  for (const Tensor& level : rois) rows += level.dim(0);
  all.reserve(static_cast<size_t>(rows));
  const ScratchTensor boxes(Ints{rows, 4}, rois[0].dtype());
  const Tensor& whole = boxes.tensor;
  char* to = static_cast<char*>(whole.raw_data());
  for (size_t k = 0; k < rois.size(); ++k) {
    const int64_t n = rois[k].dim(0);
    const Places each = counts.empty() ? Places{n} : CountsOf("collect_fpn_proposals", counts[k], n);
    const Ordered in_doubles(scores[k], DataType::FLOAT64);
    const Tensor& score = in_doubles;
    int64_t row = 0;
    for (int64_t image = 0; image < images; ++image)
      for (const int64_t end = row + each[image]; row < end; ++row)
        all.push_back({image, score.data<double>()[row], nullptr, static_cast<int64_t>(all.size())});
    const char* from = static_cast<const char*>(rois[k].raw_data());
    to = std::copy(from, from + n * 4 * SizeOf(rois[k].dtype()), to);
  }
  std::stable_sort(all.begin(), all.end(), Better);
  if (top < rows) all.resize(static_cast<size_t>(top));
  std::stable_sort(all.begin(), all.end(), [](const Chosen& a, const Chosen& b) { return a.label < b.label; });
  Places places, found(images, 0);
  for (const Chosen& one : all) {
    places.push_back(one.place);
    ++found[one.label];
  }
  out = RowsAt(whole, places);
  number = Int32s(found, Ints{images});
}

void matrix_nms_infer(const Meta& boxes, const Meta& scores, double, int64_t, int64_t, double, bool, double, int64_t,
                      bool, Meta& out, Meta& index, Meta& counts) {
  CheckSuppression("matrix_nms", boxes, scores);
  CheckImageScores("matrix_nms", boxes, scores);
  SuppressionMetas(boxes, boxes.dims[0], out, index, counts);
}
int64_t matrix_nms_workspace(const Meta& boxes, const Meta&, double, int64_t, int64_t, double, bool, double, int64_t,
                             bool) {
  return ConvertedBytes(boxes, DataType::FLOAT64);
}
void matrix_nms_kernel(const Tensor& boxes, const Tensor& scores, double score_threshold, int64_t top, int64_t keep,
                       double post_threshold, bool gaussian, double sigma, int64_t background, bool normalized,
                       Tensor& out, Tensor& index, Tensor& counts) {
  const int64_t n = boxes.dim(0), m = boxes.dim(1), classes = scores.dim(1);
  const Ordered in_doubles(boxes, DataType::FLOAT64);
  const Tensor& b = in_doubles;
  std::vector<std::vector<Chosen>> images(n);
  cpu::ParallelFor(0, n, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Overlaps overlap(b.data<double>() + i * m * 4, 4, normalized ? 0 : 1);
      for (int64_t label = 0; label < classes; ++label) {
        if (label == background) continue;
        const double* score = scores.data<double>() + (i * classes + label) * m;
        Places order = AboveThreshold(score, m, score_threshold);
        BestFirst(score, top, order);
        // By how much each box is overlapped by better ones, at most; and how that of one row lowers the next ones.
        std::vector<double> worst(order.size(), 0.0);
        for (size_t j = 0; j < order.size(); ++j) {
          double decay = 1;
          for (size_t k = 0; k < j; ++k) {
            const double shared = overlap(order[j], order[k]);
            worst[j] = std::max(worst[j], shared);
            decay = std::min(decay, gaussian ? std::exp((worst[k] * worst[k] - shared * shared) * sigma)
                                             : (1 - shared) / (1 - worst[k]));
          }
          const double final = score[order[j]] * decay;
          if (final > post_threshold) images[i].push_back({label, final, overlap.Box(order[j]), i * m + order[j]});
        }
      }
      std::stable_sort(images[i].begin(), images[i].end(), Better);
      KeepBest(images[i], keep);
    }
  });
  StoreSuppression(images, boxes.dtype(), out, index, counts);
}

void multiclass_nms3_infer(const Meta& boxes, const Meta& scores, const Meta* rois_num, double, int64_t, int64_t,
                           double, bool, double, int64_t, Meta& out, Meta& index, Meta& counts) {
  CheckSuppression("multiclass_nms3", boxes, scores);
  if (rois_num) {
    CheckCounts("multiclass_nms3", *rois_num);
    PD_CHECK(scores.dims.size() == 2 && !common::CertainlyDiffer(scores.dims[0], boxes.dims[0]) &&
                 !common::CertainlyDiffer(scores.dims[1], boxes.dims[1]),
             InvalidArgument, "[multiclass_nms3] expected scores [R, C] for bboxes ", common::ShapeText(boxes.dims),
             " with rois_num, got shape ", common::ShapeText(scores.dims));
  } else {
    CheckImageScores("multiclass_nms3", boxes, scores);
  }
  SuppressionMetas(boxes, rois_num ? rois_num->dims[0] : boxes.dims[0], out, index, counts);
}
int64_t multiclass_nms3_workspace(const Meta& boxes, const Meta&, const Meta*, double, int64_t, int64_t, double, bool,
                                  double, int64_t) {
  return ConvertedBytes(boxes, DataType::FLOAT64);
}
void multiclass_nms3_kernel(const Tensor& boxes, const Tensor& scores, const Tensor& rois_num, double score_threshold,
                            int64_t top, int64_t keep, double threshold, bool normalized, double eta,
                            int64_t background, Tensor& out, Tensor& index, Tensor& counts) {
  const bool listed = rois_num.defined();
  const int64_t classes = scores.dim(1), images = listed ? rois_num.numel() : boxes.dim(0);
  const Ordered in_doubles(boxes, DataType::FLOAT64);
  const Tensor& b = in_doubles;
  Places first(images, 0), each(images, listed ? 0 : boxes.dim(1));
  if (listed) each = CountsOf("multiclass_nms3", rois_num, boxes.dim(0));
  for (int64_t i = 1; i < images; ++i) first[i] = first[i - 1] + each[i - 1];
  std::vector<std::vector<Chosen>> found(images);
  cpu::ParallelFor(0, images, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> own;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t m = each[i];
      for (int64_t label = 0; label < classes; ++label) {
        if (label == background) continue;
        // Box k of the class starts at k * stride, and has the place `at + k * step` among all.
        const int64_t step = listed ? classes : 1, at = listed ? first[i] * classes + label : first[i];
        const Overlaps overlap(b.data<double>() + at * 4, step * 4, normalized ? 0 : 1);
        const double* score = scores.data<double>() + (listed ? at : (i * classes + label) * m);
        if (listed) {
          own.resize(m);
          for (int64_t k = 0; k < m; ++k) own[k] = score[k * classes];
          score = own.data();
        }
        Places order = AboveThreshold(score, m, score_threshold);
        BestFirst(score, top, order);
        for (int64_t k : Suppress(overlap, order, threshold, eta, 0))
          found[i].push_back({label, score[k], overlap.Box(k), at + k * step});
      }
      KeepBest(found[i], keep);
      // As in PaddlePaddle: class after class, best first; boxes of all images in one list as they are listed.
      std::stable_sort(found[i].begin(), found[i].end(), [listed](const Chosen& one, const Chosen& other) {
        return one.label != other.label ? one.label < other.label : listed && one.place < other.place;
      });
    }
  });
  StoreSuppression(found, boxes.dtype(), out, index, counts);
}

}  // namespace phi
