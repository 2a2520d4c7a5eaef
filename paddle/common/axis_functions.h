// SPDX-License-Identifier: Apache-2.0
// The functions of decompositions that depend on the rank of a tensor and the names of axes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "paddle/common/attr.h"

namespace common {

// Whether a data format puts channels behind axes of space: "NHWC", not "NC".
inline bool ChannelsLast(const std::string& format) { return format.size() > 2 && format.back() == 'C'; }

// For a class D that builds decompositions of values V, with `static int64_t rank(const V&)`.
template <class D, class V>
class AxisFunctions {
 public:
  Ints axes_of(const V& x, const Ints& axes, bool every) const {
    return every || axes.empty() || D::rank(x) == 0 ? axes_from(x, 0) : axes;  // axis 0 of a 0-d tensor is none
  }
  Ints axes_from(const V& x, int64_t first) const { return Range(first, D::rank(x)); }
  Ints axes_before(const V&, int64_t end) const { return Range(0, end); }
  Ints axes_but(const V& x, int64_t axis) const {
    Ints axes = Range(0, axis);
    for (int64_t k : Range(axis + 1, D::rank(x))) axes.push_back(k);
    return axes;
  }
  int64_t channel_of(const V& x, const std::string& format) const {
    const bool last = D::rank(x) > 2 && ChannelsLast(format);
    return last ? D::rank(x) - 1 : std::min<int64_t>(1, D::rank(x) - 1);
  }
  int64_t trailing(const V& x, const Ints& extents) const { return D::rank(x) - std::max<int64_t>(extents.size(), 1); }
  Ints channels_first(const V& x, int64_t axis) const {
    Ints order{0, axis};
    for (int64_t k = 1; k < D::rank(x); ++k)
      if (k != axis) order.push_back(k);
    return order;
  }
  Ints inverse_perm(const Ints& perm) const {
    Ints inverse(perm.size(), 0);
    for (int64_t k = 0; k < perm.size(); ++k) inverse[perm[k]] = k;
    return inverse;
  }

 private:
  static Ints Range(int64_t first, int64_t end) {
    Ints axes;
    for (int64_t k = first; k < end; ++k) axes.push_back(k);
    return axes;
  }
};

}  // namespace common
