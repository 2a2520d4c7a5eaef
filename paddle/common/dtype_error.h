// SPDX-License-Identifier: Apache-2.0
// A tensor of a dtype that an op does not take: calls that are recorded into a static program raise TypeError for it,
// others what the code says, which for a dtype without a kernel is RuntimeError.
#pragma once

#include <sstream>
#include <string>

#include "paddle/common/error.h"

namespace common {

class DtypeError : public Error {
 public:
  DtypeError(ErrorCode code, std::string message) : Error(code, std::move(message)) {}
};

namespace internal {
template <class... A>
[[noreturn, gnu::cold, gnu::noinline]] void ThrowDtype(const A&... parts) {
  std::ostringstream os;
  (os << ... << parts) << ": the kernel is not registered for it";
  throw DtypeError(ErrorCode::kUnimplemented, os.str());
}
}  // namespace internal

}  // namespace common

// PD_CHECK_DTYPE(cond, "[softmax] expected a floating dtype, got ", NameOf(t)): the op has no kernel for the dtype.
#define PD_CHECK_DTYPE(cond, ...)                                                  \
  do {                                                                             \
    if (__builtin_expect(!(cond), 0)) ::common::internal::ThrowDtype(__VA_ARGS__); \
  } while (0)
#define PD_THROW_DTYPE(...) ::common::internal::ThrowDtype(__VA_ARGS__)
