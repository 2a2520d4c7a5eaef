// SPDX-License-Identifier: Apache-2.0
// bfloat16 matrix products on processors that multiply bfloat16 themselves.
#include "paddle/phi/backends/cpu/gemm_impl.h"
#include "paddle/phi/backends/cpu/onednn.h"
#include "paddle/phi/backends/cpu/threads.h"
#include "paddle/phi/primitives/isa.h"

namespace phi::cpu {
namespace {

struct Key {
  int64_t m, n, k, lda, ldb, ldc;
  int32_t ta, tb, accumulate, threads;
};

struct Entry {
  dnnl::matmul prim;
  dnnl::memory a, b, c;
};

}  // namespace

bool GemmBf16Onednn(const GemmArgs& g) {
  if (!HasAvx512Bf16() || g.alpha != 1 || g.n <= 1 || (g.beta != 0 && g.beta != 1)) return false;
  static auto* cache = new PlanCache<Key, Entry>(128);
  const Key key{g.m, g.n, g.k, g.lda, g.ldb, g.ldc, g.ta != 0, g.tb != 0, g.beta != 0, MaxThreads()};
  const auto e = cache->Take(key, [&] {
    const ThreadLimit limit(key.threads);  // oneDNN plans for OpenMP's count, also where it will run on one thread
    using D = dnnl::memory::dims;
    const auto bf = dnnl::memory::data_type::bf16;
    dnnl::memory::desc am({g.m, g.k}, bf, g.ta ? D{1, g.lda} : D{g.lda, 1});
    dnnl::memory::desc bm({g.k, g.n}, bf, g.tb ? D{1, g.ldb} : D{g.ldb, 1});
    dnnl::memory::desc cm({g.m, g.n}, bf, D{g.ldc, 1});
    dnnl::primitive_attr attr;
    if (g.beta != 0) {
      dnnl::post_ops ops;
      ops.append_sum(1.0f);
      attr.set_post_ops(ops);
    }
    const auto& eng = OnednnEngine();
    auto made = std::make_unique<Entry>();
    made->prim = dnnl::matmul(dnnl::matmul::primitive_desc(eng, am, bm, cm, attr));
    made->a = dnnl::memory(am, eng, nullptr);
    made->b = dnnl::memory(bm, eng, nullptr);
    made->c = dnnl::memory(cm, eng, nullptr);
    return made;
  });
  e->a.set_data_handle(const_cast<void*>(g.a));
  e->b.set_data_handle(const_cast<void*>(g.b));
  e->c.set_data_handle(g.c);
  e->prim.execute(OnednnStream(), {{DNNL_ARG_SRC, e->a}, {DNNL_ARG_WEIGHTS, e->b}, {DNNL_ARG_DST, e->c}});
  return true;
}

}  // namespace phi::cpu
