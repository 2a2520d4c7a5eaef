// SPDX-License-Identifier: Apache-2.0
// Row loops of a bias with an activation.
#include <stdint.h>

#include "paddle/phi/primitives/math.inc.h"

namespace phi::PD_ISA {
namespace {

// In the order of cpu::Activation.
struct None {
  template <class T>
  static T Of(T v) {
    return v;
  }
};
struct Relu {
  template <class T>
  static T Of(T v) {
    return select(v > T(0), v, select(v != v, v, T(0)));
  }
};
struct Gelu {
  template <class T>
  static T Of(T v) {
    return v * normal_cdf(v);
  }
};
struct Silu {
  template <class T>
  static T Of(T v) {
    return v * sigmoid(v);
  }
};
struct Sigmoid {
  template <class T>
  static T Of(T v) {
    return sigmoid(v);
  }
};
struct Tanh {
  template <class T>
  static T Of(T v) {
    return tanh(v);
  }
};

template <class Act, class T>
void Rows(const T* bias, int64_t rows, int64_t n, T* x) {
  for (int64_t r = 0; r < rows; ++r, x += n) {
    if (bias) {
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) x[j] = Act::Of(x[j] + bias[j]);
    } else {
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) x[j] = Act::Of(x[j]);
    }
  }
}

template <class T>
void Choose(int act, const void* bias, int64_t rows, int64_t n, void* x) {
  static constexpr decltype(&Rows<None, T>) kRows[] = {&Rows<None, T>, &Rows<Relu, T>,    &Rows<Gelu, T>,
                                                       &Rows<Silu, T>, &Rows<Sigmoid, T>, &Rows<Tanh, T>};
  kRows[act](static_cast<const T*>(bias), rows, n, static_cast<T*>(x));
}

}  // namespace

__attribute__((visibility("hidden"))) void bias_act_rows(int act, bool f64, const void* bias, int64_t rows, int64_t n,
                                                         void* x);
void bias_act_rows(int act, bool f64, const void* bias, int64_t rows, int64_t n, void* x) {
  if (f64)
    Choose<double>(act, bias, rows, n, x);
  else
    Choose<float>(act, bias, rows, n, x);
}

}  // namespace phi::PD_ISA
