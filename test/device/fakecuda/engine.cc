// SPDX-License-Identifier: Apache-2.0
#include "device/fakecuda/engine.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

namespace fakecuda {
void Join(Clock& into, const Clock& other) {
  for (const auto& [stream, n] : other) into[stream] = std::max(into[stream], n);
}

uint64_t NewStreamId() {
  static uint64_t last = 0;
  return ++last;
}

Engine::Engine() : random_(Config::Get().order) {
  for (int i = 0; i < Config::Get().devices; ++i) {
    devices.push_back(std::make_unique<Device>());
    devices.back()->index = i;
    devices.back()->null.id = NewStreamId();
    devices.back()->null.device = i;
    devices.back()->null.blocking = true;
  }
  order_.names = &names_;
  order_.ordered[kMaxOrder] = 1;
}

Engine& Engine::Get() {
  static Engine* const engine = new Engine;
  return *engine;
}

Stream& Engine::Resolve(CUstream stream) {
  if (stream == nullptr || reinterpret_cast<uintptr_t>(stream) <= 2) {  // 1 and 2 name the default stream too
    Device& d = Current();
    for (const auto& capture : captures) {
      const bool waits =
          std::any_of(capture->streams.begin(), capture->streams.end(), [](const Stream* s) { return s->blocking; });
      if (!waits) continue;
      capture->broken = true;
      throw ApiError{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT};
    }
    return d.null;
  }
  auto* s = reinterpret_cast<Stream*>(stream);
  Require(streams.count(s) != 0, CUDA_ERROR_INVALID_HANDLE);
  return *s;
}

// By the mode of the thread that calls: 0 heeds other threads' captures of mode 0 and its own but relaxed ones, 1 its
// own but relaxed ones, 2 none.
thread_local int calls_mode = 0;

void Engine::Unsafe(const char* call) {
  for (const auto& capture : captures) {
    const bool own = capture->thread == std::this_thread::get_id();
    if (calls_mode == 2 || capture->mode == 2 || (!own && (calls_mode != 0 || capture->mode != 0))) continue;
    capture->broken = true;
    texts_[CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED] = std::string(call) + " while a stream is captured";
    throw ApiError{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
  }
}

void Engine::Enqueue(Stream& s, std::string name, Action action, std::shared_ptr<Graph> graph) {
  if (s.capture) {
    Require(graph == nullptr, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    auto& nodes = s.capture->graph->nodes;
    nodes.push_back({std::move(name), std::move(action), s.capture_after});
    s.capture_after.assign(1, nodes.size() - 1);
    return;
  }
  Operation op;
  op.name = std::move(name);
  op.action = std::move(action);
  op.graph = std::move(graph);
  op.clock = s.tail;
  Join(op.clock, host);
  Stream& null = devices[static_cast<size_t>(s.device)]->null;
  const auto follow = [&](Stream& other) {
    op.after.emplace_back(&other, other.end());
    Join(op.clock, other.tail);
  };
  if (&s == &null) {
    for (Stream* other : streams) {
      if (other->blocking && other->device == s.device && !other->capture) follow(*other);
    }
  } else if (s.blocking) {
    follow(null);
  }
  s.tail = op.clock;
  s.queue.push_back(std::move(op));
  s.tail[s.id] = s.end();
}

void Engine::WaitFor(Stream& s, const Event& event) {
  if (event.capture) {
    Require(!s.capture || s.capture == event.capture, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    s.capture = event.capture;
    s.capture->streams.insert(&s);
    s.capture_after.insert(s.capture_after.end(), event.capture_after.begin(), event.capture_after.end());
    return;
  }
  Require(!s.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (!event.recorded) return;
  Enqueue(s, "cuStreamWaitEvent", [](const Order&) {});
  Operation& op = s.queue.back();
  op.after.emplace_back(event.stream, event.until);
  Join(op.clock, event.clock);
  Join(s.tail, event.clock);
}

const Order& Engine::NewOrder(const std::string& name, uint64_t stream, uint64_t number, const Clock& clock,
                              const std::vector<uint32_t>* nodes) {
  if (next_order_ == kMaxOrder) {
    Memory::Get().ForgetOrders();
    next_order_ = 1;
    order_.ordered.fill(0);
    order_.ordered[kMaxOrder] = 1;
  }
  const uint32_t id = next_order_++;
  uint64_t last = 0, reached = 0;  // neighbours are mostly of one stream
  for (uint32_t i = 1; i < id; ++i) {
    if (ran_[i].stream != last) {
      last = ran_[i].stream;
      const auto it = clock.find(last);
      reached = it == clock.end() ? 0 : it->second;
    }
    order_.ordered[i] = ran_[i].number <= reached;
  }
  if (nodes) {
    for (const uint32_t i : *nodes) order_.ordered[i] = 1;
  }
  order_.id = id;
  ran_[id] = {stream, number};
  names_[id] = name;
  return order_;
}

void Engine::Execute(const Operation& op, Stream& s, uint64_t number) {
  if (!op.graph)
    return op.action(NewOrder(op.name + " in stream " + std::to_string(s.id), s.id, number, op.clock, nullptr));
  // Nodes in an order that their dependencies allow; each relies on those before it alone.
  const auto& nodes = op.graph->nodes;
  std::vector<std::vector<uint32_t>> before(nodes.size());
  std::vector<uint8_t> ran(nodes.size());
  if (next_order_ + nodes.size() >= kMaxOrder) next_order_ = kMaxOrder;
  for (size_t left = nodes.size(); left;) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!ran[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(), [&](size_t k) { return ran[k] != 0; }))
        ready.push_back(i);
    }
    const size_t pick = ready[Config::Get().order ? random_() % ready.size() : 0];
    for (const size_t k : nodes[pick].after)
      before[pick].insert(before[pick].end(), before[k].begin(), before[k].end());
    const Order& order = NewOrder(nodes[pick].name + " of a graph", s.id, number, op.clock, &before[pick]);
    before[pick].push_back(order.id);
    ran[pick] = 1;
    --left;
    nodes[pick].action(order);
  }
}

bool Engine::RunFront(Stream& s) {
  // The dependencies of an operation are of earlier calls: the recursion ends.
  const auto after = s.queue.front().after;
  for (const auto& [other, until] : after) {
    while (other->done < until)
      if (!RunFront(*other)) return false;
  }
  if (const auto& ready = s.queue.front().ready; ready && !ready()) return false;
  Operation op = std::move(s.queue.front());
  s.queue.pop_front();
  ++s.done;
  Device& device = *devices[static_cast<size_t>(s.device)];
  if (device.error != CUDA_SUCCESS) return true;
  try {
    Execute(op, s, s.done);
  } catch (const Find& find) { Found(s.device, find.result, find.what()); }
  return true;
}

void Engine::Advance(Stream& s) {
  if (!s.queue.empty()) RunFront(s);
}

void Engine::RunUntil(Stream& s, uint64_t until, const Clock& seen) {
  std::vector<Stream*> others;
  const auto list = [&] {
    others.assign(streams.begin(), streams.end());
    for (const auto& d : devices) others.push_back(&d->null);
  };
  list();
  while (s.done < until) {
    Stream* next = &s;
    if (Config::Get().order && random_() % 2) {
      Stream* other = others[random_() % others.size()];
      if (!other->queue.empty()) next = other;
    }
    if (RunFront(*next)) continue;
    mutex.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    mutex.lock();
    list();
  }
  Join(host, seen);
}

void Engine::RunAll(Device* device) {
  const auto mine = [&](const Stream& s) { return !device || s.device == device->index; };
  for (const auto& d : devices) {
    if (mine(d->null)) RunUntil(d->null, d->null.end(), d->null.tail);
  }
  std::vector<Stream*> ordered(streams.begin(), streams.end());
  std::sort(ordered.begin(), ordered.end(), [](const Stream* a, const Stream* b) { return a->id < b->id; });
  for (Stream* s : ordered) {
    if (mine(*s)) RunUntil(*s, s->end(), s->tail);
  }
}

void Engine::Found(int device, int result, const std::string& text) {
  Device& d = *devices[static_cast<size_t>(device)];
  if (d.error == CUDA_SUCCESS) d.error = static_cast<CUresult>(result);
  texts_[result] = text;
  if (first_find_.empty()) first_find_ = text;
  Log(text);
}

void Engine::Log(const std::string& text) const {
  if (const std::string& log = Config::Get().log; !log.empty()) std::ofstream(log, std::ios::app) << text << "\n";
}

void Engine::ReportLeaks() {
  if (!Config::Get().leaks) return;
  for (const Allocation* a : Memory::Get().Live()) {
    const std::string text = "left at exit: " + a->Describe();
    Log(text);
    std::fprintf(stderr, "fakecuda: %s\n", text.c_str());
  }
  for (const std::string& what : UnreleasedMemory()) {
    Log("left at exit: " + what);
    std::fprintf(stderr, "fakecuda: left at exit: %s\n", what.c_str());
  }
}

std::string Engine::Text(CUresult result) {
  const auto it = texts_.find(result);
  return it == texts_.end() ? "" : it->second;
}

std::string Engine::TakeFind() {
  const std::string text = std::exchange(first_find_, "");
  for (const auto& d : devices) d->error = CUDA_SUCCESS;
  texts_.clear();
  return text;
}

double Engine::Now() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace fakecuda
