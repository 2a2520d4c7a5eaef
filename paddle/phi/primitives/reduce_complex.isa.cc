// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in complex numbers, and the helpers all of them share.
#include "paddle/phi/primitives/reduce_kernel.inc.h"

namespace phi::PD_ISA {
namespace {

template <class T>
void RunComplex(const ReducePlan& P) {
  switch (P.op) {
    case 0:
    case 1:
      return RunOp<T, SumOp<T>>(P);
    case 2:
      return RunOp<T, ProdOp<T>>(P);
    case 8:
      return RunOp<T, SumSqOp<T>>(P);
    case 9:
      return RunOp<T, SumAbsOp<T>>(P);
    case 15:
      return RunOp<T, CountOp<T>>(P);
    case 16:
    case 17:
      return RunOp<T, NanSumOp<T>>(P);
    case kReduceSumSqDiff:
      return RunOp<T, SqDiffOp<T>>(P);
    case kReduceCountValid:
      return RunOp<T, ValidOp<T>>(P);
    default:
      return;
  }
}

}  // namespace

void ReduceRunC64(const ReducePlan* plan) { RunComplex<Cx<float>>(*plan); }
void ReduceRunC128(const ReducePlan* plan) { RunComplex<Cx<double>>(*plan); }

int64_t ReducePartialBytes(const ReducePlan* p) {
  int64_t size = ElemSize(p->acc_t), outs = Product(p->nk, p->kn);
  if (p->nk == 0 || (p->nr && p->rs[p->nr - 1] <= p->ks[p->nk - 1])) return outs < kFew ? outs * kGroups * size : 0;
  const int64_t width = p->kn[p->nk - 1], tiles = (width + kTile - 1) / kTile;
  const int64_t items = outs / width * tiles, tw = width < kTile ? width : kTile;
  return items < kFew ? items * kColGroups * tw * size : 0;
}

// n values between element types.
void ReduceConvert(int from_t, const void* from, int64_t n, int to_t, void* to) {
  const bool cx = from_t == kC64 || from_t == kC128 || to_t == kC64 || to_t == kC128;
  const int64_t fs = ElemSize(from_t), ts = ElemSize(to_t);
  const char* s = static_cast<const char*>(from);
  char* d = static_cast<char*>(to);
  for (int64_t i = 0; i < n; i += 512) {
    const int64_t w = n - i < 512 ? n - i : 512;
    if (cx) {
      Cx<double> buf[512];
      LoadTile(from_t, s + i * fs, 1, w, buf);
      StoreTile(to_t, buf, w, d + i * ts);
    } else if (from_t == kI64 || from_t == kI32 || from_t == kBool) {
      int64_t buf[512];
      LoadTile(from_t, s + i * fs, 1, w, buf);
      StoreTile(to_t, buf, w, d + i * ts);
    } else if (from_t == kF64) {
      double buf[512];
      LoadTile(from_t, s + i * fs, 1, w, buf);
      StoreTile(to_t, buf, w, d + i * ts);
    } else {
      float buf[512];
      LoadTile(from_t, s + i * fs, 1, w, buf);
      StoreTile(to_t, buf, w, d + i * ts);
    }
  }
}

}  // namespace phi::PD_ISA
