// SPDX-License-Identifier: Apache-2.0
// Groups against their single ops: the cost model's choice, a comparison by the clock when a list runs for the second
// time, and running the ops of a group that lost.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "paddle/executor/frame.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/op_watch.h"
#include "paddle/phi/core/tensor_copy.h"

namespace executor {
namespace {

constexpr int kTrials = 3;
// A group loses when its time, by the model or the best of the trials, is this many times that of the single ops.
constexpr double kSlower = 1.2;
// Of the largest argument. Below, a group takes microseconds: it saves the calls of its ops, and the clock would
// decide.
constexpr int64_t kLeastElements = 16 << 10;

bool Explains() {
  const char* flag = std::getenv("FLAGS_cinn_explain");
  return flag && *flag && *flag != '0';
}

}  // namespace

bool Trials::Claim(int id) {
  std::lock_guard<std::mutex> lock(mutex_);
  Verdict& v = verdicts_[static_cast<size_t>(id)];
  if (running_ || v.state != kOpen) return false;
  v.state = kRunning;
  return running_ = true;
}

void Trials::Decide(int id, const Verdict& verdict) {
  std::lock_guard<std::mutex> lock(mutex_);
  verdicts_[static_cast<size_t>(id)] = verdict;
  running_ = false;
  if (verdict.state == kSingle) lost_.fetch_add(1, std::memory_order_release);
}

Trials::Verdict Trials::Of(int id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return verdicts_[static_cast<size_t>(id)];
}

int64_t Frame::LargestArgument(const Instruction& ins) const {
  int64_t elements = 0;
  for (const auto* list : {&ins.in, &ins.out})
    for (auto& a : *list)
      if (values_[a.value].defined()) elements = std::max(elements, values_[a.value].numel());
  return elements;
}

void Frame::Choose(const Instruction& ins) {
  if (ins.kind != Instruction::kFused || ins.regions.empty()) return;
  const Tensor* in[kMaxFusedInputs];
  bool on_host = true;
  for (size_t k = 0; k < ins.in.size(); ++k) {
    in[k] = &values_[ins.in[k].value];
    if (!in[k]->defined()) return;  // the run says so
    on_host = on_host && phi::DevicePlace(in[k], 1).is_cpu();
  }
  bool& separate = slots_[ins.id].separate;
  const bool takes = ins.fused->Takes(in);
  separate = !takes || (FusionTrials() && separate);
  if (!takes && Explains())
    std::fprintf(stderr, "cinn: group of%s: runs as single operations, which broadcast these shapes\n",
                 ins.name.c_str() + ins.name.find(' '));
  // The model is one of the host.
  if (!takes || FusionTrials() || !on_host || LargestArgument(ins) < kLeastElements) return;
  const FusedKernel::Estimate cost = ins.fused->EstimateCost(in, false);
  separate = cost.fused_ns > kSlower * cost.single_ns;
  if (Explains())
    std::fprintf(stderr, "cinn: group of%s: runs %s, %.1f us fused, %.1f us as single operations by the model\n",
                 ins.name.c_str() + ins.name.find(' '), separate ? "as single operations" : "fused",
                 cost.fused_ns * 1e-3, cost.single_ns * 1e-3);
}

bool Frame::Compare(const Instruction& ins) {
  if (!FusionTrials() || slots_[ins.id].separate || phi::OpsWatched()) return false;
  if (LargestArgument(ins) < kLeastElements || !program_.trials->Claim(ins.id)) return false;
  Trials::Verdict verdict{Trials::kFused, std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  auto* const profile = std::exchange(profile_, nullptr);
  auto time = [](double& best, const auto& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  };
  // The values before, since both ways write there.
  std::vector<std::pair<int, Tensor>> kept;
  for (int v : ins.regions[0]->writes) kept.emplace_back(v, phi::CopyOf(values_[v]));
  try {
    for (int k = 0; k < kTrials; ++k) {
      time(verdict.fused_ns, [&] { RunFused(ins); });
      time(verdict.single_ns, [&] { RunSeparate(ins); });
    }
    if (verdict.fused_ns > kSlower * verdict.single_ns) verdict.state = Trials::kSingle;
  } catch (const std::exception&) {  // the group runs next, and tells what it has to tell
    for (int v : ins.regions[0]->yields) values_[v].reset();
  }
  for (auto& [v, before] : kept) phi::CopyInto(before, values_[v]);
  profile_ = profile;
  program_.trials->Decide(ins.id, verdict);
  if (Explains()) {
    const Tensor* in[kMaxFusedInputs];
    for (size_t k = 0; k < ins.in.size(); ++k) in[k] = &values_[ins.in[k].value];
    ins.fused->EstimateCost(in, true);
    std::fprintf(stderr, "cinn: group of%s: %s, %.1f us fused, %.1f us as single operations\n",
                 ins.name.c_str() + ins.name.find(' '),
                 verdict.state == Trials::kSingle ? "runs as single operations" : "kept", verdict.fused_ns * 1e-3,
                 verdict.single_ns * 1e-3);
  }
  return verdict.state == Trials::kSingle;
}

void Frame::LearnLost(const Code& code) {
  for (const Instruction& ins : code.instructions) {
    for (auto& c : ins.regions) LearnLost(*c);
    Slots& s = slots_[ins.id];
    if (ins.kind != Instruction::kFused || s.separate || program_.trials->Of(ins.id).state != Trials::kSingle) continue;
    s.separate = true;
    bindings_[code.id].outdated = true;
  }
}

void Frame::RunSeparate(const Instruction& ins) {
  const Code& code = *ins.regions[0];
  for (size_t k = 0; k < ins.out.size(); ++k)
    if (code.takes[k]) values_[code.yields[k]] = values_[ins.out[k].value];
  RunPlain(code, 0);
  for (size_t k = 0; k < ins.out.size(); ++k) {
    Tensor& out = values_[ins.out[k].value];
    Tensor made = std::move(values_[code.yields[k]]);
    auto written = std::find_if(ins.inplace.begin(), ins.inplace.end(),
                                [&](const auto& pair) { return pair.first == static_cast<int>(k); });
    if (written != ins.inplace.end()) {
      out = values_[ins.in[written->second].value];
      continue;
    }
    if (made.impl() == out.impl()) continue;
    if (!out.defined() && made->storage()->use_count() == 1 && made.is_contiguous()) {
      out = std::move(made);
      continue;
    }
    // A kernel's results are tensors of their own, and lie where they were given memory.
    phi::EnsureOut(out, made.dims(), made.dtype());
    phi::CopyInto(made, out);
  }
}

}  // namespace executor
