// SPDX-License-Identifier: Apache-2.0
// Scratch of kernels. An op declares how much a call takes (OpDef::workspace), so that its caller can lend it.
#pragma once

#include <cstdint>

namespace phi {

// Memory that is lent to the kernels which this thread runs while the object exists.
class Workspace {
 public:
  Workspace(void* data, int64_t bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // The bytes that a piece takes of it.
  static constexpr int64_t Piece(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  // The most that was taken of it at one time, what did not fit included.
  int64_t most() const { return most_; }

 private:
  friend class CallMemory;
  Workspace* old_;
  char* data_;
  int64_t bytes_, taken_ = 0, most_ = 0;
};

// Scratch for the length of a call, of the workspace that the thread was lent, or else from the allocator: 64-byte
// aligned, uninitialised. Several are released in reverse order.
class CallMemory {
 public:
  explicit CallMemory(int64_t bytes);
  ~CallMemory();
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;
  template <class T = char>
  T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  int64_t bytes_;
  Workspace* of_;  // null: the allocator's
  void* p_;
  bool lent_;
};

}  // namespace phi
