// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/core/custom_op.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace phi {
namespace {

constexpr int kOrders = 3;
struct Table {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::array<CustomOp*, kOrders>>> declared;  // since the last registration
  std::map<std::string, const CustomOp*, std::less<>> registered;
};
// Operators stay: programs and gradients refer to them.
Table& Ops() {
  static auto* table = new Table;
  return *table;
}

template <class List>
int IndexOf(const List& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return -1;
}

// How many tensors each output has. The inputs that it is written over or the gradient of say it; one list of others
// has what `results`, of outputs that are written over nothing, leave.
// A kernel may return what it wrote over, too: `whole` is set where it did.
std::vector<size_t> CountsOf(const CustomOp& op, const std::vector<size_t>& inputs, size_t results, bool* whole) {
  std::vector<size_t> counts(op.outputs.size(), 1);
  int open = -1;
  size_t sum = 0, over = 0;
  for (size_t k = 0; k < counts.size(); ++k) {
    const int written = op.WrittenInput(k);
    const int input = written < 0 ? op.InputIndex(PrimalName(op.outputs[k].name)) : written;
    if (op.outputs[k].list && input < 0) {
      PD_CHECK(open < 0, InvalidArgument, "[", op.name,
               "] expected one list of new tensors among the outputs, got two");
      open = static_cast<int>(k);
      continue;
    }
    if (input >= 0 && (op.outputs[k].list || op.outputs[k].optional)) counts[k] = inputs[input];
    (written < 0 ? sum : over) += counts[k];
  }
  *whole = over > 0 && open < 0 && results == sum + over;
  if (*whole) sum += over;
  if (open >= 0) sum += counts[open] = results >= sum ? results - sum : 0;
  PD_CHECK(sum == results, InvalidArgument, "[", op.name, "] expected ", sum, " results, got ", results);
  return counts;
}

template <class Facts>
Facts FactsOf(const CustomOp& op, const AttrValue* attrs) {
  Facts f;
  f.op = op.name.c_str();
  f.inputs.resize(op.inputs.size());
  f.attrs.assign(attrs, attrs + op.attrs.size());
  return f;
}

Dims DimsOf(const CustomOp& op, const std::vector<int64_t>& shape) {
  Dims dims;
  for (int64_t extent : shape) {
    PD_CHECK(extent >= -1, InvalidArgument, "[", op.name,
             "] expected extents of at least -1 from the shape function, got ", extent);
    dims.push_back(extent < 0 ? common::NewSymbol() : common::Dim(extent));
  }
  return dims;
}

// Whether its only result is as its only input, as no rule says otherwise.
bool IsPlainUnary(const CustomOp& op) {
  return !op.shapes && op.inputs.size() == 1 && !op.inputs[0].list && op.outputs.size() == 1 && !op.outputs[0].list;
}

void Check(const CustomOp& op) {
  PD_CHECK(op.kernel, InvalidArgument, "[", op.name, "] expected a kernel (SetKernelFn), got none");
  for (const CustomOp::Attr& a : op.attrs)
    PD_CHECK(a.index != 0, InvalidArgument, "[", op.name,
             "] expected attributes as \"name: type\" with type bool, int, int64_t, float, double, std::string or a "
             "std::vector of int, int64_t, float, std::string, got \"",
             a.name, ": ", a.type, "\"");
  PD_CHECK(!op.outputs.empty() || !op.inplace.empty(), InvalidArgument, "[", op.name, "] expected outputs, got none");
  for (auto& [input, output] : op.inplace) {
    const int i = op.InputIndex(input), k = op.OutputIndex(output);
    PD_CHECK(i >= 0 && k >= 0, InvalidArgument, "[", op.name,
             "] expected SetInplaceMap to name inputs and outputs, got '", input, "' and '", output, "'");
    PD_CHECK(op.inputs[i].list == op.outputs[k].list, InvalidArgument, "[", op.name, "] expected '", input, "' and '",
             output, "' of SetInplaceMap to be both lists or both not, got one list");
  }
}

void CheckGrad(const CustomOp& op, const CustomOp& grad) {
  for (const CustomOp::Operand& o : grad.inputs)
    PD_CHECK(op.InputIndex(o.name) >= 0 || op.OutputIndex(o.name) >= 0 || op.OutputIndex(PrimalName(o.name)) >= 0,
             InvalidArgument, "[", grad.name, "] expected inputs, outputs and gradients of outputs of ", op.name,
             ", got '", o.name, "'");
  for (const CustomOp::Operand& o : grad.outputs)
    PD_CHECK(op.InputIndex(PrimalName(o.name)) >= 0, InvalidArgument, "[", grad.name,
             "] expected gradients of inputs of ", op.name, " as outputs, got '", o.name, "'");
  for (const CustomOp::Attr& a : grad.attrs) {
    const int i = op.AttrIndex(a.name);
    PD_CHECK(i >= 0 && op.attrs[i].index == a.index, InvalidArgument, "[", grad.name, "] expected attributes of ",
             op.name, ", got '", a.name, ": ", a.type, "'");
  }
}

void Define(CustomOp* op) {
  std::vector<ArgDef> args;
  for (const CustomOp::Operand& o : op->inputs)
    args.push_back({o.name.c_str(),
                    o.list ? ArgDef::kTensorList : (o.optional ? ArgDef::kOptionalTensor : ArgDef::kTensor),
                    0,
                    {}});
  for (const CustomOp::Attr& a : op->attrs) args.push_back({a.name.c_str(), ArgDef::kAttr, a.index, {}});
  std::vector<OutDef> outs;
  for (size_t k = 0; k < op->outputs.size(); ++k) {
    const int written = op->WrittenInput(k);
    outs.push_back({op->outputs[k].name.c_str(), op->outputs[k].list, op->outputs[k].optional,
                    written < 0 ? nullptr : op->inputs[written].name.c_str()});
  }
  // What its code does is not known: it is run as often as it is called, and never merged with another call.
  uint32_t flags = kOpSideEffect | kOpRandom | kOpComposed | kOpAllocates;
  if (!op->inplace.empty()) flags |= kOpInplace;
  op->def = new OpDef(op->name.c_str(), std::move(args), std::move(outs), flags, op);
}

}  // namespace

std::string_view PrimalName(std::string_view name) {
  constexpr std::string_view mark = "@GRAD";
  if (name.size() <= mark.size() || name.substr(name.size() - mark.size()) != mark) return {};
  return name.substr(0, name.size() - mark.size());
}

int CustomOp::InputIndex(std::string_view input) const { return IndexOf(inputs, input); }
int CustomOp::OutputIndex(std::string_view output) const { return IndexOf(outputs, output); }
int CustomOp::AttrIndex(std::string_view attr) const { return IndexOf(attrs, attr); }

int CustomOp::WrittenInput(size_t output) const {
  for (auto& [from, to] : inplace)
    if (to == outputs[output].name) return InputIndex(from);
  return -1;
}

int CustomOp::OutputOver(size_t input) const {
  for (auto& [from, to] : inplace)
    if (from == inputs[input].name) return OutputIndex(to);
  return -1;
}

void CustomOp::Infer(const MetaSlot* in, const AttrValue* values, std::vector<Meta>* outs) const {
  auto given_shapes = FactsOf<CustomShapes>(*this, values);
  auto given_dtypes = FactsOf<CustomDtypes>(*this, values);
  std::vector<size_t> lengths(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    lengths[i] = in[i].n;
    for (int j = 0; j < in[i].n; ++j) {
      std::vector<int64_t> shape;
      for (common::Dim d : in[i].p[j].dims) shape.push_back(d.visible());
      given_shapes.inputs[i].push_back(std::move(shape));
      given_dtypes.inputs[i].push_back(in[i].p[j].dtype);
    }
  }
  // Without a rule: what it is written over, what it is the gradient of, or the only input.
  auto source = [&](size_t k) {
    int i = WrittenInput(k);
    if (i < 0) i = InputIndex(PrimalName(outputs[k].name));
    if (i < 0 && grad_of)  // the gradient of what the operator writes over
      for (auto& [from, to] : grad_of->inplace)
        if (from == PrimalName(outputs[k].name)) i = InputIndex(to + "@GRAD");
    if (i < 0 && grad_of && IsPlainUnary(*grad_of)) i = InputIndex(grad_of->outputs[0].name + "@GRAD");
    if (i < 0 && inputs.size() == 1 && !inputs[0].list) i = 0;
    return i;
  };
  std::vector<std::vector<int64_t>> made_shapes;
  std::vector<DataType> made_dtypes;
  if (shapes) made_shapes = shapes(given_shapes);
  if (dtypes) made_dtypes = dtypes(given_dtypes);
  PD_CHECK(!shapes || !dtypes || made_shapes.size() == made_dtypes.size(), InvalidArgument, "[", name,
           "] expected as many dtypes as shapes, got ", made_dtypes.size(), " and ", made_shapes.size());
  std::vector<size_t> counts;
  bool whole = false;
  if (shapes || dtypes) counts = CountsOf(*this, lengths, shapes ? made_shapes.size() : made_dtypes.size(), &whole);
  size_t at = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const int from = source(k), written = WrittenInput(k);
    PD_CHECK(from >= 0 || (shapes && dtypes), Unimplemented, "[", name, "] expected functions for shape and dtype of '",
             outputs[k].name, "' (SetInferShapeFn, SetInferDtypeFn) to record it, got ",
             shapes   ? "none for the dtype"
             : dtypes ? "none for the shape"
                      : "none");
    const size_t n = counts.empty() ? static_cast<size_t>(in[from].n) : counts[k];
    for (size_t j = 0; j < n; ++j) {
      Meta m;
      if (from >= 0 && static_cast<int>(j) < in[from].n) m = in[from].p[j];
      if (written < 0) {
        if (dtypes) m.dtype = made_dtypes[at];
        if (shapes) m.dims = DimsOf(*this, made_shapes[at]);
      }
      at += written < 0 || whole;
      outs[k].push_back(std::move(m));
    }
  }
}

void CustomOp::Run(const KernelContext&, const InSlot* in, const AttrValue* values, OutSlot* outs) const {
  auto call = FactsOf<CustomCall>(*this, values);
  std::vector<size_t> lengths(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    for (int j = 0; j < in[i].n; ++j)
      if (in[i].p[j].defined()) {
        call.inputs[i].push_back(Contiguous(in[i].p[j]));
        ++lengths[i];
      }
  kernel(call);
  bool whole = false;
  const std::vector<size_t> counts = CountsOf(*this, lengths, call.results.size(), &whole);
  size_t at = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const int written = WrittenInput(k);
    std::vector<Tensor> results;
    for (size_t j = 0; j < counts[k]; ++j) {
      if (written < 0) {
        Tensor& r = call.results[at++];
        PD_CHECK(r.defined() || outputs[k].optional, InvalidArgument, "[", name, "] expected a tensor for '",
                 outputs[k].name, "', got an undefined one");
        for (const auto& list : call.inputs)
          for (const Tensor& t : list)
            if (r.is_same(t)) r = AliasOf(t);
        results.push_back(std::move(r));
        continue;
      }
      // The kernel may have written a copy, or put another tensor in the place of the one it was given, or return it.
      const Tensor &x = in[written].p[j], &r = whole ? call.results[at++] : call.inputs[written][j];
      PD_CHECK(r.defined() && r.dims() == x.dims(), InvalidArgument, "[", name, "] expected '", outputs[k].name,
               "' to keep the shape of the tensor it is written over, got ",
               r.defined() ? common::ShapeText(r.dims()) : "none");
      if (r->storage().get() != x->storage().get()) CopyInto(r, x);
      results.push_back(x);
    }
    if (outs[k].list)
      *outs[k].list = std::move(results);
    else if (outs[k].p && !results.empty())
      *outs[k].p = std::move(results[0]);
  }
}

CustomOp* DeclareCustomOp(const std::string& name, int order) {
  static constexpr const char* kSuffix[] = {"", "_grad", "_grad_grad"};
  Table& table = Ops();
  const std::lock_guard lock(table.mutex);
  auto it = std::find_if(table.declared.begin(), table.declared.end(), [&](auto& d) { return d.first == name; });
  if (it == table.declared.end() || it->second[order]) {
    table.declared.push_back({name, {}});
    it = table.declared.end() - 1;
  }
  auto* op = new CustomOp;
  op->name = name + kSuffix[order];
  it->second[order] = op;
  return op;
}

std::vector<const CustomOp*> RegisterCustomOps() {
  Table& table = Ops();
  const std::lock_guard lock(table.mutex);
  auto declared = std::move(table.declared);
  table.declared.clear();
  std::vector<const CustomOp*> made;
  for (auto& [name, orders] : declared) {
    PD_CHECK(orders[0], InvalidArgument, "[", name, "] expected PD_BUILD_OP beside the gradient, got none");
    PD_CHECK(orders[1] || !orders[2], InvalidArgument, "[", name,
             "] expected PD_BUILD_GRAD_OP beside the second gradient, got none");
    PD_CHECK(!FindOpDef(name), AlreadyExists, "[", name,
             "] expected a name that no operator has, got that of one of the library");
    for (int k = 0; k < kOrders; ++k) {
      if (!orders[k]) continue;
      Check(*orders[k]);
      if (k > 0) CheckGrad(*orders[k - 1], *orders[k]);
    }
  }
  for (auto& [name, orders] : declared)
    for (int k = 0; k < kOrders; ++k) {
      CustomOp* op = orders[k];
      if (!op) continue;
      if (k + 1 < kOrders && orders[k + 1]) {
        op->grad = orders[k + 1];
        op->grad->grad_of = op;
      }
      Define(op);
      table.registered[op->name] = op;
      if (k == 0) made.push_back(op);
    }
  return made;
}

const CustomOp* FindCustomOp(std::string_view name) {
  Table& table = Ops();
  const std::lock_guard lock(table.mutex);
  auto it = table.registered.find(name);
  return it == table.registered.end() ? nullptr : it->second;
}

}  // namespace phi
