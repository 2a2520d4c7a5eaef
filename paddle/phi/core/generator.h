// SPDX-License-Identifier: Apache-2.0
// The CPU random generator: std::mt19937_64 seeded through seed_seq, bit-compatible with PaddlePaddle's streams.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "paddle/phi/core/kernel_context.h"

namespace phi {

class Generator {
 public:
  explicit Generator(uint64_t seed) { SetSeed(seed); }
  void SetSeed(uint64_t seed);
  uint64_t seed() const { return seed_; }
  std::mt19937_64& engine() { return engine_; }
  std::mutex& mutex() { return mutex_; }
  // The engine's state as text bytes, as SetState reads it.
  std::vector<uint8_t> GetState() const;
  void SetState(const std::vector<uint8_t>& state);

 private:
  uint64_t seed_ = 0;
  std::mt19937_64 engine_;
  mutable std::mutex mutex_;
};

Generator& DefaultCpuGenerator();

// The engine an op draws from: the context's generator's, or for a non-zero seed a fresh one, seeded without seed_seq.
class EngineFor {
 public:
  EngineFor(const KernelContext& context, int64_t seed);
  std::mt19937_64& operator*() { return own_ ? *own_ : generator_.engine(); }

 private:
  Generator& generator_;
  std::unique_ptr<std::mt19937_64> own_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace phi
