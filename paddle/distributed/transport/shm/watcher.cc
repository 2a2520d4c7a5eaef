// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/transport/shm/watcher.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "paddle/common/error.h"

namespace paddle::distributed::shm {

namespace {

// Lives as long as the process: its thread may run while statics are destroyed.
class Watcher {
 public:
  static Watcher& Get() {
    static auto* watcher = new Watcher;
    return *watcher;
  }

  void Add(int fd, std::function<void()> ended) {
    std::lock_guard lock(mutex_);
    if (!epoll_) Start();
    entries_[fd] = std::move(ended);
    epoll_event e{};
    e.events = EPOLLIN | EPOLLRDHUP;
    e.data.fd = fd;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &e);
  }

  // Runs callbacks under the lock, so that one that is running has ended when Remove returns.
  void Remove(int fd) {
    std::lock_guard lock(mutex_);
    if (entries_.erase(fd) == 0) return;  // a forked child, which has closed it
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    ::close(fd);
  }

 private:
  void Start() {
    static std::once_flag once;
    std::call_once(once, [] {
      ::pthread_atfork([] { Get().mutex_.lock(); }, [] { Get().mutex_.unlock(); }, [] { Get().Child(); });
    });
    epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    PD_CHECK(epoll_, Io, "[new_group] expected a descriptor, got: ", std::strerror(errno));
    std::thread thread([this] { Run(); });
    ::pthread_setname_np(thread.native_handle(), "paddle-watch");
    thread.detach();
  }

  // In a forked child, which has no thread of ours.
  void Child() {
    for (const auto& [fd, ended] : entries_) ::close(fd);
    entries_.clear();
    epoll_.Close();
    mutex_.unlock();
  }

  [[noreturn]] void Run() {
    for (;;) {
      epoll_event e;
      if (::epoll_wait(epoll_.get(), &e, 1, -1) < 1) continue;
      std::lock_guard lock(mutex_);
      const auto at = entries_.find(e.data.fd);
      if (at == entries_.end()) continue;
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, at->first, nullptr);
      const auto ended = std::exchange(at->second, nullptr);
      if (ended) ended();
    }
  }

  std::mutex mutex_;
  Fd epoll_;
  std::map<int, std::function<void()>> entries_;
};

}  // namespace

Watched::Watched(Fd connection, std::function<void()> ended) : fd_(connection.get()) {
  Watcher::Get().Add(fd_, std::move(ended));
  connection.release();
}
Watched::~Watched() { Watcher::Get().Remove(fd_); }

}  // namespace paddle::distributed::shm
