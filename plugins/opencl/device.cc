// SPDX-License-Identifier: Apache-2.0
// OpenCL devices for the framework: memory, copies, queues, events. OpenCL's buffers are handles, so an address is one
// of a reserved range that no host access reaches, and is looked up where it is used.
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "opencl.h"

namespace opencl {
namespace {

struct Buffer {
  cl_mem memory;
  size_t size;
};
std::mutex g_mutex;
std::map<char*, Buffer> g_buffers;  // by the first address

}  // namespace

Device& Of(int id) {
  static std::vector<Device>& devices = *[] {
    auto* all = new std::vector<Device>;
    cl_uint nplatforms = 0;
    if (clGetPlatformIDs(0, nullptr, &nplatforms) != CL_SUCCESS) return all;
    std::vector<cl_platform_id> platforms(nplatforms);
    clGetPlatformIDs(nplatforms, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms) {
      cl_uint ndevices = 0;
      if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &ndevices) != CL_SUCCESS) continue;
      std::vector<cl_device_id> ids(ndevices);
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, ndevices, ids.data(), nullptr);
      for (cl_device_id device : ids) {
        cl_device_fp_config doubles = 0;
        clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(doubles), &doubles, nullptr);
        if (!doubles) continue;  // generated kernels add in double
        Device made{device, nullptr, nullptr};
        made.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
        if (made.context) made.queue = NewQueue(made);
        if (made.queue) all->push_back(made);
      }
    }
    return all;
  }();
  static Device none{};
  return id < 0 || static_cast<size_t>(id) >= devices.size() ? none : devices[static_cast<size_t>(id)];
}

cl_command_queue NewQueue(const Device& d) {
  return clCreateCommandQueue(d.context, d.id, CL_QUEUE_PROFILING_ENABLE, nullptr);
}

cl_command_queue QueueOf(C_Device device, C_Stream stream) {
  return stream ? reinterpret_cast<cl_command_queue>(stream) : Of(device->id).queue;
}

bool Find(const void* address, cl_mem* memory, size_t* offset) {
  *memory = nullptr;
  *offset = 0;
  if (!address) return true;
  char* at = static_cast<char*>(const_cast<void*>(address));
  std::lock_guard<std::mutex> lock(g_mutex);
  auto it = g_buffers.upper_bound(at);
  if (it == g_buffers.begin()) return false;
  --it;
  *memory = it->second.memory;
  *offset = static_cast<size_t>(at - it->first);
  return *offset <= it->second.size;
}

namespace {

C_Status Did(cl_int code) { return code == CL_SUCCESS ? C_SUCCESS : C_FAILED; }

// --- devices and queues
C_Status SetDevice(const C_Device d) { return Of(d->id).queue ? C_SUCCESS : C_FAILED; }
C_Status GetDevice(const C_Device d) { return SetDevice(d); }
C_Status Count(size_t* count) {
  for (*count = 0; Of(static_cast<int>(*count)).queue;) ++*count;
  return C_SUCCESS;
}
C_Status List(size_t* devices) {
  for (size_t k = 0; Of(static_cast<int>(k)).queue; ++k) devices[k] = k;
  return C_SUCCESS;
}
C_Status CreateStream(const C_Device d, C_Stream* stream) {
  *stream = reinterpret_cast<C_Stream>(NewQueue(Of(d->id)));
  return *stream ? C_SUCCESS : C_FAILED;
}
C_Status DestroyStream(const C_Device d, C_Stream stream) { return Did(clReleaseCommandQueue(QueueOf(d, stream))); }
C_Status SynchronizeStream(const C_Device d, C_Stream stream) { return Did(clFinish(QueueOf(d, stream))); }

// --- events: a handle that each recording fills anew
struct Event {
  cl_event at = nullptr;
};
Event* EventOf(C_Event e) { return reinterpret_cast<Event*>(e); }
C_Status CreateEvent(const C_Device, C_Event* e) {
  *e = reinterpret_cast<C_Event>(new Event);
  return C_SUCCESS;
}
C_Status DestroyEvent(const C_Device, C_Event e) {
  if (EventOf(e)->at) clReleaseEvent(EventOf(e)->at);
  delete EventOf(e);
  return C_SUCCESS;
}
C_Status RecordEvent(const C_Device d, C_Stream stream, C_Event e) {
  if (EventOf(e)->at) clReleaseEvent(EventOf(e)->at);
  EventOf(e)->at = nullptr;
  cl_command_queue queue = QueueOf(d, stream);
  const cl_int code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &EventOf(e)->at);
  return code == CL_SUCCESS ? Did(clFlush(queue)) : C_FAILED;
}
C_Status SynchronizeEvent(const C_Device, C_Event e) {
  return EventOf(e)->at ? Did(clWaitForEvents(1, &EventOf(e)->at)) : C_SUCCESS;
}
C_Status QueryEvent(const C_Device, C_Event e) {
  cl_int state = CL_COMPLETE;
  if (EventOf(e)->at) clGetEventInfo(EventOf(e)->at, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, nullptr);
  return state == CL_COMPLETE ? C_SUCCESS : C_FAILED;
}
C_Status StreamWaitEvent(const C_Device d, C_Stream stream, C_Event e) {
  if (!EventOf(e)->at) return C_SUCCESS;
  return Did(clEnqueueBarrierWithWaitList(QueueOf(d, stream), 1, &EventOf(e)->at, nullptr));
}
C_Status Elapsed(const C_Device, C_Event start, C_Event end, float* milliseconds) {
  cl_ulong from = 0, to = 0;
  if (!EventOf(start)->at || !EventOf(end)->at) return C_FAILED;
  const auto end_of = [](cl_event e, cl_ulong* t) {
    return clWaitForEvents(1, &e) == CL_SUCCESS &&
           clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(*t), t, nullptr) == CL_SUCCESS;
  };
  if (!end_of(EventOf(start)->at, &from) || !end_of(EventOf(end)->at, &to)) return C_FAILED;
  *milliseconds = static_cast<float>(static_cast<double>(to) - static_cast<double>(from)) / 1e6f;
  return C_SUCCESS;
}

// --- memory
C_Status Allocate(const C_Device d, void** address, size_t size) {
  cl_int code = CL_SUCCESS;
  cl_mem memory = clCreateBuffer(Of(d->id).context, CL_MEM_READ_WRITE, size, nullptr, &code);
  if (!memory) return C_FAILED;
  void* range = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    clReleaseMemObject(memory);
    return C_FAILED;
  }
  std::lock_guard<std::mutex> lock(g_mutex);
  g_buffers[static_cast<char*>(range)] = {memory, size};
  *address = range;
  return C_SUCCESS;
}
C_Status Deallocate(const C_Device, void* address, size_t) {
  std::lock_guard<std::mutex> lock(g_mutex);
  auto it = g_buffers.find(static_cast<char*>(address));
  if (it == g_buffers.end()) return C_FAILED;
  clReleaseMemObject(it->second.memory);
  munmap(address, it->second.size);
  g_buffers.erase(it);
  return C_SUCCESS;
}
C_Status CopyIn(const C_Device d, C_Stream stream, void* to, const void* from, size_t size) {
  cl_mem memory;
  size_t offset;
  if (!Find(to, &memory, &offset)) return C_FAILED;
  return Did(clEnqueueWriteBuffer(QueueOf(d, stream), memory, CL_FALSE, offset, size, from, 0, nullptr, nullptr));
}
C_Status CopyOut(const C_Device d, C_Stream stream, void* to, const void* from, size_t size) {
  cl_mem memory;
  size_t offset;
  if (!Find(from, &memory, &offset)) return C_FAILED;
  return Did(clEnqueueReadBuffer(QueueOf(d, stream), memory, CL_FALSE, offset, size, to, 0, nullptr, nullptr));
}
C_Status CopyWithin(const C_Device d, C_Stream stream, void* to, const void* from, size_t size) {
  cl_mem source, target;
  size_t at, offset;
  if (!Find(from, &source, &at) || !Find(to, &target, &offset)) return C_FAILED;
  return Did(clEnqueueCopyBuffer(QueueOf(d, stream), source, target, at, offset, size, 0, nullptr, nullptr));
}
C_Status MemoryStats(const C_Device d, size_t* total, size_t* free) {
  cl_ulong size = 0;
  const cl_int code = clGetDeviceInfo(Of(d->id).id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(size), &size, nullptr);
  size_t used = 0;
  std::lock_guard<std::mutex> lock(g_mutex);
  for (const auto& b : g_buffers) used += b.second.size;
  *total = static_cast<size_t>(size);
  *free = *total > used ? *total - used : 0;
  return Did(code);
}

}  // namespace
}  // namespace opencl

void InitPlugin(CustomRuntimeParams* params) {
  PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
  std::strcpy(params->device_type, "opencl");
  std::strcpy(params->sub_device_type, "OpenCL 1.2");
  C_DeviceInterface* f = params->interface;
  f->set_device = opencl::SetDevice;
  f->get_device = opencl::GetDevice;
  f->get_device_count = opencl::Count;
  f->get_device_list = opencl::List;
  f->create_stream = opencl::CreateStream;
  f->destroy_stream = opencl::DestroyStream;
  f->synchronize_stream = opencl::SynchronizeStream;
  f->create_event = opencl::CreateEvent;
  f->destroy_event = opencl::DestroyEvent;
  f->record_event = opencl::RecordEvent;
  f->synchronize_event = opencl::SynchronizeEvent;
  f->query_event = opencl::QueryEvent;
  f->stream_wait_event = opencl::StreamWaitEvent;
  f->device_memory_allocate = opencl::Allocate;
  f->device_memory_deallocate = opencl::Deallocate;
  f->async_memory_copy_h2d = opencl::CopyIn;
  f->async_memory_copy_d2h = opencl::CopyOut;
  f->async_memory_copy_d2d = opencl::CopyWithin;
  f->device_memory_stats = opencl::MemoryStats;
}

void InitPluginExtension(C_DeviceExtension* extension) {
  extension->kernel_text = C_KERNEL_TEXT_OPENCL;
  extension->kernel_compile = opencl::Compile;
  extension->kernel_launch = opencl::Launch;
  extension->event_elapsed_time = opencl::Elapsed;
}
