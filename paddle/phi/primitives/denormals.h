// SPDX-License-Identifier: Apache-2.0
// Denormal numbers taken for zeros.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#else
#include <cstdint>
#endif

namespace phi::cpu {

// Of this thread while it lives: dead units make Adam's moments denormal, which halves the speed.
class FlushDenormals {
 public:
  FlushDenormals() : old_(Mode()) { SetMode(old_ | kFlush); }
  ~FlushDenormals() { SetMode(old_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#ifdef __x86_64__
  using Word = unsigned;
  static constexpr Word kFlush = 0x8040;  // results and operands
  static Word Mode() { return _mm_getcsr(); }
  static void SetMode(Word mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kFlush = 1u << 24;
  static Word Mode() {
    Word mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void SetMode(Word mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
  using Word = int;
  static constexpr Word kFlush = 0;
  static Word Mode() { return 0; }
  static void SetMode(Word) {}
#endif
  Word old_;
};

}  // namespace phi::cpu
