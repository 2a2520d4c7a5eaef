// SPDX-License-Identifier: Apache-2.0
// A tensor as norms see it: samples, each of as many planes as there are channels.
#pragma once

#include "paddle/common/axis_functions.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

// [n, c, spatial], or with channels last [n, spatial, c].
struct Planes {
  int64_t n, c, spatial;
  bool last;
};
inline Planes PlanesOf(const Tensor& x, bool last) {
  last = last && x.ndim() > 2;
  Planes p{x.dim(0), x.dim(last ? x.ndim() - 1 : 1), 1, last};
  for (int64_t i = 2; i < x.ndim(); ++i) p.spatial *= x.dim(last ? i - 1 : i);
  return p;
}
inline Planes PlanesOf(const Tensor& x, const std::string& format) { return PlanesOf(x, common::ChannelsLast(format)); }

}  // namespace phi
