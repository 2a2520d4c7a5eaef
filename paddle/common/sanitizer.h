// SPDX-License-Identifier: Apache-2.0
// Whether this build runs under AddressSanitizer or ThreadSanitizer. Free lists keep nothing then: every block has the
// size that was asked for and dies when it is freed, so that a wrong access is seen.
#pragma once

namespace common {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace common
