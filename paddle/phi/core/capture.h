// SPDX-License-Identifier: Apache-2.0
// What is no work of a graph that a thread captures.
#pragma once

namespace phi {

// What the runtime itself needs while this thread captures a graph: memory, events that tell when it is free, kernels,
// a library's handle. The capture's mode does not forbid it meanwhile.
class AllowedInCapture {
 public:
  AllowedInCapture();
  ~AllowedInCapture();
  AllowedInCapture(const AllowedInCapture&) = delete;

 private:
  const void* device_;  // whose work is captured; null: none
  int mode_ = 0;        // the thread's before
};

}  // namespace phi
