// SPDX-License-Identifier: Apache-2.0
// Views made while recording. Values have no memory to share: a write to a view records its base with the new values in
// their place, and the other views of that base anew.
#pragma once

#include <functional>
#include <vector>

#include "paddle/eager/dispatch/record.h"

namespace egr {

// A step along an axis of eager memory, in elements: factor * extent, where the extent is 1 or not known.
struct RecordedStride {
  int64_t factor = 1;
  common::Dim extent{1};

  RecordedStride operator*(common::Dim d) const {
    return d.known() ? RecordedStride{factor * d.raw(), extent}
                     : RecordedStride{factor, common::IsOne(extent) ? d : extent * d};
  }
  RecordedStride operator*(int64_t n) const { return {factor * n, extent}; }
  bool operator==(const RecordedStride& o) const { return factor == o.factor && common::SameDim(extent, o.extent); }
};
using RecordedStrides = std::vector<RecordedStride>;

// What a view knows, kept by its AutogradMeta.
struct RecordedView {
  Tensor base;
  phi::TensorImpl* self;
  RecordedStrides strides;  // of the elements, as an eager view would have them: they tell which reshape is a view
  std::function<Tensor(const Tensor& base)> derive;
  std::function<Tensor(const Tensor& base, const Tensor& value)> scatter;  // empty: it cannot be written

  bool detached = false;  // writes leave the base's history as it is

  RecordedView(const Tensor& view, const Tensor& base, RecordedStrides strides);
  ~RecordedView();
  RecordedView(const RecordedView&) = delete;
};

// Notes that the results of an op are views, where eager results would share the operand's memory.
void MarkRecordedViews(const phi::OpDef& op, const phi::InSlot* in, const phi::AttrValue* attrs, phi::OutSlot* outs);
// Notes that `view` is what detach() gives for `base`.
void MarkRecordedDetach(const Tensor& view, const Tensor& base);
// Whether the memory of a recorded tensor belongs to a result of egr::Apart, or to a tensor that the function made.
bool IsApart(const Tensor& t, const Recorder& recorder);
// x is seen as `show` shows it (a reshape or the like): its base and its views stay what they are to it.
void ShowRecordedAs(Tensor& x, const std::function<Tensor(const Tensor&)>& show);
// Raises where values without a history are given to a view of an input that needs a gradient: a leaf would take them
// as its own, another tensor as constants, and the program does not know which one it is given.
void BeforeRecordedValues(const Tensor& t, const Recorder& recorder);
// Raises where a write to `t` would change a leaf that needs a gradient through a view.
void BeforeRecordedWrite(const Tensor& t);
// `value` as `t` is to take it: where `t` is a view or has views and extents tell only when the program runs whether
// shapes agree, they have to, so that the base and its views get theirs.
Tensor FittedToViews(const Tensor& t, const Tensor& value);
// `t`, of shape `before` until then, has been given another value: its base and all other views of that get theirs.
// With another shape it is no view any more.
void AfterRecordedWrite(const Tensor& t, const common::Dims& before);

}  // namespace egr
