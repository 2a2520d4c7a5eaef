// SPDX-License-Identifier: Apache-2.0
#include "paddle/pybind/thread_state.h"

namespace paddle::py {

thread_local constinit ThreadState t_state;

}  // namespace paddle::py
