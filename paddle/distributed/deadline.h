// SPDX-License-Identifier: Apache-2.0
// The moment until which something may wait. Every wait of this layer has one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace paddle::distributed {

using Clock = std::chrono::steady_clock;

class Deadline {
 public:
  static Deadline In(double seconds) {
    return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest))),
                    seconds);
  }
  Clock::time_point when() const { return when_; }
  // What was asked for, for messages.
  double seconds() const { return seconds_; }
  bool passed() const { return Clock::now() >= when_; }
  std::chrono::nanoseconds left() const {
    return std::max(std::chrono::nanoseconds(when_ - Clock::now()), std::chrono::nanoseconds(0));
  }
  // For poll and epoll: rounded up, so that a wait of that length reaches the deadline.
  int left_ms() const { return static_cast<int>(std::min<int64_t>((left().count() + 999'999) / 1'000'000, INT32_MAX)); }

 private:
  static constexpr double kLongest = 1e9;  // 30 years: no overflow of the clock
  Deadline(Clock::time_point when, double seconds) : when_(when), seconds_(seconds) {}

  Clock::time_point when_;
  double seconds_;
};

}  // namespace paddle::distributed
