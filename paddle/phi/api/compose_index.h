// SPDX-License-Identifier: Apache-2.0
// Gradient rules of indexing, rearranging, scanning and reducing ops that are compositions rather than expressions.
// An argument `zero` stands for a tensor of which only the shape is read.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

Tensor gather_backward(const Tensor& dout, const Tensor& zero, const Tensor& index, const phi::Scalar& axis);
Tensor put_along_axis_backward_arr(const Tensor& dout, const Tensor& arr, const Tensor& indices, const Tensor& values,
                                   const Tensor& out, int64_t axis, const std::string& reduce, bool include_self);
Tensor put_along_axis_backward_values(const Tensor& dout, const Tensor& arr, const Tensor& indices,
                                      const Tensor& values, const Tensor& out, int64_t axis, const std::string& reduce,
                                      bool include_self);
Tensor index_put_backward_value(const Tensor& dout, const std::vector<Tensor>& indices, const Tensor& value,
                                bool accumulate);
Tensor index_put_backward_x(const Tensor& dout, const std::vector<Tensor>& indices, bool accumulate);
Tensor masked_select_backward(const Tensor& dout, const Tensor& zero, const Tensor& mask);
Tensor set_value_backward(const Tensor& dout, const common::Ints& starts, const common::Ints& ends,
                          const common::Ints& steps, const common::Ints& axes, const common::Ints& drop,
                          const common::Ints& none);
Tensor set_value_backward_values(const Tensor& dout, const common::Ints& starts, const common::Ints& ends,
                                 const common::Ints& steps, const common::Ints& axes, const common::Ints& drop,
                                 const common::Ints& none, const Tensor& zero);

Tensor strided_slice_backward(const Tensor& dout, const Tensor& zero, const common::Ints& axes,
                              const common::Ints& starts, const common::Ints& ends, const common::Ints& strides);
Tensor tile_backward(const Tensor& dout, const Tensor& zero, const common::Ints& repeats);
Tensor repeat_interleave_backward(const Tensor& dout, const Tensor& zero, int64_t repeats, int64_t axis);
Tensor repeat_by_tensor_backward(const Tensor& dout, const Tensor& zero, const Tensor& repeats, int64_t axis);
common::Ints negated(const common::Ints& v);
// What roll(x, shifts, axis) did, undone.
Tensor rolled_back(const Tensor& x, const common::Ints& shifts, const common::Ints& axis);
Tensor pad3d_backward(const Tensor& dout, const Tensor& zero, const common::Ints& paddings, const std::string& mode,
                      const std::string& format);
Tensor diag_backward(const Tensor& dout, const Tensor& zero, int64_t offset);
// The gradient of diagonal: zeros of zero's shape with dout on the diagonal.
Tensor diagonal_backward(const Tensor& dout, const Tensor& zero, int64_t offset, int64_t axis1, int64_t axis2);
Tensor tensor_unfold_backward(const Tensor& dout, const Tensor& zero, int64_t axis, int64_t size, int64_t step);
Tensor fill_diagonal_backward(const Tensor& dout, int64_t offset, bool wrap);
std::vector<Tensor> meshgrid_backward(const std::vector<Tensor>& dout, const std::vector<Tensor>& inputs);
std::vector<Tensor> reduce_like_each(const std::vector<Tensor>& dout, const std::vector<Tensor>& inputs);
std::vector<Tensor> copies_of(const Tensor& dout, const std::vector<Tensor>& inputs);

// zeros of zero's shape with dout at `indices` along axis; with `lost`, dout and indices have lost that axis.
Tensor scatter_selected(const Tensor& dout, const Tensor& zero, const Tensor& indices, int64_t axis, bool lost);
Tensor cumsum_backward(const Tensor& dout, const Tensor& zero, const phi::Scalar& axis, bool flatten, bool exclusive,
                       bool reverse);
// The gradient of nll_loss with respect to its input.
Tensor nll_loss_backward(const Tensor& dout, const Tensor& input, const Tensor& label, const Tensor& weight,
                         const Tensor& total_weight, int64_t ignore_index, const std::string& reduction);
Tensor cumprod_backward(const Tensor& dout, const Tensor& x, const Tensor& out, int64_t dim, bool exclusive,
                        bool reverse);
Tensor logcumsumexp_backward(const Tensor& dout, const Tensor& x, const Tensor& out, int64_t axis, bool flatten,
                             bool exclusive, bool reverse);
Tensor prod_backward(const Tensor& dout, const Tensor& x, const common::Ints& axis, bool keepdim, bool reduce_all);
Tensor extreme_backward(const Tensor& dout, const Tensor& x, const Tensor& out, const common::Ints& axis, bool keepdim);
Tensor logsumexp_backward(const Tensor& dout, const Tensor& x, const Tensor& out, const common::Ints& axis,
                          bool keepdim, bool reduce_all);
Tensor p_norm_backward(const Tensor& dout, const Tensor& x, const Tensor& out, double porder, int64_t axis,
                       double epsilon, bool keepdim, bool asvector);
Tensor frobenius_backward(const Tensor& dout, const Tensor& x, const Tensor& out, const common::Ints& axis,
                          bool keepdim, bool reduce_all);
Tensor variance_backward(const Tensor& dout, const Tensor& x, const common::Ints& axis, bool keepdim, bool unbiased,
                         double correction);

Tensor complex_part(const Tensor& x, const Tensor& like, bool imaginary);
Tensor angle_backward(const Tensor& dout, const Tensor& x);
Tensor interp_again(const Tensor& x, const std::string& format, int64_t out_d, int64_t out_h, int64_t out_w,
                    const std::vector<double>& scale, const std::string& method, bool align_corners,
                    int64_t align_mode);

}  // namespace paddle
