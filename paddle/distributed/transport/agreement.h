// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other before a collective, and whether it fits together.
#pragma once

#include <cstdint>
#include <vector>

#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed {

// What a rank says of the collective it has entered.
struct Entry {
  uint64_t number;  // collectives of this group before it
  uint64_t bytes;   // in all
  CollectiveKind kind;
  phi::DataType dtype;
  ReduceOp op;
  int32_t root;
};

inline bool IsAddressed(CollectiveKind k) {
  return k == CollectiveKind::kScatter || k == CollectiveKind::kReduceScatter || k == CollectiveKind::kAllToAll;
}
inline bool IsReduction(CollectiveKind k) {
  return k == CollectiveKind::kAllReduce || k == CollectiveKind::kReduce || k == CollectiveKind::kReduceScatter;
}
inline bool HasRoot(CollectiveKind k) {
  return k == CollectiveKind::kReduce || k == CollectiveKind::kBroadcast || k == CollectiveKind::kGather ||
         k == CollectiveKind::kScatter;
}
// Whether sizes are agreed on for each pair of ranks.
inline bool HasSizes(CollectiveKind k) {
  return k != CollectiveKind::kBarrier && k != CollectiveKind::kAllReduce && k != CollectiveKind::kReduce;
}

Entry EntryOf(const Collective& c, uint64_t number);

// Calls f(rank, bytes that `me` has for it, bytes that `me` expects of it) for each of n ranks.
template <class F>
void EachSize(const Collective& c, int n, int me, F&& f) {
  const bool from_root = c.kind == CollectiveKind::kBroadcast || c.kind == CollectiveKind::kScatter;
  const bool to_root = c.kind == CollectiveKind::kGather;
  for (int r = 0; r < n; ++r) {
    const auto i = static_cast<size_t>(r);
    const bool gives = !(from_root && me != c.root) && !(to_root && r != c.root);
    const bool takes = !(from_root && r != c.root) && !(to_root && me != c.root);
    // The root of a broadcast keeps what it has.
    const bool keeps = takes && c.out.empty();
    const bool one = from_root || c.kind == CollectiveKind::kReduceScatter;
    f(r, gives ? (IsAddressed(c.kind) ? c.in[i] : c.in[0]).bytes() : 0,
      keeps   ? c.in[0].bytes()
      : takes ? c.out[one ? 0 : i].bytes()
              : 0);
  }
}

inline bool Same(const Entry& a, const Entry& b) {
  return a.number == b.number && a.kind == b.kind && a.dtype == b.dtype && a.root == b.root &&
         (!IsReduction(a.kind) || (a.op == b.op && a.bytes == b.bytes));
}

// Raise InvalidArgument. `names` are the ranks as users know them.
[[noreturn]] void RaiseDifferent(const Entry& mine, int me, const Entry& other, int rank,
                                 const std::vector<int>& names);
[[noreturn]] void RaiseSizes(CollectiveKind kind, uint64_t offered, uint64_t expected, int from, int to,
                             const std::vector<int>& names);

}  // namespace paddle::distributed
