// SPDX-License-Identifier: Apache-2.0
// CPUID and XCR0 read once; built for the baseline instruction set.
#include "paddle/phi/primitives/isa.h"

#include <cpuid.h>

#include <cstdlib>
#include <string_view>

#include "paddle/common/error.h"

namespace phi {
namespace {

using internal::WantedIsa;

struct Features {
  bool v3 = false, v4 = false, avx512_bf16 = false, amx = false;
};

uint64_t Xcr0() {
  uint32_t lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return (static_cast<uint64_t>(hi) << 32) | lo;
}

Features Detect() {
  Features f;
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return f;
  constexpr uint32_t kFma = 1u << 12, kMovbe = 1u << 22, kOsxsave = 1u << 27, kAvx = 1u << 28, kF16c = 1u << 29;
  constexpr uint32_t kNeed1 = kFma | kMovbe | kOsxsave | kAvx | kF16c;
  if ((c & kNeed1) != kNeed1) return f;
  const uint64_t xcr0 = Xcr0();
  uint32_t b7, c7, d7;
  if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d7)) return f;
  const uint32_t leaves7 = a;
  uint32_t ext_c = 0;
  if (!__get_cpuid(0x80000001u, &a, &b, &ext_c, &d)) return f;
  constexpr uint32_t kBmi1 = 1u << 3, kAvx2 = 1u << 5, kBmi2 = 1u << 8, kLzcnt = 1u << 5;
  constexpr uint32_t kNeed7 = kBmi1 | kAvx2 | kBmi2;
  f.v3 = (b7 & kNeed7) == kNeed7 && (ext_c & kLzcnt) && (xcr0 & 0x6) == 0x6;
  constexpr uint32_t kV4 = (1u << 16) | (1u << 17) | (1u << 28) | (1u << 30) | (1u << 31);  // F, DQ, CD, BW, VL
  f.v4 = f.v3 && (b7 & kV4) == kV4 && (xcr0 & 0xe6) == 0xe6;
  if (leaves7 >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) f.avx512_bf16 = f.v4 && (a & (1u << 5));
  constexpr uint32_t kAmx = (1u << 22) | (1u << 24) | (1u << 25);  // BF16, TILE, INT8
  f.amx = f.v4 && (d7 & kAmx) == kAmx && (xcr0 & 0x60000) == 0x60000;
  return f;
}

const Features& Cpu() {
  static const Features f = Detect();
  return f;
}

// An Isa; -1 where the environment asks for one that is none.
int8_t ChosenIsa() {
  const std::string_view want = WantedIsa();
  if (!want.empty() && want != "avx2" && want != "avx512") return -1;
  return static_cast<int8_t>(Cpu().v4 && want != "avx2" ? Isa::kAvx512 : Isa::kAvx2);
}

}  // namespace

bool CpuSupported() { return Cpu().v3; }
bool HasAvx512() { return CpuIsa() == Isa::kAvx512; }
bool HasAvx512Bf16() { return Cpu().avx512_bf16 && HasAvx512(); }
bool HasAvx512Vnni() {
  static const bool has = HasAvx512() && __builtin_cpu_supports("avx512vnni");
  return has;
}
bool HasAmx() { return Cpu().amx && HasAvx512(); }

const char* CpuIsaName() { return HasAvx512() ? "avx512" : "avx2"; }

namespace internal {

// Set while the library is loaded and never again: threads read it without a lock.
int8_t g_cpu_isa = ChosenIsa();

Isa DetectCpuIsa() {
  const int8_t isa = ChosenIsa();
  PD_CHECK(isa >= 0, InvalidArgument, "[FLAGS_cpu_isa] expected 'avx2' or 'avx512', got '", WantedIsa(), "'");
  return static_cast<Isa>(isa);
}

}  // namespace internal
}  // namespace phi
