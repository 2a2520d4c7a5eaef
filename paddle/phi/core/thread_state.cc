// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/thread_state.h"

namespace phi {

thread_local constinit ThreadState t_state;

const KernelContext& ThreadContext() { return t_state.kernels; }

}  // namespace phi
