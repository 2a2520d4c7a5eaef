// SPDX-License-Identifier: Apache-2.0
// The runs of one predictor on a device.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "paddle/phi/core/device.h"

namespace paddle_infer {

// Runs on inputs of the extents of an earlier one are captured as a graph, and are one call from then on. Where a graph
// is not possible (an operation without a kernel, a branch), they run as the first one did.
class DeviceRuns {
 public:
  using Tensors = std::vector<paddle::Tensor>;
  // Results of inputs; `used` is what the work reads beside them.
  using Program = std::function<Tensors(const Tensors& inputs, std::shared_ptr<const void>* used)>;

  DeviceRuns(phi::Place place, bool captures) : place_(place), captures_(captures) {}
  // `results` have memory of their own. Not for several threads at once.
  Tensors Run(const Tensors& inputs, const Program& program);
  void Clear() { seen_.clear(); }
  size_t num_graphs() const;

 private:
  struct Seen {
    std::vector<common::Ints> extents;  // of the inputs
    bool refused = false;
    std::unique_ptr<phi::DeviceGraph> graph;
    std::shared_ptr<const void> used;
    Tensors inputs, outputs;  // that the graph reads and writes
  };

  bool Capture(Seen& seen, const Tensors& inputs, const Program& program);

  const phi::Place place_;
  const bool captures_;
  std::list<Seen> seen_;  // the last used ones in front
};

}  // namespace paddle_infer
