// SPDX-License-Identifier: Apache-2.0
// Rows of labels: distances, chunks, alignments, and the likeliest ones.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

namespace {

void CheckLabels(const char* op, const char* name, const Meta& x) {
  PD_CHECK(IsInteger(x.dtype), InvalidType, "[", op, "] expected ", name, " of integers, got ", NameOf(x.dtype));
}

// Sequences of labels [n, t], [n, t, 1], [t], or a column of one, of which `lengths` says how many labels each has.
struct LabelRows {
  std::vector<int64_t> labels, lengths;
  int64_t width;
  LabelRows(const char* op, const Tensor& x, const Tensor& given, bool column = false) : labels(ToIntVector(x)) {
    const bool flat = x.ndim() < 2 || column;
    const int64_t count = flat ? 1 : x.dim(0);
    width = flat ? x.numel() : x.dim(1);
    PD_CHECK(x.ndim() < 3 || (x.ndim() == 3 && x.dim(2) == 1), InvalidArgument, "[", op,
             "] expected labels [rows, labels], got shape ", common::ShapeText(x.dims()));
    if (!given.defined()) {
      lengths.assign(count, width);
      return;
    }
    CheckLabels(op, "lengths", given.meta());
    lengths = ToIntVector(given);
    PD_CHECK(static_cast<int64_t>(lengths.size()) == count, InvalidArgument, "[", op, "] expected ", count,
             " lengths, got shape ", common::ShapeText(given.dims()));
    for (int64_t n : lengths)
      PD_CHECK(0 <= n && n <= width, InvalidArgument, "[", op, "] expected lengths from 0 to ", width, ", got ", n);
  }
  int64_t count() const { return static_cast<int64_t>(lengths.size()); }
  const int64_t* row(int64_t k) const { return labels.data() + k * width; }
};

}  // namespace

void edit_distance_infer(const Meta& hyps, const Meta& refs, const Meta*, const Meta*, bool, Meta& count, Meta& out) {
  CheckLabels("edit_distance", "hyps", hyps);
  CheckLabels("edit_distance", "refs", refs);
  PD_CHECK(hyps.dims.size() == 2 && refs.dims.size() == 2 && !common::CertainlyDiffer(hyps.dims[0], refs.dims[0]),
           InvalidArgument, "[edit_distance] expected hyps and refs [n, labels] of as many rows, got shapes ",
           common::ShapeText(hyps.dims), " and ", common::ShapeText(refs.dims));
  count = {Dims{Dim(1)}, DataType::INT64};
  out = {Dims{hyps.dims[0], Dim(1)}, DataType::FLOAT32};
}
void edit_distance_kernel(const Tensor& hyps, const Tensor& refs, const Tensor& hyps_length, const Tensor& refs_length,
                          bool normalized, Tensor& count, Tensor& out) {
  const LabelRows a("edit_distance", hyps, hyps_length), b("edit_distance", refs, refs_length);
  PD_CHECK(a.count() == b.count(), InvalidArgument, "[edit_distance] expected as many rows of hyps as of refs, got ",
           a.count(), " and ", b.count());
  *count.data<int64_t>() = a.count();
  std::vector<int64_t> row(b.width + 1);
  for (int64_t k = 0; k < a.count(); ++k) {
    const int64_t n = a.lengths[k], m = b.lengths[k];
    for (int64_t j = 0; j <= m; ++j) row[j] = j;
    for (int64_t i = 1; i <= n; ++i) {
      int64_t corner = row[0];
      row[0] = i;
      for (int64_t j = 1; j <= m; ++j) {
        const int64_t changed = corner + (a.row(k)[i - 1] != b.row(k)[j - 1]);
        corner = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
      }
    }
    PD_CHECK(!normalized || m > 0, InvalidArgument,
             "[edit_distance] expected references with labels, got an empty one");
    out.data<float>()[k] = static_cast<float>(normalized ? static_cast<double>(row[m]) / m : row[m]);
  }
}

void ctc_align_infer(const Meta& x, const Meta*, int64_t, bool, int64_t, Meta& out, Meta& length) {
  PD_CHECK(x.dtype == DataType::INT32 || x.dtype == DataType::INT64, InvalidType,
           "[ctc_align] expected input of int32 or int64, got ", NameOf(x.dtype));
  PD_CHECK(x.dims.size() == 2, InvalidArgument, "[ctc_align] expected input [n, labels], got shape ",
           common::ShapeText(x.dims));
  out = x;
  length = {Dims{x.dims[0], Dim(1)}, x.dtype};
}
void ctc_align_kernel(const Tensor& x, const Tensor& lengths, int64_t blank, bool merge, int64_t padding, Tensor& out,
                      Tensor& length) {
  const LabelRows rows("ctc_align", x, lengths);
  auto run = [&](auto tag) {
    using T = decltype(tag);
    for (int64_t k = 0; k < rows.count(); ++k) {
      T* made = out.data<T>() + k * rows.width;
      int64_t kept = 0;
      for (int64_t j = 0; j < rows.lengths[k]; ++j) {
        const int64_t v = rows.row(k)[j];
        if (v != blank && !(merge && j > 0 && rows.row(k)[j - 1] == v)) made[kept++] = static_cast<T>(v);
      }
      std::fill(made + kept, made + rows.width, static_cast<T>(padding));
      length.data<T>()[k] = static_cast<T>(kept);
    }
  };
  x.dtype() == DataType::INT64 ? run(int64_t{}) : run(int32_t{});
}

namespace {

// The tags of a scheme by number, -1 for those it lacks: `single` is a chunk of one label.
struct Scheme {
  int64_t count, begin, inside, end, single;
  bool ends(int64_t tag, int64_t next) const {
    return tag == end || tag == single || ((tag == begin || tag == inside) && (next == begin || next == single));
  }
  bool begins(int64_t before, int64_t tag) const {
    return tag == begin || tag == single || ((tag == inside || tag == end) && (before == end || before == single));
  }
};

// -2 is no tag of any label, so that chunks of `plain` begin and end by their kinds.
Scheme SchemeOf(const std::string& name) {
  if (name == "IOB") return {2, 0, 1, -2, -2};
  if (name == "IOE") return {2, -2, 0, 1, -2};
  if (name == "IOBES") return {4, 0, 1, 2, 3};
  PD_CHECK(name == "plain", InvalidArgument, "[chunk_eval] expected chunk_scheme IOB, IOE, IOBES or plain, got '", name,
           "'");
  return {1, -2, -2, -2, -2};
}

using Chunk = std::tuple<int64_t, int64_t, int64_t>;  // first label, last label, kind

std::set<Chunk> Chunks(const int64_t* labels, int64_t count, int64_t kinds, const Scheme& scheme,
                       const common::Ints& excluded) {
  std::set<Chunk> found;
  int64_t first = -1, before_tag = -1, before_kind = kinds;
  auto close = [&](int64_t last) {
    if (std::find(excluded.begin(), excluded.end(), before_kind) == excluded.end())
      found.emplace(first, last, before_kind);
    first = -1;
  };
  for (int64_t k = 0; k < count; ++k) {
    PD_CHECK(0 <= labels[k] && labels[k] <= kinds * scheme.count, InvalidArgument,
             "[chunk_eval] expected labels from 0 to ", kinds * scheme.count, ", got ", labels[k]);
    const int64_t tag = labels[k] % scheme.count, kind = labels[k] / scheme.count;
    const bool other = kind != before_kind;
    if (first >= 0 && (kind == kinds || other || scheme.ends(before_tag, tag))) close(k - 1);
    if (kind != kinds && (other || scheme.begins(before_tag, tag))) first = k;
    before_tag = tag;
    before_kind = kind;
  }
  if (first >= 0) close(count - 1);
  return found;
}

}  // namespace

void chunk_eval_infer(const Meta& guessed, const Meta& label, const Meta*, int64_t, const std::string&,
                      const common::Ints&, Meta& precision, Meta& recall, Meta& f1, Meta& inferred, Meta& labelled,
                      Meta& correct) {
  CheckLabels("chunk_eval", "inference", guessed);
  CheckLabels("chunk_eval", "label", label);
  PD_CHECK(guessed.dims.size() == label.dims.size(), InvalidArgument,
           "[chunk_eval] expected inference and label of one shape, got ", common::ShapeText(guessed.dims), " and ",
           common::ShapeText(label.dims));
  precision = recall = f1 = {Dims{Dim(1)}, DataType::FLOAT32};
  inferred = labelled = correct = {Dims{Dim(1)}, DataType::INT64};
}
void chunk_eval_kernel(const Tensor& guessed, const Tensor& label, const Tensor& lengths, int64_t kinds,
                       const std::string& scheme, const common::Ints& excluded, Tensor& precision, Tensor& recall,
                       Tensor& f1, Tensor& inferred, Tensor& labelled, Tensor& correct) {
  PD_CHECK(guessed.dims() == label.dims(), InvalidArgument,
           "[chunk_eval] expected inference and label of one shape, got ", common::ShapeText(guessed.dims()), " and ",
           common::ShapeText(label.dims()));
  const Scheme tags = SchemeOf(scheme);
  // A column of labels without lengths is one row.
  const bool column = !lengths.defined() && guessed.ndim() == 2 && guessed.dim(1) == 1;
  const LabelRows a("chunk_eval", guessed, lengths, column);
  const std::vector<int64_t> given = ToIntVector(label);
  int64_t counts[3] = {0, 0, 0};
  for (int64_t k = 0; k < a.count(); ++k) {
    const auto one = Chunks(a.row(k), a.lengths[k], kinds, tags, excluded);
    const auto other = Chunks(given.data() + k * a.width, a.lengths[k], kinds, tags, excluded);
    counts[0] += static_cast<int64_t>(one.size());
    counts[1] += static_cast<int64_t>(other.size());
    for (const Chunk& c : one) counts[2] += static_cast<int64_t>(other.count(c));
  }
  auto share = [&](int64_t n) { return n ? static_cast<double>(counts[2]) / n : 0.0; };
  const double p = share(counts[0]), r = share(counts[1]);
  *precision.data<float>() = static_cast<float>(p);
  *recall.data<float>() = static_cast<float>(r);
  *f1.data<float>() = static_cast<float>(counts[2] ? 2 * p * r / (p + r) : 0.0);
  *inferred.data<int64_t>() = counts[0];
  *labelled.data<int64_t>() = counts[1];
  *correct.data<int64_t>() = counts[2];
}

void crf_decoding_infer(const Meta& x, const Meta& transition, const Meta* label, const Meta* length, Meta& path) {
  const int64_t rank = x.dims.size();
  PD_CHECK((rank == 2 || rank == 3) && transition.dims.size() == 2 &&
               !common::CertainlyDiffer(transition.dims[1], x.dims[rank - 1]),
           InvalidArgument,
           "[crf_decoding] expected emission [rows, steps, labels] and transition [labels + 2, labels], got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(transition.dims));
  if (label) CheckLabels("crf_decoding", "label", *label);
  if (length) CheckLabels("crf_decoding", "lengths", *length);
  path = {rank == 3 ? Dims{x.dims[0], x.dims[1]} : Dims{x.dims[0], Dim(1)}, DataType::INT64};
}
void crf_decoding_kernel(const Tensor& x, const Tensor& transition, const Tensor& label, const Tensor& length,
                         Tensor& path) {
  const bool flat = x.ndim() == 2;
  const int64_t rows = flat ? 1 : x.dim(0), steps = flat ? x.dim(0) : x.dim(1), labels = x.dim(x.ndim() - 1);
  PD_CHECK(transition.dim(0) == labels + 2, InvalidArgument, "[crf_decoding] expected transition [", labels + 2, ", ",
           labels, "], got shape ", common::ShapeText(transition.dims()));
  PD_CHECK(labels > 0, InvalidArgument, "[crf_decoding] expected at least one label, got none");
  std::vector<int64_t> lengths(rows, steps), given;
  if (length.defined() && !flat) lengths = ToIntVector(length);
  PD_CHECK(static_cast<int64_t>(lengths.size()) == rows, InvalidArgument, "[crf_decoding] expected ", rows,
           " lengths, got shape ", common::ShapeText(length.dims()));
  if (label.defined()) given = ToIntVector(label);
  PD_CHECK(!label.defined() || label.numel() == rows * steps, InvalidArgument, "[crf_decoding] expected ", rows * steps,
           " labels, got shape ", common::ShapeText(label.dims()));
  const double *begin = transition.data<double>(), *end = begin + labels, *pairs = end + labels;
  std::vector<double> best(labels), next(labels);
  std::vector<int64_t> came(std::max<int64_t>(steps, 1) * labels);
  std::fill_n(path.data<int64_t>(), path.numel(), 0);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t count = std::min(std::max<int64_t>(lengths[r], 0), steps);
    if (count == 0) continue;
    const double* score = x.data<double>() + r * steps * labels;
    for (int64_t k = 0; k < labels; ++k) best[k] = begin[k] + score[k];
    for (int64_t s = 1; s < count; ++s) {
      for (int64_t to = 0; to < labels; ++to) {
        int64_t from = 0;
        for (int64_t k = 1; k < labels; ++k)
          if (best[k] + pairs[k * labels + to] > best[from] + pairs[from * labels + to]) from = k;
        came[s * labels + to] = from;
        next[to] = best[from] + pairs[from * labels + to] + score[s * labels + to];
      }
      best.swap(next);
    }
    for (int64_t k = 0; k < labels; ++k) best[k] += end[k];
    int64_t at = std::max_element(best.begin(), best.end()) - best.begin();
    int64_t* made = path.data<int64_t>() + r * steps;
    for (int64_t s = count - 1; s >= 0; --s) {
      made[s] = given.empty() ? at : given[r * steps + s] == at;
      if (s > 0) at = came[s * labels + at];
    }
  }
}

void bipartite_match_infer(const Meta& far, const std::string& kind, double, Meta& match, Meta& distance) {
  PD_CHECK(IsFloating(far.dtype) && far.dims.size() == 2, InvalidArgument,
           "[bipartite_match] expected distances [rows, columns], got ", NameOf(far.dtype), " of shape ",
           common::ShapeText(far.dims));
  PD_CHECK(kind == "bipartite" || kind == "per_prediction", InvalidArgument,
           "[bipartite_match] expected match_type bipartite or per_prediction, got '", kind, "'");
  match = {Dims{Dim(1), far.dims[1]}, DataType::INT32};
  distance = {Dims{Dim(1), far.dims[1]}, far.dtype};
}
void bipartite_match_kernel(const Tensor& far, const std::string& kind, double threshold, Tensor& match,
                            Tensor& distance) {
  constexpr double kNothing = 1e-6;
  const int64_t rows = far.dim(0), columns = far.dim(1);
  const double* given = far.data<double>();
  int32_t* found = match.data<int32_t>();
  double* made = distance.data<double>();
  std::fill_n(found, columns, -1);
  std::fill_n(made, columns, 0.0);
  std::vector<int64_t> order;
  for (int64_t k = 0; k < rows * columns; ++k)
    if (given[k] >= kNothing) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return given[a] > given[b]; });
  std::vector<bool> used(rows);
  for (int64_t k : order) {
    const int64_t row = k / columns, column = k % columns;
    if (used[row] || found[column] >= 0) continue;
    used[row] = true;
    found[column] = static_cast<int32_t>(row);
    made[column] = given[k];
  }
  if (kind != "per_prediction") return;
  for (int64_t column = 0; column < columns; ++column) {
    if (found[column] >= 0) continue;
    for (int64_t row = 0; row < rows; ++row) {  // a NaN is no distance
      const double value = given[row * columns + column];
      if (!(value >= kNothing && value >= threshold && value > made[column])) continue;
      found[column] = static_cast<int32_t>(row);
      made[column] = value;
    }
  }
}

}  // namespace phi
