// SPDX-License-Identifier: Apache-2.0
// The process's oneDNN engine and a stream per thread.
#pragma once

#include <dnnl.hpp>

#include "paddle/common/dtype.h"
#include "paddle/phi/backends/cpu/plan_cache.h"

namespace phi::cpu {

const dnnl::engine& OnednnEngine();
dnnl::stream& OnednnStream();  // of the calling thread

inline dnnl::memory::data_type OnednnType(DataType t) {
  return t == DataType::BFLOAT16  ? dnnl::memory::data_type::bf16
         : t == DataType::FLOAT16 ? dnnl::memory::data_type::f16
                                  : dnnl::memory::data_type::f32;
}

}  // namespace phi::cpu
