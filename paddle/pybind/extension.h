// SPDX-License-Identifier: Apache-2.0
// Tensors, dtypes and places as arguments and results of functions that users bind by pybind11 (PYBIND11_MODULE) in the
// sources that `paddle.utils.cpp_extension` builds.
#pragma once
#ifdef PADDLE_EXTENSION_PYTHON  // set for sources that make a module

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "paddle/phi/api/ext/casts.h"
#include "paddle/phi/api/ext/names.h"
#include "paddle/phi/api/ext/optional.h"

namespace py = pybind11;

namespace paddle::ext {

inline const Casts& GetCasts() {
  static const auto* casts = static_cast<const Casts*>(PyCapsule_Import(Casts::kName, 0));
  if (!casts) throw pybind11::error_already_set();
  return *casts;
}

}  // namespace paddle::ext

#define PD_TYPE_CASTER_(type, text, to, of)                                                     \
  template <>                                                                                   \
  struct type_caster<type> {                                                                    \
    PYBIND11_TYPE_CASTER(type, const_name(text));                                               \
    bool load(handle source, bool) { return paddle::ext::GetCasts().to(source.ptr(), &value); } \
    static handle cast(const type& value, return_value_policy, handle) {                        \
      PyObject* object = paddle::ext::GetCasts().of(value);                                     \
      if (!object) throw error_already_set();                                                   \
      return object;                                                                            \
    }                                                                                           \
  };

namespace pybind11::detail {

PD_TYPE_CASTER_(paddle::Tensor, "paddle.Tensor", to_tensor, of_tensor)
PD_TYPE_CASTER_(phi::DataType, "paddle.dtype", to_dtype, of_dtype)
PD_TYPE_CASTER_(phi::Place, "paddle.base.core.Place", to_place, of_place)
template <class T>
struct type_caster<paddle::optional<T>> : optional_caster<paddle::optional<T>> {};

}  // namespace pybind11::detail

#undef PD_TYPE_CASTER_
#endif
