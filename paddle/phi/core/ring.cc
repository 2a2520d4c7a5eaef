// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/ring.h"

#include <map>
#include <mutex>

#include "paddle/common/error.h"

namespace phi {
namespace {

struct Rings {
  std::mutex mutex;
  std::map<int64_t, std::shared_ptr<Ring>> by_id;
};
Rings& TheRings() {
  static auto* rings = new Rings;
  return *rings;
}

}  // namespace

void ServeRing(int64_t id, std::shared_ptr<Ring> ring) {
  Rings& rings = TheRings();
  std::lock_guard lock(rings.mutex);
  if (ring)
    rings.by_id[id].swap(ring);
  else
    rings.by_id.erase(id);
}

std::shared_ptr<Ring> RingOf(const char* op, int64_t id) {
  Rings& rings = TheRings();
  std::lock_guard lock(rings.mutex);
  const auto found = rings.by_id.find(id);
  PD_CHECK(found != rings.by_id.end(), PreconditionNotMet, "[", op, "] expected a process group with the number ", id,
           ", got none: init_parallel_env() makes number 0, new_group() others");
  return found->second;
}

}  // namespace phi
