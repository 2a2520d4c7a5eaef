// SPDX-License-Identifier: Apache-2.0
// Member functions for pybind11 classes: bound as they are they take None for self, and crash.
#pragma once

#include <utility>

namespace paddle::py {

template <class C, class R, class... A>
auto Member(R (C::*f)(A...)) {
  return [f](C& self, A... a) -> R { return (self.*f)(std::forward<A>(a)...); };
}
template <class C, class R, class... A>
auto Member(R (C::*f)(A...) const) {
  return [f](const C& self, A... a) -> R { return (self.*f)(std::forward<A>(a)...); };
}

}  // namespace paddle::py
