// SPDX-License-Identifier: Apache-2.0
// Views made while recording. Values have no memory to share: a write to a view records its base with the new values in
// their place, and the other views of that base anew.
#pragma once

#include <functional>

#include "paddle/eager/dispatch/record.h"

namespace egr {

// What a view knows, kept by its AutogradMeta.
struct RecordedView {
  Tensor base;
  phi::TensorImpl* self;
  bool contiguous;  // whether the elements lie in row-major order, so that a reshape of the view is a view
  std::function<Tensor(const Tensor& base)> derive;
  std::function<Tensor(const Tensor& base, const Tensor& value)> scatter;

  RecordedView(const Tensor& view, const Tensor& base, bool contiguous);
  ~RecordedView();
  RecordedView(const RecordedView&) = delete;
};

// Notes that the results of an op are views, where eager results would share the operand's memory.
void MarkRecordedViews(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);
// Raises where a write to `t` would change a leaf that needs a gradient through a view.
void BeforeRecordedWrite(const Tensor& t);
// `t`, of shape `before` until then, has been given another value: its base and all other views of that get theirs.
// With another shape it is no view any more.
void AfterRecordedWrite(const Tensor& t, const common::Dims& before);

}  // namespace egr
