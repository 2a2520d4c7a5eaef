// SPDX-License-Identifier: Apache-2.0
// Sampling written on ops that can be differentiated again.
#pragma once

#include <string>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace paddle {

// x at the places of grid, in [-1, 1] along each axis: one tensor.
std::vector<Tensor> grid_sample_parts(const Tensor& x, const Tensor& grid, const std::string& mode,
                                      const std::string& padding, bool align_corners);

}  // namespace paddle
