// SPDX-License-Identifier: Apache-2.0
// Gradient rules of linear algebra and Fourier transforms, written on Tensor so that they have gradients themselves.
// A gradient argument may be undefined where nothing was propagated to that output.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

// The last two axes swapped; adjoint_of conjugates too.
Tensor transpose_of(const Tensor& x);
Tensor adjoint_of(const Tensor& x);

Tensor cholesky_backward(const Tensor& dout, const Tensor& out, bool upper);
Tensor cholesky_solve_backward_y(const Tensor& dout, const Tensor& y, const Tensor& out, bool upper);
Tensor triangular_solve_backward_x(const Tensor& dout, const Tensor& x, const Tensor& out, bool upper, bool transpose,
                                   bool unitriangular);
Tensor solve_backward_x(const Tensor& dout, const Tensor& x, const Tensor& y, const Tensor& out);
Tensor det_backward(const Tensor& dout, const Tensor& x, const Tensor& out);
Tensor slogdet_backward(const Tensor& dout, const Tensor& x, const Tensor& out);
Tensor slogdet_v2_backward(const Tensor& dsign, const Tensor& dlogdet, const Tensor& x, const Tensor& sign);
Tensor lu_backward(const Tensor& dout, const Tensor& out, const Tensor& pivots);
Tensor lu_unpack_backward(const Tensor& dl, const Tensor& du, const Tensor& zero);
Tensor lu_solve_backward_b(const Tensor& dout, const Tensor& b, const Tensor& lu, const Tensor& pivots,
                           const std::string& trans);
Tensor lu_solve_backward_lu(const Tensor& dout, const Tensor& lu, const Tensor& pivots, const Tensor& out,
                            const std::string& trans);
Tensor qr_backward(const Tensor& dq, const Tensor& dr, const Tensor& q, const Tensor& r, const std::string& mode);
Tensor svd_backward(const Tensor& du, const Tensor& ds, const Tensor& dvh, const Tensor& u, const Tensor& s,
                    const Tensor& vh);
Tensor svd_full_backward(const Tensor& du, const Tensor& ds, const Tensor& dvh, const Tensor& x, const Tensor& u,
                         const Tensor& s, const Tensor& vh);
Tensor svdvals_backward(const Tensor& ds, const Tensor& x);
Tensor eigh_backward(const Tensor& dw, const Tensor& dv, const Tensor& w, const Tensor& v);
Tensor eig_backward(const Tensor& dw, const Tensor& dv, const Tensor& w, const Tensor& v);
Tensor eigvals_backward(const Tensor& dw, const Tensor& x);
// The gradient of attention in differentiable ops; `which`: 0 query, 1 key, 2 value.
Tensor attention_backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                          const Tensor& keep, const Tensor& dout, double scale, bool causal, int64_t offset,
                          double dropout, int64_t which);
Tensor flash_attn_backward(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& seed_offset,
                           const Tensor& mask, const Tensor& dout, double dropout, bool causal, bool is_test,
                           int64_t which);
std::vector<Tensor> multi_dot_backward(const Tensor& dout, const std::vector<Tensor>& x);

Tensor fft_c2c_backward(const Tensor& dout, const common::Ints& axes, const std::string& normalization, bool forward);
// What the rules below read of a shape: the extent of the last of `axes`; the length of the frames in x.
int64_t extent_at(const Tensor& x, const common::Ints& axes);
int64_t frame_extent(const Tensor& x, int64_t axis);
Tensor fft_r2c_backward(const Tensor& dout, const common::Ints& axes, const std::string& normalization, bool forward,
                        bool onesided, int64_t extent);
Tensor fft_c2r_backward(const Tensor& dout, const common::Ints& axes, const std::string& normalization, bool forward);
Tensor frame_backward(const Tensor& dout, int64_t hop_length, int64_t axis, int64_t extent);
Tensor overlap_add_backward(const Tensor& dout, int64_t hop_length, int64_t axis, int64_t frame_length);

}  // namespace paddle
