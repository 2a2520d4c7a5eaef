// SPDX-License-Identifier: Apache-2.0
// Unfold and fold, and the convolutions made of them and matrix products: the types and shapes oneDNN does not serve.
#include <algorithm>
#include <cstring>

#include "paddle/common/error.h"
#include "paddle/phi/backends/cpu/conv_impl.h"
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi::cpu {
namespace {

// The description with exactly three spatial dims.
struct Geometry {
  int64_t in[3], k[3], out[3], stride[3], dilation[3], pad[3];
  explicit Geometry(const ConvDesc& d) {
    for (int i = 0; i < 3; ++i) {
      const int j = i - (3 - d.nd);
      in[i] = j < 0 ? 1 : d.in[j];
      k[i] = j < 0 ? 1 : d.k[j];
      out[i] = j < 0 ? 1 : d.out[j];
      stride[i] = j < 0 ? 1 : d.stride[j];
      dilation[i] = j < 0 ? 1 : d.dilation[j];
      pad[i] = j < 0 ? 0 : d.pad_lo[j];
    }
  }
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out[0] * out[1] * out[2]; }
  int64_t k_size() const { return k[0] * k[1] * k[2]; }
};

int64_t FloorDiv(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// The outputs [lo, hi) of axis 2 whose input position at kernel offset `kw` lies inside.
void Inside(const Geometry& g, int64_t kw, int64_t* lo, int64_t* hi) {
  const int64_t off = kw * g.dilation[2] - g.pad[2];
  *lo = std::clamp<int64_t>(-FloorDiv(off, g.stride[2]), 0, g.out[2]);
  *hi = std::clamp<int64_t>(FloorDiv(g.in[2] - 1 - off, g.stride[2]) + 1, *lo, g.out[2]);
}

// Calls f(o, row, lo, hi, off) for each row of places of the result: its first place o in row r of col; where the
// window reads it begins in x, or -1; places w from lo to hi read w * stride + off there, the others nothing.
template <class F>
void ForRows(const Geometry& g, int64_t r, const F& f) {
  const int64_t ks = g.k_size(), plane = r / ks * g.in_size();
  const int64_t kw = r % g.k[2], kh = r / g.k[2] % g.k[1], kd = r % ks / (g.k[2] * g.k[1]);
  int64_t o = r * g.out_size(), lo, hi;
  Inside(g, kw, &lo, &hi);
  const int64_t off = kw * g.dilation[2] - g.pad[2];
  for (int64_t od = 0; od < g.out[0]; ++od)
    for (int64_t oh = 0; oh < g.out[1]; ++oh, o += g.out[2]) {
      const int64_t id = od * g.stride[0] + kd * g.dilation[0] - g.pad[0];
      const int64_t ih = oh * g.stride[1] + kh * g.dilation[1] - g.pad[1];
      const bool outside = id < 0 || id >= g.in[0] || ih < 0 || ih >= g.in[1];
      f(o, outside ? -1 : plane + (id * g.in[1] + ih) * g.in[2], lo, hi, off);
    }
}

// Rows [r0, r1) of col [channels * k_size, out_size] from x [channels, in_size].
template <class T>
void UnfoldRows(const Geometry& g, const T* x, T* col, int64_t r0, int64_t r1) {
  const int64_t s = g.stride[2];
  for (int64_t r = r0; r < r1; ++r)
    ForRows(g, r, [&](int64_t first, int64_t from, int64_t lo, int64_t hi, int64_t off) {
      T* o = col + first;
      if (from < 0) {
        std::fill(o, o + g.out[2], T());
        return;
      }
      const T* row = x + from;
      std::fill(o, o + lo, T());
      if (s == 1)
        std::copy(row + lo + off, row + hi + off, o + lo);
      else
        for (int64_t w = lo; w < hi; ++w) o[w] = row[w * s + off];
      std::fill(o + hi, o + g.out[2], T());
    });
}

// Adds the rows of col that belong to channels [c0, c1) to x.
template <class T>
void FoldChannels(const Geometry& g, const T* col, T* x, int64_t c0, int64_t c1) {
  const int64_t s = g.stride[2];
  for (int64_t r = c0 * g.k_size(); r < c1 * g.k_size(); ++r)
    ForRows(g, r, [&](int64_t first, int64_t from, int64_t lo, int64_t hi, int64_t off) {
      if (from < 0) return;
      const T* o = col + first;
      T* row = x + from;
      for (int64_t w = lo; w < hi; ++w) row[w * s + off] += o[w];
    });
}

template <class T>
void Unfold(const Geometry& g, const T* x, int64_t channels, T* col) {
  const int64_t rows = channels * g.k_size();
  ParallelFor(0, rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, g.out_size())),
              [&](int64_t b, int64_t e) { UnfoldRows(g, x, col, b, e); });
}
template <class T>
void Fold(const Geometry& g, const T* col, int64_t channels, T* x) {
  ParallelFor(0, channels, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, g.out_size() * g.k_size())),
              [&](int64_t b, int64_t e) { FoldChannels(g, col, x, b, e); });
}

bool IsPlain(const Geometry& g) {
  bool plain = g.k_size() == 1;
  for (int i = 0; i < 3; ++i) plain = plain && g.stride[i] == 1 && g.pad[i] == 0 && g.in[i] == g.out[i];
  return plain;
}
// Bytes of the columns of one image and group; 0: the image is its columns.
int64_t ColumnBytes(const Geometry& g, const ConvDesc& d, int64_t size) {
  return IsPlain(g) ? 0 : d.ic / d.groups * g.k_size() * g.out_size() * size;
}

template <class T>
void Contiguous(ConvKind kind, DataType t, const ConvDesc& d, T* x, const T* w, const T* y, T* w_out, T* y_out) {
  const Geometry g(d);
  const int64_t is = g.in_size(), os = g.out_size(), icg = d.ic / d.groups, ocg = d.oc / d.groups;
  const int64_t rows = icg * g.k_size();
  const bool plain = IsPlain(g);
  const CallMemory col_mem(ColumnBytes(g, d, sizeof(T)));
  if (kind == ConvKind::kGradInput) Zero(x, d.n * d.ic * is * static_cast<int64_t>(sizeof(T)));
  if (kind == ConvKind::kGradWeight) Zero(w_out, d.oc * rows * static_cast<int64_t>(sizeof(T)));
  for (int64_t n = 0; n < d.n; ++n)
    for (int64_t q = 0; q < d.groups; ++q) {
      T* xg = x + (n * d.ic + q * icg) * is;
      const int64_t y_at = (n * d.oc + q * ocg) * os, w_at = q * ocg * rows;
      T* col = plain ? xg : col_mem.as<T>();
      if (kind == ConvKind::kGradInput) {
        Gemm(t, 1, 0, rows, os, ocg, 1, w + w_at, rows, y + y_at, os, 0, col, os);
        if (!plain) Fold(g, col, icg, xg);
        continue;
      }
      if (!plain) Unfold(g, xg, icg, col);
      if (kind == ConvKind::kForward)
        Gemm(t, 0, 0, ocg, os, rows, 1, w + w_at, rows, col, os, 0, y_out + y_at, os);
      else
        Gemm(t, 0, 1, ocg, rows, os, 1, y + y_at, os, col, os, 1, w_out + w_at, rows);
    }
}

template <class T>
void Typed(ConvKind kind, DataType t, const ConvDesc& d, T* x, T* w, T* y) {
  if (!d.channels_last) {
    Contiguous<T>(kind, t, d, x, w, y, w, y);
    return;
  }
  ConvDesc e = d;
  e.channels_last = false;
  const int64_t is = SpatialIn(d), os = SpatialOut(d), size = sizeof(T);
  const CallMemory xt(d.n * d.ic * is * size), yt(d.n * d.oc * os * size);
  auto move = [&](const T* from, T* to, int64_t rows, int64_t cols) {  // [n, rows, cols] -> [n, cols, rows]
    const int64_t shape[3] = {d.n, cols, rows}, strides[3] = {rows * cols, 1, cols};
    CopyToContiguous(size, shape, from, strides, to);
  };
  T *xc = xt.as<T>(), *yc = yt.as<T>();
  if (kind != ConvKind::kGradInput) move(x, xc, is, d.ic);
  if (kind != ConvKind::kForward) move(y, yc, os, d.oc);
  Contiguous<T>(kind, t, e, xc, w, yc, w, yc);
  if (kind == ConvKind::kGradInput) move(xc, x, d.ic, is);
  if (kind == ConvKind::kForward) move(yc, y, d.oc, os);
}

}  // namespace

void ConvGeneric(ConvKind kind, DataType t, const ConvDesc& d, void* x, void* w, void* y) {
  switch (t) {
    case DataType::FLOAT32:
      return Typed(kind, t, d, static_cast<float*>(x), static_cast<float*>(w), static_cast<float*>(y));
    case DataType::FLOAT64:
      return Typed(kind, t, d, static_cast<double*>(x), static_cast<double*>(w), static_cast<double*>(y));
    case DataType::COMPLEX64:
      return Typed(kind, t, d, static_cast<complex64*>(x), static_cast<complex64*>(w), static_cast<complex64*>(y));
    case DataType::COMPLEX128:
      return Typed(kind, t, d, static_cast<complex128*>(x), static_cast<complex128*>(w), static_cast<complex128*>(y));
    default: PD_THROW(Unimplemented, "[conv] expected floating or complex elements, got ", NameOf(t));
  }
}

int64_t ConvGenericScratch(DataType t, const ConvDesc& d) {
  const int64_t size = SizeOf(t);
  int64_t bytes = Workspace::Piece(ColumnBytes(Geometry(d), d, size));
  if (d.channels_last)
    bytes += Workspace::Piece(d.n * d.ic * SpatialIn(d) * size) + Workspace::Piece(d.n * d.oc * SpatialOut(d) * size);
  return bytes;
}

}  // namespace phi::cpu
