// SPDX-License-Identifier: Apache-2.0
// What recurrent layers and their gradients take of a workspace is what they declare.
#include <gtest/gtest.h>

#include <vector>

#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/workspace.h"

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
  EXPECT_EQ(taken == 0, layers == 1 && !is_test);
}

TEST(Scratch, RecurrentLayersTakeWhatTheyDeclare) {
  for (int64_t layers : {1, 2, 3, 4})
    for (const bool is_test : {false, true})
      for (const float dropout : {0.0f, 0.5f}) ExpectDeclared(layers, dropout, is_test);
}

}  // namespace
}  // namespace executor::test
