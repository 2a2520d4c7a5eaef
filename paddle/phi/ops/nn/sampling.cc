// SPDX-License-Identifier: Apache-2.0
// Shapes of sampling.
#include <string>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/infer/rules.h"

namespace phi {

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
  out = {Dims{x.dims[0], x.dims[1]}, mode == "nearest" ? x.dtype : Promote("grid_sample", x, grid)};
  for (int64_t i = 1; i < rank - 1; ++i) out.dims.push_back(grid.dims[i]);
}

}  // namespace phi
