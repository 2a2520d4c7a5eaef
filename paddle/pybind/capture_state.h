// SPDX-License-Identifier: Apache-2.0
// What a call of a function marked with to_static must know of the state around it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace paddle::py {

// Grows whenever Python reads numbers out of a tensor or runs backward: what such code computes cannot be recorded.
inline uint64_t& DataReads() {
  static thread_local uint64_t n = 0;
  return n;
}

// Whether what is recorded is a function: it writes to tensors each time it runs, where static mode gives them a value
// at once.
inline bool& RecordsFunction() {
  static thread_local bool on = false;
  return on;
}

// Tensors with data that became symbolic by an assignment while recording, and what they were.
inline std::vector<std::pair<Tensor, Tensor>>& Overwritten() {
  static thread_local std::vector<std::pair<Tensor, Tensor>> list;
  return list;
}
// The tensor holds the data that `old` holds; history and recorded value are left as they are.
inline void RestoreData(const Tensor& t, const Tensor& old) {
  t->CopyLayout(*old.impl());
  t->storage = old->storage;
}

}  // namespace paddle::py
