// SPDX-License-Identifier: Apache-2.0
// The instruction set of a portable build: one, on whatever processor.
#include <cstdlib>
#include <string_view>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/isa.h"

namespace phi {
namespace {

using internal::WantedIsa;

int8_t ChosenIsa() { return WantedIsa().empty() || WantedIsa() == "plain" ? static_cast<int8_t>(Isa::kPlain) : -1; }

}  // namespace

bool CpuSupported() { return true; }
bool HasAvx512() { return false; }
bool HasAvx512Bf16() { return false; }
bool HasAvx512Vnni() { return false; }
bool HasAmx() { return false; }
const char* CpuIsaName() { return "plain"; }

namespace internal {

int8_t g_cpu_isa = ChosenIsa();

Isa DetectCpuIsa() {
  PD_CHECK(ChosenIsa() >= 0, InvalidArgument, "[FLAGS_cpu_isa] expected 'plain', got '", WantedIsa(), "'");
  return Isa::kPlain;
}

}  // namespace internal
}  // namespace phi
