// SPDX-License-Identifier: Apache-2.0
#include "paddle/inference/device_runs.h"

#include <algorithm>
#include <shared_mutex>

#include "paddle/common/logging.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/phi/core/tensor_copy.h"

namespace paddle_infer {
namespace {

constexpr size_t kMostSeen = 16;
constexpr int kRelaxed = 2;  // of C_StreamCaptureMode: the allocator asks for memory meanwhile

// Held by runs, and alone by a capture: it takes all that the device's stream is given.
std::shared_mutex g_runs;

paddle::Tensor CopyAt(const paddle::Tensor& x, phi::Place place) {
  return x.place() == place ? phi::CopyOf(x) : phi::ToPlace(x, place);
}

}  // namespace

size_t DeviceRuns::num_graphs() const {
  return static_cast<size_t>(
      std::count_if(seen_.begin(), seen_.end(), [](const Seen& s) { return s.graph != nullptr; }));
}

// The host's lock is kept, so that no other thread of the host language gives the device work that would be captured.
bool DeviceRuns::Capture(Seen& seen, const Tensors& inputs, const Program& program) {
  std::unique_lock<std::shared_mutex> alone(g_runs, std::try_to_lock);
  if (!alone) return false;  // the next run of these extents may
  try {
    for (const paddle::Tensor& x : inputs) seen.inputs.push_back(CopyAt(x, place_));
    const auto shares = std::find_if(seen_.begin(), seen_.end(), [](const Seen& s) { return s.graph != nullptr; });
    auto graph =
        std::make_unique<phi::DeviceGraph>(place_, shares == seen_.end() ? nullptr : shares->graph->pool(), kRelaxed);
    seen.outputs = program(seen.inputs, &seen.used);
    graph->End();
    seen.graph = std::move(graph);
    return true;
  } catch (const common::Error& e) { PD_VLOG(1) << "predictor: no graph: " << e.what(); }
  seen.refused = true;
  seen.inputs.clear();
  seen.outputs.clear();
  seen.used.reset();
  return false;
}

DeviceRuns::Tensors DeviceRuns::Run(const Tensors& inputs, const Program& program) {
  std::vector<common::Ints> extents;
  for (const paddle::Tensor& x : inputs) extents.push_back(x.dims());
  const bool captures = captures_ && !phi::CapturesGraph(place_);
  auto it = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& s) { return s.extents == extents; });
  const bool again = it != seen_.end();
  if (again) seen_.splice(seen_.begin(), seen_, it);
  const bool replays = captures && again && (it->graph || (!it->refused && Capture(*it, inputs, program)));

  const phi::WithoutHostLock unlocked;
  std::shared_lock<std::shared_mutex> with_others(g_runs);
  Tensors results;
  if (replays) {
    for (size_t i = 0; i < inputs.size(); ++i) phi::CopyInto(inputs[i], it->inputs[i]);
    it->graph->Launch();
    it->graph->CheckRun();
    for (const paddle::Tensor& x : it->outputs) results.push_back(x.place() == place_ ? phi::CopyOf(x) : x);
    return results;
  }
  Tensors there;
  for (const paddle::Tensor& x : inputs) there.push_back(phi::ToPlace(x, place_));
  std::shared_ptr<const void> used;
  results = program(there, &used);
  if (captures && !again) {  // it succeeded
    Seen& first = seen_.emplace_front();
    first.extents = std::move(extents);
    if (seen_.size() > kMostSeen) seen_.pop_back();
  }
  return results;
}

}  // namespace paddle_infer
