// SPDX-License-Identifier: Apache-2.0
// Events that processes share. What is recorded and reached is counted in a page of shared memory; streams go on when
// another process waits for them, by a thread that looks at these pages, since nothing else makes them.
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

constexpr uint64_t kPage = 4096, kMark = 0x65706966616b6531;
struct Handle {
  uint64_t mark;
  int process, descriptor, device;
};
static_assert(sizeof(Handle) <= sizeof(CUipcEventHandle));

// Of this process, by event.
std::map<Event*, Handle>& Exports() {
  static auto* const exports = new std::map<Event*, Handle>;
  return *exports;
}

SharedPoint* PointOf(int descriptor) {
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  Require(page != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  return static_cast<SharedPoint*>(page);
}

void Want(SharedPoint& p, uint64_t n) {
  uint64_t before = p.wanted;
  while (before < n && !p.wanted.compare_exchange_weak(before, n)) {}
}

// A device works without its host.
void GoOn() {
  for (Engine& e = Engine::Get();;) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    const std::lock_guard lock(e.mutex);
    const std::set<Event*> events = e.events;
    for (Event* v : events) {
      if (!e.events.count(v) || !v->shared || !v->stream || v->capture) continue;
      if (v->shared->wanted <= v->shared->reached) continue;
      if (v->stream->done < v->until) e.Advance(*v->stream);
    }
  }
}

}  // namespace

Action RecordShared(Event& event, Action action) {
  static const bool going = (std::thread(GoOn).detach(), true);
  (void)going;
  SharedPoint* point = event.shared;
  const uint64_t n = ++point->recorded;
  return [point, n, action = std::move(action)](const Order& order) {
    action(order);
    point->reached = n;
  };
}

void WaitShared(Engine& e, Stream& stream, const Event& event) {
  SharedPoint* point = event.shared;
  const uint64_t n = point->recorded;
  e.Enqueue(stream, "cuStreamWaitEvent", [](const Order&) {});
  Operation& op = stream.queue.back();
  op.ready = [point, n] {
    Want(*point, n);
    return point->reached >= n;
  };
  if (!event.stream) return;
  op.after.emplace_back(event.stream, event.until);
  Join(op.clock, event.clock);
  Join(stream.tail, event.clock);
}

bool SharedReached(Engine&, const Event& event) {
  const uint64_t n = event.shared->recorded;
  Want(*event.shared, n);
  return event.shared->reached >= n;
}

// The page stays: work under way looks at it.
void ForgetShared(Event& event) {
  if (!event.shared) return;
  if (event.imported) {
    --event.shared->opened;
    return;
  }
  if (const uint64_t n = event.shared->opened) {
    throw Find(CUDA_ERROR_INVALID_HANDLE, "cuEventDestroy: expected an event that no other process has open, got one " +
                                              std::string("that is open ") + std::to_string(n) + " times");
  }
  close(Exports().at(&event).descriptor);
  Exports().erase(&event);
}

}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuIpcGetEventHandle(CUipcEventHandle* out, CUevent event) {
  return Call([&](Engine& e) {
    auto* v = reinterpret_cast<Event*>(event);
    Require(out && e.events.count(v) && v->interprocess && !v->imported, CUDA_ERROR_INVALID_HANDLE);
    if (!v->shared) {
      Require(!v->recorded, CUDA_ERROR_NOT_SUPPORTED);  // the double counts from here on
      const int fd = memfd_create("fakecuda_event", MFD_CLOEXEC);
      Require(fd >= 0 && ftruncate(fd, kPage) == 0, CUDA_ERROR_OUT_OF_MEMORY);
      v->shared = PointOf(fd);
      Exports()[v] = {kMark, getpid(), fd, e.Current().index};
    }
    *out = {};
    std::memcpy(out, &Exports()[v], sizeof(Handle));
  });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle from) {
  return Call([&](Engine& e) {
    Handle h;
    std::memcpy(&h, &from, sizeof h);
    Require(event && h.mark == kMark);
    Require(h.process != getpid() && h.device == e.Current().index, CUDA_ERROR_INVALID_CONTEXT);
    const std::string path = "/proc/" + std::to_string(h.process) + "/fd/" + std::to_string(h.descriptor);
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    Require(fd >= 0, CUDA_ERROR_INVALID_HANDLE);
    auto* v = new Event;
    v->timing = false;
    v->imported = true;
    v->shared = PointOf(fd);
    close(fd);
    ++v->shared->opened;
    e.events.insert(v);
    *event = reinterpret_cast<CUevent>(v);
  });
}
}
