// SPDX-License-Identifier: Apache-2.0
// What kernels take of a workspace is what they declare.
#include <gtest/gtest.h>

#include <vector>

#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/rnn.h"

namespace executor::test {
namespace {

using paddle::Tensor;

struct Call {
  const phi::OpDef& op;
  std::vector<std::vector<Tensor>> in;
  std::vector<phi::AttrValue> attrs;
  std::vector<std::vector<Tensor>> out;

  // Bytes declared; `taken`: those it took at most at one time.
  int64_t Run(int64_t* taken) {
    std::vector<phi::InSlot> slots(in.begin(), in.end());
    std::vector<std::vector<phi::Meta>> metas(in.size());
    std::vector<phi::MetaSlot> shapes;
    for (size_t k = 0; k < in.size(); ++k) {
      for (const Tensor& t : in[k])
        if (t.defined()) metas[k].push_back(t.meta());
      shapes.push_back({metas[k].data(), static_cast<int>(metas[k].size())});
    }
    out.resize(op.outs.size());
    std::vector<phi::OutSlot> results;
    for (size_t k = 0; k < out.size(); ++k) {
      if (!op.outs[k].variadic) out[k].resize(1);
      results.push_back(op.outs[k].variadic ? phi::OutSlot(out[k]) : phi::OutSlot(out[k][0]));
    }
    const int64_t declared = op.workspace(shapes.data(), attrs.data());
    std::vector<char> memory(static_cast<size_t>(declared) + 64);
    const phi::Workspace lent(memory.data(), declared);
    op.Run(phi::ThreadContext(), slots.data(), attrs.data(), results.data());
    *taken = lent.most();
    return declared;
  }
};

void ExpectDeclared(int64_t layers, float dropout, bool is_test) {
  const int64_t time = 5, batch = 3, width = 4, hidden = 8;
  auto some = [](const common::Ints& dims) { return phi::FullLike(dims, phi::DataType::FLOAT32, 0.1); };
  std::vector<Tensor> weights;
  for (int64_t i = 0; i < layers; ++i) {
    weights.push_back(some({4 * hidden, i ? hidden : width}));
    weights.push_back(some({4 * hidden, hidden}));
  }
  for (int64_t i = 0; i < 2 * layers; ++i) weights.push_back(some({4 * hidden}));
  const std::vector<Tensor> states(2, some({layers, batch, hidden}));
  const std::vector<phi::AttrValue> attrs{double{dropout}, false,           int64_t{width},
                                          int64_t{hidden}, int64_t{layers}, std::string("LSTM"),
                                          int64_t{0},      is_test};
  Call forward{*phi::FindOpDef("rnn"), {{some({time, batch, width})}, states, weights, {}, {}}, attrs, {}};
  int64_t taken = 0;
  EXPECT_EQ(forward.Run(&taken), taken) << layers << " layers, dropout " << dropout << ", test " << is_test;
  const Tensor &out = forward.out[0][0], &mask = forward.out[1][0], &reserve = forward.out[3][0];
  Call backward{*phi::FindOpDef("rnn_grad"),
                {forward.in[0], states, weights, {}, {out}, {mask}, {reserve}, {some(out.dims())}, states},
                attrs,
                {}};
  EXPECT_EQ(backward.Run(&taken), taken) << layers << " layers, dropout " << dropout << ", test " << is_test;
  // A single layer in training takes the gradients of the two states, what the layer takes, and no more.
  const int64_t gradients = phi::Workspace::Piece(2 * layers * batch * hidden * static_cast<int64_t>(sizeof(float)));
  const int64_t layer = phi::Workspace::Piece(phi::cpu::RnnBackwardBytes(
      {phi::DataType::FLOAT32, phi::cpu::RnnMode::kLstm, time, batch, width, hidden, 1, nullptr}));
  EXPECT_EQ(taken == gradients + layer, layers == 1 && !is_test);
}

TEST(Scratch, RecurrentLayersTakeWhatTheyDeclare) {
  for (int64_t layers : {1, 2, 3, 4})
    for (const bool is_test : {false, true})
      for (const float dropout : {0.0f, 0.5f}) ExpectDeclared(layers, dropout, is_test);
}

Tensor Numbers(const common::Ints& dims, phi::DataType dtype = phi::DataType::FLOAT32) {
  return phi::FullLike(dims, dtype, 1);
}
Tensor Unit(const common::Ints& dims) {
  Tensor x = phi::FullLike(dims, phi::DataType::FLOAT32, 0);
  const int64_t n = dims.back();
  for (int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] = i / n % n == i % n ? 1 : 0;
  return x;
}
void ExpectScratch(const char* op, std::vector<std::vector<Tensor>> in, std::vector<phi::AttrValue> attrs) {
  Call call{*phi::FindOpDef(op), std::move(in), std::move(attrs), {}};
  int64_t taken = 0;
  EXPECT_EQ(call.Run(&taken), taken) << op;
  EXPECT_GT(taken, 0) << op;
}

TEST(Scratch, BroadcastOperandsTakeWhatIsDeclared) {
  using phi::DataType;
  const Tensor one = Unit({3, 3}), matrices = Unit({2, 3, 3}), right = Numbers({2, 3, 2});
  ExpectScratch("solve", {{one}, {right}}, {});
  ExpectScratch("solve", {{matrices}, {Numbers({3, 2})}}, {});
  ExpectScratch("triangular_solve", {{one}, {right}}, {true, false, false});
  ExpectScratch("cholesky_solve", {{right}, {one}}, {false});
  ExpectScratch("lu_solve", {{right}, {one}, {Numbers({3}, DataType::INT32)}}, {std::string("N")});
  ExpectScratch("lstsq", {{one}, {right}}, {phi::Scalar(0.0), std::string("gels")});
  ExpectScratch("lstsq", {{Numbers({4, 1})}, {Numbers({4, 2})}}, {phi::Scalar(0.0), std::string("gels")});
  ExpectScratch("matrix_rank_tol", {{matrices}, {Numbers({4, 1}, DataType::FLOAT64)}}, {true, false});
  ExpectScratch("matrix_rank_atol_rtol", {{matrices}, {Numbers({1}, DataType::FLOAT64)}, {}}, {true});
  ExpectScratch("masked_select", {{Numbers({4, 1})}, {Numbers({5}, DataType::BOOL)}}, {});
  ExpectScratch("binomial", {{Numbers({4, 1}, DataType::FLOAT64)}, {Numbers({5}, DataType::FLOAT64)}}, {});
}

TEST(Scratch, PlacesTakeWhatIsDeclared) {
  using phi::DataType;
  const Tensor x = Numbers({4, 5}), at = Numbers({3, 1}, DataType::INT64), narrow = Numbers({2}, DataType::INT32);
  const common::Ints first{0}, all{4}, step{1};
  ExpectScratch("index_get", {{x}, {at, narrow}}, {});
  ExpectScratch("index_put", {{x}, {at, narrow}, {Numbers({2})}}, {false});
  ExpectScratch("index_put", {{x}, {at}, {Numbers({5})}}, {true});
  ExpectScratch(
      "set_value", {{x}},
      {phi::IntArray(first), phi::IntArray(all), phi::IntArray(step), std::vector<int64_t>{0}, std::vector<int64_t>{},
       std::vector<int64_t>{}, std::vector<int64_t>{5}, std::vector<phi::Scalar>(5, phi::Scalar(1.0))});
  ExpectScratch(
      "strided_sum", {{Numbers({3, 2, 4})}},
      {phi::IntArray(common::Ints{8}), std::vector<int64_t>{3, 2, 4}, std::vector<int64_t>{1, 0, 1}, int64_t{0}});
  ExpectScratch("unique", {{x}}, {false, true, false, std::vector<int32_t>{1}, DataType::INT64, false});
  ExpectScratch("top_p_sampling", {{x}, {Numbers({4})}, {}, {}}, {int64_t{-1}, int32_t{0}, std::string("truncate")});
}

}  // namespace
}  // namespace executor::test
