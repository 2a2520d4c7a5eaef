// SPDX-License-Identifier: Apache-2.0
// What processes have in parts: tables, shares of elements, and the rows of experts.
#include <cstring>
#include <numeric>
#include <vector>

#include "paddle/common/error.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/core/ring.h"
#include "paddle/phi/infer/columns.h"
#include "paddle/phi/infer/rules.h"
#include "paddle/phi/primitives/copy.h"
#include "paddle/phi/primitives/elementwise.h"

namespace phi {
namespace {

using Kind = CollectiveKind;

// The elements of share `id` of `num` equal ones, of a tensor in order.
Tensor ShareOf(const char* op, const Tensor& x, int64_t num, int64_t id) {
  PD_CHECK(num >= 1 && id >= 0 && id < num && x.numel() % num == 0, InvalidArgument, "[", op, "] expected a share of ",
           x.numel(), " elements in equal shares, got share ", id, " of ", num);
  const int64_t each = x.numel() / num;
  return ViewOf(x, {each}, {1}, x->offset() + id * each);
}

// The matrix of so many columns of each input.
Meta Columns(const char* op, const MetaList& x, int64_t start, int64_t length) {
  PD_CHECK(!x.empty(), InvalidArgument, "[", op, "] expected at least one tensor, got none");
  for (const Meta& m : x)
    PD_CHECK(m.dims.size() == 2 && x[0].dims.size() == 2 && !common::CertainlyDiffer(m.dims[0], x[0].dims[0]) &&
                 !common::CertainlyDiffer(m.dims[1], x[0].dims[1]),
             InvalidArgument, "[", op, "] expected matrices of one shape, got ", common::ShapeText(x[0].dims), " and ",
             common::ShapeText(m.dims));
  Meta out = x[0];
  const Dim width = out.dims[1];
  if (!width.known()) {
    out.dims[1] = length < 0 ? common::NewSymbol() : Dim(length);
    return out;
  }
  const ColumnRange columns = ColumnsOf(op, width.value(), start, length);
  out.dims[1] = Dim(columns.end - columns.begin);
  return out;
}

// Rows that go to, or come from, each expert of each process.
std::vector<int64_t> Counts(const char* op, const char* name, const Tensor& count, int size) {
  std::vector<int64_t> n(static_cast<size_t>(count.numel()));
  CastParallel(count.dtype(), count.raw_data(), DataType::INT64, n.data(), count.numel());
  PD_CHECK(count.ndim() == 1 && count.numel() % size == 0, InvalidArgument, "[", op, "] expected a ", name,
           " with one number for each expert of ", size, " processes, got shape ", common::ShapeText(count.dims()));
  for (int64_t v : n) PD_CHECK(v >= 0, InvalidArgument, "[", op, "] expected ", name, " of 0 or more, got ", v);
  return n;
}
// How many rows that are of each process.
std::vector<int64_t> OfProcesses(const std::vector<int64_t>& counts, int size) {
  std::vector<int64_t> rows(static_cast<size_t>(size));
  const size_t experts = counts.size() / rows.size();
  for (size_t i = 0; i < counts.size(); ++i) rows[i / experts] += counts[i];
  return rows;
}
int64_t Sum(const std::vector<int64_t>& rows) { return std::accumulate(rows.begin(), rows.end(), int64_t{0}); }
// Copies rows that lie by process, and by expert within it, to where they lie by expert first; or back.
void Transpose(const std::vector<int64_t>& counts, int size, const char* from, char* to, size_t row, bool back) {
  const size_t processes = static_cast<size_t>(size), experts = counts.size() / processes;
  std::vector<size_t> by_process(counts.size());
  size_t at = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    by_process[i] = at;
    at += static_cast<size_t>(counts[i]) * row;
  }
  at = 0;
  for (size_t e = 0; e < experts; ++e)
    for (size_t r = 0; r < processes; ++r) {
      const size_t i = r * experts + e, bytes = static_cast<size_t>(counts[i]) * row;
      if (bytes) std::memcpy(to + (back ? by_process[i] : at), from + (back ? at : by_process[i]), bytes);
      at += bytes;
    }
}

// Rows of experts there and back.
void Exchange(const char* op, const Tensor& x, const Tensor& local_count, const Tensor& global_count, int64_t ring_id,
              bool back, Tensor& out) {
  const auto ring = RingOf(op, ring_id);
  const int size = ring->size();
  const std::vector<int64_t> local = Counts(op, "local_count", local_count, size),
                             global = Counts(op, "global_count", global_count, size);
  PD_CHECK(local.size() == global.size(), InvalidArgument, "[", op,
           "] expected as many global counts as local ones, got ", global.size(), " and ", local.size());
  const std::vector<int64_t>&given = back ? global : local, &coming = back ? local : global;
  PD_CHECK(x.ndim() == 2 && x.dim(0) == Sum(given), InvalidArgument, "[", op, "] expected a matrix of ", Sum(given),
           " rows, as many as are counted, got shape ", common::ShapeText(x.dims()));
  const Ints dims{Sum(coming), x.dim(1)};
  EnsureOut(out, dims, x.dtype());
  const size_t row = static_cast<size_t>(x.dim(1) * SizeOf(x.dtype()));
  const ScratchTensor ordered(back ? x.dims() : dims, x.dtype());
  if (back)
    Transpose(given, size, static_cast<const char*>(x.raw_data()), static_cast<char*>(ordered.tensor.raw_data()), row,
              true);
  ring->Run({.kind = Kind::kAllToAll,
             .in = back ? ordered.tensor : x,
             .out = back ? out : ordered.tensor,
             .in_rows = OfProcesses(given, size),
             .out_rows = OfProcesses(coming, size)});
  if (!back)
    Transpose(coming, size, static_cast<const char*>(ordered.tensor.raw_data()), static_cast<char*>(out.raw_data()),
              row, false);
}

void RowsOfExperts(const char* op, const Meta& x, Meta& out) {
  PD_CHECK(x.dims.size() == 2, InvalidArgument, "[", op, "] expected a matrix, got shape ", common::ShapeText(x.dims));
  out = x;
  out.dims[0] = common::NewSymbol();
}

}  // namespace

void c_embedding_infer(const Meta& weight, const Meta& x, int64_t, int64_t, Meta& out) {
  PD_CHECK(weight.dims.size() == 2, InvalidArgument, "[c_embedding] expected a matrix as weight, got shape ",
           common::ShapeText(weight.dims));
  PD_CHECK(IsInteger(x.dtype), InvalidType, "[c_embedding] expected integer indices, got ", NameOf(x.dtype));
  out = {x.dims, weight.dtype};
  out.dims.push_back(weight.dims[1]);
}
void c_embedding_kernel(const Tensor& weight, const Tensor& x, int64_t start_index, int64_t vocab_size, Tensor& out) {
  const int64_t rows = weight.dim(0), n = x.numel();
  const size_t row = static_cast<size_t>(weight.dim(1) * SizeOf(weight.dtype()));
  const char* table = static_cast<const char*>(weight.raw_data());
  char* to = static_cast<char*>(out.raw_data());
  for (int64_t i = 0; i < n; ++i, to += row) {
    const int64_t index = x.dtype() == DataType::INT32 ? x.data<int32_t>()[i] : x.data<int64_t>()[i];
    PD_CHECK(vocab_size < 0 || (index >= 0 && index < vocab_size), InvalidArgument,
             "[c_embedding] expected indices of 0 to ", vocab_size - 1, ", got ", index);
    const int64_t place = index - start_index;
    if (!row) continue;
    if (place >= 0 && place < rows)
      std::memcpy(to, table + static_cast<size_t>(place) * row, row);
    else
      std::memset(to, 0, row);
  }
}

void c_softmax_with_cross_entropy_infer(const Meta& logits, const Meta& label, int64_t, int64_t, int64_t, int64_t,
                                        Meta& softmax, Meta& loss) {
  const char* op = "c_softmax_with_cross_entropy";
  PD_CHECK(IsFloating(logits.dtype), InvalidType, "[", op, "] expected floating logits, got ", NameOf(logits.dtype));
  PD_CHECK(IsInteger(label.dtype), InvalidType, "[", op, "] expected integer labels, got ", NameOf(label.dtype));
  Dims want = logits.dims;
  if (!want.empty()) want[want.size() - 1] = Dim(1);
  bool fits = !want.empty() && label.dims.size() == want.size();
  for (int64_t i = 0; fits && i < want.size(); ++i) fits = !common::CertainlyDiffer(label.dims[i], want[i]);
  PD_CHECK(fits, InvalidArgument, "[", op, "] expected labels of shape ", common::ShapeText(want),
           " for logits of shape ", common::ShapeText(logits.dims), ", got ", common::ShapeText(label.dims));
  softmax = logits;
  loss = {want, logits.dtype};
}

void partial_allgather_infer(const Meta& x, int64_t, int64_t, int64_t, Meta& out) { out = x; }
void partial_allgather_kernel(const Tensor& x, int64_t nranks, int64_t rank, int64_t ring_id, Tensor& out) {
  const char* op = "partial_allgather";
  const auto ring = RingOf(op, ring_id);
  PD_CHECK(ring->size() == nranks && ring->rank() == rank, PreconditionNotMet, "[", op, "] expected process ",
           ring->rank(), " of ", ring->size(), " in group ", ring_id, ", got ", rank, " of ", nranks);
  ring->Run({.kind = Kind::kAllGather, .in = ShareOf(op, x, nranks, rank), .out = ShareOf(op, out, 1, 0)});
}

void partial_send_infer(const Meta&, int64_t, int64_t, int64_t, int64_t) {}
void partial_send_kernel(const Tensor& x, int64_t ring_id, int64_t peer, int64_t num, int64_t id) {
  RingOf("partial_send", ring_id)->Send(ShareOf("partial_send", x, num, id), static_cast<int>(peer), true);
}
void partial_recv_infer(int64_t, int64_t, DataType dtype, const Ints& out_shape, int64_t, int64_t, Meta& out) {
  out = {common::ToDims(out_shape), dtype};
}
void partial_recv_kernel(int64_t ring_id, int64_t peer, DataType dtype, const Ints&, int64_t num, int64_t id,
                         Tensor& out) {
  const Tensor share = ShareOf("partial_recv", out, num, id);
  cpu::Zero(out.raw_data(), out.numel() * SizeOf(dtype));
  RingOf("partial_recv", ring_id)->Receive(share, static_cast<int>(peer), true);
}

void partial_concat_infer(const MetaList& x, int64_t start_index, int64_t length, Meta& out) {
  out = Columns("partial_concat", x, start_index, length);
  out.dims[1] = out.dims[1] * Dim(static_cast<int64_t>(x.size()));
}
void partial_sum_infer(const MetaList& x, int64_t start_index, int64_t length, Meta& out) {
  out = Columns("partial_sum", x, start_index, length);
}

void global_scatter_infer(const Meta& x, const Meta&, const Meta&, int64_t, Meta& out) {
  RowsOfExperts("global_scatter", x, out);
}
void global_scatter_kernel(const Tensor& x, const Tensor& local_count, const Tensor& global_count, int64_t ring_id,
                           Tensor& out) {
  Exchange("global_scatter", x, local_count, global_count, ring_id, false, out);
}
void global_gather_infer(const Meta& x, const Meta&, const Meta&, int64_t, Meta& out) {
  RowsOfExperts("global_gather", x, out);
}
void global_gather_kernel(const Tensor& x, const Tensor& local_count, const Tensor& global_count, int64_t ring_id,
                          Tensor& out) {
  Exchange("global_gather", x, local_count, global_count, ring_id, true, out);
}

}  // namespace phi
