// SPDX-License-Identifier: Apache-2.0
// Maxima over windows that are spans of rows by spans of columns: of each column first, then of a window's columns. NaN
// wins, and of equal elements the one of the earlier row, then of the earlier column.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace phi::cpu {

template <class T>
class ColumnMaxima {
  // As wide as an element, so that both are compared lane by lane. Rows are below 2^31.
  using Row = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

 public:
  // Of columns [0, width).
  explicit ColumnMaxima(int64_t width) : top_(width), row_(width) {}

  // Rows [first, first + count), `width` apart, between columns [low, high); count > 0. `x` is the first row of all.
  void Reset(const T* x, int64_t first, int64_t count, int64_t width, int64_t low, int64_t high) {
    T* top = top_.data();
    Row* at = row_.data();
    x += first * width;
    for (int64_t c = low; c < high; ++c) top[c] = x[c], at[c] = static_cast<Row>(first);
    Add(x + width, first + 1, count - 1, width, low, high);
  }
  // More rows below them.
  void Add(const T* x, int64_t first, int64_t count, int64_t width, int64_t low, int64_t high) {
    T* top = top_.data();
    Row* at = row_.data();
    for (int64_t i = first; i < first + count; ++i, x += width) {
      const Row r = static_cast<Row>(i);
#pragma omp simd
      for (int64_t c = low; c < high; ++c) {
        const bool larger = !(x[c] <= top[c]) & (top[c] == top[c]);
        top[c] = larger ? x[c] : top[c];
        at[c] = larger ? r : at[c];
      }
    }
  }
  // The column with the maximum of [first, end), which has at least one, and what it holds.
  int64_t Best(int64_t first, int64_t end) const {
    int64_t best = first;
    for (int64_t c = first + 1; c < end; ++c) {
      const T v = top_[c], top = top_[best];
      const bool larger = !(v <= top) & (top == top), same = (v == top) | ((v != v) & (top != top));
      best = larger | (same & (row_[c] < row_[best])) ? c : best;
    }
    return best;
  }
  T value(int64_t column) const { return top_[column]; }
  int64_t row(int64_t column) const { return row_[column]; }

 private:
  std::vector<T> top_;
  std::vector<Row> row_;
};

}  // namespace phi::cpu
