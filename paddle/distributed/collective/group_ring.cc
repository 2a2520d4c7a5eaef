// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/collective/group_ring.h"

#include <utility>

#include "paddle/common/error.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/tensor_copy.h"

namespace paddle::distributed {
namespace {

using Call = phi::RingCall;

// A sender that is further ahead waits.
constexpr size_t kMostUnderWay = 1024;

size_t BytesOf(const Tensor& t) { return static_cast<size_t>(t.numel()) * phi::SizeOf(t.dtype()); }

Message Whole(const Tensor& t) { return {{{static_cast<char*>(t.raw_data()), BytesOf(t)}}}; }

// One message for each process: so many rows, or an equal share.
std::vector<Message> Cut(const char* op, const Tensor& t, const std::vector<int64_t>& rows, int size) {
  const int64_t count = t.ndim() == 0 ? 1 : t.dim(0);
  const auto n = static_cast<size_t>(size);
  PD_CHECK(rows.empty() ? count % size == 0 : rows.size() == n, InvalidArgument, "[", op, "] expected rows for ", size,
           " processes, got ", rows.empty() ? count : static_cast<int64_t>(rows.size()));
  const size_t row = count == 0 ? 0 : BytesOf(t) / static_cast<size_t>(count);
  std::vector<Message> messages;
  char* at = static_cast<char*>(t.raw_data());
  for (size_t r = 0; r < n; ++r) {
    const size_t bytes = row * static_cast<size_t>(rows.empty() ? count / size : rows[r]);
    messages.push_back({{{at, bytes}}});
    at += bytes;
  }
  return messages;
}

}  // namespace

std::shared_ptr<ProcessGroup> GroupRing::Group(const char* op) const {
  auto group = group_.lock();
  PD_CHECK(group, PreconditionNotMet, "[", op, "] expected a group that works, got one that was destroyed");
  return group;
}

void GroupRing::Run(const Call& call) {
  using Kind = CollectiveKind;
  const char* op = NameOf(call.kind);
  const auto group = Group(op);
  const bool is_root = call.root == rank_;
  Collective c{.kind = call.kind, .root = call.root};
  std::vector<Tensor> held;
  for (const Tensor& t : {call.in, call.out})
    if (t.defined()) held.push_back(t);
  if (!held.empty()) c.dtype = held[0].dtype();
  if (call.kind == Kind::kAllReduce || call.kind == Kind::kReduce || call.kind == Kind::kReduceScatter) {
    PD_CHECK(call.op >= 0 && call.op < kNumReduceOps, InvalidArgument, "[", op,
             "] expected a ReduceOp (SUM, MAX, MIN, PROD, AVG), got ", call.op);
    c.op = static_cast<ReduceOp>(call.op);
    CheckReduction(op, c.dtype, c.op);
  }
  switch (call.kind) {
    case Kind::kNone:
    case Kind::kBarrier: break;
    case Kind::kAllReduce:
      c.in = {Whole(call.in)};
      c.out = {Whole(call.out)};
      break;
    case Kind::kReduce:
      c.in = {Whole(call.in)};
      if (is_root) c.out = {Whole(call.out)};
      break;
    case Kind::kBroadcast:
      if (is_root)
        c.in = {Whole(call.in)};
      else
        c.out = {Whole(call.out)};
      break;
    case Kind::kAllGather:
    case Kind::kGather:
      c.in = {Whole(call.in)};
      if (is_root || call.kind == Kind::kAllGather) c.out = Cut(op, call.out, call.out_rows, size_);
      break;
    case Kind::kScatter:
      if (is_root) c.in = Cut(op, call.in, call.in_rows, size_);
      c.out = {Whole(call.out)};
      break;
    case Kind::kReduceScatter:
      c.in = Cut(op, call.in, call.in_rows, size_);
      c.out = {Whole(call.out)};
      break;
    case Kind::kAllToAll:
      c.in = Cut(op, call.in, call.in_rows, size_);
      c.out = Cut(op, call.out, call.out_rows, size_);
      break;
  }
  group->Run(std::move(c), std::move(held), nullptr, true);
}

void GroupRing::Send(const Tensor& x, int peer, bool wait) {
  const auto group = Group("send");
  if (wait) {
    group->Send(x, peer, true);
    return;
  }
  std::lock_guard lock(mutex_);
  sent_.push_back(group->Send(phi::CopyOf(x), peer, false));
  while (!sent_.empty() && (sent_.front()->done() || sent_.size() > kMostUnderWay)) {
    const std::shared_ptr<Task> first = std::move(sent_.front());
    sent_.pop_front();
    first->Wait();
  }
}

void GroupRing::Receive(const Tensor& out, int peer, bool wait) {
  const auto group = Group("recv");
  if (wait) {
    group->Receive(out, peer, true);
    return;
  }
  const Tensor data = phi::Empty(out.dims(), out.dtype(), out.place());
  std::lock_guard lock(mutex_);
  if (out.numel() == 0)
    empty_.push_back(group->Receive(data, peer, false));
  else
    coming_[out.raw_data()] = {group->Receive(data, peer, false), data};
}

bool GroupRing::Complete(const Tensor& out, const Tensor& to) {
  Coming coming;
  {
    std::lock_guard lock(mutex_);
    if (out.numel() == 0) {
      if (empty_.empty()) return false;
      coming.task = std::move(empty_.front());
      empty_.pop_front();
    } else {
      const auto found = coming_.find(out.raw_data());
      if (found == coming_.end()) return false;
      coming = std::move(found->second);
      coming_.erase(found);
    }
  }
  coming.task->Wait();
  if (out.numel() > 0) phi::CopyInto(coming.data, to);
  return true;
}

}  // namespace paddle::distributed
