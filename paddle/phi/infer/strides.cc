// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/infer/strides.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace phi {

using common::Ints;

bool MayOverlap(const Ints& dims, const Ints& strides) {
  std::vector<std::pair<int64_t, int64_t>> axes;
  for (int64_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return false;
    if (dims[i] > 1) axes.push_back({std::abs(strides[i]), dims[i]});
  }
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (auto [step, n] : axes) {
    if (step <= reach) return true;
    reach += (n - 1) * step;
  }
  return false;
}

Reach ReachOf(const Ints& dims, const Ints& strides) {
  Reach r{0, 1};
  for (int64_t i = 0; i < dims.size(); ++i) {
    const int64_t span = (std::max<int64_t>(dims[i], 1) - 1) * strides[i];
    r.extent += span < 0 ? -span : span;
    r.lowest += std::min<int64_t>(span, 0);
  }
  return r;
}

}  // namespace phi
