// SPDX-License-Identifier: Apache-2.0
// Indexed reads and writes. Index lists are checked and made non-negative first; then the loops are plain.
#include "paddle/phi/primitives/gather.h"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "paddle/common/op_traits.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/workspace.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/dispatch.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(bool, inside_i32, (const int32_t* at, int64_t count, int64_t n))
PD_ISA_DECL(bool, inside_i64, (const int64_t* at, int64_t count, int64_t n))
PD_ISA_DECL(void, add_row_f32, (float* to, const float* from, int64_t n))
PD_ISA_DECL(void, add_row_f64, (double* to, const double* from, int64_t n))

namespace phi::cpu {
namespace {

int64_t IndexAt(DataType t, const void* index, int64_t i) {
  return t == DataType::INT32 ? static_cast<const int32_t*>(index)[i] : static_cast<const int64_t*>(index)[i];
}

// What an index outside its axis is called: PaddlePaddle does not agree with itself.
bool IsValueError(std::string_view op) { return common::TraitsOf(op).index_value_error; }
common::ErrorCode IndexCode(std::string_view op) {
  return IsValueError(op) ? common::ErrorCode::kInvalidArgument : common::ErrorCode::kOutOfRange;
}

// Room for positions, where the op runs.
class Places {
 public:
  explicit Places(int64_t count) {
    if (const DeviceForms* d = FormsHere())
      there_ = d->Room(count * 8);
    else
      here_.emplace(count * 8);
  }
  template <class T>
  T* as() const {
    return here_ ? here_->as<T>() : static_cast<T*>(there_.get());
  }

 private:
  std::optional<CallMemory> here_;
  std::shared_ptr<void> there_;
};

// Entries of `index` in [0, n).
void Checked(const char* op, DataType t, const void* index, int64_t count, int64_t n, int64_t* out) {
  int64_t bad = -1;
  if (const DeviceForms* d = FormsHere()) {
    bad = d->Positions(t, index, 1, n, true, count, out, true, IsValueError(op));
    if (bad >= 0)
      common::internal::Throw(IndexCode(op), "[", op, "] expected an index in [", -n, ", ", n, "), got ",
                              d->IndexAt(t, index, bad));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t v = IndexAt(t, index, i);
    if (v < -n || v >= n) bad = bad < 0 ? i : bad;
    out[i] = v < 0 ? v + n : v;
  }
  if (bad >= 0)
    common::internal::Throw(IndexCode(op), "[", op, "] expected an index in [", -n, ", ", n, "), got ",
                            IndexAt(t, index, bad));
}

// Linear positions of rows of indices: sum of position k times stride k.
void Linear(const char* op, DataType t, std::span<const void* const> columns, const int64_t* dims, int64_t count,
            int64_t stride_in, int64_t* out) {
  int64_t k = static_cast<int64_t>(columns.size());
  if (const DeviceForms* d = FormsHere()) {
    if (k == 0) throw NoDeviceForm{"no columns of indices"};
    for (int64_t a = 0; a < k; ++a) {
      const int64_t bad = d->Positions(t, columns[a], stride_in, dims[a], a == 0, count, out, true, IsValueError(op));
      if (bad >= 0)
        common::internal::Throw(IndexCode(op), "[", op, "] expected an index in [", -dims[a], ", ", dims[a],
                                ") for axis ", a, ", got ", d->IndexAt(t, columns[a], bad * stride_in));
    }
    return;
  }
  std::fill(out, out + count, 0);
  for (int64_t a = 0; a < k; ++a) {
    int64_t n = dims[a];
    for (int64_t i = 0; i < count; ++i) {
      int64_t v = IndexAt(t, columns[a], i * stride_in);
      if (v < -n || v >= n)
        common::internal::Throw(IndexCode(op), "[", op, "] expected an index in [", -n, ", ", n, ") for axis ", a,
                                ", got ", v);
      out[i] = out[i] * n + (v < 0 ? v + n : v);
    }
  }
}

int64_t Grain(int64_t cost) { return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, cost)); }

// out[o, i] = x[o, at[i]] for rows of `inner` elements.
void Read(int64_t elem_size, const void* x, int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count,
          void* out) {
  if (const DeviceForms* d = FormsHere()) return d->Read(elem_size, x, outer, n, inner, at, count, out);
  const char* src = static_cast<const char*>(x);
  char* dst = static_cast<char*>(out);
  if (inner == 1) {
    DispatchSize(elem_size, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* s = reinterpret_cast<const T*>(src);
      T* d = reinterpret_cast<T*>(dst);
      ParallelFor(0, outer * count, kGrain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e;) {
          const T* line = s + i / count * n;
          for (int64_t k = i % count; k < count && i < e; ++k, ++i) d[i] = line[at[k]];
        }
      });
    });
    return;
  }
  int64_t row = inner * elem_size;
  ParallelFor(0, outer * count, Grain(inner), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) std::memcpy(dst + i * row, src + (i / count * n + at[i % count]) * row, row);
  });
}

template <class T>
void AddTo(T& a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    a = a || b;
  else if constexpr (std::is_integral_v<T>)
    a = static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    a += b;
}

// f(target row, source row) for every pair in order of i; rows of one target stay on one thread.
template <class F>
void EachWrite(int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count, F&& f) {
  if (outer >= MaxThreads()) {
    ParallelFor(0, outer, Grain(count * inner), [&](int64_t b, int64_t e) {
      for (int64_t o = b; o < e; ++o)
        for (int64_t i = 0; i < count; ++i) f(o * n + at[i], o * count + i);
    });
    return;
  }
  for (int64_t o = 0; o < outer; ++o) {
    // Each thread takes a range of targets and looks through all indices.
    int64_t grain = count * inner < 2 * kGrain ? n : std::max<int64_t>(1, n / MaxThreads());
    ParallelFor(0, n, grain, [&](int64_t b, int64_t e) {
      for (int64_t i = 0; i < count; ++i)
        if (at[i] >= b && at[i] < e) f(o * n + at[i], o * count + i);
    });
  }
}

// Runs `body` on out and src as float32 when they are half, so that sums are rounded once.
template <class F>
void InWide(DataType t, void* out, int64_t out_n, const void* src, int64_t src_n, F&& body) {
  if (!IsHalf(t)) return body(t, out, src);
  CallMemory o(out_n * 4), s(std::max<int64_t>(1, src_n) * 4);
  Convert(t, out, 1, DataType::FLOAT32, o.as<float>(), 1, out_n);
  Convert(t, src, 1, DataType::FLOAT32, s.as<float>(), 1, src_n);
  body(DataType::FLOAT32, o.as<float>(), s.as<float>());
  Convert(DataType::FLOAT32, o.as<float>(), 1, t, out, 1, out_n);
}

// Adds a row to one that it does not share memory with.
template <class T>
void AddRow(T* to, const T* from, int64_t n) {
  constexpr int64_t kVectors = 16;  // elements from which a call pays
  if constexpr (std::is_same_v<T, float>) {
    if (n >= kVectors) return PD_ISA_CALL(add_row_f32)(to, from, n);
  } else if constexpr (std::is_same_v<T, double>) {
    if (n >= kVectors) return PD_ISA_CALL(add_row_f64)(to, from, n);
  }
  for (int64_t k = 0; k < n; ++k) AddTo(to[k], from[k]);
}

void AddRows(const char* op, DataType t, void* out, int64_t outer, int64_t n, int64_t inner, const int64_t* at,
             int64_t count, const void* src, bool one_value) {
  if (const DeviceForms* d = FormsHere()) {
    if (one_value) throw NoDeviceForm{"one value for all"};
    return d->Write(t, out, outer, n, inner, at, count, src, RowWrite::kAdd);
  }
  InWide(t, out, outer * n * inner, src, one_value ? 1 : outer * count * inner,
         [&](DataType w, void* o, const void* s) {
           DispatchNumber(op, w, [&](auto tag) {
             using T = typename decltype(tag)::type;
             T* to = static_cast<T*>(o);
             const T* from = static_cast<const T*>(s);
             EachWrite(outer, n, inner, at, count, [&](int64_t target, int64_t source) {
               T* a = to + target * inner;
               if (one_value) {
                 for (int64_t k = 0; k < inner; ++k) AddTo(a[k], *from);
               } else {
                 AddRow(a, from + source * inner, inner);
               }
             });
           });
         });
}

void AssignRows(int64_t elem_size, void* out, int64_t outer, int64_t n, int64_t inner, const int64_t* at, int64_t count,
                const void* src, bool one_value) {
  if (const DeviceForms* d = FormsHere()) return d->Put(elem_size, out, outer, n, inner, at, count, src, one_value);
  DispatchSize(elem_size, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = static_cast<T*>(out);
    const T* from = static_cast<const T*>(src);
    EachWrite(outer, n, inner, at, count, [&](int64_t target, int64_t source) {
      T* a = to + target * inner;
      if (one_value)
        std::fill(a, a + inner, *from);
      else
        std::memcpy(static_cast<void*>(a), from + source * inner, inner * sizeof(T));
    });
  });
}

int64_t Prod(Ints v, int64_t b, int64_t e) {
  int64_t p = 1;
  for (int64_t i = b; i < e; ++i) p *= v[i];
  return p;
}

}  // namespace

void GatherAxis(const char* op, int64_t elem_size, const void* x, int64_t outer, int64_t n, int64_t inner,
                DataType index_t, const void* index, int64_t count, void* out) {
  Places at(count);
  Checked(op, index_t, index, count, n, at.as<int64_t>());
  if (outer > 0 && inner > 0) Read(elem_size, x, outer, n, inner, at.as<int64_t>(), count, out);
}

void ScatterAddAxis(const char* op, DataType t, void* out, int64_t outer, int64_t n, int64_t inner, DataType index_t,
                    const void* index, int64_t count, const void* src) {
  Places at(count);
  Checked(op, index_t, index, count, n, at.as<int64_t>());
  if (outer > 0 && inner > 0) AddRows(op, t, out, outer, n, inner, at.as<int64_t>(), count, src, false);
}

void ScatterRows(DataType t, void* out, int64_t n, int64_t inner, DataType index_t, const void* index, int64_t count,
                 const void* updates, bool overwrite) {
  Places at(count);
  Checked("scatter", index_t, index, count, n, at.as<int64_t>());
  if (overwrite) return AssignRows(SizeOf(t), out, 1, n, inner, at.as<int64_t>(), count, updates, false);
  const Places zero(2);
  Zero(zero.as<void>(), 16);
  AssignRows(SizeOf(t), out, 1, n, inner, at.as<int64_t>(), count, zero.as<void>(), true);
  AddRows("scatter", t, out, 1, n, inner, at.as<int64_t>(), count, updates, false);
}

namespace {
// The columns of index [count, depth] as strided arrays.
void LinearNd(const char* op, Ints shape, DataType index_t, const void* index, int64_t count, int64_t depth,
              int64_t* out) {
  std::vector<const void*> columns;
  int64_t width = SizeOf(index_t);
  for (int64_t k = 0; k < depth; ++k) columns.push_back(static_cast<const char*>(index) + k * width);
  Linear(op, index_t, columns, shape.data(), count, depth, out);
}
}  // namespace

void GatherNd(const char* op, int64_t elem_size, const void* x, Ints x_shape, DataType index_t, const void* index,
              int64_t count, int64_t depth, void* out) {
  Places at(count);
  LinearNd(op, x_shape, index_t, index, count, depth, at.as<int64_t>());
  int64_t rank = static_cast<int64_t>(x_shape.size());
  Read(elem_size, x, 1, Prod(x_shape, 0, depth), Prod(x_shape, depth, rank), at.as<int64_t>(), count, out);
}
void ScatterNdAdd(const char* op, DataType t, void* out, Ints out_shape, DataType index_t, const void* index,
                  int64_t count, int64_t depth, const void* updates) {
  Places at(count);
  LinearNd(op, out_shape, index_t, index, count, depth, at.as<int64_t>());
  int64_t rank = static_cast<int64_t>(out_shape.size());
  AddRows(op, t, out, 1, Prod(out_shape, 0, depth), Prod(out_shape, depth, rank), at.as<int64_t>(), count, updates,
          false);
}

void IndexGet(const char* op, int64_t elem_size, const void* x, int64_t outer, Ints dims, int64_t inner,
              DataType index_t, std::span<const void* const> index, int64_t count, void* out) {
  Places at(count);
  Linear(op, index_t, index, dims.data(), count, 1, at.as<int64_t>());
  Read(elem_size, x, outer, Prod(dims, 0, static_cast<int64_t>(dims.size())), inner, at.as<int64_t>(), count, out);
}
void IndexPut(const char* op, DataType t, void* out, int64_t outer, Ints dims, int64_t inner, DataType index_t,
              std::span<const void* const> index, int64_t count, const void* value, bool value_scalar,
              bool accumulate) {
  Places at(count);
  Linear(op, index_t, index, dims.data(), count, 1, at.as<int64_t>());
  int64_t n = Prod(dims, 0, static_cast<int64_t>(dims.size()));
  if (accumulate)
    AddRows(op, t, out, outer, n, inner, at.as<int64_t>(), count, value, value_scalar);
  else
    AssignRows(SizeOf(t), out, outer, n, inner, at.as<int64_t>(), count, value, value_scalar);
}

namespace {

// Calls f with the numbers of `index` as they are stored.
template <class F>
void WithIndex(DataType t, const void* index, F&& f) {
  if (t == DataType::INT32)
    f(static_cast<const int32_t*>(index));
  else
    f(static_cast<const int64_t*>(index));
}

bool AllInside(const int32_t* at, int64_t count, int64_t n) { return PD_ISA_CALL(inside_i32)(at, count, n); }
bool AllInside(const int64_t* at, int64_t count, int64_t n) { return PD_ISA_CALL(inside_i64)(at, count, n); }

void RequireInside(const char* op, DataType t, const void* index, int64_t count, int64_t n) {
  WithIndex(t, index, [&](const auto* at) {
    if (AllInside(at, count, n)) return;
    const auto* bad = std::find_if(at, at + count, [&](auto v) { return v < -n || v >= n; });
    common::internal::Throw(IndexCode(op), "[", op, "] expected an index in [", -n, ", ", n, "), got ", *bad);
  });
}

// An index tensor whose lines along the axis stand on lines of a contiguous tensor, which has n elements in each.
struct Lines {
  int64_t count, n, picked, inner;

  // Nothing where an extent beside that axis differs.
  static std::optional<Lines> Of(Ints shape, int axis, Ints index_shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    for (int64_t a = 0; a < rank; ++a)
      if (a != axis && index_shape[a] != shape[a]) return {};
    return Lines{Prod(shape, 0, axis), shape[axis], index_shape[axis], Prod(shape, axis + 1, rank)};
  }
  // Calls f(i, offset) for each entry i of the index; lines go to different threads.
  template <class I, class F>
  void ForEach(const I* index, F f) const {
    ParallelFor(0, count, Grain(picked * inner), [&](int64_t b, int64_t e) {
      for (int64_t o = b; o < e; ++o) {
        int64_t i = o * picked * inner;
        if (inner == 1) {
          for (const int64_t end = i + picked; i < end; ++i) f(i, o * n + index[i] + (index[i] < 0) * n);
          continue;
        }
        for (int64_t k = 0; k < picked; ++k)
          for (int64_t c = 0; c < inner; ++c, ++i) f(i, (o * n + index[i] + (index[i] < 0) * n) * inner + c);
      }
    });
  }
};

// For every entry of an index tensor, the offset of the element it names in a contiguous tensor of `shape`.
void AlongOffsets(const char* op, Ints shape, int axis, DataType index_t, const void* index, Ints index_shape,
                  int64_t* out) {
  int64_t rank = static_cast<int64_t>(shape.size()), total = Prod(index_shape, 0, rank), n = shape[axis];
  std::vector<int64_t> stride(rank, 1);
  for (int64_t i = rank - 2; i >= 0; --i) stride[i] = stride[i + 1] * shape[i + 1];
  if (const DeviceForms* d = FormsHere()) {
    Checked(op, index_t, index, total, n, out);
    return d->Along(index_shape, axis, stride, total, out);
  }
  RequireInside(op, index_t, index, total, n);
  if (const auto lines = Lines::Of(shape, axis, index_shape))
    return WithIndex(index_t, index,
                     [&](const auto* at) { lines->ForEach(at, [=](int64_t i, int64_t offset) { out[i] = offset; }); });
  ParallelFor(0, total, kGrain / 8, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      int64_t rest = i, at = 0;
      for (int64_t a = rank - 1; a >= 0; --a) {
        int64_t k = rest % index_shape[a];
        rest /= index_shape[a];
        if (a == axis) {
          k = IndexAt(index_t, index, i);
          if (k < 0) k += n;
        }
        at += k * stride[a];
      }
      out[i] = at;
    }
  });
}

template <class T>
bool IsNan(T v) {
  if constexpr (std::is_floating_point_v<T>)
    return v != v;
  else
    return false;
}

template <class T>
void Put(T* out, int64_t size, const int64_t* at, int64_t total, const int64_t* from, const T* values, PutMode mode,
         bool include_self) {
  constexpr bool kOrdered = !std::is_same_v<T, complex64> && !std::is_same_v<T, complex128>;
  if (mode == PutMode::kAssign) {
    for (int64_t i = 0; i < total; ++i) out[at[i]] = values[from[i]];
    return;
  }
  std::vector<int64_t> count;
  if (mode == PutMode::kMean) {
    count.assign(size, include_self ? 1 : 0);
    for (int64_t i = 0; i < total; ++i) ++count[at[i]];
  }
  std::vector<bool> fresh;  // places whose old value takes no part and that no value has reached yet
  if (!include_self) {
    fresh.assign(size, false);
    for (int64_t i = 0; i < total; ++i) fresh[at[i]] = true;
  }
  for (int64_t i = 0; i < total; ++i) {
    T v = values[from[i]];
    T& o = out[at[i]];
    if (!include_self && fresh[at[i]]) {
      fresh[at[i]] = false;
      o = v;
      continue;
    }
    if (mode == PutMode::kAdd || mode == PutMode::kMean) {
      AddTo(o, v);
    } else if (mode == PutMode::kMul) {
      if constexpr (std::is_same_v<T, bool>)
        o = o && v;
      else
        o = static_cast<T>(o * v);
    } else if constexpr (kOrdered) {
      bool take = mode == PutMode::kMax ? v > o : v < o;
      if (IsNan(v) || (take && !IsNan(o))) o = v;
    } else {
      PD_THROW(Unimplemented, "[put_along_axis] expected a real dtype for amax and amin, got a complex one");
    }
  }
  if (mode == PutMode::kMean)
    for (int64_t i = 0; i < total; ++i) {
      int64_t& c = count[at[i]];
      if (c > 1) {
        if constexpr (std::is_same_v<T, bool>) {
        } else if constexpr (std::is_integral_v<T>) {
          // Integers round towards minus infinity.
          int64_t q = static_cast<int64_t>(out[at[i]]) / c, r = static_cast<int64_t>(out[at[i]]) % c;
          out[at[i]] = static_cast<T>(r < 0 ? q - 1 : q);
        } else {
          out[at[i]] /= static_cast<T>(static_cast<double>(c));
        }
      }
      c = 1;
    }
}

}  // namespace

void TakeAlongAxis(const char* op, int64_t elem_size, const void* x, Ints x_shape, int axis, DataType index_t,
                   const void* index, Ints index_shape, void* out) {
  int64_t total = Prod(index_shape, 0, static_cast<int64_t>(index_shape.size()));
  if (const auto lines = Lines::Of(x_shape, axis, index_shape); lines && !FormsHere()) {
    RequireInside(op, index_t, index, total, lines->n);
    return DispatchSize(elem_size, [&](auto tag) {
      using T = typename decltype(tag)::type;
      WithIndex(index_t, index, [&](const auto* at) {
        lines->ForEach(at, [from = static_cast<const T*>(x), to = static_cast<T*>(out)](int64_t i, int64_t offset) {
          to[i] = from[offset];
        });
      });
    });
  }
  Places at(total);
  AlongOffsets(op, x_shape, axis, index_t, index, index_shape, at.as<int64_t>());
  Read(elem_size, x, 1, 1, 1, at.as<int64_t>(), total, out);
}

void PutAlongAxis(const char* op, DataType t, void* out, Ints out_shape, int axis, DataType index_t, const void* index,
                  Ints index_shape, const void* values, Ints value_strides, PutMode mode, bool include_self) {
  int64_t rank = static_cast<int64_t>(index_shape.size()), total = Prod(index_shape, 0, rank),
          size = Prod(out_shape, 0, rank);
  int64_t last = 0, dense = 1;
  bool plain = true;
  for (int64_t a = rank - 1; a >= 0; --a) {
    plain = plain && (index_shape[a] == 1 || value_strides[a] == dense);
    dense *= index_shape[a];
  }
  if (const DeviceForms* d = FormsHere()) {
    if (!plain || (mode != PutMode::kAdd && mode != PutMode::kAssign) || (mode == PutMode::kAdd && !include_self))
      throw NoDeviceForm{"values that are broadcast, multiplied or compared"};
    Places at(total);
    AlongOffsets(op, out_shape, axis, index_t, index, index_shape, at.as<int64_t>());
    return d->Write(t, out, 1, size, 1, at.as<int64_t>(), total, values,
                    mode == PutMode::kAdd ? RowWrite::kAdd : RowWrite::kAssign);
  }
  const auto lines = Lines::Of(out_shape, axis, index_shape);
  if (lines && plain && !IsHalf(t) && (mode == PutMode::kAssign || (mode == PutMode::kAdd && include_self))) {
    RequireInside(op, index_t, index, total, lines->n);
    return DispatchNumber(op, t, [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* const to = static_cast<T*>(out);
      const T* const from = static_cast<const T*>(values);
      WithIndex(index_t, index, [&](const auto* at) {
        if (mode == PutMode::kAssign)
          lines->ForEach(at, [=](int64_t i, int64_t offset) { to[offset] = from[i]; });
        else
          lines->ForEach(at, [=](int64_t i, int64_t offset) { AddTo(to[offset], from[i]); });
      });
    });
  }
  CallMemory at(total * 8), from(total * 8);
  AlongOffsets(op, out_shape, axis, index_t, index, index_shape, at.as<int64_t>());
  if (plain) {
    for (int64_t i = 0; i < total; ++i) from.as<int64_t>()[i] = i;
    last = std::max<int64_t>(total - 1, 0);
  }
  for (int64_t i = 0; i < total && !plain; ++i) {
    int64_t rest = i, p = 0;
    for (int64_t a = rank - 1; a >= 0; --a) {
      p += rest % index_shape[a] * value_strides[a];
      rest /= index_shape[a];
    }
    from.as<int64_t>()[i] = p;
    last = std::max(last, p);
  }
  InWide(t, out, size, values, last + 1, [&](DataType w, void* o, const void* v) {
    DispatchNumber(op, w, [&](auto tag) {
      using T = typename decltype(tag)::type;
      Put(static_cast<T*>(o), size, at.as<int64_t>(), total, from.as<int64_t>(), static_cast<const T*>(v), mode,
          include_self);
    });
  });
}

void Embedding(DataType t, const void* table, int64_t rows, int64_t dim, DataType index_t, const void* ids,
               int64_t count, int64_t padding_idx, void* out) {
  Places at(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t v = IndexAt(index_t, ids, i);
    PD_CHECK(v >= 0 && v < rows, InvalidArgument, "[embedding] expected an id in [0, ", rows, "), got ", v);
    at.as<int64_t>()[i] = v;
  }
  if (dim == 0) return;
  Read(SizeOf(t), table, 1, rows, dim, at.as<int64_t>(), count, out);
  int64_t row = dim * SizeOf(t);
  if (padding_idx >= 0)
    for (int64_t i = 0; i < count; ++i)
      if (at.as<int64_t>()[i] == padding_idx) std::memset(static_cast<char*>(out) + i * row, 0, row);
}
void EmbeddingGrad(DataType t, const void* dout, int64_t rows, int64_t dim, DataType index_t, const void* ids,
                   int64_t count, int64_t padding_idx, void* dtable) {
  if (const DeviceForms* d = FormsHere()) {
    d->Zero(dtable, rows * dim * SizeOf(t));
    if (rows == 0 || dim == 0 || count == 0) return;
    const Places at(count);
    Checked("embedding_grad", index_t, ids, count, rows, at.as<int64_t>());
    return d->Write(t, dtable, 1, rows, dim, at.as<int64_t>(), count, dout, RowWrite::kAdd, padding_idx);
  }
  Zero(dtable, rows * dim * SizeOf(t));
  if (rows == 0 || dim == 0 || count == 0) return;
  Places at(count);
  Checked("embedding_grad", index_t, ids, count, rows, at.as<int64_t>());
  AddRows("embedding_grad", t, dtable, 1, rows, dim, at.as<int64_t>(), count, dout, false);
  int64_t row = dim * SizeOf(t);
  if (padding_idx >= 0 && padding_idx < rows) std::memset(static_cast<char*>(dtable) + padding_idx * row, 0, row);
}

int64_t CountTrue(const void* mask, int64_t n) {
  const uint8_t* m = static_cast<const uint8_t*>(mask);
  int64_t total = 0;
  for (int64_t i = 0; i < n; ++i) total += m[i] != 0;
  return total;
}
void MaskedSelect(int64_t elem_size, const void* x, const void* mask, int64_t n, void* out) {
  const uint8_t* m = static_cast<const uint8_t*>(mask);
  DispatchSize(elem_size, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* s = static_cast<const T*>(x);
    T* d = static_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i)
      if (m[i]) *d++ = s[i];
  });
}
void MaskedSelectGrad(int64_t elem_size, const void* dout, const void* mask, int64_t n, void* dx) {
  const uint8_t* m = static_cast<const uint8_t*>(mask);
  DispatchSize(elem_size, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* s = static_cast<const T*>(dout);
    T* d = static_cast<T*>(dx);
    for (int64_t i = 0; i < n; ++i) d[i] = m[i] ? *s++ : T{};
  });
}

namespace {
// f(i) for each element that is not zero.
template <class F>
void EachNonzero(DataType t, const void* x, int64_t n, F&& f) {
  if (IsHalf(t)) {
    const uint16_t* p = static_cast<const uint16_t*>(x);
    for (int64_t i = 0; i < n; ++i)
      if (p[i] & 0x7fff) f(i);
    return;
  }
  DispatchNumber("nonzero", t, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* p = static_cast<const T*>(x);
    for (int64_t i = 0; i < n; ++i)
      if (!(p[i] == T(0))) f(i);
  });
}
}  // namespace
int64_t CountNonzero(DataType t, const void* x, int64_t n) {
  int64_t total = 0;
  EachNonzero(t, x, n, [&](int64_t) { ++total; });
  return total;
}
void NonZero(DataType t, const void* x, Ints shape, int64_t* out) {
  int64_t rank = static_cast<int64_t>(shape.size());
  EachNonzero(t, x, Prod(shape, 0, rank), [&](int64_t i) {
    for (int64_t a = rank - 1; a >= 0; --a) {
      out[a] = i % shape[a];
      i /= shape[a];
    }
    out += rank;
  });
}

void OneHot(DataType t, DataType index_t, const void* ids, int64_t count, int64_t classes, void* out) {
  Zero(out, count * classes * SizeOf(t));
  double one = 1;
  char element[16];
  Convert(DataType::FLOAT64, &one, 1, t, element, 1, 1);
  if (const DeviceForms* d = FormsHere()) {
    const Places at(count), there(2);
    const int64_t bad = d->Positions(index_t, ids, 1, classes, true, count, at.as<int64_t>(), false, true);
    if (bad >= 0)
      PD_THROW(InvalidArgument, "[one_hot] expected an index in [0, ", classes, "), got ",
               d->IndexAt(index_t, ids, bad));
    const int64_t shape[] = {count, 1}, strides[] = {classes, 1};
    d->Along(shape, 1, strides, count, at.as<int64_t>());
    d->Fill(SizeOf(t), 1, there.as<void>(), element);
    return d->Put(SizeOf(t), out, 1, count * classes, 1, at.as<int64_t>(), count, there.as<void>(), true);
  }
  int64_t width = SizeOf(t);
  for (int64_t i = 0; i < count; ++i) {
    int64_t v = IndexAt(index_t, ids, i);
    PD_CHECK(v >= 0 && v < classes, InvalidArgument, "[one_hot] expected an index in [0, ", classes, "), got ", v);
    std::memcpy(static_cast<char*>(out) + (i * classes + v) * width, element, width);
  }
}

}  // namespace phi::cpu
