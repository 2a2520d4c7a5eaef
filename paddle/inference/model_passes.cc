// SPDX-License-Identifier: Apache-2.0
#include "paddle/inference/model_passes.h"

#include <algorithm>
#include <iostream>

#include "paddle/common/error.h"
#include "paddle/phi/primitives/isa.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pir/pass/pipeline.h"

namespace paddle_infer {
namespace {

std::unique_ptr<pir::Pass> Make(const std::string& name) {
  if (name != "constant_folding_pass") return pir::CreatePass(name);
  pir::ConstantFoldingOptions options;
  options.fold_parameters = true;
  return pir::CreateConstantFolding(std::move(options));
}

}  // namespace

std::vector<std::string> ModelPasses(const Config& config) {
  std::vector<std::string> names = config.custom_passes();
  if (!config.custom_passes_only() && config.ir_optim())
    for (std::string& name : pir::Pipeline(pir::PipelineFor::kInference, config.optimization_level()))
      names.push_back(std::move(name));
  std::erase_if(names, [&](const std::string& n) {
    if (n == "blocked_layout_pass" && (config.use_gpu() || !phi::HasAvx512())) return true;
    // The compiler joins more to both.
    if (config.cinn_enabled() && n == "add_norm_fuse_pass") return true;
    const auto& gone = config.deleted_passes();
    return std::find(gone.begin(), gone.end(), n) != gone.end();
  });
  return names;
}

void OptimiseForInference(pir::Program& program, const Config& config) {
  pir::PassOptions options;
  if (config.ir_debug()) {
    options.dump_only_on_change = config.ir_debug_passes().empty();
    options.dump = [](pir::DumpAt at, const std::string& pass, const std::string& text) {
      std::cerr << "--- " << (at == pir::DumpAt::kBefore ? "before " : "after ") << pass << "\n" << text << "\n";
    };
    options.dump_filter = [passes = config.ir_debug_passes()](const std::string& name) {
      return passes.empty() || std::find(passes.begin(), passes.end(), name) != passes.end();
    };
  }
  pir::PassManager manager(options);
  for (const std::string& name : ModelPasses(config)) manager.Add(Make(name));
  manager.Run(program);
  for (pir::Operation* op = program.block().front(); op;) {
    pir::Operation* next = op->next();
    if (op->isa("builtin.parameter") && op->use_empty()) {
      program.erase_parameter(op->attr("parameter_name").to_str());
      op->Erase();
    }
    op = next;
  }
}

}  // namespace paddle_infer
