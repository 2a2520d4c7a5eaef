// SPDX-License-Identifier: Apache-2.0
// Communication under way.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "paddle/phi/core/tensor.h"

namespace paddle::distributed {

class Task {
 public:
  virtual ~Task() = default;

  // Until it has ended, for what the caller does next; raises what it failed of.
  virtual void Wait();
  // Until it has ended, for the host.
  virtual void Synchronize() { Wait(); }
  virtual bool done() const;

  // The memory that it reads and writes lives as long.
  std::vector<Tensor> held;
  // What waiting for it needs.
  std::shared_ptr<void> owner;

  // Ends it, once; `error` null: well. Releases the tensors.
  void Finish(std::exception_ptr error);

 protected:
  void RaiseError() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr error_;
};

}  // namespace paddle::distributed
