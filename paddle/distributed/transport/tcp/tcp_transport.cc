// SPDX-License-Identifier: Apache-2.0
// Before a collective all ranks tell each other what they bring, so calls that differ are found before anything moves.
// Then each transfer is one frame: who fails between frames can say why.
#include "paddle/distributed/transport/tcp/tcp_transport.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "paddle/common/error.h"

namespace paddle::distributed::tcp {

namespace {

// Reductions of at most this many bytes go whole to all: one exchange instead of two.
constexpr size_t kShort = 16 << 10;
// Bytes of a long reduction that are under way at once.
constexpr size_t kBlock = 8 << 20;
// Bytes of a text that says why a group failed.
constexpr size_t kLongestText = 4096;

void Signal(int fd) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);
}

// Bytes `begin` to `begin + bytes` of a message.
Message Slice(const Message& m, size_t begin, size_t bytes) {
  Message slice;
  for (const Span& s : m.pieces) {
    const size_t skip = std::min(begin, s.bytes), n = std::min(bytes, s.bytes - skip);
    begin -= skip;
    bytes -= n;
    if (n > 0) slice.pieces.push_back({s.data + skip, n});
  }
  return slice;
}

Message Whole(void* data, size_t bytes) { return {{{static_cast<char*>(data), bytes}}}; }

void CopyOut(const Message& m, char* to) {
  for (const Span& s : m.pieces) {
    std::memcpy(to, s.data, s.bytes);
    to += s.bytes;
  }
}
void CopyIn(const char* from, const Message& m) {
  for (const Span& s : m.pieces) {
    std::memcpy(s.data, from, s.bytes);
    from += s.bytes;
  }
}
// Both have as many bytes.
void CopyMessage(const Message& from, const Message& to) {
  std::vector<char> bytes(from.bytes());
  CopyOut(from, bytes.data());
  CopyIn(bytes.data(), to);
}

}  // namespace

struct TcpTransport::Outgoing {
  Outgoing(int peer, FrameKind kind, Message data) : peer(peer), frame{kind, 0, data.bytes()}, data(std::move(data)) {}
  int peer;
  Frame frame;
  Message data;
  size_t head = 0, piece = 0, at = 0;
  bool dead = false;  // its receiver is gone
};

struct TcpTransport::Incoming {
  Incoming(int peer, FrameKind kind, Message data) : peer(peer), kind(kind), data(std::move(data)) {}
  int peer;
  FrameKind kind;
  Message data;
  Frame frame{};
  std::string text;  // of a frame that says why the group failed
  size_t head = 0, piece = 0, at = 0;
};

TcpTransport::TcpTransport(std::vector<int> names, int rank)
    : names_(std::move(names)),
      n_(static_cast<int>(names_.size())),
      me_(rank),
      owner_(::getpid()),
      interrupt_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  PD_CHECK(interrupt_, Io, "[new_group] expected a descriptor, got: ", std::strerror(errno));
  for (int r = 0; r < n_; ++r) peers_.push_back(std::make_unique<Peer>());
}

std::string TcpTransport::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void TcpTransport::Run(const Collective& c, const Deadline& deadline) {
  {
    // At once: Abort finds it running, or it finds the failure.
    std::lock_guard lock(mutex_);
    PD_CHECK(failure_.empty(), PreconditionNotMet, "[", NameOf(c.kind),
             "] expected a group that works, got one that failed: ", failure_);
    running_ = true;
  }
  struct Idle {
    TcpTransport& t;
    ~Idle() {
      bool tells;
      {
        std::lock_guard lock(t.mutex_);
        t.running_ = false;
        tells = std::exchange(t.untold_, false);
      }
      if (tells) t.Tell();
    }
  } idle{*this};
  Agree(c, deadline);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  const auto send = [&](int r, const Message& m) { out.emplace_back(r, FrameKind::kData, m); };
  const auto receive = [&](int r, const Message& m) { in.emplace_back(r, FrameKind::kData, m); };
  const bool is_root = me_ == c.root;
  const auto own = static_cast<size_t>(me_);
  switch (c.kind) {
    case CollectiveKind::kNone:
    case CollectiveKind::kBarrier: return;
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduce: return AllReduce(c, deadline);
    case CollectiveKind::kReduceScatter: return ReduceScatter(c, deadline);
    case CollectiveKind::kBroadcast:
      for (int r = 0; r < n_ && is_root; ++r)
        if (r != me_) send(r, c.in[0]);
      if (!is_root) receive(c.root, c.out[0]);
      break;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kGather:
      for (int r = 0; r < n_; ++r) {
        const bool takes = c.kind == CollectiveKind::kAllGather || is_root;
        if (r == me_) {
          if (takes) CopyMessage(c.in[0], c.out[own]);
          continue;
        }
        if (c.kind == CollectiveKind::kAllGather || r == c.root) send(r, c.in[0]);
        if (takes) receive(r, c.out[static_cast<size_t>(r)]);
      }
      break;
    case CollectiveKind::kScatter:
      for (int r = 0; r < n_ && is_root; ++r)
        if (r != me_) send(r, c.in[static_cast<size_t>(r)]);
      if (is_root)
        CopyMessage(c.in[own], c.out[0]);
      else
        receive(c.root, c.out[0]);
      break;
    case CollectiveKind::kAllToAll:
      for (int r = 0; r < n_; ++r) {
        if (r == me_) {
          CopyMessage(c.in[own], c.out[own]);
          continue;
        }
        send(r, c.in[static_cast<size_t>(r)]);
        receive(r, c.out[static_cast<size_t>(r)]);
      }
      break;
  }
  Exchange(std::move(out), std::move(in), deadline);
}

void TcpTransport::Agree(const Collective& c, const Deadline& deadline) {
  mine_ = EntryOf(c, ++number_);
  struct Sizes {
    uint64_t offered, expected;
  };
  // Of each rank: its entry, and what it has for and expects of each other.
  const size_t bytes = sizeof(Entry) + sizeof(Sizes) * static_cast<size_t>(n_);
  std::vector<std::vector<char>> told(static_cast<size_t>(n_), std::vector<char>(bytes));
  const auto sizes = [&](int of, int r) {
    Sizes s;
    std::memcpy(&s, told[static_cast<size_t>(of)].data() + sizeof(Entry) + sizeof(Sizes) * static_cast<size_t>(r),
                sizeof s);
    return s;
  };
  std::vector<char>& own = told[static_cast<size_t>(me_)];
  std::memcpy(own.data(), &mine_, sizeof mine_);
  if (HasSizes(c.kind))
    EachSize(c, n_, me_, [&](int r, uint64_t gives, uint64_t takes) {
      const Sizes s{gives, takes};
      std::memcpy(own.data() + sizeof(Entry) + sizeof(Sizes) * static_cast<size_t>(r), &s, sizeof s);
    });
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int r = 0; r < n_; ++r) {
    if (r == me_) continue;
    out.emplace_back(r, FrameKind::kEnter, Whole(own.data(), bytes));
    in.emplace_back(r, FrameKind::kEnter, Whole(told[static_cast<size_t>(r)].data(), bytes));
  }
  Exchange(std::move(out), std::move(in), deadline);
  for (int r = 0; r < n_; ++r) std::memcpy(&peer(r).last, told[static_cast<size_t>(r)].data(), sizeof(Entry));
  for (int r = 0; r < n_; ++r)
    if (!Same(mine_, peer(r).last)) RaiseDifferent(mine_, me_, peer(r).last, r, names_);
  for (int from = 0; from < n_ && HasSizes(c.kind); ++from)
    for (int to = 0; to < n_; ++to) {
      const uint64_t got = sizes(from, to).offered, want = sizes(to, from).expected;
      if (got != want) RaiseSizes(c.kind, got, want, from, to, names_);
    }
}

bool TcpTransport::Push(Outgoing& o) {
  if (o.dead) return false;
  Peer& p = peer(o.peer);
  p.whole = false;
  for (;;) {
    // What is left, in one call: a frame's head does not travel alone.
    iovec parts[8];
    size_t n = 0, at = o.at;
    if (o.head < sizeof o.frame) parts[n++] = {reinterpret_cast<char*>(&o.frame) + o.head, sizeof o.frame - o.head};
    for (size_t i = o.piece; i < o.data.pieces.size() && n < std::size(parts); ++i, at = 0)
      if (const Span& s = o.data.pieces[i]; at < s.bytes) parts[n++] = {s.data + at, s.bytes - at};
    if (n == 0) {
      p.whole = true;
      return true;
    }
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = n;
    const ssize_t k = ::sendmsg(p.collectives.get(), &message, MSG_NOSIGNAL);
    if (k < 0) {
      // Who is gone may have said why: what comes in tells.
      o.dead = !MayTryAgain();
      return false;
    }
    auto moved = static_cast<size_t>(k);
    const size_t head = std::min(moved, sizeof o.frame - o.head);
    o.head += head;
    for (moved -= head; moved > 0;) {
      const size_t left = o.data.pieces[o.piece].bytes - o.at, m = std::min(moved, left);
      moved -= m;
      o.at += m;
      if (m == left) ++o.piece, o.at = 0;
    }
  }
}

bool TcpTransport::Pull(Incoming& i) {
  Peer& p = peer(i.peer);
  for (;;) {
    char* data;
    size_t n;
    const bool head = i.head < sizeof i.frame;
    if (head) {
      data = reinterpret_cast<char*>(&i.frame) + i.head;
      n = sizeof i.frame - i.head;
    } else {
      while (i.piece < i.data.pieces.size() && i.at == i.data.pieces[i.piece].bytes) ++i.piece, i.at = 0;
      if (i.piece == i.data.pieces.size()) {
        if (i.frame.kind == FrameKind::kFailed) {
          Fail(i.text);
          PD_THROW(PreconditionNotMet, "[", NameOf(mine_.kind), "] expected all ranks in ", NameOf(mine_.kind), " #",
                   number_, ", got a group that failed: ", i.text);
        }
        return true;
      }
      data = i.data.pieces[i.piece].data + i.at;
      n = i.data.pieces[i.piece].bytes - i.at;
    }
    const ssize_t k = ::recv(p.collectives.get(), data, n, 0);
    if (k < 0 && MayTryAgain()) return false;
    if (k <= 0) {
      p.gone = true;
      RaiseGone(i.peer, "its process ended or cannot be reached");
    }
    (head ? i.head : i.at) += static_cast<size_t>(k);
    if (!head || i.head < sizeof i.frame) continue;
    if (i.frame.kind == FrameKind::kLeft) {
      p.gone = true;
      RaiseGone(i.peer, "it left the group");
    }
    if (i.frame.kind == FrameKind::kFailed && i.frame.bytes <= kLongestText) {
      i.text.resize(i.frame.bytes);
      i.data = Whole(i.text.data(), i.text.size());
      continue;
    }
    if (i.frame.kind == i.kind && i.frame.bytes == i.data.bytes()) continue;
    std::ostringstream os;
    os << "expected " << i.data.bytes() << " bytes from " << Rank(i.peer) << ", got " << i.frame.bytes
       << " of another kind";
    Fail(os.str());
    PD_THROW(PreconditionNotMet, "[", NameOf(mine_.kind), "] ", os.str());
  }
}

void TcpTransport::Exchange(std::vector<Outgoing> out, std::vector<Incoming> in, const Deadline& deadline) {
  std::vector<pollfd> waiting;
  for (;;) {
    std::erase_if(out, [&](Outgoing& o) { return Push(o); });
    std::erase_if(in, [&](Incoming& i) { return Pull(i); });
    if (in.empty() && !out.empty() && std::all_of(out.begin(), out.end(), [](const Outgoing& o) { return o.dead; }))
      RaiseGone(out.front().peer, "its process ended or cannot be reached");
    if (out.empty() && in.empty()) return;
    waiting.assign(1, {interrupt_.get(), POLLIN, 0});
    for (const Outgoing& o : out)
      if (!o.dead) waiting.push_back({peer(o.peer).collectives.get(), POLLOUT, 0});
    for (const Incoming& i : in) waiting.push_back({peer(i.peer).collectives.get(), POLLIN, 0});
    const int n = ::poll(waiting.data(), waiting.size(), deadline.left_ms());
    if (waiting[0].revents) {
      PD_THROW(PreconditionNotMet, "[", NameOf(mine_.kind), "] expected all ranks in ", NameOf(mine_.kind), " #",
               number_, ", got a group that failed: ", failure());
    }
    if (n > 0 || !deadline.passed()) continue;
    std::vector<int> missing;
    for (const Incoming& i : in) missing.push_back(i.peer);
    for (const Outgoing& o : out) missing.push_back(o.peer);
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    RaiseMissing(missing, deadline);
  }
}

void TcpTransport::RaiseGone(int r, const std::string& why) {
  const std::string at = std::string(NameOf(mine_.kind)) + " #" + std::to_string(number_);
  Fail(Rank(me_) + " was in " + at + " and missed " + Rank(r) + " (" + why + ")");
  PD_THROW(PreconditionNotMet, "[", NameOf(mine_.kind), "] expected all ranks in ", at, ", got no ", Rank(r), " (", why,
           ")");
}

void TcpTransport::RaiseMissing(const std::vector<int>& ranks, const Deadline& deadline) {
  std::ostringstream who;
  for (int r : ranks) {
    who << (who.tellp() > 0 ? ", " : "") << Rank(r);
    const Entry& last = peer(r).last;
    if (last.number == 0)
      who << " (which has entered no collective)";
    else
      who << " (which last entered " << NameOf(last.kind) << " #" << last.number << ")";
  }
  std::ostringstream at, why;
  at << NameOf(mine_.kind) << " #" << number_;
  why << Rank(me_) << " was in " << at.str() << " and missed " << who.str() << " for " << deadline.seconds() << " s";
  Fail(why.str());
  PD_THROW(PreconditionNotMet, "[", NameOf(mine_.kind), "] expected all ranks in ", at.str(), " within ",
           deadline.seconds(), " s, got no ", who.str());
}

void TcpTransport::Fail(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = why;
  }
  Tell();
}

void TcpTransport::Tell() {
  Frame frame{FrameKind::kFailed, 0, std::min(failure_.size(), kLongestText)};
  for (int r = 0; r < n_; ++r) {
    if (r == me_) continue;
    Peer& p = peer(r);
    if (p.whole) {
      iovec parts[2] = {{&frame, sizeof frame}, {failure_.data(), frame.bytes}};
      msghdr message{};
      message.msg_iov = parts;
      message.msg_iovlen = std::size(parts);
      [[maybe_unused]] const ssize_t n = ::sendmsg(p.collectives.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    ::shutdown(p.collectives.get(), SHUT_WR);
  }
}

void TcpTransport::Abort(const std::string& why) {
  const std::string text = Rank(me_) + " " + why;
  std::unique_lock lock(mutex_);
  if (running_) {
    if (failure_.empty()) {
      failure_ = text;
      untold_ = true;
    }
    Signal(interrupt_.get());
    return;
  }
  lock.unlock();
  Fail(text);
}

void TcpTransport::Leave() {
  if (::getpid() != owner_) return;
  {
    std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = Rank(me_) + " left it";
  }
  for (int r = 0; r < n_; ++r) {
    if (r == me_) continue;
    const Frame frame{FrameKind::kLeft, 0, 0};
    [[maybe_unused]] const ssize_t n =
        ::send(peer(r).collectives.get(), &frame, sizeof frame, MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(peer(r).collectives.get(), SHUT_WR);
    ::shutdown(peer(r).messages.get(), SHUT_WR);
  }
}

void TcpTransport::Reduce(const Collective& c, const Message& mine, std::vector<std::vector<char>>& others, char* out,
                          size_t bytes) {
  std::vector<char>& own = others[static_cast<size_t>(me_)];
  own.resize(bytes);
  CopyOut(mine, own.data());
  std::vector<const void*> sources;
  for (const auto& o : others) sources.push_back(o.data());
  paddle::distributed::Reduce(c.op, c.dtype, sources.data(), n_, out,
                              static_cast<int64_t>(bytes / phi::SizeOf(c.dtype)));
}

void TcpTransport::AllReduce(const Collective& c, const Deadline& deadline) {
  const auto n = static_cast<size_t>(n_);
  const bool takes = c.kind == CollectiveKind::kAllReduce || me_ == c.root;
  const size_t total = c.in[0].bytes();
  std::vector<std::vector<char>> others(n);
  std::vector<char> result;
  for (size_t begin = 0; begin < total; begin += kBlock) {
    const size_t bytes = std::min(kBlock, total - begin);
    const Message block = Slice(c.in[0], begin, bytes);
    const size_t each = bytes <= kShort ? bytes : ((bytes + n - 1) / n + 63) / 64 * 64;
    // The bytes that rank r reduces: all of them, where they are few.
    const auto share = [&](int r) {
      const size_t first = bytes <= kShort ? 0 : std::min(bytes, each * static_cast<size_t>(r));
      return std::pair(first, std::min(bytes, first + each) - first);
    };
    const auto [first, count] = share(me_);
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    const bool whole = bytes <= kShort;
    for (int r = 0; r < n_; ++r) {
      if (r == me_) continue;
      const bool wants = c.kind == CollectiveKind::kAllReduce || r == c.root || !whole;
      const auto [from, many] = share(r);
      if (wants) out.emplace_back(r, FrameKind::kData, Slice(block, from, many));
      if (!whole || takes) {
        others[static_cast<size_t>(r)].resize(count);
        in.emplace_back(r, FrameKind::kData, Whole(others[static_cast<size_t>(r)].data(), count));
      }
    }
    Exchange(std::move(out), std::move(in), deadline);
    result.resize(bytes);
    if (!whole || takes) Reduce(c, Slice(block, first, count), others, result.data() + first, count);
    if (!whole) {
      out.clear();
      in.clear();
      for (int r = 0; r < n_; ++r) {
        if (r == me_) continue;
        const auto [from, many] = share(r);
        if (c.kind == CollectiveKind::kAllReduce || r == c.root)
          out.emplace_back(r, FrameKind::kData, Whole(result.data() + first, count));
        if (takes) in.emplace_back(r, FrameKind::kData, Whole(result.data() + from, many));
      }
      Exchange(std::move(out), std::move(in), deadline);
    }
    if (takes) CopyIn(result.data(), Slice(c.out[0], begin, bytes));
  }
}

void TcpTransport::ReduceScatter(const Collective& c, const Deadline& deadline) {
  const size_t bytes = c.out[0].bytes();
  std::vector<std::vector<char>> others(static_cast<size_t>(n_));
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int r = 0; r < n_; ++r) {
    if (r == me_) continue;
    others[static_cast<size_t>(r)].resize(bytes);
    out.emplace_back(r, FrameKind::kData, c.in[static_cast<size_t>(r)]);
    in.emplace_back(r, FrameKind::kData, Whole(others[static_cast<size_t>(r)].data(), bytes));
  }
  Exchange(std::move(out), std::move(in), deadline);
  std::vector<char> result(bytes);
  Reduce(c, c.in[static_cast<size_t>(me_)], others, result.data(), bytes);
  CopyIn(result.data(), c.out[0]);
}

// ---- messages

size_t TcpTransport::TrySend(int to, const char* data, size_t bytes) {
  if (bytes == 0 || to == me_) return 0;
  Peer& p = peer(to);
  const ssize_t n = ::send(p.messages.get(), data, bytes, MSG_NOSIGNAL);
  if (n >= 0) return static_cast<size_t>(n);
  if (!MayTryAgain() && !p.gone.exchange(true)) Wake();
  return 0;
}

size_t TcpTransport::TryReceive(int from, char* data, size_t bytes) {
  if (bytes == 0 || from == me_) return 0;
  Peer& p = peer(from);
  const ssize_t n = ::recv(p.messages.get(), data, bytes, 0);
  if (n > 0) return static_cast<size_t>(n);
  if ((n == 0 || !MayTryAgain()) && !p.gone.exchange(true)) Wake();
  return 0;
}

std::string TcpTransport::GoneBecause(int r) const {
  return peers_[static_cast<size_t>(r)]->gone ? "its connection ended" : "";
}

bool TcpTransport::Await(const std::function<bool()>& ready, Clock::time_point until) {
  if (ready()) return true;
  const Fd events(::epoll_create1(EPOLL_CLOEXEC)), wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  PD_CHECK(events && wake, Io, "[recv] expected descriptors to wait with, got: ", std::strerror(errno));
  const auto watch = [&](int fd, uint32_t what) {
    epoll_event e{};
    e.events = what;
    e.data.fd = fd;
    ::epoll_ctl(events.get(), EPOLL_CTL_ADD, fd, &e);
  };
  watch(wake.get(), EPOLLIN);
  for (int r = 0; r < n_; ++r)
    if (r != me_) watch(peer(r).messages.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  {
    std::lock_guard lock(mutex_);
    sleepers_.push_back(wake.get());
  }
  struct Awake {
    TcpTransport& t;
    int fd;
    ~Awake() {
      std::lock_guard lock(t.mutex_);
      std::erase(t.sleepers_, fd);
    }
  } awake{*this, wake.get()};
  for (;;) {
    if (ready()) return true;
    if (Clock::now() >= until) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
    epoll_event e[16];
    ::epoll_wait(events.get(), e, 16, static_cast<int>(std::min<int64_t>(left, 60'000)));
    uint64_t count;
    [[maybe_unused]] const ssize_t n = ::read(wake.get(), &count, sizeof count);
  }
}

void TcpTransport::Wake() {
  std::lock_guard lock(mutex_);
  for (int fd : sleepers_) Signal(fd);
}

}  // namespace paddle::distributed::tcp
