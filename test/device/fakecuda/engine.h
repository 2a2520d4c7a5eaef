// SPDX-License-Identifier: Apache-2.0
// Streams are queues: an operation runs when something waits for it. What may be relied on is kept in clocks: of each
// stream, how many of its operations came before.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "device/fakecuda/config.h"
#include "device/fakecuda/cuda_api.h"
#include "device/fakecuda/launch.h"

namespace fakecuda {

using Clock = std::map<uint64_t, uint64_t>;  // stream to number of operations
void Join(Clock& into, const Clock& other);
uint64_t NewStreamId();

using Action = std::function<void(const Order&)>;

struct Node {
  std::string name;
  Action action;
  std::vector<size_t> after;  // nodes of the graph
};

struct Graph {
  std::vector<Node> nodes;
};

extern thread_local int calls_mode;  // cuThreadExchangeStreamCaptureMode

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  struct Stream* origin = nullptr;
  int mode = 0;  // 0 global, 1 thread, 2 relaxed
  std::thread::id thread;
  bool broken = false;
  std::set<struct Stream*> streams;
};

struct Operation {
  std::string name;
  Action action;
  std::shared_ptr<Graph> graph;  // of a graph's launch
  Clock clock;                   // before it
  std::vector<std::pair<struct Stream*, uint64_t>> after;
  std::function<bool()> ready;  // it does not run before, if there is one
};

struct Stream {
  uint64_t id = 0, done = 0;
  int device = 0;
  bool blocking = false;  // waits for, and is waited for by, the default stream
  std::deque<Operation> queue;
  Clock tail;
  std::shared_ptr<Capture> capture;
  std::vector<size_t> capture_after;
  uint64_t end() const { return done + queue.size(); }
};

// What processes know of an event that they share: how often it was recorded, what of that is reached, and what another
// process waits for.
struct SharedPoint {
  std::atomic<uint64_t> recorded, reached, wanted, opened;
};

struct Event {
  Stream* stream = nullptr;
  uint64_t until = 0;
  Clock clock;
  bool timing = true, recorded = false, interprocess = false, imported = false;
  SharedPoint* shared = nullptr;
  double milliseconds = 0;
  std::shared_ptr<Capture> capture;
  std::vector<size_t> capture_after;
};

struct Device {
  int index = 0;
  Stream null;
  CUresult error = CUDA_SUCCESS;  // sticky
};

class Engine;

// Finds memory that another process has open and that is freed; a file behind it ends.
void CheckShared(const Allocation& freed, const char* call);
// Of events that processes share. What others wait for runs, also while this process calls nothing.
Action RecordShared(Event& event, Action action);
void WaitShared(Engine& e, Stream& stream, const Event& event);
bool SharedReached(Engine& e, const Event& event);
void ForgetShared(Event& event);
// Handles of virtual memory that were not released.
std::vector<std::string> UnreleasedMemory();

// An error of a call that leaves the device as it was.
struct ApiError {
  CUresult result;
};

class Engine {
 public:
  static Engine& Get();

  std::recursive_mutex mutex;
  bool initialised = false;
  std::vector<std::unique_ptr<Device>> devices;
  std::set<Stream*> streams;  // made by cuStreamCreate
  std::set<Event*> events;
  std::set<Graph*> graphs;
  Counters counters;
  uint64_t launches = 0, allocations = 0;
  Clock host;                                      // what the host has waited for
  std::vector<std::shared_ptr<Capture>> captures;  // that are open

  Device& Current();
  Stream& Resolve(CUstream stream);  // throws ApiError for what is no stream
  void Enqueue(Stream& stream, std::string name, Action action, std::shared_ptr<Graph> graph = nullptr);
  // Runs that much and what it depends on; the host may rely on `seen` from then on. Other threads call meanwhile where
  // an operation is not ready.
  void RunUntil(Stream& stream, uint64_t until, const Clock& seen);
  // Runs an operation of the stream, if there is one and it is ready.
  void Advance(Stream& stream);
  void RunAll(Device* device = nullptr);
  void WaitFor(Stream& stream, const Event& event);
  void Unsafe(const char* call);  // throws where a capture forbids the call
  void Found(int device, int result, const std::string& text);
  std::string Text(CUresult result);  // of the last find of this kind
  std::string TakeFind();
  void ReportLeaks();  // to the log, where the environment asks for it
  double Now() const;

 private:
  Engine();
  bool RunFront(Stream& stream);  // false: not ready
  void Execute(const Operation& op, Stream& stream, uint64_t number);
  const Order& NewOrder(const std::string& name, uint64_t stream, uint64_t number, const Clock& clock,
                        const std::vector<uint32_t>* nodes);
  struct Ran {
    uint64_t stream, number;
  };
  std::array<Ran, kMaxOrder + 1> ran_{};
  std::array<std::string, kMaxOrder + 1> names_;
  Order order_;
  uint32_t next_order_ = 1;
  std::map<int, std::string> texts_;
  std::string first_find_;
  void Log(const std::string& text) const;
  std::mt19937_64 random_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Runs f with the engine's lock, an initialised driver and a device without a sticky error.
template <class F>
CUresult Call(F&& f) {
  Engine& e = Engine::Get();
  const std::lock_guard lock(e.mutex);
  if (!e.initialised) return CUDA_ERROR_NOT_INITIALIZED;
  Device* device = nullptr;
  try {
    device = &e.Current();
    if (device->error != CUDA_SUCCESS) return device->error;
    f(e);
    return device->error;
  } catch (const ApiError& error) { return error.result; } catch (const Find& find) {
    e.Found(device->index, find.result, find.what());
    return static_cast<CUresult>(find.result);
  }
}

inline void Require(bool condition, CUresult result = CUDA_ERROR_INVALID_VALUE) {
  if (!condition) throw ApiError{result};
}

}  // namespace fakecuda
