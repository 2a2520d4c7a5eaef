// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver's interface that the double has, declared anew.
#pragma once

#include <cstddef>
#include <cstdint>

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_UNKNOWN = 999,
};

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUhostFn = void (*)(void*);

struct CUmemLocation {
  int type, id;  // 1: a device
};
struct CUmemAllocationProp {
  int type, handle_types;  // 1: pinned
  CUmemLocation location;
  void* win32;
  unsigned char flags[8];
};
struct CUipcMemHandle {
  char bytes[64];
};
struct CUipcEventHandle {
  char bytes[64];
};
struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;  // 3: read and write
};

// What kernels did since the counters were last set to zero.
struct FakeCudaCounters {
  uint64_t launches, blocks, lanes;  // lanes: instructions, one a lane
  uint64_t moves, integer, floating, special, divisions, conversions, comparisons;
  uint64_t loads, stores, atomics, branches, barriers_and_fences, warp, tensor;
  uint64_t requests, sectors, bytes_read, bytes_written, vector_requests;  // of global memory; sectors of 32 bytes
  uint64_t shared_requests, bank_conflicts, barriers;                      // barriers: released
};

extern "C" {
#define FAKECUDA_API __attribute__((visibility("default")))
FAKECUDA_API CUresult cuInit(unsigned flags);
FAKECUDA_API CUresult cuDriverGetVersion(int* version);
FAKECUDA_API CUresult cuGetErrorName(CUresult error, const char** text);
FAKECUDA_API CUresult cuGetErrorString(CUresult error, const char** text);
FAKECUDA_API CUresult cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags, int* status);
FAKECUDA_API CUresult cuDeviceGet(CUdevice* device, int ordinal);
FAKECUDA_API CUresult cuDeviceGetCount(int* count);
FAKECUDA_API CUresult cuDeviceGetName(char* name, int length, CUdevice device);
FAKECUDA_API CUresult cuDeviceGetUuid_v2(void* uuid, CUdevice device);
FAKECUDA_API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device);
FAKECUDA_API CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device);
FAKECUDA_API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer);
FAKECUDA_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
FAKECUDA_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
FAKECUDA_API CUresult cuCtxSetCurrent(CUcontext context);
FAKECUDA_API CUresult cuCtxGetCurrent(CUcontext* context);
FAKECUDA_API CUresult cuCtxGetDevice(CUdevice* device);
FAKECUDA_API CUresult cuCtxSynchronize();
FAKECUDA_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);

FAKECUDA_API CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes);
FAKECUDA_API CUresult cuMemFree_v2(CUdeviceptr pointer);
FAKECUDA_API CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream);
FAKECUDA_API CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
FAKECUDA_API CUresult cuMemGetInfo_v2(size_t* free, size_t* total);
FAKECUDA_API CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags);
FAKECUDA_API CUresult cuMemFreeHost(void* pointer);
FAKECUDA_API CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags);
FAKECUDA_API CUresult cuMemHostUnregister(void* pointer);
FAKECUDA_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pointer, void* host, unsigned flags);
FAKECUDA_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes);
FAKECUDA_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes);
FAKECUDA_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
FAKECUDA_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream);
FAKECUDA_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream);
FAKECUDA_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
FAKECUDA_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                        size_t bytes, CUstream stream);
FAKECUDA_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n);
FAKECUDA_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream);
FAKECUDA_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream);
FAKECUDA_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream);
FAKECUDA_API CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr pointer);

FAKECUDA_API CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop, int option);
FAKECUDA_API CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t size, size_t align, CUdeviceptr wish,
                                          unsigned long long flags);
FAKECUDA_API CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size);
FAKECUDA_API CUresult cuMemCreate(unsigned long long* handle, size_t size, const CUmemAllocationProp* prop,
                                  unsigned long long flags);
FAKECUDA_API CUresult cuMemRelease(unsigned long long handle);
FAKECUDA_API CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, unsigned long long handle,
                               unsigned long long flags);
FAKECUDA_API CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc* access, size_t n);
FAKECUDA_API CUresult cuMemUnmap(CUdeviceptr pointer, size_t size);

FAKECUDA_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr pointer);
FAKECUDA_API CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer);
FAKECUDA_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags);
FAKECUDA_API CUresult cuIpcCloseMemHandle(CUdeviceptr pointer);
FAKECUDA_API CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event);
FAKECUDA_API CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle);

FAKECUDA_API CUresult cuModuleLoadData(CUmodule* module, const void* image);
FAKECUDA_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned n, int* options, void** values);
FAKECUDA_API CUresult cuModuleUnload(CUmodule module);
FAKECUDA_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
FAKECUDA_API CUresult cuModuleGetGlobal_v2(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name);
FAKECUDA_API CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function);
FAKECUDA_API CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
FAKECUDA_API CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                     unsigned by, unsigned bz, unsigned shared, CUstream stream, void** params,
                                     void** extra);
FAKECUDA_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                                unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                                void** params);
FAKECUDA_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data);
// For doubles of libraries: the stream goes no further before ready(data); it goes on by an operation.
FAKECUDA_API CUresult fakecudaHold(CUstream stream, bool (*ready)(void* data), void* data);
FAKECUDA_API CUresult fakecudaAdvance(CUstream stream);
FAKECUDA_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                                  size_t shared);

FAKECUDA_API CUresult cuStreamCreate(CUstream* stream, unsigned flags);
FAKECUDA_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority);
FAKECUDA_API CUresult cuStreamDestroy_v2(CUstream stream);
FAKECUDA_API CUresult cuStreamQuery(CUstream stream);
FAKECUDA_API CUresult cuStreamSynchronize(CUstream stream);
FAKECUDA_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
FAKECUDA_API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode);
FAKECUDA_API CUresult cuThreadExchangeStreamCaptureMode(int* mode);
FAKECUDA_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph);
FAKECUDA_API CUresult cuStreamIsCapturing(CUstream stream, int* status);
FAKECUDA_API CUresult cuEventCreate(CUevent* event, unsigned flags);
FAKECUDA_API CUresult cuEventDestroy_v2(CUevent event);
FAKECUDA_API CUresult cuEventRecord(CUevent event, CUstream stream);
FAKECUDA_API CUresult cuEventQuery(CUevent event);
FAKECUDA_API CUresult cuEventSynchronize(CUevent event);
FAKECUDA_API CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
FAKECUDA_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags);
FAKECUDA_API CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
FAKECUDA_API CUresult cuGraphDestroy(CUgraph graph);
FAKECUDA_API CUresult cuGraphExecDestroy(CUgraphExec exec);
FAKECUDA_API CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags);
FAKECUDA_API CUresult cuGraphGetNodes(CUgraph graph, void** nodes, size_t* n);

FAKECUDA_API void fakecuda_counters(FakeCudaCounters* counters);
FAKECUDA_API void fakecuda_reset_counters();
// The first find since the last call, or an empty text; the devices are as new after it, but for their memory.
FAKECUDA_API const char* fakecuda_take_find();
// A variable of the environment, read again: "FAKECUDA_ORDER" and the like.
FAKECUDA_API void fakecuda_configure(const char* name, const char* value);
}
