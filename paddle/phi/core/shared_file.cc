// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>
#include <set>

#include "paddle/common/error.h"

namespace phi {
namespace {

constexpr uint64_t kMark = 0x6d656d5f64646170;
constexpr size_t kData = 64;  // where the data begins
constexpr const char* kPrefix = "/paddle_";

struct Header {
  uint64_t mark = kMark, bytes = 0;
  std::atomic<int64_t> uses{1};
};
static_assert(sizeof(Header) <= kData && std::atomic<int64_t>::is_always_lock_free);
Header& HeaderOf(void* base) { return *static_cast<Header*>(base); }

struct Files {
  std::mutex mutex;
  std::set<SharedFile*> of_process;
};
Files& All() {
  static auto* files = new Files;
  return *files;
}

}  // namespace

void SharedFile::Map(int descriptor, const char* op) {
  void* base = ::mmap(nullptr, kData + bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  PD_CHECK(base != MAP_FAILED, ResourceExhausted, "[", op, "] expected to map ", bytes_,
           " bytes of shared memory, got: ", std::strerror(error));
  base_ = base;
  owner_ = ::getpid();
  std::lock_guard<std::mutex> lock(All().mutex);
  All().of_process.insert(this);
}

std::shared_ptr<SharedFile> SharedFile::Create(size_t bytes, const char* op, bool owned) {
  static std::atomic<int> number{0};
  std::shared_ptr<SharedFile> file(new SharedFile);
  std::string name = kPrefix + std::to_string(::getpid()) + "_" + std::to_string(number++) + "_" +
                     std::to_string(std::random_device{}());
  const int fd = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  // Taken now, since a write to memory that the system lacks ends the process.
  const int error = fd < 0 ? errno : ::posix_fallocate(fd, 0, static_cast<off_t>(kData + bytes));
  if (error) {
    if (fd >= 0) ::close(fd), ::shm_unlink(name.c_str());
    PD_THROW(ResourceExhausted, "[", op, "] expected shared memory of ", bytes, " bytes, got: ", std::strerror(error));
  }
  file->name_ = std::move(name);
  file->bytes_ = bytes;
  file->owned_ = owned;
  file->Map(fd, op);
  new (file->base_) Header;
  HeaderOf(file->base_).bytes = bytes;
  return file;
}

std::shared_ptr<SharedFile> SharedFile::Open(const std::string& name, const char* op) {
  PD_CHECK(name.rfind(kPrefix, 0) == 0 && name.find('/', 1) == std::string::npos, InvalidArgument, "[", op,
           "] expected the name of a tensor's shared memory, got '", name, "'");
  const int fd = ::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  PD_CHECK(fd >= 0, NotFound, "[", op, "] expected shared memory that is in use, got '", name,
           "': ", std::strerror(errno), " (the process that made it left before it was opened)");
  struct stat info {};
  const bool whole = ::fstat(fd, &info) == 0 && static_cast<size_t>(info.st_size) >= kData;
  std::shared_ptr<SharedFile> file(new SharedFile);
  file->name_ = name;
  file->bytes_ = whole ? static_cast<size_t>(info.st_size) - kData : 0;
  if (!whole) ::close(fd);
  PD_CHECK(whole, InvalidArgument, "[", op, "] expected a tensor's shared memory, got a file of ", info.st_size,
           " bytes in '", name, "'");
  file->Map(fd, op);
  Header& header = HeaderOf(file->base_);
  const bool ours = header.mark == kMark && header.bytes == file->bytes_;
  if (ours)
    header.uses.fetch_add(1);
  else
    file->owner_ = 0;  // holds no use
  PD_CHECK(ours, InvalidArgument, "[", op, "] expected a tensor's shared memory, got another file in '", name, "'");
  return file;
}

SharedFile::~SharedFile() {
  if (!base_) return;
  {
    std::lock_guard<std::mutex> lock(All().mutex);
    All().of_process.erase(this);
  }
  Leave();
  ::munmap(base_, kData + bytes_);
}

template <class F>
std::shared_ptr<SharedFile> SharedFile::Find(const F& is) {
  std::lock_guard<std::mutex> lock(All().mutex);
  for (SharedFile* file : All().of_process)
    if (file->owner_ == ::getpid() && is(*file)) return file->weak_from_this().lock();
  return nullptr;
}
std::shared_ptr<SharedFile> SharedFile::Named(const std::string& name) {
  return Find([&](const SharedFile& file) { return file.name_ == name; });
}
std::shared_ptr<SharedFile> SharedFile::Of(const void* data) {
  return Find([&](const SharedFile& file) { return file.data() == data; });
}

void SharedFile::Leave() {
  if (owner_ != ::getpid()) return;
  owner_ = 0;
  Add(-1);
  if (owned_) ::shm_unlink(name_.c_str());
}

void* SharedFile::data() const { return static_cast<char*>(base_) + kData; }
int64_t SharedFile::uses() const { return HeaderOf(base_).uses.load(); }
void SharedFile::Add(int64_t uses) {
  if (HeaderOf(base_).uses.fetch_add(uses) + uses <= 0) ::shm_unlink(name_.c_str());
}

void SharedFile::LeaveAll() {
  std::lock_guard<std::mutex> lock(All().mutex);
  for (SharedFile* file : All().of_process) file->Leave();
}

}  // namespace phi
