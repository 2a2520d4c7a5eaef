// SPDX-License-Identifier: Apache-2.0
// Replaces operations by what the decompositions of their stanzas build.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/pir/pass/pass.h"

namespace egr {

// Those of the names, with or without dialect; of no names: all that have a decomposition. An operation that writes in
// place, or an argument of which is known only at a run, stays.
std::unique_ptr<pir::Pass> CreateDecomposition(std::vector<std::string> names = {});

}  // namespace egr
