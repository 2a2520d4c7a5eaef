// SPDX-License-Identifier: Apache-2.0
// Kernels for GPUs that are the same for every op that uses them, compiled by clang for NVIDIA GPUs to LLVM bitcode
// (see cinn.cmake) and written as PTX one by one when they are first needed. A parameter is an address or 64 bits.
#define PD_ISA device_math
#include "paddle/phi/primitives/math.inc.h"

typedef long i64;
typedef unsigned u32;

#define KERNEL extern "C" __attribute__((nvptx_kernel)) void
#define INLINE static __attribute__((always_inline)) inline
#define MEMBER __attribute__((always_inline)) inline
#define SHARED static __attribute__((address_space(3)))

namespace {

constexpr int kThreads = 256;

INLINE int Thread() { return __nvvm_read_ptx_sreg_tid_x(); }
INLINE i64 First() { return static_cast<i64>(__nvvm_read_ptx_sreg_ctaid_x()) * kThreads + Thread(); }
INLINE i64 Step() { return static_cast<i64>(__nvvm_read_ptx_sreg_nctaid_x()) * kThreads; }
// Quotients of positions, which take far less time where 32 bits hold them.
INLINE i64 Divided(i64 x, i64 by) {
  return static_cast<unsigned long>(x | by) >> 32 ? x / by
                                                  : static_cast<i64>(static_cast<u32>(x) / static_cast<u32>(by));
}

// Halves are their bits, computed with in float32.
struct Half {
  unsigned short bits;
};
struct Bfloat {
  unsigned short bits;
};
INLINE float Wide(Half h) { return static_cast<float>(__builtin_bit_cast(_Float16, h.bits)); }
INLINE float Wide(Bfloat h) { return __builtin_bit_cast(float, static_cast<u32>(h.bits) << 16); }
template <class T>
INLINE T Wide(T x) {
  return x;
}
template <class T>
INLINE T Narrow(T x, T*) {
  return x;
}
INLINE Half Narrow(float x, Half*) { return {__builtin_bit_cast(unsigned short, static_cast<_Float16>(x))}; }
INLINE Bfloat Narrow(float x, Bfloat*) {
  const u32 b = __builtin_bit_cast(u32, x);
  if (x != x) return {static_cast<unsigned short>((b >> 16) | 0x40)};
  return {static_cast<unsigned short>((b + 0x7fff + ((b >> 16) & 1)) >> 16)};
}
template <class T>
struct WideOf {
  typedef T type;
};
template <>
struct WideOf<Half> {
  typedef float type;
};
template <>
struct WideOf<Bfloat> {
  typedef float type;
};

}  // namespace

// Eight parameters, and an array of them.
#define EIGHT(x) i64 x##0, i64 x##1, i64 x##2, i64 x##3, i64 x##4, i64 x##5, i64 x##6, i64 x##7
#define EIGHT_OF(x) \
  { x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7 }
#define EACH_NUMBER(M) M(f32, float) M(f64, double) M(f16, Half) M(bf16, Bfloat) M(i32, int) M(i64, i64)

#include "paddle/cinn/runtime/device_gemm.inc.h"
#include "paddle/cinn/runtime/device_tensor.inc.h"
#include "paddle/cinn/runtime/device_flat.inc.h"
#include "paddle/cinn/runtime/device_rows.inc.h"
#include "paddle/cinn/runtime/device_reduce.inc.h"
#include "paddle/cinn/runtime/device_windows.inc.h"
#include "paddle/cinn/runtime/device_norm.inc.h"
#include "paddle/cinn/runtime/device_attention.inc.h"
#include "paddle/cinn/runtime/device_attention_tensor.inc.h"
#include "paddle/cinn/runtime/device_random.inc.h"
#define PD_VARIATE INLINE
#define PD_AFTER(x, y) asm("" : "+d"(x), "+d"(y))
#include "paddle/phi/primitives/variates.inc.h"
#include "paddle/cinn/runtime/device_variates.inc.h"
#include "paddle/cinn/runtime/device_lists.inc.h"
namespace {
struct Calc {
  static MEMBER double exp(double x) { return phi::device_math::exp(x); }
  static MEMBER double log(double x) { return phi::device_math::log(x); }
  static MEMBER double log1p(double x) { return phi::device_math::log1p(x); }
  static MEMBER double sqrt(double x) { return phi::device_math::sqrt(x); }
  static MEMBER double erfc(double x) { return phi::device_math::erfc(x); }
  static MEMBER double pow(double x, double y) { return phi::device_math::pow(x, y); }
  static MEMBER double tan(double x) { return phi::device_math::tan(x); }
  static MEMBER double floor(double x) { return phi::device_math::floor(x); }
  static MEMBER double abs(double x) { return phi::device_math::abs(x); }
};
#define PD_SPECIAL INLINE
#include "paddle/phi/primitives/gamma.inc.h"
#include "paddle/phi/primitives/polygamma.inc.h"
#define PD_NEXT INLINE
#include "paddle/phi/primitives/next.inc.h"
}  // namespace
#include "paddle/cinn/runtime/device_special.inc.h"
