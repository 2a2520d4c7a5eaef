// SPDX-License-Identifier: Apache-2.0
// The device interface (device_ext.h) filled with calls of the CUDA driver.
#include "paddle/phi/backends/gpu/device.h"

#include <cstdint>
#include <mutex>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/common/small_vector.h"
#include "paddle/phi/backends/custom/device.h"
#include "paddle/phi/backends/gpu/driver.h"
#include "paddle/phi/backends/gpu/virtual_memory.h"
#include "paddle/phi/core/device.h"

namespace phi::gpu {
namespace {

const Driver& Api() { return *FindDriver(); }
// A call that throws what the driver says.
#define GPU_CALL(id, name, ...) CheckDriver(Api().name(__VA_ARGS__), #name, id)

struct Gpu {
  CUdevice device = 0;
  CUcontext context = nullptr;
};
std::vector<Gpu>& Gpus() {
  static auto* gpus = new std::vector<Gpu>(static_cast<size_t>(DeviceCount()));
  return *gpus;
}
Gpu& Of(C_Device d) { return Gpus()[static_cast<size_t>(d->id)]; }

CUdeviceptr Address(const void* p) { return reinterpret_cast<uintptr_t>(p); }
CUstream Stream(C_Stream s) { return reinterpret_cast<CUstream>(s); }
CUevent Event(C_Event e) { return reinterpret_cast<CUevent>(e); }

C_Status Init(const C_Device d) {
  GPU_CALL(d->id, DeviceGet, &Of(d).device, d->id);
  GPU_CALL(d->id, DevicePrimaryCtxRetain, &Of(d).context, Of(d).device);
  return C_SUCCESS;
}
C_Status SetDevice(const C_Device d) {
  GPU_CALL(d->id, CtxSetCurrent, Of(d).context);
  return C_SUCCESS;
}
C_Status CreateStream(const C_Device d, C_Stream* s) {
  GPU_CALL(d->id, StreamCreate, reinterpret_cast<CUstream*>(s), kStreamNonBlocking);
  return C_SUCCESS;
}
C_Status DestroyStream(const C_Device d, C_Stream s) {
  GPU_CALL(d->id, StreamDestroy, Stream(s));
  return C_SUCCESS;
}
// Whether the work is done, as the status of a query.
C_Status Done(int id, CUresult r, const char* call) {
  if (r == kCudaNotReady) return C_FAILED;
  CheckDriver(r, call, id);
  return C_SUCCESS;
}
C_Status QueryStream(const C_Device d, C_Stream s) { return Done(d->id, Api().StreamQuery(Stream(s)), "StreamQuery"); }
C_Status CreateEvent(const C_Device d, C_Event* e) {
  GPU_CALL(d->id, EventCreate, reinterpret_cast<CUevent*>(e), kEventDefault);
  return C_SUCCESS;
}
C_Status RecordEvent(const C_Device d, C_Stream s, C_Event e) {
  GPU_CALL(d->id, EventRecord, Event(e), Stream(s));
  return C_SUCCESS;
}
C_Status DestroyEvent(const C_Device d, C_Event e) {
  GPU_CALL(d->id, EventDestroy, Event(e));
  return C_SUCCESS;
}
C_Status QueryEvent(const C_Device d, C_Event e) { return Done(d->id, Api().EventQuery(Event(e)), "EventQuery"); }
C_Status SynchronizeDevice(const C_Device d) {
  GPU_CALL(d->id, CtxSynchronize);
  return C_SUCCESS;
}
C_Status SynchronizeStream(const C_Device d, C_Stream s) {
  GPU_CALL(d->id, StreamSynchronize, Stream(s));
  return C_SUCCESS;
}
C_Status SynchronizeEvent(const C_Device d, C_Event e) {
  GPU_CALL(d->id, EventSynchronize, Event(e));
  return C_SUCCESS;
}
C_Status StreamWaitEvent(const C_Device d, C_Stream s, C_Event e) {
  GPU_CALL(d->id, StreamWaitEvent, Stream(s), Event(e), 0);
  return C_SUCCESS;
}
C_Status Elapsed(const C_Device d, C_Event start, C_Event end, float* milliseconds) {
  GPU_CALL(d->id, EventElapsedTime, milliseconds, Event(start), Event(end));
  return C_SUCCESS;
}
C_Status Capability(const C_Device d, size_t* capability) {
  const Properties p = PropertiesOf(d->id);
  *capability = static_cast<size_t>(10 * p.major + p.minor);
  return C_SUCCESS;
}

C_Status Processors(const C_Device d, size_t* n) {
  *n = static_cast<size_t>(PropertiesOf(d->id).multiprocessors);
  return C_SUCCESS;
}
C_Status ThreadsOfProcessor(const C_Device d, size_t* n) {
  *n = static_cast<size_t>(PropertiesOf(d->id).max_threads_per_multiprocessor);
  return C_SUCCESS;
}

C_Status CompileKernel(const C_Device d, const char* text, size_t, const char* name, C_Kernel* kernel, char* log,
                       size_t log_size) {
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void* values[] = {log, reinterpret_cast<void*>(log_size)};
  CUmodule module = nullptr;
  const CUresult r = Api().ModuleLoadDataEx(&module, text, 2, options, values);
  if (r != kCudaSuccess && *log) return C_FAILED;
  CheckDriver(r, "ModuleLoadDataEx", d->id);
  CUfunction function = nullptr;
  GPU_CALL(d->id, ModuleGetFunction, &function, module, name);
  *kernel = reinterpret_cast<C_Kernel>(function);
  return C_SUCCESS;
}
C_Status LaunchKernel(const C_Device d, C_Stream stream, C_Kernel kernel, size_t blocks, size_t threads,
                      void* const* addresses, size_t naddresses, const int64_t* numbers, size_t nnumbers) {
  common::SmallVector<void*, 128> parameters;
  for (size_t k = 0; k < naddresses; ++k) parameters.push_back(const_cast<void**>(addresses + k));
  for (size_t k = 0; k < nnumbers; ++k) parameters.push_back(const_cast<int64_t*>(numbers + k));
  GPU_CALL(d->id, LaunchKernel, reinterpret_cast<CUfunction>(kernel), static_cast<unsigned>(blocks), 1, 1,
           static_cast<unsigned>(threads), 1, 1, 0, Stream(stream), parameters.data(), nullptr);
  return C_SUCCESS;
}

C_Status Allocate(const C_Device d, void** p, size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult r = Api().MemAlloc(&address, bytes);
  if (r == kCudaOutOfMemory) return C_FAILED;
  CheckDriver(r, "MemAlloc", d->id);
  *p = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  return C_SUCCESS;
}
C_Status Deallocate(const C_Device d, void* p, size_t) {
  GPU_CALL(d->id, MemFree, Address(p));
  return C_SUCCESS;
}
C_Status AllocateHost(const C_Device d, void** p, size_t bytes) {
  const CUresult r = Api().MemHostAlloc(p, bytes, kMemHostPortable);
  if (r == kCudaOutOfMemory) return C_FAILED;
  CheckDriver(r, "MemHostAlloc", d->id);
  return C_SUCCESS;
}
C_Status DeallocateHost(const C_Device d, void* p, size_t) {
  GPU_CALL(d->id, MemFreeHost, p);
  return C_SUCCESS;
}
C_Status CopyIn(const C_Device d, C_Stream s, void* to, const void* from, size_t bytes) {
  GPU_CALL(d->id, MemcpyHtoDAsync, Address(to), from, bytes, Stream(s));
  return C_SUCCESS;
}
C_Status CopyOut(const C_Device d, C_Stream s, void* to, const void* from, size_t bytes) {
  GPU_CALL(d->id, MemcpyDtoHAsync, to, Address(from), bytes, Stream(s));
  return C_SUCCESS;
}
C_Status CopyWithin(const C_Device d, C_Stream s, void* to, const void* from, size_t bytes) {
  GPU_CALL(d->id, MemcpyDtoDAsync, Address(to), Address(from), bytes, Stream(s));
  return C_SUCCESS;
}
C_Status CopyPeer(const C_Device to_device, const C_Device from_device, void* to, const void* from, size_t bytes) {
  GPU_CALL(to_device->id, MemcpyPeerAsync, Address(to), Of(to_device).context, Address(from), Of(from_device).context,
           bytes, nullptr);
  return SynchronizeStream(to_device, nullptr);
}
CUgraph Graph(C_CudaGraph g) { return reinterpret_cast<CUgraph>(g); }
CUgraphExec Exec(C_GraphExec g) { return reinterpret_cast<CUgraphExec>(g); }
// Graphs are functions without a device: what goes wrong with one is told of the first.
C_Status BeginCapture(const C_Device d, C_Stream s, C_StreamCaptureMode mode) {
  GPU_CALL(d->id, StreamBeginCapture, Stream(s), static_cast<int>(mode));
  CaptureBegins(mode);
  return C_SUCCESS;
}
C_Status EndCapture(const C_Device d, C_Stream s, C_CudaGraph* graph) {
  GPU_CALL(d->id, StreamEndCapture, Stream(s), reinterpret_cast<CUgraph*>(graph));
  return C_SUCCESS;
}
C_Status ExchangeCaptureMode(C_StreamCaptureMode* mode) {
  int now = *mode;
  GPU_CALL(0, ThreadExchangeStreamCaptureMode, &now);
  *mode = static_cast<C_StreamCaptureMode>(now);
  return C_SUCCESS;
}
C_Status CaptureInfo(const C_Device d, C_Stream s, C_StreamCaptureStatus* status, unsigned long long* id) {
  int now = 0;
  GPU_CALL(d->id, StreamIsCapturing, Stream(s), &now);
  *status = static_cast<C_StreamCaptureStatus>(now);
  if (id) *id = 0;
  return C_SUCCESS;
}
C_Status InstantiateGraph(C_GraphExec* exec, C_CudaGraph graph, void**, char*, size_t) {
  GPU_CALL(0, GraphInstantiate, reinterpret_cast<CUgraphExec*>(exec), Graph(graph), 0);
  return C_SUCCESS;
}
C_Status LaunchGraph(const C_Device d, C_GraphExec exec, C_Stream s) {
  GPU_CALL(d->id, GraphLaunch, Exec(exec), Stream(s));
  return C_SUCCESS;
}
C_Status DestroyGraph(C_CudaGraph graph) {
  GPU_CALL(0, GraphDestroy, Graph(graph));
  return C_SUCCESS;
}
C_Status DestroyExec(C_GraphExec exec) {
  GPU_CALL(0, GraphExecDestroy, Exec(exec));
  return C_SUCCESS;
}
C_Status PrintGraph(C_CudaGraph graph, const char* path, unsigned flags) {
  GPU_CALL(0, GraphDebugDotPrint, Graph(graph), path, flags);
  return C_SUCCESS;
}
C_Status MemoryStatsOf(const C_Device d, size_t* total, size_t* free) {
  GPU_CALL(d->id, MemGetInfo, free, total);
  return C_SUCCESS;
}

void Register() {
  DeviceType type;
  type.name = "gpu";
  type.first = Place{AllocationType::GPU, 0, 0};
  type.lazy = true;
  type.growing = MakeVirtualMemory;
  type.extension = {sizeof(C_DeviceExtension), C_KERNEL_TEXT_PTX, CompileKernel, LaunchKernel, Elapsed};
  for (int k = 0; k < DeviceCount(); ++k) type.ids.push_back(k);
  type.functions = std::make_unique<C_DeviceInterface>();
  C_DeviceInterface& f = *type.functions;
  f.size = sizeof(C_DeviceInterface);
  f.init_device = Init;
  f.set_device = SetDevice;
  f.create_stream = CreateStream;
  f.destroy_stream = DestroyStream;
  f.query_stream = QueryStream;
  f.create_event = CreateEvent;
  f.record_event = RecordEvent;
  f.destroy_event = DestroyEvent;
  f.query_event = QueryEvent;
  f.synchronize_device = SynchronizeDevice;
  f.synchronize_stream = SynchronizeStream;
  f.synchronize_event = SynchronizeEvent;
  f.stream_wait_event = StreamWaitEvent;
  f.device_memory_allocate = Allocate;
  f.device_memory_deallocate = Deallocate;
  f.host_memory_allocate = AllocateHost;
  f.host_memory_deallocate = DeallocateHost;
  f.cuda_stream_begin_capture = BeginCapture;
  f.cuda_stream_end_capture = EndCapture;
  f.cuda_stream_get_capture_info = CaptureInfo;
  f.cuda_thread_exchange_stream_capture_mode = ExchangeCaptureMode;
  f.cuda_graph_instantiate = InstantiateGraph;
  f.cuda_graph_launch = LaunchGraph;
  f.cuda_graph_destroy = DestroyGraph;
  f.cuda_graph_exec_destroy = DestroyExec;
  f.cuda_graph_debug_dot_print = PrintGraph;
  f.async_memory_copy_h2d = CopyIn;
  f.async_memory_copy_d2h = CopyOut;
  f.async_memory_copy_d2d = CopyWithin;
  f.memory_copy_p2p = CopyPeer;
  f.device_memory_stats = MemoryStatsOf;
  f.get_compute_capability = Capability;
  f.get_multi_process = Processors;
  f.get_max_threads_per_mp = ThreadsOfProcessor;
  RegisterDeviceType(std::move(type));
}

}  // namespace

int DeviceCount() {
  const Driver* driver = FindDriver();
  return driver ? std::min(driver->devices, INT8_MAX + 1) : 0;
}

Place PlaceOf(int number, const char* op, const std::string& given) {
  PD_CHECK(FindDriver(), InvalidArgument, "[", op, "] expected a GPU and its driver for ", given,
           ", got none (paddle.set_device('cpu') runs the program on the CPU): ", NoDriver());
  PD_CHECK(number >= 0 && number < DeviceCount(), InvalidArgument, "[", op, "] expected a GPU below ", DeviceCount(),
           ", got ", given);
  static std::once_flag once;
  std::call_once(once, Register);
  return Place{AllocationType::GPU, static_cast<int8_t>(number), 0};
}

Properties PropertiesOf(int number) {
  CUdevice d = 0;
  GPU_CALL(number, DeviceGet, &d, number);
  auto attribute = [&](int which) {
    int value = 0;
    GPU_CALL(number, DeviceGetAttribute, &value, which, d);
    return value;
  };
  Properties p;
  char name[256] = {};
  GPU_CALL(number, DeviceGetName, name, sizeof(name) - 1, d);
  p.name = name;
  GPU_CALL(number, DeviceTotalMem, &p.total_memory, d);
  p.major = attribute(kComputeCapabilityMajor);
  p.minor = attribute(kComputeCapabilityMinor);
  p.multiprocessors = attribute(kMultiprocessorCount);
  p.integrated = attribute(kIntegrated) != 0;
  p.l2_cache = static_cast<size_t>(attribute(kL2CacheSize));
  p.max_threads_per_block = attribute(kMaxThreadsPerBlock);
  p.max_threads_per_multiprocessor = attribute(kMaxThreadsPerMultiprocessor);
  p.warp_size = attribute(kWarpSize);
  p.pci_domain = attribute(kPciDomainId);
  p.pci_bus = attribute(kPciBusId);
  p.pci_device = attribute(kPciDeviceId);
  return p;
}

#undef GPU_CALL

}  // namespace phi::gpu
