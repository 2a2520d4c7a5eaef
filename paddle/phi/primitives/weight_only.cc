// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/primitives/weight_only.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/primitives/isa.h"

PD_ISA_DECL(void, quantized_dots,
            (bool half_bytes, const int8_t* w, int64_t rows, int64_t k, int64_t group, const float* scales,
             int64_t columns, int64_t valid, const float* x, float* out))
PD_ISA_DECL(int32_t, int8_dot, (bool vnni, const int8_t* x, const int8_t* w, int64_t k))

namespace phi::cpu {
namespace {

// Up to so many rows of x meet the stored bytes; more of them meet numbers made of the bytes once.
constexpr int64_t kFewRows = 8;
// Stored rows whose scales are copied together, from lines of memory that they fill.
constexpr int64_t kBlock = 64;
// Numbers of 8 bits whose products int32 sums.
constexpr int64_t kDepth = int64_t{1} << 15;

int8_t Low(int8_t byte) { return static_cast<int8_t>(static_cast<int8_t>(static_cast<uint8_t>(byte) << 4) >> 4); }
int8_t High(int8_t byte) { return static_cast<int8_t>(byte >> 4); }
int64_t GrainOf(int64_t work) { return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, work)); }

// Column j, to `out`.
void DequantizeColumn(const QuantizedWeight& w, int64_t j, int64_t stride, float* out) {
  const int8_t* row = w.bytes + (w.half_bytes ? j / 2 : j) * w.k;
  for (int64_t p = 0; p < w.k; ++p) {
    const int8_t v = !w.half_bytes ? row[p] : j % 2 ? High(row[p]) : Low(row[p]);
    out[p * stride] = static_cast<float>(v) * w.scales[p / w.group * w.n + j];
  }
}

// A row of x in 8 bits, 0 where `skip` says so; the scale of its numbers.
float RoundRow(const float* x, int64_t k, const std::vector<char>& skip, int8_t* out) {
  float most = 0;
  for (int64_t p = 0; p < k; ++p)
    if (!skip[p]) most = std::max(most, std::fabs(x[p]));
  const float scale = most > 0 ? most / 127 : 1;
  for (int64_t p = 0; p < k; ++p) out[p] = skip[p] ? 0 : static_cast<int8_t>(std::nearbyint(x[p] / scale));
  return scale;
}

}  // namespace

void QuantizeWeight(const float* w, int64_t n, int64_t k, bool half_bytes, int64_t group, int8_t* bytes,
                    float* scales) {
  const float limit = half_bytes ? 7 : 127;
  const int64_t rows = half_bytes ? (n + 1) / 2 : n;
  auto number = [&](int64_t p, int64_t j) { return std::isfinite(w[p * n + j]) ? w[p * n + j] : 0.0f; };
  ParallelFor(0, rows, GrainOf(k), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t first = half_bytes ? 2 * r : r, last = std::min(n, half_bytes ? first + 2 : first + 1);
      std::fill_n(bytes + r * k, k, int8_t{0});
      for (int64_t j = first; j < last; ++j)
        for (int64_t start = 0; start < k; start += group) {
          const int64_t stop = std::min(k, start + group);
          float most = 0;
          for (int64_t p = start; p < stop; ++p) most = std::max(most, std::fabs(number(p, j)));
          const float scale = most / limit;
          scales[start / group * n + j] = scale;
          for (int64_t p = start; p < stop; ++p) {
            const float v = scale > 0 ? std::clamp(std::round(number(p, j) / scale), -limit, limit) : 0;
            const int8_t q = static_cast<int8_t>(v);
            int8_t& to = bytes[r * k + p];
            to = !half_bytes ? q : static_cast<int8_t>(j > first ? (to & 15) | q * 16 : (q & 15));
          }
        }
    }
  });
}

void DequantizeWeight(const QuantizedWeight& w, bool transposed, float* out) {
  if (const DeviceForms* d = FormsHere())
    return d->ForEach("dequantize", DataType::UNDEFINED, w.n * w.k, {w.bytes, w.scales, out},
                      {w.n * w.k, w.n, w.k, w.group, w.half_bytes, transposed});
  ParallelFor(0, w.n, GrainOf(w.k), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j)
      transposed ? DequantizeColumn(w, j, w.n, out + j) : DequantizeColumn(w, j, 1, out + j * w.k);
  });
}

void MultiplyQuantized(const float* x, int64_t m, const QuantizedWeight& w, float* out) {
  if (const DeviceForms* d = FormsHere()) {
    const auto numbers = d->Room(w.n * w.k * 4);
    DequantizeWeight(w, false, static_cast<float*>(numbers.get()));
    const int64_t rows[] = {m, w.k}, stored[] = {w.n, w.k}, strides[] = {w.k, 1};
    return d->Matmul(DataType::FLOAT32, x, rows, strides, false, numbers.get(), stored, strides, true, nullptr, out);
  }
  if (m > kFewRows) {
    const int64_t block = std::clamp<int64_t>((int64_t{1} << 20) / std::max<int64_t>(w.k, 1), 64, 4096);
    std::vector<float> numbers;
    for (int64_t first = 0; first < w.n; first += block) {
      const int64_t count = std::min(block, w.n - first);
      numbers.resize(count * w.k);
      ParallelFor(0, count, GrainOf(w.k), [&](int64_t begin, int64_t end) {
        for (int64_t j = begin; j < end; ++j) DequantizeColumn(w, first + j, 1, numbers.data() + j * w.k);
      });
      Gemm(DataType::FLOAT32, 0, 1, m, count, w.k, 1, x, w.k, numbers.data(), w.k, 0, out + first, w.n);
    }
    return;
  }
  auto dots = PD_ISA_CALL(quantized_dots);
  const int64_t rows = w.stored_rows(), each = w.half_bytes ? 2 : 1;
  ParallelFor(0, (rows + kBlock - 1) / kBlock, GrainOf(kBlock * w.k * m / 4), [&](int64_t begin, int64_t end) {
    std::vector<float> scales((w.k + w.group - 1) / w.group * kBlock * each);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b * kBlock, count = std::min(kBlock, rows - first), column = first * each,
                    valid = std::min(kBlock * each, w.n - column);
      for (int64_t start = 0; start < w.k; start += w.group)
        std::copy_n(w.scales + start / w.group * w.n + column, valid, &scales[start / w.group * kBlock * each]);
      for (int64_t r = 0; r < m; ++r)
        dots(w.half_bytes, w.bytes + first * w.k, count, w.k, w.group, scales.data(), kBlock * each, valid, x + r * w.k,
             out + r * w.n + column);
    }
  });
}

void MultiplyInt8(const float* x, int64_t m, const QuantizedWeight& w, double threshold, float* out) {
  if (FormsHere()) throw NoDeviceForm{"a product of 8 bits"};
  const int64_t k = w.k;
  std::vector<char> large(k, 0);
  for (int64_t r = 0; r < m; ++r)
    for (int64_t p = 0; p < k; ++p)
      if (!(std::fabs(x[r * k + p]) <= threshold) || std::isinf(x[r * k + p])) large[p] = 1;
  std::vector<int64_t> places;
  for (int64_t p = 0; p < k; ++p)
    if (large[p]) places.push_back(p);
  std::vector<int8_t> rounded(m * k);
  std::vector<float> scales(m);
  for (int64_t r = 0; r < m; ++r) scales[r] = RoundRow(x + r * k, k, large, rounded.data() + r * k);
  auto dot = PD_ISA_CALL(int8_dot);
  const bool vnni = HasAvx512Vnni();
  ParallelFor(0, w.n, GrainOf(k * m / 8), [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      const int8_t* row = w.bytes + j * k;
      for (int64_t r = 0; r < m; ++r) {
        double sum = 0, rest = 0;
        for (int64_t start = 0; start < k; start += kDepth)
          sum += dot(vnni, rounded.data() + r * k + start, row + start, std::min(kDepth, k - start));
        for (int64_t p : places) rest += static_cast<double>(x[r * k + p]) * row[p];
        out[r * w.n + j] = static_cast<float>((sum * scales[r] + rest) * w.scales[j]);
      }
    }
  });
}

}  // namespace phi::cpu
