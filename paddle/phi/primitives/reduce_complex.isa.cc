// SPDX-License-Identifier: Apache-2.0
// Reductions that accumulate in complex numbers, and the helpers all of them share.
#include "paddle/phi/primitives/reduce_ops.inc.h"

namespace phi::PD_ISA {

void ReduceRunC64(const ReducePlan* plan) { RunNumbered<Cx<float>>(*plan); }
void ReduceRunC128(const ReducePlan* plan) { RunNumbered<Cx<double>>(*plan); }

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
