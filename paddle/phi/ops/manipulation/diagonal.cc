// SPDX-License-Identifier: Apache-2.0
// Triangles and diagonals.
#include <cstring>
#include <string>

#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

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
  int64_t at = x->offset();
  if (n > 0) at += offset >= 0 ? offset * sb : -offset * sa;
  return ViewOf(x, dims, strides, at);
}

void Triangle(const Tensor& x, int64_t diagonal, bool upper, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t rows = x.dim(x.ndim() - 2), cols = x.dim(x.ndim() - 1);
  cpu::Triangle(SizeOf(x.dtype()), x.raw_data(), x.numel() / (rows * cols), rows, cols, diagonal, upper,
                out.raw_data());
}

// How far a diagonal is from the main one.
Dim Distance(const char* op, int64_t offset) {
  CheckWindow(op, "offset", Ints{offset}, -int64_t{INT32_MAX});
  return Dim(offset < 0 ? -offset : offset);
}

}  // namespace

void triangle_infer(const Meta& x, int64_t, Meta& out) {
  PD_CHECK(x.dims.size() >= 2, InvalidArgument, "[tril_triu] expected a tensor of at least 2 axes, got shape ",
           common::ShapeText(x.dims));
  out = x;
}

void tril_kernel(const Tensor& x, int64_t diagonal, Tensor& out) { Triangle(x, diagonal, false, out); }

void triu_kernel(const Tensor& x, int64_t diagonal, Tensor& out) { Triangle(x, diagonal, true, out); }

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

void fill_diagonal_kernel(const Tensor& x, double value, int64_t offset, bool wrap, Tensor& out) {
  PD_CHECK(x.ndim() >= 2, InvalidArgument, "[fill_diagonal] expected a tensor of at least 2 axes, got shape ",
           common::ShapeText(x.dims()));
  if (x.ndim() > 2)
    for (int64_t d : x.dims())
      PD_CHECK(d == x.dim(0), InvalidArgument,
               "[fill_diagonal] expected equal extents for more than 2 axes, got shape ", common::ShapeText(x.dims()));
  if (!out.is_contiguous()) {  // places below are counted in row-major order
    ScratchTensor rows(out.dims(), out.dtype());
    fill_diagonal_kernel(x, value, offset, wrap, rows.tensor);
    return CopyInto(rows.tensor, out);
  }
  CopyInto(x, out);
  if (out.numel() == 0) return;
  int64_t stride = 0, step = 1;
  for (int64_t i = out.ndim() - 1; i >= 0; --i) {  // strides of axes of extent 1 say nothing
    stride += step;
    step *= out.dim(i);
  }
  int64_t cols = x.dim(x.ndim() - 1), n = out.numel();
  offset = std::clamp(offset, -n, n);
  // Without wrap, a tall matrix ends after its first square.
  int64_t size = (x.ndim() == 2 && !wrap) ? std::min(n, cols * cols) : n;
  const Element e(Scalar(static_cast<float>(value)), x.dtype());
  int64_t width = SizeOf(x.dtype());
  if (const DeviceForms* d = FormsHere()) {
    int64_t both[2] = {0, 0};
    std::memcpy(both, e.bytes, width);
    const std::string kernel = "diagonal_" + std::to_string(width);
    const int64_t count = (size + stride - 1) / stride;
    return d->ForEach(kernel.c_str(), DataType::UNDEFINED, count, {out.raw_data()},
                      {count, stride, cols, offset, n, both[0], both[1]});
  }
  for (int64_t i = 0; i < size; i += stride) {
    int64_t col = i % cols + offset;
    if (col < 0 || col >= cols || i + offset >= n || i + offset < 0) continue;
    std::memcpy(static_cast<char*>(out.raw_data()) + (i + offset) * width, e.bytes, width);
  }
}

void fill_diagonal_tensor_infer(const Meta& x, const Meta& y, int64_t offset, int64_t dim1, int64_t dim2, Meta& out) {
  Meta want;
  diagonal_infer(x, offset, dim1, dim2, want);
  PD_CHECK(common::MayMatch(y.dims, want.dims), InvalidArgument, "[fill_diagonal_tensor] expected y of shape ",
           common::ShapeText(want.dims), ", got ", common::ShapeText(y.dims));
  out = x;
}

void fill_diagonal_tensor_kernel(const Tensor& x, const Tensor& y, int64_t offset, int64_t dim1, int64_t dim2,
                                 Tensor& out) {
  CopyInto(x, out);
  if (y.numel()) CopyInto(y, DiagonalView("fill_diagonal_tensor", out, offset, dim1, dim2));
}

}  // namespace phi
