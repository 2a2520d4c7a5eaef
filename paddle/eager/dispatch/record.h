// SPDX-License-Identifier: Apache-2.0
// Recording: the dispatcher's second half. An op called while a Recorder is active becomes a pd_op in its program, and in
// "both" mode also runs.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/pir/core/builder.h"
#include "paddle/pir/core/program.h"

namespace egr {

using paddle::Tensor;

class Recorder {
 public:
  explicit Recorder(pir::Program* program);

  pir::Program* program() const { return program_; }
  pir::Builder& builder() { return builder_; }
  // The value of a tensor: recorded, a parameter, or an eager tensor captured as a program input.
  pir::Value ValueOf(const Tensor& t);
  // Eager tensors that became inputs, in order, with their values.
  struct Captured {
    Tensor tensor;
    pir::Value value;
    std::string name;
  };
  const std::vector<Captured>& captured() const { return captured_; }
  // Declares a program input.
  Tensor Data(const std::string& name, const phi::Meta& meta);
  Tensor Wrap(pir::Value v);

  void Record(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs, bool run);

 private:
  pir::Value AttrOperand(const phi::AttrValue& v);

  pir::Program* program_;
  pir::Builder builder_;
  std::vector<Captured> captured_;
  std::unordered_map<phi::TensorImpl*, size_t> captured_index_;
};

// Records (and in "both" mode runs) one op with the thread's recorder. Outs with a null destination are results nobody wants.
void RecordOp(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);

class RecordGuard {
 public:
  RecordGuard(Recorder* recorder, RecordMode mode) : old_(State()) {
    State().recorder = recorder;
    State().record = mode;
  }
  ~RecordGuard() { State() = old_; }
  RecordGuard(const RecordGuard&) = delete;

 private:
  DispatchState old_;
};

// Registers every OpDef as a pd_op with PIR; called once at start.
void RegisterPirOps();

pir::Attribute ToPirAttribute(const phi::AttrValue& v);

}  // namespace egr
