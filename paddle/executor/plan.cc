// SPDX-License-Identifier: Apache-2.0
#include "paddle/executor/plan.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "paddle/common/logging.h"
#include "paddle/executor/code.h"
#include "paddle/executor/equal_extents.h"
#include "paddle/executor/frame.h"
#include "paddle/phi/core/host_lock.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/core/operation.h"
#include "paddle/pir/core/program.h"
#include "paddle/pir/dialect/pd_op.h"

namespace executor {
namespace {

FusionPass g_fusion = nullptr;
bool TrialsAtFirst() {
  const char* flag = std::getenv("FLAGS_cinn_trial");
  const std::string_view text = flag ? flag : "";
  return text == "1" || text == "true" || text == "True";
}
std::atomic<bool> g_trials{TrialsAtFirst()};

// Of other shapes, or given back by other threads: as many at least; more of plans with few instructions.
constexpr size_t kMaxIdleFrames = 4, kMostIdleFrames = 32;
constexpr size_t kIdleInstructions = 2048;       // of all idle frames beyond kMaxIdleFrames
constexpr size_t kIdleBytes = size_t{64} << 10;  // of one of these
// Where more shapes come than frames are kept for, so many runs in a row learn nothing; the next one's frame does, so
// shapes that stay get one.
constexpr size_t kRunsUnlearnt = 7;

}  // namespace

FusionPass SetFusionPass(FusionPass pass) { return std::exchange(g_fusion, pass); }
bool HasFusionPass() { return g_fusion != nullptr; }
void SetFusionTrials(bool on) { g_trials.store(on, std::memory_order_relaxed); }
bool FusionTrials() { return g_trials.load(std::memory_order_relaxed); }

struct Plan::Otherwise {
  std::unique_ptr<pir::Program> program;
  std::vector<pir::Value> inputs, outputs;
  bool fuse = false;
  std::mutex mutex;
  std::shared_ptr<Plan> plan;
};

Plan::Plan() = default;
Plan::~Plan() { delete ready_.load(); }

size_t Plan::num_fused() const { return program_->fused; }

std::vector<std::string> Plan::Order() const {
  std::vector<std::string> names;
  for (const Instruction& ins : program_->code.instructions) names.push_back(ins.name);
  return names;
}

std::shared_ptr<Plan> Plan::Build(pir::Program& program, bool fuse) {
  std::vector<pir::Value> inputs, outputs;
  std::vector<std::string> in_names, out_names;
  for (pir::Operation* op = program.block().front(); op; op = op->next()) {
    if (op->isa(pir::pd::kData)) {
      inputs.push_back(op->result(0));
      in_names.push_back(op->attr("name").to_str());
    } else if (op->isa(pir::pd::kFetch)) {
      outputs.push_back(op->operand(0));
      out_names.push_back(op->attr("name").to_str());
    } else if (op->isa("builtin.shadow_output")) {
      outputs.push_back(op->operand(0));
      out_names.push_back(op->attr("output_name").to_str());
    }
  }
  auto plan = Build(program, inputs, outputs, fuse);
  plan->input_names_ = in_names;
  plan->output_names_ = out_names;
  PD_VLOG(2) << "plan of " << plan->num_instructions() << " instructions, " << plan->num_fused() << " fused";
  return plan;
}

std::shared_ptr<Plan> Plan::Build(pir::Program& program, const std::vector<pir::Value>& inputs,
                                  const std::vector<pir::Value>& outputs, bool fuse) {
  auto plan = std::make_shared<Plan>();
  const EqualExtents equal(program, inputs);
  if (equal.tests().empty()) {
    plan->Compile(program, inputs, outputs, fuse);
    return plan;
  }
  pir::IrMapping mapping;
  plan->otherwise_ = std::make_unique<Otherwise>();
  Otherwise& other = *plan->otherwise_;
  other.program = program.Clone(mapping);
  for (pir::Value v : inputs) other.inputs.push_back(mapping.Lookup(v));
  for (pir::Value v : outputs) other.outputs.push_back(mapping.Lookup(v));
  other.fuse = fuse;
  plan->equal_ = equal.tests();
  std::vector<pir::Value> results = outputs;
  equal.WriteTo(program, results);
  plan->Compile(program, inputs, results, fuse);
  return plan;
}

void Plan::Compile(pir::Program& program, const std::vector<pir::Value>& inputs, const std::vector<pir::Value>& outputs,
                   bool fuse) {
  program_ = std::make_unique<CompiledProgram>(CompileProgram(program, inputs, outputs, fuse ? g_fusion : nullptr));
  const std::vector<char>& spare = program_->spare;
  num_instructions_ = static_cast<size_t>(std::count(spare.begin(), spare.end(), 0));
  most_idle_ = std::clamp(kIdleInstructions / std::max<size_t>(num_instructions_, 1), kMaxIdleFrames, kMostIdleFrames);
  PD_VLOG(2) << "plan of " << num_instructions() << " instructions, " << num_fused() << " fused";
}

Plan& Plan::Other() {
  std::lock_guard<std::mutex> lock(otherwise_->mutex);
  if (!otherwise_->plan) {
    Otherwise& o = *otherwise_;
    o.plan = std::make_shared<Plan>();
    o.plan->Compile(*o.program, o.inputs, o.outputs, o.fuse);
    if (profiling_.load(std::memory_order_relaxed)) o.plan->SetProfiling(true);
  }
  return *otherwise_->plan;
}

Plan* Plan::MadeOther() const {
  if (!otherwise_) return nullptr;
  std::lock_guard<std::mutex> lock(otherwise_->mutex);
  return otherwise_->plan.get();
}

std::unique_ptr<Frame> Plan::TakeFrame(const std::vector<Tensor>& inputs) {
  bool learns = true;
  MakeReady(nullptr);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = frames_.size(); i-- > 0;) {
      if (!frames_[i]->Fits(inputs)) continue;
      std::unique_ptr<Frame> f = std::move(frames_[i]);
      frames_.erase(frames_.begin() + static_cast<ptrdiff_t>(i));
      return f;
    }
    if (dropped_) {
      learns = unlearnt_ >= kRunsUnlearnt;
      unlearnt_ = learns ? 0 : unlearnt_ + 1;
      if (!learns && any_) return std::move(any_);
    }
  }
  auto frame = std::make_unique<Frame>(*program_);
  if (!learns) frame->LearnNothing();
  return frame;
}

void Plan::GiveFrame(std::unique_ptr<Frame> frame, const std::vector<ProfileEntry>& times) {
  frame->LookForSteps();
  if (frame->by_steps() && times.empty()) return MakeReady(std::move(frame));
  std::unique_ptr<Frame> old;  // freed outside the lock
  std::lock_guard<std::mutex> lock(mutex_);
  if (profile_.size() == times.size())
    for (size_t i = 0; i < times.size(); ++i) {
      profile_[i].calls += times[i].calls;
      profile_[i].ns += times[i].ns;
    }
  if (!frame->learns())
    old = std::exchange(any_, std::move(frame));
  else
    old = Keep(std::move(frame));
}

void Plan::MakeReady(std::unique_ptr<Frame> frame) const {
  frame.reset(ready_.exchange(frame.release(), std::memory_order_acq_rel));
  if (!frame) return;
  std::unique_ptr<Frame> old;  // freed outside the lock
  std::lock_guard<std::mutex> lock(mutex_);
  old = Keep(std::move(frame));
}

std::unique_ptr<Frame> Plan::Exchange(std::unique_ptr<Frame> frame, const std::vector<Tensor>& inputs) {
  std::unique_ptr<Frame> old;  // freed outside the lock
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = frames_.size(); i-- > 0;) {
    if (!frames_[i]->Fits(inputs)) continue;
    frame.swap(frames_[i]);
    std::rotate(frames_.begin() + static_cast<ptrdiff_t>(i), frames_.begin() + static_cast<ptrdiff_t>(i) + 1,
                frames_.end());
    return frame;
  }
  old = Keep(std::move(frame));
  return nullptr;
}

std::unique_ptr<Frame> Plan::Keep(std::unique_ptr<Frame> frame) const {
  const size_t most = frame->workspace_bytes() > kIdleBytes ? kMaxIdleFrames : most_idle_;
  std::unique_ptr<Frame> old;
  if (frames_.size() >= most) {
    old = std::move(frames_.front());
    frames_.erase(frames_.begin());
    dropped_ = true;
  }
  frames_.push_back(std::move(frame));
  return old;
}

std::vector<Tensor> Plan::Run(const std::vector<Tensor>& inputs) { return RunFrame(inputs, false, false); }
std::vector<Tensor> Plan::RunHeld(const std::vector<Tensor>& inputs, bool unlocked) {
  return RunFrame(inputs, true, unlocked);
}

std::vector<Tensor> Plan::RunFrame(const std::vector<Tensor>& inputs, bool held, bool unlocked) {
  PD_CHECK(inputs.size() == program_->inputs.size(), InvalidArgument, "[executor] expected ", program_->inputs.size(),
           " inputs, got ", inputs.size());
  if (held && !profiling_.load(std::memory_order_relaxed)) {
    std::unique_ptr<Frame> f(ready_.exchange(nullptr, std::memory_order_acq_rel));
    if (f && !f->Fits(inputs)) f = Exchange(std::move(f), inputs);
    if (f && f->by_steps() && f->MayRunSteps()) {
      std::vector<Tensor> result = f->RunSteps(inputs, unlocked);  // after an exception the frame is not kept
      MakeReady(std::move(f));
      return result;
    }
    if (f) {
      std::unique_ptr<Frame> old;  // freed outside the lock
      std::lock_guard<std::mutex> lock(mutex_);
      old = Keep(std::move(f));
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    PD_CHECK(inputs[i].defined(), InvalidArgument, "[executor] expected input ", i, " to have a value, got none");
  // Frames that fit inputs have met them here.
  if (!AllHold(equal_, inputs)) return Other().RunFrame(inputs, held, unlocked);
  std::unique_ptr<Frame> f = TakeFrame(inputs);
  std::vector<ProfileEntry> times;
  if (profiling_.load(std::memory_order_relaxed)) times.resize(program_->names.size());
  f->set_profile(times.empty() ? nullptr : &times);
  f->Begin(inputs, held);
  std::vector<Tensor> result;  // after an exception the frame is not kept
  {
    const phi::WithoutHostLock apart(unlocked);
    result = f->Run();
  }
  f->End();
  GiveFrame(std::move(f), times);
  return result;
}

size_t Plan::workspace_bytes() const {
  const Plan* other = MadeOther();
  size_t sum = other ? other->workspace_bytes() : 0;
  MakeReady(nullptr);
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& f : frames_) sum += f->workspace_bytes();
  return sum;
}

size_t Plan::least_workspace_bytes() const {
  const Plan* other = MadeOther();
  size_t sum = other ? other->least_workspace_bytes() : 0;
  MakeReady(nullptr);
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& f : frames_) sum += f->least_bytes();
  return sum;
}

std::vector<std::string> Plan::Unplanned() const {
  MakeReady(nullptr);
  std::lock_guard<std::mutex> lock(mutex_);
  return frames_.empty() ? std::vector<std::string>() : frames_.back()->Unplanned();
}

void Plan::SetProfiling(bool on) {
  if (Plan* other = MadeOther()) other->SetProfiling(on);
  std::lock_guard<std::mutex> lock(mutex_);
  profiling_ = on;
  if (!on) return;
  profile_.assign(program_->names.size(), {});
  for (size_t i = 0; i < profile_.size(); ++i) profile_[i].name = program_->names[i];
}

std::vector<ProfileEntry> Plan::Profile() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ProfileEntry> rows;
  for (size_t i = 0; i < profile_.size(); ++i) {
    if (program_->spare[i] && !profile_[i].calls) continue;
    ProfileEntry& row = rows.emplace_back(profile_[i]);
    const Trials::Verdict v = program_->trials ? program_->trials->Of(static_cast<int>(i)) : Trials::Verdict();
    if (v.state != Trials::kFused && v.state != Trials::kSingle) continue;
    char times[24];
    std::snprintf(times, sizeof times, " (%.1fx)", v.single_ns / std::max(v.fused_ns, 1.0));
    const size_t word = row.name.find(' ');
    row.name = (v.state == Trials::kFused ? "fused" : "single") + (times + row.name.substr(word));
  }
  if (const Plan* other = MadeOther())
    for (ProfileEntry& row : other->Profile())
      if (row.calls) rows.push_back(std::move(row));
  return rows;
}

std::string Plan::ProfileTable() const {
  std::map<std::string, ProfileEntry> by_name;
  int64_t total = 0;
  for (const ProfileEntry& e : Profile()) {
    ProfileEntry& sum = by_name[e.name];
    sum.name = e.name;
    sum.calls += e.calls;
    sum.ns += e.ns;
    total += e.ns;
  }
  std::vector<ProfileEntry> rows;
  size_t width = 11;
  for (auto& [name, e] : by_name) {
    rows.push_back(e);
    width = std::max(width, std::min<size_t>(name.size(), 60));
  }
  std::stable_sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.ns > b.ns; });
  char line[160];
  std::snprintf(line, sizeof line, "%-*s %10s %14s %12s %7s\n", static_cast<int>(width), "instruction", "calls",
                "total us", "us a call", "share");
  std::string text = line;
  for (const ProfileEntry& e : rows) {
    std::snprintf(line, sizeof line, "%-*.*s %10lld %14.1f %12.3f %6.1f%%\n", static_cast<int>(width),
                  static_cast<int>(width), e.name.c_str(), static_cast<long long>(e.calls), e.ns * 1e-3,
                  e.calls ? e.ns * 1e-3 / e.calls : 0.0, total ? 100.0 * e.ns / total : 0.0);
    text += line;
  }
  return text;
}

}  // namespace executor
