// SPDX-License-Identifier: Apache-2.0
// Shape rules and LAPACK adapters of factorisations and spectra.
#include "paddle/common/dtype_error.h"
#include "paddle/phi/backends/cpu/lapack.h"
#include "paddle/phi/ops/linalg/matrices.h"
#include "paddle/phi/primitives/copy.h"

namespace phi {
namespace {
bool IsUpper(const char* op, const std::string& uplo) {
  PD_CHECK(uplo == "L" || uplo == "U", InvalidArgument, "[", op, "] expected UPLO to be L or U, got ", uplo);
  return uplo == "U";
}
enum class QrMode { kReduced, kComplete, kR };
QrMode ModeOf(const std::string& mode) {
  PD_CHECK(mode == "reduced" || mode == "complete" || mode == "r", InvalidArgument,
           "[qr] expected a mode of 'reduced', 'complete' or 'r', got '", mode, "'");
  return mode == "r" ? QrMode::kR : mode == "complete" ? QrMode::kComplete : QrMode::kReduced;
}
}  // namespace

void cholesky_infer(const Meta& x, bool, Meta& out) {
  CheckMatrix("cholesky", x);
  PD_CHECK(!common::CertainlyDiffer(x.dims[x.dims.size() - 2], x.dims.back()), Assertion,
           "[cholesky] expected square matrices, got shape ", common::ShapeText(x.dims));
  CheckInexactSquare("cholesky", x);
  out = x;
}
void cholesky_kernel(const Tensor& x, bool upper, Tensor& out) {
  cpu::Cholesky(x.dtype(), BatchOf(x), Cols(x), upper, x.raw_data(), out.raw_data());
}

void lu_infer(const Meta& x, bool pivot, Meta& out, Meta& pivots, Meta& infos) {
  CheckInexact("lu", x.dtype);
  CheckMatrix("lu", x);
  PD_CHECK(pivot, InvalidArgument, "[lu] expected pivot to be true, got false: there is no LU without pivoting");
  out = x;
  const Dims lead = Leading(x.dims);
  pivots = {With(lead, {MinDim(x.dims[x.dims.size() - 2], x.dims.back())}), DataType::INT32};
  infos = {lead, DataType::INT32};
}
void lu_kernel(const Tensor& x, bool, Tensor& out, Tensor& pivots, Tensor& infos) {
  cpu::LuFactor(x.dtype(), BatchOf(x), Rows(x), Cols(x), x.raw_data(), out.raw_data(), pivots.data<int32_t>(),
                infos.data<int32_t>());
}

void lu_unpack_infer(const Meta& x, const Meta& y, bool unpack_lu, bool unpack_pivots, Meta& pmat, Meta& l, Meta& u) {
  CheckInexact("lu_unpack", x.dtype);
  CheckMatrix("lu_unpack", x);
  PD_CHECK_DTYPE(y.dtype == DataType::INT32, "[lu_unpack] expected int32 pivots, got ", NameOf(y.dtype));
  PD_CHECK(y.dims.size() == x.dims.size() - 1, InvalidArgument, "[lu_unpack] expected pivots of ", x.dims.size() - 1,
           " axes, got shape ", common::ShapeText(y.dims));
  const Dims lead = Leading(x.dims);
  const Dim m = x.dims[x.dims.size() - 2], n = x.dims.back(), k = MinDim(m, n);
  for (int64_t i = 0; i < lead.size(); ++i) common::RequireEq("lu_unpack", "batch extents", lead[i], y.dims[i]);
  common::RequireEq("lu_unpack", "the number of pivots", y.dims.back(), k);
  const Meta none{{Dim(0)}, x.dtype};
  pmat = unpack_pivots ? Meta{With(lead, {m, m}), x.dtype} : none;
  l = unpack_lu ? Meta{With(lead, {m, k}), x.dtype} : none;
  u = unpack_lu ? Meta{With(lead, {k, n}), x.dtype} : none;
}
void lu_unpack_kernel(const Tensor& x, const Tensor& y, bool unpack_lu, bool unpack_pivots, Tensor& pmat, Tensor& l,
                      Tensor& u) {
  cpu::LuUnpack(x.dtype(), BatchOf(x), Rows(x), Cols(x), x.raw_data(), y.data<int32_t>(),
                unpack_pivots ? pmat.raw_data() : nullptr, unpack_lu ? l.raw_data() : nullptr,
                unpack_lu ? u.raw_data() : nullptr);
}

void qr_infer(const Meta& x, const std::string& mode, Meta& q, Meta& r) {
  CheckInexact("qr", x.dtype);
  CheckMatrix("qr", x);
  const QrMode how = ModeOf(mode);
  const Dims lead = Leading(x.dims);
  const Dim m = x.dims[x.dims.size() - 2], n = x.dims.back(), k = how == QrMode::kComplete ? m : MinDim(m, n);
  q = {how == QrMode::kR ? Dims{Dim(0)} : With(lead, {m, k}), x.dtype};
  r = {With(lead, {k, n}), x.dtype};
}
void qr_kernel(const Tensor& x, const std::string& mode, Tensor& q, Tensor& r) {
  const QrMode how = ModeOf(mode);
  cpu::Qr(x.dtype(), BatchOf(x), Rows(x), Cols(x), how == QrMode::kComplete, x.raw_data(),
          how == QrMode::kR ? nullptr : q.raw_data(), r.raw_data());
}

void svd_infer(const Meta& x, bool full, Meta& u, Meta& s, Meta& vh) {
  CheckInexact("svd", x.dtype);
  CheckMatrix("svd", x);
  const Dims lead = Leading(x.dims);
  const Dim m = x.dims[x.dims.size() - 2], n = x.dims.back(), k = MinDim(m, n);
  u = {With(lead, {m, full ? m : k}), x.dtype};
  s = {With(lead, {k}), RealOf(x.dtype)};
  vh = {With(lead, {full ? n : k, n}), x.dtype};
}
void svd_kernel(const Tensor& x, bool full, Tensor& u, Tensor& s, Tensor& vh) {
  cpu::Svd(x.dtype(), BatchOf(x), Rows(x), Cols(x), full, x.raw_data(), u.raw_data(), s.raw_data(), vh.raw_data());
}
void svdvals_infer(const Meta& x, Meta& s) {
  CheckInexact("svdvals", x.dtype);
  CheckMatrix("svdvals", x);
  s = {With(Leading(x.dims), {MinDim(x.dims[x.dims.size() - 2], x.dims.back())}), RealOf(x.dtype)};
}
void svdvals_kernel(const Tensor& x, Tensor& s) {
  cpu::Svd(x.dtype(), BatchOf(x), Rows(x), Cols(x), false, x.raw_data(), nullptr, s.raw_data(), nullptr);
}

void eigh_infer(const Meta& x, const std::string& uplo, Meta& w, Meta& v) {
  CheckInexactSquare("eigh", x);
  IsUpper("eigh", uplo);
  w = {Leading(x.dims, 1), RealOf(x.dtype)};
  v = x;
}
void eigh_kernel(const Tensor& x, const std::string& uplo, Tensor& w, Tensor& v) {
  cpu::Eigh(x.dtype(), BatchOf(x), Cols(x), IsUpper("eigh", uplo), x.raw_data(), w.raw_data(), v.raw_data());
}
void eigvalsh_infer(const Meta& x, const std::string& uplo, bool, Meta& w, Meta& v) {
  CheckInexactSquare("eigvalsh", x);
  IsUpper("eigvalsh", uplo);
  w = {Leading(x.dims, 1), RealOf(x.dtype)};
  v = x;
}
void eigvalsh_kernel(const Tensor& x, const std::string& uplo, bool is_test, Tensor& w, Tensor& v) {
  if (is_test) cpu::Zero(v.raw_data(), v.numel() * SizeOf(v.dtype()));
  cpu::Eigh(x.dtype(), BatchOf(x), Cols(x), IsUpper("eigvalsh", uplo), x.raw_data(), w.raw_data(),
            is_test ? nullptr : v.raw_data());
}

void eig_infer(const Meta& x, Meta& w, Meta& v) {
  CheckInexactSquare("eig", x);
  w = {Leading(x.dims, 1), ComplexOf(x.dtype)};
  v = {x.dims, ComplexOf(x.dtype)};
}
void eig_kernel(const Tensor& x, Tensor& w, Tensor& v) {
  cpu::Eig(x.dtype(), BatchOf(x), Cols(x), x.raw_data(), w.raw_data(), v.raw_data());
}
void eigvals_infer(const Meta& x, Meta& out) {
  CheckInexactSquare("eigvals", x);
  out = {Leading(x.dims, 1), ComplexOf(x.dtype)};
}
void eigvals_kernel(const Tensor& x, Tensor& out) {
  cpu::Eig(x.dtype(), BatchOf(x), Cols(x), x.raw_data(), out.raw_data(), nullptr);
}

}  // namespace phi
