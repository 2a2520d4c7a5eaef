// SPDX-License-Identifier: Apache-2.0
// The CUDA driver, found and opened when it is first asked for; nothing here runs on import.
#pragma once

#include <string>

#include "paddle/phi/backends/gpu/driver_api.h"

namespace phi::gpu {

struct Driver {
#define PADDLE_CUDA_MEMBER(name, symbol, args) CUresult(*name) args = nullptr;
  PADDLE_CUDA_DRIVER_FUNCTIONS(PADDLE_CUDA_MEMBER)
  PADDLE_CUDA_OPTIONAL_FUNCTIONS(PADDLE_CUDA_MEMBER)
#undef PADDLE_CUDA_MEMBER
  std::string path;  // the file it was opened from
  int version = 0;   // 12040 is 12.4
  int devices = 0;
};

// Null where there is no driver that can be used, or it has no device; NoDriver() says why. It is looked for at
// FLAGS_cuda_driver where that is set, else among the libraries of the process, below CUDA_HOME and CUDA_PATH, and
// where the system's loader looks.
const Driver* FindDriver();
const std::string& NoDriver();

// ResourceExhausted for lack of memory, else PreconditionNotMet: "[gpu:0] cuMemAlloc failed: CUDA_ERROR_..: text".
void CheckDriver(CUresult result, const char* call, int device);
// This thread's calls are no concern of captures of other threads.
void HeedOwnCapturesAlone();
// A capture has begun, in one of the modes of CUDAGraph; errors of calls that it forbids name it.
void CaptureBegins(int mode);

}  // namespace phi::gpu
