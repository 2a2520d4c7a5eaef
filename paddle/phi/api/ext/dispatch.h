// SPDX-License-Identifier: Apache-2.0
// PD_DISPATCH_*_TYPES(dtype, name, function): calls the function with `data_t` as the C++ type of a dtype; a dtype that
// is not among them raises an error that names `name`.
#pragma once

#include "paddle/common/dtype.h"
#include "paddle/common/error.h"
#include "paddle/phi/api/ext/half.h"

#define PD_DISPATCH_CASE_(dtype, type, ...) \
  case dtype: {                             \
    using data_t [[maybe_unused]] = type;   \
    __VA_ARGS__();                          \
    break;                                  \
  }
#define PD_DISPATCH_(dtype, name, cases)                                                                               \
  do {                                                                                                                 \
    const ::phi::DataType pd_dtype_ = dtype;                                                                           \
    switch (pd_dtype_) {                                                                                               \
      cases default : ::common::internal::Throw(::common::ErrorCode::kIo, "[", name, "] expected another dtype, got ", \
                                                ::phi::NameOf(pd_dtype_), ": the kernel has no case for it");          \
    }                                                                                                                  \
  } while (0)
#define PD_CASES_FLOATING_(...)                                   \
  PD_DISPATCH_CASE_(::phi::DataType::FLOAT32, float, __VA_ARGS__) \
  PD_DISPATCH_CASE_(::phi::DataType::FLOAT64, double, __VA_ARGS__)
#define PD_CASES_HALF_(...) PD_DISPATCH_CASE_(::phi::DataType::FLOAT16, ::paddle::float16, __VA_ARGS__)
#define PD_CASES_BF_(...) PD_DISPATCH_CASE_(::phi::DataType::BFLOAT16, ::paddle::bfloat16, __VA_ARGS__)
#define PD_CASES_INTEGRAL_(...)                                   \
  PD_DISPATCH_CASE_(::phi::DataType::INT8, int8_t, __VA_ARGS__)   \
  PD_DISPATCH_CASE_(::phi::DataType::UINT8, uint8_t, __VA_ARGS__) \
  PD_DISPATCH_CASE_(::phi::DataType::INT16, int16_t, __VA_ARGS__) \
  PD_DISPATCH_CASE_(::phi::DataType::INT32, int32_t, __VA_ARGS__) \
  PD_DISPATCH_CASE_(::phi::DataType::INT64, int64_t, __VA_ARGS__)
#define PD_CASES_COMPLEX_(...)                                                 \
  PD_DISPATCH_CASE_(::phi::DataType::COMPLEX64, ::phi::complex64, __VA_ARGS__) \
  PD_DISPATCH_CASE_(::phi::DataType::COMPLEX128, ::phi::complex128, __VA_ARGS__)

#define PD_DISPATCH_FLOATING_TYPES(dtype, name, ...) PD_DISPATCH_(dtype, name, PD_CASES_FLOATING_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_HALF_TYPES(dtype, name, ...) \
  PD_DISPATCH_(dtype, name, PD_CASES_FLOATING_(__VA_ARGS__) PD_CASES_HALF_(__VA_ARGS__) PD_CASES_BF_(__VA_ARGS__))
#define PD_DISPATCH_INTEGRAL_TYPES(dtype, name, ...) PD_DISPATCH_(dtype, name, PD_CASES_INTEGRAL_(__VA_ARGS__))
#define PD_DISPATCH_COMPLEX_TYPES(dtype, name, ...) PD_DISPATCH_(dtype, name, PD_CASES_COMPLEX_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(dtype, name, ...) \
  PD_DISPATCH_(dtype, name, PD_CASES_FLOATING_(__VA_ARGS__) PD_CASES_INTEGRAL_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_COMPLEX_TYPES(dtype, name, ...) \
  PD_DISPATCH_(dtype, name, PD_CASES_FLOATING_(__VA_ARGS__) PD_CASES_COMPLEX_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_AND_COMPLEX_TYPES(dtype, name, ...) \
  PD_DISPATCH_(dtype, name,                                                   \
               PD_CASES_FLOATING_(__VA_ARGS__) PD_CASES_INTEGRAL_(__VA_ARGS__) PD_CASES_COMPLEX_(__VA_ARGS__))
