// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/generator.h"

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <tuple>

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
  Mersenne64 engine;
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

void DeviceGenerator::SetSeed(uint64_t seed) {
  std::lock_guard<std::mutex> lock(mutex_);
  seed_ = seed;
  offset_ = 0;
}
DrawKey DeviceGenerator::Take(uint64_t numbers) {
  std::lock_guard<std::mutex> lock(mutex_);
  const DrawKey key{seed_, offset_};
  offset_ += numbers;
  return key;
}
std::vector<uint8_t> DeviceGenerator::GetState() const {
  std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t both[] = {seed_, offset_};
  std::vector<uint8_t> state(sizeof(both));
  std::memcpy(state.data(), both, sizeof(both));
  return state;
}
void DeviceGenerator::SetState(const std::vector<uint8_t>& state) {
  uint64_t both[2];
  PD_CHECK(state.size() == sizeof(both), InvalidArgument,
           "[set_rng_state] expected a state of a GPU's generator, got another one");
  std::memcpy(both, state.data(), sizeof(both));
  PD_CHECK(both[1] % 4 == 0, InvalidArgument, "[set_rng_state] expected a state of a GPU's generator, got other bytes");
  std::lock_guard<std::mutex> lock(mutex_);
  seed_ = both[0];
  offset_ = both[1];
}

namespace {
struct DeviceGenerators {
  std::mutex mutex;
  uint64_t seed = std::random_device{}();
  std::map<std::tuple<AllocationType, int16_t, int>, DeviceGenerator> made;
};
DeviceGenerators& Generators() {
  static auto* g = new DeviceGenerators;
  return *g;
}
std::atomic<int> g_host_draws{0};
}  // namespace

DeviceGenerator& GeneratorOf(Place place) {
  DeviceGenerators& g = Generators();
  std::lock_guard<std::mutex> lock(g.mutex);
  return g.made.try_emplace({place.type, place.custom, place.device_id}, g.seed).first->second;
}
void SeedDevices(uint64_t seed) {
  DeviceGenerators& g = Generators();
  std::lock_guard<std::mutex> lock(g.mutex);
  g.seed = seed;
  for (auto& [place, generator] : g.made) generator.SetSeed(seed);
}

std::vector<uint8_t> DeviceStates() {
  DeviceGenerators& g = Generators();
  std::lock_guard<std::mutex> lock(g.mutex);
  std::ostringstream os;
  os << g.seed;
  for (auto& [place, generator] : g.made) {
    const auto& [type, custom, id] = place;
    const DrawKey now = generator.Take(0);
    os << ' ' << static_cast<int>(type) << ' ' << custom << ' ' << id << ' ' << now.seed << ' ' << now.offset;
  }
  const std::string s = os.str();
  return {s.begin(), s.end()};
}
void SetDeviceStates(const std::vector<uint8_t>& states) {
  std::istringstream is(std::string(states.begin(), states.end()));
  uint64_t seed = 0, offset = 0;
  PD_CHECK(is >> seed, InvalidArgument, "[set_rng_state] expected states of devices, got other bytes");
  SeedDevices(seed);
  for (int type = 0, custom = 0, id = 0; is >> type >> custom >> id >> seed >> offset;) {
    DeviceGenerator& generator =
        GeneratorOf({static_cast<AllocationType>(type), static_cast<int8_t>(id), static_cast<int16_t>(custom)});
    generator.SetSeed(seed);
    generator.Take(offset);
  }
}

HostDraws::HostDraws() { ++g_host_draws; }
HostDraws::~HostDraws() { --g_host_draws; }
bool HostDraws::Asked() { return g_host_draws > 0; }

EngineFor::EngineFor(const KernelContext& context, int64_t seed)
    : generator_(context.generator ? *context.generator : DefaultCpuGenerator()) {
  if (seed != 0) {
    own_ = std::make_unique<Mersenne64>(static_cast<uint64_t>(seed));
  } else {
    lock_ = std::unique_lock<std::mutex>(generator_.mutex());
  }
}

}  // namespace phi
