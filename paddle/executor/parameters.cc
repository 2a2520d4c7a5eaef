// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/parameters.h"

#include <cstring>
#include <string>
#include <unordered_map>

#include "paddle/common/error.h"
#include "paddle/pir/core/type.h"
#include "paddle/pir/serialize/program_json.h"

namespace executor {

using phi::Tensor;

Tensor TensorOf(const pir::RawTensor& raw, const std::shared_ptr<pir::MappedFile>& file) {
  using Owner = std::shared_ptr<pir::MappedFile>;
  bool aligned = reinterpret_cast<uintptr_t>(raw.data) % static_cast<uintptr_t>(phi::SizeOf(raw.dtype)) == 0;
  if (!file || !aligned || raw.size < pir::kPaddedTensorBytes) {
    Tensor t = phi::Empty(raw.dims, raw.dtype);
    if (raw.size) std::memcpy(t.raw_data(), raw.data, raw.size);
    if (file) file->Release(raw.data, raw.size);
    return t;
  }
  return Tensor(
      phi::TensorState::Dense(raw.dims, raw.dtype,
                              phi::Storage::Wrap(const_cast<void*>(raw.data), raw.size, phi::Place{}, new Owner(file),
                                                 [](void* owner) { delete static_cast<Owner*>(owner); })));
}

namespace {

// The zeros of a parameter that files do not hold.
Tensor Unkept(pir::Type type) {
  constexpr int64_t kMost = 1 << 20;
  PD_CHECK(type.is_dense() && common::AllKnown(type.dims()), InvalidArgument,
           "[load] expected a parameter of known shape, got ", pir::TypeText(type));
  common::Ints dims = common::ToInts(type.dims());
  int64_t bytes = phi::SizeOf(type.dtype());
  for (int64_t d : dims)
    PD_CHECK(!__builtin_mul_overflow(bytes, d, &bytes) && bytes <= kMost, InvalidArgument,
             "[load] expected a parameter that is not in the file to have at most ", kMost, " bytes, got ",
             pir::TypeText(type));
  return phi::FullLike(dims, type.dtype(), 0);
}

}  // namespace

void LoadParameters(pir::Program& program, pir::ParamsReader& reader) {
  std::unordered_map<std::string, pir::Type> types;
  for (pir::Operation* op = program.block().front(); op; op = op->next()) {
    if (!op->isa("builtin.parameter")) continue;
    const std::string& name = op->attr("parameter_name").to_str();
    types[name] = op->result_type(0);
    if (op->result(0).has_persistable() && !op->result(0).persistable())
      program.set_parameter(name, std::make_shared<Tensor>(Unkept(op->result_type(0))));
  }
  for (const std::string& name : pir::SortedParameterNames(program)) {
    size_t at = reader.offset();
    pir::RawTensor raw = reader.Next();
    pir::Type want = types.at(name);
    PD_CHECK(want.is_dense() && raw.dtype == want.dtype() && common::AllKnown(want.dims()) &&
                 common::ToInts(want.dims()) == raw.dims,
             InvalidArgument, "'", reader.origin(), "' at byte ", at, ": expected parameter ", name, " to be ",
             pir::TypeText(want), ", got ", phi::NameOf(raw.dtype), " ", common::ShapeText(raw.dims));
    Tensor t = TensorOf(raw, reader.file());
    t->persistable = true;
    program.set_parameter(name, std::make_shared<Tensor>(t));
  }
  reader.ExpectEnd();
}

}  // namespace executor
