// SPDX-License-Identifier: Apache-2.0
// Shape rules and LAPACK adapters of solvers, inverses and determinants.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/backends/cpu/lapack.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/ops/linalg/matrices.h"

namespace phi {
namespace {

// The shape of the solution of a [.., n, n] z = b [.., n, k], batches broadcast.
Meta SolutionMeta(const char* op, const Meta& a, const Meta& b) {
  CheckInexactSquare(op, a);
  CheckMatrix(op, b);
  PD_CHECK(a.dtype == b.dtype, InvalidArgument, "[", op, "] expected operands of one dtype, got ", NameOf(a.dtype),
           " and ", NameOf(b.dtype));
  PD_CHECK(!common::CertainlyDiffer(a.dims.back(), b.dims[b.dims.size() - 2]), InvalidArgument, "[", op,
           "] expected as many rows on the right side as in the matrix, got shapes ", common::ShapeText(a.dims),
           " and ", common::ShapeText(b.dims));
  return {With(common::BroadcastDims(op, Leading(a.dims), Leading(b.dims)), {b.dims[b.dims.size() - 2], b.dims.back()}),
          a.dtype};
}
// Scratch of operands whose batch is broadcast to the solution's.
int64_t SolutionBytes(const char* op, const Meta& a, const Meta& b) {
  const Dims lead = Leading(SolutionMeta(op, a, b).dims);
  return InBatchBytes(a, lead) + InBatchBytes(b, lead);
}
// Whether y of solve(x, y) holds vectors rather than matrices.
bool HoldsVectors(const Dims& x, const Dims& y) {
  if (y.size() == 1) return true;
  if (y.size() != x.size() - 1) return false;
  for (int64_t i = 0; i < y.size(); ++i)
    if (!common::SameDim(x[i], y[i])) return false;
  return true;
}
int TransOf(const std::string& trans) { return trans == "T" ? 1 : trans == "C" ? 2 : 0; }
void ScalarRule(const char* op, const Meta& x, Meta& out) {
  CheckInexactSquare(op, x);
  out = {Leading(x.dims), x.dtype};
}

}  // namespace

void cholesky_solve_infer(const Meta& x, const Meta& y, bool, Meta& out) { out = SolutionMeta("cholesky_solve", y, x); }
int64_t cholesky_solve_workspace(const Meta& x, const Meta& y, bool) { return SolutionBytes("cholesky_solve", y, x); }
void cholesky_solve_kernel(const Tensor& x, const Tensor& y, bool upper, Tensor& out) {
  const Expanded f(y, InBatch(y, out)), b(x, InBatch(x, out));
  cpu::CholeskySolve(x.dtype(), BatchOf(out), Rows(out), Cols(out), upper, f.tensor.raw_data(), b.tensor.raw_data(),
                     out.raw_data());
}

void triangular_solve_infer(const Meta& x, const Meta& y, bool, bool, bool, Meta& out) {
  out = SolutionMeta("triangular_solve", x, y);
}
int64_t triangular_solve_workspace(const Meta& x, const Meta& y, bool, bool, bool) {
  return SolutionBytes("triangular_solve", x, y);
}
void triangular_solve_kernel(const Tensor& x, const Tensor& y, bool upper, bool transpose, bool unit, Tensor& out) {
  const Expanded a(x, InBatch(x, out)), b(y, InBatch(y, out));
  cpu::TriangularSolve(x.dtype(), BatchOf(out), Rows(out), Cols(out), true, upper, transpose ? 1 : 0, unit,
                       a.tensor.raw_data(), b.tensor.raw_data(), out.raw_data());
}

void solve_infer(const Meta& x, const Meta& y, Meta& out) {
  CheckInexactSquare("solve", x);
  PD_CHECK(!y.dims.empty(), InvalidArgument, "[solve] expected a right side of at least one axis, got a scalar");
  if (!HoldsVectors(x.dims, y.dims)) {
    out = SolutionMeta("solve", x, y);
    return;
  }
  out = SolutionMeta("solve", x, {With(y.dims, {Dim(1)}), y.dtype});
  out.dims = Leading(out.dims, 1);
}
int64_t solve_workspace(const Meta& x, const Meta& y) {
  Meta out;
  solve_infer(x, y, out);
  const int64_t k = HoldsVectors(x.dims, y.dims) ? 1 : 2;
  const Dims lead = Leading(out.dims, k);
  return InBatchBytes(x, lead) + InBatchBytes(y, lead, k);
}
void solve_kernel(const Tensor& x, const Tensor& y, Tensor& out) {
  const bool vectors = HoldsVectors(x.extents(), y.extents());
  const int64_t k = vectors ? 1 : 2;
  const Expanded a(x, InBatch(x, out, 2, k)), b(y, InBatch(y, out, k, k));
  cpu::Solve(x.dtype(), BatchOf(out, k), Cols(x), vectors ? 1 : Cols(out), a.tensor.raw_data(), b.tensor.raw_data(),
             out.raw_data());
}

void inverse_infer(const Meta& x, Meta& out) {
  CheckInexactSquare("inverse", x);
  out = x;
}
void inverse_kernel(const Tensor& x, Tensor& out) {
  cpu::Inverse(x.dtype(), BatchOf(x), Cols(x), x.raw_data(), out.raw_data());
}

void det_infer(const Meta& x, Meta& out) { ScalarRule("det", x, out); }
void det_kernel(const Tensor& x, Tensor& out) {
  cpu::Det(x.dtype(), BatchOf(x), Cols(x), x.raw_data(), out.raw_data());
}
void det_grad_kernel(const Tensor& x, const Tensor& out, const Tensor& dout, Tensor* d_x) {
  EnsureOut(*d_x, x.dims(), x.dtype());
  cpu::DetGrad(x.dtype(), BatchOf(x), Cols(x), x.raw_data(), out.raw_data(), dout.raw_data(), d_x->raw_data());
}

void slogdet_infer(const Meta& x, Meta& out) {
  CheckInexactSquare("slogdet", x);
  out = {Dims{Dim(2)}, x.dtype};
  for (Dim d : Leading(x.dims)) out.dims.push_back(d);
}
int64_t slogdet_workspace(const Meta& x) { return WorkspaceFor(Leading(x.dims), RealOf(x.dtype)); }
void slogdet_kernel(const Tensor& x, Tensor& out) {
  const int64_t batch = BatchOf(x);
  const DataType real = RealOf(x.dtype());
  const ScratchTensor logs({batch}, real);
  const Tensor& log = logs.tensor;
  cpu::SlogDet(x.dtype(), batch, Cols(x), x.raw_data(), out.raw_data(), log.raw_data());
  CopyInto(log, ViewOf(out, {batch}, {1}, out->offset() + batch));
}
void slogdet_v2_infer(const Meta& x, Meta& sign, Meta& logdet) {
  ScalarRule("slogdet_v2", x, sign);
  logdet = {sign.dims, RealOf(x.dtype)};
}
void slogdet_v2_kernel(const Tensor& x, Tensor& sign, Tensor& logdet) {
  cpu::SlogDet(x.dtype(), BatchOf(x), Cols(x), x.raw_data(), sign.raw_data(), logdet.raw_data());
}

void lu_solve_infer(const Meta& b, const Meta& lu, const Meta& pivots, const std::string& trans, Meta& out) {
  PD_CHECK(trans == "N" || trans == "T" || trans == "C", InvalidArgument,
           "[lu_solve] expected trans to be N, T or C, got ", trans);
  PD_CHECK_DTYPE(pivots.dtype == DataType::INT32, "[lu_solve] expected int32 pivots, got ", NameOf(pivots.dtype));
  out = SolutionMeta("lu_solve", lu, b);
  PD_CHECK(!pivots.dims.empty() && !common::CertainlyDiffer(pivots.dims.back(), lu.dims.back()), InvalidArgument,
           "[lu_solve] expected a pivot for each row of ", common::ShapeText(lu.dims), ", got shape ",
           common::ShapeText(pivots.dims));
  const Dims lead = common::BroadcastDims("lu_solve", Leading(out.dims), Leading(pivots.dims, 1));
  PD_CHECK(lead.size() == out.dims.size() - 2, InvalidArgument,
           "[lu_solve] expected pivots of the factors' batch, got ", common::ShapeText(pivots.dims));
}
int64_t lu_solve_workspace(const Meta& b, const Meta& lu, const Meta& pivots, const std::string&) {
  const Dims lead = Leading(SolutionMeta("lu_solve", lu, b).dims);
  return InBatchBytes(lu, lead) + InBatchBytes(b, lead) + InBatchBytes(pivots, lead, 1);
}
void lu_solve_kernel(const Tensor& b, const Tensor& lu, const Tensor& pivots, const std::string& trans, Tensor& out) {
  const Expanded a(lu, InBatch(lu, out)), r(b, InBatch(b, out)), p(pivots, InBatch(pivots, out, 1));
  cpu::LuSolve(b.dtype(), BatchOf(out), Rows(out), Cols(out), TransOf(trans), a.tensor.raw_data(),
               p.tensor.data<int32_t>(), r.tensor.raw_data(), out.raw_data());
}

}  // namespace phi
