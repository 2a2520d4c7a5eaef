// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "paddle/common/error.h"

namespace paddle::distributed {

namespace {

struct OwnSockets {
  std::mutex mutex;
  std::vector<Fd*> places;

  static OwnSockets& Get() {
    static auto* all = [] {
      ::pthread_atfork([] { Get().mutex.lock(); }, [] { Get().mutex.unlock(); },
                       [] {
                         for (Fd* place : Get().places) place->Close();
                         Get().places.clear();
                         Get().mutex.unlock();
                       });
      return new OwnSockets;
    }();
    return *all;
  }
};

}  // namespace

bool MayTryAgain() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

void KeepOwn(Fd& place, Fd socket) {
  OwnSockets& all = OwnSockets::Get();
  std::lock_guard lock(all.mutex);
  place = std::move(socket);
  all.places.push_back(&place);
}

void ForgetOwn(const Fd& place) {
  OwnSockets& all = OwnSockets::Get();
  std::lock_guard lock(all.mutex);
  std::erase(all.places, &place);
}

void Fd::Close() {
  if (const int fd = release(); fd >= 0) ::close(fd);
}

std::string Endpoint(const std::string& host, int port) {
  std::string text = host;
  text += ':';
  return text += std::to_string(port);
}

namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses Resolve(const char* what, const std::string& host, int port, bool passive) {
  PD_CHECK(port >= 0 && port <= 65535, InvalidArgument, what, " expected a port of 0 to 65535, got ", port);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  PD_CHECK(error == 0, InvalidArgument, what, " expected the name or address of a host, got '", host,
           "': ", gai_strerror(error));
  return {found, &freeaddrinfo};
}

// True: ready. False: the deadline has passed.
bool Poll(int fd, short events, const Deadline& deadline) {
  for (;;) {
    pollfd p{fd, events, 0};
    const int n = ::poll(&p, 1, deadline.left_ms());
    if (n > 0) return true;
    if (n == 0 && deadline.passed()) return false;
  }
}

sockaddr_un LocalAddress(const std::string& name, socklen_t* length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  PD_ASSERT(name.size() + 1 < sizeof(address.sun_path));
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Fd LocalSocket(const char* what) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  PD_CHECK(fd, Io, what, " expected a local socket, got: ", std::strerror(errno));
  return fd;
}

bool MetItself(int fd) {
  sockaddr_storage own{}, other{};
  socklen_t n = sizeof own, m = sizeof other;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &n) == 0 &&
         ::getpeername(fd, reinterpret_cast<sockaddr*>(&other), &m) == 0 && n == m && std::memcmp(&own, &other, n) == 0;
}

// Tries each address once; `error` says why the last one failed.
Fd ConnectOnce(const Addresses& list, const Deadline& deadline, int* error) {
  for (const addrinfo* a = list.get(); a; a = a->ai_next) {
    Fd fd(::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol));
    *error = fd && ::connect(fd.get(), a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
    if (*error == EINPROGRESS) {
      *error = ETIMEDOUT;
      socklen_t length = sizeof *error;
      if (Poll(fd.get(), POLLOUT, deadline)) ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, error, &length);
    }
    // Without a listener a connection to an own port may meet itself.
    if (*error == 0 && MetItself(fd.get())) *error = ECONNREFUSED;
    if (*error == 0) {
      SendAtOnce(fd.get());
      return fd;
    }
  }
  return Fd();
}

}  // namespace

std::pair<Fd, int> ListenTcp(const char* what, const std::string& host, int port) {
  const Addresses list = Resolve(what, host, port, true);
  int error = 0;
  for (const addrinfo* a = list.get(); a; a = a->ai_next) {
    Fd fd(::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol));
    const int on = 1;
    if (fd) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!fd || ::bind(fd.get(), a->ai_addr, a->ai_addrlen) != 0 || ::listen(fd.get(), 4096) != 0) {
      error = errno;
      continue;
    }
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &length);
    const int got = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                                      : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
    return {std::move(fd), got};
  }
  PD_THROW(Io, what, " expected to listen at ", Endpoint(host, port), ", got: ", std::strerror(error));
}

Fd ConnectTcp(const char* what, const std::string& host, int port, const Deadline& deadline) {
  const Addresses list = Resolve(what, host, port, false);
  for (auto pause = std::chrono::milliseconds(5);; pause = std::min(pause * 2, std::chrono::milliseconds(200))) {
    int error = 0;
    if (Fd fd = ConnectOnce(list, deadline, &error)) return fd;
    PD_CHECK(!deadline.passed(), PreconditionNotMet, what, " expected somebody to listen at ", Endpoint(host, port),
             " within ", deadline.seconds(), " s, got: ", std::strerror(error));
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, deadline.left()));
  }
}

Fd TryConnectTcp(const char* what, const std::string& host, int port, const Deadline& deadline) {
  int error = 0;
  return ConnectOnce(Resolve(what, host, port, false), deadline, &error);
}

void SendAtOnce(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

std::string AddressOf(const char* what, int fd) {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  char text[NI_MAXHOST];
  PD_CHECK(
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
          ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0,
      Io, what, " expected a connection, got: ", std::strerror(errno));
  return text;
}

Fd ListenLocal(const char* what, const std::string& name) {
  Fd fd = LocalSocket(what);
  socklen_t length;
  const sockaddr_un address = LocalAddress(name, &length);
  PD_CHECK(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 && ::listen(fd.get(), 4096) == 0,
           Io, what, " expected to listen at a local socket, got: ", std::strerror(errno));
  return fd;
}

Fd TryConnectLocal(const char* what, const std::string& name) {
  Fd fd = LocalSocket(what);
  socklen_t length;
  const sockaddr_un address = LocalAddress(name, &length);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 ? std::move(fd) : Fd();
}

bool SameUser(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

Fd Accept(int listener, const Deadline& deadline) {
  while (Poll(listener, POLLIN, deadline)) {
    Fd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd) return fd;
    if (!MayTryAgain() && errno != ECONNABORTED) break;
  }
  return Fd();
}

Io SendAll(int fd, const void* data, size_t bytes, const Deadline& deadline) {
  const char* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::send(fd, p, bytes, MSG_NOSIGNAL);
    if (n > 0) {
      p += n;
      bytes -= static_cast<size_t>(n);
    } else if (!MayTryAgain()) {
      return Io::kClosed;
    } else if (!Poll(fd, POLLOUT, deadline)) {
      return Io::kTimeout;
    }
  }
  return Io::kDone;
}

Io ReceiveAll(int fd, void* data, size_t bytes, const Deadline& deadline) {
  char* p = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::recv(fd, p, bytes, 0);
    if (n > 0) {
      p += n;
      bytes -= static_cast<size_t>(n);
    } else if (n == 0 || !MayTryAgain()) {
      return Io::kClosed;
    } else if (!Poll(fd, POLLIN, deadline)) {
      return Io::kTimeout;
    }
  }
  return Io::kDone;
}

namespace {

// A message of one byte that can carry a descriptor.
struct FdMessage {
  FdMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
};

}  // namespace

Io SendFd(int socket, int fd, const Deadline& deadline) {
  FdMessage m;
  cmsghdr* c = CMSG_FIRSTHDR(&m.header);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(c), &fd, sizeof fd);
  while (::sendmsg(socket, &m.header, MSG_NOSIGNAL) < 0) {
    if (!MayTryAgain()) return Io::kClosed;
    if (!Poll(socket, POLLOUT, deadline)) return Io::kTimeout;
  }
  return Io::kDone;
}

std::pair<Io, Fd> ReceiveFd(int socket, const Deadline& deadline) {
  FdMessage m;
  ssize_t n;
  while ((n = ::recvmsg(socket, &m.header, MSG_CMSG_CLOEXEC)) < 0) {
    if (!MayTryAgain()) return {Io::kClosed, Fd()};
    if (!Poll(socket, POLLIN, deadline)) return {Io::kTimeout, Fd()};
  }
  const cmsghdr* c = CMSG_FIRSTHDR(&m.header);
  if (n == 0 || !c || c->cmsg_type != SCM_RIGHTS) return {Io::kClosed, Fd()};
  int fd;
  std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
  return {Io::kDone, Fd(fd)};
}

}  // namespace paddle::distributed
