// SPDX-License-Identifier: Apache-2.0
// Sampling from the likeliest places of each row of probabilities.
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "paddle/phi/core/generator.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/elementwise.h"
#include "paddle/phi/primitives/sort.h"

namespace phi {
namespace {

constexpr const char* kOp = "top_p_sampling";

void CheckColumn(const char* name, const Meta* given, Dim rows) {
  if (!given) return;
  PD_CHECK(!common::CertainlyDiffer(common::Product(given->dims), rows), InvalidArgument, "[", kOp, "] expected ", name,
           " of ", common::DimText(rows), " elements, one for each row of x, got shape ",
           common::ShapeText(given->dims));
}
// How many of the first n satisfy f, which holds for a leading part of them.
template <class F>
int64_t Leading(int64_t n, const F& f) {
  int64_t i = 0;
  while (i < n && f(i)) ++i;
  return i;
}

}  // namespace

void top_p_sampling_infer(const Meta& x, const Meta& ps, const Meta* threshold, const Meta* seeds, int64_t, int64_t k,
                          const std::string& mode, Meta& out, Meta& ids, Meta& top, Meta& top_ids) {
  PD_CHECK(x.dims.size() == 2 && !(x.dims[1].known() && x.dims[1].raw() == 0), InvalidArgument, "[", kOp,
           "] expected x [rows, places], got shape ", common::ShapeText(x.dims));
  PD_CHECK(IsFloating(x.dtype), InvalidType, "[", kOp, "] expected floating probabilities, got ", NameOf(x.dtype));
  PD_CHECK(mode == "truncated" || mode == "truncate" || mode == "non-truncated" || mode == "non-truncate",
           InvalidArgument, "[", kOp, "] expected mode 'truncated' or 'non-truncated', got '", mode, "'");
  CheckColumn("ps", &ps, x.dims[0]);
  CheckColumn("threshold", threshold, x.dims[0]);
  CheckColumn("topp_seed", seeds, x.dims[0]);
  PD_CHECK(k >= 0 && (!x.dims[1].known() || k <= x.dims[1].raw()), InvalidArgument, "[", kOp,
           "] expected k from 0 to the ", common::DimText(x.dims[1]), " places, got ", k);
  out = {Dims{x.dims[0], Dim(1)}, x.dtype};
  ids = {out.dims, DataType::INT64};
  top = {Dims{x.dims[0], Dim(std::max<int64_t>(k, 1))}, x.dtype};
  top_ids = {top.dims, DataType::INT64};
}

int64_t top_p_sampling_workspace(const Meta& x, const Meta&, const Meta*, const Meta*, int64_t, int64_t,
                                 const std::string&) {
  return WorkspaceFor(x.dims, x.dtype) + WorkspaceFor(x.dims, DataType::INT64) +
         ConvertedBytes(x, ComputeType(x.dtype));
}
void top_p_sampling_kernel(const KernelContext& context, const Tensor& x, const Tensor& ps, const Tensor& threshold,
                           const Tensor& seeds, int64_t seed, int64_t k, const std::string& mode, Tensor& out,
                           Tensor& ids, Tensor& top, Tensor& top_ids) {
  const int64_t rows = x.dim(0), n = x.dim(1), size = SizeOf(x.dtype()), kept = std::max<int64_t>(k, 1);
  if (rows == 0) return;
  const ScratchTensor ordered(x.dims(), x.dtype()), order(x.dims(), DataType::INT64);
  cpu::Sort(x.dtype(), x.raw_data(), rows, n, 1, true, ordered.tensor.raw_data(), order.tensor.data<int64_t>());
  // 0 means the generator to the engine.
  const auto of = [](int64_t given) { return given < 0 ? 0 : given % ((int64_t{1} << 31) - 1) + 1; };
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::optional<EngineFor> shared;
  if (!seeds.defined()) shared.emplace(context, of(seed));
  const bool truncated = mode.starts_with("truncate");
  std::vector<double> row(n);
  std::vector<float> sums(n);
  for (int64_t i = 0; i < rows; ++i) {
    const char* values = static_cast<const char*>(ordered.tensor.raw_data()) + i * n * size;
    const int64_t* places = order.tensor.data<int64_t>() + i * n;
    Convert(x.dtype(), values, 1, DataType::FLOAT64, row.data(), 1, n);
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sums[j] = sum += static_cast<float>(row[j]);
    const float wanted = ps.data<float>()[i];
    // The last of the places to draw from.
    int64_t last = std::min(Leading(n, [&](int64_t j) { return sums[j] < wanted; }), n - 1);
    if (threshold.defined()) {
      double least;
      Convert(x.dtype(), static_cast<const char*>(threshold.raw_data()) + i * size, 1, DataType::FLOAT64, &least, 1, 1);
      const int64_t likely = Leading(n, [&](int64_t j) { return row[j] >= least; });
      last = std::min(last, std::max<int64_t>(likely - 1, 0));
    }
    const float reach = truncated ? std::min(sums[last], wanted) : sums[last];
    const float draw = seeds.defined() ? uniform(*EngineFor(context, of(seeds.data<int64_t>()[i]))) : uniform(**shared);
    const int64_t at = std::min(Leading(n, [&](int64_t j) { return sums[j] <= draw * reach; }), last);
    const auto store = [&](const Tensor& to, int64_t first, int64_t count, const Tensor& numbers, int64_t from) {
      std::copy_n(values + from * size, count * size, static_cast<char*>(to.raw_data()) + first * size);
      std::copy_n(places + from, count, numbers.data<int64_t>() + first);
    };
    store(out, i, 1, ids, at);
    store(top, i * kept, kept, top_ids, 0);
  }
}

}  // namespace phi
