// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/cast.h"

#include <cstring>

#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

template <int kSize>
void MoveElements(char* const* ptrs, int64_t n, const double*) {
  std::memcpy(ptrs[0], ptrs[1], static_cast<size_t>(n * kSize));
}

EwLoop MoverOf(int64_t size) {
  switch (size) {
    case 1: return MoveElements<1>;
    case 2: return MoveElements<2>;
    case 4: return MoveElements<4>;
    case 8: return MoveElements<8>;
    default: return MoveElements<16>;
  }
}

}  // namespace

void CastStrided(DataType from, const void* src, const int64_t* src_strides, DataType to, void* dst,
                 const int64_t* dst_strides, const int64_t* shape, int ndim) {
  if (ndim > kEwMaxDims) {
    for (int64_t i = 0; i < shape[0]; ++i)
      CastStrided(from, static_cast<const char*>(src) + i * src_strides[0] * SizeOf(from), src_strides + 1, to,
                  static_cast<char*>(dst) + i * dst_strides[0] * SizeOf(to), dst_strides + 1, shape + 1, ndim - 1);
    return;
  }
  EwPlan plan{};
  plan.loop = MoverOf(SizeOf(to));
  plan.nout = plan.nin = 1;
  plan.ops[0] = {dst, to, to, dst_strides};
  plan.ops[1] = {const_cast<void*>(src), from, to, src_strides};
  plan.shape = shape;
  plan.ndim = ndim;
  plan.cost = 16;
  RunElementwise(plan);
}

}  // namespace phi
