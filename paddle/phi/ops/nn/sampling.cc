// SPDX-License-Identifier: Apache-2.0
// Shapes of sampling, and images at the places of grids.
#include <string>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/sample.h"

namespace phi {
namespace {

// A call on x and grid in order; places are counted in double where either tensor is of it.
SampleCall CallOf(const Tensor& x, const Tensor& grid, const std::string& mode, const std::string& padding,
                  bool align_corners) {
  SampleCall call{};
  call.axes = static_cast<int>(x.ndim() - 2);
  call.nearest = mode == "nearest", call.clipped = padding != "zeros", call.reflected = padding == "reflection";
  call.align_corners = align_corners, call.float_grid = grid.dtype() == DataType::FLOAT32;
  call.size = SizeOf(x.dtype()), call.channels = x.dim(1), call.area = call.places = 1;
  for (int a = 0; a < call.axes; ++a) {
    call.extents[a] = x.dim(a + 2);
    call.area *= call.extents[a], call.places *= grid.dim(a + 1);
  }
  call.x = x.raw_data(), call.grid = grid.raw_data();
  return call;
}

}  // namespace

void affine_grid_infer(const Meta& theta, const IntArray& shape, bool, Meta& out) {
  const int64_t axes = shape.size() - 2;
  PD_CHECK_DTYPE(IsFloating(theta.dtype), "[affine_grid] expected theta of a floating dtype, got ",
                 NameOf(theta.dtype));
  PD_CHECK((axes == 2 || axes == 3) && theta.dims.size() == 3 && !common::CertainlyDiffer(theta.dims[1], Dim(axes)) &&
               !common::CertainlyDiffer(theta.dims[2], Dim(axes + 1)),
           InvalidArgument, "[affine_grid] expected theta [N, 2, 3] with 4 extents or [N, 3, 4] with 5, got ",
           common::ShapeText(theta.dims), " and ", common::ShapeText(shape));
  out = {Dims{theta.dims[0]}, theta.dtype};
  for (int64_t i = 2; i < shape.size(); ++i) out.dims.push_back(ExtentArg("affine_grid", shape, i));
  out.dims.push_back(Dim(axes));
}

void grid_sample_infer(const Meta& x, const Meta& grid, const std::string& mode, const std::string& padding, bool,
                       Meta& out) {
  const int64_t rank = x.dims.size();
  PD_CHECK((mode == "bilinear" || mode == "nearest") &&
               (padding == "zeros" || padding == "reflection" || padding == "border"),
           InvalidArgument,
           "[grid_sample] expected mode bilinear or nearest and padding zeros, reflection or border, got ", mode,
           " and ", padding);
  PD_CHECK((rank == 4 || rank == 5) && grid.dims.size() == rank &&
               !common::CertainlyDiffer(grid.dims[rank - 1], Dim(rank - 2)) &&
               !common::CertainlyDiffer(grid.dims[0], x.dims[0]),
           InvalidArgument, "[grid_sample] expected a grid [N, ..., ", rank - 2, "] for x ", common::ShapeText(x.dims),
           ", got ", common::ShapeText(grid.dims));
  PD_CHECK(!IsComplex(x.dtype) && IsFloating(grid.dtype), InvalidType,
           "[grid_sample] expected x of a real dtype and a grid of a floating one, got ", NameOf(x.dtype), " and ",
           NameOf(grid.dtype));
  out = {Dims{x.dims[0], x.dims[1]}, mode == "nearest" ? x.dtype : Promote("grid_sample", x, grid)};
  for (int64_t i = 1; i < rank - 1; ++i) out.dims.push_back(grid.dims[i]);
}

void grid_sample_kernel(const Tensor& x, const Tensor& grid, const std::string& mode, const std::string& padding,
                        bool align_corners, Tensor& out) {
  SampleCall call = CallOf(x, grid, mode, padding, align_corners);
  if (!out.numel()) return;
  call.out = out.raw_data();
  if (!call.area) return cpu::Zero(call.out, out.numel() * SizeOf(out.dtype()));
  const DataType t = call.nearest ? grid.dtype() : out.dtype();
  cpu::Sample(call, x.dim(0), t == DataType::FLOAT64);
}
void grid_sample_grad_kernel(const Tensor& x, const Tensor& grid, const Tensor& dout, const std::string& mode,
                             const std::string& padding, bool align_corners, Tensor* dx, Tensor* dgrid) {
  SampleCall call = CallOf(x, grid, mode, padding, align_corners);
  const bool some = dout.numel() && call.area, wide = dout.dtype() == DataType::FLOAT64;
  call.dout = dout.raw_data();
  auto zeros = [&](Tensor& gradient, const Tensor& like) {
    EnsureOut(gradient, like.dims(), dout.dtype());
    cpu::Zero(gradient.raw_data(), gradient.numel() * SizeOf(gradient.dtype()));
  };
  if (dx) {
    zeros(*dx, x);
    call.out = dx->raw_data();
    if (some) cpu::SampleGradX(call, x.dim(0), wide);
  }
  if (!dgrid) return;
  zeros(*dgrid, grid);
  call.out = dgrid->raw_data();
  if (some && !call.nearest) cpu::SampleGradGrid(call, x.dim(0), wide);
}

}  // namespace phi
