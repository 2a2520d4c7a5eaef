// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/collective/process_group.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/distributed/host.h"
#include "paddle/distributed/nccl/nccl_group.h"
#include "paddle/distributed/transport/shm/shm_transport.h"
#include "paddle/distributed/transport/tcp/tcp_transport.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/op_watch.h"

namespace paddle::distributed {

namespace {

// How long a rank that leaves waits for others to join in what it has begun.
constexpr auto kPatience = std::chrono::seconds(5);

// What the profiler shows of communication: how long it takes on the thread that does it, and how much moves.
class Shown {
 public:
  Shown(const char* name, size_t bytes)
      : name_(name),
        bytes_(bytes),
        begin_(phi::g_op_watch.load(std::memory_order_relaxed) & phi::kWatchTime ? phi::OpClock() : 0) {}
  explicit Shown(const Collective& c) : Shown(NameOf(c.kind), std::max(BytesOf(c.in), BytesOf(c.out))) {}
  ~Shown() {
    if (!begin_) return;
    const std::string text = std::string(name_) + " (" + std::to_string(bytes_) + " bytes)";
    phi::AddUserEvent(text, kCommunication, begin_, phi::OpClock());
  }
  Shown(const Shown&) = delete;

 private:
  static constexpr uint8_t kCommunication = 12;  // TracerEventType.Communication
  static size_t BytesOf(const std::vector<Message>& messages) {
    size_t bytes = 0;
    for (const Message& m : messages) bytes += m.bytes();
    return bytes;
  }

  const char* name_;
  size_t bytes_;
  int64_t begin_;
};

// Chooses how the ranks reach each other: by shared memory where all are on one host, else by TCP.
std::unique_ptr<Transport> Connect(Store& store, const std::string& id, const std::vector<int>& ranks, int rank,
                                   double timeout) {
  const Deadline deadline = Deadline::In(timeout);
  const std::string prefix = "group/" + id, mine = HostIdentity();
  bool apart = false;
  if (ranks.size() > 1) {
    const auto key = [&](int r) { return prefix + "/host of rank " + std::to_string(r); };
    store.Set(key(ranks[static_cast<size_t>(rank)]), mine);
    for (int r : ranks) apart = store.Get(key(r), deadline, ranks) != mine || apart;
  }
  if (apart) return tcp::TcpTransport::Join(store, prefix, ranks, rank, deadline);
  return shm::ShmTransport::Join(store, prefix, ranks, rank, deadline);
}

}  // namespace

ProcessGroup::ProcessGroup(const std::shared_ptr<Store>& store, const std::string& id, std::vector<int> ranks, int rank,
                           double timeout)
    : ranks_(std::move(ranks)), rank_(rank), timeout_(timeout), owner_(::getpid()) {
  PD_CHECK(rank >= 0 && rank < size(), InvalidArgument, "[new_group] expected a rank of 0 to ", size() - 1, ", got ",
           rank);
  transport_ = Connect(*store, id, ranks_, rank, timeout);
  peers_ = std::make_unique<PeerTraffic>(*transport_, ranks_);
}

ProcessGroup::~ProcessGroup() {
  if (owner_ == ::getpid()) {
    Close();
    return;
  }
  // A forked child has none of the threads: it cannot end them.
  if (worker_.joinable()) worker_.detach();
  static_cast<void>(peers_.release());
  static_cast<void>(transport_.release());
  static_cast<void>(new std::shared_ptr<NcclGroup>(std::move(gpus_)));
}

void ProcessGroup::CheckUsable(const char* what) const {
  PD_CHECK(owner_ == ::getpid(), PreconditionNotMet, "[", what,
           "] expected the process that made the group, got a process forked from it");
  PD_CHECK(!closed_, PreconditionNotMet, "[", what, "] expected a group that works, got one that was destroyed");
}

void ProcessGroup::CheckPeer(const char* what, int peer) const {
  PD_CHECK(peer >= 0 && peer < size(), InvalidArgument, "[", what, "] expected a rank of the group, 0 to ", size() - 1,
           ", got ", peer);
}

std::shared_ptr<Task> ProcessGroup::Run(Collective c, std::vector<Tensor> held, std::function<void()> finish,
                                        bool sync) {
  CheckPeer(NameOf(c.kind), c.root);
  if (const phi::Place place = held.empty() ? phi::Place{} : held[0].place(); !place.is_cpu()) {
    CheckUsable(NameOf(c.kind));
    if (NcclGroup* gpus = OnGpus(place); gpus && NcclGroup::Serves(c)) {
      const Shown shown(c);
      return gpus->Run(c, held, finish, sync);
    }
    ByHost(std::move(c), place);
    if (finish) finish();
    return nullptr;
  }
  if (c.kind == CollectiveKind::kBarrier && gpus_) gpus_->Drain("barrier");
  std::shared_ptr<Task> task;
  {
    std::unique_lock lock(mutex_);
    CheckUsable(NameOf(c.kind));
    if (!sync || busy_ || !queue_.empty()) {
      task = std::make_shared<Task>();
      task->held = std::move(held);
      queue_.push_back({std::move(c), std::move(finish), task});
      if (!worker_.joinable()) {
        worker_ = std::thread([this] { Work(); });
        ::pthread_setname_np(worker_.native_handle(), "paddle-group");
      }
      changed_.notify_all();
    } else {
      busy_ = true;
    }
  }
  if (task) {
    if (sync) task->Wait();
    return task;
  }
  // Nothing is before it: on this thread.
  struct Idle {
    ProcessGroup& g;
    ~Idle() {
      std::lock_guard lock(g.mutex_);
      g.busy_ = false;
      g.changed_.notify_all();
    }
  } idle{*this};
  {
    const Shown shown(c);
    transport_->Run(c, Deadline::In(timeout_));
  }
  if (finish) finish();
  return nullptr;
}

void ProcessGroup::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !busy_ && (closed_ || !queue_.empty()); });
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr error;
    try {
      {
        const Shown shown(job.c);
        transport_->Run(job.c, Deadline::In(timeout_));
      }
      if (job.finish) job.finish();
    } catch (...) { error = std::current_exception(); }
    job.finish = nullptr;
    job.task->Finish(error);
    job.task.reset();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

NcclGroup* ProcessGroup::OnGpus(phi::Place place) {
  if (place.type != phi::AllocationType::GPU) return nullptr;
  if (asked_for_gpus_) {
    PD_CHECK(!gpus_ || gpus_->place() == place, InvalidArgument, "[new_group] expected tensors on ",
             phi::PlaceText(gpus_->place()), ", where the group communicates, got ", phi::PlaceText(place));
    return gpus_.get();
  }
  struct Offer {
    int64_t found;
    nccl::UniqueId id;
  };
  Offer mine{NcclGroup::Found(), {}};
  if (mine.found && rank_ == 0) mine.id = NcclGroup::NewId();
  std::vector<Offer> all(ranks_.size());
  Collective c{.kind = CollectiveKind::kAllGather};
  const auto span = [](Offer& o) { return Message{{{reinterpret_cast<char*>(&o), sizeof o}}}; };
  c.in = {span(mine)};
  for (Offer& o : all) c.out.push_back(span(o));
  Run(std::move(c), {}, nullptr, true);
  asked_for_gpus_ = true;
  if (std::all_of(all.begin(), all.end(), [](const Offer& o) { return o.found != 0; }))
    gpus_ = std::make_shared<NcclGroup>(place, size(), rank_, all[0].id, timeout_);
  return gpus_.get();
}

void ProcessGroup::ByHost(Collective c, phi::Place place) {
  std::vector<std::vector<char>> memory;
  const auto host = [&](const std::vector<Message>& messages, bool filled) {
    std::vector<Message> there;
    for (const Message& m : messages) {
      memory.emplace_back(m.bytes());
      there.push_back({{{memory.back().data(), m.bytes()}}});
      size_t at = 0;
      for (const Span& s : m.pieces) {
        if (filled) phi::CopyBytes(memory.back().data() + at, {}, s.data, place, s.bytes);
        at += s.bytes;
      }
    }
    return there;
  };
  const std::vector<Message> out = c.out;
  c.in = host(c.in, true);
  c.out = host(out, false);
  const std::vector<Message> there = c.out;
  Run(std::move(c), {}, nullptr, true);
  for (size_t k = 0; k < out.size(); ++k) {
    const char* from = there[k].pieces[0].data;
    for (const Span& s : out[k].pieces) {
      phi::CopyBytes(s.data, place, from, {}, s.bytes);
      from += s.bytes;
    }
  }
}

std::shared_ptr<Task> ProcessGroup::Transfer(bool sends, const Tensor& t, int peer, bool sync) {
  const char* what = sends ? "send" : "recv";
  CheckUsable(what);
  CheckPeer(what, peer);
  if (const phi::Place place = t.place(); !place.is_cpu()) {
    // Only two ranks are here, so NCCL's group, which all make, is there only after a collective.
    if (gpus_ && OnGpus(place)) return gpus_->Transfer(sends, t, peer, sync);
    const Tensor host = sends ? phi::ToHost(t) : phi::Empty(t.dims(), t.dtype());
    const auto done = Transfer(sends, host, peer, true);
    if (!sends) phi::CopyAcross(host, t);
    return done;
  }
  const Span data{static_cast<char*>(t.raw_data()), static_cast<size_t>(t.numel() * phi::SizeOf(t.dtype()))};
  auto task = peers_->Post(sends, peer, data, t.dtype(), {t}, Deadline::In(timeout_), !sync);
  task->owner = shared_from_this();
  if (sync) {
    const Shown shown(what, data.bytes);
    task->Wait();
  }
  return task;
}
std::shared_ptr<Task> ProcessGroup::Send(const Tensor& t, int peer, bool sync) { return Transfer(true, t, peer, sync); }
std::shared_ptr<Task> ProcessGroup::Receive(const Tensor& t, int peer, bool sync) {
  return Transfer(false, t, peer, sync);
}

void ProcessGroup::Abort() {
  CheckUsable("abort");
  if (gpus_) gpus_->Abort();
  transport_->Abort("aborted the group");
}

void ProcessGroup::BeginBatch() {
  if (gpus_) gpus_->BeginBatch();
}
void ProcessGroup::EndBatch() {
  if (gpus_) gpus_->EndBatch();
}

void ProcessGroup::Close() {
  if (owner_ == ::getpid() && !closed_ && gpus_) {
    try {
      gpus_->Close();
    } catch (const common::Error& e) { PD_VLOG(1) << e.what(); }
  }
  {
    std::unique_lock lock(mutex_);
    if (owner_ != ::getpid() || closed_) return;
    closed_ = true;
    changed_.notify_all();
    const auto ended = [&] { return !busy_ && queue_.empty(); };
    // By the clock of the day: ThreadSanitizer does not know waits by the steady one.
    if (!changed_.wait_until(lock, std::chrono::system_clock::now() + kPatience, ended)) {
      transport_->Abort("left with collectives under way");
      changed_.wait(lock, ended);
    }
  }
  if (worker_.joinable()) worker_.join();
  peers_->Drain(Clock::now() + kPatience);
  peers_->Stop();
  transport_->Leave();
}

}  // namespace paddle::distributed
