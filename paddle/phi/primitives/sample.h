// SPDX-License-Identifier: Apache-2.0
// Images at the places that a grid tells, in [-1, 1] along each axis.
#pragma once

#include <cstdint>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/sample_call.inc.h"

namespace phi::cpu {

// Blocks of places, which the loops of samples and of the grid's gradient go over.
inline int64_t SampleBlocks(int64_t images, int64_t places) {
  return images * ((places + kSampleBlock - 1) / kSampleBlock);
}

// x [images, channels, extents], grid [images, places, axes] of float32 or float64 (`float_grid`). `wide`: calculations
// are in double, and what is not the grid is of double, else float; the nearest elements are copied whatever they are.
// Sets out [images, channels, places].
void Sample(const SampleCall& call, int64_t images, bool wide);
// Adds to out [images, channels, extents] what dout [images, channels, places] gives x.
void SampleGradX(const SampleCall& call, int64_t images, bool wide);
// Sets out [images, places, axes] to what it gives the grid, in double or float; not of the nearest elements.
void SampleGradGrid(const SampleCall& call, int64_t images, bool wide);

}  // namespace phi::cpu
