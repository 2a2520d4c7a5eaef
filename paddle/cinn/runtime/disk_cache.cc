// SPDX-License-Identifier: Apache-2.0
// File format: magic, key size, value size, checksum of both, key, value.
#include "paddle/cinn/runtime/disk_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace cinn {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::string ContentHash(const std::string& text) {
  char buf[33];
  std::snprintf(buf, sizeof(buf), "%016llx%016llx", static_cast<unsigned long long>(Hash(text, 0xcbf29ce484222325ull)),
                static_cast<unsigned long long>(Hash(text, 0x9e3779b97f4a7c15ull)));
  return buf;
}

DiskCache::DiskCache(std::string dir, int64_t max_bytes) : dir_(std::move(dir)), max_bytes_(max_bytes) {}

std::string DiskCache::DefaultDirectory() {
  if (const char* d = std::getenv("PADDLE_CINN_CACHE_DIR")) return d;
  if (const char* x = std::getenv("XDG_CACHE_HOME"); x && *x) return std::string(x) + "/paddle/cinn";
  if (const char* h = std::getenv("HOME"); h && *h) return std::string(h) + "/.cache/paddle/cinn";
  return "";
}

std::string DiskCache::PathOf(const std::string& key) const { return dir_ + "/" + ContentHash(key) + ".kernel"; }

std::optional<std::string> DiskCache::Get(const std::string& key) const {
  if (dir_.empty()) return std::nullopt;
  const std::string path = PathOf(key);
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::error_code ec;
  const uint64_t size = fs::file_size(path, ec);
  Header h;
  bool ok = !ec && in.read(reinterpret_cast<char*>(&h), sizeof(h)) && std::memcmp(h.magic, kMagic, 8) == 0 &&
            h.key_size <= size && h.value_size <= size && sizeof(h) + h.key_size + h.value_size == size;
  std::string stored, value;
  if (ok) {
    stored.resize(h.key_size);
    value.resize(h.value_size);
    ok = in.read(stored.data(), static_cast<std::streamsize>(stored.size())) &&
         in.read(value.data(), static_cast<std::streamsize>(value.size())) &&
         Hash(value, Hash(stored, 1)) == h.checksum;
  }
  if (!ok) {
    fs::remove(path, ec);
    return std::nullopt;
  }
  if (stored != key) return std::nullopt;
  return value;
}

void DiskCache::Put(const std::string& key, const std::string& value) {
  if (dir_.empty()) return;
  std::error_code ec;
  if (fs::create_directories(dir_, ec)) fs::permissions(dir_, fs::perms::owner_all, ec);
  static std::atomic<uint64_t> serial{0};
  const uint64_t count = serial++;
  const std::string path = PathOf(key),
                    part = path + "." + std::to_string(getpid()) + "." + std::to_string(count) + ".tmp";
  Header h{};
  std::memcpy(h.magic, kMagic, 8);
  h.key_size = key.size();
  h.value_size = value.size();
  h.checksum = Hash(value, Hash(key, 1));
  {
    std::ofstream out(part, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&h), sizeof(h));
    out.write(key.data(), static_cast<std::streamsize>(key.size()));
    out.write(value.data(), static_cast<std::streamsize>(value.size()));
    out.flush();
    if (!out) {
      out.close();
      fs::remove(part, ec);
      return;
    }
  }
  fs::rename(part, path, ec);
  if (ec) fs::remove(part, ec);
  if (count % 64 == 0) Prune();
}

void DiskCache::Prune() {
  struct Entry {
    fs::file_time_type time;
    int64_t size;
    fs::path path;
  };
  std::vector<Entry> all;
  int64_t total = 0;
  std::error_code ec;
  for (fs::directory_iterator it(dir_, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code e2;
    Entry e{it->last_write_time(e2), static_cast<int64_t>(it->file_size(e2)), it->path()};
    if (e2) continue;
    // What a killed process left behind.
    if (e.path.extension() == ".tmp" && fs::file_time_type::clock::now() - e.time > std::chrono::hours(1)) {
      fs::remove(e.path, e2);
      continue;
    }
    if (e.path.extension() != ".kernel") continue;
    total += e.size;
    all.push_back(std::move(e));
  }
  if (total <= max_bytes_) return;
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& e : all) {
    if (total <= max_bytes_ * 3 / 4) break;
    std::error_code e2;
    fs::remove(e.path, e2);
    total -= e.size;
  }
}

}  // namespace cinn
