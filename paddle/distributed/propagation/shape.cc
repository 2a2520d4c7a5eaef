// SPDX-License-Identifier: Apache-2.0
// What is asked of the shape of a distributed tensor, which all processes know: nothing moves.
#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/phi/api/ops.h"

namespace paddle {

namespace {

// On all processes of the mesh of `of`.
Tensor Known(const Tensor& of, const Tensor& value) {
  const distributed::DistState& s = distributed::StateOf(of);
  return distributed::MakeDist(s.here ? value : distributed::ProxyPart(value.dtype()), value.dims(), value.dtype(),
                               s.mesh, distributed::Placements(s.placements.size()));
}

}  // namespace

Tensor shape_of_parts(const Tensor& input) {
  return Known(input, full_int_array(input.dims(), phi::DataType::INT32, input.place()));
}
Tensor shape64_of_parts(const Tensor& input) {
  return Known(input, full_int_array(input.dims(), phi::DataType::INT64, input.place()));
}
Tensor is_empty_of_parts(const Tensor& x) {
  return Known(x, full(phi::Ints{}, x.numel() == 0, phi::DataType::BOOL, x.place()));
}

}  // namespace paddle
