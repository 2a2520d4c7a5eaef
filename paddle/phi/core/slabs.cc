// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/slabs.h"

namespace phi {
namespace {

// The first units of those from which `units` free ones follow each other.
uint32_t Starts(uint32_t free, int units) {
  for (int have = 1; have < units && free;) {
    const int step = have < units - have ? have : units - have;
    free &= free >> step;
    have += step;
  }
  return free;
}

int LongestRun(uint32_t free) {
  int run = 0;
  for (; free; free &= free >> 1) ++run;
  return run;
}

uint32_t Mask(int first, int units) { return (units == 32 ? ~uint32_t{0} : (uint32_t{1} << units) - 1) << first; }

}  // namespace

void Slabs::Link(Slab& s) noexcept {
  s.run = LongestRun(s.free);
  s.prev = nullptr;
  s.next = lists_[s.run];
  if (s.next) s.next->prev = &s;
  lists_[s.run] = &s;
}

void Slabs::Unlink(Slab& s) noexcept {
  if (s.next) s.next->prev = s.prev;
  (s.prev ? s.prev->next : lists_[s.run]) = s.next;
}

void* Slabs::Take(size_t bytes) noexcept {
  const int units = static_cast<int>(bytes / kUnit);
  for (int run = units; run <= kUnits; ++run) {
    if (!lists_[run]) continue;
    Slab& s = *lists_[run];
    const int first = __builtin_ctz(Starts(s.free, units));
    Unlink(s);
    s.free &= ~Mask(first, units);
    Link(s);
    return s.base + static_cast<size_t>(first) * kUnit;
  }
  return nullptr;
}

void Slabs::Add(void* base) {
  Slab& s = slabs_[BaseOf(base)];
  s.base = static_cast<char*>(base);
  Link(s);
}

void Slabs::Give(void* p, size_t bytes) noexcept {
  Slab& s = slabs_.find(BaseOf(p))->second;
  const auto first = static_cast<int>((reinterpret_cast<uintptr_t>(p) - BaseOf(p)) / kUnit);
  Unlink(s);
  s.free |= Mask(first, static_cast<int>(bytes / kUnit));
  Link(s);
}

void* Slabs::RemoveFree() noexcept {
  Slab* s = lists_[kUnits];
  if (!s) return nullptr;
  char* base = s->base;
  Unlink(*s);
  slabs_.erase(BaseOf(base));
  return base;
}

}  // namespace phi
