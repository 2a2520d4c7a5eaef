// SPDX-License-Identifier: Apache-2.0
// A dtype that a kernel finds inside: NotImplementedError in Python, and TypeError as for other dtypes while a static
// program is recorded.
#pragma once

#include <sstream>
#include <string>
#include <utility>

#include "paddle/common/dtype_error.h"

namespace common {

class UnsupportedError : public DtypeError {
 public:
  explicit UnsupportedError(std::string message) : DtypeError(ErrorCode::kUnimplemented, std::move(message)) {}
};

namespace internal {
template <class... A>
[[noreturn, gnu::cold, gnu::noinline]] void ThrowUnsupported(const A&... parts) {
  std::ostringstream os;
  (os << ... << parts);
  throw UnsupportedError(os.str());
}
}  // namespace internal

}  // namespace common

#define PD_CHECK_SUPPORTED(cond, ...)                                                    \
  do {                                                                                   \
    if (__builtin_expect(!(cond), 0)) ::common::internal::ThrowUnsupported(__VA_ARGS__); \
  } while (0)
