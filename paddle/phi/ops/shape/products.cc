// SPDX-License-Identifier: Apache-2.0
// Shape rules of small products, and sliding blocks of images.
#include <cstring>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {

namespace {
// As matmul: an integer takes the dtype of a floating or complex operand.
DataType MatmulDtype(const char* op, const Meta& x, const Meta& y) {
  if (x.dtype == y.dtype) return x.dtype;
  if (IsDifferentiable(x.dtype) != IsDifferentiable(y.dtype)) return IsDifferentiable(x.dtype) ? x.dtype : y.dtype;
  PD_CHECK(IsComplex(x.dtype) || IsComplex(y.dtype), InvalidArgument, "[", op, "] expected operands of one dtype, got ",
           NameOf(x.dtype), " and ", NameOf(y.dtype));
  return Promote(op, x, y);
}
}  // namespace

void dot_infer(const Meta& x, const Meta& y, Meta& out) {
  PD_CHECK((x.dims.size() == 1 || x.dims.size() == 2) && common::MayMatch(x.dims, y.dims), PreconditionNotMet,
           "[dot] expected 1-D or 2-D tensors of one shape, got ", common::ShapeText(x.dims), " and ",
           common::ShapeText(y.dims));
  out = {x.dims, Promote("dot", x, y)};
  out.dims.pop_back();
}
void cross_infer(const Meta& x, const Meta& y, int64_t axis, Meta& out) {
  PD_CHECK(common::MayMatch(x.dims, y.dims), InvalidArgument, "[cross] expected tensors of one shape, got ",
           common::ShapeText(x.dims), " and ", common::ShapeText(y.dims));
  if (axis != 9) common::NormalizeAxis("cross", axis, x.dims.size());
  out = {x.dims, Promote("cross", x, y)};
}
void kron_infer(const Meta& x, const Meta& y, Meta& out) {
  int64_t rank = std::max(x.dims.size(), y.dims.size());
  out = {{}, Promote("kron", x.dtype, false, y.dtype, false)};  // both are brought to one rank first
  for (int64_t i = 0; i < rank; ++i) {
    int64_t a = i - (rank - x.dims.size()), b = i - (rank - y.dims.size());
    out.dims.push_back((a >= 0 ? x.dims[a] : Dim(1)) * (b >= 0 ? y.dims[b] : Dim(1)));
  }
}
void renorm_infer(const Meta& x, double, int64_t axis, double, Meta& out) {
  common::NormalizeAxis("renorm", axis, x.dims.size());
  out = x;
}
void bmm_infer(const Meta& x, const Meta& y, Meta& out) {
  PD_CHECK(x.dims.size() == 3 && y.dims.size() == 3, InvalidArgument, "[bmm] expected tensors of 3 axes, got shapes ",
           common::ShapeText(x.dims), " and ", common::ShapeText(y.dims));
  PD_CHECK(!common::CertainlyDiffer(x.dims[0], y.dims[0]) && !common::CertainlyDiffer(x.dims[2], y.dims[1]),
           InvalidArgument, "[bmm] expected shapes [b, m, k] and [b, k, n], got ", common::ShapeText(x.dims), " and ",
           common::ShapeText(y.dims));
  out = {Dims{x.dims[0], x.dims[1], y.dims[2]}, MatmulDtype("bmm", x, y)};
}
void mv_infer(const Meta& x, const Meta& v, Meta& out) {
  PD_CHECK(x.dims.size() == 2 && v.dims.size() == 1 && !common::CertainlyDiffer(x.dims[1], v.dims[0]), InvalidArgument,
           "[mv] expected shapes [m, n] and [n], got ", common::ShapeText(x.dims), " and ", common::ShapeText(v.dims));
  out = {Dims{x.dims[0]}, MatmulDtype("mv", x, v)};
}
void addmm_infer(const Meta& input, const Meta& x, const Meta& y, double, double, Meta& out) {
  PD_CHECK(x.dims.size() == 2 && y.dims.size() == 2 && !common::CertainlyDiffer(x.dims[1], y.dims[0]), InvalidArgument,
           "[addmm] expected shapes [m, k] and [k, n], got ", common::ShapeText(x.dims), " and ",
           common::ShapeText(y.dims));
  const Meta product{Dims{x.dims[0], y.dims[1]}, MatmulDtype("addmm", x, y)};
  PD_CHECK(BroadcastsTo(input.dims, product.dims), InvalidArgument,
           "[addmm] expected input to broadcast to the product, of shape ", common::ShapeText(product.dims), ", got ",
           common::ShapeText(input.dims));
  out = {product.dims, Promote("addmm", input, product)};
}

namespace {
struct Blocks {
  int64_t kh, kw, sh, sw, top, left, bottom, right, dh, dw;
  int64_t count(int64_t h, int64_t w, int64_t* rows, int64_t* cols) const {
    *rows = (h + top + bottom - dh * (kh - 1) - 1) / sh + 1;
    *cols = (w + left + right - dw * (kw - 1) - 1) / sw + 1;
    return *rows * *cols;
  }
};
Blocks BlocksOf(const char* op, const Ints& k, const Ints& s, const Ints& p, const Ints& d) {
  PD_CHECK(k.size() == 2 && s.size() == 2 && (p.size() == 2 || p.size() == 4) && d.size() == 2, InvalidArgument, "[",
           op, "] expected two kernel sizes, strides and dilations and two or four paddings, got ", k.size(), ", ",
           s.size(), ", ", d.size(), " and ", p.size());
  CheckWindow(op, "kernel sizes", k, 1);
  CheckWindow(op, "strides", s, 1);
  CheckWindow(op, "dilations", d, 1);
  CheckWindow(op, "paddings", p, -int64_t{INT32_MAX});
  Blocks b{k[0], k[1], s[0], s[1], p[0], p[1], p[0], p[1], d[0], d[1]};
  if (p.size() == 4) {
    b.bottom = p[2];
    b.right = p[3];
  }
  return b;
}
Dim BlockCount(const char* op, const Dim& n, int64_t pad, int64_t k, int64_t s, int64_t d) {
  if (!n.known()) return common::NewSymbol();
  int64_t room = n.value() + pad - d * (k - 1) - 1;
  PD_CHECK(room >= 0, InvalidArgument, "[", op, "] expected blocks that fit the padded extent ", n.value() + pad,
           ", got a block of ", d * (k - 1) + 1);
  return Dim(room / s + 1);
}
// One channel of an image and its columns: copied out, or summed back.
template <bool kScatter, class T>
void Columns(const Blocks& b, int64_t h, int64_t w, int64_t rows, int64_t cols, T* image, T* column) {
  for (int64_t ki = 0; ki < b.kh; ++ki)
    for (int64_t kj = 0; kj < b.kw; ++kj)
      for (int64_t r = 0; r < rows; ++r) {
        int64_t y = r * b.sh - b.top + ki * b.dh;
        for (int64_t c = 0; c < cols; ++c, ++column) {
          int64_t x = c * b.sw - b.left + kj * b.dw;
          bool in = y >= 0 && y < h && x >= 0 && x < w;
          if constexpr (kScatter) {
            if (in) image[y * w + x] += *column;
          } else {
            *column = in ? image[y * w + x] : T(0);
          }
        }
      }
}
template <bool kScatter>
void RunColumns(const char* op, const Blocks& b, int64_t planes, int64_t h, int64_t w, const Tensor& image,
                const Tensor& column) {
  int64_t rows, cols, size = b.count(h, w, &rows, &cols) * b.kh * b.kw;
  if (const DeviceForms* d = FormsHere()) {
    const Tensor &from = kScatter ? column : image, &to = kScatter ? image : column;
    return d->ForEach(kScatter ? "from_columns" : "to_columns", from.dtype(), to.numel(),
                      {from.raw_data(), to.raw_data()},
                      {to.numel(), h, w, b.kh, b.kw, b.sh, b.sw, b.top, b.left, b.dh, b.dw, rows, cols});
  }
  auto run = [&](auto* im, auto* col) {
    cpu::ParallelFor(0, planes, std::max<int64_t>(1, cpu::kGrain / std::max<int64_t>(1, size)),
                     [&](int64_t from, int64_t to) {
                       for (int64_t p = from; p < to; ++p)
                         Columns<kScatter>(b, h, w, rows, cols, im + p * h * w, col + p * size);
                     });
  };
  switch (image.dtype()) {
    case DataType::FLOAT32: return run(image.data<float>(), column.data<float>());
    case DataType::FLOAT64: return run(image.data<double>(), column.data<double>());
    case DataType::COMPLEX64: return run(image.data<complex64>(), column.data<complex64>());
    case DataType::COMPLEX128: return run(image.data<complex128>(), column.data<complex128>());
    default: PD_THROW_DTYPE("[", op, "] expected a floating or complex dtype, got ", NameOf(image.dtype()));
  }
}
}  // namespace

void im2col_infer(const Meta& x, const Ints& k, const Ints& s, const Ints& p, const Ints& d, Meta& out) {
  PD_CHECK(x.dims.size() == 4, InvalidArgument, "[unfold] expected an input of 4 axes, got shape ",
           common::ShapeText(x.dims));
  Blocks b = BlocksOf("unfold", k, s, p, d);
  Dim rows = BlockCount("unfold", x.dims[2], b.top + b.bottom, b.kh, b.sh, b.dh),
      cols = BlockCount("unfold", x.dims[3], b.left + b.right, b.kw, b.sw, b.dw);
  out = {Dims{x.dims[0], x.dims[1] * Dim(b.kh * b.kw), rows * cols}, x.dtype};
}
void im2col_kernel(const Tensor& x, const Ints& k, const Ints& s, const Ints& p, const Ints& d, Tensor& out) {
  if (out.numel() == 0) return;
  Blocks b = BlocksOf("unfold", k, s, p, d);
  RunColumns<false>("unfold", b, x.dim(0) * x.dim(1), x.dim(2), x.dim(3), x, out);
}
namespace {
void SumColumns(const char* op, const Blocks& b, const Tensor& dy, Tensor& out) {
  if (out.numel() == 0) return;
  int64_t rows, cols;
  const int64_t wanted = out.dim(0) * out.dim(1) * b.count(out.dim(2), out.dim(3), &rows, &cols) * b.kh * b.kw;
  PD_CHECK(dy.numel() == wanted && dy.dtype() == out.dtype(), InvalidArgument, "[", op, "] expected ", wanted,
           " numbers of ", NameOf(out.dtype()), ", in columns of shape ", common::ShapeText(out.dims()), ", got shape ",
           common::ShapeText(dy.dims()), " of ", NameOf(dy.dtype()));
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  RunColumns<true>(op, b, out.dim(0) * out.dim(1), out.dim(2), out.dim(3), out, dy);
}
}  // namespace
void col2im_infer(const Meta& dy, const Meta& zero, const Ints&, const Ints&, const Ints&, const Ints&, Meta& out) {
  out = {zero.dims, dy.dtype};
}
void col2im_kernel(const Tensor& dy, const Tensor&, const Ints& k, const Ints& s, const Ints& p, const Ints& d,
                   Tensor& out) {
  SumColumns("unfold_grad", BlocksOf("unfold_grad", k, s, p, d), dy, out);
}
void fold_infer(const Meta& x, const Ints& size, const Ints& k, const Ints& s, const Ints& p, const Ints& d,
                Meta& out) {
  PD_CHECK(x.dims.size() == 3, InvalidArgument, "[fold] expected an input of 3 axes, got shape ",
           common::ShapeText(x.dims));
  PD_CHECK(size.size() == 2 && size[0] > 0 && size[1] > 0, InvalidArgument,
           "[fold] expected two positive output_sizes, got ", common::ShapeText(size));
  Blocks b = BlocksOf("fold", k, s, p, d);
  Dim rows = BlockCount("fold", Dim(size[0]), b.top + b.bottom, b.kh, b.sh, b.dh),
      cols = BlockCount("fold", Dim(size[1]), b.left + b.right, b.kw, b.sw, b.dw);
  PD_CHECK(!x.dims[1].known() || x.dims[1].raw() % (b.kh * b.kw) == 0, InvalidArgument,
           "[fold] expected channels divisible by the block size ", b.kh * b.kw, ", got ", common::DimText(x.dims[1]));
  PD_CHECK(!common::CertainlyDiffer(x.dims[2], rows * cols), InvalidArgument, "[fold] expected ",
           common::DimText(rows * cols), " blocks, got ", common::DimText(x.dims[2]));
  out = {Dims{x.dims[0], common::Div(x.dims[1], Dim(b.kh * b.kw)), Dim(size[0]), Dim(size[1])}, x.dtype};
}
void fold_kernel(const Tensor& x, const Ints&, const Ints& k, const Ints& s, const Ints& p, const Ints& d,
                 Tensor& out) {
  SumColumns("fold", BlocksOf("fold", k, s, p, d), x, out);
}

}  // namespace phi
