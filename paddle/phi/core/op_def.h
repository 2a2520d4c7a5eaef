// SPDX-License-Identifier: Apache-2.0
// What the rest of the system knows of an op: its arguments and results by name, its shape rule and its kernel, both in
// one generic calling form. Generated from the stanzas; the executor, PIR, plugins and append_op go through it.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/kernel_context.h"
#include "paddle/phi/core/tensor.h"

namespace phi {

// The tensors of one input argument: one (a required or optional Tensor; undefined when absent) or many (Tensor[]).
struct InSlot {
  const Tensor* p = nullptr;
  int n = 0;
  InSlot() = default;
  InSlot(const Tensor& t) : p(&t), n(1) {}                                              // NOLINT
  InSlot(const std::vector<Tensor>& v) : p(v.data()), n(static_cast<int>(v.size())) {}  // NOLINT
};
struct MetaSlot {
  const Meta* p = nullptr;
  int n = 0;
};
// The results of one output argument. A kernel writes into defined tensors that fit and allocates otherwise.
struct OutSlot {
  Tensor* p = nullptr;
  std::vector<Tensor>* list = nullptr;  // Tensor[] outputs
  OutSlot() = default;
  OutSlot(Tensor& t) : p(&t) {}                  // NOLINT
  OutSlot(std::vector<Tensor>& v) : list(&v) {}  // NOLINT
};

struct ArgDef {
  const char* name;
  enum Kind : uint8_t { kTensor, kOptionalTensor, kTensorList, kAttr, kOperandAttr } kind;
  uint8_t attr_index = 0;   // index of the AttrValue alternative, for attributes
  AttrValue def;            // monostate: required
  bool shape_only = false;  // only shape and dtype are read, so it may lack memory
  bool apart = false;       // no result is this tensor or a view of it, unless it is written in place
  bool truth = false;       // of an elementwise op: bool, whatever dtype the others meet in
};
struct OutDef {
  const char* name;
  bool variadic = false;
  bool optional = false;
  const char* same_as_input = nullptr;  // in-place output: the input whose storage it is
};

enum OpFlags : uint32_t {
  kOpElementwise = 1,
  kOpView = 2,
  kOpRandom = 4,
  kOpSideEffect = 8,
  kOpInplace = 16,
  kOpInternal = 32,        // not a pd_op of PaddlePaddle
  kOpComposed = 64,        // its run calls other ops
  kOpSparing = 128,        // results whose slot is null are not computed
  kOpAllocates = 256,      // makes the memory of its results even where they were given some
  kOpWholeOnDevice = 512,  // composed, but one call on a device
};

// The rule and the kernel of an op that a user defined (custom_op.h).
class OpCode {
 public:
  virtual void Infer(const MetaSlot* in, const AttrValue* attrs, std::vector<Meta>* outs) const = 0;
  virtual void Run(const KernelContext& context, const InSlot* in, const AttrValue* attrs, OutSlot* outs) const = 0;

 protected:
  ~OpCode() = default;
};

struct OpDef {
  const char* name;
  std::vector<ArgDef> args;  // in the order of the C++ function
  std::vector<OutDef> outs;
  uint32_t flags = 0;
  // attrs are indexed by position among the attribute arguments, inputs by position among the tensor arguments.
  void (*infer)(const MetaSlot* in, const AttrValue* attrs, std::vector<Meta>* outs) = nullptr;
  void (*run)(const KernelContext& context, const InSlot* in, const AttrValue* attrs, OutSlot* outs) = nullptr;
  // Bytes that a call takes of a workspace (workspace.h), of tensors whose extents are known; null: none.
  int64_t (*workspace)(const MetaSlot* in, const AttrValue* attrs) = nullptr;
  const OpCode* code = nullptr;  // where it is set, in place of `infer` and `run`
  const OpDef* inplace_of = nullptr;
  // Of an op that writes in place: what it computes, whose result is then copied; else itself.
  const OpDef& computed() const { return inplace_of ? *inplace_of : *this; }
  std::vector<const ArgDef*> tensors, attrs;  // views into args

  OpDef(const char* n, std::vector<ArgDef> a, std::vector<OutDef> o, uint32_t f, decltype(infer) inf, decltype(run) r,
        decltype(workspace) w = nullptr);
  // One that FindCustomOp finds.
  OpDef(const char* n, std::vector<ArgDef> a, std::vector<OutDef> o, uint32_t f, const OpCode* c);
  OpDef(const OpDef&) = delete;

  void Infer(const MetaSlot* in, const AttrValue* values, std::vector<Meta>* results) const {
    code ? code->Infer(in, values, results) : infer(in, values, results);
  }
  void Run(const KernelContext& context, const InSlot* in, const AttrValue* values, OutSlot* results) const {
    code ? code->Run(context, in, values, results) : run(context, in, values, results);
  }
  // What its name begins with in programs.
  const char* dialect() const { return code ? "custom_op." : "pd_op."; }
};

// Null when there is no such op. Both "tanh" and "pd_op.tanh" are found, operators of users as "custom_op.name".
const OpDef* FindOpDef(std::string_view name);
const std::map<std::string, const OpDef*, std::less<>>& AllOpDefs();

// A typed reading of an attribute; numbers of any kind convert to the asked one (older programs widen or narrow them).
template <class T>
T AttrAs(const AttrValue& v, const char* op, const char* name);

// A kernel from elsewhere (plugin, custom op) that replaces `run` of an op for tensors of a dtype at a place.
using KernelFn = void (*)(void* self, const KernelContext& context, const OpDef& op, const InSlot* in,
                          const AttrValue* attrs, OutSlot* outs);
struct ExternalKernel {
  KernelFn fn = nullptr;
  void* self = nullptr;
};
struct NewKernel {
  std::string op;
  DataType dtype;
  Place place;
  ExternalKernel kernel;
};
void RegisterExternalKernels(const std::vector<NewKernel>& kernels);
const ExternalKernel* FindExternalKernel(const OpDef& op, DataType dtype, Place place);
// For which dtypes there is one.
std::vector<DataType> ExternalKernelTypes(const OpDef& op, Place place);
// A fact that stays once it is stated. Threads read it without order: what it speaks of has a lock of its own.
class LastingFact {
 public:
  operator bool() const { return stated_.load(std::memory_order_relaxed); }
  void State() { stated_.store(true, std::memory_order_relaxed); }

 private:
  std::atomic<bool> stated_{false};
};
// That there is a plugin device or an external kernel: generated ops look further only then.
extern LastingFact g_has_external_kernels;
// Runs the external kernel for the dtype of the arguments and the device among them (the CPU if they are all there).
// The dtype is the one that operands of an elementwise op meet in, to which they are cast, and else the first tensor's,
// or the first floating one's where integers (indices, labels) come before it. An op that the device has no kernel for
// runs on host copies. False when the op's own code is to run: on the CPU without an external kernel, and for views and
// compositions, which serve any place.
bool RunExternalKernel(const OpDef& op, const InSlot* in, const AttrValue* attrs, OutSlot* outs);
// The same for an op without tensor arguments: the external kernel for the dtype that its rule says, of the device
// where creation ops put their results. False when there is none.
bool CreateByKernel(const OpDef& op, const AttrValue* attrs, OutSlot* outs);

}  // namespace phi
