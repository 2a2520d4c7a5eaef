// SPDX-License-Identifier: Apache-2.0
// Who sends what to whom when processes get other parts of a tensor than they have.
#pragma once

#include <optional>
#include <vector>

#include "paddle/distributed/mesh/process_mesh.h"
#include "paddle/distributed/transport/transport.h"

namespace paddle::distributed {

// A box of elements that two parts have: where it begins in the memory of each, and its extents.
struct Overlap {
  Ints a, b, extents;
  int64_t count() const;
};
// In one order for all who ask.
using Overlaps = std::vector<Overlap>;
Overlaps OverlapsOf(const Part& a, const Part& b);
int64_t CountOf(const Overlaps& boxes);
int64_t CountOf(const Part& part);
Ints ExtentsOf(const Part& part);
// The elements of `part` that `local`, which is `whole`, has: a view where they lie in one box there.
Tensor CutFrom(const Tensor& local, const Part& whole, const Part& part);

Message MessageOf(const Tensor& t);

// The processes along these axes of the mesh through the one at `index`, in the mesh's order.
std::vector<int> RanksAlong(const ProcessMesh& mesh, int index, const std::vector<bool>& axes);

struct Exchange {
  std::vector<int> ranks;               // those that take part, this one among them
  std::vector<Overlaps> send, receive;  // `a` is the sender's
  bool local = true;                    // no rank receives anything
  std::optional<double> others;         // the elements of the result that none sends; unset: all are sent
  bool adds = false;                    // elements that several send are added
};

// What the processes of one mesh have, and which of those that have the same sends it to a process.
struct Side {
  const ProcessMesh& mesh;
  const Placements& placements;

  Part PartOfRank(const Ints& dims, int rank) const;
  // Along axes that become partial, an element goes to one process: the one at the place of a process that has it.
  bool Sends(int rank, int receiver, const std::vector<bool>& fresh) const;
};

// `from` holds no partial axes that `to` does not hold; those that only `to` holds are sums or products.
Exchange PlanExchange(const Ints& dims, const Side& from, const Side& to, std::vector<int> ranks, int me);

enum class Means { kCollective, kMessages, kGradients };
// `local` undefined: this process has nothing; `wanted` is what it gets, unset for nothing. The result may be a view.
Tensor Run(const Exchange& plan, const Tensor& local, phi::DataType dtype, const Part& mine,
           const std::optional<Part>& wanted, int me, Means means = Means::kCollective);

}  // namespace paddle::distributed
