// SPDX-License-Identifier: Apache-2.0
// The driver's double for the doubles of libraries above it: the one that is in the process.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "device/fakecuda/cuda_api.h"

template <class F>
F* LoadedDriver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* f = library ? dlsym(library, name) : nullptr;
  if (!f) {
    std::fprintf(stderr, "expected the driver's double in the process, got none with %s\n", name);
    std::abort();
  }
  return reinterpret_cast<F*>(f);
}
#define DRIVER(f) LoadedDriver<decltype(f)>(#f)

// A library's own memory is no concern of a capture.
struct Relaxed {
  int mode = 2;
  Relaxed() { DRIVER(cuThreadExchangeStreamCaptureMode)(&mode); }
  ~Relaxed() { DRIVER(cuThreadExchangeStreamCaptureMode)(&mode); }
  Relaxed(const Relaxed&) = delete;
};
