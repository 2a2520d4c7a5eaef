// SPDX-License-Identifier: Apache-2.0
// Operators of users, as paddle/extension.h declares them: PD_BUILD_OP and its gradients.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/phi/api/ext/optional.h"
#include "paddle/phi/core/custom_op.h"

namespace paddle {

// What the gradient of a tensor is called among the inputs and outputs of an operator.
inline std::string Grad(const std::string& name) { return name + "@GRAD"; }
// An input or output that is a list of tensors.
inline std::string Vec(const std::string& name) { return name + "@VECTOR"; }
// An input that may be absent, or an output that is absent where the input it is written over is.
inline std::string Optional(const std::string& name) { return name + "@OPTIONAL"; }
// A result of a second gradient whose name would else be an input's.
inline std::string New(const std::string& name) { return name + "@NEW"; }

namespace ext {

using phi::CustomCall;
using phi::CustomDtypes;
using phi::CustomShapes;
template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

// The next argument of a function: inputs first come, first served; attributes in the order of their declaration.
struct Cursor {
  size_t input = 0, attr = 0;
};

template <class T, class Facts>
T Attribute(const Facts& facts, Cursor& at) {
  return phi::CustomAttr<T>(facts.op, facts.attrs, at.attr++);
}

// What a kernel is given for a parameter: a tensor by reference, so that a kernel may put another in its place.
template <class T>
struct KernelArgument {
  using Held = T;
  static T Take(CustomCall& call, Cursor& at) { return Attribute<T>(call, at); }
};
template <>
struct KernelArgument<Tensor> {
  using Held = Tensor&;
  static Tensor& Take(CustomCall& call, Cursor& at) { return call.one(at.input++); }
};
template <>
struct KernelArgument<std::vector<Tensor>> {
  using Held = std::vector<Tensor>&;
  static std::vector<Tensor>& Take(CustomCall& call, Cursor& at) { return call.all(at.input++); }
};
template <>
struct KernelArgument<optional<Tensor>> {
  using Held = optional<Tensor>;
  static Held Take(CustomCall& call, Cursor& at) {
    const size_t i = at.input++;
    return call.has(i) ? Held(call.one(i)) : Held();
  }
};
template <>
struct KernelArgument<optional<std::vector<Tensor>>> {
  using Held = optional<std::vector<Tensor>>;
  static Held Take(CustomCall& call, Cursor& at) {
    const size_t i = at.input++;
    return call.has(i) ? Held(call.all(i)) : Held();
  }
};

inline void Collect(std::vector<Tensor>& out, const Tensor& t) { out.push_back(t); }
inline void Collect(std::vector<Tensor>& out, const std::vector<Tensor>& ts) {
  out.insert(out.end(), ts.begin(), ts.end());
}
template <class... T>
void Collect(std::vector<Tensor>& out, const std::tuple<T...>& ts) {
  std::apply([&](const auto&... t) { (Collect(out, t), ...); }, ts);
}

template <class F, F fn>
struct Kernel;
template <class R, class... A, R (*fn)(A...)>
struct Kernel<R (*)(A...), fn> {
  static void Run(CustomCall& call) {
    Cursor at;
    // Braces order the arguments.
    std::tuple<typename KernelArgument<Bare<A>>::Held...> held{KernelArgument<Bare<A>>::Take(call, at)...};
    std::apply(
        [&](auto&... x) {
          if constexpr (std::is_void_v<R>)
            fn(x...);
          else
            Collect(call.results, fn(x...));
        },
        held);
  }
};

// What a shape or dtype rule is given for a parameter: of an input while there are any, then attributes.
template <class Facts, class T>
T FactOrAttribute(const Facts& facts, Cursor& at) {
  using One = typename Facts::One;
  if constexpr (std::is_same_v<T, One>) {
    if (at.input < facts.inputs.size()) return facts.one(at.input++);
  }
  if constexpr (std::is_same_v<T, std::vector<One>>) {
    if (at.input < facts.inputs.size()) return facts.inputs[at.input++];
  }
  if constexpr (std::is_same_v<T, optional<One>>) {
    const size_t i = at.input++;
    return facts.has(i) ? T(facts.one(i)) : T();
  } else if constexpr (std::is_same_v<T, optional<std::vector<One>>>) {
    const size_t i = at.input++;
    return facts.has(i) ? T(facts.inputs[i]) : T();
  } else if constexpr (phi::IsCustomAttr<T>) {
    return Attribute<T>(facts, at);
  } else {
    facts.RaiseTooMany();
  }
}

template <class Facts, class F, F fn>
struct Rule;
template <class Facts, class R, class... A, R (*fn)(A...)>
struct Rule<Facts, R (*)(A...), fn> {
  static std::vector<typename Facts::One> Run(const Facts& facts) {
    Cursor at;
    std::tuple<Bare<A>...> held{FactOrAttribute<Facts, Bare<A>>(facts, at)...};
    auto made = std::apply([](auto&... x) { return fn(x...); }, held);
    if constexpr (std::is_same_v<decltype(made), typename Facts::One>)
      return {std::move(made)};
    else
      return made;
  }
};

}  // namespace ext

using KernelFunc = void (*)(phi::CustomCall&);
using InferShapeFunc = std::vector<std::vector<int64_t>> (*)(const phi::CustomShapes&);
using InferDtypeFunc = std::vector<phi::DataType> (*)(const phi::CustomDtypes&);

// One operator: order 0 is the operator itself, 1 its gradient, 2 the gradient of that.
class __attribute__((visibility("default"))) OpMetaInfoBuilder {
 public:
  OpMetaInfoBuilder(const std::string& name, int order);
  OpMetaInfoBuilder& Inputs(const std::vector<std::string>& names);
  OpMetaInfoBuilder& Outputs(const std::vector<std::string>& names);
  // "name: type", where type is bool, int, float, double, int64_t, std::string or a std::vector of int, float, int64_t
  // or std::string.
  OpMetaInfoBuilder& Attrs(const std::vector<std::string>& attrs);
  // The outputs that are the memory of inputs, which the kernel writes.
  OpMetaInfoBuilder& SetInplaceMap(const std::unordered_map<std::string, std::string>& inputs_to_outputs);
  OpMetaInfoBuilder& SetKernelFn(KernelFunc kernel);
  OpMetaInfoBuilder& SetInferShapeFn(InferShapeFunc rule);
  OpMetaInfoBuilder& SetInferDtypeFn(InferDtypeFunc rule);

 private:
  phi::CustomOp* op_;
};

}  // namespace paddle

#define PD_KERNEL(...) ::paddle::ext::Kernel<decltype(&__VA_ARGS__), &__VA_ARGS__>::Run
#define PD_INFER_SHAPE(...) ::paddle::ext::Rule<::phi::CustomShapes, decltype(&__VA_ARGS__), &__VA_ARGS__>::Run
#define PD_INFER_DTYPE(...) ::paddle::ext::Rule<::phi::CustomDtypes, decltype(&__VA_ARGS__), &__VA_ARGS__>::Run

#define PD_BUILD_OP(name) \
  [[maybe_unused]] static ::paddle::OpMetaInfoBuilder pd_op_##name = ::paddle::OpMetaInfoBuilder(#name, 0)
#define PD_BUILD_GRAD_OP(name) \
  [[maybe_unused]] static ::paddle::OpMetaInfoBuilder pd_grad_op_##name = ::paddle::OpMetaInfoBuilder(#name, 1)
#define PD_BUILD_DOUBLE_GRAD_OP(name) \
  [[maybe_unused]] static ::paddle::OpMetaInfoBuilder pd_double_grad_op_##name = ::paddle::OpMetaInfoBuilder(#name, 2)
