// SPDX-License-Identifier: Apache-2.0
// The axes that Fourier transforms are repeated over: one call of a plan takes one of them, the others are looped over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace phi {

// n transforms, which lie `in` and `out` elements apart on the two sides.
struct FourierAxis {
  int64_t n, in, out;
};

struct FourierBatch {
  FourierAxis own = {1, 0, 0};  // the longest, which a plan takes
  std::vector<FourierAxis> others;

  // Of the axes that are not transformed; one that goes on where the one inside of it ends is one with it.
  FourierBatch(std::span<const int64_t> extents, std::span<const int64_t> in, std::span<const int64_t> out,
               std::span<const int64_t> transformed) {
    for (size_t a = 0; a < extents.size(); ++a) {
      if (extents[a] == 1 || std::ranges::find(transformed, static_cast<int64_t>(a)) != transformed.end()) continue;
      const FourierAxis b{extents[a], in[a], out[a]};
      if (!others.empty() && others.back().in == b.in * b.n && others.back().out == b.out * b.n)
        others.back() = {others.back().n * b.n, b.in, b.out};
      else
        others.push_back(b);
    }
    if (others.empty()) return;
    const auto longest = std::ranges::max_element(others, {}, &FourierAxis::n);
    own = *longest;
    others.erase(longest);
  }
  int64_t calls() const {
    int64_t n = 1;
    for (const FourierAxis& b : others) n *= b.n;
    return n;
  }
  // call(in, out) with where each call begins, in elements.
  template <class F>
  void Each(F call) const {
    for (int64_t c = 0, n = calls(); c < n; ++c) {
      int64_t rest = c, from = 0, to = 0;
      for (const FourierAxis& b : others) {
        from += rest % b.n * b.in;
        to += rest % b.n * b.out;
        rest /= b.n;
      }
      call(from, to);
    }
  }
};

}  // namespace phi
