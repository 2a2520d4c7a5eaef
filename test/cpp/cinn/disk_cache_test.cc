// SPDX-License-Identifier: Apache-2.0
// The kernel cache on disk: round trips, damage, size limit, concurrent writers.
#include "paddle/cinn/runtime/disk_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace cinn {
namespace {

namespace fs = std::filesystem;

struct TempDir {
  std::string path;
  TempDir() {
    std::string t = (fs::temp_directory_path() / "cinn_cache_XXXXXX").string();
    path = mkdtemp(t.data());
  }
  ~TempDir() { fs::remove_all(path); }
};

TEST(DiskCache, RoundTripAndMiss) {
  TempDir d;
  DiskCache c(d.path + "/sub");
  EXPECT_FALSE(c.Get("k"));
  c.Put("k", std::string("a\0b", 3));
  EXPECT_EQ(*c.Get("k"), std::string("a\0b", 3));
  EXPECT_EQ(*DiskCache(d.path + "/sub").Get("k"), std::string("a\0b", 3));
  EXPECT_FALSE(DiskCache("").Get("k"));
}

TEST(DiskCache, DamagedFilesAreRemoved) {
  for (int where : {0, 10, 40, -1}) {
    TempDir d;
    DiskCache c(d.path);
    c.Put("key", std::string(100, 'x'));
    const std::string path = c.PathOf("key");
    if (where < 0) {
      fs::resize_file(path, 60);
    } else {
      std::fstream f(path, std::ios::in | std::ios::out | std::ios::binary);
      f.seekp(where);
      f.put('!');
    }
    EXPECT_FALSE(c.Get("key")) << where;
    EXPECT_FALSE(fs::exists(path));
    c.Put("key", "new");
    EXPECT_EQ(*c.Get("key"), "new");
  }
}

TEST(DiskCache, StaysBelowItsLimit) {
  TempDir d;
  DiskCache c(d.path, 100 * 1000);
  for (int i = 0; i < 300; ++i) c.Put("key" + std::to_string(i), std::string(1000, 'x'));
  int64_t total = 0;
  for (const auto& e : fs::directory_iterator(d.path)) total += static_cast<int64_t>(e.file_size());
  EXPECT_LT(total, 100 * 1000 + 65 * 1100);
}

TEST(DiskCache, ConcurrentWritersLeaveWholeFiles) {
  TempDir d;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      DiskCache c(d.path);
      for (int i = 0; i < 50; ++i) {
        c.Put("shared", std::string(5000, static_cast<char>('a' + t)));
        auto v = c.Get("shared");
        ASSERT_TRUE(v);
        EXPECT_EQ(*v, std::string(5000, (*v)[0]));
      }
    });
  for (auto& t : threads) t.join();
}

TEST(DiskCache, HashesDiffer) {
  EXPECT_EQ(ContentHash("a").size(), 32u);
  EXPECT_NE(ContentHash("a"), ContentHash("b"));
  EXPECT_NE(ContentHash("ab"), ContentHash("ba"));
}

}  // namespace
}  // namespace cinn
