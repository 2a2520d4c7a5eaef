// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of NCCL's C interface that this library calls, and the library, found at run time. Types,
// numbers and signatures are those of the ABI of version 2; nothing of NCCL is needed to build or to run.
#pragma once

#include <cstddef>
#include <string>

namespace paddle::distributed::nccl {

using Comm = struct ncclComm*;
using Stream = void*;  // of the driver
struct UniqueId {
  char internal[128];
};

enum Result : int { kSuccess = 0, kUnhandledCudaError = 1, kInvalidArgument = 4, kInvalidUsage = 5, kInProgress = 7 };
enum RedOp : int { kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4 };
enum DataType : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
};

// F(name, symbol, arguments): every function takes these and gives a Result.
#define PADDLE_NCCL_FUNCTIONS(F)                                                                                  \
  F(GetVersion, ncclGetVersion, (int* version))                                                                   \
  F(GetUniqueId, ncclGetUniqueId, (UniqueId * id))                                                                \
  F(CommInitRank, ncclCommInitRank, (Comm * comm, int ranks, UniqueId id, int rank))                              \
  F(CommDestroy, ncclCommDestroy, (Comm comm))                                                                    \
  F(CommAbort, ncclCommAbort, (Comm comm))                                                                        \
  F(CommGetAsyncError, ncclCommGetAsyncError, (Comm comm, Result * error))                                        \
  F(AllReduce, ncclAllReduce,                                                                                     \
    (const void* send, void* receive, size_t count, DataType type, RedOp op, Comm comm, Stream stream))           \
  F(Reduce, ncclReduce,                                                                                           \
    (const void* send, void* receive, size_t count, DataType type, RedOp op, int root, Comm comm, Stream stream)) \
  F(Broadcast, ncclBroadcast,                                                                                     \
    (const void* send, void* receive, size_t count, DataType type, int root, Comm comm, Stream stream))           \
  F(AllGather, ncclAllGather,                                                                                     \
    (const void* send, void* receive, size_t count, DataType type, Comm comm, Stream stream))                     \
  F(ReduceScatter, ncclReduceScatter,                                                                             \
    (const void* send, void* receive, size_t count, DataType type, RedOp op, Comm comm, Stream stream))           \
  F(Send, ncclSend, (const void* send, size_t count, DataType type, int peer, Comm comm, Stream stream))          \
  F(Receive, ncclRecv, (void* receive, size_t count, DataType type, int peer, Comm comm, Stream stream))          \
  F(GroupStart, ncclGroupStart, ())                                                                               \
  F(GroupEnd, ncclGroupEnd, ())

struct Api {
#define PADDLE_NCCL_MEMBER(name, symbol, args) Result(*name) args = nullptr;
  PADDLE_NCCL_FUNCTIONS(PADDLE_NCCL_MEMBER)
#undef PADDLE_NCCL_MEMBER
  const char* (*GetErrorString)(Result) = nullptr;
  std::string path;  // the file it was opened from
  int version = 0;   // 22809 is 2.28.9
};

// Null where there is no NCCL of 2.12 or newer (FLAGS_nccl_dir names a folder to look in); WhyNot() says why.
const Api* Find();
const std::string& WhyNot();

}  // namespace paddle::distributed::nccl
