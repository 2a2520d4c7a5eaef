// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/serialize/file_util.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "paddle/common/error.h"

namespace pir {
namespace {
struct Fd {
  int fd;
  ~Fd() {
    if (fd >= 0) ::close(fd);
  }
};

size_t OpenForRead(const std::string& path, Fd* fd) {
  fd->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  PD_CHECK(fd->fd >= 0, Io, "cannot open '", path, "': ", std::strerror(errno));
  struct stat st;
  PD_CHECK(::fstat(fd->fd, &st) == 0, Io, "cannot read '", path, "': ", std::strerror(errno));
  PD_CHECK(S_ISREG(st.st_mode), Io, "cannot read '", path, "': not a regular file");
  return static_cast<size_t>(st.st_size);
}
}  // namespace

std::string ReadWholeFile(const std::string& path) {
  Fd fd{-1};
  std::string s(OpenForRead(path, &fd), '\0');
  size_t done = 0;
  while (done < s.size()) {
    ssize_t n = ::read(fd.fd, s.data() + done, s.size() - done);
    if (n < 0 && errno == EINTR) continue;
    PD_CHECK(n > 0, Io, "cannot read '", path, "': ", n < 0 ? std::strerror(errno) : "it became shorter");
    done += static_cast<size_t>(n);
  }
  return s;
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  temp_ = path_ + ".tmpXXXXXX";
  fd_ = ::mkstemp(temp_.data());
  PD_CHECK(fd_ >= 0, Io, "cannot write '", path_, "': ", std::strerror(errno));
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd_, 0666 & ~mask);
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) {
    ::close(fd_);
    ::unlink(temp_.c_str());
  }
}

void AtomicFile::Write(const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t n = ::write(fd_, p, size > (size_t{1} << 30) ? size_t{1} << 30 : size);
    if (n < 0 && errno == EINTR) continue;
    PD_CHECK(n > 0, Io, "cannot write '", path_, "': ", std::strerror(errno));
    p += n;
    size -= static_cast<size_t>(n);
  }
}

void AtomicFile::Commit() {
  int fd = fd_;
  fd_ = -1;
  bool ok = ::close(fd) == 0 && ::rename(temp_.c_str(), path_.c_str()) == 0;
  if (!ok) {
    int e = errno;
    ::unlink(temp_.c_str());
    PD_THROW(Io, "cannot write '", path_, "': ", std::strerror(e));
  }
}

MappedFile::MappedFile(const std::string& path, bool writable) {
  Fd fd{-1};
  size_ = OpenForRead(path, &fd);
  if (size_ == 0) return;
  void* p = ::mmap(nullptr, size_, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_PRIVATE, fd.fd, 0);
  PD_CHECK(p != MAP_FAILED, Io, "cannot read '", path, "': ", std::strerror(errno));
  data_ = static_cast<const char*>(p);
}

void MappedFile::Release(const void* begin, size_t size) {
  const uintptr_t page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE)), at = reinterpret_cast<uintptr_t>(begin);
  uintptr_t first = (at + page - 1) / page * page, end = (at + size) / page * page;
  if (end > first) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace pir
