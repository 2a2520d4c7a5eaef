// SPDX-License-Identifier: Apache-2.0
#include "paddle/distributed/transport/agreement.h"

#include <sstream>

#include "paddle/common/error.h"

namespace paddle::distributed {

Entry EntryOf(const Collective& c, uint64_t number) {
  uint64_t bytes = 0;
  for (const Message& m : c.in) bytes += m.bytes();
  return {number, bytes, c.kind, c.dtype, c.op, HasRoot(c.kind) ? c.root : 0};
}

namespace {

std::string Rank(int r, const std::vector<int>& names) {
  return "rank " + std::to_string(names[static_cast<size_t>(r)]);
}

std::string Described(int r, const Entry& e, const std::vector<int>& names) {
  std::ostringstream os;
  os << NameOf(e.kind);
  if (e.kind != CollectiveKind::kBarrier) os << " of " << e.bytes << " bytes of " << phi::NameOf(e.dtype);
  if (IsReduction(e.kind)) os << " by " << NameOf(e.op);
  if (HasRoot(e.kind) && e.root >= 0 && e.root < static_cast<int>(names.size()))
    os << " with root " << names[static_cast<size_t>(e.root)];
  os << " on " << Rank(r, names);
  return os.str();
}

}  // namespace

void RaiseDifferent(const Entry& mine, int me, const Entry& other, int rank, const std::vector<int>& names) {
  PD_THROW(InvalidArgument, "[", NameOf(mine.kind), "] expected the same call on all ranks, got ",
           Described(me, mine, names), " and ", Described(rank, other, names));
}

void RaiseSizes(CollectiveKind kind, uint64_t offered, uint64_t expected, int from, int to,
                const std::vector<int>& names) {
  PD_THROW(InvalidArgument, "[", NameOf(kind), "] expected ", expected, " bytes from ", Rank(from, names), " on ",
           Rank(to, names), ", got ", offered);
}

}  // namespace paddle::distributed
