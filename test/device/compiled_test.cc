// SPDX-License-Identifier: Apache-2.0
// PTX that LLVM makes of C, where clang-19 with the NVPTX target is on the machine: the kernel on the double against
// the same function on the host.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device/device.h"

namespace fakecuda::testing {
namespace {

// One element's work, compiled for both.
#define FAKECUDA_ELEMENT(text) text static const char* const kElement = #text;

FAKECUDA_ELEMENT(
    static unsigned gcd(unsigned a, unsigned b) {
      while (b) {
        const unsigned t = a % b;
        a = b;
        b = t;
      }
      return a;
    } static double element(unsigned i, const float* x, int n) {
      float t[7];
      for (int j = 0; j < 7; ++j) t[j] = x[(i + j * 3) % n];
      double r = t[i % 7];
      switch (i % 9) {
        case 0: r = r * 3 - 1; break;
        case 1: r = r / (t[2] + 11); break;
        case 2: r = -r; break;
        case 3: r = (int)(t[1] * 100) % 7; break;
        case 4: r = (long long)i * 1000003 / (n + 1); break;
        case 5: r = gcd(i, (unsigned)n); break;
        case 6: r = t[0] < t[1] ? t[2] : t[3]; break;
        case 7: r = (unsigned char)(i * 37) + (short)(i * 9999); break;
        default: r = __builtin_popcount(i * 2654435761u) + __builtin_clz(i + 1);
      }
      for (unsigned j = 0; j < i % 5; ++j) r += t[j] * t[j + 1];
      return r;
    })

std::string Compile(const std::string& source, const char* level) {
  const auto folder = std::filesystem::temp_directory_path() / ("fakecuda" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string in = folder / "k.c", out = folder / "k.ptx";
  std::ofstream(in) << source;
  const std::string command = std::string(
                                  "clang-19 --target=nvptx64-nvidia-cuda -nocudalib -Xclang -target-cpu -Xclang sm_80 "
                                  "-Xclang -target-feature -Xclang +ptx80 ") +
                              "-ffp-contract=off -w " + level + " -S -o " + out + " " + in + " 2>/dev/null";
  std::stringstream text;
  if (std::system(command.c_str()) == 0) text << std::ifstream(out).rdbuf();
  std::filesystem::remove_all(folder);
  return text.str();
}

class Compiled : public DeviceTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(Compiled, EqualsTheHost) {
  const std::string source =
      std::string(kElement) +
      "\n__attribute__((nvptx_kernel)) void k(double* y, const float* x, int n) {\n"
      "  unsigned i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();\n"
      "  if (i < (unsigned)n) y[i] = element(i, x, n);\n}\n";
  const std::string ptx = Compile(source, GetParam());
  if (ptx.empty()) GTEST_SKIP() << "clang-19 with the NVPTX target is not installed";
  const int n = 1000;
  std::vector<float> x(n);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<int>(i * 7919 % 2003) - 1000) / 64;
  const auto y = Alloc(8 * n);
  ASSERT_EQ(Launch(Load(ptx), 8, 128, nullptr, y, Upload(x), n), CUDA_SUCCESS);
  const auto got = Download<double>(y, n);
  for (unsigned i = 0; i < n; ++i) ASSERT_EQ(got[i], element(i, x.data(), n)) << i;
}

INSTANTIATE_TEST_SUITE_P(Levels, Compiled, ::testing::Values("-O0", "-O1", "-O2", "-O3"),
                         [](const auto& info) { return std::string(info.param + 1); });

}  // namespace
}  // namespace fakecuda::testing
