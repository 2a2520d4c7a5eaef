// SPDX-License-Identifier: Apache-2.0
// Passes over programs, their registry, and the manager that runs, times, verifies and dumps them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/pir/core/program.h"

namespace pir {

class Pass {
 public:
  explicit Pass(std::string name) : name_(std::move(name)) {}
  virtual ~Pass() = default;
  const std::string& name() const { return name_; }
  // Whether it may change this program at all; false skips it.
  virtual bool CanApplyOn(const Program&) const { return true; }
  // Returns whether the program changed.
  virtual bool Run(Program& program) = 0;

 private:
  std::string name_;
};

// Later registrations of a name replace earlier ones. Thread-safe.
void RegisterPass(const std::string& name, std::function<std::unique_ptr<Pass>()> make);
// Throws NotFound for an unknown name, listing the known ones.
std::unique_ptr<Pass> CreatePass(std::string_view name);
bool HasPass(std::string_view name);

enum class DumpAt : uint8_t { kBefore, kAfter };

struct PassOptions {
  bool verify_each = false;  // Verify() behind every pass that changed something
  // Receives the printed program before and after each pass that `dump_filter` (empty: every pass) lets through.
  std::function<void(DumpAt, const std::string& pass, const std::string& text)> dump;
  std::function<bool(const std::string& pass)> dump_filter;
  bool dump_only_on_change = false;
};

class PassManager {
 public:
  explicit PassManager(PassOptions options = {}) : options_(std::move(options)) {}

  void Add(std::unique_ptr<Pass> pass) { passes_.push_back(std::move(pass)); }
  void Add(std::string_view name) { Add(CreatePass(name)); }
  const std::vector<std::unique_ptr<Pass>>& passes() const { return passes_; }
  // Runs all once, in order; returns whether the program changed. An error names the pass.
  bool Run(Program& program);

 private:
  PassOptions options_;
  std::vector<std::unique_ptr<Pass>> passes_;
};

}  // namespace pir
