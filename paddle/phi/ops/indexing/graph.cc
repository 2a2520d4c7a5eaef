// SPDX-License-Identifier: Apache-2.0
// Sampling of neighbours in compressed column form, and numbers for the nodes found.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/core/generator.h"
#include "paddle/phi/ops/indexing/axis.h"
#include "paddle/phi/primitives/dispatch.h"

namespace phi {
namespace {

// A list of nodes, edges or counts: [n] or [n, 1], int32 or int64.
void CheckList(const char* op, const char* name, const Meta& m) {
  PD_CHECK_DTYPE(m.dtype == DataType::INT32 || m.dtype == DataType::INT64, "[", op, "] expected ", name,
                 " of dtype int32 or int64, got ", NameOf(m.dtype));
  const bool flat = m.dims.size() == 1 || (m.dims.size() == 2 && !common::CertainlyDiffer(m.dims[1], Dim(1)));
  PD_CHECK(flat, InvalidArgument, "[", op, "] expected ", name, " of shape [n] or [n, 1], got ",
           common::ShapeText(m.dims));
}
// f(Tag<T>) for the element type of a list.
template <class F>
void DispatchList(DataType t, F&& f) {
  if (t == DataType::INT32)
    f(cpu::Tag<int32_t>{});
  else
    f(cpu::Tag<int64_t>{});
}
void CheckSameDtype(const char* op, const char* name, const Meta& m, const char* first, const Meta& x) {
  PD_CHECK(m.dtype == x.dtype, InvalidArgument, "[", op, "] expected ", name, " of the dtype of ", first, ", ",
           NameOf(x.dtype), ", got ", NameOf(m.dtype));
}
void CheckLength(const char* op, const char* name, const Tensor& t, int64_t edges) {
  PD_CHECK(t.numel() == edges, InvalidArgument, "[", op, "] expected ", name, " of ", edges, " edges, got ", t.numel());
}

void SampleInfer(const char* op, const Meta& row, const Meta& colptr, const Meta& nodes, const Meta* eids,
                 bool return_eids, Meta& out, Meta& count, Meta& out_eids) {
  CheckList(op, "row", row);
  CheckList(op, "colptr", colptr);
  CheckList(op, "input_nodes", nodes);
  CheckSameDtype(op, "colptr", colptr, "row", row);
  CheckSameDtype(op, "input_nodes", nodes, "row", row);
  PD_CHECK(eids || !return_eids, InvalidArgument, "[", op, "] expected eids for return_eids=True, got None");
  if (return_eids) {
    CheckList(op, "eids", *eids);
    CheckSameDtype(op, "eids", *eids, "row", row);
  }
  const Dim found = common::NewSymbol();
  out = {Dims{found}, row.dtype};
  count = {Dims{nodes.dims[0]}, DataType::INT32};
  out_eids = return_eids ? out : Meta{Dims{Dim(0)}, DataType::FLOAT32};
}

// Tells for node after node which of its edges [lo, hi) are sampled: calls pick(lo, hi, chosen), which appends to
// `chosen`, where there are more than `size` of them, else takes all.
template <class Pick>
void Sample(const char* op, const Tensor& row, const Tensor& colptr, const Tensor& nodes, const Tensor& eids,
            int64_t size, bool return_eids, Tensor& out, Tensor& count, Tensor& out_eids, Pick&& pick) {
  EnsureOut(count, Ints{nodes.numel()}, DataType::INT32);
  if (return_eids) CheckLength(op, "eids", eids, row.numel());
  std::vector<int64_t> chosen;
  DispatchList(row.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < nodes.numel(); ++i) {
      const int64_t node = nodes.data<T>()[i];
      PD_CHECK(node >= 0 && node < colptr.numel() - 1, OutOfRange, "[", op, "] expected input_nodes in [0, ",
               std::max<int64_t>(colptr.numel() - 1, 0), "), got ", node);
      const int64_t lo = colptr.data<T>()[node], hi = colptr.data<T>()[node + 1];
      PD_CHECK(0 <= lo && lo <= hi && hi <= row.numel(), OutOfRange, "[", op, "] expected colptr to rise from 0 to ",
               row.numel(), ", got ", lo, " and ", hi, " for node ", node);
      const int64_t before = static_cast<int64_t>(chosen.size());
      if (size < 0 || hi - lo <= size) {
        chosen.resize(before + hi - lo);
        std::iota(chosen.begin() + before, chosen.end(), lo);
      } else {
        pick(lo, hi, chosen);
      }
      count.data<int32_t>()[i] = static_cast<int32_t>(static_cast<int64_t>(chosen.size()) - before);
    }
    auto gather = [&](const Tensor& from, Tensor& to) {
      EnsureOut(to, Ints{static_cast<int64_t>(chosen.size())}, row.dtype());
      std::transform(chosen.begin(), chosen.end(), to.data<T>(), [&](int64_t e) { return from.data<T>()[e]; });
    };
    gather(row, out);
    if (return_eids)
      gather(eids, out_eids);
    else
      EnsureOut(out_eids, Ints{0}, DataType::FLOAT32);
  });
}

}  // namespace

void graph_sample_neighbors_infer(const Meta& row, const Meta& colptr, const Meta& x, const Meta* eids, const Meta*,
                                  int64_t, bool return_eids, bool, Meta& out, Meta& count, Meta& out_eids) {
  SampleInfer("sample_neighbors", row, colptr, x, eids, return_eids, out, count, out_eids);
}
void graph_sample_neighbors_kernel(const KernelContext& context, const Tensor& row, const Tensor& colptr,
                                   const Tensor& x, const Tensor& eids, const Tensor&, int64_t size, bool return_eids,
                                   bool, Tensor& out, Tensor& count, Tensor& out_eids) {
  EngineFor e(context, 0);
  // The first `size` steps of a shuffle of 0, 1, ..., undone after each node: no node costs more than what it gives.
  std::vector<int64_t> order, swapped;
  std::uniform_int_distribution<int64_t> draw;
  using Range = std::uniform_int_distribution<int64_t>::param_type;
  auto pick = [&](int64_t lo, int64_t hi, std::vector<int64_t>& chosen) {
    for (int64_t i = static_cast<int64_t>(order.size()); i < hi - lo; ++i) order.push_back(i);
    swapped.resize(size);
    for (int64_t k = 0; k < size; ++k) {
      swapped[k] = draw(*e, Range(k, hi - lo - 1));
      std::swap(order[k], order[swapped[k]]);
      chosen.push_back(lo + order[k]);
    }
    for (int64_t k = size; k-- > 0;) std::swap(order[k], order[swapped[k]]);
  };
  Sample("sample_neighbors", row, colptr, x, eids, size, return_eids, out, count, out_eids, pick);
}

void weighted_sample_neighbors_infer(const Meta& row, const Meta& colptr, const Meta& weight, const Meta& nodes,
                                     const Meta* eids, int64_t, bool return_eids, Meta& out, Meta& count,
                                     Meta& out_eids) {
  SampleInfer("weighted_sample_neighbors", row, colptr, nodes, eids, return_eids, out, count, out_eids);
  PD_CHECK(weight.dtype == DataType::FLOAT32, InvalidArgument,
           "[weighted_sample_neighbors] expected edge_weight of dtype float32, got ", NameOf(weight.dtype));
}
void weighted_sample_neighbors_kernel(const KernelContext& context, const Tensor& row, const Tensor& colptr,
                                      const Tensor& weight, const Tensor& nodes, const Tensor& eids, int64_t size,
                                      bool return_eids, Tensor& out, Tensor& count, Tensor& out_eids) {
  constexpr const char* kOp = "weighted_sample_neighbors";
  CheckLength(kOp, "edge_weight", weight, row.numel());
  EngineFor e(context, 0);
  std::exponential_distribution<double> draw(1.0);
  std::vector<std::pair<double, int64_t>> times;
  // The edges whose exponential clocks, each at the rate of its weight, ring first; those of weight 0 come last.
  auto pick = [&](int64_t lo, int64_t hi, std::vector<int64_t>& chosen) {
    times.clear();
    for (int64_t i = lo; i < hi; ++i) {
      const double rate = weight.data<float>()[i], unit = draw(*e);
      PD_CHECK(rate >= 0 && std::isfinite(rate), InvalidArgument, "[", kOp,
               "] expected finite non-negative numbers in edge_weight, got ", rate);
      times.emplace_back(rate > 0 ? unit / rate : INFINITY, i);
    }
    std::nth_element(times.begin(), times.begin() + size, times.end());
    for (int64_t k = 0; k < size; ++k) chosen.push_back(times[k].second);
  };
  Sample(kOp, row, colptr, nodes, eids, size, return_eids, out, count, out_eids, pick);
}

void reindex_graph_infer(const Meta& x, const Meta& neighbors, const Meta& count, const Meta*, const Meta*, Meta& src,
                         Meta& dst, Meta& nodes) {
  CheckList("reindex_graph", "x", x);
  CheckList("reindex_graph", "neighbors", neighbors);
  CheckList("reindex_graph", "count", count);
  CheckSameDtype("reindex_graph", "neighbors", neighbors, "x", x);
  src = {Dims{neighbors.dims[0]}, x.dtype};
  dst = src;
  nodes = {Dims{common::NewSymbol()}, x.dtype};
}
void reindex_graph_kernel(const Tensor& x, const Tensor& neighbors, const Tensor& count, const Tensor&, const Tensor&,
                          Tensor& src, Tensor& dst, Tensor& nodes) {
  const int64_t n = x.numel(), edges = neighbors.numel();
  PD_CHECK(n ? count.numel() % n == 0 : count.numel() == 0, InvalidArgument,
           "[reindex_graph] expected in count a number for each of ", n, " nodes and each kind of edges, got ",
           count.numel());
  int64_t left = edges;
  for (int64_t i = 0; i < count.numel(); ++i) {
    const int64_t c = count.data<int64_t>()[i];
    PD_CHECK(0 <= c && c <= left, InvalidArgument, "[reindex_graph] expected non-negative numbers in count with sum ",
             edges, ", got ", c, " where ", left, " neighbors are left");
    left -= c;
  }
  PD_CHECK(left == 0, InvalidArgument, "[reindex_graph] expected numbers in count with sum ", edges, ", got sum ",
           edges - left);
  EnsureOut(src, Ints{edges}, x.dtype());
  EnsureOut(dst, Ints{edges}, x.dtype());
  DispatchList(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> found(x.data<T>(), x.data<T>() + n);
    std::unordered_map<T, T> number;
    number.reserve(n + edges);
    for (int64_t i = 0; i < n; ++i) number[found[i]] = static_cast<T>(i);
    for (int64_t i = 0; i < edges; ++i) {
      const auto [at, fresh] = number.try_emplace(neighbors.data<T>()[i], static_cast<T>(found.size()));
      if (fresh) found.push_back(at->first);
      src.data<T>()[i] = at->second;
    }
    T* to = dst.data<T>();
    for (int64_t i = 0; i < count.numel(); ++i) to = std::fill_n(to, count.data<int64_t>()[i], number[found[i % n]]);
    EnsureOut(nodes, Ints{static_cast<int64_t>(found.size())}, x.dtype());
    std::copy(found.begin(), found.end(), nodes.data<T>());
  });
}

}  // namespace phi
