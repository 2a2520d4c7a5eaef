// SPDX-License-Identifier: Apache-2.0
// Shape rules and adapters of strided slices, repetition, reversal, padding, triangles and diagonals.
#include "paddle/common/extent.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

void CheckSlice(const Ints& axes, const Ints& starts, const Ints& ends, const Ints& steps) {
  PD_CHECK(axes.size() == starts.size() && axes.size() == ends.size() && axes.size() == steps.size(), InvalidArgument,
           "[strided_slice] expected axes, starts, ends and strides of one length, got ", axes.size(), ", ",
           starts.size(), ", ", ends.size(), " and ", steps.size());
  for (int64_t s : steps) PD_CHECK(s != 0, InvalidArgument, "[strided_slice] expected strides other than 0, got 0");
}

// An element of `dtype` with the scalar's value.
struct Element {
  char bytes[16];
  Element(const Scalar& v, DataType dtype) { StoreScalar(v, dtype, bytes); }
};

int64_t DiagonalLength(int64_t rows, int64_t cols, int64_t offset) {
  offset = std::clamp(offset, -rows, cols);
  return std::max<int64_t>(0, offset >= 0 ? std::min(rows, cols - offset) : std::min(rows + offset, cols));
}
struct Axes2 {
  int64_t a, b;
};
Axes2 TwoAxes(const char* op, int64_t axis1, int64_t axis2, int64_t rank) {
  PD_CHECK(rank >= 2, OutOfRange, "[", op, "] expected a tensor of at least 2 axes, got ", rank);
  Axes2 r{common::NormalizeAxis(op, axis1, rank), common::NormalizeAxis(op, axis2, rank)};
  PD_CHECK(r.a != r.b, InvalidArgument, "[", op, "] expected two different axes, got ", axis1, " and ", axis2);
  return r;
}
// The diagonal of `x` over two axes as its last axis.
Tensor DiagonalView(const char* op, const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  Axes2 ax = TwoAxes(op, axis1, axis2, x.ndim());
  Ints dims, strides;
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (i != ax.a && i != ax.b) {
      dims.push_back(x.dim(i));
      strides.push_back(x.strides()[i]);
    }
  int64_t sa = x.strides()[ax.a], sb = x.strides()[ax.b], n = DiagonalLength(x.dim(ax.a), x.dim(ax.b), offset);
  dims.push_back(n);
  strides.push_back(sa + sb);
  int64_t at = x->offset;
  if (n > 0) at += offset >= 0 ? offset * sb : -offset * sa;
  return ViewOf(x, dims, strides, at);
}

}  // namespace

void strided_slice_infer(const Meta& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints& strides,
                         Meta& out) {
  CheckSlice(axes, starts, ends, strides);
  out = x;
  const Ints at = DistinctAxes("strided_slice", axes, x.dims.size());
  for (int64_t i = 0; i < at.size(); ++i) {
    const Dim n = x.dims[at[i]];
    out.dims[at[i]] = n.known() ? Dim(SliceOf(starts[i], ends[i], strides[i], n.value()).length) : common::NewSymbol();
  }
}
void strided_slice_kernel(const Tensor& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints& strides,
                          Tensor& out) {
  Ints d = x.dims(), s = x.strides();
  int64_t offset = x->offset;
  bool backward = false, empty = false;
  for (int64_t i = 0; i < axes.size(); ++i) {
    int64_t a = common::NormalizeAxis("strided_slice", axes[i], d.size());
    SliceRange r = SliceOf(starts[i], ends[i], strides[i], x.dim(a));
    offset += r.start * s[a];
    d[a] = r.length;
    s[a] = StepStride(s[a], strides[i]);
    backward = backward || strides[i] < 0;
    empty = empty || r.length == 0;
  }
  Tensor view = ViewOf(x, d, s, empty ? x->offset : offset);
  // Strides of a tensor that users see are not negative.
  if (!backward) {
    out = view;
  } else {
    out = Empty(d, x.dtype(), x.place());
    if (out.numel()) CopyInto(view, out);
  }
}

void tile_infer(const Meta& x, const Ints& times, Meta& out) {
  for (int64_t t : times)
    PD_CHECK(t >= 0, InvalidArgument, "[tile] expected non-negative repeat_times, got ", common::ShapeText(times));
  int64_t rank = std::max<int64_t>(x.dims.size(), times.size());
  out = {{}, x.dtype};
  for (int64_t i = 0; i < rank; ++i) {
    int64_t k = i - (rank - x.dims.size()), t = i - (rank - times.size());
    out.dims.push_back((k >= 0 ? x.dims[k] : Dim(1)) * Dim(t >= 0 ? times[t] : 1));
  }
}
void tile_kernel(const Tensor& x, const Ints& times, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t rank = out.ndim();
  Ints dims, strides;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t k = i - (rank - x.ndim()), t = i - (rank - times.size());
    dims.push_back(t >= 0 ? times[t] : 1);
    strides.push_back(0);
    dims.push_back(k >= 0 ? x.dim(k) : 1);
    strides.push_back(k >= 0 ? x.strides()[k] : 0);
  }
  cpu::CopyToContiguous(SizeOf(x.dtype()), dims, x.raw_data(), strides, out.raw_data());
}

void repeat_interleave_infer(const Meta& x, int64_t repeats, int64_t axis, int64_t, Meta& out) {
  PD_CHECK(repeats >= 0, InvalidArgument, "[repeat_interleave] expected non-negative repeats, got ", repeats);
  int64_t a = common::NormalizeAxis("repeat_interleave", axis, x.dims.size());
  out = x;
  if (out.dims.empty())
    out.dims.push_back(Dim(repeats));
  else
    out.dims[a] = x.dims[a] * Dim(repeats);
}
void repeat_interleave_kernel(const Tensor& x, int64_t repeats, int64_t axis, int64_t, Tensor& out) {
  if (out.numel() == 0) return;
  AxisSplit s = SplitAt("repeat_interleave", x.dims(), axis);
  Tensor c = Contiguous(x);
  int64_t dims[] = {s.outer, s.n, repeats, s.inner}, strides[] = {s.n * s.inner, s.inner, 0, 1};
  cpu::CopyToContiguous(SizeOf(x.dtype()), dims, c.raw_data(), strides, out.raw_data());
}
void repeat_by_tensor_infer(const Meta& x, const Meta&, int64_t axis, int64_t output_size, Meta& out) {
  int64_t a = common::NormalizeAxis("repeat_interleave", axis, x.dims.size());
  out = x;
  Dim n = output_size >= 0 ? Dim(output_size) : common::NewSymbol();
  if (out.dims.empty())
    out.dims.push_back(n);
  else
    out.dims[a] = n;
}
void repeat_by_tensor_kernel(const Tensor& x, const Tensor& repeats, int64_t axis, int64_t output_size, Tensor& out) {
  AxisSplit s = SplitAt("repeat_interleave", x.dims(), axis);
  PD_CHECK(IsInteger(repeats.dtype()), InvalidType, "[repeat_interleave] expected integer repeats, got dtype ",
           NameOf(repeats.dtype()));
  std::vector<int64_t> times = ToIntVector(repeats);
  if (times.size() == 1) times.assign(s.n, times[0]);
  PD_CHECK(static_cast<int64_t>(times.size()) == s.n, InvalidArgument, "[repeat_interleave] expected ", s.n,
           " repeats for axis ", s.axis, ", got ", times.size());
  int64_t total = 0;
  for (int64_t t : times) {
    PD_CHECK(t >= 0, InvalidArgument, "[repeat_interleave] expected non-negative repeats, got ", t);
    PD_CHECK(!__builtin_add_overflow(total, t, &total), InvalidArgument,
             "[repeat_interleave] expected repeats whose sum is an extent, got ", common::ShapeText(Ints(times)));
  }
  PD_CHECK(output_size < 0 || output_size == total, InvalidArgument, "[repeat_interleave] expected an output_size of ",
           total, ", got ", output_size);
  Ints dims = x.dims();
  if (dims.empty())
    dims.push_back(total);
  else
    dims[s.axis] = total;
  EnsureOut(out, dims, x.dtype());
  if (out.numel() == 0) return;
  Tensor c = Contiguous(x);
  cpu::RepeatInterleave(SizeOf(x.dtype()), c.raw_data(), s.outer, s.n, s.inner, times, out.raw_data());
}

void flip_infer(const Meta& x, const Ints& axis, Meta& out) {
  uint64_t seen = 0;
  for (int64_t a : axis) {
    uint64_t bit = uint64_t{1} << common::NormalizeAxis("flip", a, x.dims.size());
    PD_CHECK(!(seen & bit), InvalidArgument, "[flip] expected each axis once, got ", common::ShapeText(axis));
    seen |= bit;
  }
  out = x;
}
void flip_kernel(const Tensor& x, const Ints& axis, Tensor& out) {
  if (x.ndim() == 0) return CopyInto(x, out);
  if (out.numel() == 0) return;
  Ints axes;
  for (int64_t a : axis) axes.push_back(common::NormalizeAxis("flip", a, x.ndim()));
  Tensor c = Contiguous(x);
  cpu::Flip(SizeOf(x.dtype()), c.raw_data(), c.dims(), axes, out.raw_data());
}

void roll_infer(const Meta& x, const Ints& shifts, const Ints& axis, Meta& out) {
  PD_CHECK(axis.empty() ? shifts.size() == 1 : axis.size() == shifts.size(), InvalidArgument,
           "[roll] expected one shift for each axis, got ", shifts.size(), " shifts and ", axis.size(), " axes");
  for (int64_t a : axis) common::NormalizeAxis("roll", a, x.dims.size());
  out = x;
}
void roll_kernel(const Tensor& x, const Ints& shifts, const Ints& axis, Tensor& out) {
  if (x.ndim() == 0) return CopyInto(x, out);
  if (out.numel() == 0) return;
  Tensor c = Contiguous(x);
  Ints axes, dims = c.dims();
  if (axis.empty()) {
    axes = Ints{0};
    dims = Ints{c.numel()};
  }
  for (int64_t a : axis) axes.push_back(common::NormalizeAxis("roll", a, x.ndim()));
  cpu::Roll(SizeOf(x.dtype()), c.raw_data(), dims, shifts, axes, out.raw_data());
}

namespace {
// The extent of axis i with elements added, or taken off, at both ends.
Dim Padded(const char* op, const Dims& x, int64_t i, int64_t lo, int64_t hi) {
  CheckWindow(op, "paddings", Ints{lo, hi}, -int64_t{INT32_MAX});
  PD_CHECK(!x[i].known() || x[i].raw() + lo + hi >= 0, InvalidArgument, "[", op,
           "] expected paddings that leave a non-negative extent, got ", lo, " and ", hi, " for axis ", i, " of shape ",
           common::ShapeText(x));
  return lo + hi >= 0 ? x[i] + Dim(lo + hi) : common::Sub(x[i], Dim(-(lo + hi)));
}
}  // namespace

void pad_infer(const Meta& x, const Ints& paddings, const Scalar&, Meta& out) {
  PD_CHECK(paddings.size() == 2 * x.dims.size(), InvalidArgument, "[pad] expected ", 2 * x.dims.size(),
           " paddings, got ", paddings.size());
  out = x;
  for (int64_t i = 0; i < x.dims.size(); ++i) {
    out.dims[i] = Padded("pad", x.dims, i, paddings[2 * i], paddings[2 * i + 1]);
  }
}
void pad_kernel(const Tensor& x, const Ints& paddings, const Scalar& value, Tensor& out) {
  if (out.numel() == 0) return;
  Element e(value, x.dtype());
  if (x.ndim() == 0) return CopyInto(x, out);
  if (x.numel() == 0) return cpu::Fill(SizeOf(x.dtype()), out.numel(), out.raw_data(), e.bytes);
  Ints lo, hi;
  for (int64_t i = 0; i < x.ndim(); ++i) {
    lo.push_back(paddings[2 * i]);
    hi.push_back(paddings[2 * i + 1]);
  }
  Tensor c = Contiguous(x);
  cpu::Pad(SizeOf(x.dtype()), c.raw_data(), c.dims(), lo, hi, cpu::PadMode::kConstant, e.bytes, out.raw_data());
}

namespace {
struct Pad3d {
  Ints lo, hi;
  cpu::PadMode mode;
};
Pad3d Pad3dPlan(const Dims& x, const Ints& p, const std::string& mode, const std::string& format) {
  PD_CHECK(x.size() == 5, InvalidArgument, "[pad3d] expected an input of 5 axes, got shape ", common::ShapeText(x));
  PD_CHECK(p.size() == 6, InvalidArgument, "[pad3d] expected 6 paddings, got ", p.size());
  PD_CHECK(format == "NCDHW" || format == "NDHWC", InvalidArgument, "[pad3d] expected data_format NCDHW or NDHWC, got ",
           format);
  Pad3d r;
  r.mode = mode == "constant"    ? cpu::PadMode::kConstant
           : mode == "reflect"   ? cpu::PadMode::kReflect
           : mode == "replicate" ? cpu::PadMode::kReplicate
                                 : cpu::PadMode::kCircular;
  PD_CHECK(r.mode != cpu::PadMode::kCircular || mode == "circular", InvalidArgument,
           "[pad3d] expected mode constant, reflect, replicate or circular, got ", mode);
  int64_t first = format == "NCDHW" ? 2 : 1;
  r.lo.assign(5, 0);
  r.hi.assign(5, 0);
  for (int64_t k = 0; k < 3; ++k) {
    int64_t a = first + 2 - k, lo = p[2 * k], hi = p[2 * k + 1];
    r.lo[a] = lo;
    r.hi[a] = hi;
    if (r.mode == cpu::PadMode::kConstant || !x[a].known()) continue;
    int64_t n = x[a].value();
    PD_CHECK(lo >= 0 && hi >= 0, InvalidArgument, "[pad3d] expected non-negative paddings in mode ", mode, ", got ",
             common::ShapeText(p));
    int64_t most = r.mode == cpu::PadMode::kReflect    ? n - 1
                   : r.mode == cpu::PadMode::kCircular ? n
                   : n > 0                             ? INT64_MAX
                                                       : 0;
    PD_CHECK(lo <= most && hi <= most, InvalidArgument, "[pad3d] expected paddings of at most ", most, " in mode ",
             mode, " for extent ", n, ", got ", lo, " and ", hi);
  }
  return r;
}
}  // namespace

void pad3d_infer(const Meta& x, const Ints& paddings, const std::string& mode, double, const std::string& format,
                 Meta& out) {
  Pad3d p = Pad3dPlan(x.dims, paddings, mode, format);
  out = x;
  for (int64_t i = 0; i < 5; ++i) { out.dims[i] = Padded("pad3d", x.dims, i, p.lo[i], p.hi[i]); }
}
void pad3d_kernel(const Tensor& x, const Ints& paddings, const std::string& mode, double value,
                  const std::string& format, Tensor& out) {
  if (out.numel() == 0) return;
  Pad3d p = Pad3dPlan(common::ToDims(x.dims()), paddings, mode, format);
  const Element e(Scalar(static_cast<float>(value)), x.dtype());
  if (x.numel() == 0) return cpu::Fill(SizeOf(x.dtype()), out.numel(), out.raw_data(), e.bytes);
  Tensor c = Contiguous(x);
  cpu::Pad(SizeOf(x.dtype()), c.raw_data(), c.dims(), p.lo, p.hi, p.mode, e.bytes, out.raw_data());
}
void pad3d_collect_infer(const Meta& dy, const Meta& zero, const Ints&, const std::string&, const std::string&,
                         Meta& out) {
  out = {zero.dims, dy.dtype};
}
void pad3d_collect_kernel(const Tensor& dy, const Tensor& zero, const Ints& paddings, const std::string& mode,
                          const std::string& format, Tensor& out) {
  if (out.numel() == 0) return;
  Pad3d p = Pad3dPlan(common::ToDims(zero.dims()), paddings, mode, format);
  Tensor c = Contiguous(dy);
  cpu::PadGrad(dy.dtype(), c.raw_data(), out.dims(), p.lo, p.hi, p.mode, out.raw_data());
}

void triangle_infer(const Meta& x, int64_t, Meta& out) {
  PD_CHECK(x.dims.size() >= 2, InvalidArgument, "[tril_triu] expected a tensor of at least 2 axes, got shape ",
           common::ShapeText(x.dims));
  out = x;
}
namespace {
void Triangle(const Tensor& x, int64_t diagonal, bool upper, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t rows = x.dim(x.ndim() - 2), cols = x.dim(x.ndim() - 1);
  Tensor c = Contiguous(x);
  cpu::Triangle(SizeOf(x.dtype()), c.raw_data(), x.numel() / (rows * cols), rows, cols, diagonal, upper,
                out.raw_data());
}
}  // namespace
void tril_kernel(const Tensor& x, int64_t diagonal, Tensor& out) { Triangle(x, diagonal, false, out); }
void triu_kernel(const Tensor& x, int64_t diagonal, Tensor& out) { Triangle(x, diagonal, true, out); }

namespace {
// How far a diagonal is from the main one.
Dim Distance(const char* op, int64_t offset) {
  CheckWindow(op, "offset", Ints{offset}, -int64_t{INT32_MAX});
  return Dim(offset < 0 ? -offset : offset);
}
}  // namespace

void diag_infer(const Meta& x, int64_t offset, double, Meta& out) {
  PD_CHECK(x.dims.size() <= 2, InvalidArgument, "[diag] expected a tensor of at most 2 axes, got shape ",
           common::ShapeText(x.dims));
  out = {{}, x.dtype};
  if (x.dims.size() == 2) {
    bool known = x.dims[0].known() && x.dims[1].known();
    out.dims.push_back(known ? Dim(DiagonalLength(x.dims[0].value(), x.dims[1].value(), offset)) : common::NewSymbol());
  } else {
    Dim n = (x.dims.empty() ? Dim(1) : x.dims[0]) + Distance("diag", offset);
    out.dims = Dims{n, n};
  }
}
void diag_kernel(const Tensor& x, int64_t offset, double padding, Tensor& out) {
  if (x.ndim() == 2) {
    if (out.numel()) CopyInto(DiagonalView("diag", x, offset, 0, 1), out);
    return;
  }
  Element e(Scalar(padding), x.dtype());
  cpu::Fill(SizeOf(x.dtype()), out.numel(), out.raw_data(), e.bytes);
  if (x.numel()) CopyInto(x, DiagonalView("diag", out, offset, 0, 1));
}

void diagonal_infer(const Meta& x, int64_t offset, int64_t axis1, int64_t axis2, Meta& out) {
  Axes2 ax = TwoAxes("diagonal", axis1, axis2, x.dims.size());
  out = {{}, x.dtype};
  for (int64_t i = 0; i < x.dims.size(); ++i)
    if (i != ax.a && i != ax.b) out.dims.push_back(x.dims[i]);
  Dim a = x.dims[ax.a], b = x.dims[ax.b];
  out.dims.push_back(a.known() && b.known() ? Dim(DiagonalLength(a.value(), b.value(), offset)) : common::NewSymbol());
}
void diagonal_kernel(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2, Tensor& out) {
  out = DiagonalView("diagonal", x, offset, axis1, axis2);
}

void diag_embed_infer(const Meta& x, int64_t offset, int64_t dim1, int64_t dim2, Meta& out) {
  PD_CHECK(!x.dims.empty(), OutOfRange, "[diag_embed] expected a tensor of at least 1 axis, got a 0-D tensor");
  Axes2 ax = TwoAxes("diag_embed", dim1, dim2, x.dims.size() + 1);
  Dim n = x.dims.back() + Distance("diag_embed", offset);
  out = {{}, x.dtype};
  int64_t k = 0;
  for (int64_t i = 0; i <= x.dims.size(); ++i) out.dims.push_back(i == ax.a || i == ax.b ? n : x.dims[k++]);
}
void diag_embed_kernel(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2, Tensor& out) {
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  if (x.numel()) CopyInto(x, DiagonalView("diag_embed", out, offset, dim1, dim2));
}

void tensor_unfold_infer(const Meta& x, int64_t axis, int64_t size, int64_t step, Meta& out) {
  PD_CHECK(step > 0, InvalidArgument, "[unfold] expected a positive step, got ", step);
  PD_CHECK(size >= 0, InvalidArgument, "[unfold] expected a non-negative size, got ", size);
  out = x;
  if (x.dims.empty()) {
    common::NormalizeAxis("unfold", axis, 0);
    PD_CHECK(size <= 1, InvalidArgument, "[unfold] expected a size of at most 1, got ", size);
  } else {
    int64_t a = common::NormalizeAxis("unfold", axis, x.dims.size());
    Dim n = x.dims[a];
    PD_CHECK(!n.known() || size <= n.raw(), InvalidArgument, "[unfold] expected a size of at most the extent ",
             common::DimText(n), ", got ", size);
    out.dims[a] = common::Div(common::Sub(n, Dim(size)), Dim(step)) + Dim(1);
  }
  out.dims.push_back(Dim(size));
}
void tensor_unfold_kernel(const Tensor& x, int64_t axis, int64_t size, int64_t step, Tensor& out) {
  Ints dims = x.dims(), strides = x.strides();
  int64_t last = 1;
  if (!dims.empty()) {
    int64_t a = common::NormalizeAxis("unfold", axis, dims.size());
    last = strides[a];
    dims[a] = (dims[a] - size) / step + 1;
    strides[a] = StepStride(strides[a], step);
  }
  dims.push_back(size);
  strides.push_back(last);
  out = ViewOf(x, dims, strides, x->offset);
}

void fill_diagonal_kernel(const Tensor& x, double value, int64_t offset, bool wrap, Tensor& out) {
  CopyInto(x, out);
  PD_CHECK(x.ndim() >= 2, InvalidArgument, "[fill_diagonal] expected a tensor of at least 2 axes, got shape ",
           common::ShapeText(x.dims()));
  if (out.numel() == 0) return;
  if (x.ndim() > 2)
    for (int64_t d : x.dims())
      PD_CHECK(d == x.dim(0), InvalidArgument,
               "[fill_diagonal] expected equal extents for more than 2 axes, got shape ", common::ShapeText(x.dims()));
  int64_t stride = 0;
  for (int64_t s : out.strides()) stride += s;
  int64_t cols = x.dim(x.ndim() - 1), n = out.numel();
  offset = std::clamp(offset, -n, n);
  // Without wrap, a tall matrix ends after its first square.
  int64_t size = (x.ndim() == 2 && !wrap) ? std::min(n, cols * cols) : n;
  const Element e(Scalar(static_cast<float>(value)), x.dtype());
  int64_t width = SizeOf(x.dtype());
  for (int64_t i = 0; i < size; i += stride) {
    int64_t col = i % cols + offset;
    if (col < 0 || col >= cols || i + offset >= n || i + offset < 0) continue;
    std::memcpy(static_cast<char*>(out.raw_data()) + (i + offset) * width, e.bytes, width);
  }
}

void fill_diagonal_tensor_infer(const Meta& x, const Meta& y, int64_t offset, int64_t dim1, int64_t dim2, Meta& out) {
  Meta want;
  diagonal_infer(x, offset, dim1, dim2, want);
  PD_CHECK(MayMatch(y.dims, want.dims) || (y.dims.size() + 1 == want.dims.size()), InvalidArgument,
           "[fill_diagonal_tensor] expected y of shape ", common::ShapeText(want.dims), ", got ",
           common::ShapeText(y.dims));
  out = x;
}
void fill_diagonal_tensor_kernel(const Tensor& x, const Tensor& y, int64_t offset, int64_t dim1, int64_t dim2,
                                 Tensor& out) {
  CopyInto(x, out);
  if (y.numel()) CopyInto(y, DiagonalView("fill_diagonal_tensor", out, offset, dim1, dim2));
}

void meshgrid_infer(const MetaList& x, std::vector<Meta>& out) {
  Dims dims;
  for (const Meta& m : x) {
    PD_CHECK(m.dims.size() <= 1, InvalidArgument, "[meshgrid] expected tensors of at most 1 axis, got shape ",
             common::ShapeText(m.dims));
    dims.push_back(m.dims.empty() ? Dim(1) : m.dims[0]);
  }
  out.clear();
  for (const Meta& m : x) out.push_back({dims, m.dtype});
}
void broadcast_tensors_infer(const MetaList& x, std::vector<Meta>& out) {
  PD_CHECK(!x.empty(), InvalidArgument, "[broadcast_tensors] expected at least one tensor, got none");
  Dims dims;
  for (const Meta& m : x) dims = common::BroadcastDims("broadcast_tensors", dims, m.dims);
  out.clear();
  for (const Meta& m : x) out.push_back({dims, m.dtype});
}
void crop_infer(const Meta& x, const Ints& shape, const Ints& offsets, Meta& out) {
  int64_t r = x.dims.size();
  PD_CHECK(shape.empty() || shape.size() == r, InvalidArgument, "[crop] expected a shape of ", r, " extents, got ",
           common::ShapeText(shape));
  PD_CHECK(offsets.empty() || offsets.size() == r, InvalidArgument, "[crop] expected ", r, " offsets, got ",
           common::ShapeText(offsets));
  out = x;
  for (int64_t i = 0; i < r; ++i) {
    int64_t at = offsets.empty() ? 0 : offsets[i], n = shape.empty() ? -1 : shape[i];
    if (common::IsUnknownExtent(n)) {
      out.dims[i] = common::ExtentOf(n);
      continue;
    }
    PD_CHECK(at >= 0 && n >= -1, InvalidArgument, "[crop] expected non-negative offsets and extents, got ",
             common::ShapeText(offsets), " and ", common::ShapeText(shape));
    if (n >= 0)
      out.dims[i] = Dim(n);
    else if (at && (!x.dims[i].known() || at <= x.dims[i].raw()))
      out.dims[i] = common::Sub(x.dims[i], Dim(at));
    PD_CHECK(!x.dims[i].known() || !out.dims[i].known() ||
                 (at <= x.dims[i].raw() && out.dims[i].raw() <= x.dims[i].raw() - at),
             InvalidArgument, "[crop] expected a block inside shape ", common::ShapeText(x.dims), ", got offsets ",
             common::ShapeText(offsets), " and shape ", common::ShapeText(shape));
  }
}
void unstack_infer(const Meta& x, int64_t axis, int64_t num, std::vector<Meta>& out) {
  int64_t a = common::NormalizeAxis("unstack", axis, x.dims.size());
  PD_CHECK(num <= 0 || !x.dims[a].known() || x.dims[a].raw() == num, InvalidArgument,
           "[unstack] expected num equal to the extent ", common::DimText(x.dims[a]), " of axis ", a, ", got ", num);
  int64_t n = x.dims[a].known() ? x.dims[a].value() : num;
  Meta m = x;
  m.dims.erase(a);
  out.assign(std::max<int64_t>(n, 0), m);
}
void add_n_infer(const MetaList& x, Meta& out) {
  PD_CHECK(!x.empty(), InvalidArgument, "[add_n] expected at least one tensor, got none");
  for (const Meta& m : x)
    PD_CHECK(MayMatch(m.dims, x[0].dims), InvalidArgument, "[add_n] expected tensors of one shape, got ",
             common::ShapeText(x[0].dims), " and ", common::ShapeText(m.dims));
  out = x[0];
}

namespace {
bool ChannelsLast(const char* op, const Meta& x, const std::string& format) {
  PD_CHECK(x.dims.size() == 4, InvalidArgument, "[", op, "] expected an input of 4 axes, got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(format == "NCHW" || format == "NHWC", InvalidArgument, "[", op, "] expected data_format NCHW or NHWC, got ",
           format);
  return format == "NHWC";
}
}  // namespace
void pixel_shuffle_infer(const Meta& x, int64_t factor, const std::string& format, Meta& out) {
  bool last = ChannelsLast("pixel_shuffle", x, format);
  int64_t c = last ? 3 : 1, h = last ? 1 : 2;
  CheckWindow("pixel_shuffle", "upscale_factor", Ints{factor}, 1);
  PD_CHECK(!x.dims[c].known() || x.dims[c].raw() % (factor * factor) == 0, InvalidArgument,
           "[pixel_shuffle] expected channels divisible by the square of upscale_factor ", factor, ", got ",
           common::DimText(x.dims[c]));
  out = x;
  out.dims[c] = common::Div(x.dims[c], Dim(factor * factor));
  out.dims[h] = x.dims[h] * Dim(factor);
  out.dims[h + 1] = x.dims[h + 1] * Dim(factor);
}
void pixel_unshuffle_infer(const Meta& x, int64_t factor, const std::string& format, Meta& out) {
  bool last = ChannelsLast("pixel_unshuffle", x, format);
  CheckWindow("pixel_unshuffle", "downscale_factor", Ints{factor}, 1);
  int64_t c = last ? 3 : 1, h = last ? 1 : 2;
  for (int64_t a : {h, h + 1})
    PD_CHECK(!x.dims[a].known() || x.dims[a].raw() % factor == 0, InvalidArgument,
             "[pixel_unshuffle] expected extents divisible by downscale_factor ", factor, ", got shape ",
             common::ShapeText(x.dims));
  out = x;
  out.dims[c] = x.dims[c] * Dim(factor * factor);
  out.dims[h] = common::Div(x.dims[h], Dim(factor));
  out.dims[h + 1] = common::Div(x.dims[h + 1], Dim(factor));
}
void channel_shuffle_infer(const Meta& x, int64_t groups, const std::string& format, Meta& out) {
  int64_t c = ChannelsLast("channel_shuffle", x, format) ? 3 : 1;
  PD_CHECK(groups > 0 && (!x.dims[c].known() || x.dims[c].raw() % groups == 0), InvalidArgument,
           "[channel_shuffle] expected channels divisible by groups ", groups, ", got ", common::DimText(x.dims[c]));
  out = x;
}

}  // namespace phi
