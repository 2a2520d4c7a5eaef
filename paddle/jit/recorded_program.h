// SPDX-License-Identifier: Apache-2.0
// A program and the recorder that writes it.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/eager/dispatch/record.h"
#include "paddle/pir/core/program.h"

namespace paddle::jit {

// Tensors refer to the recorder by a token, so both may die before them.
class RecordedProgram {
 public:
  using Values = std::unordered_map<pir::Value, pir::Value>;

  explicit RecordedProgram(std::unique_ptr<pir::Program> program = std::make_unique<pir::Program>())
      : program_(std::move(program)), recorder_(program_.get()) {}
  RecordedProgram(const RecordedProgram&) = delete;

  pir::Program& program() { return *program_; }
  egr::Recorder& recorder() { return recorder_; }

  // Of a copy: also by the values of the programs it was made of.
  pir::Value ValueOf(const Tensor& t) {
    const pir::Value v = OfOrigin(t);
    return v ? v : recorder_.ValueOf(t);
  }
  // The same, of values inside branches and loops, too.
  pir::Value ValueAnywhere(const Tensor& t) {
    const pir::Value v = OfOrigin(t);
    return v ? v : recorder_.Knows(t) ? recorder_.Known(t) : recorder_.ValueOf(t);
  }
  // The value that became of that of a program which this one is a copy of; null for others.
  pir::Value OfOrigin(const Tensor& t) const {
    for (const Origin& origin : origins_) {
      auto from = origin.program.lock();
      if (!from || recorder_.Knows(t) || !from->recorder_.Knows(t)) continue;
      if (auto it = origin.values.find(from->recorder_.Known(t)); it != origin.values.end()) return it->second;
    }
    return {};
  }
  // Says what this program is a copy of, and which value of it each of those values became.
  void SetOrigin(const std::shared_ptr<RecordedProgram>& from, Values values) {
    for (const Origin& before : from->origins_) {
      Origin& origin = origins_.emplace_back(Origin{before.program, {}});
      for (auto& [old, v] : before.values)
        if (auto it = values.find(v); it != values.end()) origin.values[old] = it->second;
    }
    origins_.push_back({from, std::move(values)});
  }

 private:
  struct Origin {
    std::weak_ptr<RecordedProgram> program;
    Values values;
  };
  std::unique_ptr<pir::Program> program_;
  egr::Recorder recorder_;
  std::vector<Origin> origins_;
};

}  // namespace paddle::jit
