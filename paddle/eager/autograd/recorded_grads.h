// SPDX-License-Identifier: Apache-2.0
// While a function is recorded, a node asked again for the gradients of equal values gives those it gave before: what
// several gradients with create_graph have in common is recorded, and differentiated again, once.
#pragma once

#include <unordered_map>
#include <vector>

#include "paddle/eager/autograd/grad_node.h"

namespace egr {

class RecordedGrads {
 public:
  // Fills `in` when `n` has run for equal gradients and gave all that is needed now.
  bool Recall(GradNode* n, const Tensor* grads, Tensor* in);
  void Remember(GradNode* n, const Tensor* grads, const Tensor* in);
  // To be called when a node drops what it saved.
  void Clear() { runs_.clear(); }

 private:
  struct Run {
    Ref<GradNode> node;
    std::vector<Tensor> grads, in;
    std::vector<bool> needed;
  };
  std::unordered_map<GradNode*, std::vector<Run>> runs_;
};

// Where results of `n` may be used again: the thread records, outside of branches and loops, without AMP. Else null.
RecordedGrads* RecordedGradsFor(GradNode* n);
// The same value with a history node of its own, so that a hook on it sees its own gradient only.
Tensor WithOwnNode(const Tensor& t);

}  // namespace egr
