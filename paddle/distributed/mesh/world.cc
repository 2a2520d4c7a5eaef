// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/mesh/world.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "paddle/common/error.h"
#include "paddle/distributed/collective/process_group.h"
#include "paddle/phi/core/host_lock.h"

namespace paddle::distributed {

namespace {

class Connected final : public Communicator {
 public:
  // `make` makes a group of these processes, whose name ends so.
  using Make = std::function<std::shared_ptr<ProcessGroup>(const char*)>;
  explicit Connected(Make make) : make_(std::move(make)), group_(make_("")) {}
  void Run(Collective c) override {
    const phi::WithoutHostLock unlocked;
    group_->Run(std::move(c), {}, nullptr, true);
  }
  void Pass(bool back, const std::vector<Tensor>& out, const std::vector<Tensor>& in) override {
    const phi::WithoutHostLock unlocked;
    std::lock_guard lock(mutex_);
    if (!back_) back_ = make_(".back");
    ProcessGroup& group = *(back ? back_ : group_);
    for (size_t r = 0; r < out.size(); ++r)
      if (out[r].defined()) sent_.push_back(group.Send(out[r], static_cast<int>(r), false));
    for (size_t r = 0; r < in.size(); ++r)
      if (in[r].defined()) group.Receive(in[r], static_cast<int>(r), true);
    while (!sent_.empty() && (sent_.front()->done() || sent_.size() > kMostUnderWay)) {
      const std::shared_ptr<Task> first = std::move(sent_.front());
      sent_.pop_front();
      first->Wait();
    }
  }

 private:
  // A process that sends more than others take waits for them.
  static constexpr size_t kMostUnderWay = 1024;

  Make make_;
  std::shared_ptr<ProcessGroup> group_, back_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Task>> sent_;
};

void Copy(const Message& from, const Message& to) {
  std::string bytes;
  for (const Span& s : from.pieces) bytes.append(s.data, s.bytes);
  size_t at = 0;
  for (const Span& s : to.pieces) {
    const size_t n = std::min(s.bytes, bytes.size() - at);
    std::memcpy(s.data, bytes.data() + at, n);
    std::memset(s.data + n, 0, s.bytes - n);
    at += n;
  }
}

// What this process sends itself arrives; what others send is zero.
class Alone final : public Communicator {
 public:
  explicit Alone(size_t rank) : rank_(rank) {}
  void Run(Collective c) override {
    for (size_t r = 0; r < c.out.size(); ++r) {
      const bool mine = c.out.size() == 1 || r == rank_;
      const size_t from = c.in.size() == 1 ? 0 : rank_;
      Copy(mine && from < c.in.size() ? c.in[from] : Message(), c.out[r]);
    }
  }
  void Pass(bool, const std::vector<Tensor>&, const std::vector<Tensor>& in) override {
    for (const Tensor& t : in)
      if (t.defined()) std::memset(t.raw_data(), 0, static_cast<size_t>(t.numel() * phi::SizeOf(t.dtype())));
  }

 private:
  size_t rank_;
};

struct State {
  std::atomic<int> rank = 0;
  std::mutex mutex;
  World world;
  std::map<std::vector<int>, std::unique_ptr<Communicator>> communicators;
  int worlds = 0;
};
State& TheState() {
  static auto* state = new State;
  return *state;
}

}  // namespace

void EnterWorld(World world) {
  LeaveWorld();
  State& s = TheState();
  std::lock_guard lock(s.mutex);
  s.world = std::move(world);
  s.rank = s.world.rank;
  ++s.worlds;
}

void LeaveWorld() {
  State& s = TheState();
  std::map<std::vector<int>, std::unique_ptr<Communicator>> left;
  {
    std::lock_guard lock(s.mutex);
    left.swap(s.communicators);
    s.world.store.reset();
    s.world.fake = false;
  }
}

int WorldRank() { return TheState().rank.load(std::memory_order_relaxed); }

Communicator& CommunicatorOf(const std::vector<int>& ranks) {
  State& s = TheState();
  {
    std::lock_guard lock(s.mutex);
    const auto known = s.communicators.find(ranks);
    if (known != s.communicators.end()) return *known->second;
  }
  const phi::WithoutHostLock unlocked;  // outlives the lock: no thread waits for both
  std::lock_guard lock(s.mutex);
  std::unique_ptr<Communicator>& c = s.communicators[ranks];
  if (c) return *c;
  const World& w = s.world;
  const auto at = std::find(ranks.begin(), ranks.end(), w.rank);
  PD_ASSERT(at != ranks.end());
  if (w.fake || ranks.size() == 1) {
    c = std::make_unique<Alone>(static_cast<size_t>(at - ranks.begin()));
    return *c;
  }
  std::string id = "mesh" + std::to_string(s.worlds);
  for (int r : ranks) id += "." + std::to_string(r);
  try {
    PD_CHECK(w.store, PreconditionNotMet,
             "[distributed] expected the processes of the mesh to be started as a job (paddle.distributed.launch or "
             "spawn), got a process that is alone");
    const int index = static_cast<int>(at - ranks.begin());
    c = std::make_unique<Connected>([=, store = w.store, timeout = w.timeout](const char* end) {
      return std::make_shared<ProcessGroup>(store, id + end, ranks, index, timeout);
    });
  } catch (...) {
    s.communicators.erase(ranks);
    throw;
  }
  return *c;
}

}  // namespace paddle::distributed
