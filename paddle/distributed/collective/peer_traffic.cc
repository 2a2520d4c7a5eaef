// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/collective/peer_traffic.h"

#include <pthread.h>

#include <algorithm>
#include <sstream>

#include "paddle/common/error.h"

namespace paddle::distributed {

namespace {

// What goes before the bytes of a message.
struct Header {
  uint64_t bytes = 0;
  uint64_t dtype = 0;
};

std::exception_ptr Failed(common::ErrorCode code, std::string message) {
  return std::make_exception_ptr(common::Error(code, std::move(message)));
}

}  // namespace

class PeerTraffic::Transfer final : public Task {
 public:
  Transfer(PeerTraffic& traffic, bool sends, int peer, Span data, phi::DataType dtype, const Deadline& deadline)
      : sends(sends),
        peer(peer),
        deadline(deadline),
        traffic_(traffic),
        data_(data),
        mine_{data.bytes, static_cast<uint64_t>(dtype)},
        header_(sends ? mine_ : Header()) {}

  void Wait() override {
    while (!done()) {
      traffic_.transport_.Await(
          [&] {
            std::lock_guard lock(traffic_.mutex_);
            traffic_.Advance();
            return done();
          },
          deadline.when());
    }
    RaiseError();
  }

  // Moves what can be moved. True: all of it has been.
  bool Step(Transport& t) {
    auto* head = reinterpret_cast<char*>(&header_);
    while (head_moved_ < sizeof header_) {
      const size_t n = Move(t, head + head_moved_, sizeof header_ - head_moved_);
      if (n == 0) return false;
      head_moved_ += n;
    }
    const bool fits = header_.bytes == mine_.bytes && header_.dtype == mine_.dtype;
    while (moved_ < header_.bytes) {
      // What does not fit is taken from the pipe and dropped.
      char drop[4096];
      const size_t left = header_.bytes - moved_;
      const size_t n = fits ? Move(t, data_.data + moved_, left) : Move(t, drop, std::min(left, sizeof drop));
      if (n == 0) return false;
      moved_ += n;
    }
    return true;
  }

  void Complete(const std::string& from) {
    if (header_.bytes == mine_.bytes && header_.dtype == mine_.dtype) return Finish(nullptr);
    std::ostringstream os;
    const bool known = header_.dtype < phi::kNumDataTypes;
    os << "[recv] expected " << mine_.bytes << " bytes of " << phi::NameOf(static_cast<phi::DataType>(mine_.dtype))
       << " from " << from << ", got " << header_.bytes << " bytes of "
       << (known ? phi::NameOf(static_cast<phi::DataType>(header_.dtype)) : "an unknown dtype");
    Finish(Failed(common::ErrorCode::kInvalidArgument, os.str()));
  }

  const bool sends;
  const int peer;
  const Deadline deadline;

 private:
  size_t Move(Transport& t, char* data, size_t n) {
    return sends ? t.TrySend(peer, data, n) : t.TryReceive(peer, data, n);
  }

  PeerTraffic& traffic_;
  Span data_;
  const Header mine_;
  Header header_;
  size_t head_moved_ = 0, moved_ = 0;
};

PeerTraffic::PeerTraffic(Transport& transport, std::vector<int> names)
    : transport_(transport), names_(std::move(names)), peers_(names_.size()) {}

void PeerTraffic::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    for (Peer& p : peers_)
      for (Queue* q : {&p.sends, &p.receives})
        for (const auto& t : std::exchange(*q, {}))
          t->Finish(
              Failed(common::ErrorCode::kPreconditionNotMet,
                     std::string(t->sends ? "[send]" : "[recv]") +
                         " expected a group that exists until the transfer has ended, got one that was destroyed"));
  }
  posted_.notify_all();
  transport_.Wake();
  if (thread_.joinable()) thread_.join();
}

void PeerTraffic::Drain(Clock::time_point until) {
  const auto sent = [&] {
    std::lock_guard lock(mutex_);
    Advance();
    return std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.sends.empty(); });
  };
  if (!sent()) transport_.Await(sent, until);
}

std::shared_ptr<Task> PeerTraffic::Post(bool sends, int peer, Span data, phi::DataType dtype, std::vector<Tensor> held,
                                        const Deadline& deadline, bool background) {
  auto t = std::make_shared<Transfer>(*this, sends, peer, data, dtype, deadline);
  t->held = std::move(held);
  std::lock_guard lock(mutex_);
  Peer& p = peers_[static_cast<size_t>(t->peer)];
  PD_CHECK(p.broken.empty(), PreconditionNotMet, t->sends ? "[send]" : "[recv]", " expected rank ",
           names_[static_cast<size_t>(t->peer)], " to answer, got an earlier failure: ", p.broken);
  (t->sends ? p.sends : p.receives).push_back(t);
  Advance();
  if (background && !t->done()) {
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { RunBackground(); });
      ::pthread_setname_np(thread_.native_handle(), "paddle-peers");
    }
    posted_.notify_all();
  }
  return t;
}

bool PeerTraffic::AdvanceQueue(Queue& queue) {
  bool finished = false;
  while (!queue.empty() && queue.front()->Step(transport_)) {
    const std::shared_ptr<Transfer> t = std::move(queue.front());
    queue.pop_front();
    t->Complete("rank " + std::to_string(names_[static_cast<size_t>(t->peer)]));
    finished = true;
  }
  return finished;
}

void PeerTraffic::Advance() {
  bool finished = false;
  for (size_t i = 0; i < peers_.size(); ++i) {
    Peer& p = peers_[i];
    if (p.sends.empty() && p.receives.empty()) continue;
    // Asked first: what came before the end is still taken.
    const std::string gone = transport_.GoneBecause(static_cast<int>(i));
    finished |= AdvanceQueue(p.sends);
    finished |= AdvanceQueue(p.receives);
    for (Queue* q : {&p.sends, &p.receives}) {
      if (q->empty()) continue;
      const Transfer& first = *q->front();
      std::ostringstream why;
      if (!gone.empty())
        why << gone;
      else if (first.deadline.passed())
        why << "nothing came for " << first.deadline.seconds() << " s";
      else
        continue;
      Break(static_cast<int>(i), why.str(), first);
      finished = true;
    }
  }
  if (finished) transport_.Wake();
}

void PeerTraffic::Break(int peer, const std::string& why, const Transfer& first) {
  Peer& p = peers_[static_cast<size_t>(peer)];
  p.broken = why;
  const std::string text = std::string(first.sends ? "[send]" : "[recv]") + " expected rank " +
                           std::to_string(names_[static_cast<size_t>(peer)]) +
                           (first.sends ? " to receive" : " to send") + ", got nothing: " + why;
  const auto error = Failed(common::ErrorCode::kPreconditionNotMet, text);
  for (Queue* q : {&p.sends, &p.receives})
    for (const auto& t : std::exchange(*q, {})) t->Finish(error);
}

bool PeerTraffic::idle() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.sends.empty() && p.receives.empty(); });
}

Clock::time_point PeerTraffic::NextDeadline() const {
  Clock::time_point next = Clock::now() + std::chrono::hours(1);
  for (const Peer& p : peers_)
    for (const Queue* q : {&p.sends, &p.receives})
      if (!q->empty()) next = std::min(next, q->front()->deadline.when());
  return next;
}

void PeerTraffic::RunBackground() {
  std::unique_lock lock(mutex_);
  for (;;) {
    posted_.wait(lock, [&] { return stop_ || !idle(); });
    if (stop_) return;
    const Clock::time_point until = NextDeadline();
    lock.unlock();
    transport_.Await(
        [&] {
          std::lock_guard inner(mutex_);
          if (stop_) return true;
          Advance();
          return idle();
        },
        until);
    lock.lock();
  }
}

}  // namespace paddle::distributed
