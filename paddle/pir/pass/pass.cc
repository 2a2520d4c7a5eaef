// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/pass.h"

#include <map>
#include <mutex>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::function<std::unique_ptr<Pass>()>, std::less<>> passes;
};

Registry& Passes() {
  static Registry* r = [] {
    auto* p = new Registry;
    p->passes["dead_code_elimination_pass"] = CreateDeadCodeElimination;
    p->passes["common_subexpression_elimination_pass"] = [] { return CreateCommonSubexpressionElimination(); };
    p->passes["identity_op_clean_pass"] = [] { return CreateIdentityClean(); };
    p->passes["constant_branch_pass"] = CreateConstantBranch;
    p->passes["layer_norm_fuse_pass"] = CreateLayerNormFusion;
    p->passes["rms_norm_fuse_pass"] = CreateRmsNormFusion;
    p->passes["add_norm_fuse_pass"] = CreateAddNormFusion;
    p->passes["attention_fuse_pass"] = CreateAttentionFusion;
    p->passes["conv2d_bn_fuse_pass"] = CreateConvBatchNorm;
    p->passes["conv2d_add_act_fuse_pass"] = CreateConvAddAct;
    p->passes["matmul_add_act_fuse_pass"] = CreateMatmulAddAct;
    p->passes["transfer_layout_pass"] = CreateTransferLayout;
    p->passes["blocked_layout_pass"] = CreateBlockedLayout;
    p->passes["constant_folding_pass"] = [] { return CreateConstantFolding({}); };
    return p;
  }();
  return *r;
}

}  // namespace

void RegisterPass(const std::string& name, std::function<std::unique_ptr<Pass>()> make) {
  Registry& r = Passes();
  std::lock_guard lock(r.mutex);
  r.passes[name] = std::move(make);
}

std::unique_ptr<Pass> CreatePass(std::string_view name) {
  Registry& r = Passes();
  std::unique_lock lock(r.mutex);
  auto it = r.passes.find(name);
  if (it == r.passes.end()) {
    std::string known;
    for (auto& [n, make] : r.passes) known += (known.empty() ? "" : ", ") + n;
    PD_THROW(NotFound, "[pass] expected one of ", known, ", got '", name, "'");
  }
  auto make = it->second;
  lock.unlock();
  return make();
}

bool HasPass(std::string_view name) {
  Registry& r = Passes();
  std::lock_guard lock(r.mutex);
  return r.passes.find(name) != r.passes.end();
}

bool PassManager::Run(Program& program) {
  bool any = false;
  for (auto& pass : passes_) {
    if (!pass->CanApplyOn(program)) continue;
    bool dump = options_.dump && (!options_.dump_filter || options_.dump_filter(pass->name()));
    std::string before = dump ? Print(program) : "";
    if (dump && !options_.dump_only_on_change) options_.dump(DumpAt::kBefore, pass->name(), before);
    bool changed = false;
    try {
      changed = pass->Run(program);
      if (changed && options_.verify_each) Verify(program);
    } catch (const common::Error& e) { throw common::Error(e.code(), "[" + pass->name() + "] " + e.what()); }
    if (dump && options_.dump_only_on_change && changed) options_.dump(DumpAt::kBefore, pass->name(), before);
    if (dump && (changed || !options_.dump_only_on_change)) options_.dump(DumpAt::kAfter, pass->name(), Print(program));
    any = any || changed;
  }
  return any;
}

}  // namespace pir
