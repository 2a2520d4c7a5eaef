// SPDX-License-Identifier: Apache-2.0
// The Mersenne Twister of 64 bits (Nishimura, "Tables of 64-bit Mersenne Twisters", 2000): the numbers, seeds and text
// of std::mt19937_64, which gives them one at a time only.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <random>
#include <span>

namespace phi {

class Mersenne64 {
 public:
  using result_type = uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }

  explicit Mersenne64(uint64_t value = std::mt19937_64::default_seed) { seed(value); }
  void seed(uint64_t value);
  void seed(std::seed_seq& sequence);

  result_type operator()() {
    if (at_ == kWords) Refill();
    return numbers_[at_++];
  }
  // The numbers that come next: at least one of them. Skip takes the first `n`.
  std::span<const uint64_t> Ahead() {
    if (at_ == kWords) Refill();
    return std::span(numbers_).subspan(at_);
  }
  void Skip(size_t n) { at_ += n; }

  friend std::ostream& operator<<(std::ostream& os, const Mersenne64& engine);
  friend std::istream& operator>>(std::istream& is, Mersenne64& engine);

 private:
  static constexpr size_t kWords = std::mt19937_64::state_size;
  void Refill();
  void Temper();

  std::array<uint64_t, kWords> state_;
  std::array<uint64_t, kWords> numbers_;  // of `state_`
  size_t at_ = kWords;
};

}  // namespace phi
