// SPDX-License-Identifier: Apache-2.0
#include "paddle/common/source_line.h"

#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace common {
namespace {

constexpr size_t kMostLines = size_t{1} << 14;  // programs that make files of code without end have no more of them

struct Table {
  std::mutex mutex;
  std::deque<SourceLine> lines;  // number k + 2
  std::unordered_map<std::string, std::unordered_map<int, SourceId>> ids;
};
Table& Lines() {
  static auto* table = new Table;
  return *table;
}

std::string WithLines(const Error& error, const std::vector<SourceLine>& lines) {
  std::string text = error.what();
  for (const SourceLine& l : lines) text += "\n  called at File \"" + l.file + "\", line " + std::to_string(l.line);
  return text;
}

}  // namespace

SourceId NoteSource(std::string_view file, int line) {
  Table& t = Lines();
  std::lock_guard<std::mutex> lock(t.mutex);
  const auto known = t.ids.find(std::string(file));
  if (known != t.ids.end())
    if (const auto at = known->second.find(line); at != known->second.end()) return at->second;
  if (t.lines.size() >= kMostLines) return kNoSource;
  t.lines.push_back({std::string(file), line});
  return t.ids[t.lines.back().file][line] = static_cast<SourceId>(t.lines.size() + 1);
}

const SourceLine* FindSource(SourceId id) {
  if (id <= kNoSource) return nullptr;
  Table& t = Lines();
  std::lock_guard<std::mutex> lock(t.mutex);
  return id - 2 < t.lines.size() ? &t.lines[id - 2] : nullptr;
}

LocatedError::LocatedError(const Error& error, std::vector<SourceLine> lines)
    : Error(error.code(), WithLines(error, lines)), lines_(std::move(lines)) {}

void RethrowAt(const SourceId* sources, size_t n) {
  std::vector<SourceLine> lines;
  for (size_t i = 0; i < n; ++i)
    if (const SourceLine* l = FindSource(sources[i])) lines.push_back(*l);
  if (lines.empty()) throw;
  try {
    throw;
  } catch (const LocatedError&) { throw; } catch (const Error& e) {
    throw LocatedError(e, std::move(lines));
  }
}

}  // namespace common
