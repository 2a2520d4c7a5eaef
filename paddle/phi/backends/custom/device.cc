// SPDX-License-Identifier: Apache-2.0
// Devices at run time: the caching allocator over a device's functions, its copies, streams and events. Optional
// functions that are unset have working defaults; a device without any way to copy says so.
#include "paddle/phi/backends/custom/device.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "paddle/common/logging.h"
#include "paddle/phi/backends/custom/caching_allocator.h"
#include "paddle/phi/core/capture.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/thread_state.h"

namespace phi {
namespace {

struct Device {
  Place place;
  std::string name;
  C_DeviceInterface* f = nullptr;
  C_DeviceExtension extension{};
  C_Device_st id{};
  std::once_flag started;
  C_Stream stream = nullptr;  // the current one
  C_Stream first = nullptr;
  std::atomic<bool> capturing{false};
  std::atomic<const void*> captured_by{nullptr};    // the thread, by its state
  bool ends_anywhere = true;                        // whether another one may end the capture
  std::vector<CachingAllocator::Block*> constants;  // numbers of the graph that is captured, in pinned memory
  CachingAllocator::Block* base = nullptr;          // of its draws (DrawKey)
  uint64_t drawn = 0;                               // numbers that a run of it draws
  CachingAllocator::Block* outside = nullptr;       // its flag (OutsideFlag)
  std::atomic<bool> several{false};                 // whether a stream beside the first one was current
  std::unique_ptr<CachingAllocator> memory;
  std::unique_ptr<GrowingMemory> (*growing)(int id) = nullptr;
  std::mutex failing;
  std::string failure;              // of a call that could not throw, the first one
  std::atomic<bool> failed{false};  // it is there
};

// A stream for the allocator of pinned memory, which serves all GPUs.
struct StreamOf {
  Device* device;
  C_Stream stream;
};
bool IsPinned(Place p) { return p.type == AllocationType::GPUPINNED; }
bool OnHost(Place p) { return p.is_cpu() || IsPinned(p); }

std::mutex g_types_mutex;
// By kind, type index and device number; never freed, so that tensors that die at exit find their device.
using DeviceKey = std::tuple<AllocationType, int16_t, int>;
std::map<DeviceKey, Device*>& Devices() {
  static auto* d = new std::map<DeviceKey, Device*>;
  return *d;
}

// What goes wrong where nothing can be thrown, as in a destructor: it is said once, and raised by whatever is asked of
// the device next, which cannot be relied on any more.
void Keep(Device& d, const std::string& what) {
  const std::lock_guard<std::mutex> lock(d.failing);
  if (d.failed) return;
  d.failure = what;
  d.failed = true;
  std::fprintf(stderr, "%s; what is called on %s from here on raises this\n", what.c_str(), d.name.c_str());
}
template <class Call>
bool Try(Device& d, Call&& call) noexcept {
  try {
    call();
    return true;
  } catch (const std::exception& e) {
    Keep(d, e.what());
    return false;
  }
}

void Check(const Device& d, C_Status status, const char* what) {
  PD_CHECK(!d.failed, PreconditionNotMet, d.failure);
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
    if (d.f->create_stream) DEVICE_CALL(d, create_stream, &d.first);
    d.stream = d.first;
  });
}

// The devices of few numbers and kinds again, for look-ups without a lock.
constexpr size_t kQuickKinds = 16, kQuickNumbers = 16;
std::atomic<Device*> g_quick[kQuickKinds][kQuickNumbers];
std::atomic<Device*>* Quick(Place p) {
  const size_t kind = p.type == AllocationType::GPU ? 0 : static_cast<size_t>(p.custom) + 1;
  const auto number = static_cast<size_t>(p.device_id);
  return kind < kQuickKinds && number < kQuickNumbers ? &g_quick[kind][number] : nullptr;
}

Device& Of(Place place) {
  const auto* quick = Quick(place);
  Device* d = quick ? quick->load(std::memory_order_acquire) : nullptr;
  if (!d || !(d->place == place)) {
    std::lock_guard<std::mutex> lock(g_types_mutex);
    auto it = Devices().find({place.type, place.custom, place.device_id});
    PD_CHECK(it != Devices().end(), InvalidArgument, "expected a device that is loaded, got ", PlaceText(place));
    d = it->second;
  }
  Start(*d);
  return *d;
}

// What the environment says of a flag, read once.
bool FlagSet(const char* name) {
  const char* text = std::getenv(name);
  return text && (*text == '1' || *text == 't' || *text == 'T');
}
// Each tensor's memory is an allocation of the device's own, for tools that watch these.
bool PlainMemory() {
  static const bool plain = FlagSet("FLAGS_use_system_allocator");
  return plain;
}
std::atomic<bool> g_virtual_memory{FlagSet("FLAGS_use_virtual_memory_auto_growth")};

// Memory and events of a device for its allocator, which destructors call: failures are kept for the next call on the
// device, and those of events count as reached.
class DeviceMemory final : public MemorySource {
 public:
  explicit DeviceMemory(Device& d) : d_(d) {}
  void* Take(size_t bytes) override {
    void* p = nullptr;
    Check(d_, d_.f->set_device(&d_.id), "set_device");
    if (d_.f->device_memory_allocate(&d_.id, &p, bytes) != C_SUCCESS) return nullptr;
    PD_VLOG(4) << d_.name << ": " << bytes << " bytes from the device";
    return p;
  }
  void Give(void* p, size_t bytes) override {
    Try(d_, [&] {
      d_.f->set_device(&d_.id);
      // The driver of GPUs waits by itself.
      if (d_.place.type != AllocationType::GPU && d_.f->synchronize_device) d_.f->synchronize_device(&d_.id);
      d_.f->device_memory_deallocate(&d_.id, p, bytes);
    });
  }
  void* Record(void* stream) override {
    C_Event e = nullptr;
    Try(d_, [&] {
      d_.f->set_device(&d_.id);
      if (d_.f->create_event(&d_.id, &e) == C_SUCCESS) d_.f->record_event(&d_.id, static_cast<C_Stream>(stream), e);
    });
    return e;
  }
  bool Reached(void* event) override {
    auto* e = static_cast<C_Event>(event);
    if (!e) return true;
    bool reached = true;
    Try(d_, [&] {
      d_.f->set_device(&d_.id);
      if (d_.f->query_event)
        reached = d_.f->query_event(&d_.id, e) == C_SUCCESS;
      else
        d_.f->synchronize_event(&d_.id, e);
    });
    return reached;
  }
  void Forget(void* event) override {
    if (event) Try(d_, [&] { d_.f->destroy_event(&d_.id, static_cast<C_Event>(event)); });
  }
  GrowingMemory* growing() override {
    std::call_once(asked_, [&] {
      if (g_virtual_memory && d_.growing) growing_ = d_.growing(d_.id.id);
    });
    return growing_.get();
  }

 private:
  Device& d_;
  std::once_flag asked_;
  std::unique_ptr<GrowingMemory> growing_;
};

// Memory of the host that GPUs reach, and events of their streams, as StreamOf.
class PinnedMemory final : public MemorySource {
 public:
  void* Take(size_t bytes) override {
    Device& d = First();
    void* p = nullptr;
    Check(d, d.f->set_device(&d.id), "set_device");
    return d.f->host_memory_allocate(&d.id, &p, bytes) == C_SUCCESS ? p : nullptr;
  }
  void Give(void* p, size_t bytes) override {
    Device& d = First();
    Try(d, [&] {
      d.f->set_device(&d.id);
      d.f->host_memory_deallocate(&d.id, p, bytes);
    });
  }
  void* Record(void* stream) override {
    auto* s = static_cast<StreamOf*>(stream);
    return new Event{s->device, DeviceMemory(*s->device).Record(s->stream)};
  }
  bool Reached(void* event) override {
    auto* e = static_cast<Event*>(event);
    return DeviceMemory(*e->device).Reached(e->event);
  }
  void Forget(void* event) override {
    auto* e = static_cast<Event*>(event);
    DeviceMemory(*e->device).Forget(e->event);
    delete e;
  }

 private:
  struct Event {
    Device* device;
    void* event;
  };
  static Device& First() { return Of({AllocationType::GPU, 0, 0}); }
};

CachingAllocator& Pinned() {
  static auto* pinned = new CachingAllocator(std::make_unique<PinnedMemory>(), PlainMemory());
  return *pinned;
}
// The same for the same stream.
StreamOf* KeyOf(Device& d, C_Stream stream) {
  static std::mutex mutex;
  static auto* keys = new std::map<std::pair<Device*, C_Stream>, StreamOf>;
  std::lock_guard<std::mutex> lock(mutex);
  return &keys->try_emplace({&d, stream}, StreamOf{&d, stream}).first->second;
}

std::atomic<int> g_captures{0};  // under way
// The device whose work this thread captures in a graph, if there is one that has modes.
const Device* CapturedHere() {
  if (g_captures.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard<std::mutex> lock(g_types_mutex);
  for (const auto& [key, d] : Devices())
    if (d->capturing && d->captured_by == &t_state && d->f->cuda_thread_exchange_stream_capture_mode) return d;
  return nullptr;
}
// Sets the mode in which captures heed this thread's calls; returns the one before.
int ExchangeCaptureMode(const void* device, int mode) {
  auto now = static_cast<C_StreamCaptureMode>(mode);
  static_cast<const Device*>(device)->f->cuda_thread_exchange_stream_capture_mode(&now);
  return static_cast<int>(now);
}

CachingAllocator::Block* Taken(CachingAllocator& memory, size_t bytes, void* stream) {
  const AllowedInCapture allowed;
  return memory.Allocate(bytes, stream);
}

void GiveBlock(void* owner) {
  const AllowedInCapture allowed;
  auto* block = static_cast<CachingAllocator::Block*>(owner);
  block->owner->Free(block);
}

// Work on the current stream reads or writes at `address`, which may be memory of another stream.
void UseNow(Device& d, const void* address) {
  if (d.several.load(std::memory_order_relaxed)) d.memory->Uses(const_cast<void*>(address), d.stream);
}

void WaitFor(Device& d, C_Stream stream) {
  if (d.f->synchronize_stream && stream) {
    DEVICE_CALL(d, synchronize_stream, stream);
  } else if (d.f->synchronize_device) {
    DEVICE_CALL(d, synchronize_device);
  }
}

// Numbers of operations up to this size are part of a graph.
constexpr size_t kConstant = 16;
// A graph would run the copy again from or to memory that is gone.
void RefuseInCapture(const Device& d, bool lasting, const char* copy) {
  PD_CHECK(lasting || !d.capturing, PreconditionNotMet, "[CUDAGraph] expected work on ", d.name,
           " alone while a graph is captured, got a copy ", copy, ": of an operation without a kernel, or of data");
}

[[noreturn]] void NoCopy(const Device& d, const char* kind) {
  PD_THROW(Unimplemented, "[", d.name, "] expected the device to set memory_copy_", kind, " or async_memory_copy_",
           kind, ", got neither");
}

}  // namespace

AllowedInCapture::AllowedInCapture() : device_(CapturedHere()) {
  if (device_) mode_ = ExchangeCaptureMode(device_, C_STREAM_CAPTURE_MODE_RELAXED);
}
AllowedInCapture::~AllowedInCapture() {
  if (device_) ExchangeCaptureMode(device_, mode_);
}

void RegisterDeviceType(DeviceType type) {
  std::vector<std::unique_ptr<Device>> made;
  for (int id : type.ids) {
    Device* d = made.emplace_back(std::make_unique<Device>()).get();
    d->place = {type.first.type, static_cast<int8_t>(id), type.first.custom};
    d->memory = std::make_unique<CachingAllocator>(std::make_unique<DeviceMemory>(*d), PlainMemory());
    d->name = type.name + ":" + std::to_string(id);
    d->f = type.functions.get();
    d->extension = type.extension;
    d->growing = type.growing;
    d->id.id = id;
    if (!type.lazy) Start(*d);
  }
  static_cast<void>(type.functions.release());
  for (auto& one : made) {
    Device* d = one.release();
    std::lock_guard<std::mutex> lock(g_types_mutex);
    Devices()[{type.first.type, type.first.custom, d->id.id}] = d;
    if (auto* quick = Quick(d->place)) quick->store(d, std::memory_order_release);
  }
  g_has_external_kernels.State();
}

Ref<Storage> AllocateOnDevice(size_t bytes, Place place) {
  if (IsPinned(place)) {
    auto* block = Taken(Pinned(), bytes, nullptr);
    PD_CHECK(block, ResourceExhausted, "out of memory: expected to allocate ", bytes, " bytes of pinned memory");
    return Storage::Wrap(block->ptr, bytes, place, block, GiveBlock);
  }
  Device& d = Of(place);
  auto* block = Taken(*d.memory, bytes, d.stream);
  PD_CHECK(block, ResourceExhausted, "out of memory: expected to allocate ", bytes, " bytes on ", PlaceText(place),
           ", ", d.memory->stats().allocated, " bytes are in use");
  return Storage::Wrap(block->ptr, bytes, place, block, GiveBlock);
}

bool UseInStream(const Storage& memory, void* stream) {
  return !OnHost(memory.place()) && Of(memory.place()).memory->Uses(memory.data(), stream);
}

void CopyBytes(void* dst, Place to, const void* src, Place from, size_t bytes, bool blocking) {
  if (bytes == 0) return;
  if (OnHost(to) && OnHost(from)) {
    std::memcpy(dst, src, bytes);
  } else if (to == from) {
    Device& d = Of(to);
    if (d.stream && d.f->async_memory_copy_d2d) {
      UseNow(d, dst);
      UseNow(d, src);
      DEVICE_CALL(d, async_memory_copy_d2d, d.stream, dst, src, bytes);
    } else if (d.f->memory_copy_d2d) {
      WaitFor(d, d.stream);
      DEVICE_CALL(d, memory_copy_d2d, dst, src, bytes);
    } else {
      std::vector<char> host(bytes);
      CopyBytes(host.data(), Place{}, src, from, bytes);
      CopyBytes(dst, to, host.data(), Place{}, bytes);
    }
  } else if (OnHost(from)) {
    Device& d = Of(to);
    if (d.capturing && bytes <= kConstant && d.f->host_memory_allocate) {
      d.constants.push_back(Taken(Pinned(), bytes, nullptr));
      PD_CHECK(d.constants.back(), ResourceExhausted, "out of memory: expected pinned memory for a number");
      src = std::memcpy(d.constants.back()->ptr, src, bytes);
      DEVICE_CALL(d, async_memory_copy_h2d, d.stream, dst, src, bytes);
      return;
    }
    RefuseInCapture(d, IsPinned(from) && !blocking, "from memory of the host that is not pinned");
    if (d.stream && d.f->async_memory_copy_h2d) {
      UseNow(d, dst);
      DEVICE_CALL(d, async_memory_copy_h2d, d.stream, dst, src, bytes);
      // The driver of GPUs has read pageable memory when it returns.
      if (IsPinned(from) && !blocking)
        Pinned().Uses(const_cast<void*>(src), KeyOf(d, d.stream));
      else if (IsPinned(from) || to.type != AllocationType::GPU)
        WaitFor(d, d.stream);
    } else if (d.f->memory_copy_h2d) {
      WaitFor(d, d.stream);
      DEVICE_CALL(d, memory_copy_h2d, dst, src, bytes);
    } else {
      NoCopy(d, "h2d");
    }
  } else if (OnHost(to)) {
    Device& d = Of(from);
    RefuseInCapture(d, IsPinned(to) && !blocking, "to the host");
    if (d.stream && d.f->async_memory_copy_d2h) {
      UseNow(d, src);
      DEVICE_CALL(d, async_memory_copy_d2h, d.stream, dst, src, bytes);
      if (IsPinned(to) && !blocking)
        Pinned().Uses(dst, KeyOf(d, d.stream));
      else
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
  if (OnHost(place)) return;
  Device& d = Of(place);
  if (d.f->synchronize_device) {
    DEVICE_CALL(d, synchronize_device);
  } else {
    WaitFor(d, d.stream);
  }
}

void UseVirtualMemory(bool use) { g_virtual_memory = use; }

MemoryStats DeviceMemoryStats(Place place) { return place.is_cpu() ? CpuMemoryStats() : Of(place).memory->stats(); }
void ResetDeviceMemoryPeaks(Place place) {
  if (place.is_cpu()) return ResetCpuMemoryPeaks();
  Of(place).memory->ResetPeaks();
}
std::vector<std::pair<std::string, int64_t>> DeviceMemoryShape(Place place) {
  const CachingAllocator::Shape s = Of(place).memory->shape();
  return {{"segments", s.segments},
          {"blocks", s.blocks},
          {"free_bytes", s.free_bytes},
          {"largest_free", s.largest_free},
          {"waiting_bytes", s.waiting_bytes}};
}
void ReleaseDeviceCaches() {
  const AllowedInCapture allowed;
  std::vector<Device*> all;
  {
    std::lock_guard<std::mutex> lock(g_types_mutex);
    for (auto& [key, d] : Devices()) all.push_back(d);
  }
  for (Device* d : all) d->memory->Trim();
  Pinned().Trim();
}
bool DeviceMemoryInfo(Place place, size_t* total, size_t* free) {
  Device& d = Of(place);
  if (!d.f->device_memory_stats) return false;
  DEVICE_CALL(d, device_memory_stats, total, free);
  return true;
}

void* CurrentStream(Place place) { return place.is_cpu() ? nullptr : Of(place).stream; }
void* StreamForCall(Place place, std::initializer_list<const void*> addresses) {
  Device& d = Of(place);
  for (const void* a : addresses) UseNow(d, a);
  Check(d, d.f->set_device(&d.id), "set_device");
  return d.stream;
}
void SetCurrentStream(Place place, void* stream) {
  if (place.is_cpu()) return;
  Device& d = Of(place);
  d.stream = static_cast<C_Stream>(stream);
  if (d.stream != d.first) d.several = true;
}
void* CreateStream(Place place) {
  Device& d = Of(place);
  C_Stream s = nullptr;
  if (d.f->create_stream) DEVICE_CALL(d, create_stream, &s);
  return s;
}
void DestroyStream(Place place, void* stream) {
  Device& d = Of(place);
  if (!stream || !d.f->destroy_stream) return;
  // Another stream may get this handle, and with it the memory.
  Try(d, [&] { WaitFor(d, static_cast<C_Stream>(stream)); });
  d.memory->EndStream(stream);
  Pinned().EndStream(KeyOf(d, static_cast<C_Stream>(stream)));
  Try(d, [&] { DEVICE_CALL(d, destroy_stream, static_cast<C_Stream>(stream)); });
}
bool QueryStream(Place place, void* stream) {
  Device& d = Of(place);
  Check(d, d.f->set_device(&d.id), "set_device");
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
  Try(d, [&] { DEVICE_CALL(d, destroy_event, static_cast<C_Event>(event)); });
}
void RecordEvent(Place place, void* event, void* stream) {
  Device& d = Of(place);
  DEVICE_CALL(d, record_event, static_cast<C_Stream>(stream), static_cast<C_Event>(event));
}
bool QueryEvent(Place place, void* event) {
  Device& d = Of(place);
  Check(d, d.f->set_device(&d.id), "set_device");
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

namespace {
void NeedsGraphs(const Device& d) {
  PD_CHECK(d.f->cuda_stream_begin_capture && d.f->cuda_stream_end_capture && d.f->cuda_graph_instantiate &&
               d.f->cuda_graph_launch && d.f->cuda_graph_destroy && d.f->cuda_graph_exec_destroy,
           Unimplemented, "[CUDAGraph] expected a device that captures graphs, got ", d.name);
}

// What kernels of a graph tell of a run (OutsideFlag).
struct Outside {
  int64_t index = INT64_MAX, value = INT64_MAX;
};
}  // namespace

DeviceGraph::DeviceGraph(Place place, MemoryPool* pool, int mode) : place_(place) {
  Device& d = Of(place);
  NeedsGraphs(d);
  PD_CHECK(!d.capturing, PreconditionNotMet, "[CUDAGraph] expected one capture at a time on ", d.name,
           ", got a second one before the end of the first");
  pool_ = d.memory->BeginPool(pool);
  try {
    stream_ = d.stream;
    DEVICE_CALL(d, cuda_stream_begin_capture, d.stream, static_cast<C_StreamCaptureMode>(mode));
  } catch (...) {
    d.memory->EndPool();
    d.memory->ReleasePool(pool_);
    throw;
  }
  d.captured_by = &t_state;
  d.ends_anywhere = mode == C_STREAM_CAPTURE_MODE_RELAXED;
  capturing_ = d.capturing = true;
  ++g_captures;
}
void DeviceGraph::End() {
  Device& d = Of(place_);
  PD_CHECK(capturing_, PreconditionNotMet, "[CUDAGraph] expected a graph that is being captured, got one that is not");
  PD_CHECK(d.ends_anywhere || d.captured_by == &t_state, PreconditionNotMet,
           "[CUDAGraph] expected the thread that began a capture to end it where mode is not 'relaxed', got another");
  if (d.outside) {
    auto* told = Taken(Pinned(), sizeof(Outside), nullptr);
    outside_ = std::exchange(d.outside, nullptr);
    told_ = told;
    PD_CHECK(told, ResourceExhausted, "out of memory: expected pinned memory for a flag");
    *reinterpret_cast<Outside*>(told->ptr) = {};
    DEVICE_CALL(d, async_memory_copy_d2h, d.stream, told->ptr, static_cast<CachingAllocator::Block*>(outside_)->ptr,
                sizeof(Outside));
  }
  capturing_ = d.capturing = false;
  --g_captures;
  constants_.assign(d.constants.begin(), d.constants.end());
  d.constants.clear();
  base_ = std::exchange(d.base, nullptr);
  drawn_ = std::exchange(d.drawn, 0);
  d.memory->EndPool();
  C_CudaGraph graph = nullptr;
  DEVICE_CALL(d, cuda_stream_end_capture, static_cast<C_Stream>(stream_), &graph);
  graph_ = graph;
  C_GraphExec exec = nullptr;
  char log[512] = {};
  Check(d, d.f->cuda_graph_instantiate(&exec, graph, nullptr, log, sizeof(log)), "cuda_graph_instantiate");
  exec_ = exec;
}
void DeviceGraph::CheckTold(const char* run) const {
  if (!told_) return;
  auto& told = *reinterpret_cast<Outside*>(static_cast<CachingAllocator::Block*>(told_)->ptr);
  const auto [index, value] = std::exchange(told, {});
  constexpr const char* kRanges = "[CUDAGraph] expected parameters of draws and functions within their ranges in ";
  PD_CHECK(index != INT64_MIN, OutOfRange, kRanges, run, ", got others");
  PD_CHECK(value != INT64_MIN, InvalidArgument, kRanges, run, ", got others");
  constexpr const char* kTables = "[CUDAGraph] expected labels and indices within their tables in ";
  PD_CHECK(index == INT64_MAX, OutOfRange, kTables, run, ", got ", index);
  PD_CHECK(value == INT64_MAX, InvalidArgument, kTables, run, ", got ", value);
}
void DeviceGraph::CheckRun() const {
  if (told_) SynchronizeStream(place_, Of(place_).stream);
  CheckTold("this run");
}
void DeviceGraph::Launch() const {
  Device& d = Of(place_);
  PD_CHECK(exec_, PreconditionNotMet, "[CUDAGraph] expected a graph that was captured, got one that was not");
  CheckTold("the run before this one");
  if (base_) {
    const DrawKey key = GeneratorOf(place_).Take(drawn_);
    const uint64_t now[] = {key.seed, key.offset};
    CopyBytes(static_cast<CachingAllocator::Block*>(base_)->ptr, place_, now, Place{}, sizeof(now));
  }
  DEVICE_CALL(d, cuda_graph_launch, static_cast<C_GraphExec>(exec_), d.stream);
}
void DeviceGraph::Print(const std::string& path, unsigned flags) const {
  Device& d = Of(place_);
  PD_CHECK(graph_ && d.f->cuda_graph_debug_dot_print, PreconditionNotMet,
           "[CUDAGraph] expected a graph that was captured, got one that was not");
  Check(d, d.f->cuda_graph_debug_dot_print(static_cast<C_CudaGraph>(graph_), path.c_str(), flags),
        "cuda_graph_debug_dot_print");
}
DeviceGraph::~DeviceGraph() {
  Device& d = Of(place_);
  Try(d, [&] {
    if (capturing_) End();
    SynchronizeDevice(place_);  // replays read what the pool holds
  });
  for (void* block : constants_) GiveBlock(block);
  for (void* block : {base_, outside_, told_})
    if (block) GiveBlock(block);
  Try(d, [&] {
    if (exec_) d.f->cuda_graph_exec_destroy(static_cast<C_GraphExec>(exec_));
    if (graph_) d.f->cuda_graph_destroy(static_cast<C_CudaGraph>(graph_));
  });
  d.memory->ReleasePool(pool_);
}
bool IsCapturing(Place place) {
  if (OnHost(place)) return false;
  Device& d = Of(place);
  C_StreamCaptureStatus status = C_STREAM_CAPTURE_STATUS_NONE;
  if (d.f->cuda_stream_get_capture_info) DEVICE_CALL(d, cuda_stream_get_capture_info, d.stream, &status, nullptr);
  return status != C_STREAM_CAPTURE_STATUS_NONE;
}

bool CapturesGraph(Place place) { return !OnHost(place) && Of(place).capturing; }
void* OutsideFlag(Place place, bool value) {
  Device& d = Of(place);
  if (!d.outside) {
    d.outside = Taken(*d.memory, sizeof(Outside), d.stream);
    PD_CHECK(d.outside, ResourceExhausted, "out of memory: expected memory for a flag");
    const Outside none;
    CopyBytes(d.outside->ptr, place, &none, Place{}, sizeof(none));
  }
  return static_cast<char*>(d.outside->ptr) + (value ? offsetof(Outside, value) : offsetof(Outside, index));
}
DrawKey TakeDraws(Place place, uint64_t numbers) {
  Device& d = Of(place);
  if (!d.capturing) return GeneratorOf(place).Take(numbers);
  if (!d.base) d.base = Taken(*d.memory, 2 * sizeof(uint64_t), d.stream);
  PD_CHECK(d.base, ResourceExhausted, "out of memory: expected memory for the seed of a graph");
  DrawKey key{0, d.drawn, d.base->ptr};
  d.drawn += numbers;
  return key;
}

void WaitInStream(Place place, void* stream) {
  Device& d = Of(place);
  if (stream == d.stream) return;
  void* event = CreateEvent(place);
  RecordEvent(place, event, d.stream);
  StreamWaitEvent(place, stream, event);
  DestroyEvent(place, event);
}

KernelText KernelTextOf(Place place) {
  if (OnHost(place)) return KernelText::kNone;
  const C_DeviceExtension& e = Of(place).extension;
  return e.kernel_compile && e.kernel_launch ? static_cast<KernelText>(e.kernel_text) : KernelText::kNone;
}
int CapabilityOf(Place place) {
  Device& d = Of(place);
  size_t capability = 0;
  if (d.f->get_compute_capability) DEVICE_CALL(d, get_compute_capability, &capability);
  return static_cast<int>(capability);
}
int64_t ResidentThreadsOf(Place place) {
  Device& d = Of(place);
  size_t each = 2048, processors = 1;
  if (d.f->get_max_threads_per_mp && d.f->get_multi_process) {
    DEVICE_CALL(d, get_max_threads_per_mp, &each);
    DEVICE_CALL(d, get_multi_process, &processors);
  }
  return static_cast<int64_t>(each * processors);
}
const DeviceKernel* LoadKernel(const std::string& text, const std::string& name, Place place) {
  Device& d = Of(place);
  char log[4096] = {};
  C_Kernel kernel = nullptr;
  Check(d, d.f->set_device(&d.id), "set_device");
  const AllowedInCapture allowed;
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
  for (size_t k = 0; k < naddresses; ++k) UseNow(d, addresses[k]);
  Check(d, d.f->set_device(&d.id), "set_device");
  Check(d,
        d.extension.kernel_launch(&d.id, d.stream, reinterpret_cast<C_Kernel>(const_cast<DeviceKernel*>(kernel)),
                                  static_cast<size_t>(blocks), static_cast<size_t>(threads), addresses, naddresses,
                                  numbers, nnumbers),
        "kernel_launch");
}

#undef DEVICE_CALL

}  // namespace phi
