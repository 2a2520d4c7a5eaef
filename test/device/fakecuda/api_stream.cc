// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs.
#include <algorithm>
#include <fstream>
#include <thread>

#include "device/fakecuda/engine.h"

namespace fakecuda {
namespace {

Event& EventOf(Engine& e, CUevent event) {
  auto* v = reinterpret_cast<Event*>(event);
  Require(e.events.count(v) != 0, CUDA_ERROR_INVALID_HANDLE);
  return *v;
}

struct Executable {
  std::shared_ptr<Graph> graph;
};

std::set<Executable*>& Executables() {
  static auto* const all = new std::set<Executable*>;
  return *all;
}

Graph& GraphOf(Engine& e, CUgraph graph) {
  auto* g = reinterpret_cast<Graph*>(graph);
  Require(e.graphs.count(g) != 0, CUDA_ERROR_INVALID_HANDLE);
  return *g;
}

// A call that waits for a stream that is captured ends the capture.
void NotCaptured(Stream& s) {
  if (!s.capture) return;
  s.capture->broken = true;
  throw ApiError{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED};
}

void NotCaptured(const Event& event) { Require(!event.capture, CUDA_ERROR_CAPTURED_EVENT); }

// Nodes from which one of `ends` can be reached, themselves too.
std::vector<uint8_t> Reaching(const Graph& g, const std::vector<size_t>& ends) {
  std::vector<uint8_t> found(g.nodes.size());
  for (const size_t i : ends) found[i] = 1;
  for (size_t i = g.nodes.size(); i-- > 0;) {
    if (!found[i]) continue;
    for (const size_t k : g.nodes[i].after) found[k] = 1;
  }
  return found;
}

}  // namespace
}  // namespace fakecuda

using namespace fakecuda;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return Call([&](Engine& e) {
    Require(flags <= 1);
    auto* s = new Stream;
    s->id = NewStreamId();
    s->device = e.Current().index;
    s->blocking = flags == 0;
    e.streams.insert(s);
    *stream = reinterpret_cast<CUstream>(s);
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return Call([&](Engine& e) {
    Require(stream != nullptr, CUDA_ERROR_INVALID_HANDLE);
    Stream& s = e.Resolve(stream);
    NotCaptured(s);
    e.RunAll();  // other streams may depend on it
    for (Event* event : e.events) {
      if (event->stream == &s) event->stream = nullptr;
    }
    e.streams.erase(&s);
    delete &s;
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return Call([&](Engine& e) {
    Stream& s = e.Resolve(stream);
    NotCaptured(s);
    if (s.queue.empty()) return;
    e.Advance(s);  // whoever asks again and again gets on
    Require(s.queue.empty(), CUDA_ERROR_NOT_READY);
    Join(e.host, s.tail);
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return Call([&](Engine& e) {
    Stream& s = e.Resolve(stream);
    NotCaptured(s);
    e.RunUntil(s, s.end(), s.tail);
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return Call([&](Engine& e) {
    Event& v = EventOf(e, event);
    Stream& s = e.Resolve(stream);
    if (v.shared && !s.capture && !v.capture) return WaitShared(e, s, v);
    if (v.recorded && !v.capture && !v.stream) return;  // its stream is gone, and with it all work
    e.WaitFor(s, v);
  });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  return Call([&](Engine& e) {
    Require(stream != nullptr && reinterpret_cast<uintptr_t>(stream) > 2, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    Stream& s = e.Resolve(stream);
    Require(!s.capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    s.capture = std::make_shared<Capture>();
    s.capture->origin = &s;
    s.capture->mode = mode;
    s.capture->thread = std::this_thread::get_id();
    s.capture->streams.insert(&s);
    s.capture_after.clear();
    e.captures.push_back(s.capture);
  });
}

CUresult cuThreadExchangeStreamCaptureMode(int* mode) {
  return Call([&](Engine&) {
    Require(mode && *mode >= 0 && *mode <= 2);
    std::swap(*mode, calls_mode);
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return Call([&](Engine& e) {
    Stream& s = e.Resolve(stream);
    Require(s.capture && s.capture->origin == &s, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    const auto capture = s.capture;
    Require(capture->mode == 2 || capture->thread == std::this_thread::get_id(),
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    const auto joined = Reaching(*capture->graph, s.capture_after);
    for (Stream* other : capture->streams) {
      other->capture.reset();
      other->capture_after.clear();
    }
    for (Event* event : e.events) {
      if (event->capture != capture) continue;
      event->capture.reset();
      event->recorded = false;
    }
    e.captures.erase(std::find(e.captures.begin(), e.captures.end(), capture));
    *graph = nullptr;
    Require(!capture->broken, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    Require(std::find(joined.begin(), joined.end(), 0) == joined.end(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    auto* made = new Graph(*capture->graph);
    e.graphs.insert(made);
    *graph = reinterpret_cast<CUgraph>(made);
  });
}

CUresult cuStreamIsCapturing(CUstream stream, int* status) {
  return Call([&](Engine& e) {
    const Stream& s = e.Resolve(stream);
    *status = !s.capture ? 0 : s.capture->broken ? 2 : 1;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return Call([&](Engine& e) {
    auto* v = new Event;
    v->timing = (flags & 2) == 0;
    v->interprocess = (flags & 4) != 0;
    if (v->timing && v->interprocess) {
      delete v;
      throw ApiError{CUDA_ERROR_INVALID_VALUE};
    }
    e.events.insert(v);
    *event = reinterpret_cast<CUevent>(v);
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return Call([&](Engine& e) {
    Event& v = EventOf(e, event);
    if (v.stream && v.stream->done < v.until) e.RunUntil(*v.stream, v.until, {});  // its time is yet to be written
    ForgetShared(v);
    e.events.erase(&v);
    delete &v;
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return Call([&](Engine& e) {
    Event& v = EventOf(e, event);
    Stream& s = e.Resolve(stream);
    if (v.stream && v.stream->done < v.until) e.RunUntil(*v.stream, v.until, {});
    v.recorded = true;
    if (s.capture) {
      v.capture = s.capture;
      v.capture_after = s.capture_after;
      v.stream = nullptr;
      return;
    }
    v.capture.reset();
    Action mark = [&e, &v](const Order&) { v.milliseconds = e.Now(); };
    e.Enqueue(s, "cuEventRecord", v.shared ? RecordShared(v, std::move(mark)) : std::move(mark));
    v.stream = &s;
    v.until = s.end();
    v.clock = s.tail;
  });
}

CUresult cuEventQuery(CUevent event) {
  return Call([&](Engine& e) {
    e.Unsafe("cuEventQuery");
    Event& v = EventOf(e, event);
    NotCaptured(v);
    if (v.shared && !v.stream) Require(SharedReached(e, v), CUDA_ERROR_NOT_READY);
    if (!v.recorded || !v.stream) return;
    if (v.stream->done < v.until) {
      e.Advance(*v.stream);
      Require(v.stream->done >= v.until, CUDA_ERROR_NOT_READY);
    }
    Join(e.host, v.clock);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return Call([&](Engine& e) {
    Event& v = EventOf(e, event);
    NotCaptured(v);
    while (v.shared && !v.stream && !SharedReached(e, v)) {
      e.mutex.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      e.mutex.lock();
    }
    if (v.recorded && v.stream) e.RunUntil(*v.stream, v.until, v.clock);
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return Call([&](Engine& e) {
    const Event &a = EventOf(e, start), &b = EventOf(e, end);
    Require(a.timing && b.timing && a.recorded && b.recorded, CUDA_ERROR_INVALID_HANDLE);
    for (const Event* v : {&a, &b}) Require(!v->stream || v->stream->done >= v->until, CUDA_ERROR_NOT_READY);
    *milliseconds = static_cast<float>(b.milliseconds - a.milliseconds);
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  return Call([&](Engine& e) {
    auto* x = new Executable{std::make_shared<Graph>(GraphOf(e, graph))};
    Executables().insert(x);
    *exec = reinterpret_cast<CUgraphExec>(x);
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return Call([&](Engine& e) {
    auto* x = reinterpret_cast<Executable*>(exec);
    Require(Executables().count(x) != 0, CUDA_ERROR_INVALID_HANDLE);
    e.Enqueue(e.Resolve(stream), "cuGraphLaunch", nullptr, x->graph);
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return Call([&](Engine& e) {
    Graph& g = GraphOf(e, graph);
    e.graphs.erase(&g);
    delete &g;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return Call([&](Engine&) {
    auto* x = reinterpret_cast<Executable*>(exec);
    Require(Executables().erase(x) != 0, CUDA_ERROR_INVALID_HANDLE);
    delete x;
  });
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned) {
  return Call([&](Engine& e) {
    const Graph& g = GraphOf(e, graph);
    std::ofstream out(path);
    out << "digraph {\n";
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      out << "  n" << i << " [label=\"" << g.nodes[i].name << "\"];\n";
      for (const size_t k : g.nodes[i].after) out << "  n" << k << " -> n" << i << ";\n";
    }
    out << "}\n";
    Require(static_cast<bool>(out.flush()));
  });
}

CUresult cuGraphGetNodes(CUgraph graph, void** nodes, size_t* n) {
  return Call([&](Engine& e) {
    Graph& g = GraphOf(e, graph);
    Require(nodes == nullptr, CUDA_ERROR_NOT_SUPPORTED);
    *n = g.nodes.size();
  });
}
}
