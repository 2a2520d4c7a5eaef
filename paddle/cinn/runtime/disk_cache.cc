// SPDX-License-Identifier: Apache-2.0
// File format: magic, key size, value size, checksum of both, key, value.
#include "paddle/cinn/runtime/disk_cache.h"
#include "paddle/phi/core/kept_text.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace cinn {
namespace {

constexpr int64_t kStaleSeconds = 3600;  // an unfinished file of this age was left by a process that ended

constexpr char kMagic[8] = {'C', 'I', 'N', 'N', 'K', '0', '1', '\n'};
struct Header {
  char magic[8];
  uint64_t key_size, value_size, checksum;
};

uint64_t Hash(const char* p, size_t n, uint64_t seed) {
  uint64_t h = seed;
  for (size_t i = 0; i < n; ++i) {
    h = (h ^ static_cast<unsigned char>(p[i])) * 0x100000001b3ull;
    h ^= h >> 29;
  }
  h *= 0xff51afd7ed558ccdull;
  return h ^ (h >> 32);
}
uint64_t Hash(const std::string& s, uint64_t seed) { return Hash(s.data(), s.size(), seed); }

bool ReadAll(int fd, void* data, size_t size) {
  char* p = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = ::read(fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool WriteAll(int fd, const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool IsKernel(std::string_view name) { return name.ends_with(".kernel"); }
int64_t WrittenAt(const struct stat& st) {
  return static_cast<int64_t>(st.st_mtim.tv_sec) * 1000000000 + st.st_mtim.tv_nsec;
}

// What a file takes of the disk: whole blocks, which some file systems count only when they are written.
int64_t Taken(const struct stat& st) {
  return std::max(static_cast<int64_t>(st.st_size), static_cast<int64_t>(st.st_blocks) * 512);
}

// Calls visit(name, status) for each file of the folder.
template <typename Visit>
void EachFile(const FileDescriptor& folder, Visit visit) {
  const int copy = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : ::fdopendir(copy), &::closedir);
  if (!list) {
    if (copy >= 0) ::close(copy);
    return;
  }
  while (const dirent* d = ::readdir(list.get())) {
    struct stat st;
    if (::fstatat(folder.get(), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) visit(std::string_view(d->d_name), st);
  }
}

}  // namespace

std::string ContentHash(const std::string& text) {
  char buf[33];
  std::snprintf(buf, sizeof(buf), "%016llx%016llx", static_cast<unsigned long long>(Hash(text, 0xcbf29ce484222325ull)),
                static_cast<unsigned long long>(Hash(text, 0x9e3779b97f4a7c15ull)));
  return buf;
}

DiskCache::DiskCache(std::string dir, int64_t max_bytes) : max_bytes_(max_bytes) {
  std::error_code ec;
  if (!dir.empty()) dir_ = std::filesystem::absolute(dir, ec).string();
}

// A program that runs with more rights than its caller does not take the place from the caller.
std::string DiskCache::DefaultDirectory() {
  if (const char* d = secure_getenv("PADDLE_CINN_CACHE_DIR")) return d;
  if (const char* x = secure_getenv("XDG_CACHE_HOME"); x && *x) return std::string(x) + "/paddle/cinn";
  if (const char* h = secure_getenv("HOME"); h && *h) return std::string(h) + "/.cache/paddle/cinn";
  return "";
}

std::string DiskCache::NameOf(const std::string& key) { return ContentHash(key) + ".kernel"; }
std::string DiskCache::PathOf(const std::string& key) const { return dir_ + "/" + NameOf(key); }

FileDescriptor DiskCache::Open(bool create) const {
  if (dir_.empty() || refused_.load(std::memory_order_relaxed)) return FileDescriptor();
  std::string why;
  FileDescriptor folder = OpenPrivateFolder(dir_, create, &why);
  if (!why.empty() && !refused_.exchange(true))
    std::fprintf(stderr,
                 "Warning: the kernel cache %s is not used, because %s. Compiled kernels are kept in memory only; "
                 "PADDLE_CINN_CACHE_DIR names another directory.\n",
                 dir_.c_str(), why.c_str());
  return folder;
}

std::optional<std::string> DiskCache::Get(const std::string& key) const {
  const FileDescriptor folder = Open(false);
  if (!folder) return std::nullopt;
  struct stat st;
  const FileDescriptor file = OpenPrivateFile(folder, NameOf(key), &st);
  if (!file) return std::nullopt;
  const uint64_t size = static_cast<uint64_t>(st.st_size);
  Header h;
  bool ok = ReadAll(file.get(), &h, sizeof(h)) && std::memcmp(h.magic, kMagic, 8) == 0 && h.key_size <= size &&
            h.value_size <= size && sizeof(h) + h.key_size + h.value_size == size;
  std::string stored, value;
  if (ok) {
    stored.resize(h.key_size);
    value.resize(h.value_size);
    ok = ReadAll(file.get(), stored.data(), stored.size()) && ReadAll(file.get(), value.data(), value.size()) &&
         Hash(value, Hash(stored, 1)) == h.checksum;
  }
  if (!ok) {
    ::unlinkat(folder.get(), NameOf(key).c_str(), 0);
    return std::nullopt;
  }
  if (stored != key) return std::nullopt;
  return value;
}

void DiskCache::Put(const std::string& key, const std::string& value) {
  const FileDescriptor folder = Open(true);
  if (!folder) return;
  static std::atomic<uint64_t> serial{0};
  const uint64_t count = serial++;
  const std::string name = NameOf(key),
                    part = name + "." + std::to_string(getpid()) + "." + std::to_string(count) + ".tmp";
  Header h{};
  std::memcpy(h.magic, kMagic, 8);
  h.key_size = key.size();
  h.value_size = value.size();
  h.checksum = Hash(value, Hash(key, 1));
  FileDescriptor file = CreatePrivateFile(folder, part);
  if (!file) return;
  const bool written = WriteAll(file.get(), &h, sizeof(h)) && WriteAll(file.get(), key.data(), key.size()) &&
                       WriteAll(file.get(), value.data(), value.size());
  if (!file.Close() || !written || ::renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) != 0)
    ::unlinkat(folder.get(), part.c_str(), 0);
  if (count % 64 == 0) Prune(folder);
}

// Folders have more than a hundred thousand files: nothing is kept of them unless some must go, and then no names.
void DiskCache::Prune(const FileDescriptor& folder) {
  int64_t total = 0;
  EachFile(folder, [&](std::string_view name, const struct stat& st) {
    if (IsKernel(name)) total += Taken(st);
    if (name.ends_with(".tmp") && std::time(nullptr) - st.st_mtim.tv_sec > kStaleSeconds)
      ::unlinkat(folder.get(), name.data(), 0);
  });
  if (total <= max_bytes_) return;
  std::vector<std::pair<int64_t, int64_t>> files;  // when each was written, and what it takes
  EachFile(folder, [&](std::string_view name, const struct stat& st) {
    if (IsKernel(name)) files.emplace_back(WrittenAt(st), Taken(st));
  });
  std::sort(files.begin(), files.end());
  const int64_t excess = total - max_bytes_ * 3 / 4;
  int64_t last = 0, found = 0;
  for (size_t i = 0; i < files.size() && found < excess; ++i) {
    last = files[i].first;
    found += files[i].second;
  }
  int64_t removed = 0;
  EachFile(folder, [&](std::string_view name, const struct stat& st) {
    if (!IsKernel(name) || removed >= excess || WrittenAt(st) > last) return;
    ::unlinkat(folder.get(), name.data(), 0);
    removed += Taken(st);
  });
}

DiskCache& DeviceDisk() {
  static DiskCache& disk = *new DiskCache(DiskCache::DefaultDirectory());
  return disk;
}

namespace {
[[maybe_unused]] const bool keeps =
    (phi::g_kept_text = {[](const std::string& key) { return DeviceDisk().Get(key); },
                         [](const std::string& key, const std::string& text) { DeviceDisk().Put(key, text); }},
     true);
}  // namespace

}  // namespace cinn
