// SPDX-License-Identifier: Apache-2.0
// For operators of users (paddle.utils.cpp_extension): tensors, the functions on them, PD_BUILD_OP and its gradients,
// PD_DISPATCH_*_TYPES, PD_CHECK. C++17 or later.
#pragma once

#include "paddle/phi/api/ext/creation.h"
#include "paddle/phi/api/ext/dispatch.h"
#include "paddle/phi/api/ext/names.h"
#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ops.h"
#include "paddle/pybind/extension.h"

// What follows has the meaning that operators of users know: PD_CHECK(condition, parts of a message...).
#undef PD_CHECK
#undef PD_THROW
#undef PD_ASSERT
#define PD_CHECK(condition, ...)                                                                  \
  do {                                                                                            \
    if (__builtin_expect(!(condition), 0)) ::paddle::ext::RaiseFailed(#condition, ##__VA_ARGS__); \
  } while (0)
#define PD_THROW(...) ::common::internal::Throw(::common::ErrorCode::kIo, ##__VA_ARGS__)
