// SPDX-License-Identifier: Apache-2.0
// Draws on NVIDIA GPUs by the device's own generator.
#include <algorithm>
#include <bit>
#include <initializer_list>

#include "paddle/cinn/codegen/ptx.h"
#include "paddle/cinn/device_launch.h"
#include "paddle/phi/core/generator.h"

namespace cinn {

using phi::DataType;

const void* DrawForms::KeyOf(int64_t n, int64_t round, int64_t threads, int64_t seed,
                             std::vector<int64_t>* numbers) const {
  if (phi::HostDraws::Asked()) throw phi::NoDeviceForm{"a generator of the host"};
  phi::DrawKey key{static_cast<uint64_t>(seed)};
  if (seed == 0 && n) key = phi::TakeDraws(place_, 4 * static_cast<uint64_t>((n + round - 1) / round));
  *numbers = {n, threads, static_cast<int64_t>(key.seed), static_cast<int64_t>(key.offset)};
  return key.base;
}

void DrawForms::Random(const phi::Draw& d, DataType t, int64_t n, int64_t seed, void* out) const {
  const bool integer = d.kind == phi::DrawKind::kInteger;
  if (integer ? t != DataType::INT32 && t != DataType::INT64 : !phi::IsFloating(t))
    throw phi::NoDeviceForm{"random numbers of this dtype"};
  const char* names[] = {"uniform", "normal", "exponential", "integer", "truncated"};
  const std::string kernel = KernelOf(names[static_cast<int>(d.kind)], t);
  const int64_t threads = std::min((n + kGpuThreads - 1) / kGpuThreads, most_threads_ / kGpuThreads) * kGpuThreads;
  const int64_t count = (integer ? d.wide : t == DataType::FLOAT64) ? 2 : 4;
  std::vector<int64_t> numbers;
  const void* base = KeyOf(n, count * threads, threads, seed, &numbers);
  auto add = [&](std::initializer_list<double> values) {
    for (double v : values) numbers.push_back(std::bit_cast<int64_t>(v));
  };
  if (integer)
    numbers.insert(numbers.end(), {d.low, static_cast<int64_t>(d.range), d.wide});
  else
    add({d.a, d.b});
  if (d.kind == phi::DrawKind::kTruncated) add({d.mean, d.deviation, d.lower, d.upper});
  Each(kernel, threads, {out, base}, numbers);
}

void DrawForms::Dropout(DataType t, int64_t n, const void* x, double probability, double factor, int64_t seed,
                        void* out, uint8_t* keep) const {
  if (!phi::IsFloating(t)) throw phi::NoDeviceForm{"dropout of this dtype"};
  const int64_t parts = (n + 3) / 4;
  std::vector<int64_t> numbers;
  const void* base = KeyOf(n, 4 * most_threads_, most_threads_, seed, &numbers);
  numbers.insert(numbers.end(), {std::bit_cast<int64_t>(probability), std::bit_cast<int64_t>(factor)});
  Each(KernelOf("dropout", t), parts, {x, out, keep, base}, numbers);
}

int64_t DrawForms::Variates(phi::VariateKind kind, DataType t, int64_t n, const void* x, const void* y,
                            void* out) const {
  const bool four = kind == phi::VariateKind::kBernoulli, gamma = kind == phi::VariateKind::kGamma;
  const char* names[] = {"bernoulli", "poisson", "gamma", "binomial"};
  const std::string kernel = KernelOf(names[static_cast<int>(kind)], t);
  std::vector<int64_t> numbers;
  const void* base = KeyOf(n, four ? 4 * most_threads_ : n, most_threads_, 0, &numbers);
  if (gamma) {
    Each(kernel, n, {x, out, base}, numbers);
    return -1;
  }
  const Wrong wrong(*this, kind != phi::VariateKind::kBernoulli);
  numbers.push_back(wrong.instead());
  if (kind == phi::VariateKind::kBinomial)
    Each(kernel, n, {x, y, out, wrong.at(), base}, numbers);
  else
    Each(kernel, four ? (n + 3) / 4 : n, {x, out, wrong.at(), base}, numbers);
  return wrong.Least();
}

void DrawForms::LeakyNoise(DataType t, int64_t n, const void* x, void* noise, void* out) const {
  Each(KernelOf("leaky_noise", t), n, {x, noise, out}, {n});
}
void DrawForms::Shares(DataType t, int64_t rows, int64_t k, void* x) const {
  Each(KernelOf("shares", t), rows, {x}, {rows, k});
}

// With replacement, by running sums and a uniform number each; else the largest quotients by exponential numbers.
int64_t DrawForms::PickPlaces(DataType t, int64_t rows, int64_t n, int64_t k, bool again, const void* x,
                              int64_t* out) const {
  if (!phi::IsFloating(t)) throw phi::NoDeviceForm{"weights that are not floating"};
  const int64_t all = rows * n;
  if (again) {
    constexpr int64_t kMostRows = 65535;  // of one round of PaddlePaddle's kernel, device_variates.inc.h has the same
    std::vector<int64_t> numbers;
    const void* base = KeyOf(rows * k, kMostRows * k, most_threads_, 0, &numbers);
    const Wrong wrong(*this);
    const auto sums = Room(all * 8);
    Launch(KernelOf("running_sums", t), rows, {x, sums.get(), wrong.at()}, {rows, n, all, wrong.instead()});
    numbers.insert(numbers.end(), {rows, n});
    Each(KernelOf("falls", t), rows * k, {x, sums.get(), out, base}, numbers);
    return wrong.Least();
  }
  const DataType wide = phi::ComputeType(t);
  const auto keys = Room(all * phi::SizeOf(wide));
  Random({.kind = phi::DrawKind::kExponential, .a = 1}, wide, all, 0, keys.get());
  const Wrong wrong(*this);
  Each(KernelOf("keys", t), all, {x, keys.get(), wrong.at()}, {all, wrong.instead()});
  if (k == 1)
    ArgReduce(true, wide, keys.get(), rows, n, 1, DataType::INT64, out);
  else
    Order(wide, keys.get(), rows, n, 1, k, true, nullptr, out);
  Each(KernelOf("drawable", wide), rows * k, {keys.get(), out, wrong.at()}, {rows, k, n, all, wrong.instead()});
  return wrong.Least();
}

}  // namespace cinn
