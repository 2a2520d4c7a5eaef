// SPDX-License-Identifier: Apache-2.0
// Ops on devices by kernels that the compiler makes of what they are defined by.
#pragma once

#include <functional>
#include <vector>

#include "paddle/phi/core/op_def.h"

namespace phi {

// Runs the op on the device `place`, where the results go; arguments may be elsewhere. False, with nothing done, where
// there is no generated kernel for it.
using GeneratedRun = bool (*)(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place);
// The compiler's, which lies above this layer; null: none.
extern GeneratedRun g_run_generated;

// Runs an op as the ops that it is made of, wherever its operands are, in the dtype of computation, where there is such
// a rule. Without `outs` nothing runs: the answer is whether there is one.
using ComposedRun = bool (*)(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs);
// That of the layer which has ops on tensors; null: none.
extern ComposedRun g_run_composed;
// The same with operands and results on `place`, and results of their dtypes. False, with nothing done, without a rule.
bool RunComposed(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs, Place place);
bool IsComposed(const OpDef& op);
// Hands `results` over, to memory that fits where there is some.
void DeliverResults(const std::vector<Tensor>& results, size_t n, OutSlot* outs);

// The primitives on a device (device_forms.h); null where it has none.
class DeviceForms;
using FormsOf = const DeviceForms* (*)(Place place);
extern FormsOf g_forms_of;

// That an op's own kernel runs on devices too, by primitives alone; made where its stanza says so. `first`: also where
// one could be generated.
struct DeviceStatement {
  explicit DeviceStatement(const OpDef& op, bool first = false);
};
bool RunsByPrimitives(const OpDef& op);
bool RunsByPrimitivesFirst(const OpDef& op);
// Runs what calls primitives alone on the device; false, with nothing written, where a form is not given.
bool RunByForms(Place place, const std::function<void()>& run);
// The same on the current device, for what makes tensors of none; false also where that is the CPU.
bool CreateByForms(const std::function<void()>& run);

}  // namespace phi
