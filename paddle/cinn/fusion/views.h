// SPDX-License-Identifier: Apache-2.0
// Operations that only choose elements of a tensor, as index rules: kernels read through them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "paddle/cinn/fusion/attr_reader.h"
#include "paddle/common/op_traits.h"

namespace cinn {

// The index along one dim of a tensor: start + step * (position along `axis`), just start when axis is -1. Unless it is
// a `part` of the dim, the extents are equal (axis -1: the extent is 1).
struct ViewDim {
  int axis = -1;
  int64_t start = 0, step = 1;
  bool part = false;

  ViewDim(int axis = -1) : axis(axis) {}  // NOLINT: a dim read as a whole is written as its axis
  ViewDim(int axis, int64_t start, int64_t step) : axis(axis), start(start), step(step), part(true) {}
  bool operator==(const ViewDim&) const = default;
};

// `dims` has one entry per dim of base; their axes are dims of the view. Dims of the view that none names are
// broadcast.
struct ViewFacts {
  pir::Value base;
  std::vector<ViewDim> dims;
};

// All dims of a tensor, each read as a whole.
std::vector<ViewDim> Whole(int64_t rank);

// What v is a view of, one operation back; nothing when its operation computes, or when positions are only known at a
// run.
std::optional<ViewFacts> ViewOf(pir::Value v);
// How the operation places elements, by its stanza.
common::Movement MovementOf(const pir::Operation& op);
// Whether the operation makes views only (builtin.split counts as one: its results are looked at one by one).
bool MakesViews(const pir::Operation& op);

// Elements of dims `from` in the order of dims `to`, which differ in axes of extent 1 only.
bool MapByExtent(const common::Dims& from, const common::Dims& to, std::vector<ViewDim>& map);
std::optional<std::vector<int>> Permutation(const pir::Operation& op, int64_t rank);

// How much pad and pad3d (or their gradients) add to each dim of their input; false unless a known constant is added.
bool PadAmounts(const pir::Operation& op, int64_t rank, std::vector<int64_t>& before, std::vector<int64_t>& after);

// Where the results of slice and strided_slice lie in a tensor of dims `base`: one entry per dim of it. The same
// for their gradient operations. Nothing when that is known only at a run.
std::optional<std::vector<ViewDim>> SlicePlace(const pir::Operation& op, const common::Dims& base);

}  // namespace cinn
