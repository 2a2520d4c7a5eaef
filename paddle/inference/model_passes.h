// SPDX-License-Identifier: Apache-2.0
// The passes a loaded program goes through before it is planned.
#pragma once

#include "paddle/inference/paddle_inference_api.h"
#include "paddle/pir/core/program.h"

namespace paddle_infer {

// The names in order, of passes that exist, after the deletions and additions of `config`.
std::vector<std::string> ModelPasses(const Config& config);
void OptimiseForInference(pir::Program& program, const Config& config);

}  // namespace paddle_infer
