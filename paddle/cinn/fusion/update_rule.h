// SPDX-License-Identifier: Apache-2.0
// A step of an optimizer as expressions: what generated code makes of the `update` of a stanza, for a kernel on a
// device that writes the parameter and its states where they are; where norms are read, for one of each phase between
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paddle/cinn/ir/body.h"
#include "paddle/cinn/ir/group.h"
#include "paddle/phi/core/device.h"

namespace cinn {

class UpdateRule;
using UpdateFn = void (*)(UpdateRule& rule);
// `numbers`: tensors that hold numbers of the whole update, not elements.
void RegisterUpdate(const char* op, UpdateFn fn, std::vector<const char*> numbers);

class UpdateRule {
 public:
  // Of a call; null where no such kernel is made for it. The following are for generated code.
  static std::shared_ptr<UpdateRule> Make(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs,
                                          phi::KernelText text);
  // Whether it did it. `in`: of a call alike.
  bool Run(const phi::OpDef& op, const phi::InSlot* in, phi::OutSlot* outs, phi::Place place) const;

  bool Flag(const char* attribute) const;
  double Number(const char* attribute) const;
  std::string Text(const char* attribute) const;
  // An element of a tensor before the update, in the type in which it is computed.
  Expr Element(const char* tensor);
  // Number k of a tensor before the update, in float64.
  Expr Held(const char* tensor, int k = 0);
  // A number in the type of elements.
  Expr Met(const Expr& number) const { return cast(number, type_); }
  // A number that is known, in the type of elements or in float64.
  Expr Constant(double v, bool element) const { return Expr::Float(v, element ? type_ : phi::DataType::FLOAT64); }
  // What is written; undefined: nothing. A step of that name which is no tensor is kept for later phases.
  void SetElement(const char* tensor, const Expr& value);
  void SetNumber(const char* tensor, const Expr& value);
  // What follows reads what was written before.
  void NextPhase() { phases_.emplace_back(); }
  // The root of the sum of squares of a tensor, or a step that was kept, at the beginning of this phase.
  Expr Norm(const char* tensor);

 private:
  // A slot below 0 is memory for the length of a run, RoomOf(slot).
  struct Input {
    int slot, element;
  };
  struct Room {
    std::string name;
    phi::DataType dtype;
    bool whole;  // as many elements as the parameter, or one
  };
  struct NormOf {
    int slot, to;
    std::shared_ptr<class GpuGroup> kernel;
  };
  struct Phase {
    std::vector<NormOf> norms;
    FusionGroup group;
    std::vector<int> to;  // slots
    std::shared_ptr<class GpuGroup> kernel;
  };
  UpdateRule(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs)
      : op_(&op), in_(in), attrs_(attrs) {}
  int SlotOf(std::string_view tensor) const;
  // That of an element, which is the master's where there is one, or of a step that was kept.
  int ElementSlot(std::string_view name) const;
  const phi::Tensor* TensorOf(int slot) const;
  const Room& RoomOf(int slot) const { return rooms_[static_cast<size_t>(-slot - 1)]; }
  int AddRoom(Room room);
  phi::DataType TypeOf(int slot) const;
  Expr Read(int slot, int element, bool whole);
  const phi::AttrValue& AttributeOf(const char* name) const;

  const phi::OpDef* op_;
  const phi::InSlot* in_;  // while it is made
  const phi::AttrValue* attrs_;
  phi::DataType type_ = phi::DataType::FLOAT32;
  phi::KernelText text_ = phi::KernelText::kNone;
  std::vector<Phase> phases_{1};
  FusionGroup numbers_;
  std::vector<Input> inputs_;  // of all groups
  std::vector<GroupInput> kinds_;
  std::vector<Room> rooms_;
  std::vector<int> numbers_to_;  // slots
  std::shared_ptr<class GpuGroup> number_kernel_;
};

}  // namespace cinn
