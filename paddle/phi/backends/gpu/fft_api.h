// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of cuFFT's C interface that this library calls. Types, numbers and signatures are those of
// the ABI of versions 11 and 12; nothing of a toolkit is needed to build or to run.
#pragma once

#include <cstddef>

namespace phi::gpu::fft {

using Handle = int;
using Stream = void*;  // of the driver

enum Status : int { kSuccess = 0 };
enum Kind : int { kR2C = 42, kC2R = 44, kC2C = 41, kD2Z = 106, kZ2D = 108, kZ2Z = 105 };
enum Direction : int { kForward = -1, kInverse = 1 };

// F(name, symbol, arguments): every function takes these and gives a Status.
#define PADDLE_CUFFT_FUNCTIONS(F)                                                                            \
  F(Create, cufftCreate, (Handle * handle))                                                                  \
  F(Destroy, cufftDestroy, (Handle plan))                                                                    \
  F(SetAutoAllocation, cufftSetAutoAllocation, (Handle plan, int yes))                                       \
  F(MakePlanMany, cufftMakePlanMany64,                                                                       \
    (Handle plan, int rank, long long* n, long long* in_extents, long long in_stride, long long in_distance, \
     long long* out_extents, long long out_stride, long long out_distance, Kind kind, long long count,       \
     size_t* workspace))                                                                                     \
  F(SetStream, cufftSetStream, (Handle plan, Stream stream))                                                 \
  F(SetWorkArea, cufftSetWorkArea, (Handle plan, void* area))                                                \
  F(ExecC2C, cufftExecC2C, (Handle plan, void* in, void* out, Direction direction))                          \
  F(ExecR2C, cufftExecR2C, (Handle plan, void* in, void* out))                                               \
  F(ExecC2R, cufftExecC2R, (Handle plan, void* in, void* out))                                               \
  F(ExecZ2Z, cufftExecZ2Z, (Handle plan, void* in, void* out, Direction direction))                          \
  F(ExecD2Z, cufftExecD2Z, (Handle plan, void* in, void* out))                                               \
  F(ExecZ2D, cufftExecZ2D, (Handle plan, void* in, void* out))

}  // namespace phi::gpu::fft
