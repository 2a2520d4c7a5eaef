// SPDX-License-Identifier: Apache-2.0
// Rows reduced to the rows that an index names: messages in graphs, and segments.
#include <algorithm>

#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/dispatch.h"

namespace phi {
namespace {

enum class Reduction { kSum, kMean, kMin, kMax };

Reduction ReductionOf(const char* op, const std::string& name) {
  PD_CHECK(name == "SUM" || name == "MEAN" || name == "MIN" || name == "MAX", InvalidArgument, "[", op,
           "] expected the reduction SUM, MEAN, MIN or MAX, got ", name);
  return name == "SUM"    ? Reduction::kSum
         : name == "MEAN" ? Reduction::kMean
         : name == "MIN"  ? Reduction::kMin
                          : Reduction::kMax;
}
void CheckRows(const char* op, const Meta& x) {
  PD_CHECK(!x.dims.empty(), InvalidArgument, "[", op, "] expected rows, got a 0-D tensor");
  PD_CHECK(IsFloating(x.dtype) || x.dtype == DataType::INT32 || x.dtype == DataType::INT64, Unimplemented, "[", op,
           "] expected int32, int64 or a floating dtype, got ", NameOf(x.dtype),
           ": the kernel is not registered for it");
}
void CheckIndex(const char* op, const char* name, const Meta& index) {
  PD_CHECK(index.dtype == DataType::INT32 || index.dtype == DataType::INT64, InvalidArgument, "[", op, "] expected ",
           name, " of int32 or int64, got ", NameOf(index.dtype));
  const bool flat =
      index.dims.size() == 1 || (index.dims.size() == 2 && !common::CertainlyDiffer(index.dims[1], Dim(1)));
  PD_CHECK(flat, InvalidArgument, "[", op, "] expected ", name, " of shape [n] or [n, 1], got ",
           common::ShapeText(index.dims));
}
std::vector<int64_t> Within(const char* op, const char* name, const Tensor& index, int64_t rows) {
  std::vector<int64_t> out = ToIntVector(index);
  for (int64_t i : out)
    PD_CHECK(0 <= i && i < rows, InvalidArgument, "[", op, "] expected ", name, " from 0 to ", rows - 1, ", got ", i);
  return out;
}

// out[to[e]] reduced with x[from[e]], from[e] = e where `from` is null; count[r]: how many reach row r, for means. x
// and out contiguous of one dtype, neither half.
void ReduceRows(const char* op, Reduction how, const Tensor& x, const std::vector<int64_t>* from,
                const std::vector<int64_t>& to, const std::vector<int64_t>& count, const Tensor& out) {
  const int64_t edges = static_cast<int64_t>(to.size()), rows = out.dim(0), width = rows ? out.numel() / rows : 0;
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(out.dtype()));
  if (width == 0) return;
  cpu::DispatchReal(op, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bool>) {
      const T* source = x.data<T>();
      T* result = out.data<T>();
      // Edges share rows: each thread has columns of its own.
      const int64_t grain = std::max<int64_t>(16, cpu::kGrain / std::max<int64_t>(1, edges));
      cpu::ParallelFor(0, width, grain, [&](int64_t begin, int64_t end) {
        std::vector<char> met(rows, 0);
        for (int64_t e = 0; e < edges; ++e) {
          const T* v = source + (from ? (*from)[e] : e) * width;
          T* r = result + to[e] * width;
          if (how == Reduction::kSum || how == Reduction::kMean) {
            for (int64_t k = begin; k < end; ++k) r[k] += v[k];
          } else if (!met[to[e]]) {
            met[to[e]] = 1;
            std::copy(v + begin, v + end, r + begin);
          } else {
            // NaN wins.
            const bool most = how == Reduction::kMax;
            for (int64_t k = begin; k < end; ++k)
              if (r[k] == r[k] && !(most ? v[k] <= r[k] : v[k] >= r[k])) r[k] = v[k];
          }
        }
        if (how != Reduction::kMean) return;
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t k = begin; count[i] > 1 && k < end; ++k) result[i * width + k] /= static_cast<T>(count[i]);
      });
    }
  });
}
// How many reach each row, for means only: there are no more rows than numbers in a result.
std::vector<int64_t> CountOf(Reduction how, const std::vector<int64_t>& to, int64_t rows) {
  if (how != Reduction::kMean) return {};
  std::vector<int64_t> count(rows, 0);
  for (int64_t r : to) ++count[r];
  return count;
}
void ReduceInto(const char* op, Reduction how, const Tensor& x, const std::vector<int64_t>* from,
                const std::vector<int64_t>& to, const std::vector<int64_t>& count, Tensor& out) {
  const DataType t = IsFloating(x.dtype()) ? ComputeType(x.dtype()) : x.dtype();
  const Tensor wide = out.dtype() == t ? out : Empty(out.dims(), t);
  ReduceRows(op, how, Contiguous(CastTo(x, t)), from, to, count, wide);
  if (!wide.is_same(out)) CopyInto(wide, out);
}

}  // namespace

void send_u_recv_infer(const Meta& x, const Meta& src, const Meta& dst, const std::string& how, const IntArray& size,
                       Meta& out, Meta& count) {
  CheckRows("send_u_recv", x);
  CheckIndex("send_u_recv", "src_index", src);
  CheckIndex("send_u_recv", "dst_index", dst);
  PD_CHECK(!common::CertainlyDiffer(src.dims[0], dst.dims[0]), InvalidArgument,
           "[send_u_recv] expected a source and a destination for each edge, got shapes ", common::ShapeText(src.dims),
           " and ", common::ShapeText(dst.dims));
  const bool mean = ReductionOf("send_u_recv", how) == Reduction::kMean;
  out = x;
  // A size that is not positive means as many rows as x has.
  if (!size.empty() && !size[0].known()) out.dims[0] = common::NewSymbol();
  if (!size.empty() && size[0].known() && size[0].value() > 0) out.dims[0] = Dim(size[0].value());
  count = {Dims{mean ? out.dims[0] : Dim(0)}, DataType::INT32};
}
void send_u_recv_kernel(const Tensor& x, const Tensor& src, const Tensor& dst, const std::string& how, const Ints&,
                        Tensor& out, Tensor& dst_count) {
  const Reduction reduction = ReductionOf("send_u_recv", how);
  const std::vector<int64_t> from = Within("send_u_recv", "src_index", src, x.dim(0)),
                             to = Within("send_u_recv", "dst_index", dst, out.dim(0)),
                             count = CountOf(reduction, to, out.dim(0));
  PD_CHECK(from.size() == to.size(), InvalidArgument,
           "[send_u_recv] expected a source and a destination for each edge, got ", from.size(), " and ", to.size());
  ReduceInto("send_u_recv", reduction, x, &from, to, count, out);
  for (int64_t r = 0; r < dst_count.numel(); ++r) dst_count.data<int32_t>()[r] = static_cast<int32_t>(count[r]);
}

void segment_pool_infer(const Meta& x, const Meta& ids, const std::string& how, Meta& out, Meta& counts) {
  CheckRows("segment_pool", x);
  CheckIndex("segment_pool", "segment_ids", ids);
  const Reduction reduction = ReductionOf("segment_pool", how);
  PD_CHECK(!common::CertainlyDiffer(ids.dims[0], x.dims[0]), InvalidArgument,
           "[segment_pool] expected a segment number for each of ", common::DimText(x.dims[0]), " rows, got shape ",
           common::ShapeText(ids.dims));
  out = x;
  out.dims[0] = common::NewSymbol();
  counts = {reduction == Reduction::kMean ? Dims{out.dims[0], Dim(1)} : Dims{Dim(0)}, x.dtype};
}
void segment_pool_kernel(const Tensor& x, const Tensor& ids, const std::string& how, Tensor& out, Tensor& counts) {
  const std::vector<int64_t> all = ToIntVector(ids);
  PD_CHECK(static_cast<int64_t>(all.size()) == x.dim(0), InvalidArgument,
           "[segment_pool] expected a segment number for each of ", x.dim(0), " rows, got ", all.size());
  PD_CHECK(all.empty() || (all.back() >= 0 && all.back() < INT64_MAX), InvalidArgument,
           "[segment_pool] expected segment numbers from 0 to ", INT64_MAX - 1, ", got ", all.back());
  const int64_t rows = all.empty() ? 0 : all.back() + 1;
  const std::vector<int64_t> to = Within("segment_pool", "segment numbers", ids, rows);
  const Reduction reduction = ReductionOf("segment_pool", how);
  Ints dims = x.dims();
  dims[0] = rows;
  EnsureOut(out, dims, x.dtype());
  const bool mean = reduction == Reduction::kMean;
  EnsureOut(counts, mean ? Ints{rows, 1} : Ints{0}, x.dtype());
  const std::vector<int64_t> count = CountOf(reduction, to, rows);
  ReduceInto("segment_pool", reduction, x, nullptr, to, count, out);
  if (!mean) return;
  const Tensor numbers = Empty(Ints{rows, 1}, DataType::INT64);
  std::copy(count.begin(), count.end(), numbers.data<int64_t>());
  CopyInto(numbers, counts);
}

}  // namespace phi
