// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of the CUDA driver's C interface that this library calls. Types, numbers and signatures are
// those of the driver's ABI; nothing of a toolkit is needed to build or to run.
#pragma once

#include <cstddef>

namespace phi::gpu {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

inline constexpr CUresult kCudaSuccess = 0, kCudaOutOfMemory = 2, kCudaNotReady = 600, kCudaForbidden = 900,
                          kCudaCaptureEnded = 901;  // while a stream is captured
struct CUmemLocation {
  int type, id;
};
struct CUmemAllocationProp {
  int type, handle_types;
  CUmemLocation location;
  void* metadata;
  unsigned char flags[8];
};
struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};
using CUmemHandle = unsigned long long;
struct CUipcMemHandle {
  char bytes[64];
};
struct CUipcEventHandle {
  char bytes[64];
};

inline constexpr int kMemPinned = 1, kMemOnDevice = 1, kMemReadWrite = 3, kMemGranularityRecommended = 1;
inline constexpr int kPointerIpcCapable = 10;
inline constexpr unsigned kIpcLazyPeerAccess = 1;
inline constexpr unsigned kStreamNonBlocking = 1, kEventDefault = 0, kMemHostPortable = 1;
inline constexpr unsigned kEventWithoutTime = 2, kEventOfProcesses = 4;
inline constexpr int kJitErrorLogBuffer = 5, kJitErrorLogBufferSizeBytes = 6;

enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kMultiprocessorCount = 16,
  kIntegrated = 18,
  kPciBusId = 33,
  kPciDeviceId = 34,
  kL2CacheSize = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kPciDomainId = 50,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kVirtualMemory = 102,
};

// F(name, symbol, arguments): every function takes these and gives a CUresult.
#define PADDLE_CUDA_DRIVER_FUNCTIONS(F)                                                                              \
  F(Init, cuInit, (unsigned flags))                                                                                  \
  F(DriverGetVersion, cuDriverGetVersion, (int* version))                                                            \
  F(GetErrorName, cuGetErrorName, (CUresult error, const char** name))                                               \
  F(GetErrorString, cuGetErrorString, (CUresult error, const char** text))                                           \
  F(DeviceGetCount, cuDeviceGetCount, (int* count))                                                                  \
  F(DeviceGet, cuDeviceGet, (CUdevice * device, int number))                                                         \
  F(DeviceGetName, cuDeviceGetName, (char* name, int size, CUdevice device))                                         \
  F(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                          \
  F(DeviceGetAttribute, cuDeviceGetAttribute, (int* value, int attribute, CUdevice device))                          \
  F(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                        \
  F(CtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                             \
  F(CtxSynchronize, cuCtxSynchronize, ())                                                                            \
  F(MemAlloc, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                                                  \
  F(MemFree, cuMemFree_v2, (CUdeviceptr address))                                                                    \
  F(MemHostAlloc, cuMemHostAlloc, (void** address, size_t bytes, unsigned flags))                                    \
  F(MemFreeHost, cuMemFreeHost, (void* address))                                                                     \
  F(MemGetInfo, cuMemGetInfo_v2, (size_t * free, size_t * total))                                                    \
  F(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream))        \
  F(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, size_t bytes, CUstream stream))              \
  F(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))        \
  F(MemcpyPeerAsync, cuMemcpyPeerAsync,                                                                              \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream)) \
  F(MemsetD8Async, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))            \
  F(StreamCreate, cuStreamCreate, (CUstream * stream, unsigned flags))                                               \
  F(StreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                                            \
  F(StreamQuery, cuStreamQuery, (CUstream stream))                                                                   \
  F(StreamSynchronize, cuStreamSynchronize, (CUstream stream))                                                       \
  F(StreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                            \
  F(StreamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, int mode))                                        \
  F(ThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (int* mode))                                 \
  F(StreamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                        \
  F(StreamIsCapturing, cuStreamIsCapturing, (CUstream stream, int* status))                                          \
  F(GraphInstantiate, cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))    \
  F(GraphLaunch, cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                                 \
  F(GraphDestroy, cuGraphDestroy, (CUgraph graph))                                                                   \
  F(GraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec))                                                        \
  F(GraphDebugDotPrint, cuGraphDebugDotPrint, (CUgraph graph, const char* path, unsigned flags))                     \
  F(EventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                                   \
  F(EventDestroy, cuEventDestroy_v2, (CUevent event))                                                                \
  F(EventRecord, cuEventRecord, (CUevent event, CUstream stream))                                                    \
  F(EventQuery, cuEventQuery, (CUevent event))                                                                       \
  F(EventSynchronize, cuEventSynchronize, (CUevent event))                                                           \
  F(EventElapsedTime, cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))                         \
  F(ModuleLoadDataEx, cuModuleLoadDataEx,                                                                            \
    (CUmodule * module, const void* image, unsigned count, int* options, void** values))                             \
  F(ModuleUnload, cuModuleUnload, (CUmodule module))                                                                 \
  F(ModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))              \
  F(LaunchKernel, cuLaunchKernel,                                                                                    \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,     \
     unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))

// The same of functions that a driver may lack: null then. A driver is asked for them by their names without a number.
#define PADDLE_CUDA_OPTIONAL_FUNCTIONS(F)                                                                       \
  F(DeviceCanAccessPeer, cuDeviceCanAccessPeer, (int* can, CUdevice device, CUdevice peer))                     \
  F(MemGetAllocationGranularity, cuMemGetAllocationGranularity,                                                 \
    (size_t * bytes, const CUmemAllocationProp* properties, int option))                                        \
  F(MemAddressReserve, cuMemAddressReserve,                                                                     \
    (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wish, unsigned long long flags))        \
  F(MemAddressFree, cuMemAddressFree, (CUdeviceptr address, size_t bytes))                                      \
  F(MemCreate, cuMemCreate,                                                                                     \
    (CUmemHandle * handle, size_t bytes, const CUmemAllocationProp* properties, unsigned long long flags))      \
  F(MemRelease, cuMemRelease, (CUmemHandle handle))                                                             \
  F(MemMap, cuMemMap,                                                                                           \
    (CUdeviceptr address, size_t bytes, size_t offset, CUmemHandle handle, unsigned long long flags))           \
  F(MemSetAccess, cuMemSetAccess, (CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access, size_t n)) \
  F(MemUnmap, cuMemUnmap, (CUdeviceptr address, size_t bytes))                                                  \
  F(PointerGetAttribute, cuPointerGetAttribute, (void* value, int attribute, CUdeviceptr address))              \
  F(MemGetAddressRange, cuMemGetAddressRange, (CUdeviceptr * base, size_t * bytes, CUdeviceptr address))        \
  F(IpcGetMemHandle, cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr address))                         \
  F(IpcOpenMemHandle, cuIpcOpenMemHandle, (CUdeviceptr * address, CUipcMemHandle handle, unsigned flags))       \
  F(IpcCloseMemHandle, cuIpcCloseMemHandle, (CUdeviceptr address))                                              \
  F(IpcGetEventHandle, cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event))                         \
  F(IpcOpenEventHandle, cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle))

}  // namespace phi::gpu
