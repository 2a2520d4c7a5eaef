// SPDX-License-Identifier: Apache-2.0
// What extents and strides say of memory: how far a tensor reaches, and whether its elements share places.
#pragma once

#include "paddle/common/dim.h"

namespace phi {

// Whether two positions of a tensor with these strides can be one element. May say so where they cannot.
bool MayOverlap(const common::Ints& dims, const common::Ints& strides);
// Where the lowest element lies, counted from the first, and how many places there are from it to the highest.
struct Reach {
  int64_t lowest, extent;
};
Reach ReachOf(const common::Ints& dims, const common::Ints& strides);

}  // namespace phi
