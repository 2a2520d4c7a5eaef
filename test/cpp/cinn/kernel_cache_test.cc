// SPDX-License-Identifier: Apache-2.0
// Kernels through memory and disk. All tests of this program use a cache directory of their own, removed at the end.
#include <gtest/gtest.h>
#include <malloc.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "paddle/cinn/compiler.h"
#include "paddle/common/sanitizer.h"

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

// Mappings of memory that may be run and belongs to no file.
int RunnableMappings() {
  int n = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) n += line.find("r-xp") != line.npos && line.find('/') == line.npos;
  return n;
}

// What is freed is overwritten (M_PERTURB), so that a linker that reads its freed tables does not end well by luck.
// Sanitizers have an allocator of their own, which sees such reads.
TEST(KernelCache, DroppedKernelsLeaveNoCode) {
  ASSERT_TRUE(mallopt(M_PERTURB, 165) == 1 || common::kSanitized);
  ClearKernelCache();
  const int before = RunnableMappings();
  {
    FusionGroup g;
    g.inputs = {{DataType::FLOAT32, {}, {}}};
    std::vector<std::shared_ptr<CompiledGroup>> kept;
    for (int k = 0; k < 400; ++k) {
      g.outputs = {{Expr::Input(0, DataType::FLOAT32) + double(k % 50), DataType::FLOAT32, false}};
      ClearKernelCache();
      kept.push_back(Compile(g));
      if (kept.size() > 40) kept.erase(kept.begin() + (k * 7) % 40);
    }
    ClearKernelCache();
    EXPECT_EQ(RunnableMappings(), before + 40);
    float x = 1, y = 0;
    void *in[] = {&x}, *out[] = {&y};
    const int64_t dims[] = {1};
    kept.back()->Run(in, out, dims);
    EXPECT_NE(y, 0);
  }
  EXPECT_EQ(RunnableMappings(), before);
  mallopt(M_PERTURB, 0);
}

}  // namespace
}  // namespace cinn
