// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/mersenne.h"

#include <istream>
#include <ostream>

namespace phi {
namespace {
using Std = std::mt19937_64;
constexpr size_t kMiddle = Std::shift_size;
constexpr uint64_t kLow = (uint64_t{1} << Std::mask_bits) - 1;

uint64_t Next(uint64_t high, uint64_t low, uint64_t far) {
  const uint64_t y = (high & ~kLow) | (low & kLow);
  return far ^ (y >> 1) ^ (-(y & 1) & Std::xor_mask);
}
}  // namespace

void Mersenne64::seed(uint64_t value) {
  state_[0] = value;
  for (size_t i = 1; i < kWords; ++i)
    state_[i] = Std::initialization_multiplier * (state_[i - 1] ^ (state_[i - 1] >> 62)) + i;
  at_ = kWords;
}

void Mersenne64::seed(std::seed_seq& sequence) {
  std::array<uint32_t, 2 * kWords> halves;
  sequence.generate(halves.begin(), halves.end());
  uint64_t any = 0;
  for (size_t i = 0; i < kWords; ++i) {
    state_[i] = halves[2 * i] | uint64_t{halves[2 * i + 1]} << 32;
    any |= i == 0 ? state_[i] & ~kLow : state_[i];
  }
  if (!any) state_[0] = uint64_t{1} << 63;
  at_ = kWords;
}

void Mersenne64::Refill() {
  for (size_t k = 0; k < kWords - kMiddle; ++k) state_[k] = Next(state_[k], state_[k + 1], state_[k + kMiddle]);
  for (size_t k = kWords - kMiddle; k + 1 < kWords; ++k)
    state_[k] = Next(state_[k], state_[k + 1], state_[k + kMiddle - kWords]);
  state_[kWords - 1] = Next(state_[kWords - 1], state_[0], state_[kMiddle - 1]);
  Temper();
  at_ = 0;
}

void Mersenne64::Temper() {
  for (size_t k = 0; k < kWords; ++k) {
    uint64_t z = state_[k];
    z ^= (z >> Std::tempering_u) & Std::tempering_d;
    z ^= (z << Std::tempering_s) & Std::tempering_b;
    z ^= (z << Std::tempering_t) & Std::tempering_c;
    numbers_[k] = z ^ (z >> Std::tempering_l);
  }
}

std::ostream& operator<<(std::ostream& os, const Mersenne64& engine) {
  for (uint64_t word : engine.state_) os << word << ' ';
  return os << engine.at_;
}

std::istream& operator>>(std::istream& is, Mersenne64& engine) {
  for (uint64_t& word : engine.state_) is >> word;
  is >> engine.at_;
  if (engine.at_ > Mersenne64::kWords) is.setstate(std::ios::failbit);
  if (is) engine.Temper();
  return is;
}

}  // namespace phi
