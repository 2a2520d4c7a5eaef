// SPDX-License-Identifier: Apache-2.0
// Sampling at arbitrary positions, by gathering, and the grids of affine maps.
#include <vector>

#include "paddle/phi/api/compose_sampling.h"
#include "paddle/phi/api/ops.h"

namespace phi {
void affine_grid_infer(const Meta& theta, const IntArray& shape, bool align_corners, Meta& out);
}  // namespace phi

namespace paddle {

using common::Ints;

namespace {

// Where the centres of `size` pixels lie in [-1, 1].
double Centre(int64_t i, int64_t size, bool align_corners) {
  double n = static_cast<double>(size), at = static_cast<double>(i);
  if (align_corners) return size > 1 ? 2 * at / (n - 1) - 1 : 0;
  return (at * 2 + 1) / n - 1;
}

// [positions, axes + 1]: the coordinates of each output pixel, last axis first, then 1.
Tensor BaseGrid(const Ints& spatial, bool align_corners, DataType dtype) {
  const int64_t rank = spatial.size(), total = common::Product(spatial);
  Tensor base = phi::Empty(Ints{total, rank + 1}, DataType::FLOAT64);
  double* p = static_cast<double*>(base.raw_data());
  for (int64_t i = 0; i < total; ++i) {
    int64_t rest = i;
    for (int64_t a = rank - 1; a >= 0; --a) {
      p[i * (rank + 1) + (rank - 1 - a)] = Centre(rest % spatial[a], spatial[a], align_corners);
      rest /= spatial[a];
    }
    p[i * (rank + 1) + rank] = 1;
  }
  return cast(base, dtype);
}

// p mirrored into [low, high].
Tensor Reflect(const Tensor& p, double low, double high) {
  double span = high - low;
  if (span <= 0) return p * 0.0;
  // Where p is a border, its gradient is that of the side it comes from: the way there, not abs.
  Tensor distance = where(p < low, low - p, p - low);
  Tensor rest = distance - floor(distance / (2 * span)) * (2 * span);
  return where(rest > span, 2 * span - rest, rest) + low;
}

// A coordinate in [-1, 1] as a position in pixels.
Tensor Pixel(const Tensor& at, int64_t size, const std::string& padding, bool align_corners) {
  double n = static_cast<double>(size);
  Tensor p = align_corners ? (at + 1.0) * ((n - 1) / 2) : ((at + 1.0) * n - 1.0) / 2.0;
  if (padding == "reflection") p = align_corners ? Reflect(p, 0, n - 1) : Reflect(p, -0.5, n - 0.5);
  return padding == "zeros" ? p : clip(p, 0.0, n - 1);
}

}  // namespace

Tensor affine_grid_compose(const Tensor& theta, const IntArray& shape_given, bool align_corners) {
  phi::Meta checked;
  phi::affine_grid_infer(theta.meta(), shape_given, align_corners, checked);
  const Ints& output_shape = phi::Known("affine_grid", "output_shape", shape_given);
  const Ints spatial(output_shape.begin() + 2, output_shape.end());
  Tensor grid = matmul(BaseGrid(spatial, align_corners, theta.dtype()), theta, false, true);
  IntArray shape{dim_at(theta, 0)};
  for (int64_t n : spatial) shape.push_back(n);
  shape.push_back(spatial.size());
  return reshape(grid, shape);
}

std::vector<Tensor> grid_sample_parts(const Tensor& x, const Tensor& grid, const std::string& mode,
                                      const std::string& padding, bool align_corners) {
  const int64_t axes = x.ndim() - 2;
  const common::Dim n = dim_at(x, 0), c = dim_at(x, 1);
  std::vector<Tensor> coordinates = unbind(grid, -1), pixels, lows;
  Ints sizes;
  IntArray shape{n, c};
  common::Dim positions(1);
  for (int64_t i = 0; i < axes; ++i) {
    sizes.push_back(size_at(x, i + 2));
    shape.push_back(dim_at(grid, i + 1));
    positions = positions * dim_at(grid, i + 1);
    pixels.push_back(Pixel(coordinates[axes - 1 - i], sizes[i], padding, align_corners));
    lows.push_back(mode == "nearest" ? round(pixels[i]) : floor(pixels[i]));
  }
  Tensor flat = reshape(x, Ints{0, 0, -1}), out;
  for (int64_t corner = 0; corner < (mode == "nearest" ? 1 : int64_t{1} << axes); ++corner) {
    Tensor index, factor;
    for (int64_t i = 0; i < axes; ++i) {
      bool up = corner >> i & 1;
      Tensor at = up ? lows[i] + 1.0 : lows[i];
      const double last = static_cast<double>(sizes[i] - 1);
      Tensor part = cast_like(logical_and(at >= 0.0, at <= last), x);
      if (mode != "nearest") part = part * (up ? pixels[i] - lows[i] : lows[i] + 1.0 - pixels[i]);
      Tensor step = cast(clip(at, 0.0, last), DataType::INT64);
      index = index.defined() ? index * sizes[i] + step : step;
      factor = factor.defined() ? factor * part : part;
    }
    index = expand(reshape(index, IntArray{n, 1, -1}), IntArray{n, c, positions});
    Tensor value = reshape(take_along_axis(flat, index, 2), shape) * unsqueeze(factor, Ints{1});
    out = out.defined() ? out + value : value;
  }
  return {out};
}

}  // namespace paddle
