// SPDX-License-Identifier: Apache-2.0
// Writes that give memory other values without an operation: set_value, copy_, steps of optimizers, statistics. They
// count as versions of the storage, as all writes do; gradients of earlier calls, though, accept them and read the new
// values, where an operation in place is refused.
#pragma once

#include "paddle/phi/core/tensor.h"

namespace phi {

// Counts a write of this kind.
void NoteAssigned(Storage& s);
// How many of the writes of `s` were of this kind.
uint32_t AssignedTo(const Storage& s);
// Whether all writes after version `version` of `s` were.
bool OnlyAssignedSince(const Storage& s, uint32_t version);
// The storage of this id is gone.
void ForgetAssigned(uint64_t id);

}  // namespace phi
