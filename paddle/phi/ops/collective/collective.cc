// SPDX-License-Identifier: Apache-2.0
// Collectives and messages as operations of programs: each calls the ring of its number.
#include <numeric>
#include <string>

#include "paddle/common/error.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/ring.h"
#include "paddle/phi/infer/rules.h"

namespace phi {
namespace {

using Kind = CollectiveKind;

void Copy(const Tensor& from, const Tensor& to) {
  const auto bytes = static_cast<size_t>(from.numel()) * SizeOf(from.dtype());
  if (bytes && from.raw_data() != to.raw_data())
    CopyBytes(to.raw_data(), to.place(), from.raw_data(), from.place(), bytes);
}

void CheckAxis(const char* op, const Meta& x) {
  PD_CHECK(!x.dims.empty(), InvalidArgument, "[", op, "] expected a tensor with rows, got one without axes");
}
Dim Shares(const char* op, int64_t nranks) {
  PD_CHECK(nranks >= 1, InvalidArgument, "[", op, "] expected nranks of 1 or more, got ", nranks);
  return Dim(nranks);
}
// The extent of an equal share of an axis.
Dim Share(const char* op, Dim extent, int64_t nranks) {
  const Dim n = Shares(op, nranks);
  PD_CHECK(!extent.known() || extent.value() % nranks == 0, InvalidArgument, "[", op, "] expected an axis that ",
           nranks, " divides, got extent ", extent.visible());
  return common::Div(extent, n);
}

// The ring, which has as many processes as the program was made for.
std::shared_ptr<Ring> RingFor(const char* op, int64_t id, int64_t nranks) {
  auto ring = RingOf(op, id);
  PD_CHECK(ring->size() == nranks, PreconditionNotMet, "[", op, "] expected the group ", id, " to have ", nranks,
           " processes, got ", ring->size());
  return ring;
}

void Reduced(const char* op, int64_t ring, int64_t type, const Tensor& x, Tensor& out) {
  RingOf(op, ring)->Run({.kind = Kind::kAllReduce, .op = static_cast<int>(type), .in = x, .out = out});
}

int64_t Sum(const Ints& rows) { return std::accumulate(rows.begin(), rows.end(), int64_t{0}); }

// Collectives of which each process may have other shares.
Kind KindOf(const std::string& kind) {
  if (kind == "all_gather") return Kind::kAllGather;
  if (kind == "gather") return Kind::kGather;
  if (kind == "scatter") return Kind::kScatter;
  if (kind == "reduce_scatter") return Kind::kReduceScatter;
  PD_CHECK(kind == "all_to_all", InvalidArgument, "[exchange_rows] expected a collective that deals rows, got ", kind);
  return Kind::kAllToAll;
}

}  // namespace

void all_reduce_kernel(const Tensor& x, int64_t ring_id, int64_t reduce_type, Tensor& out) {
  Reduced("all_reduce", ring_id, reduce_type, x, out);
}
void c_allreduce_sum_kernel(const Tensor& x, int64_t ring_id, bool, bool, Tensor& out) {
  Reduced("c_allreduce_sum", ring_id, 0, x, out);
}
void mp_allreduce_sum_kernel(const Tensor& x, int64_t ring_id, Tensor& out) {
  Reduced("mp_allreduce_sum", ring_id, 0, x, out);
}

void reduce_kernel(const Tensor& x, int64_t ring_id, int64_t root_id, int64_t reduce_type, Tensor& out) {
  const auto ring = RingOf("reduce", ring_id);
  ring->Run({.kind = Kind::kReduce,
             .op = static_cast<int>(reduce_type),
             .root = static_cast<int>(root_id),
             .in = x,
             .out = out});
  if (ring->rank() != root_id) Copy(x, out);
}

void broadcast_kernel(const Tensor& x, int64_t ring_id, int64_t root, Tensor& out) {
  const auto ring = RingOf("broadcast", ring_id);
  ring->Run({.kind = Kind::kBroadcast, .root = static_cast<int>(root), .in = x, .out = out});
  if (ring->rank() == root) Copy(x, out);
}

void all_gather_infer(const Meta& x, int64_t, int64_t nranks, Meta& out) {
  CheckAxis("all_gather", x);
  out = x;
  out.dims[0] = x.dims[0] * Shares("all_gather", nranks);
}
void all_gather_kernel(const Tensor& x, int64_t ring_id, int64_t nranks, Tensor& out) {
  RingFor("all_gather", ring_id, nranks)->Run({.kind = Kind::kAllGather, .in = x, .out = out});
}

void c_scatter_infer(const Meta& x, int64_t, int64_t, int64_t nranks, bool, Meta& out) {
  CheckAxis("scatter", x);
  out = x;
  out.dims[0] = Share("scatter", x.dims[0], nranks);
}
void c_scatter_kernel(const Tensor& x, int64_t ring_id, int64_t root, int64_t nranks, bool, Tensor& out) {
  RingFor("scatter", ring_id, nranks)
      ->Run({.kind = Kind::kScatter, .root = static_cast<int>(root), .in = x, .out = out});
}

void reduce_scatter_infer(const Meta& x, int64_t, int64_t nranks, Meta& out) {
  CheckAxis("reduce_scatter", x);
  out = x;
  out.dims[0] = Share("reduce_scatter", x.dims[0], nranks);
}
void reduce_scatter_kernel(const Tensor& x, int64_t ring_id, int64_t nranks, Tensor& out) {
  RingFor("reduce_scatter", ring_id, nranks)->Run({.kind = Kind::kReduceScatter, .in = x, .out = out});
}

void all_to_all_kernel(const Tensor& x, int64_t ring_id, Tensor& out) {
  RingOf("all_to_all", ring_id)->Run({.kind = Kind::kAllToAll, .in = x, .out = out});
}

void exchange_rows_infer(const Meta& x, int64_t, const std::string& kind, int64_t, int64_t, const Ints& in_rows,
                         const Ints& out_rows, Meta& out) {
  CheckAxis(kind.c_str(), x);
  PD_CHECK(!x.dims[0].known() || x.dims[0].value() == Sum(in_rows), InvalidArgument, "[", kind,
           "] expected split sizes that add up to ", x.dims[0].visible(), " rows, got ", Sum(in_rows));
  out = x;
  out.dims[0] = Dim(Sum(out_rows));
}
void exchange_rows_kernel(const Tensor& x, int64_t ring_id, const std::string& kind, int64_t reduce_type, int64_t root,
                          const Ints& in_rows, const Ints& out_rows, Tensor& out) {
  RingOf(kind.c_str(), ring_id)
      ->Run({.kind = KindOf(kind),
             .op = static_cast<int>(reduce_type),
             .root = static_cast<int>(root),
             .in = x,
             .out = out,
             .in_rows = {in_rows.begin(), in_rows.end()},
             .out_rows = {out_rows.begin(), out_rows.end()}});
}

void barrier_kernel(const Tensor& x, int64_t ring_id, Tensor& out) {
  RingOf("barrier", ring_id)->Run({.kind = Kind::kBarrier});
  Copy(x, out);
}

void send_v2_infer(const Meta&, int64_t, int64_t, bool, bool) {}
void send_v2_kernel(const Tensor& x, int64_t ring_id, int64_t peer, bool use_calc_stream, bool) {
  RingOf("send", ring_id)->Send(x, static_cast<int>(peer), use_calc_stream);
}

void recv_v2_infer(const Ints& out_shape, DataType dtype, int64_t, int64_t, bool, bool, Meta& out) {
  out = {common::ToDims(out_shape), dtype};
}
void recv_v2_kernel(const Ints&, DataType, int64_t peer, int64_t ring_id, bool use_calc_stream, bool, Tensor& out) {
  RingOf("recv", ring_id)->Receive(out, static_cast<int>(peer), use_calc_stream);
}
void sync_comm_stream_kernel(const Tensor& x, int64_t ring_id, Tensor& out) {
  if (!RingOf("sync_comm_stream", ring_id)->Complete(x, out)) Copy(x, out);
}
void sync_calc_stream_kernel(const Tensor& x, Tensor& out) { Copy(x, out); }
void c_identity_kernel(const Tensor& x, int64_t, bool, bool, Tensor& out) { Copy(x, out); }

void c_concat_infer(const Meta& x, int64_t, int64_t nranks, int64_t, bool, bool, Meta& out) {
  CheckAxis("c_concat", x);
  out = x;
  Dim& last = out.dims[out.dims.size() - 1];
  last = last * Shares("c_concat", nranks);
}
void c_split_infer(const Meta& x, int64_t rank, int64_t nranks, int64_t, bool, Meta& out) {
  CheckAxis("c_split", x);
  PD_CHECK(rank >= 0 && rank < nranks, InvalidArgument, "[c_split] expected a rank of 0 to ", nranks - 1, ", got ",
           rank);
  out = x;
  Dim& last = out.dims[out.dims.size() - 1];
  last = Share("c_split", last, nranks);
}
void c_split_kernel(const Tensor& x, int64_t rank, int64_t, int64_t, bool, Tensor& out) {
  CopyInto(ViewOf(x, out.dims(), x.strides(), x->offset() + rank * out.dim(out.ndim() - 1)), out);
}

}  // namespace phi
