// SPDX-License-Identifier: Apache-2.0
// Whether this build runs under AddressSanitizer or ThreadSanitizer. Free lists keep nothing then: every block has the
// size that was asked for and dies when it is freed, so that a wrong access is seen.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define PD_NOT_SANITIZED __attribute__((no_sanitize("thread")))
#else
#define PD_NOT_SANITIZED
#endif

namespace common {

// An order between threads that ThreadSanitizer cannot see, told to it: what came before HandOver(p) on one thread
// comes before what follows TakeOver(p) on another. Both are called where PD_NOT_SANITIZED stands.
#if defined(__SANITIZE_THREAD__)
inline void HandOver(void* p) { __tsan_release(p); }
inline void TakeOver(void* p) { __tsan_acquire(p); }
#else
inline void HandOver(void*) {}
inline void TakeOver(void*) {}
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace common
