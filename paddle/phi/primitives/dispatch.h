// SPDX-License-Identifier: Apache-2.0
// From a DataType to a C++ type, for kernels that are templates on the element.
#pragma once

#include <type_traits>

#include "paddle/common/dtype.h"
#include "paddle/common/dtype_error.h"
#include "paddle/common/error.h"

namespace phi::cpu {

template <class T>
struct Tag {
  using type = T;
};

// f(Tag<T>) for the element type, which is not half or fp8.
template <class F>
void DispatchReal(const char* op, DataType t, F&& f) {
  switch (t) {
    case DataType::BOOL: return f(Tag<bool>{});
    case DataType::UINT8: return f(Tag<uint8_t>{});
    case DataType::INT8: return f(Tag<int8_t>{});
    case DataType::INT16: return f(Tag<int16_t>{});
    case DataType::INT32: return f(Tag<int32_t>{});
    case DataType::INT64: return f(Tag<int64_t>{});
    case DataType::FLOAT32: return f(Tag<float>{});
    case DataType::FLOAT64: return f(Tag<double>{});
    default: PD_THROW_DTYPE("[", op, "] expected a real dtype, got ", NameOf(t));
  }
}
template <class F>
void DispatchNumber(const char* op, DataType t, F&& f) {
  if (t == DataType::COMPLEX64) return f(Tag<complex64>{});
  if (t == DataType::COMPLEX128) return f(Tag<complex128>{});
  DispatchReal(op, t, f);
}
// f(Tag<U>) for an unsigned or paired type of that many bytes.
struct Bytes16 {
  uint64_t a, b;
};
template <class F>
void DispatchSize(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(Tag<uint8_t>{});
    case 2: return f(Tag<uint16_t>{});
    case 4: return f(Tag<uint32_t>{});
    case 8: return f(Tag<uint64_t>{});
    default: return f(Tag<Bytes16>{});
  }
}

}  // namespace phi::cpu
