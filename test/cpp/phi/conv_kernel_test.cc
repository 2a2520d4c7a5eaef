// SPDX-License-Identifier: Apache-2.0
// The kernel of convolution on tensors: packed forms of weights that it keeps.
#include <gtest/gtest.h>

#include <vector>

#include "paddle/phi/core/tensor.h"

namespace phi {
void conv_nd_kernel(const Tensor& x, const Tensor& w, const Ints& strides, const Ints& pads, const Ints& dilations,
                    int64_t groups, bool last, Tensor& out);
namespace {

TEST(Conv, KeptWeightsOfOneStorage) {
  Tensor x = Empty({1, 32, 8, 8}, DataType::FLOAT32), all = Empty({2 * 32 * 32 * 9}, DataType::FLOAT32);
  for (const Tensor& t : {x, all})
    for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = static_cast<float>(i * 37 % 129 - 64) / 32;
  auto run = [&](int64_t part, bool keep) {
    Tensor w = ViewOf(all, {32, 32, 3, 3}, {288, 9, 3, 1}, part * 32 * 32 * 9);
    w->is_parameter = keep;
    Tensor out = Empty({1, 32, 8, 8}, DataType::FLOAT32);
    conv_nd_kernel(x, w, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, false, out);
    return std::vector<float>(out.data<float>(), out.data<float>() + out.numel());
  };
  for (int round = 0; round < 2; ++round)
    for (int64_t part : {0, 1}) EXPECT_EQ(run(part, true), run(part, false)) << part;
}

}  // namespace
}  // namespace phi
