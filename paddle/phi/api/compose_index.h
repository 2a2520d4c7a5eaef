// SPDX-License-Identifier: Apache-2.0
// What gradient rules of indexing share. An argument `zero` stands for a tensor of which only the shape is read.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

// The numbers from 0 in the shape of x.
Tensor numbered(const Tensor& x);
bool all_masks(const std::vector<Tensor>& indices);
// Which entries an assignment to x[indices] keeps where a place is named twice; `entries` has the shape of x[indices].
Tensor kept_entries(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& entries);
// The part of x that set_value with these arguments writes, in the shape that it takes values in.
Tensor written_part(const Tensor& x, const phi::IntArray& starts, const phi::IntArray& ends, const phi::IntArray& steps,
                    const common::Ints& axes, const common::Ints& drop, const common::Ints& none);

// What each row that was reduced gets of dout: `index` names its row of out; x holds what was reduced, where the
// largest or least was taken: rows that equal it share the gradient.
Tensor reduced_rows(const Tensor& dout, const Tensor& x, const Tensor& index, const Tensor& out, const Tensor& count,
                    const std::string& how);
// The sums of the rows of g that `index` sends to each row of `like`, of which only the shape is read; rows of g may be
// broadcast ones.
Tensor rows_back(const Tensor& g, const Tensor& index, const Tensor& like);

std::vector<Tensor> reduce_like_each(const std::vector<Tensor>& dout, const std::vector<Tensor>& inputs);
std::vector<Tensor> copies_of(const Tensor& dout, const std::vector<Tensor>& inputs);

// zeros of zero's shape with dout at `indices` along axis; with `lost`, dout and indices have lost that axis.
Tensor scatter_selected(const Tensor& dout, const Tensor& zero, const Tensor& indices, int64_t axis, bool lost);

Tensor complex_part(const Tensor& x, const Tensor& like, bool imaginary);
Tensor interp_again(const Tensor& x, const std::string& format, int64_t out_d, int64_t out_h, int64_t out_w,
                    const std::vector<double>& scale, const std::string& method, bool align_corners,
                    int64_t align_mode);

}  // namespace paddle
