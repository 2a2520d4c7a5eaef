// SPDX-License-Identifier: Apache-2.0
#include "paddle/pir/pass/passes.h"

namespace pir {
namespace {

class DeadCodeElimination : public Pass {
 public:
  DeadCodeElimination() : Pass("dead_code_elimination_pass") {}
  bool Run(Program& program) override {
    bool changed = Clean(program.block());
    while (RemoveUnusedStacks(program.block())) {
      changed = true;
      Clean(program.block());
    }
    return changed;
  }

 private:
  // Last to first, so that one sweep also removes what only dead ops used.
  static bool Clean(Block& block) {
    bool changed = false;
    for (Operation* op = block.back(); op;) {
      Operation* prev = op->prev();
      if (op->use_empty() && IsRemovable(*op)) {
        op->Erase();
        changed = true;
      } else {
        for (int i = 0; i < op->num_regions(); ++i)
          for (auto& b : op->region(i).blocks()) changed = Clean(*b) || changed;
      }
      op = prev;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> CreateDeadCodeElimination() { return std::make_unique<DeadCodeElimination>(); }

}  // namespace pir
