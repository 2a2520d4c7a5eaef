// SPDX-License-Identifier: Apache-2.0
// Shape rules and adapters of sorting, selection, searching and counting.
#include "paddle/phi/primitives/sort.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/gather.h"
#include "paddle/phi/primitives/reduce.h"

namespace phi {
namespace {
void CheckReal(const char* op, DataType t) {
  PD_CHECK_DTYPE(!IsComplex(t), "[", op, "] expected a real dtype, got ", NameOf(t));
}
Dims Dropped(const Dims& x, int64_t axis, bool keepdim) {
  Dims d = x;
  if (d.empty()) return d;
  if (keepdim)
    d[axis] = Dim(1);
  else
    d.erase(axis);
  return d;
}
}  // namespace

void argsort_infer(const Meta& x, int64_t axis, bool, bool, Meta& out, Meta& indices) {
  CheckReal("argsort", x.dtype);
  common::NormalizeAxis("argsort", axis, x.dims.size());
  out = x;
  indices = {x.dims, DataType::INT64};
}
int64_t argsort_workspace(const Meta& x, int64_t, bool, bool) { return cpu::WideBytes(x.dtype, CountOf(x)); }
void argsort_kernel(const Tensor& x, int64_t axis, bool descending, bool, Tensor& out, Tensor& indices) {
  if (x.numel() == 0) return;
  AxisSplit s = SplitAt("argsort", x.dims(), axis);
  cpu::Sort(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, descending, out.raw_data(), indices.data<int64_t>());
}

void topk_infer(const Meta& x, const Scalar& k, int64_t axis, bool, bool, Meta& out, Meta& indices) {
  CheckReal("topk", x.dtype);
  int64_t a = common::NormalizeAxis("topk", axis, x.dims.size());
  const Dim extent = x.dims.empty() ? Dim(1) : x.dims[a];
  PD_CHECK(!k.known() || (k.to_int() >= 0 && (!extent.known() || k.to_int() <= extent.raw())), InvalidArgument,
           "[topk] expected k between 0 and the extent ", common::DimText(extent), " of axis ", a, ", got ",
           k.to_int());
  out = x;
  if (!out.dims.empty()) out.dims[a] = k.known() ? Dim(k.to_int()) : k.integer().extent();
  indices = {out.dims, DataType::INT64};
}
int64_t topk_workspace(const Meta& x, const Scalar&, int64_t, bool, bool) {
  return cpu::WideBytes(x.dtype, CountOf(x));
}
void topk_kernel(const Tensor& x, const Scalar& k, int64_t axis, bool largest, bool, Tensor& out, Tensor& indices) {
  if (out.numel() == 0 || k.to_int() == 0) return;
  AxisSplit s = SplitAt("topk", x.dims(), axis);
  cpu::TopK(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, k.to_int(), largest, out.raw_data(),
            indices.data<int64_t>());
}

void kthvalue_infer(const Meta& x, int64_t k, int64_t axis, bool keepdim, Meta& out, Meta& indices) {
  CheckReal("kthvalue", x.dtype);
  int64_t a = common::NormalizeAxis("kthvalue", axis, x.dims.size());
  Dim extent = x.dims.empty() ? Dim(1) : x.dims[a];
  PD_CHECK(k >= 1 && (!extent.known() || k <= extent.raw()), InvalidArgument,
           "[kthvalue] expected k between 1 and the extent ", common::DimText(extent), " of axis ", a, ", got ", k);
  out = {Dropped(x.dims, a, keepdim), x.dtype};
  indices = {out.dims, DataType::INT64};
}
int64_t kthvalue_workspace(const Meta& x, int64_t, int64_t, bool) { return cpu::WideBytes(x.dtype, CountOf(x)); }
void kthvalue_kernel(const Tensor& x, int64_t k, int64_t axis, bool, Tensor& out, Tensor& indices) {
  if (out.numel() == 0) return;
  AxisSplit s = SplitAt("kthvalue", x.dims(), axis);
  cpu::KthValue(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, k, out.raw_data(), indices.data<int64_t>());
}

void mode_infer(const Meta& x, int64_t axis, bool keepdim, Meta& out, Meta& indices) {
  CheckReal("mode", x.dtype);
  int64_t a = common::NormalizeAxis("mode", axis, x.dims.size());
  PD_CHECK(x.dims.empty() || !x.dims[a].known() || x.dims[a].raw() > 0, InvalidArgument,
           "[mode] expected at least one element along axis ", a, ", got shape ", common::ShapeText(x.dims));
  out = {Dropped(x.dims, a, keepdim), x.dtype};
  indices = {out.dims, DataType::INT64};
}
int64_t mode_workspace(const Meta& x, int64_t, bool) { return cpu::WideBytes(x.dtype, CountOf(x)); }
void mode_kernel(const Tensor& x, int64_t axis, bool, Tensor& out, Tensor& indices) {
  if (out.numel() == 0) return;
  AxisSplit s = SplitAt("mode", x.dims(), axis);
  cpu::Mode(x.dtype(), x.raw_data(), s.outer, s.n, s.inner, out.raw_data(), indices.data<int64_t>());
}

void argmax_infer(const Meta& x, const Scalar& axis, bool keepdims, bool flatten, DataType dtype, Meta& out) {
  CheckReal("argmax", x.dtype);
  if (dtype == DataType::UNDEFINED) dtype = DataType::INT64;
  PD_CHECK(dtype == DataType::INT32 || dtype == DataType::INT64, InvalidArgument,
           "[argmax] expected dtype int32 or int64, got ", NameOf(dtype));
  out = {{}, dtype};
  if (flatten) {
    if (keepdims) out.dims.assign(x.dims.size(), Dim(1));
  } else if (!axis.known()) {
    out.dims = ReducedDims("argmax", x.dims, IntArray{axis.integer()}, keepdims);
  } else {
    out.dims = Dropped(x.dims, common::NormalizeAxis("argmax", axis.to_int(), x.dims.size()), keepdims);
  }
}
namespace {
void ArgExtreme(const char* op, bool max, const Tensor& x, const Scalar& axis, bool flatten, Tensor& out) {
  if (out.numel() == 0) return;
  int a =
      flatten || x.ndim() == 0 ? cpu::kFlatAxis : static_cast<int>(common::NormalizeAxis(op, axis.to_int(), x.ndim()));
  PD_CHECK(x.numel() > 0, InvalidArgument, "[", op, "] expected at least one element, got shape ",
           common::ShapeText(x.dims()));
  cpu::ArgReduce(max, x.dtype(), x.raw_data(), x.dims(), x.strides(), a, out.dtype(), out.raw_data(), nullptr);
}
}  // namespace
int64_t argmax_workspace(const Meta& x, const Scalar& axis, bool keepdims, bool flatten, DataType dtype) {
  Meta out;
  argmax_infer(x, axis, keepdims, flatten, dtype, out);
  return ConvertedBytes(out, DataType::INT64);
}
void argmax_kernel(const Tensor& x, const Scalar& axis, bool, bool flatten, DataType, Tensor& out) {
  ArgExtreme("argmax", true, x, axis, flatten, out);
}
void argmin_kernel(const Tensor& x, const Scalar& axis, bool, bool flatten, DataType, Tensor& out) {
  ArgExtreme("argmin", false, x, axis, flatten, out);
}

void searchsorted_infer(const Meta& seq, const Meta& values, bool out_int32, bool, Meta& out) {
  CheckReal("searchsorted", seq.dtype);
  PD_CHECK(!seq.dims.empty(), InvalidArgument,
           "[searchsorted] expected a sorted_sequence of at least 1 axis, got a 0-D tensor");
  PD_CHECK(seq.dtype == values.dtype, InvalidType, "[searchsorted] expected values of dtype ", NameOf(seq.dtype),
           ", got ", NameOf(values.dtype));
  if (seq.dims.size() > 1)
    PD_CHECK(common::MayMatch(seq.dims, values.dims, seq.dims.size() - 1), InvalidArgument,
             "[searchsorted] expected values whose shape is that of sorted_sequence but for the last axis, got ",
             common::ShapeText(seq.dims), " and ", common::ShapeText(values.dims));
  out = {values.dims, out_int32 ? DataType::INT32 : DataType::INT64};
}
int64_t searchsorted_workspace(const Meta& seq, const Meta& values, bool, bool) {
  return cpu::WideBytes(seq.dtype, CountOf(seq)) + cpu::WideBytes(seq.dtype, CountOf(values));
}
void searchsorted_kernel(const Tensor& seq, const Tensor& values, bool, bool right, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t n = seq.dims().back(), rows = 1;
  for (int64_t i = 0; i + 1 < seq.ndim(); ++i) rows *= seq.dim(i);
  int64_t value_n = seq.ndim() == 1 ? values.numel() : values.dims().back();
  if (n == 0) return cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  cpu::SearchSorted(seq.dtype(), seq.raw_data(), rows, n, values.raw_data(), values.numel() / value_n, value_n, right,
                    out.dtype(), out.raw_data());
}

namespace {
Tensor IndexResult(const std::vector<int64_t>& v, DataType dtype) {
  Tensor t = Empty(Ints{static_cast<int64_t>(v.size())}, DataType::INT64);
  std::copy(v.begin(), v.end(), t.data<int64_t>());
  return CastTo(t, dtype);
}
// x, which is in order, with `axis` in front, for the length of a call.
class AxisFirst {
  std::optional<ScratchTensor> made_;

 public:
  AxisFirst(const Tensor& x, int64_t axis) : tensor(axis == 0 ? x : Make(x, axis)) {}

  const Tensor& tensor;

 private:
  const Tensor& Make(const Tensor& x, int64_t axis) {
    Ints d{x.dim(axis)}, s{x.strides()[axis]};
    for (int64_t i = 0; i < x.ndim(); ++i)
      if (i != axis) {
        d.push_back(x.dim(i));
        s.push_back(x.strides()[i]);
      }
    const Tensor& front = made_.emplace(d, x.dtype()).tensor;
    CopyInto(ViewOf(x, d, s, x->offset()), front);
    return front;
  }
};
int64_t AxisFirstBytes(const char* op, const Meta& x, const Ints& axis) {
  if (axis.empty() || x.dims.empty() || common::NormalizeAxis(op, axis[0], x.dims.size()) == 0) return 0;
  return WorkspaceFor(x.dims, x.dtype);
}
// What is compared, and where the items lie, as many as there may be.
int64_t UniqueBytes(const char* op, const Meta& x, const Ints& axis) {
  const bool flat = axis.empty() || x.dims.empty();
  const int64_t items = flat ? CountOf(x) : x.dims[common::NormalizeAxis(op, axis[0], x.dims.size())].value();
  return AxisFirstBytes(op, x, axis) + std::max(cpu::WideBytes(x.dtype, CountOf(x)), cpu::PlacesBytes(items));
}
// The items r.first of x [n, row], laid out with the axis back in its place.
Tensor Chosen(const Tensor& x, const Tensor& front, const cpu::UniqueResult& r, int64_t axis, bool flat) {
  int64_t count = static_cast<int64_t>(r.first.size()), n = flat ? front.numel() : front.dim(0);
  Ints d = front.dims();
  if (flat)
    d = Ints{count};
  else
    d[0] = count;
  Tensor items = Empty(d, x.dtype());
  int64_t inner = n ? front.numel() / n : 0;
  if (items.numel())
    cpu::GatherAxis("unique", SizeOf(x.dtype()), front.raw_data(), 1, n, inner, DataType::INT64, r.first.data(), count,
                    items.raw_data());
  if (flat || axis == 0) return items;
  Ints od, os;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    int64_t from = i == axis ? 0 : i < axis ? i + 1 : i;
    od.push_back(items.dim(from));
    os.push_back(items.strides()[from]);
  }
  return Contiguous(ViewOf(items, od, os, items->offset()));
}
int64_t UniqueAxis(const char* op, const Tensor& x, const Ints& axis, bool* flat, DataType dtype) {
  CheckReal(op, x.dtype());
  PD_CHECK(dtype == DataType::INT32 || dtype == DataType::INT64, InvalidArgument, "[", op,
           "] expected dtype int32 or int64, got ", NameOf(dtype));
  PD_CHECK(axis.size() <= 1, InvalidArgument, "[", op, "] expected at most one axis, got ", common::ShapeText(axis));
  *flat = axis.empty() || x.ndim() == 0;
  return *flat ? 0 : common::NormalizeAxis(op, axis[0], x.ndim());
}
}  // namespace

namespace {
void UniqueMetas(const Meta& x, const Ints& axis, Meta& out, Dim* n, Dim* count) {
  *count = common::NewSymbol();
  bool flat = axis.empty() || x.dims.empty();
  *n = flat ? common::Product(x.dims) : x.dims[common::NormalizeAxis("unique", axis[0], x.dims.size())];
  out = {flat ? Dims{*count} : x.dims, x.dtype};
  if (!flat) out.dims[common::NormalizeAxis("unique", axis[0], x.dims.size())] = *count;
}
}  // namespace
void unique_infer(const Meta& x, bool return_index, bool return_inverse, bool return_counts, const Ints& axis,
                  DataType dtype, bool, Meta& out, Meta& indices, Meta& inverse, Meta& counts) {
  Dim n, count;
  UniqueMetas(x, axis, out, &n, &count);
  indices = {Dims{return_index ? count : Dim(0)}, dtype};
  inverse = {Dims{return_inverse ? n : Dim(0)}, dtype};
  counts = {Dims{return_counts ? count : Dim(0)}, dtype};
}
void unique_consecutive_infer(const Meta& x, bool return_inverse, bool return_counts, const Ints& axis, DataType dtype,
                              Meta& out, Meta& index, Meta& counts) {
  Dim n, count;
  UniqueMetas(x, axis, out, &n, &count);
  index = {Dims{return_inverse ? n : Dim(0)}, dtype};
  counts = {Dims{return_counts ? count : Dim(0)}, dtype};
}
int64_t unique_workspace(const Meta& x, bool, bool, bool, const Ints& axis, DataType, bool) {
  return UniqueBytes("unique", x, axis);
}
// Results that were not asked for are empty.
void unique_kernel(const Tensor& x, bool return_index, bool return_inverse, bool return_counts, const Ints& axis,
                   DataType dtype, bool, Tensor& out, Tensor& indices, Tensor& inverse, Tensor& counts) {
  bool flat;
  int64_t a = UniqueAxis("unique", x, axis, &flat, dtype);
  const AxisFirst in_front(x, a);
  const Tensor& front = in_front.tensor;
  int64_t n = flat ? x.numel() : front.dim(0);
  cpu::UniqueResult r;
  if (n)
    r = flat ? cpu::Unique(x.dtype(), front.raw_data(), n)
             : cpu::UniqueRows(x.dtype(), front.raw_data(), n, front.numel() / n);
  out = Chosen(x, front, r, a, flat);
  indices = return_index ? IndexResult(r.first, dtype) : Empty(Ints{0}, dtype);
  inverse = return_inverse ? IndexResult(r.inverse, dtype) : Empty(Ints{0}, dtype);
  counts = return_counts ? IndexResult(r.counts, dtype) : Empty(Ints{0}, dtype);
}
int64_t unique_consecutive_workspace(const Meta& x, bool, bool, const Ints& axis, DataType) {
  return UniqueBytes("unique_consecutive", x, axis);
}
void unique_consecutive_kernel(const Tensor& x, bool return_inverse, bool return_counts, const Ints& axis,
                               DataType dtype, Tensor& out, Tensor& index, Tensor& counts) {
  bool flat;
  int64_t a = UniqueAxis("unique_consecutive", x, axis, &flat, dtype);
  const AxisFirst in_front(x, a);
  const Tensor& front = in_front.tensor;
  int64_t n = flat ? x.numel() : front.dim(0);
  cpu::UniqueResult r;
  if (n) r = cpu::UniqueConsecutive(x.dtype(), front.raw_data(), n, flat ? 1 : front.numel() / n);
  out = Chosen(x, front, r, a, flat);
  index = return_inverse ? IndexResult(r.inverse, dtype) : Empty(Ints{0}, dtype);
  counts = return_counts ? IndexResult(r.counts, dtype) : Empty(Ints{0}, dtype);
}

void histogram_infer(const Meta& x, const Meta* weight, int64_t bins, double lo, double hi, bool density, Meta& out) {
  CheckReal("histogram", x.dtype);
  PD_CHECK(bins >= 1, InvalidArgument, "[histogram] expected at least 1 bin, got ", bins);
  PD_CHECK(lo <= hi, InvalidArgument, "[histogram] expected min <= max, got ", lo, " and ", hi);
  if (weight)
    PD_CHECK(weight->dtype == x.dtype && common::MayMatch(weight->dims, x.dims), InvalidArgument,
             "[histogram] expected weights of the input's dtype ", NameOf(x.dtype), " and shape ",
             common::ShapeText(x.dims), ", got ", NameOf(weight->dtype), " ", common::ShapeText(weight->dims));
  out = {Dims{Dim(bins)}, density ? DataType::FLOAT32 : weight ? weight->dtype : DataType::INT64};
}
int64_t histogram_workspace(const Meta& x, const Meta*, int64_t bins, double, double, bool density) {
  return density ? WorkspaceFor(Dims{Dim(bins)}, x.dtype == DataType::FLOAT64 ? x.dtype : DataType::INT64) +
                       WorkspaceFor(Dims{Dim(bins)}, DataType::FLOAT64)
                 : 0;
}
namespace {
// The least and the largest element of x, which has some, in the dtype `as`.
void EndsOf(const char* op, const Tensor& x, DataType as, void* both) {
  alignas(8) char here[16];
  const DeviceForms* d = FormsHere();
  const auto there = d ? d->Room(sizeof(here)) : nullptr;
  char* const ends = d ? static_cast<char*>(there.get()) : here;
  const int64_t width = SizeOf(x.dtype());
  const uint64_t every = ReduceMask(op, x.ndim(), Ints{});
  cpu::Reduce(cpu::ReduceOp::kMin, x.dtype(), x.raw_data(), x.dims(), x.strides(), every, x.dtype(), ends);
  cpu::Reduce(cpu::ReduceOp::kMax, x.dtype(), x.raw_data(), x.dims(), x.strides(), every, x.dtype(), ends + width);
  if (d) d->Fetch(ends, 2 * width, here);
  Convert(x.dtype(), here, 1, as, both, 1, 2);
}
}  // namespace
void histogram_kernel(const Tensor& x, const Tensor& weight, int64_t bins, double lo, double hi, bool density,
                      Tensor& out) {
  if (lo == hi && x.numel()) {  // the range of the data
    double range[2];
    EndsOf("histogram", x, DataType::FLOAT64, range);
    lo = range[0];
    hi = range[1];
  }
  const bool narrow = IsFloating(x.dtype()) && x.dtype() != DataType::FLOAT64;  // placed in float32
  PD_CHECK(hi - lo <= (narrow ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()),
           InvalidArgument, "[histogram] expected a finite range from min to max for ", NameOf(x.dtype()), ", got [",
           lo, ", ", hi, "]");
  if (lo == hi) {
    lo -= 1;
    hi += 1;
  }
  DataType counted = weight.defined() ? x.dtype() : DataType::INT64;
  std::optional<ScratchTensor> counts;
  const Tensor held = density ? counts.emplace(Ints{bins}, counted).tensor : out;
  if (x.numel() == 0)
    cpu::Zero(held.raw_data(), bins * SizeOf(counted));
  else
    cpu::Histogram(x.dtype(), x.raw_data(), x.numel(), bins, lo, hi, weight.defined() ? weight.raw_data() : nullptr,
                   held.raw_data());
  if (!density) return;
  const double size = (hi - lo) / static_cast<double>(bins);
  const Ordered as_doubles(held, DataType::FLOAT64);
  const Tensor& sums = as_doubles;
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("density", DataType::UNDEFINED, bins, {sums.raw_data(), out.raw_data()},
                      {bins, std::bit_cast<int64_t>(size)});
  double total = 0;
  for (int64_t i = 0; i < bins; ++i) total += sums.data<double>()[i];
  for (int64_t i = 0; i < bins; ++i) out.data<float>()[i] = static_cast<float>(sums.data<double>()[i] / total / size);
}

void bincount_infer(const Meta& x, const Meta* weights, const Scalar&, Meta& out) {
  PD_CHECK(x.dims.size() == 1, InvalidArgument, "[bincount] expected a 1-D tensor, got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(IsInteger(x.dtype), InvalidType, "[bincount] expected an integer dtype, got ", NameOf(x.dtype));
  DataType t = !weights ? DataType::INT64 : weights->dtype == DataType::FLOAT32 ? DataType::FLOAT32 : DataType::FLOAT64;
  out = {Dims{common::NewSymbol()}, t};
}
void bincount_kernel(const Tensor& x, const Tensor& weights, const Scalar& minlength, Tensor& out) {
  PD_CHECK(minlength.to_int() >= 0, InvalidArgument, "[bincount] expected a non-negative minlength, got ",
           minlength.to_int());
  int64_t bins = minlength.to_int();
  if (x.numel()) {
    int64_t ends[2];
    EndsOf("bincount", x, DataType::INT64, ends);
    for (int64_t v : ends)
      PD_CHECK(v >= 0 && v < common::kMaxElements, InvalidArgument, "[bincount] expected integers from 0 to ",
               common::kMaxElements - 1, ", got ", v);
    bins = std::max(bins, ends[1] + 1);
  }
  if (!weights.defined()) {
    EnsureOut(out, Ints{bins}, DataType::INT64);
    if (bins) cpu::BinCount(DataType::INT64, x.raw_data(), x.numel(), bins, out.data<int64_t>());
    return;
  }
  PD_CHECK(weights.dims() == x.dims(), InvalidArgument, "[bincount] expected weights of shape ",
           common::ShapeText(x.dims()), ", got ", common::ShapeText(weights.dims()));
  EnsureOut(out, Ints{bins}, weights.dtype());
  if (bins)
    cpu::BinCountWeighted(DataType::INT64, x.raw_data(), x.numel(), bins, weights.dtype(), weights.raw_data(),
                          out.raw_data());
}

}  // namespace phi
