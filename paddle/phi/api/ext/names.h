// SPDX-License-Identifier: Apache-2.0
// What operators of users call by PaddlePaddle's names: extents, places and dtypes as text, tensors over memory of
// their own.
#pragma once

#include <complex>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "paddle/phi/api/ext/creation.h"
#include "paddle/phi/api/ext/half.h"

namespace common {

using DDim = Ints;

inline DDim make_ddim(const std::vector<int64_t>& extents) { return extents; }
template <class T = int64_t>
std::vector<T> vectorize(const Ints& dims) {
  return {dims.begin(), dims.end()};
}
inline int64_t product(const Ints& dims) { return Product(dims); }
inline std::ostream& operator<<(std::ostream& os, const Ints& dims) {
  const char* separator = "";
  for (int64_t extent : dims) os << std::exchange(separator, ", ") << extent;
  return os;
}

}  // namespace common

namespace phi {

// The order of axes, as operators of users name it; tensors lie in that of their shape.
enum class DataLayout : int8_t { UNDEFINED = 0, NHWC = 1, NCHW = 2, NCDHW = 3, NDHWC = 4 };

using common::DDim;
using common::make_ddim;
using common::product;
using common::vectorize;

struct GPUPlace : Place {
  explicit GPUPlace(int id = 0) : Place{AllocationType::GPU, static_cast<int8_t>(id)} {}
};
inline bool is_cpu_place(const Place& place) { return place.is_cpu(); }
inline bool is_gpu_place(const Place& place) { return place.type == AllocationType::GPU; }
inline bool is_custom_place(const Place& place) { return place.type == AllocationType::CUSTOM; }

inline std::string DataTypeToString(DataType dtype) { return std::string(NameOf(dtype)); }
inline std::ostream& operator<<(std::ostream& os, const Place& place) { return os << PlaceText(place); }
inline std::ostream& operator<<(std::ostream& os, DataType dtype) { return os << NameOf(dtype); }

namespace dtype {
using ::paddle::bfloat16;
using ::paddle::float16;
template <class T>
using complex = std::complex<T>;
}  // namespace dtype

}  // namespace phi

namespace paddle {

using phi::complex128;
using phi::complex64;
using phi::DataLayout;
using phi::GPUPlace;

inline Place DefaultGPUPlace() { return GPUPlace(0); }

inline Tensor operator+(const Scalar& a, const Tensor& b) { return b + a; }
inline Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }

using Deleter = std::function<void(void*)>;

// A tensor over memory that it does not own; `deleter` is called with its address when the last view is gone.
inline Tensor from_blob(void* data, const IntArray& shape, DataType dtype = DataType::FLOAT32,
                        DataLayout = DataLayout::NCHW, Place place = Place{}, const Deleter& deleter = nullptr) {
  struct Owner {
    void* data;
    Deleter deleter;
  };
  const auto release = [](void* owner) {
    auto* o = static_cast<Owner*>(owner);
    if (o->deleter) o->deleter(o->data);
    delete o;
  };
  const Ints& dims = shape.numbers();
  const size_t bytes = static_cast<size_t>(common::Product(dims) * phi::SizeOf(dtype));
  auto storage = phi::Storage::Wrap(data, bytes, place, new Owner{data, deleter}, release);
  return Tensor(phi::TensorState::Dense(dims, dtype, std::move(storage)));
}

// As numbers of one element each.
inline Tensor arange(const Tensor& start, const Tensor& end, const Tensor& step, DataType dtype,
                     const Place& place = Place{}) {
  return arange(phi::ScalarOf(start), phi::ScalarOf(end), phi::ScalarOf(step), dtype, place);
}

}  // namespace paddle
