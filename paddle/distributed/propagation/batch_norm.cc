// SPDX-License-Identifier: Apache-2.0
// Batch normalization of divided tensors: it is made of operations that are divided, so no process has the whole and
// statistics are those of the whole.
#include <string>
#include <tuple>

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/reshard/reshard.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/autograd/inplace.h"
#include "paddle/eager/compose/decomposer.h"
#include "paddle/eager/dispatch/dist_call.h"
#include "paddle/phi/api/ops.h"

namespace paddle {
namespace {

using Results = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor>;
constexpr const char* kName = "batch_norm_";

bool IsDivided(const Tensor& x) {
  if (!x.is_dist()) return false;
  bool divided = false;
  for (const distributed::Placement& p : distributed::StateOf(x).placements) {
    if (p.partial()) return false;
    divided = divided || p.shards();
  }
  return divided;
}

// `x` keeps its placements and has no history of `value`.
void Write(Tensor x, const Tensor& value) {
  const egr::GradModeGuard off(false);
  const Tensor fits = cast(value, x.dtype());
  if (x.is_dist()) {
    egr::DistWrite(x, kName, [&](const Tensor&) { return fits; });
    return;
  }
  const distributed::DistState& state = distributed::StateOf(fits);
  const distributed::Placements whole(state.placements.size());
  const Tensor local = phi::LocalOf(distributed::Reshard(fits, state.mesh, whole));
  const Tensor old = egr::BeforeWrite(x, kName, false);
  egr::WriteOver(x, old, local, kName, false);
}

}  // namespace

Results batch_norm_of_parts(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& scale,
                            const Tensor& bias, bool is_test, double momentum, double epsilon,
                            const std::string& data_format, bool use_global_stats, bool trainable_statistics) {
  const phi::OpDef& op = *phi::FindOpDef(kName);
  const phi::InSlot slots[] = {phi::InSlot(x), phi::InSlot(mean), phi::InSlot(variance), phi::InSlot(scale),
                               phi::InSlot(bias)};
  const phi::AttrValue attrs[] = {is_test, momentum, epsilon, data_format, use_global_stats, trainable_statistics};
  if (!IsDivided(x)) {
    egr::DistCall call(op, "", slots, attrs);
    if (!call.here()) return call.Absent<Results>();
    return call.Wrap(batch_norm_(call[0], call[1], call[2], call[3], call[4], is_test, momentum, epsilon, data_format,
                                 use_global_stats, trainable_statistics));
  }
  Tensor out, mean_out, variance_out, saved_mean, saved_variance;
  phi::OutSlot results[] = {phi::OutSlot(out), phi::OutSlot(mean_out), phi::OutSlot(variance_out),
                            phi::OutSlot(saved_mean), phi::OutSlot(saved_variance)};
  const bool given = use_global_stats || (is_test && !trainable_statistics);
  phi::InSlot operands[] = {slots[0], slots[1], slots[2], slots[3], slots[4]};
  for (int k : {3, 4})
    if (!(k == 3 ? scale : bias).defined()) operands[k].n = 0;
  FindDecomposition(kName)(operands, attrs, results);
  if (!given) {
    Write(mean, mean_out);
    Write(variance, variance_out);
  }
  return {cast(out, x.dtype()), mean, variance, phi::AliasOf(saved_mean), phi::AliasOf(saved_variance), Tensor()};
}

}  // namespace paddle
