// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler takes every kernel of the library for GPUs, without memory of threads, and with registers that
// leave half of a processor's warps; products of matrices, attention's among them, live in registers and may take all
// of a thread's.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "paddle/cinn/codegen/ptx.h"

namespace cinn {
namespace {

std::string Output(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  char line[512];
  while (pipe && std::fgets(line, sizeof(line), pipe)) text += line;
  if (pipe) pclose(pipe);
  return text;
}

TEST(DeviceLibrary, IsTakenByTheAssembler) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no ptxas: install nvidia-cuda-nvcc";
  const std::string file = testing::TempDir() + "library" + std::to_string(getpid()) + ".ptx";
  const auto kernels = LibraryKernels();
  EXPECT_GT(kernels.size(), 40u);
  for (const std::string& name : kernels) {
    const bool tensor_cores = name.find("mma") != std::string::npos || name.find("device_flat_") == 0;
    const bool product =
        tensor_cores || name.find("gemm") != std::string::npos || name.find("attention") != std::string::npos;
    for (int capability : {75, 80, 90, 100}) {
      if (capability < 80 && tensor_cores) continue;
      std::ofstream(file) << LibraryPtx(name, capability);
      const std::string target = "sm_" + std::to_string(capability);
      const std::string said = Output("ptxas -v -arch=" + target + " -o /dev/null " + file + " 2>&1");
      const bool stays = said.find(" 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") != said.npos;
      EXPECT_TRUE(stays) << name << said;
      const size_t used = said.find("Used ");
      ASSERT_NE(used, std::string::npos) << name << said;
      const int registers = std::atoi(said.c_str() + used + 5);
      EXPECT_LE(registers, product ? 255 : 64) << name << said;
    }
  }
}

}  // namespace
}  // namespace cinn
