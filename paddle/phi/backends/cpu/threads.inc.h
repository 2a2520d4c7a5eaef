// SPDX-License-Identifier: Apache-2.0
// ParallelFor for translation units built for one instruction set: no weak symbols, the team itself runs in threads.cc.
#pragma once

#include <stdint.h>

namespace phi::cpu {
int MaxThreads();
void ParallelParts(int parts, void (*fn)(void*, int), void* ctx);
}  // namespace phi::cpu

namespace phi::PD_ISA {
namespace {

// f(b, e) on disjoint ranges covering [0, n), each of at least `grain` items.
template <class F>
inline void ParFor(int64_t n, int64_t grain, const F& f) {
  if (n <= 0) return;
  int64_t parts = 1;
  if (grain < 1) grain = 1;
  if (n >= 2 * grain) {
    parts = ::phi::cpu::MaxThreads();
    if (parts > n / grain) parts = n / grain;
  }
  if (parts <= 1) {
    f(int64_t{0}, n);
    return;
  }
  struct Ctx {
    const F* f;
    int64_t n, parts;
    static void Call(void* p, int i) {
      const Ctx& c = *static_cast<const Ctx*>(p);
      (*c.f)(c.n * i / c.parts, c.n * (i + 1) / c.parts);
    }
  } ctx{&f, n, parts};
  ::phi::cpu::ParallelParts(static_cast<int>(parts), &Ctx::Call, &ctx);
}

}  // namespace
}  // namespace phi::PD_ISA
