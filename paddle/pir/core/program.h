// SPDX-License-Identifier: Apache-2.0
// A program: a module op with one region of one block, and the parameters it names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "paddle/pir/core/block.h"

namespace pir {

class IrMapping;

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Operation* module() const { return module_; }
  Block& block() const { return module_->region(0).front(); }
  size_t num_ops() const { return block().size(); }

  // Unique in the process.
  uint64_t id() const { return id_; }
  // Grows with every structural or attribute change: a plan made at one epoch is valid while it stays the same.
  uint64_t epoch() const { return epoch_; }
  void Touch() { ++epoch_; }

  // Opaque here; the phi layer stores tensors. A missing name gives nullptr.
  using Parameters = std::unordered_map<std::string, std::shared_ptr<void>>;
  const Parameters& parameters() const { return parameters_; }
  std::shared_ptr<void> parameter(const std::string& name) const;
  void set_parameter(const std::string& name, std::shared_ptr<void> value) { parameters_[name] = std::move(value); }
  bool erase_parameter(const std::string& name) { return parameters_.erase(name) != 0; }

  // A deep copy that shares the parameters; `mapping` receives old value -> new value for all values.
  std::unique_ptr<Program> Clone(IrMapping& mapping) const;
  std::unique_ptr<Program> Clone() const;

 private:
  Operation* module_;
  uint64_t id_;
  uint64_t epoch_ = 0;
  Parameters parameters_;
};

}  // namespace pir
