// SPDX-License-Identifier: Apache-2.0
// Kernels through memory and disk. All tests of this program use a cache directory of their own, removed at the end.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "paddle/cinn/compiler.h"

namespace cinn {
namespace {

namespace fs = std::filesystem;

class OwnCache : public testing::Environment {
 public:
  OwnCache() {
    std::string t = (fs::temp_directory_path() / "cinn_test_XXXXXX").string();
    path = mkdtemp(t.data());
    setenv("PADDLE_CINN_CACHE_DIR", path.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(path); }
  std::string path;
};
OwnCache* const own_cache = static_cast<OwnCache*>(testing::AddGlobalTestEnvironment(new OwnCache));

float RunOnce(double addend) {
  FusionGroup g;
  g.inputs = {{DataType::FLOAT32, {}, {}}};
  g.outputs = {{Expr::Input(0, DataType::FLOAT32) + addend, DataType::FLOAT32, false}};
  float x = 1, y = 0;
  void *in[] = {&x}, *out[] = {&y};
  const int64_t dims[] = {1};
  Compile(g)->Run(in, out, dims);
  return y;
}

TEST(KernelCache, MemoryThenDiskThenCompiler) {
  const CompilerStats s0 = GetCompilerStats();
  EXPECT_EQ(RunOnce(12345), 12346);
  const CompilerStats s1 = GetCompilerStats();
  EXPECT_EQ(s1.compiled, s0.compiled + 1);
  EXPECT_EQ(RunOnce(12345), 12346);
  const CompilerStats s2 = GetCompilerStats();
  EXPECT_EQ(s2.memory_hits, s1.memory_hits + 1);
  ClearKernelCache();
  EXPECT_EQ(RunOnce(12345), 12346);
  const CompilerStats s3 = GetCompilerStats();
  EXPECT_EQ(s3.disk_hits, s2.disk_hits + 1);
  EXPECT_EQ(s3.compiled, s1.compiled);
}

TEST(KernelCache, DamagedKernelsAreBuiltAgain) {
  EXPECT_EQ(RunOnce(54321), 54322);
  for (const auto& e : fs::directory_iterator(own_cache->path)) {
    std::fstream f(e.path(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(e.file_size() / 2));
    f.write("damaged", 7);
  }
  ClearKernelCache();
  const CompilerStats s0 = GetCompilerStats();
  EXPECT_EQ(RunOnce(54321), 54322);
  EXPECT_EQ(GetCompilerStats().compiled, s0.compiled + 1);
}

}  // namespace
}  // namespace cinn
