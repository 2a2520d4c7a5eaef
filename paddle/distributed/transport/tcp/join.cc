// SPDX-License-Identifier: Apache-2.0
// How ranks on several hosts meet: each listens at the address by which it reaches the store, and those behind it in
// the group connect. A token from the store shows that they belong to it.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "paddle/common/error.h"
#include "paddle/distributed/transport/tcp/tcp_transport.h"

namespace paddle::distributed::tcp {

namespace {

constexpr size_t kTokenBytes = 16;
// How often a rank that waits looks whether the others live, in seconds.
constexpr double kLook = 0.1;
// Between two calls of a rank that does not answer yet.
constexpr auto kPause = std::chrono::milliseconds(10);
// What a rank that was called sends back.
constexpr char kAnswer = 'y';

// What a rank sends when it connects.
struct Greeting {
  char token[kTokenBytes];
  int32_t rank;
  int32_t messages;  // which of the two connections it is
};

// A connection to rank `to` of the group, which has answered: what `key` of the store says may still be the address of
// a former group of that name, where nobody listens any more.
Fd Call(Store& store, const std::string& key, const std::vector<int>& names, int rank, int to, bool messages,
        const Deadline& deadline) {
  const int name = names[static_cast<size_t>(to)];
  for (;;) {
    const std::string where = store.Get(key, deadline, names);
    const size_t space = where.find(' ', kTokenBytes);
    PD_CHECK(where.size() > kTokenBytes && space != std::string::npos, PreconditionNotMet, "[new_group] expected key '",
             key, "' to be an address, got ", where.size(), " bytes");
    const int port = std::stoi(where.substr(kTokenBytes, space - kTokenBytes));
    if (Fd socket = TryConnectTcp("[new_group]", where.substr(space + 1), port, deadline)) {
      Greeting greeting{};
      std::memcpy(greeting.token, where.data(), kTokenBytes);
      greeting.rank = rank;
      greeting.messages = messages;
      char answer = 0;
      if (SendAll(socket.get(), &greeting, sizeof greeting, deadline) == Io::kDone &&
          ReceiveAll(socket.get(), &answer, sizeof answer, deadline) == Io::kDone)
        return socket;
    }
    const std::string ended = store.Ended(names);
    PD_CHECK(ended.empty(), PreconditionNotMet, "[new_group] expected all ranks of the group, got the end of ", ended);
    PD_CHECK(!deadline.passed(), PreconditionNotMet, "[new_group] expected rank ", name, " to answer within ",
             deadline.seconds(), " s, got nothing from it");
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

TcpTransport::~TcpTransport() {
  Leave();
  for (const auto& p : peers_) {
    ForgetOwn(p->collectives);
    ForgetOwn(p->messages);
  }
}

std::unique_ptr<TcpTransport> TcpTransport::Join(Store& store, const std::string& prefix, std::vector<int> names,
                                                 int rank, const Deadline& deadline) {
  std::unique_ptr<TcpTransport> t(new TcpTransport(names, rank));
  const int n = t->n_;
  const auto key = [&](int r) { return prefix + "/address of rank " + std::to_string(names[static_cast<size_t>(r)]); };
  char token[kTokenBytes];
  PD_CHECK(::getrandom(token, sizeof token, 0) == sizeof token, Io, "[new_group] expected random bytes, got none");
  const std::string host = store.OwnAddress();
  auto [listener, port] = ListenTcp("[new_group]", host, 0);
  store.Set(key(rank), std::string(token, sizeof token) + std::to_string(port) + " " + host);
  const auto keep = [&](int r, bool messages, Fd socket) {
    KeepOwn(messages ? t->peer(r).messages : t->peer(r).collectives, std::move(socket));
  };
  for (int r = 0; r < rank; ++r)
    for (const bool messages : {false, true})
      keep(r, messages, Call(store, key(r), names, rank, r, messages, deadline));
  for (int missing = 2 * (n - 1 - rank); missing > 0;) {
    Fd socket = Accept(listener.get(), Deadline::In(std::min(kLook, deadline.left().count() / 1e9)));
    if (!socket) {
      const std::string ended = store.Ended(names);
      PD_CHECK(ended.empty(), PreconditionNotMet, "[new_group] expected all ranks of the group, got the end of ",
               ended);
      std::string absent;
      for (int r = rank + 1; r < n; ++r)
        if (!t->peer(r).messages) absent += (absent.empty() ? "" : ", ") + t->Rank(r);
      PD_CHECK(!deadline.passed(), PreconditionNotMet, "[new_group] expected all ranks of the group within ",
               deadline.seconds(), " s, got nothing from ", absent);
      continue;
    }
    Greeting greeting{};
    // A stranger gets a second to say that it is none.
    const Io io = ReceiveAll(socket.get(), &greeting, sizeof greeting, Deadline::In(1));
    if (io != Io::kDone || std::memcmp(greeting.token, token, sizeof token) != 0) continue;
    if (greeting.rank <= rank || greeting.rank >= n) continue;
    Fd& place = greeting.messages ? t->peer(greeting.rank).messages : t->peer(greeting.rank).collectives;
    if (place) continue;
    if (SendAll(socket.get(), &kAnswer, sizeof kAnswer, deadline) != Io::kDone) continue;
    SendAtOnce(socket.get());
    keep(greeting.rank, greeting.messages != 0, std::move(socket));
    --missing;
  }
  store.Delete(key(rank));
  return t;
}

}  // namespace paddle::distributed::tcp
