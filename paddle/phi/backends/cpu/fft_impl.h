// SPDX-License-Identifier: Apache-2.0
// The plan of Fourier transforms, which a library makes and runs.
#pragma once

#include <cstdint>
#include <memory>

namespace phi::cpu {

inline constexpr int kMaxFftRank = 7;

enum class FftKind : int32_t { kC2C, kR2C, kC2R };

// Transforms of n[0] x n[1] x ... numbers; those of axis i lie in[i + 1] and out[i + 1] elements apart. `count` of them
// begin in_step and out_step apart. n holds the lengths of the real side, or of both where both are complex.
struct FftKey {
  int64_t n[kMaxFftRank], in[kMaxFftRank + 1], out[kMaxFftRank + 1];
  int64_t count, in_step, out_step;
  double scale;
  int32_t rank;
  FftKind kind;
  int32_t is_double, in_place, threads, forward;
};

class FftPlan {
 public:
  virtual ~FftPlan() = default;
  // `to` is `from` where the key says in_place. One thread at a time.
  virtual void Run(char* from, char* to) = 0;
};
std::unique_ptr<FftPlan> MakeFftPlan(const FftKey& key);

}  // namespace phi::cpu
