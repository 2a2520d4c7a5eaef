// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/store/store_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <map>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/distributed/socket.h"
#include "paddle/distributed/store/wire.h"

namespace paddle::distributed {

namespace {

using wire::Op;
using wire::Status;

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  unsigned char differ = a.size() != b.size();
  for (size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return differ == 0;
}

std::optional<int64_t> ParseNumber(const std::string& text) {
  int64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return v;
}

struct Client {
  Fd fd;
  bool greeted = false;
  bool closing = false;
  int rank = -1;         // in the job
  bool leaving = false;  // it has said that it ends
  std::string in, out;
  // The request that waits: its keys, whether it wants the value of the first, and until when.
  std::vector<std::string> awaited;
  bool wants_value = false;
  std::vector<int> needed;  // the ranks without which it does not go on; empty: any that dies while it waits
  Clock::time_point until;
};

}  // namespace

class StoreServer::Loop {
 public:
  Loop(Fd listener, std::string secret)
      : secret_(std::move(secret)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    PD_CHECK(epoll_ && stop_, Io, "[TCPStore] expected descriptors for the server, got: ", std::strerror(errno));
    KeepOwn(listener_, std::move(listener));
    Watch(EPOLL_CTL_ADD, listener_.get(), EPOLLIN);
    Watch(EPOLL_CTL_ADD, stop_.get(), EPOLLIN);
    thread_ = std::thread([this] { Run(); });
    ::pthread_setname_np(thread_.native_handle(), "paddle-store");
  }
  ~Loop() {
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
    ForgetOwn(listener_);
    for (const auto& [fd, c] : clients_) ForgetOwn(c.fd);
  }

 private:
  void Watch(int how, int fd, uint32_t events) {
    epoll_event e{};
    e.events = events;
    e.data.fd = fd;
    ::epoll_ctl(epoll_.get(), how, fd, &e);
  }

  void Run() {
    for (;;) {
      epoll_event events[64];
      const int n = ::epoll_wait(epoll_.get(), events, 64, NextTimeout());
      for (int i = 0; i < n; ++i) {
        const int fd = events[i].data.fd;
        if (fd == stop_.get()) return;
        if (fd == listener_.get())
          AcceptAll();
        else
          Serve(fd, events[i].events);
      }
      ExpireWaits();
    }
  }

  int NextTimeout() const {
    std::optional<Clock::time_point> first;
    for (const auto& [fd, c] : clients_)
      if (!c.awaited.empty() && (!first || c.until < *first)) first = c.until;
    if (!first) return -1;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*first - Clock::now()).count() + 1;
    return static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX));
  }

  void AcceptAll() {
    for (;;) {
      Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!fd) return;
      SendAtOnce(fd.get());
      Watch(EPOLL_CTL_ADD, fd.get(), EPOLLIN);
      const int number = fd.get();
      KeepOwn(clients_[number].fd, std::move(fd));
    }
  }

  void Serve(int fd, uint32_t events) {
    const auto at = clients_.find(fd);
    if (at == clients_.end()) return;
    Client& c = at->second;
    bool open = true;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) open = Read(c);
    if (open) open = Flush(c);
    if (!open) Lose(at);
  }

  // A connection has ended, and with it, where it has a rank, a process of the job.
  void Lose(std::map<int, Client>::iterator at) {
    const int rank = at->second.rank;
    const bool died = !at->second.leaving;
    ForgetOwn(at->second.fd);
    clients_.erase(at);
    if (rank < 0) return;
    Returned(rank);
    ended_.emplace_back(rank, died);
    for (auto& [fd, c] : clients_) {
      const bool counts = c.needed.empty() ? died : std::find(c.needed.begin(), c.needed.end(), rank) != c.needed.end();
      if (c.awaited.empty() || !counts) continue;
      GiveUp(c, TextOf(ended_.back()));
      if (!Flush(c)) Hang(fd);
    }
  }
  void Returned(int rank) {
    std::erase_if(ended_, [&](const auto& e) { return e.first == rank; });
  }
  static std::string TextOf(const std::pair<int, bool>& ended) {
    return "rank " + std::to_string(ended.first) + (ended.second ? ": its process died" : ": it left the job");
  }
  // Which of these ranks ended first: others may have ended because of it. Empty: none has.
  std::string FirstEnded(const std::vector<int>& ranks) const {
    for (const auto& e : ended_)
      if (std::find(ranks.begin(), ranks.end(), e.first) != ranks.end()) return TextOf(e);
    return {};
  }
  void GiveUp(Client& c, const std::string& ended) {
    Reply(c, wire::Writer(Status::kEnded).Text(*Missing(c)).Text(ended));
    c.awaited.clear();
  }

  // False: the connection has ended.
  bool Read(Client& c) {
    char buffer[16384];
    for (;;) {
      const ssize_t n = ::recv(c.fd.get(), buffer, sizeof buffer, 0);
      if (n == 0) return false;
      if (n < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
        break;
      }
      c.in.append(buffer, static_cast<size_t>(n));
      if (!HandleAll(c)) return false;
    }
    return true;
  }

  // The whole messages that have come.
  bool HandleAll(Client& c) {
    size_t at = 0;
    while (!c.closing && c.in.size() - at >= 4) {
      uint32_t size;
      std::memcpy(&size, c.in.data() + at, 4);
      if (size > (c.greeted ? wire::kLargest : wire::kLargestGreeting)) return false;
      if (c.in.size() - at - 4 < size) break;
      if (!c.awaited.empty()) return false;  // a client asks one thing at a time
      const std::string body = c.in.substr(at + 4, size);
      at += 4 + size;
      Handle(c, body);
    }
    c.in.erase(0, at);
    return true;
  }

  void Reply(Client& c, wire::Writer w) { c.out += w.Finish(); }
  void Invalid(Client& c) {
    Reply(c, wire::Writer(Status::kInvalid));
    c.closing = true;
  }

  void Handle(Client& c, std::string_view body) {
    wire::Reader r(body);
    const auto op = static_cast<Op>(r.Code());
    if (!c.greeted) {
      const std::string greeting = r.Text(), secret = r.Text();
      const auto rank = static_cast<int>(r.Number());
      c.greeted = r.done() && op == Op::kHello && greeting == wire::kGreeting && EqualInConstantTime(secret, secret_);
      c.closing = !c.greeted;
      if (c.greeted && rank >= 0) {
        c.rank = rank;
        Returned(rank);
      }
      return Reply(c, wire::Writer(c.greeted ? Status::kOk : Status::kRefused));
    }
    switch (op) {
      case Op::kSet: {
        std::string key = r.Text(), value = r.Text();
        if (!r.done()) return Invalid(c);
        Put(std::move(key), std::move(value));
        return Reply(c, wire::Writer(Status::kOk));
      }
      case Op::kAdd: {
        std::string key = r.Text();
        const int64_t amount = r.Number();
        if (!r.done()) return Invalid(c);
        const auto found = values_.find(key);
        const auto before = found == values_.end() ? std::optional<int64_t>(0) : ParseNumber(found->second);
        int64_t sum = 0;
        if (!before || __builtin_add_overflow(*before, amount, &sum)) return Reply(c, wire::Writer(Status::kRefused));
        Put(std::move(key), std::to_string(sum));
        return Reply(c, wire::Writer(Status::kOk).Number(sum));
      }
      case Op::kCheck:
      case Op::kDelete: {
        const std::string key = r.Text();
        if (!r.done()) return Invalid(c);
        const bool found = op == Op::kDelete ? values_.erase(key) > 0 : values_.contains(key);
        return Reply(c, wire::Writer(Status::kOk).Number(found));
      }
      case Op::kGet:
      case Op::kWait: {
        const int64_t ms = r.Number();
        std::vector<int> needed = r.Numbers();
        const int64_t n = op == Op::kGet ? 1 : r.Number();
        std::vector<std::string> keys;
        for (int64_t i = 0; i < n && r.ok(); ++i) keys.push_back(r.Text());
        if (!r.done() || keys.empty()) return Invalid(c);
        c.awaited = std::move(keys);
        c.needed = std::move(needed);
        c.wants_value = op == Op::kGet;
        c.until = Clock::now() + std::chrono::milliseconds(std::clamp<int64_t>(ms, 0, 1'000'000'000'000));
        if (Answer(c)) return;
        if (const std::string ended = FirstEnded(c.needed); !ended.empty()) GiveUp(c, ended);
        return;
      }
      case Op::kEnded: {
        const std::vector<int> ranks = r.Numbers();
        if (!r.done()) return Invalid(c);
        return Reply(c, wire::Writer(Status::kOk).Text(FirstEnded(ranks)));
      }
      case Op::kLeave: {
        c.leaving = true;
        return Reply(c, wire::Writer(Status::kOk));
      }
      default: return Invalid(c);
    }
  }

  const std::string* Missing(const Client& c) const {
    for (const std::string& key : c.awaited)
      if (!values_.contains(key)) return &key;
    return nullptr;
  }

  // Ends the wait of a client if its keys are there. Whether it did.
  bool Answer(Client& c) {
    if (Missing(c)) return false;
    wire::Writer w(Status::kOk);
    if (c.wants_value) w.Text(values_[c.awaited.front()]);
    c.awaited.clear();
    Reply(c, std::move(w));
    return true;
  }

  void Put(std::string key, std::string value) {
    const bool known = values_.contains(key);
    values_[key] = std::move(value);
    if (known) return;
    std::vector<int> ended;
    for (auto& [fd, c] : clients_)
      if (!c.awaited.empty() && Answer(c) && !Flush(c)) ended.push_back(fd);
    for (int fd : ended) Hang(fd);
  }

  // Closes a connection that may be in use further up: its events end it.
  void Hang(int fd) { ::shutdown(fd, SHUT_RDWR); }

  void ExpireWaits() {
    const auto now = Clock::now();
    for (auto& [fd, c] : clients_) {
      if (c.awaited.empty() || c.until > now) continue;
      Reply(c, wire::Writer(Status::kTimeout).Text(*Missing(c)));
      c.awaited.clear();
      if (!Flush(c)) Hang(fd);
    }
  }

  // Sends what the socket takes. False: the connection has ended.
  bool Flush(Client& c) {
    while (!c.out.empty()) {
      const ssize_t n = ::send(c.fd.get(), c.out.data(), c.out.size(), MSG_NOSIGNAL);
      if (n < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
        break;
      }
      c.out.erase(0, static_cast<size_t>(n));
    }
    Watch(EPOLL_CTL_MOD, c.fd.get(), EPOLLIN | (c.out.empty() ? 0u : static_cast<uint32_t>(EPOLLOUT)));
    return !(c.closing && c.out.empty());
  }

  Fd listener_;
  const std::string secret_;
  Fd epoll_, stop_;
  std::unordered_map<std::string, std::string> values_;
  std::map<int, Client> clients_;
  std::vector<std::pair<int, bool>> ended_;  // ranks whose process has, in order: whether it died
  std::thread thread_;
};

StoreServer::StoreServer(const std::string& host, int port, std::string secret) : owner_(::getpid()) {
  auto [listener, got] = ListenTcp("[TCPStore]", host, port);
  port_ = got;
  loop_ = std::make_unique<Loop>(std::move(listener), std::move(secret));
}
// A process forked from the owner has no thread to end, and shares the event that ends the owner's.
StoreServer::~StoreServer() {
  if (owner_ != ::getpid()) static_cast<void>(loop_.release());
}

}  // namespace paddle::distributed
