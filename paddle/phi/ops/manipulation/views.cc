// SPDX-License-Identifier: Apache-2.0
// Shape rules and kernels of the view ops: results share the input's memory wherever strides can say it.
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/infer/strides.h"
#include "paddle/phi/ops/manipulation/views.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/gather.h"
#include "paddle/phi/primitives/reduce.h"

namespace phi {

// Strides of `x` seen with another shape, or false when the memory does not allow it.
bool ViewStrides(const Tensor& x, const Ints& dims, Ints& strides) {
  strides.assign(dims.size(), 1);
  if (x.numel() != 0 && !x.is_contiguous()) {
    // Axes of extent 1 say nothing about the memory: they are left out on the input side.
    Ints d, s;
    for (int64_t i = 0; i < x.ndim(); ++i)
      if (x.dim(i) != 1) {
        d.push_back(x.dim(i));
        s.push_back(x.strides()[i]);
      }
    if (d.size() != x.ndim()) return ViewStrides(ViewOf(x, d, s, x->offset()), dims, strides);
  }
  if (x.numel() == 0 || x.is_contiguous()) {
    int64_t run = 1;
    for (int64_t i = dims.size() - 1; i >= 0; --i) {
      strides[i] = run;
      run *= dims[i] > 0 ? dims[i] : 1;
    }
    return true;
  }
  int64_t j = dims.size() - 1;
  int64_t i = x.ndim() - 1;
  while (i >= 0) {
    // A maximal run of x's axes that lie evenly in memory.
    int64_t inner = x.strides()[i], count = x.dim(i);
    int64_t k = i;
    while (k > 0 && x.strides()[k - 1] == x.strides()[k] * x.dim(k)) {
      --k;
      count *= x.dim(k);
    }
    int64_t left = count, step = inner;
    while (j >= 0 && (left > 1 || dims[j] == 1)) {
      if (left % dims[j]) return false;
      strides[j] = step;
      step *= dims[j];
      left /= dims[j];
      --j;
    }
    if (left != 1) return false;
    i = k - 1;
  }
  for (; j >= 0; --j) {
    if (dims[j] != 1) return false;
    strides[j] = 1;
  }
  return true;
}

void EnsureCopy(const Tensor& x, const Ints& dims, DataType dtype, Tensor& out) {
  if (x.place().is_cpu())
    EnsureOut(out, dims, dtype);
  else
    out = Empty(dims, dtype, x.place());
}

namespace {
// `x` with another shape of as many elements: a view where the strides allow, else a copy.
void Reshape(const Tensor& x, const Ints& dims, Tensor& out) {
  Ints strides;
  if (ViewStrides(x, dims, strides)) {
    out = ViewOf(x, dims, strides, x->offset());
    return;
  }
  EnsureCopy(x, dims, x.dtype(), out);
  ViewStrides(out, x.dims(), strides);
  CopyInto(x, ViewOf(out, x.dims(), strides, out->offset()));
}
}  // namespace

void reshape_infer(const Meta& x, const IntArray& shape, Meta& out) {
  out = {ResolveReshape("reshape", x.dims, shape), x.dtype};
}
void reshape_kernel(const Tensor& x, const Ints& shape, Tensor& out) {
  Reshape(x, common::ToInts(ResolveReshape("reshape", common::ToDims(x.dims()), shape)), out);
}

void flatten_infer(const Meta& x, int64_t start, int64_t stop, Meta& out) {
  int64_t r = x.dims.size();
  start = common::NormalizeAxis("flatten", start, r);
  stop = common::NormalizeAxis("flatten", stop, r);
  PD_CHECK(start <= stop, InvalidArgument, "[flatten] expected start_axis <= stop_axis, got ", start, " and ", stop);
  out = {{}, x.dtype};
  for (int64_t i = 0; i < start; ++i) out.dims.push_back(x.dims[i]);
  Dim p(1);
  for (int64_t i = start; i <= stop && i < r; ++i) p = p * x.dims[i];
  out.dims.push_back(p);
  for (int64_t i = stop + 1; i < r; ++i) out.dims.push_back(x.dims[i]);
}
void flatten_kernel(const Tensor& x, int64_t start, int64_t stop, Tensor& out) {
  Meta m;
  flatten_infer(x.meta(), start, stop, m);
  Reshape(x, common::ToInts(m.dims), out);
}

namespace {
// Axes that are named are taken to have extent 1 where theirs is unknown.
Dims SqueezedDims(const Dims& x, const Ints& axis) {
  uint64_t named = axis.empty() ? ~uint64_t{0} : 0;
  for (int64_t a : axis) named |= uint64_t{1} << common::NormalizeAxis("squeeze", a, x.size());
  Dims out;
  for (int64_t i = 0; i < x.size(); ++i)
    if (!(named >> i & 1 && (common::IsOne(x[i]) || !(x[i].known() || axis.empty())))) out.push_back(x[i]);
  return out;
}
Dims UnsqueezedDims(const Dims& x, const Ints& axis) {
  Dims out = x;
  for (int64_t a : axis) {
    int64_t r = out.size() + 1;
    PD_CHECK(a >= -r && a < r, InvalidArgument, "[unsqueeze] expected axis in [", -r, ", ", r, "), got ", a);
    out.insert(a < 0 ? a + r : a, Dim(1));
  }
  return out;
}
}  // namespace

void squeeze_infer(const Meta& x, const IntArray& axis, Meta& out) {
  out = {SqueezedDims(x.dims, Known("squeeze", "axis", axis)), x.dtype};  // the rank depends on it
}
void reshape_like_out_kernel_squeeze(const Tensor& x, const Ints& axis, Tensor& out) {
  Reshape(x, common::ToInts(SqueezedDims(x.extents(), axis)), out);
}

void unsqueeze_infer(const Meta& x, const IntArray& axis, Meta& out) {
  out = {axis.known() ? UnsqueezedDims(x.dims, axis) : UnknownDims(x.dims.size() + axis.size()), x.dtype};
}
void reshape_like_out_kernel_unsqueeze(const Tensor& x, const Ints& axis, Tensor& out) {
  Reshape(x, common::ToInts(UnsqueezedDims(x.extents(), axis)), out);
}

namespace {
// The extent of [start, end) of an axis of `n`. An axis of an unknown extent may end before `end`.
Dim SlicedExtent(Dim n, Int from, Int to) {
  if (!from.known() || !to.known()) return common::NewSymbol();
  if (n.known()) return Dim(SliceOf(from.value(), to.value(), 1, n.value()).length);
  return from.value() == 0 && to.value() >= INT32_MAX ? n : common::NewSymbol();
}
}  // namespace

void slice_infer(const Meta& x, const Ints& axes, const IntArray& starts, const IntArray& ends, const Ints&,
                 const Ints& decrease, Meta& out) {
  PD_CHECK(axes.size() == starts.size() && axes.size() == ends.size(), InvalidArgument,
           "[slice] expected axes, starts and ends of one length, got ", axes.size(), ", ", starts.size(), " and ",
           ends.size());
  Dims d = x.dims;
  const Ints at = DistinctAxes("slice", axes, d.size());
  for (int64_t i = 0; i < at.size(); ++i) d[at[i]] = SlicedExtent(d[at[i]], starts[i], ends[i]);
  out = {{}, x.dtype};
  for (int64_t i = 0; i < d.size(); ++i) {
    bool drop = false;
    for (int64_t k : decrease) drop = drop || common::NormalizeAxis("slice", k, d.size()) == i;
    if (!drop) out.dims.push_back(d[i]);
  }
}
void slice_kernel(const Tensor& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints&,
                  const Ints& decrease, Tensor& out) {
  Ints dims = x.dims(), strides = x.strides();
  int64_t offset = x->offset();
  for (int64_t i = 0; i < axes.size(); ++i) {
    int64_t a = common::NormalizeAxis("slice", axes[i], dims.size());
    SliceRange r = SliceOf(starts[i], ends[i], 1, dims[a]);
    for (int64_t k : decrease)
      PD_CHECK(common::NormalizeAxis("slice", k, dims.size()) != a || r.length == 1, OutOfRange,
               "[slice] expected an index in [", -dims[a], ", ", dims[a], ") for axis ", a, ", got ", starts[i]);
    offset += r.start * strides[a];
    dims[a] = r.length;
  }
  Ints od, os;
  for (int64_t i = 0; i < dims.size(); ++i) {
    bool drop = false;
    for (int64_t k : decrease) drop = drop || common::NormalizeAxis("slice", k, dims.size()) == i;
    if (drop) continue;
    od.push_back(dims[i]);
    os.push_back(strides[i]);
  }
  out = ViewOf(x, od, os, offset);
}

void as_strided_infer(const Meta& x, const Ints& dims, const Ints&, int64_t, Meta& out) {
  out = {common::ToDims(dims), x.dtype};
}
void as_strided_kernel(const Tensor& x, const Ints& dims, const Ints& stride, int64_t offset, Tensor& out) {
  const int64_t held = static_cast<int64_t>(x->storage()->bytes()) / SizeOf(x.dtype());
  int64_t at;
  PD_CHECK(!__builtin_add_overflow(x->offset(), offset, &at), OutOfRange,
           "[as_strided] expected an offset inside the memory of ", held, " elements, got ", offset);
  const bool any = CheckPattern("as_strided", dims, stride, at, held);
  out = ViewOf(x, dims, stride, any ? at : x->offset());
}

void strided_sum_infer(const Meta& x, const IntArray& shape, const Ints&, const Ints&, int64_t, Meta& out) {
  out = {ShapeArg("strided_sum", shape), x.dtype};
}
namespace {
// The axes along which a pattern moves; along the others all its elements meet.
struct Moving {
  Ints dims, steps;
  cpu::AxisMask still = 0;

  Moving(const Ints& all, const Ints& stride) {
    for (int64_t i = 0; i < all.size(); ++i) {
      if (stride[i] == 0) {
        still |= cpu::AxisMask{1} << i;
        continue;
      }
      dims.push_back(all[i]);
      steps.push_back(stride[i]);
    }
  }
};
}  // namespace
int64_t strided_sum_workspace(const Meta& x, const Ints& shape, const Ints& dims, const Ints& stride, int64_t) {
  if (!MayOverlap(dims, stride)) return 0;
  const Moving left(dims, stride);
  const Dims sums = common::ToDims(left.dims);
  const int64_t summed = WorkspaceFor(sums, x.dtype), count = common::Product(left.dims);
  if (!MayOverlap(left.dims, left.steps)) return summed;
  return summed + WorkspaceFor(sums, DataType::INT64) + cpu::PlacesBytes(count) +
         cpu::WideWriteBytes(x.dtype, common::Product(shape), count);
}
void strided_sum_kernel(const Tensor& x, const Ints&, const Ints& dims, const Ints& stride, int64_t offset,
                        Tensor& out) {
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  if (!CheckPattern("strided_sum", dims, stride, offset, out.numel())) return;
  if (!MayOverlap(dims, stride)) return CopyInto(x, ViewOf(out, dims, stride, out->offset() + offset));
  if (FormsHere()) throw NoDeviceForm{"a pattern whose elements meet"};
  // Axes along which the pattern stands still are summed first; what is left may still meet.
  const Moving left(dims, stride);
  const ScratchTensor scratch(left.dims, x.dtype());
  const Tensor& sums = scratch.tensor;
  if (left.still)
    cpu::Reduce(cpu::ReduceOp::kSum, x.dtype(), x.raw_data(), x.dims(), x.strides(), left.still, sums.dtype(),
                sums.raw_data());
  else
    CopyInto(x, sums);
  if (!MayOverlap(left.dims, left.steps))
    return CopyInto(sums, ViewOf(out, left.dims, left.steps, out->offset() + offset));
  const ScratchTensor found({sums.numel()}, DataType::INT64);
  int64_t* places = found.tensor.data<int64_t>();
  Ints at(left.dims.size(), 0);
  int64_t place = offset;
  for (int64_t k = 0; k < sums.numel(); ++k) {
    places[k] = place;
    for (int64_t i = left.dims.size() - 1; i >= 0; --i) {
      place += left.steps[i];
      if (++at[i] < left.dims[i]) break;
      place -= left.dims[i] * left.steps[i];
      at[i] = 0;
    }
  }
  cpu::ScatterAddAxis("strided_sum", out.dtype(), out.raw_data(), 1, out.numel(), 1, DataType::INT64, places,
                      sums.numel(), sums.raw_data());
}

void as_strided_scatter_infer(const Meta& x, const Meta&, const Ints&, const Ints&, int64_t, Meta& out) { out = x; }
void as_strided_scatter_kernel(const Tensor& x, const Tensor& value, const Ints& dims, const Ints& stride,
                               int64_t offset, Tensor& out) {
  CopyInto(x, out);
  if (!CheckPattern("as_strided_scatter", dims, stride, offset, out.numel())) return;
  CopyInto(value, ViewOf(out, dims, stride, out->offset() + offset));
}

void transpose_infer(const Meta& x, const Ints& perm, Meta& out) {
  int64_t r = x.dims.size();
  PD_CHECK(perm.size() == r, InvalidArgument, "[transpose] expected perm of ", r, " axes, got ",
           common::ShapeText(perm));
  out = {{}, x.dtype};
  uint64_t seen = 0;
  for (int64_t p : perm) {
    int64_t a = common::NormalizeAxis("transpose", p, r);
    PD_CHECK(!(seen >> a & 1), InvalidArgument, "[transpose] expected each axis once in perm, got ",
             common::ShapeText(perm));
    seen |= uint64_t{1} << a;
    out.dims.push_back(x.dims[a]);
  }
}
void transpose_grad_infer(const Meta& dout, const Ints& perm, Meta& x) {
  transpose_infer(dout, perm, x);
  for (int64_t i = 0; i < perm.size(); ++i)
    x.dims[common::NormalizeAxis("transpose", perm[i], perm.size())] = dout.dims[i];
}
void transpose_kernel(const Tensor& x, const Ints& perm, Tensor& out) {
  Ints d, s;
  for (int64_t p : perm) {
    int64_t a = common::NormalizeAxis("transpose", p, x.ndim());
    d.push_back(x.dim(a));
    s.push_back(x.strides()[a]);
  }
  out = ViewOf(x, d, s, x->offset());
}

namespace {
// `List`: of numbers, or an IntArray.
template <class List>
Dims ExpandedDims(const Dims& x, const List& shape) {
  Dims out;
  int64_t lead = shape.size() - x.size();
  PD_CHECK(lead >= 0, InvalidArgument, "[expand] expected a shape of at least ", x.size(), " axes, got ",
           common::ShapeText(shape));
  for (int64_t i = 0; i < shape.size(); ++i) {
    const Int want = shape[i];
    if (i < lead) {
      PD_CHECK(!want.known() || want.value() >= 0, InvalidArgument,
               "[expand] expected a known extent for a new axis, got ", common::ShapeText(shape));
      out.push_back(want.extent());
      continue;
    }
    Dim d = x[i - lead];
    if (want.is(-1)) {
      out.push_back(d);
    } else if (!want.known()) {
      out.push_back(d.known() && d.raw() != 1 ? d : want.extent());
    } else {
      PD_CHECK(want.value() >= 0 && (!d.known() || d.raw() == want.value() || d.raw() == 1), InvalidArgument,
               "[expand] expected extents of 1 or equal to the shape ", common::ShapeText(shape), ", got input shape ",
               common::ShapeText(x));
      out.push_back(want.extent());
    }
  }
  return out;
}
Tensor ExpandTo(const Tensor& x, const Ints& dims) {
  Ints strides(dims.size(), 0);
  int64_t lead = dims.size() - x.ndim();
  for (int64_t i = 0; i < x.ndim(); ++i) strides[i + lead] = x.dim(i) == dims[i + lead] ? x.strides()[i] : 0;
  return ViewOf(x, dims, strides, x->offset());
}
}  // namespace

void view_dtype_infer(const Meta& x, DataType dtype, Meta& out) {
  PD_CHECK(dtype != DataType::UNDEFINED, InvalidType, "[view] expected a dtype, got none");
  const int64_t from = SizeOf(x.dtype), to = SizeOf(dtype);
  out = {x.dims, dtype};
  if (from == to) return;
  const Dim last = x.dims.empty() ? Dim(1) : x.dims.back();
  PD_CHECK(!x.dims.empty() && (!last.known() || last.raw() * from % to == 0), InvalidArgument,
           "[view] expected the last extent to hold whole elements of ", NameOf(dtype), ", got shape ",
           common::ShapeText(x.dims));
  out.dims.back() = common::Div(last * Dim(from), Dim(to));
}
void view_dtype_kernel(const Tensor& x, DataType dtype, Tensor& out) {
  Meta made;
  view_dtype_infer(x.meta(), dtype, made);
  const int64_t from = SizeOf(x.dtype()), to = SizeOf(dtype);
  const Ints dims = common::ToInts(made.dims);
  if (from == to) {
    out = Tensor(TensorState::Strided(dims, x.strides(), x->offset(), dtype, x->storage()));
  } else if (x.is_contiguous() && x->offset() * from % to == 0) {
    out = Tensor(TensorState::Dense(dims, dtype, x->storage(), x->offset() * from / to));
  } else {
    EnsureCopy(x, dims, dtype, out);
    CopyInto(x, Tensor(TensorState::Dense(x.dims(), x.dtype(), out->storage(), out->offset() * to / from)));
  }
}
void expand_infer(const Meta& x, const IntArray& shape, Meta& out) { out = {ExpandedDims(x.dims, shape), x.dtype}; }
void expand_kernel(const Tensor& x, const Ints& shape, Tensor& out) {
  out = ExpandTo(x, common::ToInts(ExpandedDims(common::ToDims(x.dims()), shape)));
}
void expand_as_infer(const Meta& x, const Meta* y, const Ints& target, Meta& out) {
  out = y ? Meta{y->dims, x.dtype} : Meta{ExpandedDims(x.dims, target), x.dtype};
}
void expand_as_kernel(const Tensor& x, const Tensor& y, const Ints& target, Tensor& out) {
  out = ExpandTo(x, common::ToInts(ExpandedDims(common::ToDims(x.dims()), y.defined() ? y.dims() : target)));
}

namespace {
// The parts of a split along an axis that is not known.
std::vector<Meta> UnknownParts(const Meta& x, int64_t n) {
  std::vector<Meta> r;
  for (int64_t i = 0; i < n; ++i) r.push_back({UnknownDims(x.dims.size()), x.dtype});
  return r;
}
}  // namespace

void split_infer(const Meta& x, const IntArray& sections, const Scalar& axis, std::vector<Meta>& out) {
  if (!axis.known()) {
    out = UnknownParts(x, sections.size());
    return;
  }
  int64_t a = common::NormalizeAxis("split", axis.to_int(), x.dims.size());
  Dim total(0);
  int64_t open = -1;
  for (int64_t i = 0; i < sections.size(); ++i) {
    if (sections[i].is(-1)) {
      PD_CHECK(open < 0, InvalidArgument, "[split] expected at most one -1 in sections, got ",
               common::ShapeText(sections));
      open = i;
    } else {
      PD_CHECK(!sections[i].known() || sections[i].value() >= 0, InvalidArgument,
               "[split] expected non-negative sections, got ", common::ShapeText(sections));
      total = total + sections[i].extent();
    }
  }
  PD_CHECK(!x.dims[a].known() || !total.known() ||
               (open < 0 ? total.raw() == x.dims[a].raw() : total.raw() <= x.dims[a].raw()),
           InvalidArgument, "[split] expected sections that add up to the extent ", common::DimText(x.dims[a]),
           " of axis ", a, ", got ", common::ShapeText(sections));
  out.clear();
  for (int64_t i = 0; i < sections.size(); ++i) {
    Meta m = x;
    m.dims[a] = i == open ? common::Sub(x.dims[a], total) : sections[i].extent();
    out.push_back(m);
  }
}
void SplitViews(const Tensor& x, const std::vector<Meta>& metas, int64_t a, std::vector<Tensor>& out) {
  int64_t at = x->offset();
  out.resize(metas.size());
  for (size_t i = 0; i < metas.size(); ++i) {
    out[i] = ViewOf(x, common::ToInts(metas[i].dims), x.strides(), at);
    at += metas[i].dims[a].value() * x.strides()[a];
  }
}
void split_kernel(const Tensor& x, const Ints& sections, const Scalar& axis, std::vector<Tensor>& out) {
  std::vector<Meta> metas;
  split_infer(x.meta(), sections, axis, metas);
  SplitViews(x, metas, common::NormalizeAxis("split", axis.to_int(), x.ndim()), out);
}
namespace {
// A list of so many tensors, even of no elements each, must fit in memory.
void RequireParts(const char* op, int64_t n) {
  PD_CHECK(n <= int64_t{1} << 26, ResourceExhausted, "[", op, "] expected a list that fits in memory, got ", n,
           " tensors: they would allocate ", n > INT64_MAX / 256 ? INT64_MAX : n * 256, " bytes");
}
}  // namespace
void split_with_num_infer(const Meta& x, int64_t num, const Scalar& axis, std::vector<Meta>& out) {
  if (!axis.known()) {
    RequireParts("split", num);
    out = UnknownParts(x, num);
    return;
  }
  int64_t a = common::NormalizeAxis("split", axis.to_int(), x.dims.size());
  PD_CHECK(num > 0 && (!x.dims[a].known() || x.dims[a].raw() % num == 0), InvalidArgument,
           "[split] expected num_or_sections that divides the extent ", common::DimText(x.dims[a]), " of axis ", a,
           ", got ", num);
  RequireParts("split", num);
  Meta m = x;
  m.dims[a] = common::Div(x.dims[a], Dim(num));
  out.assign(num, m);
}
void split_with_num_kernel(const Tensor& x, int64_t num, const Scalar& axis, std::vector<Tensor>& out) {
  std::vector<Meta> metas;
  split_with_num_infer(x.meta(), num, axis, metas);
  SplitViews(x, metas, common::NormalizeAxis("split", axis.to_int(), x.ndim()), out);
}
void unbind_infer(const Meta& x, int64_t axis, std::vector<Meta>& out) {
  int64_t a = common::NormalizeAxis("unbind", axis, x.dims.size());
  Meta m = x;
  int64_t n = x.dims[a].value();
  RequireParts("unbind", n);
  m.dims.erase(a);
  out.assign(n, m);
}
void unbind_kernel(const Tensor& x, int64_t axis, std::vector<Tensor>& out) {
  int64_t a = common::NormalizeAxis("unbind", axis, x.ndim());
  Ints d = x.dims(), s = x.strides();
  d.erase(a);
  s.erase(a);
  out.resize(x.dim(a));
  for (int64_t i = 0; i < x.dim(a); ++i) out[i] = ViewOf(x, d, s, x->offset() + i * x.strides()[a]);
}

}  // namespace phi
