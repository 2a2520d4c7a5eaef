// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of cuBLASLt's C interface that this library calls. Types, numbers and signatures are those
// of the ABI of versions 12 and 13; nothing of a toolkit is needed to build or to run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phi::gpu::lt {

using Handle = struct HandleOf*;
using MatmulDesc = struct MatmulDescOf*;
using MatrixLayout = struct MatrixLayoutOf*;
using Preference = struct PreferenceOf*;
using Stream = void*;  // of the driver

enum Status : int { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7, kNotSupported = 15 };
enum Type : int { kReal32 = 0, kReal64 = 1, kReal16 = 2, kComplex32 = 4, kComplex64 = 5, kRealB16 = 14, kReal8 = 28 };
enum Compute : int { kCompute32 = 68, kCompute64 = 70, kComputeTf32 = 77 };
enum Operation : int { kPlain = 0, kTransposed = 1 };
enum DescAttribute : int {
  kTransA = 3,
  kTransB = 4,
  kEpilogueOf = 7,
  kBiasPointer = 8,
  kAuxPointer = 11,
  kAuxLeading = 12,
  kScaleA = 17,
  kScaleB = 18,
};
enum LayoutAttribute : int { kBatchCount = 5, kBatchOffset = 6 };
enum PreferenceAttribute : int {
  kMaxWorkspace = 1,
  kMinAlignmentA = 5,
  kMinAlignmentB = 6,
  kMinAlignmentC = 7,
  kMinAlignmentD = 8,
};
enum Epilogue : int {
  kNone = 1,
  kRelu = 2,
  kBias = 4,
  kReluBias = 6,
  kGelu = 32,
  kGeluBias = 36,
  kReluAux = 130,
  kReluAuxBias = 134,
  kReluGrad = 136,
  kReluGradBias = 152,
  kGeluAux = 160,
  kGeluAuxBias = 164,
  kSumsA = 256,
  kSumsB = 512,
};

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};

// F(name, symbol, arguments): every function takes these and gives a Status.
#define PADDLE_CUBLASLT_FUNCTIONS(F)                                                                                \
  F(Create, cublasLtCreate, (Handle * handle))                                                                      \
  F(MatmulDescCreate, cublasLtMatmulDescCreate, (MatmulDesc * desc, Compute compute, Type scale))                   \
  F(MatmulDescDestroy, cublasLtMatmulDescDestroy, (MatmulDesc desc))                                                \
  F(MatmulDescSet, cublasLtMatmulDescSetAttribute,                                                                  \
    (MatmulDesc desc, DescAttribute attribute, const void* value, size_t bytes))                                    \
  F(LayoutCreate, cublasLtMatrixLayoutCreate,                                                                       \
    (MatrixLayout * layout, Type type, uint64_t rows, uint64_t columns, int64_t leading))                           \
  F(LayoutDestroy, cublasLtMatrixLayoutDestroy, (MatrixLayout layout))                                              \
  F(LayoutSet, cublasLtMatrixLayoutSetAttribute,                                                                    \
    (MatrixLayout layout, LayoutAttribute attribute, const void* value, size_t bytes))                              \
  F(PreferenceCreate, cublasLtMatmulPreferenceCreate, (Preference * preference))                                    \
  F(PreferenceDestroy, cublasLtMatmulPreferenceDestroy, (Preference preference))                                    \
  F(PreferenceSet, cublasLtMatmulPreferenceSetAttribute,                                                            \
    (Preference preference, PreferenceAttribute attribute, const void* value, size_t bytes))                        \
  F(GetHeuristic, cublasLtMatmulAlgoGetHeuristic,                                                                   \
    (Handle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b, MatrixLayout c, MatrixLayout d,                \
     Preference preference, int most, Heuristic* found, int* count))                                                \
  F(AlgorithmCheck, cublasLtMatmulAlgoCheck,                                                                        \
    (Handle handle, MatmulDesc desc, MatrixLayout a, MatrixLayout b, MatrixLayout c, MatrixLayout d,                \
     const Algorithm* algorithm, Heuristic* found))                                                                 \
  F(Matmul, cublasLtMatmul,                                                                                         \
    (Handle handle, MatmulDesc desc, const void* alpha, const void* a, MatrixLayout a_layout, const void* b,        \
     MatrixLayout b_layout, const void* beta, const void* c, MatrixLayout c_layout, void* d, MatrixLayout d_layout, \
     const Algorithm* algorithm, void* workspace, size_t workspace_bytes, Stream stream))

using GetVersion = size_t (*)();  // cublasLtGetVersion

}  // namespace phi::gpu::lt
