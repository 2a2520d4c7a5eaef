// SPDX-License-Identifier: Apache-2.0
// What the loops of sample.h are told; plain data, the same for every instruction set.
#pragma once

#include <stdint.h>

namespace phi {

constexpr int64_t kSampleBlock = 128;  // places that are looked at together

struct SampleCall {
  int axes;  // 2 or 3
  bool nearest, clipped, reflected, align_corners, float_grid;
  int64_t size;        // bytes of an element, where it is copied (nearest)
  int64_t extents[3];  // of an image of x, its first axis first
  int64_t channels, area, places;
  const void *x, *grid, *dout;
  void* out;  // the samples, or a gradient
};

}  // namespace phi
