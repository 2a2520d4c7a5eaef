// SPDX-License-Identifier: Apache-2.0
// Writes in place of functions that make a new tensor. The form of `op` that writes x is
//   Tensor old = BeforeWrite(x, "op_", saved);
//   WriteOver(x, old, op(old, ...), "op_", saved);
// Everything an in-place form owes its tensor is here: the refusal of leaves that need gradients, the memory, its
// version, the history of x and of the tensor it is a view of, and the recorded value.
#pragma once

#include <initializer_list>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/phi/infer/strides.h"

namespace egr {

using phi::MayOverlap;
using phi::Reach;
using phi::ReachOf;

// Raises where x is to be written and two of its positions can be one element (MayOverlap): no order of writes is
// given.
void RequireApartStrided(const Tensor& x, const char* op);
inline void RequireApart(const Tensor& x, const char* op) {
  if (__builtin_expect(x.defined() && !x.is_contiguous(), 0)) RequireApartStrided(x, op);
}
// Raises where two tensors that `op` writes share memory, where a position of one shares it with another position, or
// where it shares memory with a tensor that is read; an op that computes `by_element` may read what it writes.
void RequireApart(const char* op, std::initializer_list<const Tensor*> written,
                  std::initializer_list<const Tensor*> read, bool by_element);
// The places offset + sum of index * stride, as an int64 tensor of shape `dims`.
Tensor StridedPlaces(const phi::Ints& dims, const phi::Ints& strides, int64_t offset);
// Whether x shows the memory of another tensor, whose history follows writes to x.
bool IsView(const Tensor& x);
// How often the values x shows were written, also where it has taken other memory meanwhile.
inline uint32_t VersionOf(const Tensor& x) {
  return x->storage() ? x->storage()->version() + (x->meta ? static_cast<AutogradMeta&>(*x->meta).replaced : 0) : 0;
}

// x keeps its memory and is the result of a write of values without a history: what x was has a gradient of 0.
void CutHistory(const Tensor& x);
// Whether CutHistory was the last to change the history of x.
bool IsCut(const Tensor& x);

// x as it is, with its history, to compute from. Raises where x cannot be written. `saved`: a node that is made
// meanwhile may keep the result's values for its gradient; what it keeps stays as it is when x is written.
Tensor BeforeWrite(Tensor& x, const char* op, bool saved);
// x holds the values, the dtype and the history of `result`, computed from what BeforeWrite gave. Shapes must agree;
// the memory of x is written, and is new where another dtype or `saved` needs that. A view keeps its dtype. `handles`:
// how many handles of `result` the caller holds.
void WriteOver(Tensor& x, const Tensor& old, const Tensor& result, const char* op, bool saved, uint32_t handles = 1);
// x is what `result` is: `out=` and the like, for which a leaf may be given; a view of a leaf that needs gradients
// takes values without a history only. Shape and dtype may change; where they do not, the memory of x is written.
void Assume(Tensor& x, const Tensor& result);
// x is seen as `result` shows it: the same elements in another shape, or a copy of them where no strides can say it.
void ShowAs(Tensor& x, const Tensor& result);

// `result` of an op that may have made a view, for functions that promise memory of its own: a copy with its history
// where it shows the memory of `x`. While recording, the result of the program is copied where it leaves it.
Tensor Apart(const Tensor& result, const Tensor& x);

}  // namespace egr
