// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/uniform.h"

#include <algorithm>
#include <cmath>

#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, unit_f32, (const uint64_t* words, int64_t n, float* out))
PD_ISA_DECL(void, unit_f64, (const uint64_t* words, int64_t n, double* out))

namespace phi::cpu {
namespace {

constexpr int64_t kBlock = 312;  // an engine has as many numbers ahead of it

auto UnitFor(float) { return PD_ISA_CALL(unit_f32); }
auto UnitFor(double) { return PD_ISA_CALL(unit_f64); }

template <class T>
void Uniform(Mersenne64& engine, T* out, int64_t n) {
  const auto unit = UnitFor(T{});
  while (n > 0) {
    const auto words = engine.Ahead();
    const int64_t k = std::min<int64_t>(n, static_cast<int64_t>(words.size()));
    unit(words.data(), k, out);
    engine.Skip(static_cast<size_t>(k));
    out += k;
    n -= k;
  }
}

// Marsaglia's polar method: points of the unit circle, two numbers of each.
template <class T>
void Normal(Mersenne64& engine, T mean, T std, T* out, int64_t n) {
  const auto unit = UnitFor(T{});
  T u[kBlock + 1], x[kBlock / 2 + 1], y[kBlock / 2 + 1], factor[kBlock / 2 + 1];
  int64_t at[kBlock / 2 + 1];  // how many numbers precede the point
  int64_t held = 0;            // numbers of u that were drawn before, 0 or 1
  while (n > 0) {
    const auto words = engine.Ahead();
    const int64_t drawn = static_cast<int64_t>(words.size()), all = held + drawn;
    unit(words.data(), drawn, u + held);
    int64_t points = 0;
    for (int64_t i = 0; i + 1 < all; i += 2) {
      const T a = T(2) * u[i] - T(1), b = T(2) * u[i + 1] - T(1), r2 = a * a + b * b;
      x[points] = a;
      y[points] = b;
      factor[points] = r2;
      at[points] = i;
      points += !((r2 > T(1)) | (r2 == T(0)));
    }
    const int64_t wanted = (n + 1) / 2;
    const bool last = points >= wanted;
    points = std::min(points, wanted);
    engine.Skip(static_cast<size_t>(last ? at[points - 1] + 2 - held : drawn));
    held = all % 2;
    if (held) u[0] = u[all - 1];
    for (int64_t i = 0; i < points; ++i) factor[i] = T(-2) * std::log(factor[i]) / factor[i];
    for (int64_t i = 0; i < points; ++i) factor[i] = std::sqrt(factor[i]);
    const int64_t whole = std::min(points, n / 2);
    for (int64_t i = 0; i < whole; ++i) {
      out[2 * i] = y[i] * factor[i] * std + mean;
      out[2 * i + 1] = x[i] * factor[i] * std + mean;
    }
    if (whole < points) out[2 * whole] = y[whole] * factor[whole] * std + mean;
    out += 2 * points;
    n -= 2 * points;
  }
}

}  // namespace

void DrawUniform(Mersenne64& engine, float* out, int64_t n) { Uniform(engine, out, n); }
void DrawUniform(Mersenne64& engine, double* out, int64_t n) { Uniform(engine, out, n); }
void DrawKept(Mersenne64& engine, float p, uint8_t* kept, int64_t n) {
  float chunk[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t k = std::min(kBlock, n - at);
    Uniform(engine, chunk, k);
    for (int64_t i = 0; i < k; ++i) kept[at + i] = chunk[i] >= p;
  }
}
void DrawNormal(Mersenne64& engine, float mean, float std, float* out, int64_t n) { Normal(engine, mean, std, out, n); }
void DrawNormal(Mersenne64& engine, double mean, double std, double* out, int64_t n) {
  Normal(engine, mean, std, out, n);
}

}  // namespace phi::cpu
