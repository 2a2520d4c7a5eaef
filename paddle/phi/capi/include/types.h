// SPDX-License-Identifier: Apache-2.0
// What plugin kernels say beside tensors: DataType, DataLayout, number types and their codes, paddle::optional and
// PD_CHECK.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "paddle/phi/capi/include/c_api.h"
#include "paddle/phi/capi/include/half.h"

namespace paddle {

// A value or nothing.
template <typename T>
class optional {
 public:
  optional() = default;
  optional(const T& v) : has_(true), value_(v) {}        // NOLINT: a value is an optional
  optional(T&& v) : has_(true), value_(std::move(v)) {}  // NOLINT: a value is an optional
  bool has_value() const { return has_; }
  bool is_initialized() const { return has_; }
  explicit operator bool() const { return has_; }
  const T& get() const { return has_ ? value_ : throw std::logic_error("expected an optional with a value, got none"); }
  T& get() { return has_ ? value_ : throw std::logic_error("expected an optional with a value, got none"); }
  const T* get_ptr() const { return has_ ? &value_ : nullptr; }
  T* get_ptr() { return has_ ? &value_ : nullptr; }
  const T& operator*() const { return get(); }
  T& operator*() { return get(); }
  const T* operator->() const { return &get(); }
  T* operator->() { return &get(); }

 private:
  bool has_ = false;
  T value_{};
};

}  // namespace paddle

namespace phi {
inline namespace capi {

enum class DataType {
  UNDEFINED = PD_DATATYPE_UNDEFINED,
  BOOL = PD_DATATYPE_BOOL,
  UINT8 = PD_DATATYPE_UINT8,
  UINT16 = PD_DATATYPE_UINT16,
  UINT32 = PD_DATATYPE_UINT32,
  UINT64 = PD_DATATYPE_UINT64,
  INT8 = PD_DATATYPE_INT8,
  INT16 = PD_DATATYPE_INT16,
  INT32 = PD_DATATYPE_INT32,
  INT64 = PD_DATATYPE_INT64,
  FLOAT16 = PD_DATATYPE_FLOAT16,
  FLOAT32 = PD_DATATYPE_FLOAT32,
  FLOAT64 = PD_DATATYPE_FLOAT64,
  BFLOAT16 = PD_DATATYPE_BFLOAT16,
  COMPLEX64 = PD_DATATYPE_COMPLEX64,
  COMPLEX128 = PD_DATATYPE_COMPLEX128
};
enum class DataLayout {
  UNDEFINED = PD_LAYOUT_ANY,
  ANY = PD_LAYOUT_ANY,
  ALL_LAYOUT = PD_LAYOUT_ANY,
  NHWC = PD_LAYOUT_NHWC,
  NCHW = PD_LAYOUT_NCHW,
  NCDHW = PD_LAYOUT_NCDHW,
  NDHWC = PD_LAYOUT_NDHWC,
  STRIDED = PD_LAYOUT_STRIDED
};

inline const char* DataTypeName(DataType t) {
  static const char* const names[] = {"undefined", "bool",     "uint8",     "uint16",    "uint32",  "uint64",
                                      "int8",      "int16",    "int32",     "int64",     "float16", "float32",
                                      "float64",   "bfloat16", "complex64", "complex128"};
  const auto i = static_cast<size_t>(t);
  return i < sizeof(names) / sizeof(*names) ? names[i] : "unknown";
}
inline std::ostream& operator<<(std::ostream& to, DataType t) { return to << DataTypeName(t); }
inline std::ostream& operator<<(std::ostream& to, DataLayout l) {
  static const char* const names[] = {"any", "NHWC", "NCHW", "NCDHW", "NDHWC", "strided"};
  const auto i = static_cast<size_t>(l);
  return to << (i < sizeof(names) / sizeof(*names) ? names[i] : "unknown");
}

// The code of a C++ type: as a constant, and as PaddlePaddle's kernels ask for it.
template <typename T>
struct CppTypeToPD;
template <typename T>
struct CppTypeToPDType {
  static constexpr DataType Type() { return static_cast<DataType>(CppTypeToPD<T>::value); }
};
#define PD_CAPI_TYPE(code, ...)                              \
  template <>                                                \
  struct CppTypeToPD<__VA_ARGS__> {                          \
    static constexpr PD_DataType value = PD_DATATYPE_##code; \
  };
PD_CAPI_TYPE(BOOL, bool)
PD_CAPI_TYPE(UINT8, uint8_t)
PD_CAPI_TYPE(UINT16, uint16_t)
PD_CAPI_TYPE(UINT32, uint32_t)
PD_CAPI_TYPE(UINT64, uint64_t)
PD_CAPI_TYPE(INT8, int8_t)
PD_CAPI_TYPE(INT16, int16_t)
PD_CAPI_TYPE(INT32, int32_t)
PD_CAPI_TYPE(INT64, int64_t)
PD_CAPI_TYPE(FLOAT16, dtype::float16)
PD_CAPI_TYPE(BFLOAT16, dtype::bfloat16)
PD_CAPI_TYPE(FLOAT32, float)
PD_CAPI_TYPE(FLOAT64, double)
PD_CAPI_TYPE(COMPLEX64, dtype::complex<float>)
PD_CAPI_TYPE(COMPLEX128, dtype::complex<double>)
PD_CAPI_TYPE(COMPLEX64, std::complex<float>)
PD_CAPI_TYPE(COMPLEX128, std::complex<double>)
#undef PD_CAPI_TYPE

namespace detail {

// printf's directives over values that know their type: each takes the next value, whatever its letter.
inline void PutText(std::ostream& to, const char* format) {
  for (; *format; ++format) {
    if (format[0] == '%' && format[1] == '%') ++format;
    to << *format;
  }
}
template <typename First, typename... Rest>
void PutText(std::ostream& to, const char* format, const First& first, const Rest&... rest) {
  for (; *format; ++format) {
    if (*format != '%') {
      to << *format;
    } else if (format[1] == '%') {
      to << *format++;
    } else {
      to << first;
      format += std::strspn(format + 1, "-+ #0123456789.hlLqjzt") + 1;
      return PutText(to, *format ? format + 1 : format, rest...);
    }
  }
}

[[noreturn]] inline void CheckFailed(const char* condition) {
  throw std::runtime_error(std::string("expected ") + condition);
}
template <typename... Args>
[[noreturn]] void CheckFailed(const char* condition, const char* format, const Args&... args) {
  std::ostringstream text;
  PutText(text, format, args...);
  text << " (expected " << condition << ")";
  throw std::runtime_error(text.str());
}

}  // namespace detail
}  // namespace capi
}  // namespace phi

// PD_CHECK(condition, "text with %d", values...): a kernel that throws makes its op raise RuntimeError with the text.
#ifndef PD_CHECK
#define PD_CHECK(condition, ...)                                                                        \
  do {                                                                                                  \
    if (__builtin_expect(!(condition), 0)) ::phi::capi::detail::CheckFailed(#condition, ##__VA_ARGS__); \
  } while (0)
#endif
