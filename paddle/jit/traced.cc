// SPDX-License-Identifier: Apache-2.0
#include "paddle/jit/traced.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "paddle/eager/autograd/engine.h"
#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/eager/dispatch/recorded_view.h"
#include "paddle/jit/run_program.h"
#include "paddle/jit/writes.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/op_def.h"
#include "paddle/phi/core/tensor_copy.h"
#include "paddle/pir/core/clone.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/dialect/builtin.h"
#include "paddle/pir/dialect/numbers.h"
#include "paddle/pir/dialect/pd_op.h"
#include "paddle/pir/pass/passes.h"
#include "paddle/pir/pass/pipeline.h"

namespace paddle::jit {
namespace {

// The nodes of the graph of `t`.
std::unordered_set<egr::GradNode*> NodesBehind(const Tensor& t) {
  std::vector<egr::GradNode*> work{static_cast<egr::GradNode*>(t->node().get())};
  std::unordered_set<egr::GradNode*> seen;
  while (!work.empty()) {
    egr::GradNode* n = work.back();
    work.pop_back();
    if (!n || !seen.insert(n).second) continue;
    for (int i = 0; i < n->num_inputs(); ++i) work.push_back(n->edge(i).node.get());
  }
  return seen;
}

// Whether a backward pass has run through a part of the graph of `t` and freed it.
bool IsSpent(const Tensor& t) {
  const auto nodes = NodesBehind(t);
  return std::any_of(nodes.begin(), nodes.end(), [](egr::GradNode* n) { return n->released(); });
}

bool IsSource(const pir::Operation& op) {
  return op.isa(pir::pd::kData) || op.isa("builtin.parameter") || op.isa(pir::pd::kFetch) ||
         op.isa("builtin.shadow_output");
}
bool IsRandomOp(const pir::Operation& op) {
  if (op.num_regions() || IsSource(op) || pir::WritesOperand(*op.info())) return false;
  return op.info()->has(pir::kRandom) || (pir::IsRemovable(op) && !pir::IsDeterministic(op));
}
bool IsConstant(const pir::Operation& op) {
  return op.isa("builtin.parameter") || op.isa("builtin.constant") ||
         (op.num_operands() == 0 && op.num_regions() == 0 && !IsSource(op) && pir::IsDeterministic(op) &&
          pir::HoldsNumbers(op));
}

// Whether an operation reads the numbers of what `maker` makes, and not only its extents.
bool IsRead(const pir::Operation& maker) {
  bool read = false;
  maker.result(0).ForEachUse([&](pir::OpOperand& use) {
    const phi::OpDef* def = phi::FindOpDef(use.owner()->name());
    const auto k = static_cast<size_t>(use.index());
    read = read || !def || k >= def->tensors.size() || !def->tensors[k]->shape_only;
  });
  return read;
}

// Whether the node of `t` is that of the leaf it stands for.
bool LeadsToLeaf(const Tensor& t) { return t->node() && static_cast<egr::GradNode*>(t->node().get())->leaf(); }

// Where gradients reach `leaves`; without a node where none can.
std::vector<egr::Edge> EdgesOf(const std::vector<Tensor>& leaves) {
  std::vector<egr::Edge> edges;
  for (const Tensor& t : leaves) {
    // An input that was written since is asked for as it was given.
    egr::AutogradMeta* m = egr::MaybeMeta(t);
    if (!t.is_symbolic() || egr::IsLeaf(t) || LeadsToLeaf(t))
      edges.push_back(egr::GradEdge(t));
    else if (m && m->accumulator)
      edges.push_back({phi::Ref<egr::GradNode>(m->accumulator), 0});
    else
      edges.emplace_back();
  }
  return edges;
}

// Gradients that reach `leaves`; what lies behind them belongs to the caller's graph. Undefined where none arrives.
std::vector<Tensor> GradientsAt(const std::vector<Tensor>& outputs, const std::vector<Tensor>& leaves,
                                const std::vector<Tensor>& grads, bool create_graph) {
  const std::vector<egr::Edge> edges = EdgesOf(leaves);
  std::vector<bool> wanted;
  for (const egr::Edge& e : edges) wanted.push_back(static_cast<bool>(e.node));
  return egr::GradAt(outputs, grads, edges, wanted, create_graph);
}

size_t NumHooks(const Tensor& t) {
  const egr::AutogradMeta* m = egr::MaybeMeta(t);
  return m ? m->leaf_hooks.size() + m->post_accumulate_hooks.size() : 0;
}

// What `t` shares all its memory with: itself, or what it was detached from.
const Tensor& Undetached(const Tensor& t) {
  const egr::AutogradMeta* m = egr::MaybeMeta(t);
  return m && m->recorded_view && m->recorded_view->detached ? Undetached(m->recorded_view->base) : t;
}

}  // namespace

struct Traced::Extraction {
  std::shared_ptr<pir::Program> program;
  std::vector<pir::Value> feeds;  // of the old program, in order
};

Traced::Traced(std::shared_ptr<RecordedProgram> program, std::vector<Tensor> inputs, std::vector<pir::Value> feeds,
               std::vector<Tensor> outputs, std::vector<Write> writes, bool grad, bool fuse, bool replay)
    : program_(std::move(program)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      writes_(std::move(writes)),
      fuse_(fuse),
      replay_(replay),
      feeds_(std::move(feeds)) {
  for (Write& w : writes_)
    if (w.target.defined()) w.hooks = NumHooks(w.target);
  egr::Recorder& recorder = program_->recorder();
  for (const Tensor& t : outputs_) {
    out_values_.push_back(recorder.ValueOf(Undetached(t)));
    apart_.push_back(egr::IsApart(t, recorder));
  }
  for (pir::Operation* op = program_->program().block().front(); op; op = op->next()) forward_ops_.insert(op);
  if (grad) RecordGradients();
  for (const auto& c : recorder.captured())
    captured_.push_back({c.tensor, c.tensor.dtype(), c.tensor.dims(), c.tensor.stop_gradient()});
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (IsLeafOutput(i))
      leaf_outputs_.push_back(i);
    else if (grad && egr::NeedsGrad(outputs_[i]) && outputs_[i]->node() && !IsWrite(i) && IsSpent(outputs_[i]))
      spent_outputs_.push_back(i);
  PlanForward();
  NoteEffects();
}

void Traced::NoteEffects() {
  changes_ = !writes_.empty();
  pir::Walk(forward_program_->block(), [&](pir::Operation& op) {
    const pir::OpInfo& info = *op.info();
    const bool random = IsRandomOp(op);
    draws_ = draws_ || random;
    changes_ = changes_ || pir::WritesOperand(info);
    const bool within =
        random || IsSource(op) || info.dialect() == "cf" || op.isa(pir::pd::kFeed) || op.isa(pir::pd::kAssert);
    if (info.unregistered || (info.has(pir::kSideEffect) && !within)) repeatable_ = false;
    return pir::WalkResult::kContinue;
  });
}

Traced::Attempt::Attempt(const Traced& traced, const std::vector<Tensor>& inputs) : traced_(traced), inputs_(inputs) {
  if (!traced.repeatable_) return;
  if (traced.changes_) versions_ = Versions();
  if (!traced.draws_) return;
  phi::Generator& generator = phi::DefaultCpuGenerator();
  std::lock_guard<std::mutex> lock(generator.mutex());
  engine_ = generator.engine();
  if (const phi::Place place = phi::CurrentPlace(); !place.is_cpu()) device_ = phi::GeneratorOf(place).GetState();
}

uint64_t Traced::Attempt::Versions() const {
  uint64_t r = 0;
  auto add = [&](const Tensor& t) {
    if (!t.defined() || !t->storage()) return;
    r = r * 0x100000001b3 + reinterpret_cast<uintptr_t>(t->storage().get()) + t->storage()->version();
  };
  for (const Held& h : traced_.captured_) add(h.tensor);
  for (const Tensor& t : inputs_) add(t);
  return r;
}

bool Traced::Attempt::Undo() {
  if (!traced_.repeatable_ || (traced_.changes_ && versions_ != Versions())) return false;
  if (engine_) {
    phi::Generator& generator = phi::DefaultCpuGenerator();
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.engine() = *engine_;
    if (!device_.empty()) phi::GeneratorOf(phi::CurrentPlace()).SetState(device_);
  }
  return true;
}

std::vector<uint32_t> Traced::CapturedVersions() const {
  std::vector<uint32_t> r;
  r.reserve(captured_.size());
  for (const Held& h : captured_) r.push_back(h.tensor->storage() ? h.tensor->storage()->version() : 0);
  return r;
}

bool Traced::IsWritten(const pir::Operation& parameter) const {
  if (writes_.empty() || !parameter.isa("builtin.parameter")) return false;
  auto held =
      std::static_pointer_cast<Tensor>(program_->program().parameter(parameter.attr("parameter_name").to_str()));
  for (const Write& w : writes_)
    if (held && w.kind == Write::kValue && w.target.defined() && held->is_same(w.target)) return true;
  return false;
}

bool Traced::IsWrite(size_t output) const {
  return std::any_of(writes_.begin(), writes_.end(),
                     [&](const Write& w) { return w.kind == Write::kValue && w.output == static_cast<int>(output); });
}

bool Traced::IsLeafOutput(size_t i) const {
  const Tensor& t = outputs_[i];
  return egr::NeedsGrad(t) && (egr::IsLeaf(t) || LeadsToLeaf(t)) && !IsWrite(i);
}

bool Traced::CutsInput(size_t output) const {
  return egr::IsCut(outputs_[output]) && std::any_of(writes_.begin(), writes_.end(), [&](const Write& w) {
           return w.kind == Write::kValue && w.output == static_cast<int>(output) && w.input >= 0;
         });
}

bool Traced::HasEffects() const {
  if (!writes_.empty() || !repeatable_) return true;
  bool found = false;
  for (pir::Operation* op = forward_program_->block().front(); op && !found; op = op->next())
    found = IsRandomOp(*op) || pir::WritesOperand(*op->info()) || op->num_regions() > 0;
  return found;
}
bool Traced::KeepsApart(const std::vector<Tensor>& inputs) const {
  if (writes_.empty()) return true;
  auto memory = [](const Tensor& t) { return t->storage().get(); };
  for (const Write& w : writes_) {
    if (w.kind != Write::kValue) {
      const Tensor& to = w.input < 0 ? w.target : inputs[w.input];
      if (!egr::IsLeaf(to) || NumHooks(to) != w.hooks) return false;
      continue;
    }
    if (w.input < 0) {
      for (const Tensor& t : inputs)
        if (memory(t) == memory(w.target)) return false;
      continue;
    }
    const Tensor& target = inputs[w.input];
    for (const Tensor& t : inputs)
      if (&t != &target && memory(t) == memory(target)) return false;
    for (const Held& h : captured_)
      if (memory(h.tensor) == memory(target)) return false;
  }
  return true;
}
bool Traced::CapturedUnchanged() const {
  for (const Held& h : captured_)
    if (h.tensor->stop_gradient != h.stop_gradient || h.tensor->dtype() != h.dtype || h.tensor->dims() != h.dims)
      return false;
  return true;
}

void Traced::RecordGradients() {
  std::vector<Tensor> roots, douts, wrt;
  std::vector<Leaf> leaves;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (IsLeafOutput(i)) {
      leaves.push_back({-1, static_cast<int>(i), outputs_[i]});
    } else if (egr::NeedsGrad(outputs_[i]) && outputs_[i]->node() && !IsSpent(outputs_[i]) && !CutsInput(i)) {
      diff_out_.push_back(static_cast<int>(i));
      roots.push_back(outputs_[i]);
    }
  }
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (egr::NeedsGrad(inputs_[i])) leaves.push_back({static_cast<int>(i), -1, inputs_[i]});
  egr::Recorder& recorder = program_->recorder();
  for (const auto& c : recorder.captured())
    if (egr::NeedsGrad(c.tensor) && !recorder.IsMade(c.tensor)) leaves.push_back({-1, -1, c.tensor});
  if (roots.empty() || leaves.empty()) return;
  for (const Leaf& l : leaves) wrt.push_back(l.tensor);
  egr::RecordGuard guard(&recorder);
  const pir::Builder::SourceGuard at(recorder.builder(), common::kNoSource);
  egr::State().amp_level = 0;
  for (size_t k = 0; k < roots.size(); ++k) {
    douts.push_back(recorder.Data("grad_" + std::to_string(k), roots[k].meta()));
    grad_in_.push_back(recorder.ValueOf(douts.back()));
  }
  const std::vector<egr::Edge> edges = EdgesOf(wrt);
  std::vector<std::unordered_set<egr::GradNode*>> behind;
  for (const Tensor& t : roots) behind.push_back(NodesBehind(t));
  std::vector<Tensor> grads = GradientsAt(roots, wrt, douts, false);
  for (size_t k = 0; k < grads.size(); ++k)
    if (grads[k].defined()) {
      reached_.emplace_back();
      for (const auto& nodes : behind) reached_.back().push_back(nodes.count(edges[k].node.get()) > 0);
      leaves_.push_back(leaves[k]);
      grad_out_.push_back(recorder.ValueOf(grads[k]));
    }
}

// The ops that targets and roots need, and the values they start from. Backward: only ops recorded behind the forward
// part; of that, constants and lists are copied and other values become feeds.
class Traced::Needs {
 public:
  Needs(const Traced& traced, const std::vector<pir::Value>& given, bool backward)
      : feeds(given),
        traced_(traced),
        block_(&traced.program_->program().block()),
        given_(given.begin(), given.end()),
        backward_(backward) {}

  void Add(const pir::Operation* op) {
    if (ops.insert(op).second) work_.push_back(op);
  }
  void Add(pir::Value v) {
    if (!v || given_.count(v)) return;
    pir::Operation* def = v.defining_op();
    if (!def || def->block() != block_) return;
    if (IsFeed(*def))
      AddFeed(v, def->name());
    else
      AddMaker(v, def);
  }
  // What the ops added so far need in turn.
  void Close() {
    while (!work_.empty()) {
      const pir::Operation* op = work_.back();
      work_.pop_back();
      for (int i = 0; i < op->num_operands(); ++i) Add(op->operand(i));
      if (op->num_regions())
        for (pir::Value v : pir::CapturedValues(*op)) Add(v);
    }
  }

  std::vector<pir::Value> feeds;
  std::unordered_set<const pir::Operation*> ops;
  std::vector<std::pair<pir::Value, pir::Value>> aliases;
  std::unordered_multimap<const pir::Operation*, pir::Value> again;  // values equal to those an op computes once more

 private:
  bool IsFeed(const pir::Operation& def) const {
    const bool copied = (IsConstant(def) && !traced_.IsWritten(def)) || def.isa("builtin.combine");
    return def.isa(pir::pd::kData) || (backward_ && (traced_.forward_ops_.count(&def) || def.isa("cf.stack_create")) &&
                                       !copied && !traced_.recomputed_.count(&def));
  }
  void AddMaker(pir::Value v, const pir::Operation* def) {
    Add(def);
    // Who pops from a stack needs all who push on it.
    if (def->isa("cf.stack_create") && v.index() != 1)
      def->result(1).ForEachUse([&](pir::OpOperand& use) {
        const pir::Operation* user = use.owner();
        while (user && user->block() != block_) user = user->parent_op();
        if (user) Add(user);
      });
  }
  void AddFeed(pir::Value v, const std::string& maker) {
    PD_CHECK(!v.type().is_vector(), Unimplemented,
             "[to_static] expected tensors between results and gradients, got the list made by ", maker);
    given_.insert(v);
    auto equal = traced_.equal_.find(v);
    if (!backward_ || equal == traced_.equal_.end()) {
      feeds.push_back(v);
      return;
    }
    if (const pir::Operation* first = equal->second.defining_op(); first && traced_.recomputed_.count(first)) {
      again.emplace(first, v);
      Add(first);
      return;
    }
    aliases.emplace_back(v, equal->second);
    if (given_.insert(equal->second).second) feeds.push_back(equal->second);
  }

  const Traced& traced_;
  const pir::Block* block_;
  std::unordered_set<pir::Value> given_;
  std::vector<const pir::Operation*> work_;
  const bool backward_;
};

namespace {

// Adds the names of the parameters that the op writes to.
void AddWritten(const pir::Operation& op, std::unordered_set<std::string>& names) {
  if (!pir::WritesOperand(*op.info())) return;
  for (int i = 0; i < op.num_operands(); ++i)
    if (pir::Operation* def = op.operand(i) ? op.operand(i).defining_op() : nullptr;
        def && def->isa("builtin.parameter"))
      names.insert(def->attr("parameter_name").to_str());
}

void CopyParameter(pir::Program& program, const std::string& name) {
  auto held = std::static_pointer_cast<Tensor>(program.parameter(name));
  program.set_parameter(name, std::make_shared<Tensor>(phi::CopyOf(*held)));
}

}  // namespace

Traced::Extraction Traced::Extract(const std::vector<pir::Value>& targets, const std::vector<pir::Value>& feeds,
                                   const std::vector<pir::Operation*>& roots, bool backward, bool replay) const {
  const pir::Program& source = program_->program();
  Needs needs(*this, feeds, backward);
  for (pir::Value v : targets) needs.Add(v);
  for (pir::Operation* op : roots) needs.Add(op);
  needs.Close();
  Extraction r;
  r.feeds = needs.feeds;
  r.program = std::make_shared<pir::Program>();
  pir::IrMapping map;
  pir::Builder b(r.program.get());
  for (size_t i = 0; i < r.feeds.size(); ++i)
    map.Map(r.feeds[i], pir::BuildData(b, "feed_" + std::to_string(i), r.feeds[i].type()));
  for (auto& [v, first] : needs.aliases) map.Map(v, map.Lookup(first));
  std::unordered_set<std::string> written;
  for (pir::Operation& op : source.block()) {
    if (!needs.ops.count(&op)) continue;
    if (replay) AddWritten(op, written);
    b.Insert(pir::CloneOp(op, map));
    for (auto [at, end] = needs.again.equal_range(&op); at != end; ++at) map.Map(at->second, map.Lookup(op.result(0)));
    if (op.isa("builtin.parameter") || op.isa("builtin.constant")) {
      const std::string& name = op.attr(op.isa("builtin.constant") ? "value" : "parameter_name").to_str();
      if (auto p = source.parameter(name)) r.program->set_parameter(name, p);
    }
  }
  // A second evaluation must not change running statistics again.
  for (const std::string& name : written) CopyParameter(*r.program, name);
  for (size_t i = 0; i < targets.size(); ++i)
    pir::BuildFetch(b, map.Lookup(targets[i]), "fetch_" + std::to_string(i), static_cast<int>(i));
  Optimize(*r.program);
  return r;
}

void Traced::Optimize(pir::Program& program) const {
  // A random operation nobody reads still moves the generator on, so nothing may go.
  const bool draws = !pir::Walk(program.block(), [](pir::Operation& op) {
    return IsRandomOp(op) && op.use_empty() ? pir::WalkResult::kStop : pir::WalkResult::kContinue;
  });
  pir::PassManager passes;
  const pir::PipelineFor without_gradients = fuse_ ? pir::PipelineFor::kForward : pir::PipelineFor::kUnfused;
  for (const std::string& name : pir::Pipeline(grad() ? pir::PipelineFor::kGradient : without_gradients)) {
    if (name == "common_subexpression_elimination_pass")
      passes.Add(pir::CreateCommonSubexpressionElimination(true));
    else if (draws)
      continue;
    else if (name == "identity_op_clean_pass")
      passes.Add(pir::CreateIdentityClean(true));
    else
      passes.Add(name);
  }
  passes.Run(program);
}

void Traced::PlanForward() {
  std::vector<pir::Operation*> roots;
  std::unordered_set<const pir::Operation*> given;
  for (pir::Value v : feeds_) given.insert(v.defining_op());
  for (pir::Operation* op = program_->program().block().front(); op && !replay_; op = op->next()) {
    if (!forward_ops_.count(op) || IsSource(*op)) continue;
    bool random = IsRandomOp(*op);
    if (random || !pir::IsRemovable(*op)) roots.push_back(op);
    if (random && !leaves_.empty())
      for (int i = 0; i < op->num_results(); ++i)
        if (pir::Value v = op->result(i); v.type() && !v.type().is_vector() && !v.use_empty()) saved_.push_back(v);
  }
  num_random_ = static_cast<int>(saved_.size());
  if (!leaves_.empty()) {
    equal_ = pir::EqualValues(program_->program());
    std::vector<pir::Value> saved;
    for (pir::Value v : Extract(grad_out_, grad_in_, {}, true, false).feeds) {
      bool known = std::find(feeds_.begin(), feeds_.end(), v) != feeds_.end() ||
                   std::find(grad_in_.begin(), grad_in_.end(), v) != grad_in_.end() ||
                   std::find(saved_.begin(), saved_.end(), v) != saved_.end();
      if (!known) saved.push_back(v);
    }
    if (fuse_) ChooseRecomputed(saved);
    saved_.insert(saved_.end(), saved.begin(), saved.end());
  }
  std::vector<pir::Value> targets = out_values_;
  targets.insert(targets.end(), saved_.begin(), saved_.end());
  forward_program_ = Extract(targets, feeds_, roots, false, replay_).program;
  forward_ = executor::Plan::Build(*forward_program_, fuse_);
}

const Traced::Backward& Traced::BackwardFor(const std::vector<bool>& wanted) {
  auto it = backward_.find(wanted);
  if (it != backward_.end()) return it->second;
  Backward b;
  std::vector<pir::Value> targets;
  for (size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k]) {
      b.wanted.push_back(static_cast<int>(k));
      targets.push_back(grad_out_[k]);
    }
  Extraction e = Extract(targets, {}, {}, true, replay_);
  for (pir::Value v : e.feeds) {
    auto find = [&](const std::vector<pir::Value>& list, Source::Kind kind) {
      auto at = std::find(list.begin(), list.end(), v);
      if (at == list.end()) return false;
      b.feeds.push_back({kind, static_cast<int>(at - list.begin())});
      return true;
    };
    bool found = find(grad_in_, Source::kGrad) || find(feeds_, Source::kInput) || find(saved_, Source::kSaved);
    PD_ASSERT(found);
  }
  std::unordered_set<std::string> unread;  // feeds and parameters
  for (const pir::Operation& op : e.program->block())
    if ((op.isa(pir::pd::kData) || op.isa("builtin.parameter")) && !IsRead(op))
      unread.insert(op.attr(op.isa(pir::pd::kData) ? "name" : "parameter_name").to_str());
  for (size_t i = 0; i < b.feeds.size(); ++i) b.feeds[i].read = !unread.count("feed_" + std::to_string(i));
  for (size_t i = 0; i < captured_.size(); ++i)
    for (auto& [name, held] : e.program->parameters())
      if (!unread.count(name) && std::static_pointer_cast<Tensor>(held)->is_same(captured_[i].tensor))
        b.reads.push_back(static_cast<int>(i));
  b.program = e.program;
  b.plan = executor::Plan::Build(*e.program, fuse_);
  return backward_.emplace(wanted, std::move(b)).first->second;
}

std::vector<executor::Plan*> Traced::Plans() const {
  std::vector<executor::Plan*> r{forward_.get()};
  for (auto& [wanted, b] : backward_) r.push_back(b.plan.get());
  if (second_)
    for (executor::Plan* p : second_->Plans()) r.push_back(p);
  return r;
}

std::vector<Tensor> Traced::Run(executor::Plan& plan, const std::vector<Tensor>& inputs) {
  PlainGuard plain;
  return plan.RunHeld(inputs, plan.num_instructions() > 8);
}

std::vector<Tensor> Traced::Call(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> r = Run(*forward_, inputs);
  std::vector<Tensor> saved(std::make_move_iterator(r.begin() + out_values_.size()), std::make_move_iterator(r.end()));
  r.resize(out_values_.size());
  // An output may be an input or a parameter itself, or share its object with a saved value.
  for (size_t i = 0; i < r.size(); ++i) {
    Tensor& t = r[i];
    if (apart_[i] && t->storage() && (t->use_count() > 1 || t->storage()->use_count() > 1 || !t.is_contiguous())) {
      t = phi::CopyOf(t);
    } else if (t->use_count() > 1) {
      t = phi::AliasOf(t);
    }
  }
  // What the gradients need of a tensor about to be written is kept as it is.
  for (Tensor& t : saved)
    for (const Write& w : writes_) {
      if (w.kind != Write::kValue) continue;
      const Tensor& target = w.input >= 0 ? inputs[w.input] : w.target;
      if (t->storage().get() == target->storage().get()) t = phi::CopyOf(t);
    }
  for (size_t i : leaf_outputs_) r[i]->stop_gradient = false;
  for (size_t i : spent_outputs_)
    if (egr::State().grad_enabled) egr::SetOnlyOutput(phi::Ref<egr::GradNode>(new SpentNode), r[i]);
  if (!diff_out_.empty() && egr::State().grad_enabled) {
    phi::Ref<RunProgramNode> node(new RunProgramNode(shared_from_this(), inputs));
    for (const Write& w : writes_)
      if (w.input >= 0 && w.kind == Write::kValue) node->CopyInput(w.input);
    node->Keep(std::move(saved), r);
  }
  // Numbers without gradients, such as those of a cast, show the flag that they have in eager mode.
  if (egr::State().grad_enabled)
    for (size_t i = 0; i < r.size(); ++i)
      if (!phi::IsDifferentiable(r[i].dtype())) r[i]->stop_gradient = outputs_[i].stop_gradient();
  if (writes_.empty()) return r;
  auto target_of = [&](const Write& w) -> const Tensor& { return w.input >= 0 ? inputs[w.input] : w.target; };
  // A value that is another target's memory is kept before that is written.
  std::vector<Tensor> values;
  for (const Write& w : writes_) {
    if (w.kind != Write::kValue) {
      values.emplace_back();
      continue;
    }
    const Tensor& value = r[w.output];
    const bool shared = std::any_of(writes_.begin(), writes_.end(), [&](const Write& o) {
      return &o != &w && o.kind == Write::kValue && value->storage() &&
             target_of(o)->storage().get() == value->storage().get();
    });
    values.push_back(shared && !value->node() ? phi::CopyOf(value) : value);
  }
  for (size_t i = 0; i < writes_.size(); ++i) {
    const Tensor &target = target_of(writes_[i]), &value = values[i];
    if (writes_[i].kind != Write::kValue) continue;
    if (value->node() || !(target.dims() == value.dims()) || target.dtype() != value.dtype() || !target->storage()) {
      Rebind(target, value);
    } else {
      phi::CopyInto(value, target);
      if (Tensor x = target; CutsInput(writes_[i].output))
        egr::AfterInplace(x, nullptr, 0);
      else
        x->storage()->BumpVersion();
    }
  }
  for (const Write& w : writes_)
    if (w.kind != Write::kValue) PutGradient(w, target_of(w), r);
  return r;
}

void Traced::PutGradient(const Write& write, const Tensor& to, std::vector<Tensor>& results) const {
  if (write.kind == Write::kReached) return;
  Tensor& gradient = egr::MetaOf(to).grad;
  if (write.kind == Write::kNoGradient) {
    gradient.reset();
    return;
  }
  Tensor& value = results[write.output];
  if (write.kind == Write::kAddGradient && gradient.defined()) {
    const egr::GradModeGuard off(false);
    paddle::add_(gradient, value);
    return;
  }
  // Later gradients are added in place.
  if (value->storage()->use_count() > 1 || !value.is_contiguous()) value = phi::CopyOf(value);
  value->stop_gradient = false;
  gradient = value;
}

std::shared_ptr<Traced> Traced::Second() {
  if (second_) return second_;
  egr::Recorder& recorder = program_->recorder();
  egr::RecordGuard guard(&recorder);
  const pir::Builder::SourceGuard at(recorder.builder(), common::kNoSource);
  egr::State().amp_level = 0;
  egr::State().grad_enabled = true;
  // The second function evaluates the first again: draws of regions would be others.
  pir::WalkAll(program_->program().block(), [&](pir::Operation& op) {
    PD_CHECK(
        op.block() == &program_->program().block() || !op.info()->has(pir::kRandom), Unimplemented,
        "[to_static] expected no random operation in a branch or loop whose gradients are differentiated again, got ",
        op.name());
  });
  std::vector<Tensor> roots, douts, wrt, outputs, inputs = inputs_;
  std::vector<pir::Value> feeds(feeds_.begin(), feeds_.begin() + num_inputs());
  for (int i : diff_out_) {
    roots.push_back(outputs_[i]);
    std::string name = "grad_" + std::to_string(program_->program().num_ops());
    douts.push_back(recorder.Data(name, roots.back().meta()));
    douts.back()->stop_gradient = false;
    inputs.push_back(douts.back());
    feeds.push_back(recorder.ValueOf(douts.back()));
  }
  // Random values of the first evaluation stand in place of new draws.
  feeds.insert(feeds.end(), feeds_.begin() + num_inputs(), feeds_.end());
  feeds.insert(feeds.end(), saved_.begin(), saved_.begin() + num_random_);
  for (const Leaf& l : leaves_) wrt.push_back(l.tensor);
  std::vector<Tensor> grads = GradientsAt(roots, wrt, douts, true);
  for (size_t k = 0; k < grads.size(); ++k)
    if (grads[k].defined()) {
      second_leaves_.push_back(static_cast<int>(k));
      outputs.push_back(grads[k]);
    }
  second_ = std::make_shared<Traced>(program_, std::move(inputs), std::move(feeds), std::move(outputs),
                                     std::vector<Write>{}, true, fuse_, true);
  return second_;
}

}  // namespace paddle::jit
