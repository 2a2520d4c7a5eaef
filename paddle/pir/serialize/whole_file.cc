// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/serialize/whole_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

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

// Where writing to `path` ends after all links. False for a link of /dev or /proc: it stands for an open descriptor.
bool FollowLinks(const std::string& path, std::string* target) {
  *target = path;
  for (int links = 0; links < 40; ++links) {
    char text[PATH_MAX];
    const ssize_t size = ::readlink(target->c_str(), text, sizeof text);
    if (size < 0) return true;
    const size_t slash = target->rfind('/');
    const std::string folder = slash == std::string::npos ? "." : target->substr(0, slash + 1);
    char real[PATH_MAX];
    if (!::realpath(folder.c_str(), real)) return true;
    if (std::strcmp(real, "/dev") == 0 || std::strncmp(real, "/proc/", 6) == 0) return false;
    const std::string to(text, static_cast<size_t>(size));
    *target = to.starts_with('/') ? to : folder + (slash == std::string::npos ? "/" : "") + to;
  }
  return true;
}

// Opens a new file in the folder of `target`; its name. `fd` below 0 and errno when that fails.
std::string OpenBeside(const std::string& target, mode_t mode, int* fd) {
  static std::atomic<uint64_t> serial{0};
  const size_t slash = target.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  for (int tries = 0; tries < 100; ++tries) {
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::string temp = target.substr(0, begin) + "." + target.substr(begin, 100) + "." +
                             std::to_string(::getpid()) + "." + std::to_string(serial++) + "." +
                             std::to_string(now.tv_nsec) + ".tmp";
    *fd = ::open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (*fd >= 0 || errno != EEXIST) return temp;
  }
  return "";
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
  struct stat st;
  const bool exists = ::stat(path_.c_str(), &st) == 0;
  Check(exists || errno == ENOENT);
  if ((exists && !S_ISREG(st.st_mode)) || !FollowLinks(path_, &target_)) {
    target_.clear();
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    Check(fd_ >= 0);
    return;
  }
  Check(!exists || ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) == 0);
  // Until it is complete nobody else reads what replaces a file. A new one gets the permissions open() gives.
  std::string temp = OpenBeside(target_, exists ? 0600 : 0666, &fd_);
  if (fd_ < 0 && exists && (errno == EACCES || errno == EPERM || errno == EROFS)) {
    OpenInPlace();
    temp.clear();
  }
  Check(fd_ >= 0);
  temp_ = std::move(temp);
  if (exists && !temp_.empty()) {
    // Giving it away needs rights this process may not have; and it takes the mode bits of set-user-id programs.
    if (::fchown(fd_, st.st_uid, st.st_gid) != 0 && ::fchown(fd_, static_cast<uid_t>(-1), st.st_gid) != 0) errno = 0;
    ::fchmod(fd_, st.st_mode & 07777);
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temp_.empty()) ::unlink(temp_.c_str());
}

void AtomicFile::Check(bool ok) const { PD_CHECK(ok, Io, "cannot write '", path_, "': ", std::strerror(errno)); }

void AtomicFile::Write(const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t n = ::write(fd_, p, size > (size_t{1} << 30) ? size_t{1} << 30 : size);
    if (n < 0 && errno == EINTR) continue;
    Check(n > 0);
    p += n;
    size -= static_cast<size_t>(n);
  }
}

// For a target that nothing can be renamed over: a mounted file, another user's in a sticky folder.
void AtomicFile::CopyOver() {
  const std::string content = ReadWholeFile(temp_);
  OpenInPlace();
  Check(fd_ >= 0);
  Write(content);
  Check(::ftruncate(fd_, static_cast<off_t>(content.size())) == 0);
  ::unlink(temp_.c_str());
  temp_.clear();
}

// Not truncated first: somebody may have mapped the file.
void AtomicFile::OpenInPlace() { fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC); }

bool AtomicFile::Close() {
  const int fd = fd_;
  fd_ = -1;
  return ::close(fd) == 0;
}

void AtomicFile::Commit() {
  if (temp_.empty() && !target_.empty()) {
    const off_t end = ::lseek(fd_, 0, SEEK_CUR);
    Check(end >= 0 && ::ftruncate(fd_, end) == 0);
  }
  Check(Close());
  if (temp_.empty()) return;
  if (::rename(temp_.c_str(), target_.c_str()) == 0) {
    temp_.clear();
    return;
  }
  Check(errno == EBUSY || errno == EPERM || errno == EACCES);
  CopyOver();
  Check(Close());
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
