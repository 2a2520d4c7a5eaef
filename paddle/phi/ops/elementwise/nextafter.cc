// SPDX-License-Identifier: Apache-2.0
// The neighbours of floating numbers.
#include <string>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

#define PD_NEXT inline
#include "paddle/phi/primitives/next.inc.h"

template <class U, class S>
void Next(const Tensor& x, const Tensor& y, const Tensor& out, U infinite) {
  const auto *a = static_cast<const U*>(x.raw_data()), *b = static_cast<const U*>(y.raw_data());
  auto* to = static_cast<U*>(out.raw_data());
  if (const DeviceForms* d = FormsHere()) {
    const std::string kernel = "next_" + std::to_string(sizeof(U));
    return d->ForEach(kernel.c_str(), DataType::UNDEFINED, out.numel(), {a, b, to},
                      {out.numel(), static_cast<int64_t>(infinite)});
  }
  cpu::ParallelFor(0, out.numel(), cpu::kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = NextBits<U, S>(a[i], b[i], infinite);
  });
}

// As PaddlePaddle has it here, a 0-d operand counts as others do.
DataType Meeting(const Meta& x, const Meta& y) { return Promote("nextafter", x.dtype, false, y.dtype, false); }

}  // namespace

void nextafter_infer(const Meta& x, const Meta& y, Meta& out) {
  const DataType to = Meeting(x, y);
  PD_CHECK_DTYPE(IsFloating(to) && SizeOf(to) > 1,
                 "[nextafter] expected x and y of a floating dtype of 16 bits or more, got ", NameOf(to));
  out = {common::BroadcastDims("nextafter", x.dims, y.dims), to};
}
int64_t nextafter_workspace(const Meta& x, const Meta& y) {
  const Dims out = common::BroadcastDims("nextafter", x.dims, y.dims);
  return 2 * WorkspaceFor(out, Meeting(x, y));
}
void nextafter_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  const ScratchTensor whole_x(out.dims(), out.dtype()), whole_y(out.dims(), out.dtype());
  const Tensor &a = whole_x.tensor, &b = whole_y.tensor;
  CopyInto(x, a);
  CopyInto(y, b);
  switch (out.dtype()) {
    case DataType::FLOAT16: return Next<uint16_t, int32_t>(a, b, out, 0x7C00);
    case DataType::BFLOAT16: return Next<uint16_t, int32_t>(a, b, out, 0x7F80);
    case DataType::FLOAT32: return Next<uint32_t, int64_t>(a, b, out, 0x7F800000);
    default: return Next<uint64_t, int64_t>(a, b, out, 0x7FF0000000000000);
  }
}

}  // namespace phi
