// SPDX-License-Identifier: Apache-2.0
// The CPU random generator: std::mt19937_64's numbers, seeded through seed_seq, bit-compatible with PaddlePaddle's
// streams. Those of devices: a seed and how many numbers of Philox4x32-10 were drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "paddle/phi/core/kernel_context.h"
#include "paddle/phi/core/mersenne.h"

namespace phi {

class Generator {
 public:
  explicit Generator(uint64_t seed) { SetSeed(seed); }
  void SetSeed(uint64_t seed);
  uint64_t seed() const { return seed_; }
  Mersenne64& engine() { return engine_; }
  std::mutex& mutex() { return mutex_; }
  // The engine's state as text bytes, as SetState reads it.
  std::vector<uint8_t> GetState() const;
  void SetState(const std::vector<uint8_t>& state);

 private:
  uint64_t seed_ = 0;
  Mersenne64 engine_;
  mutable std::mutex mutex_;
};

Generator& DefaultCpuGenerator();

// The engine an op draws from: the context's generator's, or for a non-zero seed a fresh one, seeded without seed_seq.
class EngineFor {
 public:
  EngineFor(const KernelContext& context, int64_t seed);
  Mersenne64& operator*() { return own_ ? *own_ : generator_.engine(); }

 private:
  Generator& generator_;
  std::unique_ptr<Mersenne64> own_;
  std::unique_lock<std::mutex> lock_;
};

// What a draw on a device is keyed by. `base`: null, or where its memory holds two 64-bit numbers, the seed and what is
// to be added to `offset`, as in graphs, which draw anew each time.
struct DrawKey {
  uint64_t seed = 0, offset = 0;
  const void* base = nullptr;
};

class DeviceGenerator {
 public:
  explicit DeviceGenerator(uint64_t seed) : seed_(seed) {}
  void SetSeed(uint64_t seed);
  // Where the next draw begins, which takes `numbers` of 32 bits, a multiple of 4.
  DrawKey Take(uint64_t numbers);
  std::vector<uint8_t> GetState() const;
  void SetState(const std::vector<uint8_t>& state);

 private:
  mutable std::mutex mutex_;
  uint64_t seed_, offset_ = 0;
};
// That of a device.
DeviceGenerator& GeneratorOf(Place place);
// Seeds those of all devices, used already or not.
void SeedDevices(uint64_t seed);
// The states of all of them, those that are not used yet included.
std::vector<uint8_t> DeviceStates();
void SetDeviceStates(const std::vector<uint8_t>& states);

// While one lives, devices draw nothing: their operations take the CPU generator's numbers.
struct HostDraws {
  HostDraws();
  ~HostDraws();
  HostDraws(const HostDraws&) = delete;
  static bool Asked();
};

}  // namespace phi
