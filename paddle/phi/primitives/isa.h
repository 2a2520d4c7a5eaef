// SPDX-License-Identifier: Apache-2.0
// Which instruction set the kernels of this process use, and the macros that declare and call a function built for
// each: AVX2 and AVX-512, or in a portable build the one set of kernels without intrinsics.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace phi {

#ifdef PD_PORTABLE
enum class Isa : int8_t { kPlain = 0 };
#else
enum class Isa : int8_t { kAvx2 = 0, kAvx512 = 1 };
#endif

// True when the processor and the operating system offer x86-64-v3 (AVX2, FMA, F16C, BMI). Nothing else of the kernels
// may run when this is false.
bool CpuSupported();
bool HasAvx512();
bool HasAvx512Bf16();
bool HasAvx512Vnni();
bool HasAmx();

namespace internal {
// FLAGS_cpu_isa; empty where it is not set.
inline std::string_view WantedIsa() {
  const char* want = std::getenv("FLAGS_cpu_isa");
  return want ? want : "";
}
extern int8_t g_cpu_isa;  // -1 until detected
Isa DetectCpuIsa();
}  // namespace internal

// Detected once from CPUID and XCR0. The environment variable FLAGS_cpu_isa=avx2 lowers it; avx512 is taken only where
// the processor has x86-64-v4. Any other value throws InvalidArgument at the first call. A portable build has `plain`.
inline Isa CpuIsa() {
  int8_t v = internal::g_cpu_isa;
  return __builtin_expect(v >= 0, 1) ? static_cast<Isa>(v) : internal::DetectCpuIsa();
}

// "plain", "avx2" or "avx512", as FLAGS_cpu_isa spells it.
const char* CpuIsaName();

}  // namespace phi

// At namespace scope `::`: declares `ret name args` for both builds of a `.isa.cc` file.
//   PD_ISA_DECL(void, add_f32, (char* const* ptrs, int64_t n, const double* attrs))
#ifdef PD_PORTABLE
#define PD_ISA_DECL(ret, name, args) \
  namespace phi::cpu_plain {         \
  ret name args;                     \
  }
#else
#define PD_ISA_DECL(ret, name, args) \
  namespace phi::cpu_avx2 {          \
  ret name args;                     \
  }                                  \
  namespace phi::cpu_avx512 {        \
  ret name args;                     \
  }
#endif

// The pointer to the build of `name` that this process uses: `EwLoop f = PD_ISA_CALL(add_f32);  PD_ISA_CALL(g)(a, b);`
#ifdef PD_PORTABLE
#define PD_ISA_CALL(name) (&::phi::cpu_plain::name)
#else
#define PD_ISA_CALL(name) (::phi::CpuIsa() == ::phi::Isa::kAvx512 ? &::phi::cpu_avx512::name : &::phi::cpu_avx2::name)
#endif
