// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/workspace.h"

#include <algorithm>

#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {

Workspace::Workspace(void* data, int64_t bytes)
    : old_(t_state.kernels.workspace), data_(static_cast<char*>(data)), bytes_(bytes) {
  t_state.kernels.workspace = this;
}
Workspace::~Workspace() { t_state.kernels.workspace = old_; }

CallMemory::CallMemory(int64_t bytes) : bytes_(bytes), of_(t_state.kernels.workspace) {
  const int64_t piece = Workspace::Piece(bytes);
  if (of_) {
    of_->taken_ += piece;
    of_->most_ = std::max(of_->most_, of_->taken_);
  }
  lent_ = of_ && of_->taken_ <= of_->bytes_;
  p_ = lent_ ? of_->data_ + of_->taken_ - piece : AllocateCpu(static_cast<size_t>(bytes));
}

CallMemory::~CallMemory() {
  if (of_) of_->taken_ -= Workspace::Piece(bytes_);
  if (!lent_) FreeCpu(p_, static_cast<size_t>(bytes_));
}

}  // namespace phi
