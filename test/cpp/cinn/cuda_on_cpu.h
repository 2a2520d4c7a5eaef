// SPDX-License-Identifier: Apache-2.0
// Runs generated CUDA text on the host, for tests: precedes the text in a program for the C++ compiler. The threads of
// a block are fibers in one thread; each goes on to its next barrier or shuffle in turn, so they meet there as a block
// does.
#pragma once

#include <ucontext.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(n)

struct CpuDim {
  unsigned x;
};
static CpuDim threadIdx, blockIdx, blockDim, gridDim;

static ucontext_t block_context;
static std::vector<ucontext_t> fibers;
static std::vector<char> finished;
static char slots[1024][8];
static const std::function<void()>* body;

static void __syncthreads() { swapcontext(&fibers[threadIdx.x], &block_context); }

template <class T>
static T __shfl_down_sync(unsigned, T v, int by) {
  const unsigned me = threadIdx.x;
  std::memcpy(slots[me], &v, sizeof(T));
  __syncthreads();
  if (me % 32 + static_cast<unsigned>(by) < 32) std::memcpy(&v, slots[me + static_cast<unsigned>(by)], sizeof(T));
  __syncthreads();
  return v;
}

static void RunFiber() {
  (*body)();
  finished[threadIdx.x] = 1;
  swapcontext(&fibers[threadIdx.x], &block_context);
}

// `meets`: whether threads of a block wait for each other.
static void Launch(unsigned blocks, unsigned threads, bool meets, const std::function<void()>& kernel) {
  constexpr size_t kStack = 64 << 10;
  static std::vector<char> stacks(1024 * kStack);
  gridDim.x = blocks;
  blockDim.x = threads;
  body = &kernel;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    if (!meets) {
      for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel();
      continue;
    }
    fibers.resize(threads);
    finished.assign(threads, 0);
    for (unsigned t = 0; t < threads; ++t) {
      getcontext(&fibers[t]);
      fibers[t].uc_stack.ss_sp = stacks.data() + t * kStack;
      fibers[t].uc_stack.ss_size = kStack;
      makecontext(&fibers[t], RunFiber, 0);
    }
    for (bool any = true; any;) {
      any = false;
      for (unsigned t = 0; t < threads; ++t) {
        if (finished[t]) continue;
        any = true;
        threadIdx.x = t;
        swapcontext(&block_context, &fibers[t]);
      }
    }
  }
}

static float __int_as_float(int v) {
  float r;
  std::memcpy(&r, &v, sizeof(r));
  return r;
}
static int __float_as_int(float v) {
  int r;
  std::memcpy(&r, &v, sizeof(r));
  return r;
}
static double __longlong_as_double(long long v) {
  double r;
  std::memcpy(&r, &v, sizeof(r));
  return r;
}
static double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }
static float normcdff(float x) { return static_cast<float>(normcdf(x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }
static float rsqrtf(float x) { return static_cast<float>(rsqrt(x)); }
static double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0.0, fabs(x)); }
static double cyl_bessel_i1(double x) { return copysign(std::cyl_bessel_i(1.0, fabs(x)), x); }
static double erfinv(double x) {  // Newton from 0: for arguments of tests, away from -1 and 1
  double y = 0;
  for (int i = 0; i < 60; ++i) y -= (erf(y) - x) * 0.88622692545275801 * exp(y * y);
  return y;
}
static float erfinvf(float x) { return static_cast<float>(erfinv(x)); }
static float cyl_bessel_i0f(float x) { return static_cast<float>(cyl_bessel_i0(x)); }
static float cyl_bessel_i1f(float x) { return static_cast<float>(cyl_bessel_i1(x)); }

namespace cinn {
static float from_float16(unsigned short v) {
  _Float16 h;
  std::memcpy(&h, &v, sizeof(h));
  return static_cast<float>(h);
}
static unsigned short to_float16(float v) {
  const _Float16 h = static_cast<_Float16>(v);
  unsigned short r;
  std::memcpy(&r, &h, sizeof(r));
  return r;
}
}  // namespace cinn
