// SPDX-License-Identifier: Apache-2.0
// Elements in another dtype, over strided memory.
#pragma once

#include <cstdint>

#include "paddle/common/dtype.h"

namespace phi {

// dst[i] = cast(src[i]) over `shape`, by the rules of Convert (elementwise.h); strides in elements, any of src's may
// be 0. The dtypes differ. Split over threads when large; takes no memory.
void CastStrided(DataType from, const void* src, const int64_t* src_strides, DataType to, void* dst,
                 const int64_t* dst_strides, const int64_t* shape, int ndim);

}  // namespace phi
