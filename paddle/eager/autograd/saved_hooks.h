// SPDX-License-Identifier: Apache-2.0
// Hooks on the tensors that nodes keep for backward: something else is kept in their place, and gives them back on use.
#pragma once

#include <functional>
#include <memory>

#include "paddle/eager/autograd/grad_node.h"

namespace egr {

struct SavedTensorHooks {
  // What is kept in place of a tensor, which comes without its history.
  std::function<std::shared_ptr<void>(const Tensor&)> pack;
  std::function<Tensor(void*)> unpack;
  std::shared_ptr<void> owner;  // what pushed them knows them by
};

// The pairs in force on this thread, the innermost last.
void PushSavedTensorHooks(SavedTensorHooks hooks);
// False when there is none.
bool PopSavedTensorHooks();
// The innermost pair; null without one.
std::shared_ptr<const SavedTensorHooks> CurrentSavedTensorHooks();

}  // namespace egr
