// SPDX-License-Identifier: Apache-2.0
// Graphs of operations that cuDNN runs as one, and plans for them, by its C functions, where it is found
// (FLAGS_cudnn_dir names a folder to look in). A plan can be made without a device, of the properties of one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paddle/phi/backends/gpu/dnn_api.h"

namespace phi::gpu {

bool HasDnn();
const std::string& WhyNoDnn();
// A handle of the thread's device; null, with why, where cuDNN makes none.
dnn::Handle MakeDnnHandle(std::string* why);

// One operation after another on tensors that are named by numbers from 1 on.
class DnnGraph {
 public:
  using Id = int;
  using Sizes = std::vector<int64_t>;
  enum class Pass : uint8_t { kForward, kData, kFilter };

  // In memory; strides in elements.
  Id Tensor(dnn::DataKind type, Sizes dims, Sizes strides);
  // Between operations of the graph; contiguous, where no strides are given.
  Id Between(dnn::DataKind type, Sizes dims, Sizes strides = {});
  // A float32 that is given to each run.
  Id Number(int64_t rank);

  // Cross-correlation; in the passes of gradients x or w is the result, and y its gradient.
  void Convolve(Pass pass, Id x, Id w, Id y, const Sizes& pads, const Sizes& strides, const Sizes& dilations);
  // out = mode(x, b, condition), computed in float32; axis: of kIndex.
  Id Pointwise(dnn::Pointwise mode, Id out, Id x, Id b = 0, Id condition = 0, int64_t axis = -1);
  Id Matmul(Id a, Id b, Id out);
  // Over the axes in which out has extent 1, and over groups of heads where it has fewer.
  Id Reduce(dnn::Reduction how, Id x, Id out);
  // The same elements in memory with other extents and strides.
  Id Reshape(Id x, Id out);
  // bias, mean and inverse_deviation may be 0.
  void Norm(dnn::NormMode mode, Id x, Id scale, Id bias, Id epsilon, Id y, Id mean, Id inverse_deviation);
  // Heads of q in groups that share those of k and v. `keys` is k with its last two axes exchanged.
  struct AttentionOperands {
    Id q = 0, keys = 0, v = 0, out = 0, statistics = 0, scale = 0;
    bool causal = false;  // a query sees the keys up to its own position
    Id infinity = 0;      // the number in the place of what is hidden
  };
  // Softmax of q k^T * scale times v. statistics, [batch, heads, length, 1], gets the logarithm of the sum.
  struct Attention : AttentionOperands {
    Id length_q = 0, length_kv = 0;  // int32 [batch, 1, 1, 1], or 0: what lies beyond is hidden
    // int32 [batch, 1, n, 1], or 0: the pages of k and v, which are [count, heads, page, dim] then, `keys` too; with
    // lengths, and not causal.
    Id table_k = 0, table_v = 0;
  };
  void Attend(const Attention& a);
  // Its gradient. v, too, has its last two axes exchanged; statistics are those of Attend, sums is float32 memory like
  // them. Probabilities are made anew, and the gradient of scores lies in the workspace, so each sum has one order.
  struct AttentionGradient : AttentionOperands {
    Id out_gradient = 0, sums = 0, one = 0;
    Id q_gradient = 0, k_gradient = 0, v_gradient = 0;
  };
  void AttendGradient(const AttentionGradient& a);

  // Equal texts mean equal graphs.
  const std::string& text() const { return text_; }

 private:
  friend class DnnPlan;
  struct Made {
    dnn::DataKind type;
    Sizes dims, strides;
    bool between, number;
  };
  struct Value {
    dnn::Attribute attribute;
    dnn::ValueKind kind;
    Id tensor = 0;  // of kOfDescriptor
    std::vector<int64_t> numbers = {};
    float real = 0;
  };
  struct Operation {
    dnn::DescriptorKind kind, of;  // of == kind: it has no descriptor of its own
    dnn::Attribute link;           // where that goes
    std::vector<Value> own, values;
  };
  Id Add(Made made);
  void Add(Operation op);
  const Made& Of(Id tensor) const { return tensors_[static_cast<size_t>(tensor) - 1]; }
  // Scores in which what a query does not see yet is `infinity`.
  Id Causal(Id scores, Id infinity);

  std::vector<Made> tensors_;
  std::vector<Operation> operations_;
  std::string text_;
};

// Of which engines a plan is made.
struct DnnLimits {
  std::vector<dnn::Note> without;  // those that do none of this
  int64_t workspace = INT64_MAX;   // that take no more
};

class DnnPlan {
 public:
  // `device`: properties as cuDNN writes them, in JSON; with `handle`, those of its device instead. Null, with why,
  // where no such engine of cuDNN serves the graph there.
  static std::unique_ptr<DnnPlan> Make(const DnnGraph& graph, const std::string& device, dnn::Handle handle,
                                       std::string* why, const DnnLimits& limits = {});
  // Of the text of a plan that was made for such a device.
  static std::unique_ptr<DnnPlan> Restore(const std::string& text, const std::string& device, dnn::Handle handle,
                                          std::string* why);
  ~DnnPlan();
  DnnPlan(const DnnPlan&) = delete;

  int64_t workspace() const { return workspace_; }
  std::string text() const;
  // On the stream, for one thread at a time of a handle: with the address of each tensor that is not between
  // operations, and of numbers on the host. False, with why, where cuDNN refuses; results may then be anything.
  bool Run(dnn::Handle handle, dnn::Stream stream, const std::vector<std::pair<DnnGraph::Id, void*>>& addresses,
           void* workspace, std::string* why) const;

 private:
  struct Described;
  DnnPlan() = default;
  static std::unique_ptr<DnnPlan> Finished(dnn::BackendDescriptor plan);  // which it owns
  dnn::BackendDescriptor plan_ = nullptr;
  int64_t workspace_ = 0;
};

}  // namespace phi::gpu
