// SPDX-License-Identifier: Apache-2.0
#include "paddle/eager/dispatch/unfilled.h"

#include "paddle/common/error.h"
#include "paddle/eager/autograd/grad_node.h"

namespace egr {

phi::TensorState Unfilled(const paddle::Tensor& like) {
  return phi::TensorState::Symbolic(like.extents(), like.dtype());
}

void RequireFilled(const paddle::Tensor& t, const char* op) {
  if (!IsUnfilled(t)) return;
  const AutogradMeta* m = MaybeMeta(t);
  PD_THROW(PreconditionNotMet, "[", op, "] expected a tensor with values, got parameter ",
           m && !m->name.empty() ? m->name : "without a name", " of shape ", common::ShapeText(t.dims()),
           ", which LazyGuard left without: call its initialize(), or load a state");
}

void FillFrom(const paddle::Tensor& t, const paddle::Tensor& from, const char* op) {
  RequireFilled(from, op);
  PD_CHECK(!from.is_symbolic() && from.is_dense(), InvalidType, "[", op,
           "] expected a dense tensor with data for a parameter without values, got one of another kind");
  PD_CHECK(State().record == RecordMode::kRun, PreconditionNotMet, "[", op,
           "] expected a parameter with values where a program is recorded, got one that LazyGuard left without");
  const paddle::Tensor values = phi::Empty(t.dims(), t.dtype(), from.place());
  phi::CopyInto(from, values);
  t->Become(values->state());
}

}  // namespace egr
