// SPDX-License-Identifier: Apache-2.0
// Random groups whose result is exact by definition, compiled and interpreted: every bit must agree, NaN and infinities
// included. CINN_FUZZ in the environment sets how many (default 200), CINN_FUZZ_SEED the first seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cpp/cinn/groups.h"
#include "paddle/cinn/compiler.h"

namespace cinn {
namespace {

TEST(Fuzz, ExactGroupsAgreeBitForBit) {
  const char* count = std::getenv("CINN_FUZZ");
  const char* first = std::getenv("CINN_FUZZ_SEED");
  const unsigned n = count ? static_cast<unsigned>(std::atoi(count)) : 200,
                 seed0 = first ? static_cast<unsigned>(std::atoi(first)) : 1;
  int failures = 0;
  for (unsigned seed = seed0; seed < seed0 + n && failures < 3; ++seed) {
    testing::Generator gen(seed);
    std::vector<int64_t> dims;
    FusionGroup g = gen.Group(dims);
    const testing::Memory memory = gen.Parts(g, dims);
    testing::GroupData data(
        g, dims, [&](DataType t) { return gen.Random(t); }, memory);
    auto kernel = Compile(g);
    kernel->Run(data.inputs.data(), data.outputs.data(), dims.data(), memory.strides.data());
    const std::string bad = data.Difference(-1);
    if (bad.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << " " << bad << "\n" << ToString(g) << kernel->Explain();
  }
}

}  // namespace
}  // namespace cinn
