// SPDX-License-Identifier: Apache-2.0
// What operators of users write beside the functions of ops.h: places, tensors like others, failed checks.
#pragma once

#include <string>

#include "paddle/phi/api/ops.h"

namespace phi {
struct CPUPlace : Place {};
struct CustomPlace : Place {
  CustomPlace(const std::string& type, int id)
      : Place{AllocationType::CUSTOM, static_cast<int8_t>(id), CustomDeviceIndex(type)} {}
};
}  // namespace phi

namespace paddle {

using phi::CPUPlace;
using phi::CustomPlace;

// Places by older names.
struct PlaceType : phi::Place {
  static const PlaceType kCPU, kGPU;
};
inline const PlaceType PlaceType::kCPU{{phi::AllocationType::CPU}};
inline const PlaceType PlaceType::kGPU{{phi::AllocationType::GPU}};

inline Tensor ones(const IntArray& shape, DataType dtype = DataType::FLOAT32, Place place = Place{}) {
  return full(shape, 1.0, dtype, place);
}
inline Tensor zeros(const IntArray& shape, DataType dtype = DataType::FLOAT32, Place place = Place{}) {
  return full(shape, 0.0, dtype, place);
}
// Undefined contents, in the shape of `x`; its dtype where none is given, and its device.
inline Tensor empty_like(const Tensor& x, DataType dtype = DataType::UNDEFINED, Place place = Place{}) {
  return empty(shape_of(x), dtype == DataType::UNDEFINED ? x.dtype() : dtype, place.is_cpu() ? x.place() : place);
}
inline Tensor ones_like(const Tensor& x, DataType dtype = DataType::UNDEFINED, Place place = Place{}) {
  return full_like(x, 1.0, dtype, place);
}
inline Tensor zeros_like(const Tensor& x, DataType dtype = DataType::UNDEFINED, Place place = Place{}) {
  return full_like(x, 0.0, dtype, place);
}

// Every function of ops.h by its other name.
namespace experimental = ::paddle;

namespace ext {
template <class... Parts>
[[noreturn]] void RaiseFailed(const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0)
    ::common::internal::Throw(::common::ErrorCode::kIo, "expected ", condition, ", got false");
  else
    ::common::internal::Throw(::common::ErrorCode::kIo, parts...);
}
}  // namespace ext

}  // namespace paddle
