// SPDX-License-Identifier: Apache-2.0
// Hooks on the tensors that nodes keep for backward: something else is kept in their place, and gives them back on use.
#pragma once

#include <functional>
#include <memory>

#include "paddle/eager/autograd/grad_node.h"

namespace egr {

// The name of an op whose gradient, since the last call, read values that were assigned after it ran
// (phi/core/assigned.h); null where there is none.
const char* TakeReassigned();

struct SavedTensorHooks {
  // What is kept in place of a tensor, which comes without its history.
  std::function<std::shared_ptr<void>(const Tensor&)> pack;
  std::function<Tensor(void*)> unpack;
  std::shared_ptr<void> owner;  // what pushed them knows them by
};

// What hooks keep of a tensor; it hangs on a tensor without data, where that has its node.
struct Packed final : phi::RefCounted {
  Packed(const Tensor& t, std::shared_ptr<const SavedTensorHooks> hooks);
  Tensor Unpack(const Tensor& like, const char* op, const char* what) const;

  std::shared_ptr<const SavedTensorHooks> hooks;
  std::shared_ptr<void> held;
  Edge edge;  // where gradients of an input flow to
};

// The pairs in force on this thread, the innermost last.
void PushSavedTensorHooks(SavedTensorHooks hooks);
// False when there is none.
bool PopSavedTensorHooks();
// The innermost pair; null without one.
std::shared_ptr<const SavedTensorHooks> CurrentSavedTensorHooks();

}  // namespace egr
