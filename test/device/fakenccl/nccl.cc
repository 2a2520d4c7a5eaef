// SPDX-License-Identifier: Apache-2.0
// A double of NCCL for tests: ranks are processes of this host that share memory, device memory is that of the driver's
// double, and work is done in the order of streams. It is strict: what the ranks do not agree on, unknown numbers,
// wrong alignment, overlaps and calls for another device are errors, told on stderr, which no later call forgets.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "device/fakenccl/elements.h"
#include "device/loaded_driver.h"

namespace fakenccl {
namespace {

constexpr int kMostRanks = 8;
constexpr size_t kPart = 64 << 10;  // bytes that a rank shows at a time
constexpr auto kPatience = std::chrono::seconds(60);

enum Kind : int { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kSend, kReceive };
const char* const kNames[] = {"AllReduce", "Reduce", "Broadcast", "AllGather", "ReduceScatter", "Send", "Recv"};

// What all ranks must say alike.
struct Said {
  int kind, type, op, root;
  size_t count;
  bool operator==(const Said&) const = default;
};
struct Slot {
  std::atomic<uint64_t> arrived;
  Said said;
  char data[kPart * kMostRanks];
};
// Messages from one rank to another, a length before each.
struct Mail {
  std::atomic<uint64_t> written, read;
  char ring[kPart];
};
struct Shared {
  std::atomic<int> joined, failed;
  Slot slots[kMostRanks];
  Mail mail[kMostRanks][kMostRanks];
};

}  // namespace
}  // namespace fakenccl

struct ncclComm {
  fakenccl::Shared* shared = nullptr;
  int ranks = 0, rank = 0;
  CUcontext context = nullptr;
  uint64_t turns = 0;
  std::atomic<int> error{0};
};

namespace fakenccl {
namespace {

struct Op {
  Said said;
  int peer;
  const char* send;
  char* receive;
  size_t in, out;      // bytes
  char *from, *to;     // of the host
  uint64_t moved = 0;  // of a message, its length included
};
// The calls of a group, as one piece of work of a stream.
struct Job {
  ncclComm* comm;
  CUstream stream;
  std::vector<Op> ops;
  std::shared_ptr<std::atomic<bool>> done = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> ran = false;
  bool lasting = false;  // part of a graph
};

struct State {
  std::mutex mutex;
  std::set<ncclComm*> comms;
  std::list<std::unique_ptr<Job>> jobs;
};
State& TheState() {
  static auto* s = new State;
  return *s;
}
thread_local int t_depth = 0;
thread_local std::vector<std::unique_ptr<Job>> t_group;

int Fail(ncclComm* comm, int code, const std::string& why) {
  std::fprintf(stderr, "fakenccl: %s\n", why.c_str());
  if (comm) comm->error = code;
  return code;
}

template <class Ready>
bool Await(ncclComm& c, Ready ready) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (int spins = 0; !ready(); ++spins) {
    if (c.shared->failed || c.error) return false;
    if (std::chrono::steady_clock::now() > until) {
      c.shared->failed = 1;
      Fail(&c, 6, "a rank has not come within 60 s");
      return false;
    }
    if (spins > 100) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}
bool Meet(ncclComm& c) {
  const uint64_t turn = ++c.turns;
  c.shared->slots[c.rank].arrived = turn;
  return Await(c, [&] {
    for (int r = 0; r < c.ranks; ++r)
      if (c.shared->slots[r].arrived < turn) return false;
    return true;
  });
}

std::string Text(const Said& s) {
  return std::string(kNames[s.kind]) + "(count " + std::to_string(s.count) + ", type " + std::to_string(s.type) +
         ", op " + std::to_string(s.op) + ", root " + std::to_string(s.root) + ")";
}

// One collective, on memory of the host, part by part.
void RunCollective(ncclComm& c, Op& op) {
  const size_t elem = SizeOf(op.said.type), n = op.said.count * elem;
  const auto ranks = static_cast<size_t>(c.ranks), rank = static_cast<size_t>(c.rank);
  Slot& mine = c.shared->slots[rank];
  for (size_t at = 0; at == 0 || at < n; at += kPart) {
    const size_t part = std::min(kPart, n - at);
    mine.said = op.said;
    const size_t pieces = op.said.kind == kReduceScatter ? ranks : 1;
    for (size_t k = 0; k < pieces && op.in; ++k) std::memcpy(mine.data + k * kPart, op.from + k * n + at, part);
    if (!Meet(c)) return;
    for (size_t r = 0; r < ranks; ++r)
      if (!(c.shared->slots[r].said == op.said)) {
        Fail(&c, 5,
             "rank " + std::to_string(rank) + " calls " + Text(op.said) + ", rank " + std::to_string(r) + " " +
                 Text(c.shared->slots[r].said));
        return;
      }
    const auto of = [&](size_t r, size_t piece) { return c.shared->slots[r].data + piece * kPart; };
    std::vector<const char*> all(ranks);
    if (op.said.kind == kBroadcast) {
      if (op.out) std::memcpy(op.to + at, of(static_cast<size_t>(op.said.root), 0), part);
    } else if (op.said.kind == kAllGather) {
      for (size_t r = 0; r < ranks; ++r) std::memcpy(op.to + r * n + at, of(r, 0), part);
    } else if (op.out) {
      for (size_t r = 0; r < ranks; ++r) all[r] = of(r, op.said.kind == kReduceScatter ? rank : 0);
      Combine(op.said.type, op.said.op, all, op.to + at, part / elem);
    }
    if (!Meet(c)) return;
  }
}

// As much of a message as fits now; true once it is whole. A length of 8 bytes goes before it.
bool Advance(ncclComm& c, Op& op) {
  const bool sends = op.said.kind == kSend;
  Mail& mail = sends ? c.shared->mail[c.rank][op.peer] : c.shared->mail[op.peer][c.rank];
  const uint64_t length = sends ? op.in : op.out, whole = length + sizeof length;
  while (op.moved < whole) {
    const uint64_t w = mail.written, r = mail.read;
    const uint64_t able = sends ? kPart - (w - r) : w - r;
    if (able < (op.moved < sizeof length ? sizeof length : 1)) return false;
    const uint64_t at = (sends ? w : r) % kPart;
    uint64_t n = std::min(able, kPart - at);
    if (op.moved < sizeof length) {
      uint64_t said = length;
      n = sizeof said;
      for (size_t k = 0; k < n; ++k) {
        char& cell = mail.ring[(at + k) % kPart];
        char& byte = reinterpret_cast<char*>(&said)[k];
        if (sends)
          cell = byte;
        else
          byte = cell;
      }
      if (said != length) {
        Fail(&c, 5,
             "rank " + std::to_string(c.rank) + " receives " + std::to_string(length) + " bytes of rank " +
                 std::to_string(op.peer) + ", which sends " + std::to_string(said));
        return false;
      }
    } else {
      const uint64_t from = op.moved - sizeof length;
      n = std::min(n, length - from);
      if (sends)
        std::memcpy(mail.ring + at, op.from + from, n);
      else
        std::memcpy(op.to + from, mail.ring + at, n);
    }
    op.moved += n;
    (sends ? mail.written : mail.read) = (sends ? w : r) + n;
  }
  return true;
}

void RunJob(void* data) {
  Job& job = *static_cast<Job*>(data);
  ncclComm& c = *job.comm;
  std::vector<Op*> messages;
  for (Op& op : job.ops) {
    if (op.said.kind < kSend) {
      if (!c.error) RunCollective(c, op);
    } else {
      op.moved = 0;
      messages.push_back(&op);
    }
  }
  // Those between the same ranks one after another; all others at once.
  if (!c.error)
    Await(c, [&] {
      std::set<std::pair<int, int>> before;
      for (Op*& op : messages)
        if (before.insert({op->said.kind, op->peer}).second && Advance(c, *op)) {
          before.erase({op->said.kind, op->peer});
          op = nullptr;
        }
      std::erase(messages, nullptr);
      return messages.empty();
    });
}
// What waits for other ranks keeps nobody from the driver.
void StartJob(void* data) {
  std::thread([data] {
    RunJob(data);
    static_cast<Job*>(data)->ran = true;
  }).detach();
}
bool HasRun(void* data) { return static_cast<Job*>(data)->ran; }
void EndJob(void* data) { *static_cast<Job*>(data)->done = true; }

// Streams of the double lag until somebody waits; other ranks may wait for what lies in them.
void KeepGoing(const Job& job) {
  std::thread([context = job.comm->context, stream = job.stream, done = job.done, comm = job.comm] {
    DRIVER(cuCtxSetCurrent)(context);
    while (!*done && !comm->error) {
      DRIVER(fakecudaAdvance)(stream);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }).detach();
}

int Enqueue(std::unique_ptr<Job> made) {
  const Relaxed relaxed;
  State& state = TheState();
  for (auto it = state.jobs.begin(); it != state.jobs.end();) {
    Job& old = **it;
    if (!*old.done || old.lasting) {
      ++it;
      continue;
    }
    for (Op& op : old.ops)
      for (char* p : {op.from, op.to})
        if (p) DRIVER(cuMemFreeHost)(p);
    it = state.jobs.erase(it);
  }
  Job& job = *made;
  int capturing = 0;
  DRIVER(cuStreamIsCapturing)(job.stream, &capturing);
  job.lasting = capturing != 0;
  state.jobs.push_back(std::move(made));
  const auto ok = [&](CUresult r) { return r == CUDA_SUCCESS; };
  for (Op& op : job.ops) {
    const auto room = [&](char** p, size_t n) {
      return !n || ok(DRIVER(cuMemHostAlloc)(reinterpret_cast<void**>(p), n, 0));
    };
    if (!room(&op.from, op.in) || !room(&op.to, op.out)) return Fail(job.comm, 1, "no memory of the host");
    if (op.in && !ok(DRIVER(cuMemcpyDtoHAsync_v2)(op.from, reinterpret_cast<CUdeviceptr>(op.send), op.in, job.stream)))
      return Fail(job.comm, 1, std::string(kNames[op.said.kind]) + " cannot read what it sends");
  }
  if (!ok(DRIVER(cuLaunchHostFunc)(job.stream, job.lasting ? RunJob : StartJob, &job)) ||
      (!job.lasting && !ok(DRIVER(fakecudaHold)(job.stream, HasRun, &job))))
    return Fail(job.comm, 1, "the stream takes no work");
  for (Op& op : job.ops)
    if (op.out &&
        !ok(DRIVER(cuMemcpyHtoDAsync_v2)(reinterpret_cast<CUdeviceptr>(op.receive), op.to, op.out, job.stream)))
      return Fail(job.comm, 1, std::string(kNames[op.said.kind]) + " cannot write what it receives");
  if (job.lasting) return 0;
  if (!ok(DRIVER(cuLaunchHostFunc)(job.stream, EndJob, &job))) return Fail(job.comm, 1, "the stream takes no work");
  KeepGoing(job);
  return 0;
}

// One call, checked.
int Take(ncclComm* comm, CUstream stream, Op op) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  if (!state.comms.count(comm)) return Fail(nullptr, 4, "a communicator that is none");
  if (comm->error) return comm->error;
  CUcontext now = nullptr;
  DRIVER(cuCtxGetCurrent)(&now);
  const std::string name = kNames[op.said.kind];
  if (now != comm->context) return Fail(comm, 5, name + " while another device is current");
  if (!stream) return Fail(comm, 4, name + " on no stream");
  const size_t elem = SizeOf(op.said.type);
  if (!elem) return Fail(comm, 4, name + " of the unknown type " + std::to_string(op.said.type));
  if (op.said.op < 0 || op.said.op > 4) return Fail(comm, 4, name + " by an unknown operation");
  for (const int r : {op.said.root, op.peer})
    if (r < -1 || r >= comm->ranks) return Fail(comm, 4, name + " with rank " + std::to_string(r));
  for (const char* p : {op.in ? op.send : nullptr, op.out ? static_cast<const char*>(op.receive) : nullptr})
    if (reinterpret_cast<uintptr_t>(p) % elem) return Fail(comm, 4, name + " of a misaligned address");
  const auto rank = static_cast<size_t>(comm->rank);
  const size_t n = op.said.count * elem;
  if (op.in && op.out && op.send < op.receive + op.out && op.receive < op.send + op.in) {
    const char* in_place = op.said.kind == kAllGather ? op.receive + rank * n : op.receive;
    const char* given = op.said.kind == kReduceScatter ? op.send + rank * n : op.send;
    if (given != in_place) return Fail(comm, 4, name + " between overlapping parts of memory");
  }
  if (t_group.empty() || t_group.back()->comm != comm) {
    t_group.push_back(std::make_unique<Job>());
    t_group.back()->comm = comm;
    t_group.back()->stream = stream;
  }
  if (t_group.back()->stream != stream) return Fail(comm, 5, name + " on a second stream of a group");
  t_group.back()->ops.push_back(op);
  if (t_depth) return 0;
  auto all = std::move(t_group);
  t_group.clear();
  return Enqueue(std::move(all[0]));
}

}  // namespace
}  // namespace fakenccl

using namespace fakenccl;

extern "C" {
#define FAKENCCL_API __attribute__((visibility("default")))
struct ncclUniqueId {
  char internal[128];
};

FAKENCCL_API int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}
FAKENCCL_API const char* ncclGetErrorString(int code) {
  const char* const texts[] = {"no error",         "unhandled cuda error", "unhandled system error", "internal error",
                               "invalid argument", "invalid usage",        "remote process exited",  "in progress"};
  return code >= 0 && code <= 7 ? texts[code] : "unknown result code";
}
FAKENCCL_API int ncclGetUniqueId(ncclUniqueId* id) {
  static std::atomic<int> next{0};
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "/fakenccl-%d-%d", getpid(), next++);
  const int file = shm_open(id->internal, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) return Fail(nullptr, 2, "no shared memory");
  close(file);
  return 0;
}
FAKENCCL_API int ncclCommInitRank(ncclComm** comm, int ranks, ncclUniqueId id, int rank) {
  if (ranks < 1 || ranks > kMostRanks || rank < 0 || rank >= ranks) return Fail(nullptr, 4, "a rank out of range");
  const int file = shm_open(id.internal, O_RDWR, 0600);
  if (file < 0) return Fail(nullptr, 4, "an id that nobody made");
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  auto made = std::make_unique<ncclComm>();
  made->shared = static_cast<Shared*>(memory);
  made->ranks = ranks;
  made->rank = rank;
  DRIVER(cuCtxGetCurrent)(&made->context);
  if (!made->context) return Fail(nullptr, 5, "CommInitRank without a current device");
  if (++made->shared->joined == ranks) shm_unlink(id.internal);
  if (!Await(*made, [&] { return made->shared->joined == ranks; })) return 6;
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  state.comms.insert(made.get());
  *comm = made.release();
  return 0;
}
FAKENCCL_API int ncclCommDestroy(ncclComm* comm) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  return state.comms.erase(comm) ? 0 : Fail(nullptr, 4, "CommDestroy of a communicator that is none");
}
FAKENCCL_API int ncclCommAbort(ncclComm* comm) {
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  if (!state.comms.erase(comm)) return Fail(nullptr, 4, "CommAbort of a communicator that is none");
  comm->error = 6;
  comm->shared->failed = 1;
  return 0;
}
FAKENCCL_API int ncclCommGetAsyncError(ncclComm* comm, int* error) {
  *error = comm->error;
  return 0;
}

FAKENCCL_API int ncclAllReduce(const void* send, void* receive, size_t count, int type, int op, ncclComm* comm,
                               CUstream stream) {
  const size_t n = count * SizeOf(type);
  return Take(comm, stream,
              {{kAllReduce, type, op, 0, count},
               -1,
               static_cast<const char*>(send),
               static_cast<char*>(receive),
               n,
               n,
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclReduce(const void* send, void* receive, size_t count, int type, int op, int root, ncclComm* comm,
                            CUstream stream) {
  const size_t n = count * SizeOf(type);
  return Take(comm, stream,
              {{kReduce, type, op, root, count},
               -1,
               static_cast<const char*>(send),
               static_cast<char*>(receive),
               n,
               comm && comm->rank == root ? n : 0,
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, ncclComm* comm,
                               CUstream stream) {
  const size_t n = count * SizeOf(type);
  return Take(comm, stream,
              {{kBroadcast, type, 0, root, count},
               -1,
               static_cast<const char*>(send),
               static_cast<char*>(receive),
               comm && comm->rank == root ? n : 0,
               n,
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclAllGather(const void* send, void* receive, size_t count, int type, ncclComm* comm,
                               CUstream stream) {
  const size_t n = count * SizeOf(type), ranks = comm ? static_cast<size_t>(comm->ranks) : 0;
  return Take(comm, stream,
              {{kAllGather, type, 0, 0, count},
               -1,
               static_cast<const char*>(send),
               static_cast<char*>(receive),
               n,
               n * ranks,
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int op, ncclComm* comm,
                                   CUstream stream) {
  const size_t n = count * SizeOf(type), ranks = comm ? static_cast<size_t>(comm->ranks) : 0;
  return Take(comm, stream,
              {{kReduceScatter, type, op, 0, count},
               -1,
               static_cast<const char*>(send),
               static_cast<char*>(receive),
               n * ranks,
               n,
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclSend(const void* send, size_t count, int type, int peer, ncclComm* comm, CUstream stream) {
  return Take(comm, stream,
              {{kSend, type, 0, -1, count},
               peer,
               static_cast<const char*>(send),
               nullptr,
               count * SizeOf(type),
               0,
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclRecv(void* receive, size_t count, int type, int peer, ncclComm* comm, CUstream stream) {
  return Take(comm, stream,
              {{kReceive, type, 0, -1, count},
               peer,
               nullptr,
               static_cast<char*>(receive),
               0,
               count * SizeOf(type),
               nullptr,
               nullptr});
}
FAKENCCL_API int ncclGroupStart() {
  ++t_depth;
  return 0;
}
FAKENCCL_API int ncclGroupEnd() {
  if (t_depth == 0) return Fail(nullptr, 5, "GroupEnd without GroupStart");
  if (--t_depth) return 0;
  std::lock_guard lock(TheState().mutex);
  auto all = std::move(t_group);
  t_group.clear();
  int worst = 0;
  for (auto& job : all)
    if (const int r = job->comm->error ? job->comm->error.load() : Enqueue(std::move(job))) worst = r;
  return worst;
}
}
