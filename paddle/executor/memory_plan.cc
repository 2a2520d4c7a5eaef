// SPDX-License-Identifier: Apache-2.0
// Places blocks of memory by their lifetimes: large ones first, each into the tightest gap among those alive with it.
#include <algorithm>
#include <numeric>

#include "paddle/executor/binding.h"

namespace executor {

size_t PlaceBlocks(std::vector<Block>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<size_t> placed;  // by offset
  size_t total = 0;
  for (size_t k : order) {
    Block& b = blocks[k];
    b.bytes = (std::max<size_t>(b.bytes, 1) + 63) / 64 * 64;
    size_t best = SIZE_MAX, gap = SIZE_MAX, end = 0;
    for (size_t p : placed) {
      const Block& o = blocks[p];
      if (o.to < b.from || b.to < o.from) continue;
      if (o.offset >= end + b.bytes && o.offset - end < gap) {
        gap = o.offset - end;
        best = end;
      }
      end = std::max(end, o.offset + o.bytes);
    }
    b.offset = best == SIZE_MAX ? end : best;
    total = std::max(total, b.offset + b.bytes);
    auto at = std::lower_bound(placed.begin(), placed.end(), b.offset,
                               [&](size_t p, size_t offset) { return blocks[p].offset < offset; });
    placed.insert(at, k);
  }
  return total;
}

size_t LiveBytes(const std::vector<Block>& blocks) {
  std::vector<std::pair<size_t, int64_t>> changes;
  for (const Block& b : blocks) {
    const auto bytes = static_cast<int64_t>((b.bytes + 63) / 64 * 64);
    changes.push_back({b.from, bytes});
    if (b.to != SIZE_MAX) changes.push_back({b.to + 1, -bytes});
  }
  std::sort(changes.begin(), changes.end());
  int64_t now = 0, most = 0;
  for (auto [time, change] : changes) most = std::max(most, now += change);
  return static_cast<size_t>(most);
}

}  // namespace executor
