// SPDX-License-Identifier: Apache-2.0
// The table of contiguous conversions, and the tile moves of the elementwise driver: strided copies and transposition.
#include "paddle/phi/primitives/convert.inc.h"
#include "paddle/phi/primitives/transpose_tile.inc.h"

namespace phi {
namespace PD_ISA {

#define PD_EXPORT __attribute__((visibility("hidden")))
using ConvertLoop = void (*)(const void*, void*, int64_t);

// Indexed by phi::DataType: bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 c64 c128 e4m3 e5m2. Null: go through float32.
#define PD_ROW(T)                                                                                              \
  {                                                                                                            \
    convert_loop<T, bool>, convert_loop<T, uint8_t>, convert_loop<T, int8_t>, convert_loop<T, int16_t>,        \
        convert_loop<T, int32_t>, convert_loop<T, int64_t>, nullptr, nullptr, convert_loop<T, float>,          \
        convert_loop<T, double>, convert_loop<T, cplx<float>>, convert_loop<T, cplx<double>>, nullptr, nullptr \
  }
#define PD_HALF_ROW(f)                                                                                             \
  {                                                                                                                \
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, f, nullptr, nullptr, nullptr, nullptr, \
        nullptr                                                                                                    \
  }
static const ConvertLoop kTable[14][14] = {
    {convert_from_bool<bool>, convert_from_bool<uint8_t>, convert_from_bool<int8_t>, convert_from_bool<int16_t>,
     convert_from_bool<int32_t>, convert_from_bool<int64_t>, nullptr, nullptr, convert_from_bool<float>,
     convert_from_bool<double>, convert_from_bool<cplx<float>>, convert_from_bool<cplx<double>>, nullptr, nullptr},
    PD_ROW(uint8_t),
    PD_ROW(int8_t),
    PD_ROW(int16_t),
    PD_ROW(int32_t),
    PD_ROW(int64_t),
    PD_HALF_ROW(f16_to_f32),
    PD_HALF_ROW(bf16_to_f32),
    {convert_loop<float, bool>, convert_loop<float, uint8_t>, convert_loop<float, int8_t>, convert_loop<float, int16_t>,
     convert_loop<float, int32_t>, convert_loop<float, int64_t>, f32_to_f16, f32_to_bf16, convert_loop<float, float>,
     convert_loop<float, double>, convert_loop<float, cplx<float>>, convert_loop<float, cplx<double>>,
     f32_to_f8<20, 120, 0x43e00000u, 0x7e, 0x7f, 0x3c800000u, 0x46800000u>,
     f32_to_f8<21, 112, 0x47600000u, 0x7b, 0x7e, 0x38800000u, 0x43000000u>},
    PD_ROW(double),
    PD_ROW(cplx<float>),
    PD_ROW(cplx<double>),
    PD_HALF_ROW(e4m3_to_f32),
    PD_HALF_ROW(e5m2_to_f32),
};

PD_EXPORT ConvertLoop convert_table(int from, int to);
ConvertLoop convert_table(int from, int to) { return kTable[from][to]; }

// --- strided moves of raw elements: n1 rows of n0, strides in bytes, the other side dense --------------------------
struct Bytes16 {
  uint64_t a, b;
};
template <class T>
static void load_loop(const char* src, int64_t st0, int64_t n0, int64_t st1, int64_t n1, char* dst) {
  T* d = reinterpret_cast<T*>(dst);
  for (int64_t j = 0; j < n1; ++j, d += n0) {
    const char* row = src + j * st1;  // an extent of one may have any stride
    if (st0 == static_cast<int64_t>(sizeof(T))) {
      const T* s = reinterpret_cast<const T*>(row);
      for (int64_t i = 0; i < n0; ++i) d[i] = s[i];
    } else if (st0 == 0) {
      const T v = *reinterpret_cast<const T*>(row);
      for (int64_t i = 0; i < n0; ++i) d[i] = v;
    } else {
      for (int64_t i = 0; i < n0; ++i) d[i] = *reinterpret_cast<const T*>(row + i * st0);
    }
  }
}
template <class T>
static void store_loop(const char* src, char* dst, int64_t st0, int64_t n0, int64_t st1, int64_t n1) {
  const T* s = reinterpret_cast<const T*>(src);
  for (int64_t j = 0; j < n1; ++j, s += n0) {
    char* row = dst + j * st1;
    if (st0 == static_cast<int64_t>(sizeof(T))) {
      T* d = reinterpret_cast<T*>(row);
      for (int64_t i = 0; i < n0; ++i) d[i] = s[i];
    } else {
      for (int64_t i = 0; i < n0; ++i) *reinterpret_cast<T*>(row + i * st0) = s[i];
    }
  }
}
PD_EXPORT void load_strided(int size, const char* src, int64_t st0, int64_t n0, int64_t st1, int64_t n1, char* dst);
void load_strided(int size, const char* src, int64_t st0, int64_t n0, int64_t st1, int64_t n1, char* dst) {
  switch (size) {
    case 1: return load_loop<uint8_t>(src, st0, n0, st1, n1, dst);
    case 2: return load_loop<uint16_t>(src, st0, n0, st1, n1, dst);
    case 4: return load_loop<uint32_t>(src, st0, n0, st1, n1, dst);
    case 8: return load_loop<uint64_t>(src, st0, n0, st1, n1, dst);
    default: return load_loop<Bytes16>(src, st0, n0, st1, n1, dst);
  }
}
PD_EXPORT void store_strided(int size, const char* src, char* dst, int64_t st0, int64_t n0, int64_t st1, int64_t n1);
void store_strided(int size, const char* src, char* dst, int64_t st0, int64_t n0, int64_t st1, int64_t n1) {
  switch (size) {
    case 1: return store_loop<uint8_t>(src, dst, st0, n0, st1, n1);
    case 2: return store_loop<uint16_t>(src, dst, st0, n0, st1, n1);
    case 4: return store_loop<uint32_t>(src, dst, st0, n0, st1, n1);
    case 8: return store_loop<uint64_t>(src, dst, st0, n0, st1, n1);
    default: return store_loop<Bytes16>(src, dst, st0, n0, st1, n1);
  }
}

// dst[r * dst_row + c] = src[c * src_row + r] for r < rows, c < cols; rows in bytes, elements contiguous along them.
template <class T>
static void transpose_plain(const char* src, int64_t src_row, char* dst, int64_t dst_row, int64_t rows, int64_t cols) {
  for (int64_t c = 0; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r)
      *reinterpret_cast<T*>(dst + r * dst_row + c * static_cast<int64_t>(sizeof(T))) =
          *reinterpret_cast<const T*>(src + c * src_row + r * static_cast<int64_t>(sizeof(T)));
}
template <class T, int kBlock, class Block>
static void transpose_blocks(const char* src, int64_t src_row, char* dst, int64_t dst_row, int64_t rows, int64_t cols,
                             Block block) {
  constexpr int64_t kSize = sizeof(T);
  const int64_t full_c = cols / kBlock * kBlock, full_r = rows / kBlock * kBlock;
  for (int64_t c = 0; c < full_c; c += kBlock)
    for (int64_t r = 0; r < full_r; r += kBlock)
      block(src + c * src_row + r * kSize, src_row, dst + r * dst_row + c * kSize, dst_row);
  if (full_r < rows)
    transpose_plain<T>(src + full_r * kSize, src_row, dst + full_r * dst_row, dst_row, rows - full_r, full_c);
  if (full_c < cols)
    transpose_plain<T>(src + full_c * src_row, src_row, dst + full_c * kSize, dst_row, rows, cols - full_c);
}
PD_EXPORT void transpose_tile(int size, const char* src, int64_t src_row, char* dst, int64_t dst_row, int64_t rows,
                              int64_t cols);
void transpose_tile(int size, const char* src, int64_t src_row, char* dst, int64_t dst_row, int64_t rows,
                    int64_t cols) {
  switch (size) {
    case 1: return transpose_plain<uint8_t>(src, src_row, dst, dst_row, rows, cols);
    case 2: return transpose_plain<uint16_t>(src, src_row, dst, dst_row, rows, cols);
    case 4: return transpose_blocks<uint32_t, 8>(src, src_row, dst, dst_row, rows, cols, transpose8x8_32);
    case 8: return transpose_blocks<uint64_t, 4>(src, src_row, dst, dst_row, rows, cols, transpose4x4_64);
    default: return transpose_plain<Bytes16>(src, src_row, dst, dst_row, rows, cols);
  }
}

}  // namespace PD_ISA
}  // namespace phi
