// SPDX-License-Identifier: Apache-2.0
// Sorting, selection, searching, unique and histograms: one line at a time, lines over threads.
#include "paddle/phi/primitives/sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/primitives/dispatch.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/phi/primitives/sort_key.inc.h"

PD_ISA_DECL(void, words_f32, (const float* x, int64_t n, uint32_t flip, uint64_t* out))

namespace phi::cpu {
namespace {

// NaN above everything.
template <class T>
bool Less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}
// Half values are compared as float32: `run(type, x)` gets a converted copy.
template <class F>
void Widened(const char* op, DataType t, const void* x, int64_t total, F&& run) {
  if (!IsHalf(t)) {
    DispatchReal(op, t, [&](auto tag) { run(tag, static_cast<const typename decltype(tag)::type*>(x)); });
    return;
  }
  CallMemory a(total * 4);
  Convert(t, x, 1, DataType::FLOAT32, a.as<float>(), 1, total);
  run(Tag<float>{}, static_cast<const float*>(a.as<float>()));
}

// values[to] = x[from] for the original element type.
void CopyElement(int64_t width, const void* x, int64_t from, void* values, int64_t to) {
  std::memcpy(static_cast<char*>(values) + to * width, static_cast<const char*>(x) + from * width, width);
}

struct Keyed {
  uint64_t key;
  int64_t index;
  friend bool operator<(const Keyed& a, const Keyed& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  }
};
inline int64_t IndexOf(const Keyed& item) { return item.index; }
// The same of a key and an index of 32 bits each: one comparison, and half of the memory.
inline int64_t IndexOf(uint64_t item) { return static_cast<int64_t>(item & UINT32_MAX); }

// Writes items [0, k) of a line to [outer, k, inner] outputs.
template <class I>
void StoreLine(const std::vector<I>& items, int64_t k, int64_t n, int64_t inner, int64_t line, int64_t width,
               const void* x, void* values, int64_t* indices) {
  int64_t base = line / inner * k * inner + line % inner, source = line / inner * n * inner + line % inner;
  for (int64_t i = 0; i < k; ++i) {
    const int64_t from = IndexOf(items[i]);
    if (values) CopyElement(width, x, source + from * inner, values, base + i * inner);
    if (indices) indices[base + i * inner] = from;
  }
}

// Integer keys in the order of the values: NaN above everything, -0 equal to 0.
template <class T>
uint64_t KeyOf(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return std::is_signed_v<T> ? static_cast<U>(static_cast<U>(v) ^ (U(1) << (sizeof(T) * 8 - 1))) : static_cast<U>(v);
  } else {
    return FloatKey<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(v);
  }
}

// Stable by construction: radix passes for long lines (those whose digit is the same everywhere are skipped), else a
// comparison sort on (key, index).
void SortKeys(Keyed* a, int64_t n, int key_bytes) {
  if (n < 1024) {
    std::sort(a, a + n);
    return;
  }
  std::vector<Keyed> other(n);
  Keyed *from = a, *to = other.data();
  std::vector<int64_t> count(static_cast<size_t>(key_bytes) * 256, 0);
  for (int64_t i = 0; i < n; ++i)
    for (int b = 0; b < key_bytes; ++b) ++count[b * 256 + (a[i].key >> (8 * b) & 255)];
  for (int b = 0; b < key_bytes; ++b) {
    int64_t* c = count.data() + b * 256;
    if (c[from[0].key >> (8 * b) & 255] == n) continue;
    int64_t at = 0;
    for (int d = 0; d < 256; ++d) {
      int64_t k = c[d];
      c[d] = at;
      at += k;
    }
    for (int64_t i = 0; i < n; ++i) to[c[from[i].key >> (8 * b) & 255]++] = from[i];
    std::swap(from, to);
  }
  if (from != a) std::copy(from, from + n, a);
}

// The value of a key of integers.
template <class T>
T ValueOf(uint64_t key) {
  if constexpr (std::is_same_v<T, bool>) return key != 0;
  using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, char, T>>;
  return static_cast<T>(std::is_signed_v<T> ? static_cast<U>(key ^ (U(1) << (sizeof(T) * 8 - 1)))
                                            : static_cast<U>(key));
}

// Sorts words stably by their bits from `low` up to `high`, with the room of as many at `other`; where they are then.
uint64_t* SortWords(uint64_t* a, uint64_t* other, int64_t n, int low, int high) {
  constexpr int kMost = 11;  // bits of a digit, whose counts stay in the first cache
  const int passes = (high - low + kMost - 1) / kMost;
  if (!passes) return a;
  const int bits = (high - low + passes - 1) / passes;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  std::vector<uint32_t> count(static_cast<size_t>(passes) << bits, 0);
  for (int64_t i = 0; i < n; ++i)
    for (int p = 0; p < passes; ++p) ++count[(static_cast<size_t>(p) << bits) + (a[i] >> (low + p * bits) & mask)];
  for (int p = 0; p < passes; ++p) {
    uint32_t* const c = count.data() + (static_cast<size_t>(p) << bits);
    const int shift = low + p * bits;
    if (c[a[0] >> shift & mask] == n) continue;
    uint32_t at = 0;
    for (uint64_t d = 0; d <= mask; ++d) {
      const uint32_t k = c[d];
      c[d] = at;
      at += k;
    }
    for (int64_t i = 0; i < n; ++i) other[c[a[i] >> shift & mask]++] = a[i];
    std::swap(a, other);
  }
  return a;
}

constexpr int64_t kWords = 1024;  // elements from which a line is sorted by digits

// Sorts a line whose keys differ in so few bits that a key and an index fit into a word: half of what Keyed takes.
// False where they do not.
template <class T>
bool SortLineInWords(const T* x, int64_t n, int64_t inner, uint64_t flip, std::vector<uint64_t>& room, T* values,
                     int64_t* indices) {
  if (n < kWords || n > INT32_MAX) return false;
  room.resize(static_cast<size_t>(2 * n));
  uint64_t* const a = room.data();
  uint64_t least = ~uint64_t{0}, most = 0;
  for (int64_t i = 0; i < n; ++i) {
    a[i] = KeyOf(x[i * inner]) ^ flip;
    least = std::min(least, a[i]);
    most = std::max(most, a[i]);
  }
  const int index_bits = std::bit_width(static_cast<uint64_t>(n - 1)), key_bits = std::bit_width(most - least);
  if (index_bits + key_bits > 64) return false;
  for (int64_t i = 0; i < n; ++i) a[i] = (a[i] - least) << index_bits | static_cast<uint64_t>(i);
  const uint64_t* const sorted = SortWords(a, a + n, n, index_bits, index_bits + key_bits);
  const uint64_t mask = (uint64_t{1} << index_bits) - 1;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = static_cast<int64_t>(sorted[i] & mask);
    if (indices) indices[i * inner] = from;
    if (!values) continue;
    // A key of NaN or 0 does not tell which one it was.
    if constexpr (std::is_floating_point_v<T>)
      values[i * inner] = x[from * inner];
    else
      values[i * inner] = ValueOf<T>(((sorted[i] >> index_bits) + least) ^ flip);
  }
  return true;
}

// What turns the order of keys around.
template <class T>
uint64_t FlipOf(bool descending) {
  return descending ? (sizeof(T) == 8 ? ~uint64_t{0} : (uint64_t{1} << (sizeof(T) * 8)) - 1) : 0;
}

// The lines of x as keys, flipped when the largest comes first; f(keys, line) on several threads.
template <class T, class F>
void EachKeyedLine(const T* x, int64_t outer, int64_t n, int64_t inner, bool descending, F&& f) {
  const uint64_t flip = FlipOf<T>(descending);
  ParallelFor(0, outer * inner, std::max<int64_t>(1, kGrain / 8 / std::max<int64_t>(1, n)), [&](int64_t b, int64_t e) {
    std::vector<Keyed> keys(n);
    for (int64_t line = b; line < e; ++line) {
      int64_t base = line / inner * n * inner + line % inner;
      for (int64_t i = 0; i < n; ++i) keys[i] = {KeyOf(x[base + i * inner]) ^ flip, i};
      f(keys, line);
    }
  });
}

// The same with f(items, line), where items are words if keys and indices fit into 32 bits each.
template <class T, class F>
void EachItemLine(const T* x, int64_t outer, int64_t n, int64_t inner, bool descending, F&& f) {
  if (sizeof(T) > 4 || n > UINT32_MAX) return EachKeyedLine<T>(x, outer, n, inner, descending, f);
  const uint64_t flip = FlipOf<T>(descending);
  ParallelFor(0, outer * inner, std::max<int64_t>(1, kGrain / 8 / std::max<int64_t>(1, n)), [&](int64_t b, int64_t e) {
    std::vector<uint64_t> items(n);
    for (int64_t line = b; line < e; ++line) {
      const T* const from = x + line / inner * n * inner + line % inner;
      if constexpr (std::is_same_v<T, float>)
        if (inner == 1) {
          PD_ISA_CALL(words_f32)(from, n, static_cast<uint32_t>(flip), items.data());
          f(items, line);
          continue;
        }
      for (int64_t i = 0; i < n; ++i) items[i] = (KeyOf(from[i * inner]) ^ flip) << 32 | static_cast<uint64_t>(i);
      f(items, line);
    }
  });
}

}  // namespace

void Sort(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, bool descending, void* values,
          int64_t* indices) {
  if (const DeviceForms* d = FormsHere()) return d->Order(t, x, outer, n, inner, n, descending, values, indices);
  Widened("argsort", t, x, outer * n * inner, [&](auto tag, const auto* src) {
    using T = typename decltype(tag)::type;
    const uint64_t flip = FlipOf<T>(descending);
    ParallelFor(
        0, outer * inner, std::max<int64_t>(1, kGrain / 8 / std::max<int64_t>(1, n)), [&](int64_t b, int64_t e) {
          std::vector<Keyed> keys;
          std::vector<uint64_t> words;
          for (int64_t line = b; line < e; ++line) {
            const int64_t base = line / inner * n * inner + line % inner;
            if (!IsHalf(t) &&
                SortLineInWords(src + base, n, inner, flip, words, values ? static_cast<T*>(values) + base : nullptr,
                                indices ? indices + base : nullptr))
              continue;
            keys.resize(n);
            for (int64_t i = 0; i < n; ++i) keys[i] = {KeyOf(src[base + i * inner]) ^ flip, i};
            SortKeys(keys.data(), n, sizeof(T));
            StoreLine(keys, n, n, inner, line, SizeOf(t), x, values, indices);
          }
        });
  });
}

void TopK(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t k, bool largest, void* values,
          int64_t* indices) {
  if (const DeviceForms* d = FormsHere()) return d->Order(t, x, outer, n, inner, k, largest, values, indices);
  Widened("topk", t, x, outer * n * inner, [&](auto tag, const auto* src) {
    using T = typename decltype(tag)::type;
    EachItemLine<T>(src, outer, n, inner, largest, [&](auto& keys, int64_t line) {
      if (k * 16 < n) {
        std::partial_sort(keys.begin(), keys.begin() + k, keys.end());
      } else {
        if (k < n) std::nth_element(keys.begin(), keys.begin() + k, keys.end());
        std::sort(keys.begin(), keys.begin() + k);
      }
      StoreLine(keys, k, n, inner, line, SizeOf(t), x, values, indices);
    });
  });
}

void KthValue(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, int64_t k, void* values,
              int64_t* indices) {
  if (const DeviceForms* d = FormsHere()) {
    const auto first = d->Room(outer * k * inner * SizeOf(t)), at = d->Room(outer * k * inner * 8);
    d->Order(t, x, outer, n, inner, k, false, first.get(), static_cast<int64_t*>(at.get()));
    const auto last = [&](const void* of, int64_t size, void* to) {
      const int64_t shape[] = {outer, inner}, from[] = {k * inner, 1}, rows[] = {inner, 1};
      d->Copy(size, shape, static_cast<const char*>(of) + (k - 1) * inner * size, from, to, rows);
    };
    last(first.get(), SizeOf(t), values);
    return last(at.get(), 8, indices);
  }
  Widened("kthvalue", t, x, outer * n * inner, [&](auto tag, const auto* src) {
    using T = typename decltype(tag)::type;
    EachItemLine<T>(src, outer, n, inner, false, [&](auto& keys, int64_t line) {
      std::nth_element(keys.begin(), keys.begin() + (k - 1), keys.end());
      std::swap(keys[0], keys[k - 1]);
      StoreLine(keys, 1, n, inner, line, SizeOf(t), x, values, indices);
    });
  });
}

void Mode(DataType t, const void* x, int64_t outer, int64_t n, int64_t inner, void* values, int64_t* indices) {
  if (const DeviceForms* d = FormsHere()) {
    const auto ordered = d->Room(outer * n * inner * SizeOf(t)), at = d->Room(outer * n * inner * 8);
    d->Order(t, x, outer, n, inner, n, false, ordered.get(), static_cast<int64_t*>(at.get()));
    return d->ForEach("runs", t, outer * inner, {ordered.get(), at.get(), values, indices}, {outer * inner, n, inner});
  }
  Widened("mode", t, x, outer * n * inner, [&](auto tag, const auto* src) {
    using T = typename decltype(tag)::type;
    EachKeyedLine<T>(src, outer, n, inner, false, [&](std::vector<Keyed>& keys, int64_t line) {
      SortKeys(keys.data(), n, sizeof(T));
      int64_t last = 0, longest = 0, run = 0;  // `last`: end of the longest run so far, the first of equals
      for (int64_t i = 0; i < n; ++i) {
        run = i && keys[i].key == keys[i - 1].key ? run + 1 : 1;
        if (run > longest) {
          longest = run;
          last = i;
        }
      }
      std::swap(keys[0], keys[last]);
      StoreLine(keys, 1, n, inner, line, SizeOf(t), x, values, indices);
    });
  });
}

void SearchSorted(DataType t, const void* sorted, int64_t rows, int64_t n, const void* values, int64_t value_rows,
                  int64_t value_n, bool right, DataType index_t, void* out) {
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("search", t, value_rows * value_n, {sorted, values, out},
                      {value_rows * value_n, rows, n, value_n, right, index_t == DataType::INT32});
  Widened("searchsorted", t, sorted, rows * n, [&](auto tag, const auto* seq) {
    using T = typename decltype(tag)::type;
    CallMemory wide(IsHalf(t) ? value_rows * value_n * 4 : 0);
    const T* v = static_cast<const T*>(values);
    if constexpr (std::is_same_v<T, float>)
      if (IsHalf(t)) {
        Convert(t, values, 1, DataType::FLOAT32, wide.as<float>(), 1, value_rows * value_n);
        v = wide.as<float>();
      }
    ParallelFor(0, value_rows * value_n, kGrain / 8, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        const T* from = seq + (rows == 1 ? 0 : i / value_n * n);
        const T* at =
            right ? std::upper_bound(from, from + n, v[i], Less<T>) : std::lower_bound(from, from + n, v[i], Less<T>);
        if (index_t == DataType::INT32)
          static_cast<int32_t*>(out)[i] = static_cast<int32_t>(at - from);
        else
          static_cast<int64_t*>(out)[i] = at - from;
      }
    });
  });
}

namespace {
// Groups consecutive positions of `order` whose items are the same.
template <class SameItem>
UniqueResult Group(const std::vector<int64_t>& order, SameItem same) {
  UniqueResult r;
  r.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !same(order[i - 1], order[i])) {
      r.first.push_back(order[i]);
      r.counts.push_back(0);
    }
    r.inverse[order[i]] = static_cast<int64_t>(r.first.size()) - 1;
    ++r.counts.back();
  }
  return r;
}
}  // namespace

UniqueResult Unique(DataType t, const void* x, int64_t n) { return UniqueRows(t, x, n, 1); }

UniqueResult UniqueRows(DataType t, const void* x, int64_t n, int64_t row) {
  UniqueResult r;
  Widened("unique", t, x, n * row, [&](auto tag, const auto* src) {
    using T = typename decltype(tag)::type;
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    const T* p = src;
    auto same = [&](int64_t a, int64_t b) {
      for (int64_t k = 0; k < row; ++k)
        if (!(p[a * row + k] == p[b * row + k])) return false;
      return true;
    };
    if (row == 1) {
      std::vector<Keyed> keys(n);
      for (int64_t i = 0; i < n; ++i) keys[i] = {KeyOf(p[i]), i};
      SortKeys(keys.data(), n, sizeof(T));
      for (int64_t i = 0; i < n; ++i) order[i] = keys[i].index;
    } else {
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        for (int64_t k = 0; k < row; ++k) {
          T u = p[a * row + k], v = p[b * row + k];
          if (Less(u, v)) return true;
          if (Less(v, u)) return false;
        }
        return a < b;
      });
    }
    r = Group(order, same);
  });
  return r;
}

UniqueResult UniqueConsecutive(DataType t, const void* x, int64_t n, int64_t row) {
  UniqueResult r;
  Widened("unique_consecutive", t, x, n * row, [&](auto tag, const auto* src) {
    using T = typename decltype(tag)::type;
    const T* p = src;
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    r = Group(order, [&](int64_t a, int64_t b) { return std::equal(p + a * row, p + (a + 1) * row, p + b * row); });
  });
  return r;
}

namespace {
template <class F>
void EachBin(DataType t, const void* x, int64_t n, int64_t bins, F&& f) {
  DispatchReal("bincount", t, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* p = static_cast<const T*>(x);
    for (int64_t i = 0; i < n; ++i) {
      int64_t v = static_cast<int64_t>(p[i]);
      PD_CHECK(v >= 0 && v < bins, InvalidArgument, "[bincount] expected integers in [0, ", bins, "), got ", v);
      f(v, i);
    }
  });
}
}  // namespace

void BinCount(DataType t, const void* x, int64_t n, int64_t bins, int64_t* out) {
  if (const DeviceForms* d = FormsHere()) {
    if (t != DataType::INT64) throw NoDeviceForm{"counts of narrow integers"};
    d->Zero(out, bins * 8);
    return d->ForEach("tally", DataType::UNDEFINED, n, {x, out}, {n, bins});
  }
  std::fill(out, out + bins, 0);
  EachBin(t, x, n, bins, [&](int64_t v, int64_t) { ++out[v]; });
}
void BinCountWeighted(DataType t, const void* x, int64_t n, int64_t bins, DataType weight_t, const void* w, void* out) {
  Zero(out, bins * SizeOf(weight_t));
  if (const DeviceForms* d = FormsHere()) {
    if (t != DataType::INT64) throw NoDeviceForm{"counts of narrow integers"};
    return d->Write(weight_t, out, 1, bins, 1, static_cast<const int64_t*>(x), n, w, RowWrite::kAdd);
  }
  if (weight_t == DataType::FLOAT32)
    EachBin(t, x, n, bins,
            [&](int64_t v, int64_t i) { static_cast<float*>(out)[v] += static_cast<const float*>(w)[i]; });
  else
    EachBin(t, x, n, bins,
            [&](int64_t v, int64_t i) { static_cast<double*>(out)[v] += static_cast<const double*>(w)[i]; });
}

void Histogram(DataType t, const void* x, int64_t n, int64_t bins, double lo, double hi, const void* w, void* out) {
  if (const DeviceForms* d = FormsHere()) {
    const auto at = d->Room(n * 8);
    d->ForEach("bins", t, n, {x, at.get()}, {n, bins, std::bit_cast<int64_t>(lo), std::bit_cast<int64_t>(hi)});
    const bool narrow = w && t == DataType::FLOAT32;
    if (w && !narrow && t != DataType::FLOAT64) throw NoDeviceForm{"weights of this dtype"};
    const auto room = d->Room(narrow ? bins * 8 : 0), wide = d->Room(narrow ? n * 8 : 0);
    void* const sums = narrow ? room.get() : out;
    d->Zero(sums, bins * 8);
    if (!w) return d->ForEach("tally", DataType::UNDEFINED, n, {at.get(), out}, {n, bins});
    if (narrow) d->ForEach("widen", t, n, {w, wide.get()}, {n});
    d->Write(DataType::FLOAT64, sums, 1, bins, 1, static_cast<const int64_t*>(at.get()), n, narrow ? wide.get() : w,
             RowWrite::kAdd);
    if (narrow) d->ForEach("round", t, bins, {sums, out}, {bins});
    return;
  }
  Widened("histogram", t, x, n, [&](auto tag, const auto* p) {
    // Floats are placed by arithmetic of their own width, as in PaddlePaddle: 0.1f opens the second of ten bins.
    using T = std::conditional_t<std::is_same_v<typename decltype(tag)::type, float>, float, double>;
    const T low = static_cast<T>(lo), high = static_cast<T>(hi);
    std::vector<double> sums(w ? bins : 0, 0.0);
    std::vector<int64_t> counts(w ? 0 : bins, 0);
    double weight = 0;
    for (int64_t i = 0; i < n; ++i) {
      const T v = static_cast<T>(p[i]);
      if (!(v >= low && v <= high)) continue;
      const T at = (v - low) * static_cast<T>(bins) / (high - low);
      const int64_t bin = at < static_cast<T>(bins) ? static_cast<int64_t>(at) : bins - 1;
      if (!w) {
        ++counts[bin];
        continue;
      }
      Convert(t, static_cast<const char*>(w) + i * SizeOf(t), 1, DataType::FLOAT64, &weight, 1, 1);
      sums[bin] += weight;
    }
    if (w)
      Convert(DataType::FLOAT64, sums.data(), 1, t, out, 1, bins);
    else
      std::copy(counts.begin(), counts.end(), static_cast<int64_t*>(out));
  });
}

}  // namespace phi::cpu
