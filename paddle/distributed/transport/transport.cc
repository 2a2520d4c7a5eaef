// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed {

const char* NameOf(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kNone: return "nothing";
    case CollectiveKind::kBarrier: return "barrier";
    case CollectiveKind::kAllReduce: return "all_reduce";
    case CollectiveKind::kReduce: return "reduce";
    case CollectiveKind::kBroadcast: return "broadcast";
    case CollectiveKind::kAllGather: return "all_gather";
    case CollectiveKind::kGather: return "gather";
    case CollectiveKind::kScatter: return "scatter";
    case CollectiveKind::kReduceScatter: return "reduce_scatter";
    case CollectiveKind::kAllToAll: return "alltoall";
  }
  return "unknown";
}

}  // namespace paddle::distributed
