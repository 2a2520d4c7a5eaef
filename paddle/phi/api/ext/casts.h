// SPDX-License-Identifier: Apache-2.0
// How modules of users convert objects of Python: what the extension module of the package gives them in a capsule.
#pragma once

#include "paddle/phi/core/tensor.h"

struct _object;

namespace paddle::ext {

struct Casts {
  static constexpr const char* kName = "paddle.base.libpaddle._casts";
  // False: the object is none of these.
  bool (*to_tensor)(_object* object, Tensor* tensor);
  bool (*to_dtype)(_object* object, phi::DataType* dtype);
  bool (*to_place)(_object* object, phi::Place* place);
  // New references; null where an exception is set.
  _object* (*of_tensor)(const Tensor& tensor);
  _object* (*of_dtype)(const phi::DataType& dtype);
  _object* (*of_place)(const phi::Place& place);
};

}  // namespace paddle::ext
