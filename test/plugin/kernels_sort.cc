// SPDX-License-Identifier: Apache-2.0
// A kernel in a file of its own, with two results and temporaries, that calls a kernel of another file.
#include "kernels_plugin.h"

namespace rows {

template <typename T>
void Argsort(const phi::Context& ctx, const phi::DenseTensor& x, int axis, bool descending, bool stable,
             phi::DenseTensor* out, phi::DenseTensor* indices) {
  ++g_calls;
  const int rank = static_cast<int>(x.dims().size());
  if (axis < 0) axis += rank;
  if (axis + 1 < rank) {
    std::vector<int> swapped(static_cast<size_t>(rank));
    std::iota(swapped.begin(), swapped.end(), 0);
    std::swap(swapped[static_cast<size_t>(axis)], swapped.back());
    std::vector<int64_t> dims = x.dims();
    std::swap(dims[static_cast<size_t>(axis)], dims.back());
    phi::DenseTensor turned, sorted, at;
    for (phi::DenseTensor* t : {&turned, &sorted, &at}) t->Resize(dims);
    Transpose<T>(ctx, x, swapped, &turned);
    Argsort<T>(ctx, turned, -1, descending, stable, &sorted, &at);
    Transpose<int64_t>(ctx, at, swapped, indices);
    return Transpose<T>(ctx, sorted, swapped, out);
  }
  const int64_t n = x.dims().back();
  T* to = ctx.template Alloc<T>(out);
  auto* at = ctx.template Alloc<int64_t>(indices);
  for (int64_t row = 0; row < x.numel(); row += n) {
    const T* in = x.data<T>() + row;
    std::iota(at + row, at + row + n, 0);
    std::stable_sort(at + row, at + row + n,
                     [&](int64_t a, int64_t b) { return descending ? in[a] > in[b] : in[a] < in[b]; });
    for (int64_t i = 0; i < n; ++i) to[row + i] = in[at[row + i]];
  }
}

}  // namespace rows

PD_BUILD_PHI_KERNEL(argsort, rows_cpu, ALL_LAYOUT, rows::Argsort, float) {}
