// SPDX-License-Identifier: Apache-2.0
// Reductions of the doubles' elements: halves are computed in float32, in the order of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace fakenccl {

// 0 of an unknown type.
inline size_t SizeOf(int type) {
  constexpr size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type >= 0 && type < 10 ? kSizes[type] : 0;
}

inline float FromBfloat(uint16_t h) {
  const uint32_t bits = static_cast<uint32_t>(h) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
inline uint16_t ToBfloat(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  if (f != f) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

template <class T, class W, class Load, class Store>
void CombineAs(int op, const std::vector<const char*>& all, char* out, size_t n, Load load, Store store) {
  for (size_t i = 0; i < n; ++i) {
    const auto of = [&](size_t r) {
      T v;
      std::memcpy(&v, all[r] + i * sizeof(T), sizeof(T));
      return static_cast<W>(load(v));
    };
    W sum = of(0);
    for (size_t r = 1; r < all.size(); ++r) {
      const W v = of(r);
      sum = op == 1   ? static_cast<W>(sum * v)
            : op == 2 ? (sum < v ? v : sum)
            : op == 3 ? (v < sum ? v : sum)
                      : static_cast<W>(sum + v);
    }
    if (op == 4) sum = static_cast<W>(sum / static_cast<W>(all.size()));
    const T v = store(sum);
    std::memcpy(out + i * sizeof(T), &v, sizeof(T));
  }
}
template <class T>
void CombineAs(int op, const std::vector<const char*>& all, char* out, size_t n) {
  CombineAs<T, T>(
      op, all, out, n, [](T v) { return v; }, [](T v) { return v; });
}

// out[i] = op of the elements i; operations as NCCL numbers them: sum, product, maximum, minimum, mean.
inline void Combine(int type, int op, const std::vector<const char*>& all, char* out, size_t n) {
  switch (type) {
    case 0: return CombineAs<int8_t>(op, all, out, n);
    case 1: return CombineAs<uint8_t>(op, all, out, n);
    case 2: return CombineAs<int32_t>(op, all, out, n);
    case 3: return CombineAs<uint32_t>(op, all, out, n);
    case 4: return CombineAs<int64_t>(op, all, out, n);
    case 5: return CombineAs<uint64_t>(op, all, out, n);
    case 6:
      return CombineAs<_Float16, float>(
          op, all, out, n, [](_Float16 v) { return v; }, [](float v) { return static_cast<_Float16>(v); });
    case 7: return CombineAs<float>(op, all, out, n);
    case 8: return CombineAs<double>(op, all, out, n);
    default: return CombineAs<uint16_t, float>(op, all, out, n, FromBfloat, ToBfloat);
  }
}

}  // namespace fakenccl
