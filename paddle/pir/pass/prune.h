// SPDX-License-Identifier: Apache-2.0
// The part of a program that some results need, as a new program: what exporting for inference starts from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "paddle/pir/core/clone.h"
#include "paddle/pir/core/program.h"

namespace pir {

struct PruneOptions {
  // Names of inputs that replace values: a feed that is no pd_op.data result becomes pd_op.data of the name at its
  // place.
  std::vector<std::string> feed_names;
  // Appends pd_op.fetch "fetch_name_<i>" with col i for each result.
  bool add_fetch = true;
};

// Copies the ops that `fetches` depend on, down to `feeds`; all must be values of the program's top block. Ops that
// write into a needed value before a needed use come along; others with effects do not. Parameters keep only what is
// named. Throws InvalidArgument for a value of another program.
std::unique_ptr<Program> Prune(const Program& program, std::span<const Value> feeds, std::span<const Value> fetches,
                               const PruneOptions& options = {}, IrMapping* mapping = nullptr);

}  // namespace pir
