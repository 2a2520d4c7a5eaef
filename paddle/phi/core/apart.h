// SPDX-License-Identifier: Apache-2.0
// Threads that compute without the host language's lock (host_lock.h), seen by who must not disturb them.
#pragma once

namespace phi {

// Until no other thread computes without the lock. The caller holds the lock, or nobody gets it any more, so none
// begins to. Kernels end; the limit of ten seconds is for what they may wait for.
void AwaitApart();

}  // namespace phi
