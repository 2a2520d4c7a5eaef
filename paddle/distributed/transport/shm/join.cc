// SPDX-License-Identifier: Apache-2.0
// How the ranks of a group on one host meet: the first makes the segment and hands its descriptor to the others over
// local sockets, which stay open to show that the process lives.
#include <sys/random.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "paddle/common/error.h"
#include "paddle/distributed/transport/shm/shm_transport.h"

namespace paddle::distributed::shm {

namespace {

constexpr size_t kTokenBytes = 32;
// How often the first rank looks whether the others live, in seconds.
constexpr double kLook = 0.1;
// Between two calls of a first rank that does not answer yet.
constexpr auto kPause = std::chrono::milliseconds(10);

std::string RandomText() {
  unsigned char bytes[kTokenBytes / 2];
  PD_CHECK(::getrandom(bytes, sizeof bytes, 0) == sizeof bytes, Io, "[new_group] expected random bytes, got none");
  std::string text;
  for (unsigned char b : bytes) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

// What a rank sends when it connects.
struct Greeting {
  char token[kTokenBytes];
  int32_t rank;
};

}  // namespace

std::unique_ptr<ShmTransport> ShmTransport::Join(Store& store, const std::string& prefix, std::vector<int> names,
                                                 int rank, const Deadline& deadline) {
  const int n = static_cast<int>(names.size());
  const std::string key = prefix + "/meet rank " + std::to_string(names[0]);
  if (rank != 0) {
    for (;;) {
      // It may still say where a former group of that name met, where nobody listens any more.
      const std::string meet = store.Get(key, deadline, names);
      PD_CHECK(meet.size() == 2 * kTokenBytes, PreconditionNotMet, "[new_group] expected key '", key,
               "' to say where the group meets, got ", meet.size(), " bytes");
      if (Fd socket = TryConnectLocal("[new_group]", meet.substr(0, kTokenBytes))) {
        PD_CHECK(SameUser(socket.get()), PreconditionNotMet, "[new_group] expected rank ", names[0],
                 " to be a process of the same user, got another user's");
        Greeting greeting{};
        std::memcpy(greeting.token, meet.data() + kTokenBytes, kTokenBytes);
        greeting.rank = rank;
        Io io = SendAll(socket.get(), &greeting, sizeof greeting, deadline);
        Fd memory;
        if (io == Io::kDone) std::tie(io, memory) = ReceiveFd(socket.get(), deadline);
        if (io == Io::kDone) {
          std::unique_ptr<ShmTransport> t(new ShmTransport(memory, std::move(names), rank));
          t->Watch(std::move(socket), 0);
          return t;
        }
      }
      const std::string ended = store.Ended(names);
      PD_CHECK(ended.empty(), PreconditionNotMet, "[new_group] expected all ranks of the group, got the end of ",
               ended);
      PD_CHECK(!deadline.passed(), PreconditionNotMet, "[new_group] expected the group's shared memory from rank ",
               names[0], " within ", deadline.seconds(), " s, got nothing");
      std::this_thread::sleep_for(kPause);
    }
  }
  const Fd memory = Segment::Create(n);
  std::unique_ptr<ShmTransport> t(new ShmTransport(memory, names, rank));
  if (n == 1) return t;
  const std::string address = RandomText(), token = RandomText();
  const Fd listener = ListenLocal("[new_group]", address);
  store.Set(key, address + token);
  std::vector<Fd> sockets(static_cast<size_t>(n));
  for (int missing = n - 1; missing > 0;) {
    Fd socket = Accept(listener.get(), Deadline::In(std::min(kLook, deadline.left().count() / 1e9)));
    if (!socket && !deadline.passed()) {
      const std::string ended = store.Ended(names);
      if (ended.empty()) continue;
      t->Abort("missed in new_group " + ended);
      PD_THROW(PreconditionNotMet, "[new_group] expected all ranks of the group, got the end of ", ended);
    }
    if (!socket) {
      std::string absent;
      for (int r = 1; r < n; ++r)
        if (!sockets[static_cast<size_t>(r)]) absent += (absent.empty() ? "" : ", ") + t->Rank(r);
      t->Abort("missed in new_group " + absent);
      PD_THROW(PreconditionNotMet, "[new_group] expected all ranks of the group within ", deadline.seconds(),
               " s, got nothing from ", absent);
    }
    Greeting greeting{};
    // A stranger gets a second to say that it is none.
    const Io io = ReceiveAll(socket.get(), &greeting, sizeof greeting, Deadline::In(1));
    if (io != Io::kDone || !SameUser(socket.get()) || std::memcmp(greeting.token, token.data(), kTokenBytes) != 0)
      continue;
    const auto r = static_cast<size_t>(greeting.rank);
    if (greeting.rank < 1 || greeting.rank >= n || sockets[r]) continue;
    if (SendFd(socket.get(), memory.get(), deadline) != Io::kDone) continue;
    sockets[r] = std::move(socket);
    --missing;
  }
  store.Delete(key);
  for (int r = 1; r < n; ++r) t->Watch(std::move(sockets[static_cast<size_t>(r)]), r);
  return t;
}

}  // namespace paddle::distributed::shm
