// SPDX-License-Identifier: Apache-2.0
// Shares the blocks of attention out over threads.
#include "paddle/phi/primitives/attention.h"

#include <algorithm>
#include <cstring>

#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(int64_t, AttentionBlocks, (int64_t nq))
PD_ISA_DECL(int64_t, AttentionBytes, (const ::phi::cpu::AttentionArgs& a, bool few))
PD_ISA_DECL(void, AttentionTasks,
            (const ::phi::cpu::AttentionArgs& a, int64_t lo, int64_t hi, void* out, double* lse, void* scratch))
PD_ISA_DECL(void, AttentionFew,
            (const ::phi::cpu::AttentionArgs& a, int64_t lo, int64_t hi, void* out, double* lse, void* scratch))
PD_ISA_DECL(int64_t, AttentionGradBytes, (const ::phi::cpu::AttentionGradArgs& g))
PD_ISA_DECL(void, AttentionGradTasks, (const ::phi::cpu::AttentionGradArgs& g, int64_t lo, int64_t hi, void* scratch))

namespace phi::cpu {
namespace {

constexpr int64_t kFew = 4;         // queries of a head up to which packing its keys costs more than it gains
constexpr int64_t kWork = 1 << 18;  // multiplications worth a thread

int64_t Grain(int64_t work) { return std::max<int64_t>(1, kWork / std::max<int64_t>(work, 1)); }

}  // namespace

void Attention(const AttentionArgs& a, void* out, double* lse) {
  const int64_t units = a.batch * a.heads;
  if (units * a.nq == 0) return;
  if (a.nk == 0) {
    std::memset(out, 0, units * a.nq * a.vdim * SizeOf(static_cast<DataType>(a.type)));
    return;
  }
  const bool few = a.nq <= kFew;
  const int64_t blocks = few ? 1 : PD_ISA_CALL(AttentionBlocks)(a.nq), bytes = PD_ISA_CALL(AttentionBytes)(a, few);
  const int64_t work = a.nq / blocks * a.nk * (a.dim + a.vdim);
  ParallelFor(0, units * blocks, Grain(work), [&](int64_t lo, int64_t hi) {
    Scratch scratch(bytes);
    if (few)
      PD_ISA_CALL(AttentionFew)(a, lo, hi, out, lse, scratch.as<void>());
    else
      PD_ISA_CALL(AttentionTasks)(a, lo, hi, out, lse, scratch.as<void>());
  });
}

void AttentionGrad(const AttentionGradArgs& g) {
  const AttentionArgs& a = g.a;
  const int64_t bytes = PD_ISA_CALL(AttentionGradBytes)(g), group = a.kv_heads ? a.heads / a.kv_heads : 1;
  ParallelFor(0, a.batch * a.kv_heads, Grain(group * a.nq * a.nk * 3 * (a.dim + a.vdim)), [&](int64_t lo, int64_t hi) {
    Scratch scratch(bytes);
    PD_ISA_CALL(AttentionGradTasks)(g, lo, hi, scratch.as<void>());
  });
}

}  // namespace phi::cpu
