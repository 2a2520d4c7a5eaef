// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/backends/gpu/shared_memory.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/phi/backends/gpu/device.h"
#include "paddle/phi/backends/gpu/driver.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/shared_file.h"

namespace phi::gpu {
namespace {

constexpr const char* kOp = "multiprocessing";

// What this process shares of its own memory, also without a count: then it is kept until the next collection.
struct Given {
  Ref<Storage> storage;
  std::string handle;
  CUdeviceptr base = 0;
  std::shared_ptr<SharedFile> uses;
  void* event = nullptr;  // the last work before a message, where drivers share events
  std::string event_handle;
};
// An allocation of another process; the driver gives one address for it in a process.
struct Opened {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  int count = 0;
};
using OpenedKey = std::pair<int, std::string>;  // device, handle
// What a storage of another process's memory is owned by.
struct Borrowed {
  SharedMemory memory;
  std::shared_ptr<SharedFile> uses;
};

struct State {
  std::recursive_mutex mutex;
  std::vector<Given> given;
  std::map<OpenedKey, Opened> opened;
  std::multimap<const void*, Borrowed*> borrowed;  // by address
};
State& All() {
  static auto* state = new State;
  return *state;
}

const Driver& SharingDriver() {
  const Driver* driver = FindDriver();
  PD_CHECK(driver && driver->IpcGetMemHandle && driver->IpcOpenMemHandle && driver->IpcCloseMemHandle &&
               driver->MemGetAddressRange && driver->PointerGetAttribute,
           Unimplemented, "[", kOp, "] expected a driver that shares memory between processes, got ",
           driver ? driver->path : NoDriver());
  return *driver;
}

bool SharesEvents(const Driver& d) { return d.IpcGetEventHandle && d.IpcOpenEventHandle; }
const Driver& EventDriver() {
  const Driver* driver = FindDriver();
  PD_CHECK(driver && SharesEvents(*driver), Unimplemented,
           "[Event] expected a driver that shares events between processes, got ", driver ? driver->path : NoDriver());
  return *driver;
}

void CloseOpened(const OpenedKey& key) {
  State& all = All();
  const auto it = all.opened.find(key);
  if (--it->second.count > 0) return;
  if (CUresult r = SharingDriver().IpcCloseMemHandle(it->second.base); r != kCudaSuccess)
    PD_VLOG(1) << "gpu:" << key.first << ": cuIpcCloseMemHandle failed with " << r;
  all.opened.erase(it);
}

void GiveBack(void* owner) {
  std::unique_ptr<Borrowed> b(static_cast<Borrowed*>(owner));
  const Place place{AllocationType::GPU, static_cast<int8_t>(b->memory.device), 0};
  try {
    SynchronizeDevice(place);  // work may still use it
    StreamForCall(place, {});
  } catch (const common::Error& e) { PD_VLOG(1) << e.what(); }
  std::lock_guard<std::recursive_mutex> lock(All().mutex);
  std::erase_if(All().borrowed, [&](auto& entry) { return entry.second == b.get(); });
  CloseOpened({b->memory.device, b->memory.handle});
}

}  // namespace

SharedMemory Share(const Ref<Storage>& storage, uint64_t offset, uint64_t bytes, bool counted) {
  const Driver& driver = SharingDriver();
  const Place place = storage->place();
  PD_CHECK(!CapturesGraph(place), PreconditionNotMet, "[", kOp,
           "] expected no capture of a graph while memory is shared, got one on ", PlaceText(place));
  void* const stream = StreamForCall(place, {});
  CollectShared();
  State& all = All();
  std::lock_guard<std::recursive_mutex> lock(all.mutex);
  // Nobody knows how long an event of what another process made has to be kept.
  const auto borrowed = all.borrowed.find(storage->data());
  if (borrowed != all.borrowed.end() || !counted || !SharesEvents(driver)) SynchronizeStream(place, stream);
  if (borrowed != all.borrowed.end()) {
    SharedMemory memory = borrowed->second->memory;
    memory.offset += offset;
    memory.bytes = bytes;
    memory.event.clear();
    if (counted && borrowed->second->uses) borrowed->second->uses->Add(1);
    return memory;
  }
  const auto address = static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(storage->data()));
  const int device = place.device_id;
  int exported = 0;
  CheckDriver(driver.PointerGetAttribute(&exported, kPointerIpcCapable, address), "PointerGetAttribute", device);
  PD_CHECK(exported, Unimplemented, "[", kOp,
           "] expected memory that the driver shares with other processes, got that of segments that grow: it needs ",
           "FLAGS_use_virtual_memory_auto_growth=0");
  auto it = std::find_if(all.given.begin(), all.given.end(), [&](auto& g) { return g.storage.get() == storage.get(); });
  if (it == all.given.end()) {
    Given g;
    size_t whole = 0;
    CUipcMemHandle handle{};
    CheckDriver(driver.MemGetAddressRange(&g.base, &whole, address), "MemGetAddressRange", device);
    CheckDriver(driver.IpcGetMemHandle(&handle, g.base), "IpcGetMemHandle", device);
    g.handle.assign(handle.bytes, sizeof handle.bytes);
    g.storage = storage;
    g.uses = SharedFile::Create(0, kOp, true);
    all.given.push_back(std::move(g));
    it = std::prev(all.given.end());
  }
  if (!counted) return {it->handle, address - it->base + offset, bytes, device, {}};
  if (!it->event && SharesEvents(driver)) {
    it->event = CreateSharedEvent(place);
    it->event_handle = HandleOfEvent(place, it->event);
  }
  if (it->event) RecordEvent(place, it->event, stream);
  it->uses->Add(1);
  return {it->handle, address - it->base + offset, bytes, device, it->uses->name(), it->event_handle};
}

Received Receive(const SharedMemory& m) {
  const Driver& driver = SharingDriver();
  PD_CHECK(m.handle.size() == sizeof(CUipcMemHandle) && m.device >= 0 && m.device < DeviceCount(), InvalidArgument, "[",
           kOp, "] expected what another process shares of a GPU here, got a handle of ", m.handle.size(),
           " bytes of GPU ", m.device);
  State& all = All();
  std::lock_guard<std::recursive_mutex> lock(all.mutex);
  for (Given& g : all.given) {
    if (m.uses.empty() ? g.handle != m.handle : g.uses->name() != m.uses) continue;
    const auto at = static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(g.storage->data()));
    const uint64_t begin = g.base + m.offset;
    if (begin < at || begin + m.bytes > at + g.storage->bytes()) continue;
    if (!m.uses.empty()) g.uses->Add(-1);
    return {g.storage, begin - at};
  }
  const Place place = PlaceOf(m.device, kOp, "gpu:" + std::to_string(m.device));
  auto borrowed = std::make_unique<Borrowed>(Borrowed{m, nullptr});
  if (!m.uses.empty()) {
    borrowed->uses = SharedFile::Open(m.uses, kOp);
    borrowed->uses->Add(-1);  // the message's
  }
  void* const stream = StreamForCall(place, {});
  if (!m.event.empty()) {
    void* const event = OpenSharedEvent(place, m.event);
    StreamWaitEvent(place, stream, event);
    DestroyEvent(place, event);
  }
  const OpenedKey key{m.device, m.handle};
  auto it = all.opened.find(key);
  if (it == all.opened.end()) {
    CUipcMemHandle handle;
    std::memcpy(handle.bytes, m.handle.data(), sizeof handle.bytes);
    Opened o;
    CheckDriver(driver.IpcOpenMemHandle(&o.base, handle, kIpcLazyPeerAccess), "IpcOpenMemHandle", m.device);
    CUdeviceptr base = 0;
    CheckDriver(driver.MemGetAddressRange(&base, &o.bytes, o.base), "MemGetAddressRange", m.device);
    it = all.opened.emplace(key, o).first;
  }
  ++it->second.count;
  if (m.offset > it->second.bytes || m.bytes > it->second.bytes - m.offset) {
    const size_t whole = it->second.bytes;
    CloseOpened(key);
    PD_THROW(InvalidArgument, "[", kOp, "] expected a tensor within ", whole, " shared bytes, got ", m.bytes,
             " bytes at ", m.offset);
  }
  void* at = reinterpret_cast<void*>(static_cast<uintptr_t>(it->second.base + m.offset));
  all.borrowed.emplace(at, borrowed.get());
  return {Storage::Wrap(at, m.bytes, place, borrowed.release(), GiveBack), 0};
}

void* CreateSharedEvent(Place place) {
  const Driver& driver = EventDriver();
  StreamForCall(place, {});
  CUevent event = nullptr;
  CheckDriver(driver.EventCreate(&event, kEventWithoutTime | kEventOfProcesses), "EventCreate", place.device_id);
  return event;
}
std::string HandleOfEvent(Place place, void* event) {
  const Driver& driver = EventDriver();
  StreamForCall(place, {});
  CUipcEventHandle handle{};
  CheckDriver(driver.IpcGetEventHandle(&handle, static_cast<CUevent>(event)), "IpcGetEventHandle", place.device_id);
  return {handle.bytes, sizeof handle.bytes};
}
void* OpenSharedEvent(Place place, const std::string& handle) {
  const Driver& driver = EventDriver();
  CUipcEventHandle from;
  PD_CHECK(handle.size() == sizeof from.bytes, InvalidArgument, "[Event] expected a handle of ", sizeof from.bytes,
           " bytes, got ", handle.size());
  StreamForCall(place, {});
  std::memcpy(from.bytes, handle.data(), sizeof from.bytes);
  CUevent event = nullptr;
  CheckDriver(driver.IpcOpenEventHandle(&event, from), "IpcOpenEventHandle", place.device_id);
  return event;
}

void CollectShared() {
  std::vector<Given> gone;  // storages end without the lock
  std::lock_guard<std::recursive_mutex> lock(All().mutex);
  std::erase_if(All().given, [&](Given& g) {
    if (g.uses->uses() > 1) return false;
    if (g.event) DestroyEvent(g.storage->place(), g.event);
    gone.push_back(std::move(g));
    return true;
  });
}

}  // namespace phi::gpu
