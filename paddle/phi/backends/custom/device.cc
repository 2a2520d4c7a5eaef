// SPDX-License-Identifier: Apache-2.0
// Devices at run time: the caching allocator over a device's functions, its copies, streams and events. Optional
// functions that are unset have working defaults; a device without any way to copy says so.
#include "paddle/phi/backends/custom/device.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "paddle/common/logging.h"
#include "paddle/phi/core/device.h"

namespace phi {
namespace {

struct Block {
  void* ptr;
  size_t bytes;
  Place place;
  C_Stream stream;
};

struct Device {
  std::string name;
  C_DeviceInterface* f = nullptr;
  C_DeviceExtension extension{};
  C_Device_st id{};
  std::once_flag started;
  C_Stream stream = nullptr;  // the current one
  std::mutex mutex;           // guards what follows
  std::map<std::pair<C_Stream, size_t>, std::vector<Block*>> free;
  MemoryStats stats;
};

std::mutex g_types_mutex;
// By kind, type index and device number; never freed, so that tensors that die at exit find their device.
using DeviceKey = std::tuple<AllocationType, int16_t, int>;
std::map<DeviceKey, Device*>& Devices() {
  static auto* d = new std::map<DeviceKey, Device*>;
  return *d;
}

void Check(const Device& d, C_Status status, const char* what) {
  PD_CHECK(status == C_SUCCESS || status == C_WARNING, PreconditionNotMet, "[", d.name, "] the device's ", what,
           " failed with status ", static_cast<int>(status));
}
// Calls a function of the device with it made current.
#define DEVICE_CALL(d, fn, ...)                         \
  do {                                                  \
    Check(d, (d).f->set_device(&(d).id), "set_device"); \
    Check(d, (d).f->fn(&(d).id, ##__VA_ARGS__), #fn);   \
  } while (0)

void Start(Device& d) {
  std::call_once(d.started, [&] {
    if (d.f->init_device) Check(d, d.f->init_device(&d.id), "init_device");
    if (d.f->create_stream) DEVICE_CALL(d, create_stream, &d.stream);
  });
}

Device& Of(Place place) {
  Device* d = nullptr;
  {
    std::lock_guard<std::mutex> lock(g_types_mutex);
    auto it = Devices().find({place.type, place.custom, place.device_id});
    PD_CHECK(it != Devices().end(), InvalidArgument, "expected a device that is loaded, got ", PlaceText(place));
    d = it->second;
  }
  Start(*d);
  return *d;
}

size_t BlockSize(size_t bytes) {
  size_t unit = bytes <= (1 << 20) ? 512 : (1 << 20);
  return std::max<size_t>(unit, (bytes + unit - 1) / unit * unit);
}

void DropFreeBlocks(Device& d) {
  for (auto& [key, blocks] : d.free)
    for (Block* b : blocks) {
      d.f->set_device(&d.id);
      d.f->device_memory_deallocate(&d.id, b->ptr, b->bytes);
      d.stats.reserved -= static_cast<int64_t>(b->bytes);
      delete b;
    }
  d.free.clear();
}

Block* TakeBlock(Device& d, size_t bytes, Place place) {
  size_t size = BlockSize(bytes);
  std::lock_guard<std::mutex> lock(d.mutex);
  Block* b = nullptr;
  if (auto it = d.free.find({d.stream, size}); it != d.free.end() && !it->second.empty()) {
    b = it->second.back();
    it->second.pop_back();
  } else {
    void* p = nullptr;
    Check(d, d.f->set_device(&d.id), "set_device");
    auto ask = [&] { return d.f->device_memory_allocate(&d.id, &p, size) == C_SUCCESS && p; };
    if (!ask()) {
      DropFreeBlocks(d);
      PD_CHECK(ask(), ResourceExhausted, "out of memory: expected to allocate ", bytes, " bytes on ", PlaceText(place),
               ", ", d.stats.allocated, " bytes are in use");
    }
    b = new Block{p, size, place, d.stream};
    PD_VLOG(4) << d.name << ": " << size << " bytes from the device";
    d.stats.reserved += static_cast<int64_t>(size);
    d.stats.reserved_max = std::max(d.stats.reserved_max, d.stats.reserved);
  }
  d.stats.allocated += static_cast<int64_t>(size);
  d.stats.allocated_max = std::max(d.stats.allocated_max, d.stats.allocated);
  return b;
}

void GiveBlock(void* owner) {
  auto* b = static_cast<Block*>(owner);
  Device& d = Of(b->place);
  std::lock_guard<std::mutex> lock(d.mutex);
  d.stats.allocated -= static_cast<int64_t>(b->bytes);
  d.free[{b->stream, b->bytes}].push_back(b);
}

void WaitFor(Device& d, C_Stream stream) {
  if (d.f->synchronize_stream && stream) {
    DEVICE_CALL(d, synchronize_stream, stream);
  } else if (d.f->synchronize_device) {
    DEVICE_CALL(d, synchronize_device);
  }
}

[[noreturn]] void NoCopy(const Device& d, const char* kind) {
  PD_THROW(Unimplemented, "[", d.name, "] expected the device to set memory_copy_", kind, " or async_memory_copy_",
           kind, ", got neither");
}

}  // namespace

void RegisterDeviceType(DeviceType type) {
  C_DeviceInterface* f = type.functions.release();
  for (int id : type.ids) {
    auto* d = new Device;
    d->name = type.name + ":" + std::to_string(id);
    d->f = f;
    d->extension = type.extension;
    d->id.id = id;
    if (!type.lazy) Start(*d);
    std::lock_guard<std::mutex> lock(g_types_mutex);
    Devices()[{type.first.type, type.first.custom, id}] = d;
  }
  g_has_external_kernels.State();
}

Ref<Storage> AllocateOnDevice(size_t bytes, Place place) {
  Block* b = TakeBlock(Of(place), bytes, place);
  return Storage::Wrap(b->ptr, bytes, place, b, GiveBlock);
}

void CopyBytes(void* dst, Place to, const void* src, Place from, size_t bytes) {
  if (bytes == 0) return;
  if (to.is_cpu() && from.is_cpu()) {
    std::memcpy(dst, src, bytes);
  } else if (to == from) {
    Device& d = Of(to);
    if (d.stream && d.f->async_memory_copy_d2d) {
      DEVICE_CALL(d, async_memory_copy_d2d, d.stream, dst, src, bytes);
    } else if (d.f->memory_copy_d2d) {
      WaitFor(d, d.stream);
      DEVICE_CALL(d, memory_copy_d2d, dst, src, bytes);
    } else {
      std::vector<char> host(bytes);
      CopyBytes(host.data(), Place{}, src, from, bytes);
      CopyBytes(dst, to, host.data(), Place{}, bytes);
    }
  } else if (from.is_cpu()) {
    Device& d = Of(to);
    if (d.stream && d.f->async_memory_copy_h2d) {
      DEVICE_CALL(d, async_memory_copy_h2d, d.stream, dst, src, bytes);
      WaitFor(d, d.stream);
    } else if (d.f->memory_copy_h2d) {
      WaitFor(d, d.stream);
      DEVICE_CALL(d, memory_copy_h2d, dst, src, bytes);
    } else {
      NoCopy(d, "h2d");
    }
  } else if (to.is_cpu()) {
    Device& d = Of(from);
    if (d.stream && d.f->async_memory_copy_d2h) {
      DEVICE_CALL(d, async_memory_copy_d2h, d.stream, dst, src, bytes);
      WaitFor(d, d.stream);
    } else if (d.f->memory_copy_d2h) {
      WaitFor(d, d.stream);
      DEVICE_CALL(d, memory_copy_d2h, dst, src, bytes);
    } else {
      NoCopy(d, "d2h");
    }
  } else {
    Device &d = Of(to), &s = Of(from);
    if (d.f == s.f && d.f->memory_copy_p2p) {
      WaitFor(s, s.stream);
      WaitFor(d, d.stream);
      Check(d, d.f->set_device(&d.id), "set_device");
      Check(d, d.f->memory_copy_p2p(&d.id, &s.id, dst, src, bytes), "memory_copy_p2p");
    } else {
      std::vector<char> host(bytes);
      CopyBytes(host.data(), Place{}, src, from, bytes);
      CopyBytes(dst, to, host.data(), Place{}, bytes);
    }
  }
}

void SynchronizeDevice(Place place) {
  if (place.is_cpu()) return;
  Device& d = Of(place);
  if (d.f->synchronize_device) {
    DEVICE_CALL(d, synchronize_device);
  } else {
    WaitFor(d, d.stream);
  }
}

MemoryStats DeviceMemoryStats(Place place) {
  if (place.is_cpu()) return CpuMemoryStats();
  Device& d = Of(place);
  std::lock_guard<std::mutex> lock(d.mutex);
  return d.stats;
}
void ResetDeviceMemoryPeaks(Place place) {
  if (place.is_cpu()) return ResetCpuMemoryPeaks();
  Device& d = Of(place);
  std::lock_guard<std::mutex> lock(d.mutex);
  d.stats.allocated_max = d.stats.allocated;
  d.stats.reserved_max = d.stats.reserved;
}
void ReleaseDeviceCaches() {
  std::vector<Device*> all;
  {
    std::lock_guard<std::mutex> lock(g_types_mutex);
    for (auto& [key, d] : Devices()) all.push_back(d);
  }
  for (Device* d : all) {
    if (!d->stream && d->free.empty()) continue;  // never used
    WaitFor(*d, d->stream);
    std::lock_guard<std::mutex> lock(d->mutex);
    DropFreeBlocks(*d);
  }
}
bool DeviceMemoryInfo(Place place, size_t* total, size_t* free) {
  Device& d = Of(place);
  if (!d.f->device_memory_stats) return false;
  DEVICE_CALL(d, device_memory_stats, total, free);
  return true;
}

void* CurrentStream(Place place) { return place.is_cpu() ? nullptr : Of(place).stream; }
void SetCurrentStream(Place place, void* stream) {
  if (!place.is_cpu()) Of(place).stream = static_cast<C_Stream>(stream);
}
void* CreateStream(Place place) {
  Device& d = Of(place);
  C_Stream s = nullptr;
  if (d.f->create_stream) DEVICE_CALL(d, create_stream, &s);
  return s;
}
void DestroyStream(Place place, void* stream) {
  Device& d = Of(place);
  if (stream && d.f->destroy_stream) DEVICE_CALL(d, destroy_stream, static_cast<C_Stream>(stream));
}
bool QueryStream(Place place, void* stream) {
  Device& d = Of(place);
  if (d.f->query_stream) return d.f->query_stream(&d.id, static_cast<C_Stream>(stream)) == C_SUCCESS;
  WaitFor(d, static_cast<C_Stream>(stream));
  return true;
}
void SynchronizeStream(Place place, void* stream) {
  Device& d = Of(place);
  WaitFor(d, static_cast<C_Stream>(stream));
}
void* CreateEvent(Place place) {
  Device& d = Of(place);
  C_Event e = nullptr;
  DEVICE_CALL(d, create_event, &e);
  return e;
}
void DestroyEvent(Place place, void* event) {
  Device& d = Of(place);
  DEVICE_CALL(d, destroy_event, static_cast<C_Event>(event));
}
void RecordEvent(Place place, void* event, void* stream) {
  Device& d = Of(place);
  DEVICE_CALL(d, record_event, static_cast<C_Stream>(stream), static_cast<C_Event>(event));
}
bool QueryEvent(Place place, void* event) {
  Device& d = Of(place);
  if (d.f->query_event) return d.f->query_event(&d.id, static_cast<C_Event>(event)) == C_SUCCESS;
  DEVICE_CALL(d, synchronize_event, static_cast<C_Event>(event));
  return true;
}
void SynchronizeEvent(Place place, void* event) {
  Device& d = Of(place);
  DEVICE_CALL(d, synchronize_event, static_cast<C_Event>(event));
}
float ElapsedTime(Place place, void* start, void* end) {
  Device& d = Of(place);
  PD_CHECK(d.extension.event_elapsed_time, Unimplemented,
           "[Event.elapsed_time] expected events of a device with a clock, got one of ", d.name,
           ", which has no event_elapsed_time");
  Check(d, d.f->set_device(&d.id), "set_device");
  float milliseconds = 0;
  Check(d, d.extension.event_elapsed_time(&d.id, static_cast<C_Event>(start), static_cast<C_Event>(end), &milliseconds),
        "event_elapsed_time");
  return milliseconds;
}
void StreamWaitEvent(Place place, void* stream, void* event) {
  Device& d = Of(place);
  if (d.f->stream_wait_event) {
    DEVICE_CALL(d, stream_wait_event, static_cast<C_Stream>(stream), static_cast<C_Event>(event));
  } else {
    DEVICE_CALL(d, synchronize_event, static_cast<C_Event>(event));
  }
}

KernelText KernelTextOf(Place place) {
  if (place.is_cpu()) return KernelText::kNone;
  const C_DeviceExtension& e = Of(place).extension;
  return e.kernel_compile && e.kernel_launch ? static_cast<KernelText>(e.kernel_text) : KernelText::kNone;
}
int CapabilityOf(Place place) {
  Device& d = Of(place);
  size_t capability = 0;
  if (d.f->get_compute_capability) DEVICE_CALL(d, get_compute_capability, &capability);
  return static_cast<int>(capability);
}
const DeviceKernel* LoadKernel(const std::string& text, const std::string& name, Place place) {
  Device& d = Of(place);
  char log[4096] = {};
  C_Kernel kernel = nullptr;
  Check(d, d.f->set_device(&d.id), "set_device");
  const C_Status status =
      d.extension.kernel_compile(&d.id, text.data(), text.size(), name.c_str(), &kernel, log, sizeof(log));
  log[sizeof(log) - 1] = 0;
  PD_CHECK(status == C_SUCCESS || !*log, PreconditionNotMet, "[", d.name,
           "] expected a kernel that the device's compiler takes, got: ", log);
  Check(d, status, "kernel_compile");
  return reinterpret_cast<const DeviceKernel*>(kernel);
}
void LaunchKernel(const DeviceKernel* kernel, Place place, int64_t blocks, int threads, void* const* addresses,
                  size_t naddresses, const int64_t* numbers, size_t nnumbers) {
  Device& d = Of(place);
  Check(d, d.f->set_device(&d.id), "set_device");
  Check(d,
        d.extension.kernel_launch(&d.id, d.stream, reinterpret_cast<C_Kernel>(const_cast<DeviceKernel*>(kernel)),
                                  static_cast<size_t>(blocks), static_cast<size_t>(threads), addresses, naddresses,
                                  numbers, nnumbers),
        "kernel_launch");
}

#undef DEVICE_CALL

}  // namespace phi
