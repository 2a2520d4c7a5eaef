// SPDX-License-Identifier: Apache-2.0
// The kernel cache on disk: round trips, damage, size limit, concurrent writers.
#include "paddle/cinn/runtime/disk_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
  int64_t total = 0, largest = 0;  // of the disk: a small file takes a whole block
  for (const auto& e : fs::directory_iterator(d.path)) {
    struct stat st;
    ASSERT_EQ(::stat(e.path().c_str(), &st), 0);
    const int64_t taken = std::max<int64_t>(st.st_size, st.st_blocks * 512);
    total += taken;
    largest = std::max(largest, taken);
  }
  EXPECT_LT(total, 100 * 1000 + 65 * largest);
  EXPECT_GT(total, 0);
}

int64_t ResidentBytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(DiskCache, ManyFilesTakeNoMemory) {
  TempDir d;
  DiskCache c(d.path);
  for (int i = 0; i < 64; ++i) c.Put("first" + std::to_string(i), "x");
  for (int i = 0; i < 20000; ++i) fs::copy_file(c.PathOf("first0"), c.PathOf("key" + std::to_string(i)));
  const int64_t before = ResidentBytes();
  for (int i = 0; i < 64; ++i) c.Put("second" + std::to_string(i), "x");
  EXPECT_LT(ResidentBytes() - before, 1 << 19);
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

mode_t ModeOf(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
}

TEST(DiskCache, WritesForThisUserAlone) {
  TempDir d;
  const mode_t mask = umask(0);
  DiskCache c(d.path + "/a/b");
  c.Put("k", "v");
  umask(mask);
  EXPECT_EQ(ModeOf(d.path + "/a"), 0700u);
  EXPECT_EQ(ModeOf(d.path + "/a/b"), 0700u);
  EXPECT_EQ(ModeOf(c.PathOf("k")), 0600u);
}

TEST(DiskCache, RefusesDirectoriesOthersCanWrite) {
  for (mode_t mode : {0720, 0702, 0777, 01777}) {
    TempDir d;
    DiskCache(d.path).Put("k", "v");
    chmod(d.path.c_str(), mode);
    DiskCache c(d.path);
    testing::internal::CaptureStderr();
    EXPECT_FALSE(c.Get("k")) << mode;
    c.Put("new", "v");
    EXPECT_FALSE(c.Get("k"));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find(d.path), std::string::npos) << text;
    EXPECT_NE(text.find("may write it"), std::string::npos) << text;
    EXPECT_EQ(text.find("Warning"), text.rfind("Warning")) << text;
    EXPECT_FALSE(fs::exists(c.PathOf("new")));
    chmod(d.path.c_str(), 0755);
    EXPECT_TRUE(DiskCache(d.path).Get("k"));
  }
}

TEST(DiskCache, RefusesFilesOthersCanWriteAndLinks) {
  TempDir d;
  DiskCache c(d.path);
  for (mode_t mode : {0620, 0602}) {
    c.Put("k", "v");
    chmod(c.PathOf("k").c_str(), mode);
    EXPECT_FALSE(c.Get("k")) << mode;
    c.Put("k", "w");
    EXPECT_EQ(*c.Get("k"), "w");
  }
  fs::rename(c.PathOf("k"), d.path + "/elsewhere");
  fs::create_symlink(d.path + "/elsewhere", c.PathOf("k"));
  EXPECT_FALSE(c.Get("k"));
  fs::remove(c.PathOf("k"));
  ASSERT_EQ(mkfifo(c.PathOf("k").c_str(), 0600), 0);
  EXPECT_FALSE(c.Get("k"));
}

TEST(DiskCache, LinksAndFoldersOnTheWay) {
  TempDir d;
  fs::create_directory(d.path + "/real");
  fs::create_symlink("real", d.path + "/link");
  fs::create_symlink(d.path + "/link", d.path + "/again");
  DiskCache c(d.path + "/again/../link/cache");
  c.Put("k", "v");
  EXPECT_TRUE(fs::exists(d.path + "/real/cache"));
  EXPECT_EQ(*DiskCache(d.path + "/real/cache").Get("k"), "v");
  chmod((d.path + "/real").c_str(), 01777);  // as /tmp is
  EXPECT_TRUE(DiskCache(d.path + "/real/cache").Get("k"));
  chmod((d.path + "/real").c_str(), 0777);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(DiskCache(d.path + "/link/cache").Get("k"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("everybody may rename"), std::string::npos);
  chmod((d.path + "/real").c_str(), 0755);
  fs::create_symlink("round", d.path + "/round");
  EXPECT_FALSE(DiskCache(d.path + "/round/cache").Get("k"));
}

TEST(DiskCache, RefusesWhatBelongsToOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  TempDir d;
  chmod(d.path.c_str(), 01777);
  DiskCache c(d.path + "/cache");
  c.Put("k", "v");
  ASSERT_EQ(chown(c.PathOf("k").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(c.Get("k"));
  c.Put("k", "v");
  EXPECT_TRUE(c.Get("k"));
  fs::create_symlink("cache", d.path + "/link");
  EXPECT_TRUE(DiskCache(d.path + "/link").Get("k"));
  ASSERT_EQ(lchown((d.path + "/link").c_str(), 12345, 12345), 0);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(DiskCache(d.path + "/link").Get("k"));
  ASSERT_EQ(chown((d.path + "/cache").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(DiskCache(d.path + "/cache").Get("k"));
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("the link " + d.path + "/link belongs to user 12345"), std::string::npos) << text;
  EXPECT_NE(text.find("it belongs to user 12345"), std::string::npos) << text;
}

TEST(DiskCache, HashesDiffer) {
  EXPECT_EQ(ContentHash("a").size(), 32u);
  EXPECT_NE(ContentHash("a"), ContentHash("b"));
  EXPECT_NE(ContentHash("ab"), ContentHash("ba"));
}

}  // namespace
}  // namespace cinn
