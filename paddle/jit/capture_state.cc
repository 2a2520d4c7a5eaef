// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/capture_state.h"

namespace paddle::jit {

thread_local constinit CaptureState t_capture;

}  // namespace paddle::jit
