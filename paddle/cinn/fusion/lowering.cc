// SPDX-License-Identifier: Apache-2.0
// The tables of lowerings, which generated code fills.
#include "paddle/cinn/fusion/lowering.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "paddle/common/op_traits.h"

namespace cinn {
namespace {

// Its stanza keeps it out of groups.
bool StaysAlone(std::string_view op) { return common::TraitsOf(op).not_fused; }

struct Table {
  std::mutex mutex;
  std::map<std::string, Lowering, std::less<>> rows;
  std::map<std::string, ComplexLowering, std::less<>> complex;
  std::map<std::string, std::vector<GradLowering>, std::less<>> gradients;
};

Table& TheTable() {
  static Table* table = new Table();
  return *table;
}

}  // namespace

void RegisterLowering(const char* op, LowerFn fn, int nin) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.rows.emplace(common::BareName(op), Lowering{fn, nin, common::TraitsOf(op).integers});
}

const Lowering* FindLowering(std::string_view op, bool alone) {
  if (!alone && StaysAlone(op)) return nullptr;
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.rows.find(common::BareName(op));
  return it == t.rows.end() ? nullptr : &it->second;
}

void RegisterComplexLowering(const char* op, ComplexLowerFn fn, int nin) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.complex.emplace(common::BareName(op), ComplexLowering{fn, nin});
}

const ComplexLowering* FindComplexLowering(std::string_view op) {
  static constexpr ComplexLowering kCast{[](const ComplexExpr* in, const phi::Scalar*) { return in[0]; }, 1, true};
  if (common::TraitsOf(op).calculation == common::Calculation::kCast) return &kCast;
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.complex.find(common::BareName(op));
  return it == t.complex.end() ? nullptr : &it->second;
}

void RegisterGradLowering(const char* op, std::vector<GradLowering> results) {
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.gradients.emplace(common::BareName(op), std::move(results));
}

const std::vector<GradLowering>* FindGradLowering(std::string_view op, bool alone) {
  if (!alone && StaysAlone(op)) return nullptr;
  Table& t = TheTable();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto it = t.gradients.find(common::BareName(op));
  return it == t.gradients.end() ? nullptr : &it->second;
}

}  // namespace cinn
