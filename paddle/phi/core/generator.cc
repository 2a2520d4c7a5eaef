// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/generator.h"

#include <sstream>

#include "paddle/common/error.h"

namespace phi {

void Generator::SetSeed(uint64_t seed) {
  std::lock_guard<std::mutex> lock(mutex_);
  seed_ = seed;
  std::seed_seq seq({seed});
  engine_.seed(seq);
}

std::vector<uint8_t> Generator::GetState() const {
  std::ostringstream os;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    os << seed_ << ' ' << engine_;
  }
  std::string s = os.str();
  return {s.begin(), s.end()};
}

void Generator::SetState(const std::vector<uint8_t>& state) {
  std::istringstream is(std::string(state.begin(), state.end()));
  uint64_t seed = 0;
  std::mt19937_64 engine;
  is >> seed >> engine;
  PD_CHECK(!is.fail(), InvalidArgument, "[set_rng_state] expected a state from get_rng_state, got other bytes");
  std::lock_guard<std::mutex> lock(mutex_);
  seed_ = seed;
  engine_ = engine;
}

Generator& DefaultCpuGenerator() {
  static auto* g = new Generator(std::random_device{}());
  return *g;
}

EngineFor::EngineFor(const KernelContext& context, int64_t seed)
    : generator_(context.generator ? *context.generator : DefaultCpuGenerator()) {
  if (seed != 0) {
    own_ = std::make_unique<std::mt19937_64>(static_cast<uint64_t>(seed));
  } else {
    lock_ = std::unique_lock<std::mutex>(generator_.mutex());
  }
}

}  // namespace phi
