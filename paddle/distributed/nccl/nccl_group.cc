// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/nccl/nccl_group.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "paddle/common/error.h"
#include "paddle/common/logging.h"
#include "paddle/distributed/deadline.h"
#include "paddle/phi/core/device.h"

namespace paddle::distributed {
namespace {

using phi::DataType;

const nccl::Api& Api() { return *nccl::Find(); }

// Of bytes: moves look at nothing.
constexpr nccl::DataType kBytes = nccl::kUint8;

// The dtype and operation of a reduction; false where NCCL has none. A complex number is two.
bool Reduction(DataType dtype, ReduceOp op, nccl::DataType* type, nccl::RedOp* how, size_t* elem) {
  constexpr nccl::RedOp kOps[] = {nccl::kSum, nccl::kMax, nccl::kMin, nccl::kProd, nccl::kAvg};
  *how = kOps[static_cast<size_t>(op)];
  *elem = static_cast<size_t>(phi::SizeOf(dtype));
  switch (dtype) {
    case DataType::BOOL:  // sums are "or", products "and"
      *type = nccl::kUint8;
      if (op == ReduceOp::kSum) *how = nccl::kMax;
      if (op == ReduceOp::kProd) *how = nccl::kMin;
      return op != ReduceOp::kAvg;
    case DataType::INT8: *type = nccl::kInt8; return op != ReduceOp::kAvg;
    case DataType::UINT8: *type = nccl::kUint8; return op != ReduceOp::kAvg;
    case DataType::INT32: *type = nccl::kInt32; return op != ReduceOp::kAvg;
    case DataType::INT64: *type = nccl::kInt64; return op != ReduceOp::kAvg;
    case DataType::FLOAT16: *type = nccl::kFloat16; return true;
    case DataType::BFLOAT16: *type = nccl::kBfloat16; return true;
    case DataType::FLOAT32: *type = nccl::kFloat32; return true;
    case DataType::FLOAT64: *type = nccl::kFloat64; return true;
    case DataType::COMPLEX64: *type = nccl::kFloat32; break;
    case DataType::COMPLEX128: *type = nccl::kFloat64; break;
    default: return false;
  }
  *elem /= 2;
  return op == ReduceOp::kSum || op == ReduceOp::kAvg;
}
bool Reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduce ||
         kind == CollectiveKind::kReduceScatter;
}

// Pieces of two messages of as many bytes that cover each other.
template <class F>
void EachPiece(const Message& a, const Message& b, F f) {
  size_t i = 0, k = 0, at = 0, from = 0;
  while (i < a.pieces.size() && k < b.pieces.size()) {
    const size_t n = std::min(a.pieces[i].bytes - at, b.pieces[k].bytes - from);
    if (n) f(a.pieces[i].data + at, b.pieces[k].data + from, n);
    at += n, from += n;
    if (at == a.pieces[i].bytes) ++i, at = 0;
    if (k < b.pieces.size() && from == b.pieces[k].bytes) ++k, from = 0;
  }
}
template <class F>
void EachPiece(const Message& a, F f) {
  EachPiece(a, a, [&](char* p, char*, size_t n) { f(p, n); });
}
// All ranks see the same sizes, so they choose the same calls.
bool AreEqual(const std::vector<Message>& messages) {
  return std::all_of(messages.begin(), messages.end(),
                     [&](const Message& m) { return m.bytes() == messages[0].bytes() && m.bytes() > 0; });
}
// Where messages of one size follow each other in memory; null where they do not.
char* Whole(const std::vector<Message>& messages) {
  char* next = nullptr;
  for (const Message& m : messages) {
    if (m.pieces.size() != 1 || m.bytes() != messages[0].bytes() || (next && m.pieces[0].data != next)) return nullptr;
    next = m.pieces[0].data + m.bytes();
  }
  return messages.empty() ? nullptr : messages[0].pieces[0].data;
}

}  // namespace

// What was put on the group's stream. Waiting is the current stream's; Synchronize is the host's.
class NcclTask final : public Task {
 public:
  NcclTask(std::shared_ptr<NcclGroup> group, const char* what)
      : group_(std::move(group)), what_(what), event_(std::make_shared<DeviceEvent>(group_->place())) {}
  // The stream now has its work.
  void Put() {
    event_->Record(group_->stream_);
    if (watched) watched->issued = true;
  }
  void Wait() override { phi::StreamWaitEvent(group_->place(), phi::CurrentStream(group_->place()), event_->get()); }
  void Synchronize() override { group_->Await(*event_, what_); }
  bool done() const override { return event_->reached(); }
  const std::shared_ptr<const DeviceEvent> event() const { return event_; }
  std::shared_ptr<NcclWatch::Call> watched;  // null: in a graph

 private:
  const std::shared_ptr<NcclGroup> group_;
  const char* what_;
  const std::shared_ptr<const DeviceEvent> event_;
};

nccl::UniqueId NcclGroup::NewId() {
  nccl::UniqueId id{};
  const nccl::Result r = Api().GetUniqueId(&id);
  PD_CHECK(r == nccl::kSuccess, PreconditionNotMet,
           "[nccl] expected an id for a group, got: ", Api().GetErrorString(r));
  return id;
}

NcclGroup::NcclGroup(phi::Place place, int ranks, int rank, const nccl::UniqueId& id, double timeout)
    : place_(place), ranks_(ranks), rank_(rank), timeout_(timeout) {
  stream_ = phi::CreateStream(place);
  phi::SynchronizeDevice(place);  // makes its context the thread's
  Check(Api().CommInitRank(&comm_, ranks, id, rank), "ncclCommInitRank");
  PD_VLOG(1) << "NCCL " << Api().version << " joins " << ranks << " ranks on " << phi::PlaceText(place);
}
NcclGroup::~NcclGroup() {
  watch_.reset();
  try {
    Abort();  // it was not closed
    phi::DestroyStream(place_, stream_);
  } catch (const common::Error& e) { PD_VLOG(1) << e.what(); }
}
void NcclGroup::Drain(const char* what) {
  if (!comm_ || broken_) return;
  NcclTask task(shared_from_this(), what);
  task.Put();
  task.Synchronize();
}
void NcclGroup::Close() {
  Drain("close");
  watch_.reset();
  std::lock_guard<std::mutex> lock(mutex_);
  const nccl::Comm comm = std::exchange(comm_, nullptr);
  if (comm && !broken_) Api().CommDestroy(comm);
}

void NcclGroup::Abort() {
  constexpr auto kPatience = std::chrono::seconds(1);  // with a call that is only on its way to the stream
  std::unique_lock<std::mutex> lock(mutex_);
  if (!comm_ || broken_.exchange(true)) return;
  changed_.wait_for(lock, kPatience, [&] { return !calling_; });
  Api().CommAbort(comm_);
}

std::string NcclGroup::AsyncError() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!comm_ || broken_) return "";
  nccl::Result error = nccl::kSuccess;
  Api().CommGetAsyncError(comm_, &error);
  return error == nccl::kSuccess || error == nccl::kInProgress ? "" : Api().GetErrorString(error);
}
void NcclGroup::GiveUp(const std::string& why) {
  const std::string text = "rank " + std::to_string(rank_) + " of " + std::to_string(ranks_) + " gave up " + why;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!comm_ || broken_) return;
    why_ = text;
  }
  std::fprintf(stderr, "[nccl] %s\n", text.c_str());
  Abort();
}
std::string NcclGroup::WhyBroken() {
  std::lock_guard<std::mutex> lock(mutex_);
  return why_.empty() ? "one whose communication failed or that was destroyed" : why_;
}

void NcclGroup::Check(nccl::Result r, const char* what) const {
  PD_CHECK(r == nccl::kSuccess || r == nccl::kInProgress, PreconditionNotMet, "[", phi::PlaceText(place_), "] ", what,
           " failed: ", Api().GetErrorString(r));
}

void NcclGroup::Await(const DeviceEvent& event, const char* what) {
  const Deadline deadline = Deadline::In(timeout_);
  std::string why;
  while (why.empty()) {
    if (!broken_ && event.reached()) return;
    if (broken_)
      why = WhyBroken();
    else if (why = AsyncError(); why.empty() && deadline.passed())
      why = "it has not ended within " + std::to_string(deadline.seconds()) + " s";
    else if (why.empty())
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  Abort();
  PD_THROW(PreconditionNotMet, "[", what, "] expected NCCL to end it on all ranks, got on rank ", rank_, " of ", ranks_,
           ": ", why);
}

std::shared_ptr<Task> NcclGroup::Launch(const char* what, const std::vector<Tensor>& held,
                                        const std::function<void()>& finish, bool sync,
                                        const std::function<void()>& issue) {
  // While it is in a call the communicator is not taken away.
  struct Calling {
    explicit Calling(NcclGroup& g, const char* what) : group(g) {
      std::unique_lock<std::mutex> lock(g.mutex_);
      if (g.comm_ && !g.broken_) {
        g.calling_ = true;
        return;
      }
      lock.unlock();
      PD_THROW(PreconditionNotMet, "[", what, "] expected a group that works, got ", g.WhyBroken());
    }
    ~Calling() {
      {
        std::lock_guard<std::mutex> lock(group.mutex_);
        group.calling_ = false;
      }
      group.changed_.notify_all();
    }
    NcclGroup& group;
  };
  auto task = std::make_shared<NcclTask>(shared_from_this(), what);
  ++calls_;
  {
    const Calling calling(*this, what);
    nccl::Result before = nccl::kSuccess;
    Api().CommGetAsyncError(comm_, &before);
    Check(before, what);
    phi::WaitInStream(place_, stream_);
    for (const Tensor& t : held) phi::UseInStream(*t->storage(), stream_);
    if (!phi::IsCapturing(place_)) {
      auto begun = std::make_shared<DeviceEvent>(place_);
      begun->Record(stream_);
      task->watched = std::make_shared<NcclWatch::Call>();
      task->watched->what = what, task->watched->number = calls_;
      task->watched->begun = std::move(begun), task->watched->ended = task->event();
      if (!watch_)
        watch_ = std::make_unique<NcclWatch>(
            place_, timeout_, [this] { return AsyncError(); }, [this](const std::string& why) { GiveUp(why); });
      watch_->Add(task->watched);
    }
    try {
      Check(Api().GroupStart(), what);
      try {
        issue();
      } catch (...) {
        Api().GroupEnd();
        throw;
      }
      Check(Api().GroupEnd(), what);
    } catch (...) {
      if (task->watched) task->watched->dropped = true;
      throw;
    }
  }
  if (batching_) {
    batch_.push_back(task);
    return task;
  }
  task->Put();
  if (sync || finish) task->Wait();
  if (finish) finish();
  return task;
}

void NcclGroup::BeginBatch() {
  Check(Api().GroupStart(), "ncclGroupStart");
  batching_ = true;
}
void NcclGroup::EndBatch() {
  batching_ = false;
  const auto tasks = std::move(batch_);
  batch_.clear();
  Check(Api().GroupEnd(), "ncclGroupEnd");
  for (const auto& task : tasks) task->Put();
}

bool NcclGroup::Serves(const Collective& c) {
  nccl::DataType type{};
  nccl::RedOp how{};
  size_t elem = 0;
  return c.kind != CollectiveKind::kBarrier && (!Reduces(c.kind) || Reduction(c.dtype, c.op, &type, &how, &elem));
}

void NcclGroup::Issue(const Collective& c) {
  const nccl::Api& api = Api();
  nccl::DataType type{};
  nccl::RedOp how{};
  size_t elem = 1;
  if (Reduces(c.kind)) Reduction(c.dtype, c.op, &type, &how, &elem);
  const auto send = [&](const Message& m, int to) {
    EachPiece(m, [&](char* p, size_t n) { Check(api.Send(p, n, kBytes, to, comm_, stream_), "ncclSend"); });
  };
  const auto receive = [&](const Message& m, int from) {
    EachPiece(m, [&](char* p, size_t n) { Check(api.Receive(p, n, kBytes, from, comm_, stream_), "ncclRecv"); });
  };
  const auto reduce = [&](const Message& in, const Message& out, int root) {
    EachPiece(in, out, [&](char* from, char* to, size_t n) {
      Check(api.Reduce(from, to, n / elem, type, how, root, comm_, stream_), "ncclReduce");
    });
  };
  const auto at = [](size_t r) { return static_cast<int>(r); };
  switch (c.kind) {
    case CollectiveKind::kAllReduce:
      EachPiece(c.in[0], c.out[0], [&](char* from, char* to, size_t n) {
        Check(api.AllReduce(from, to, n / elem, type, how, comm_, stream_), "ncclAllReduce");
      });
      break;
    case CollectiveKind::kReduce: reduce(c.in[0], c.out.empty() ? c.in[0] : c.out[0], c.root); break;
    case CollectiveKind::kBroadcast:
      EachPiece(c.in.empty() ? c.out[0] : c.in[0], [&](char* p, size_t n) {
        Check(api.Broadcast(p, p, n, kBytes, c.root, comm_, stream_), "ncclBroadcast");
      });
      break;
    case CollectiveKind::kAllGather:
      if (AreEqual(c.out)) {
        Check(api.AllGather(c.in[0].pieces[0].data, Whole(c.out), c.in[0].bytes(), kBytes, comm_, stream_),
              "ncclAllGather");
        break;
      }
      for (size_t r = 0; r < c.out.size(); ++r) send(c.in[0], at(r)), receive(c.out[r], at(r));
      break;
    case CollectiveKind::kReduceScatter:
      if (AreEqual(c.in)) {
        Check(
            api.ReduceScatter(Whole(c.in), c.out[0].pieces[0].data, c.out[0].bytes() / elem, type, how, comm_, stream_),
            "ncclReduceScatter");
        break;
      }
      for (size_t r = 0; r < c.in.size(); ++r) reduce(c.in[r], at(r) == rank_ ? c.out[0] : c.in[r], at(r));
      break;
    default:  // messages: kGather, kScatter, kAllToAll
      if (c.kind == CollectiveKind::kGather) {
        send(c.in[0], c.root);
        for (size_t r = 0; r < c.out.size(); ++r) receive(c.out[r], at(r));
      } else if (c.kind == CollectiveKind::kScatter) {
        for (size_t r = 0; r < c.in.size(); ++r) send(c.in[r], at(r));
        receive(c.out[0], c.root);
      } else {
        for (size_t r = 0; r < c.in.size(); ++r) send(c.in[r], at(r)), receive(c.out[r], at(r));
      }
  }
}

std::shared_ptr<Task> NcclGroup::Run(const Collective& c, const std::vector<Tensor>& held,
                                     const std::function<void()>& finish, bool sync) {
  Collective whole = c;
  std::vector<Tensor> kept = held;
  std::function<void()> last = finish;
  const auto room = [&](std::vector<Message>& messages) {
    size_t bytes = 0;
    for (const Message& m : messages) bytes += m.bytes();
    kept.push_back(phi::Empty({static_cast<int64_t>(bytes)}, DataType::UINT8, place_));
    auto* to = static_cast<char*>(kept.back().raw_data());
    for (Message& m : messages) {
      const size_t n = m.bytes();
      m.pieces = {{to, n}};
      to += n;
    }
  };
  const auto copy = [place = place_](const std::vector<Message>& from, const std::vector<Message>& to) {
    for (size_t r = 0; r < from.size(); ++r)
      EachPiece(from[r], to[r], [&](const char* a, char* b, size_t n) { phi::CopyBytes(b, place, a, place, n); });
  };
  // What NCCL takes as one part of memory, and is several.
  const bool gathers = c.kind == CollectiveKind::kAllGather && AreEqual(c.out);
  if (gathers || (c.kind == CollectiveKind::kReduceScatter && AreEqual(c.in))) {
    if (!Whole(c.in)) {
      room(whole.in);
      copy(c.in, whole.in);
    }
    if (!Whole(c.out)) {
      room(whole.out);
      last = [copy, from = whole.out, to = c.out, memory = kept.back(), finish] {
        copy(from, to);
        if (finish) finish();
      };
    }
  }
  return Launch(NameOf(c.kind), kept, last, sync, [&] { Issue(whole); });
}
std::shared_ptr<Task> NcclGroup::Transfer(bool sends, const Tensor& t, int peer, bool sync) {
  const auto n = static_cast<size_t>(t.numel() * phi::SizeOf(t.dtype()));
  return Launch(sends ? "send" : "recv", {t}, nullptr, sync, [&] {
    if (!n) return;
    if (sends)
      Check(Api().Send(t.raw_data(), n, kBytes, peer, comm_, stream_), "ncclSend");
    else
      Check(Api().Receive(t.raw_data(), n, kBytes, peer, comm_, stream_), "ncclRecv");
  });
}

}  // namespace paddle::distributed
