// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/collective/task.h"

#include <utility>

namespace paddle::distributed {

void Task::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  lock.unlock();
  RaiseError();
}

bool Task::done() const {
  std::lock_guard lock(mutex_);
  return done_;
}

void Task::Finish(std::exception_ptr error) {
  const std::vector<Tensor> let_go = std::move(held);
  std::lock_guard lock(mutex_);
  error_ = std::move(error);
  done_ = true;
  changed_.notify_all();
}

void Task::RaiseError() const {
  if (error_) std::rethrow_exception(error_);
}

}  // namespace paddle::distributed
