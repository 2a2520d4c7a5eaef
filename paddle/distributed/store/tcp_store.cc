// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/store/tcp_store.h"

#include <unistd.h>

#include "paddle/common/error.h"

namespace paddle::distributed {

using wire::Op;
using wire::Status;

TcpStore::TcpStore(const std::string& host, int port, bool is_master, std::string secret, double timeout, int rank)
    : host_(host), port_(port), timeout_(timeout), owner_(::getpid()) {
  if (is_master) {
    server_ = std::make_unique<StoreServer>(host, port, secret);
    port_ = server_->port();
  }
  PD_CHECK(port_ > 0, InvalidArgument, "[TCPStore] expected the port of the master, got ", port_);
  const Deadline deadline = Deadline::In(timeout);
  KeepOwn(socket_, ConnectTcp("[TCPStore]", host_, port_, deadline));
  try {
    Ask(wire::Writer(Op::kHello).Text(wire::kGreeting).Text(secret).Number(rank), deadline, "greet", "");
  } catch (...) {
    ForgetOwn(socket_);
    throw;
  }
}

TcpStore::~TcpStore() { ForgetOwn(socket_); }

std::string TcpStore::Ask(wire::Writer request, const Deadline& deadline, const char* doing, const std::string& key) {
  PD_CHECK(owner_ == ::getpid(), PreconditionNotMet,
           "[TCPStore] expected the process that made the store, got a process forked from it");
  const std::string& bytes = request.Finish();
  PD_CHECK(bytes.size() - 4 <= wire::kLargest, InvalidArgument, "[TCPStore] expected a message of at most ",
           wire::kLargest, " bytes, got ", bytes.size(), " for key '", key, "'");
  // The server answers a wait at its deadline; that it does not at all is noticed later.
  const Deadline patience = Deadline::In(deadline.left_ms() / 1e3 + 10);
  std::lock_guard lock(mutex_);
  PD_CHECK(socket_, PreconditionNotMet, "[TCPStore] expected a connection to ", Endpoint(host_, port_),
           ", got one that an error has ended");
  std::string body;
  uint32_t size = 0;
  Io io = SendAll(socket_.get(), bytes.data(), bytes.size(), patience);
  if (io == Io::kDone) io = ReceiveAll(socket_.get(), &size, sizeof size, patience);
  if (io == Io::kDone) {
    body.resize(size);
    io = ReceiveAll(socket_.get(), body.data(), size, patience);
  }
  if (io != Io::kDone) socket_.Close();
  PD_CHECK(io != Io::kClosed, PreconditionNotMet, "[TCPStore] expected an answer of ", Endpoint(host_, port_), " to '",
           doing, "' of key '", key, "', got the end of the connection: the process that holds the store has ended");
  PD_CHECK(io == Io::kDone, PreconditionNotMet, "[TCPStore] expected an answer of ", Endpoint(host_, port_), " to '",
           doing, "' of key '", key, "', got none within ", patience.seconds(), " s");
  wire::Reader r(body);
  const auto status = static_cast<Status>(r.Code());
  if (status == Status::kTimeout)
    PD_THROW(PreconditionNotMet, "[TCPStore] expected key '", r.Text(), "' to be set within ", deadline.seconds(),
             " s, got nothing");
  if (status == Status::kEnded) {
    const std::string awaited = r.Text();
    PD_THROW(PreconditionNotMet, "[TCPStore] expected key '", awaited, "' to be set, got the end of ", r.Text());
  }
  PD_CHECK(status != Status::kRefused || key.empty(), InvalidArgument, "[TCPStore] expected key '", key,
           "' to hold a number that an int64 can follow, got another value");
  PD_CHECK(status == Status::kOk, PreconditionNotMet, "[TCPStore] expected the server at ", Endpoint(host_, port_),
           " to accept this job's secret (PADDLE_JOB_SECRET), got a refusal");
  return body.substr(1);
}

namespace {

Deadline AtOnce() { return Deadline::In(0); }

}  // namespace

void TcpStore::Set(const std::string& key, const std::string& value) {
  Ask(wire::Writer(Op::kSet).Text(key).Text(value), AtOnce(), "set", key);
}
std::string TcpStore::Get(const std::string& key, const Deadline& deadline, const std::vector<int>& needed) {
  wire::Writer w(Op::kGet);
  w.Number(deadline.left_ms()).Numbers(needed).Text(key);
  return wire::Reader(Ask(std::move(w), deadline, "get", key)).Text();
}
int64_t TcpStore::Add(const std::string& key, int64_t amount) {
  return wire::Reader(Ask(wire::Writer(Op::kAdd).Text(key).Number(amount), AtOnce(), "add", key)).Number();
}
void TcpStore::Wait(const std::vector<std::string>& keys, const Deadline& deadline, const std::vector<int>& needed) {
  if (keys.empty()) return;
  wire::Writer w(Op::kWait);
  w.Number(deadline.left_ms()).Numbers(needed).Number(static_cast<int64_t>(keys.size()));
  for (const std::string& key : keys) w.Text(key);
  Ask(std::move(w), deadline, "wait", keys.front());
}
bool TcpStore::Check(const std::string& key) {
  return wire::Reader(Ask(wire::Writer(Op::kCheck).Text(key), AtOnce(), "check", key)).Number() != 0;
}
bool TcpStore::Delete(const std::string& key) {
  return wire::Reader(Ask(wire::Writer(Op::kDelete).Text(key), AtOnce(), "delete", key)).Number() != 0;
}
std::string TcpStore::Ended(const std::vector<int>& ranks) {
  return wire::Reader(Ask(wire::Writer(Op::kEnded).Numbers(ranks), AtOnce(), "ask", "")).Text();
}
std::string TcpStore::OwnAddress() {
  std::lock_guard lock(mutex_);
  return AddressOf("[TCPStore]", socket_.get());
}

void TcpStore::Leave() { Ask(wire::Writer(Op::kLeave), AtOnce(), "leave", ""); }

}  // namespace paddle::distributed
