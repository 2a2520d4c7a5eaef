// SPDX-License-Identifier: Apache-2.0
// Sockets with deadlines: owned descriptors, connections over TCP and within the host, whole reads and writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "paddle/distributed/deadline.h"

namespace paddle::distributed {

// An owned descriptor. A forked child closes some that a thread of its parent was reading, which is no race: the child
// has a number of its own.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& o) noexcept : fd_(o.release()) {}
  Fd& operator=(Fd&& o) noexcept {
    const int other = o.get();
    o.fd_.store(release(), std::memory_order_relaxed);
    fd_.store(other, std::memory_order_relaxed);
    return *this;
  }
  ~Fd() { Close(); }
  void Close();
  int get() const { return fd_.load(std::memory_order_relaxed); }
  int release() { return fd_.exchange(-1, std::memory_order_relaxed); }
  explicit operator bool() const { return get() >= 0; }

 private:
  std::atomic<int> fd_ = -1;
};

// Whether the last call of the system on a socket failed for now only.
bool MayTryAgain();

// `what` begins the messages of errors: "[TCPStore]".

// Listens at an address of `host`; `port` 0 takes a free one. Returns the socket and the port it has.
std::pair<Fd, int> ListenTcp(const char* what, const std::string& host, int port);
// Tries until somebody listens there or the deadline has passed.
Fd ConnectTcp(const char* what, const std::string& host, int port, const Deadline& deadline);
// Tries once; an empty descriptor where nobody listens.
Fd TryConnectTcp(const char* what, const std::string& host, int port, const Deadline& deadline);

// Small messages of a connection over TCP leave at once: none waits until the one before it has been acknowledged.
void SendAtOnce(int fd);

// The address, without port, of this end of a connection.
std::string AddressOf(const char* what, int fd);

// `place` takes the socket, which a forked child closes: a connection ends with the process that made it. `place` stays
// where it is until ForgetOwn.
void KeepOwn(Fd& place, Fd socket);
void ForgetOwn(const Fd& place);

// Sockets of the host's abstract namespace: seen by processes in the same network namespace, gone with the process.
Fd ListenLocal(const char* what, const std::string& name);
// An empty descriptor where nobody listens.
Fd TryConnectLocal(const char* what, const std::string& name);
// Whether the process at the other end belongs to the same user.
bool SameUser(int fd);

// A connection that came within the deadline; none: an empty one.
Fd Accept(int listener, const Deadline& deadline);

enum class Io : uint8_t { kDone, kClosed, kTimeout };
Io SendAll(int fd, const void* data, size_t bytes, const Deadline& deadline);
Io ReceiveAll(int fd, void* data, size_t bytes, const Deadline& deadline);

// Hands a descriptor to the process at the other end of a local socket.
Io SendFd(int socket, int fd, const Deadline& deadline);
std::pair<Io, Fd> ReceiveFd(int socket, const Deadline& deadline);

// "host:7000" for messages.
std::string Endpoint(const std::string& host, int port);

}  // namespace paddle::distributed
