// SPDX-License-Identifier: Apache-2.0
// Recording pd_op.if and pd_op.while: their regions are recorded by calling functions, and both have gradients, which
// are recorded the same way (docs/design/recording.md).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/pir/core/block.h"
#include "paddle/pir/core/value.h"

namespace egr {

class Recorder;

// What a tensor was at one moment, kept in a tensor nobody else sees. A leaf that needs a gradient keeps its
// accumulator as node, so that both lead to the same edge.
class CellState {
 public:
  explicit CellState(const Tensor& t);
  void Restore(const Tensor& t) const;
  const Tensor& tensor() const { return state_; }

 private:
  Tensor state_;
  bool leaf_;
};

// A value from outside a region that the region uses, and where its gradient goes.
struct OuterUse {
  Edge edge;
  pir::Value value;
};
using OuterUses = std::map<std::pair<GradNode*, int>, OuterUse>;

// A region that is being recorded.
struct RegionFrame {
  pir::Block* block;
  pir::Block* source;  // the block whose gradient this region computes, or nullptr
  OuterUses uses;
  bool all_written = false;  // of tensors from inside, too
  struct Written {
    Tensor tensor;
    CellState before;
  };
  std::vector<Written> written;  // tensors from outside that hold another value now
  std::unordered_map<phi::TensorImpl*, size_t> written_index;
};

// Notes the tensors that are written in place from `Begin` on; `End` gives each with what it holds then, and makes it
// hold what it held before. Both are called while the program is recorded, inner notes within outer ones.
class WriteNotes {
 public:
  explicit WriteNotes(Recorder& recorder) : recorder_(recorder) {}
  ~WriteNotes();
  void Begin();
  std::vector<std::pair<Tensor, Tensor>> End();

 private:
  Recorder& recorder_;
  RegionFrame frame_{};
  bool open_ = false;
};

// Whether the value belongs to `block` or a region in it; whether ops in `block` may use the value.
bool IsInside(pir::Value v, const pir::Block* block);
bool IsVisible(pir::Value v, const pir::Block* block);

using Branch = std::function<std::vector<Tensor>()>;
using Fill = std::function<std::vector<Tensor>(int)>;
using LoopCondition = std::function<Tensor(const std::vector<Tensor>&)>;
using LoopBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// Records pd_op.if with the thread's recorder. Each function is called once, in its region, and both return lists of
// equal length and dtypes; a place may be undefined if it is in both. Extents that differ become symbols. Tensors from
// outside that a branch writes in place hold the op's results afterwards. `fill`, called with 0 and 1 after both
// branches, in their regions, gives tensors for places the branch has left undefined.
std::vector<Tensor> RecordIf(const Tensor& condition, const Branch& yes, const Branch& no, const Fill& fill = {});

// Records pd_op.while. `condition` is called on the initial values and, in the region, on what `body` returns, which is
// a list like `values`. `body` is called again when extents turn out to change, or tensors from outside to be written.
std::vector<Tensor> RecordWhile(const LoopCondition& condition, const LoopBody& body,
                                const std::vector<Tensor>& values);

// Tensors with a history for the results of a pd_op.if, or pd_op.while, that the program has. The functions return what
// its regions yield (of a loop, but for the condition), with the history that their operations tell.
std::vector<Tensor> IfAgain(pir::Operation* op, const Branch& yes, const Branch& no);
std::vector<Tensor> WhileAgain(pir::Operation* op, const LoopBody& body, const std::vector<Tensor>& values);

struct PrintOptions {
  int first_n = -1;  // how often to print; -1: always
  std::string message;
  int summarize = 20;  // how many elements; -1: all
  bool name = true, type = true, shape = true, layout = true, lod = true;
  std::string phase = "BOTH";
};
// Records pd_op.print, whose result is `x`.
Tensor RecordPrint(const Tensor& x, const PrintOptions& options);
// The result of a pd_op.print that the program has, with a history.
Tensor PrintAgain(pir::Operation* op, const Tensor& x);
// Records pd_op.assert: the program fails where `condition` is false and shows `data`.
void RecordAssert(const Tensor& condition, const std::vector<Tensor>& data, int64_t summarize);

}  // namespace egr
