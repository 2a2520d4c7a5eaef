// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/default_dtype.h"

#include <atomic>

namespace phi {
namespace {

std::atomic<DataType> g_default = DataType::FLOAT32;

}  // namespace

DataType DefaultDtype() { return g_default.load(std::memory_order_relaxed); }
void SetDefaultDtype(DataType dtype) { g_default.store(dtype, std::memory_order_relaxed); }

}  // namespace phi
