// SPDX-License-Identifier: Apache-2.0
// Tensors over the records of parameter files, and the parameters of programs that are loaded.
#pragma once

#include <memory>

#include "paddle/phi/core/tensor.h"
#include "paddle/pir/core/program.h"
#include "paddle/pir/serialize/params.h"

namespace executor {

// A tensor with the record's data. Big aligned data stays where `file` maps it: it is read when it is used, and a write
// copies its page. Other data, and that of a buffer (null `file`), is copied.
phi::Tensor TensorOf(const pir::RawTensor& raw, const std::shared_ptr<pir::MappedFile>& file);

// Gives the program's parameters the records of the reader, which must end with them, and zeros to those that files do
// not hold. Throws InvalidArgument when a record is not of its parameter's type.
void LoadParameters(pir::Program& program, pir::ParamsReader& reader);

}  // namespace executor
