// SPDX-License-Identifier: Apache-2.0
// Collectives through shared slots. In each turn every rank shows a part of what it brings in its slot of that turn,
// all meet at a barrier, and each reads what it needs. Slots are used by turns: who arrives at a barrier has read the
// slots of the turn before, so these may be written once the barrier is passed.
#include "paddle/distributed/transport/shm/shm_transport.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "paddle/common/error.h"

namespace paddle::distributed::shm {

// Walks through a message.
class ShmTransport::Cursor {
 public:
  explicit Cursor(const Message* m) : m_(m) {}
  void ReadTo(char* to, size_t n) {
    Each(n, [&](char* piece, size_t k) {
      std::memcpy(to, piece, k);
      to += k;
    });
  }
  void WriteFrom(const char* from, size_t n) {
    Each(n, [&](char* piece, size_t k) {
      std::memcpy(piece, from, k);
      from += k;
    });
  }
  // The next n bytes, passed, if one piece has them all; null otherwise.
  char* Direct(size_t n) {
    SkipEmpty();
    if (piece_ == m_->pieces.size() || m_->pieces[piece_].bytes - at_ < n) return nullptr;
    char* p = m_->pieces[piece_].data + at_;
    at_ += n;
    return p;
  }

 private:
  void SkipEmpty() {
    while (piece_ < m_->pieces.size() && at_ == m_->pieces[piece_].bytes) ++piece_, at_ = 0;
  }
  template <class F>
  void Each(size_t n, F&& f) {
    while (n > 0) {
      SkipEmpty();
      const Span& s = m_->pieces[piece_];
      const size_t k = std::min(n, s.bytes - at_);
      f(s.data + at_, k);
      at_ += k;
      n -= k;
    }
  }

  const Message* m_;
  size_t piece_ = 0, at_ = 0;
};

namespace {

// Reductions of at most this many bytes are done by every rank for itself: one barrier instead of two.
constexpr size_t kShort = 16 << 10;

// Bytes of `total` at turn `turn` of `unit` bytes each.
size_t PartAt(uint64_t total, uint64_t turn, size_t unit) {
  const uint64_t done = std::min<uint64_t>(total, turn * unit);
  return static_cast<size_t>(std::min<uint64_t>(total - done, unit));
}
uint64_t TurnsOf(uint64_t total, size_t unit) { return (total + unit - 1) / unit; }

}  // namespace

ShmTransport::ShmTransport(const Fd& memory, std::vector<int> names, int rank)
    : segment_(memory, static_cast<int>(names.size()), rank),
      names_(std::move(names)),
      n_(segment_.ranks()),
      me_(segment_.rank()),
      sources_(static_cast<size_t>(n_)) {}

ShmTransport::~ShmTransport() { Leave(); }

void ShmTransport::Abort(const std::string& why) { segment_.Fail(Rank(me_) + " " + why); }
void ShmTransport::Leave() {
  if (segment_.cell(me_).pid == ::getpid()) segment_.SetGone(me_, Presence::kLeft);
}

void ShmTransport::Watch(Fd connection, int peer) {
  watched_.push_back(
      std::make_unique<Watched>(std::move(connection), [this, peer] { segment_.SetGone(peer, Presence::kDied); }));
}

bool ShmTransport::Await(const std::function<bool()>& ready, Clock::time_point until) {
  return segment_.Await(ready, until);
}
void ShmTransport::Wake() { segment_.Ring(me_); }

std::string ShmTransport::GoneBecause(int peer) const {
  switch (segment_.presence(peer)) {
    case Presence::kHere: return {};
    case Presence::kLeft: return "it left the group";
    case Presence::kDied: return "its process " + std::to_string(segment_.cell(peer).pid) + " died";
  }
  return {};
}

size_t ShmTransport::TrySend(int peer, const char* data, size_t bytes) {
  Pipe& p = segment_.pipe(me_, peer);
  const uint64_t written = p.written.load(std::memory_order_relaxed);
  const uint64_t free = Pipe::kBytes - (written - p.read.load(std::memory_order_acquire));
  const auto n = static_cast<size_t>(std::min<uint64_t>(bytes, free));
  if (n == 0) return 0;
  const size_t at = written % Pipe::kBytes, first = std::min(n, Pipe::kBytes - at);
  std::memcpy(p.data + at, data, first);
  std::memcpy(p.data, data + first, n - first);
  p.written.store(written + n, std::memory_order_seq_cst);
  segment_.Ring(peer);
  return n;
}

size_t ShmTransport::TryReceive(int peer, char* data, size_t bytes) {
  Pipe& p = segment_.pipe(peer, me_);
  const uint64_t read = p.read.load(std::memory_order_relaxed);
  const auto n = static_cast<size_t>(std::min<uint64_t>(bytes, p.written.load(std::memory_order_acquire) - read));
  if (n == 0) return 0;
  const size_t at = read % Pipe::kBytes, first = std::min(n, Pipe::kBytes - at);
  std::memcpy(data, p.data + at, first);
  std::memcpy(data + first, p.data, n - first);
  p.read.store(read + n, std::memory_order_seq_cst);
  segment_.Ring(peer);
  return n;
}

void ShmTransport::Run(const Collective& c, const Deadline& deadline) {
  const std::string failure = segment_.Failure();
  PD_CHECK(failure.empty(), PreconditionNotMet, "[", NameOf(c.kind),
           "] expected a group that works, got one that failed: ", failure);
  Enter(c);
  if (c.kind == CollectiveKind::kBarrier) {
    Barrier(c, deadline);
    CheckEntries();
  } else if (IsAddressed(c.kind)) {
    RunAddressed(c, deadline);
  } else {
    RunCommon(c, deadline);
  }
}

void ShmTransport::Enter(const Collective& c) {
  ++number_;
  segment_.cell(me_).entries[number_ & 1] = EntryOf(c, number_);
  if (!HasSizes(c.kind)) return;
  EachSize(c, n_, me_, [&](int r, uint64_t gives, uint64_t takes) {
    segment_.offered(number_, me_, r) = gives;
    segment_.expected(number_, r, me_) = takes;
  });
}

void ShmTransport::Barrier(const Collective& c, const Deadline& deadline) {
  ++barrier_;
  segment_.cell(me_).arrived.store(barrier_, std::memory_order_seq_cst);
  for (int r = 0; r < n_; ++r)
    if (r != me_) segment_.Ring(r);
  int at = 0;
  segment_.Await(
      [&] {
        while (at < n_ && segment_.cell(at).arrived.load(std::memory_order_acquire) >= barrier_) ++at;
        if (at == n_ || segment_.failed()) return true;
        for (int r = at; r < n_; ++r)
          if (segment_.presence(r) != Presence::kHere && segment_.cell(r).arrived.load() < barrier_) return true;
        return false;
      },
      deadline.when());
  if (at < n_) RaiseMissing(c, deadline);
}

void ShmTransport::RaiseMissing(const Collective& c, const Deadline& deadline) {
  std::ostringstream who;
  bool gone = false, died = false;
  const auto last_of = [&](int r) {
    const RankCell& cell = segment_.cell(r);
    const Entry& now = cell.entries[number_ & 1];
    const Entry& last = now.number == number_ ? now : cell.entries[(number_ + 1) & 1];
    if (last.number == 0) return std::string(" (which has entered no collective)");
    return std::string(" (which last entered ") + NameOf(last.kind) + " #" + std::to_string(last.number) + ")";
  };
  const auto came = [&](int r) { return segment_.cell(r).arrived.load() >= barrier_; };
  for (int pass = 0; pass < 2 && !gone; ++pass) {
    for (int r = 0; r < n_; ++r) {
      const std::string why = GoneBecause(r);
      if (came(r) || (pass == 0 && why.empty())) continue;
      who << (who.tellp() > 0 ? ", " : "") << Rank(r);
      gone = pass == 0;
      died = died || segment_.presence(r) == Presence::kDied;
      who << (gone ? " (" + why + ")" : last_of(r));
    }
  }
  // Ranks may have ended because of another, which has died where it had come, or has stopped.
  for (int r = 0; r < n_; ++r) {
    if (came(r) && segment_.presence(r) == Presence::kDied)
      who << "; " << Rank(r) << " had come (" << GoneBecause(r) << ")";
    else if (gone && !came(r) && segment_.presence(r) == Presence::kHere)
      who << "; " << Rank(r) << " had not come yet" << last_of(r);
  }
  const std::string at = std::string(NameOf(c.kind)) + " #" + std::to_string(number_);
  const std::string failure = segment_.Failure();
  // Who left may have left because the group had failed.
  if (!failure.empty() && !died)
    PD_THROW(PreconditionNotMet, "[", NameOf(c.kind), "] expected all ranks in ", at,
             ", got a group that failed: ", failure);
  std::ostringstream why;
  why << Rank(me_) << " was in " << at << " and missed " << who.str();
  if (!gone) why << " for " << deadline.seconds() << " s";
  segment_.Fail(why.str());
  if (gone) PD_THROW(PreconditionNotMet, "[", NameOf(c.kind), "] expected all ranks in ", at, ", got no ", who.str());
  PD_THROW(PreconditionNotMet, "[", NameOf(c.kind), "] expected all ranks in ", at, " within ", deadline.seconds(),
           " s, got no ", who.str());
}

void ShmTransport::CheckEntries() const {
  const Entry& mine = segment_.cell(me_).entries[number_ & 1];
  for (int r = 0; r < n_; ++r) {
    const Entry& e = segment_.cell(r).entries[number_ & 1];
    if (!Same(mine, e)) RaiseDifferent(mine, me_, e, r, names_);
  }
}

void ShmTransport::CheckSizes(const Collective& c) const {
  for (int from = 0; from < n_; ++from) {
    for (int to = 0; to < n_; ++to) {
      const uint64_t got = Offered(from, to), want = segment_.expected(number_, from, to);
      if (got != want) RaiseSizes(c.kind, got, want, from, to, names_);
    }
  }
}

void ShmTransport::ReduceSources(const Collective& c, char* out, size_t bytes) const {
  Reduce(c.op, c.dtype, sources_.data(), n_, out, static_cast<int64_t>(bytes) / phi::SizeOf(c.dtype));
}
void ShmTransport::ReduceInto(const Collective& c, Cursor& out, size_t bytes) {
  if (char* direct = out.Direct(bytes)) return ReduceSources(c, direct, bytes);
  result_.resize(bytes);
  ReduceSources(c, result_.data(), bytes);
  out.WriteFrom(result_.data(), bytes);
}

std::pair<size_t, size_t> ShmTransport::Share(int r, size_t bytes) const {
  const size_t n = static_cast<size_t>(n_), each = ((bytes + n - 1) / n + 63) / 64 * 64;
  return {std::min(bytes, each * static_cast<size_t>(r)), std::min(bytes, each * static_cast<size_t>(r + 1))};
}

const char* ShmTransport::ShowShares(Cursor& in, size_t bytes) {
  const char* own = in.Direct(bytes);
  if (!own) {
    in.ReadTo(slot(me_), bytes);
    return slot(me_);
  }
  for (int r = 0; r < n_; ++r) {
    const auto [begin, end] = Share(r, bytes);
    if (r != me_) std::memcpy(slot(me_) + begin, own + begin, end - begin);
  }
  return own;
}

void ShmTransport::ReduceShares(const Collective& c, const char* own, Cursor* out, size_t bytes,
                                const Deadline& deadline) {
  const auto [begin, end] = Share(me_, bytes);
  for (int r = 0; r < n_; ++r) sources_[static_cast<size_t>(r)] = (r == me_ ? own : slot(r)) + begin;
  char* direct = out ? out->Direct(bytes) : nullptr;
  char* result = (direct ? direct : slot(me_)) + begin;
  ReduceSources(c, result, end - begin);
  if (direct) std::memcpy(slot(me_) + begin, result, end - begin);
  Barrier(c, deadline);
  if (!out) return;
  for (int r = 0; r < n_; ++r) {
    const auto [from, to] = Share(r, bytes);
    if (!direct)
      out->WriteFrom(slot(r) + from, to - from);
    else if (r != me_)
      std::memcpy(direct + from, slot(r) + from, to - from);
  }
}

void ShmTransport::RunCommon(const Collective& c, const Deadline& deadline) {
  const bool reduction = IsReduction(c.kind);
  const bool gives = c.kind != CollectiveKind::kBroadcast || me_ == c.root;
  const bool takes = !HasRoot(c.kind) || (me_ == c.root) != (c.kind == CollectiveKind::kBroadcast);
  const uint64_t given = gives ? c.in[0].bytes() : 0;
  Cursor in(gives ? &c.in[0] : nullptr);
  std::vector<Cursor> out;
  if (takes)
    for (const Message& m : c.out) out.emplace_back(&m);
  std::vector<uint64_t> shown(static_cast<size_t>(n_));
  uint64_t turns = 1;
  for (uint64_t k = 0; k < turns; ++k) {
    ++turn_;
    const size_t bytes = PartAt(given, k, Segment::kSlot);
    const bool divided = reduction && given > kShort;
    const char* own = slot(me_);
    if (divided)
      own = ShowShares(in, bytes);
    else
      in.ReadTo(slot(me_), bytes);
    Barrier(c, deadline);
    if (k == 0) {
      CheckEntries();
      if (!reduction) CheckSizes(c);
      for (int r = 0; r < n_; ++r) {
        shown[static_cast<size_t>(r)] = segment_.cell(r).entries[number_ & 1].bytes;
        turns = std::max(turns, TurnsOf(shown[static_cast<size_t>(r)], Segment::kSlot));
      }
    }
    if (divided) {
      ReduceShares(c, own, takes ? &out[0] : nullptr, bytes, deadline);
    } else if (reduction) {
      for (int r = 0; r < n_; ++r) sources_[static_cast<size_t>(r)] = slot(r);
      if (takes) ReduceInto(c, out[0], bytes);
    } else if (takes && c.kind == CollectiveKind::kBroadcast) {
      out[0].WriteFrom(slot(c.root), PartAt(shown[static_cast<size_t>(c.root)], k, Segment::kSlot));
    } else if (takes) {
      for (int r = 0; r < n_; ++r)
        out[static_cast<size_t>(r)].WriteFrom(slot(r), PartAt(shown[static_cast<size_t>(r)], k, Segment::kSlot));
    }
  }
}

void ShmTransport::RunAddressed(const Collective& c, const Deadline& deadline) {
  const size_t unit = Segment::kSlot / static_cast<size_t>(n_) / 64 * 64;
  const bool gives = c.kind != CollectiveKind::kScatter || me_ == c.root;
  std::vector<Cursor> in, out;
  if (gives)
    for (const Message& m : c.in) in.emplace_back(&m);
  for (const Message& m : c.out) out.emplace_back(&m);
  uint64_t turns = 1;
  for (uint64_t k = 0; k < turns; ++k) {
    ++turn_;
    for (size_t r = 0; gives && r < in.size(); ++r)
      in[r].ReadTo(slot(me_) + r * unit, PartAt(Offered(me_, static_cast<int>(r)), k, unit));
    Barrier(c, deadline);
    if (k == 0) {
      CheckEntries();
      CheckSizes(c);
      for (int from = 0; from < n_; ++from)
        for (int to = 0; to < n_; ++to) turns = std::max(turns, TurnsOf(Offered(from, to), unit));
    }
    const size_t at = static_cast<size_t>(me_) * unit;
    if (c.kind == CollectiveKind::kScatter) {
      out[0].WriteFrom(slot(c.root) + at, PartAt(Offered(c.root, me_), k, unit));
    } else if (c.kind == CollectiveKind::kAllToAll) {
      for (int r = 0; r < n_; ++r)
        out[static_cast<size_t>(r)].WriteFrom(slot(r) + at, PartAt(Offered(r, me_), k, unit));
    } else {
      const size_t bytes = PartAt(Offered(me_, me_), k, unit);
      for (int r = 0; r < n_; ++r) sources_[static_cast<size_t>(r)] = slot(r) + at;
      ReduceInto(c, out[0], bytes);
    }
  }
}

}  // namespace paddle::distributed::shm
