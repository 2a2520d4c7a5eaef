// SPDX-License-Identifier: Apache-2.0
// Errors: one exception type, whose code says what a user did wrong, or that the library has a defect; each code has
// its Python exception.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <utility>

namespace common {

enum class ErrorCode : uint8_t {
  kInvalidArgument,     // ValueError
  kInvalidType,         // TypeError
  kNotFound,            // RuntimeError
  kOutOfRange,          // IndexError
  kAlreadyExists,       // RuntimeError
  kResourceExhausted,   // MemoryError
  kPreconditionNotMet,  // RuntimeError
  kUnimplemented,       // RuntimeError: the peer's "kernel is not registered"
  kIo,                  // OSError
  kFatal,               // SystemError: what the peer calls fatal, as a second backward through a freed graph
  kAssertion,           // AssertionError: what the peer asserts in its Python layer
  kInternal,            // SystemError: a defect in this library
};

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
  std::string message_;
};

namespace internal {
template <class... A>
[[noreturn, gnu::cold, gnu::noinline]] void Throw(ErrorCode code, const A&... parts) {
  std::ostringstream os;
  (os << ... << parts);
  throw Error(code, os.str());
}
}  // namespace internal

}  // namespace common

// PD_CHECK(cond, InvalidArgument, "[add] expected ..., got ...", x): a user error.
#define PD_CHECK(cond, code, ...)                                                                           \
  do {                                                                                                      \
    if (__builtin_expect(!(cond), 0)) ::common::internal::Throw(::common::ErrorCode::k##code, __VA_ARGS__); \
  } while (0)
#define PD_THROW(code, ...) ::common::internal::Throw(::common::ErrorCode::k##code, __VA_ARGS__)
// PD_ASSERT: a defect in this library, reported with its place.
#define PD_ASSERT(cond)                                                                                         \
  do {                                                                                                          \
    if (__builtin_expect(!(cond), 0))                                                                           \
      ::common::internal::Throw(::common::ErrorCode::kInternal, "internal error: " #cond " at ", __FILE__, ":", \
                                __LINE__);                                                                      \
  } while (0)
