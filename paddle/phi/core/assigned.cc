// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/assigned.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace phi {
namespace {

// The writes of a storage: how many were assignments, and the last of them that follow one another.
struct Assigned {
  uint32_t count = 0, before = 0, last = 0;  // versions before + 1 to last
};

// Of storages that live: few others are ever looked for, and none before the first assignment.
struct Table {
  std::mutex lock;
  std::unordered_map<uint64_t, Assigned> rows;
  std::atomic<bool> used{false};
};
Table& TableOf() {
  static Table* table = new Table;  // storages may outlive what ends with the process
  return *table;
}

Assigned Find(const Storage& s) {
  Table& table = TableOf();
  if (!table.used.load(std::memory_order_relaxed)) return {};
  const std::lock_guard guard(table.lock);
  const auto row = table.rows.find(s.id());
  return row == table.rows.end() ? Assigned{} : row->second;
}

}  // namespace

void NoteAssigned(Storage& s) {
  Table& table = TableOf();
  const std::lock_guard guard(table.lock);
  table.used.store(true, std::memory_order_relaxed);
  Assigned& row = table.rows[s.id()];
  if (row.count == 0 || row.last != s.version()) row.before = s.version();
  s.BumpVersion();
  row.last = s.version();
  ++row.count;
}

uint32_t AssignedTo(const Storage& s) { return Find(s).count; }

bool OnlyAssignedSince(const Storage& s, uint32_t version) {
  const Assigned row = Find(s);
  return row.count != 0 && row.last == s.version() && row.last - version <= row.last - row.before;
}

void ForgetAssigned(uint64_t id) {
  Table& table = TableOf();
  if (!table.used.load(std::memory_order_relaxed)) return;
  const std::lock_guard guard(table.lock);
  table.rows.erase(id);
}

}  // namespace phi
