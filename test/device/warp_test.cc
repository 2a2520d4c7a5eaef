// SPDX-License-Identifier: Apache-2.0
// Control flow, memory and what lanes do together.
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

#include "device/device.h"

namespace fakecuda::testing {
namespace {

// A kernel k(out, in) with %t the thread of the grid, %out and %in pointers, registers %r0..%r31, %f0..%f31, %d0..%d15,
// %h0..%h7 and %p0..%p7.
std::string Kernel(const std::string& body, const std::string& before = "") {
  return kHead + before +
         ".visible .entry k(.param .u64 k_0, .param .u64 k_1) {\n .reg .b32 %t, %r<32>;\n .reg .f32 %f<32>;\n .reg "
         ".b64 %out, %in, %d<16>;\n" +
         " .reg .pred %p<8>;\n .reg .b16 %h<8>;\n ld.param.u64 %out, [k_0];\n ld.param.u64 %in, [k_1];\n mov.u32 %r0, "
         "%ctaid.x;\n mov.u32 %r1, %ntid.x;\n mov.u32 %t, %tid.x;\n" +
         " mad.lo.u32 %t, %r0, %r1, %t;\n" + body + "\n ret;\n}\n";
}

const std::string kStore = " mad.wide.u32 %d0, %t, 4, %out;\n st.global.u32 [%d0], %r2;";

class WarpTest : public DeviceTest {
 protected:
  std::vector<uint32_t> Run(const std::string& text, unsigned blocks, unsigned threads, CUdeviceptr in = 0,
                            size_t n = 0) {
    const size_t count = n ? n : size_t{blocks} * threads;
    const auto out = Upload(std::vector<uint32_t>(count, 77));
    const CUfunction k = Load(text);
    if (!k) return {};
    EXPECT_EQ(Launch(k, blocks, threads, nullptr, out, in), CUDA_SUCCESS);
    return Download<uint32_t>(out, count);
  }
};

TEST_F(WarpTest, BranchesMeetAgain) {
  // The Collatz steps of each thread's number: every lane leaves the loop at another time.
  const auto got = Run(Kernel(" add.u32 %r3, %t, 1;\n mov.u32 %r2, 0;\nLOOP:\n setp.eq.u32 %p0, %r3, 1;\n @%p0 bra "
                              "END;\n and.b32 %r4, %r3, 1;\n"
                              " setp.eq.u32 %p1, %r4, 0;\n @%p1 bra EVEN;\n mad.lo.u32 %r3, %r3, 3, 1;\n bra "
                              "NEXT;\nEVEN:\n shr.u32 %r3, %r3, 1;\nNEXT:\n"
                              " add.u32 %r2, %r2, 1;\n bra LOOP;\nEND:\n" +
                              kStore),
                       3, 50);
  for (uint32_t t = 0; t < 150; ++t) {
    uint32_t n = t + 1, steps = 0;
    for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
    ASSERT_EQ(got[t], steps) << t;
  }
}

TEST_F(WarpTest, IndexedBranches) {
  const auto got = Run(Kernel(" and.b32 %r3, %t, 3;\nTABLE: .branchtargets A, B, C, B;\n brx.idx %r3, TABLE;\nA:\n "
                              "mov.u32 %r2, 10;\n bra END;\nB:\n mov.u32 %r2, 20;\n bra END;\nC:\n"
                              " mov.u32 %r2, 30;\nEND:\n" +
                              kStore),
                       1, 64);
  for (uint32_t t = 0; t < 64; ++t) ASSERT_EQ(got[t], std::vector<uint32_t>({10, 20, 30, 20})[t % 4]);
}

TEST_F(WarpTest, FunctionsWithLocalMemory) {
  const std::string f =
      ".func (.param .b32 result) f(.param .b32 a, .param .b32 b) {\n .reg .b32 %x, %y;\n .reg .pred %p;\n "
      "ld.param.u32 %x, [a];\n ld.param.u32 %y, [b];\n"
      " setp.gt.u32 %p, %x, 40;\n @%p bra BIG;\n add.u32 %x, %x, %y;\n st.param.b32 [result], %x;\n ret;\nBIG:\n "
      "st.param.b32 [result], 9;\n ret;\n}\n";
  const auto got = Run(Kernel(" .local .align 4 .b8 depot[16];\n mov.u64 %d1, depot;\n st.local.u32 [%d1+4], %t;\n "
                              "cvta.local.u64 %d2, %d1;\n ld.u32 %r3, [%d2+4];\n"
                              " {\n .param .b32 p0;\n .param .b32 p1;\n .param .b32 r0;\n st.param.b32 [p0], %r3;\n "
                              "st.param.b32 [p1], 100;\n call.uni (r0), f, (p0, p1);\n"
                              " ld.param.b32 %r2, [r0];\n }\n" +
                                  kStore,
                              f),
                       1, 64);
  for (uint32_t t = 0; t < 64; ++t) ASSERT_EQ(got[t], t > 40 ? 9 : t + 100);
}

TEST_F(WarpTest, ConstantsAndVariables) {
  const auto got = Run(Kernel(" and.b32 %r3, %t, 3;\n mul.wide.u32 %d1, %r3, 4;\n mov.u64 %d2, table;\n add.u64 %d2, "
                              "%d2, %d1;\n ld.const.u32 %r2, [%d2];\n"
                              " atom.global.add.u32 %r4, [count], 1;\n ld.global.u64 %d3, [where];\n ld.u32 %r5, "
                              "[%d3];\n add.u32 %r2, %r2, %r5;\n" +
                                  kStore,
                              ".const .align 4 .b32 table[4] = {1, 2, 3, 4};\n.global .u32 count = 5;\n.global .u32 "
                              "kept = 1000;\n.global .u64 where = kept;\n"),
                       1, 32);
  for (uint32_t t = 0; t < 32; ++t) ASSERT_EQ(got[t], 1001 + t % 4);
}

TEST_F(WarpTest, Shuffles) {
  const struct {
    const char* op;
    int (*from)(int);
  } cases[] = {
      {"shfl.sync.up.b32 %r2, %t, 3, 0, -1;", [](int l) { return l < 3 ? l : l - 3; }},
      {"shfl.sync.down.b32 %r2, %t, 3, 31, -1;", [](int l) { return l + 3 > 31 ? l : l + 3; }},
      {"shfl.sync.bfly.b32 %r2, %t, 5, 31, -1;", [](int l) { return l ^ 5; }},
      {"shfl.sync.idx.b32 %r2|%p0, %t, 7, 31, -1;", [](int) { return 7; }},
      {"shfl.sync.idx.b32 %r2, %t, 1, 0x181f, -1;", [](int l) { return (l & 24) + 1; }},  // segments of 8 lanes
      {"shfl.sync.down.b32 %r2, %t, 1, 0x181f, -1;", [](int l) { return l % 8 == 7 ? l : l + 1; }}};
  for (const auto& c : cases) {
    const auto got = Run(Kernel(std::string(" ") + c.op + "\n" + kStore), 1, 32);
    for (int l = 0; l < 32; ++l)
      ASSERT_EQ(got[static_cast<size_t>(l)], static_cast<uint32_t>(c.from(l))) << c.op << " lane " << l;
  }
}

TEST_F(WarpTest, VotesAndReductions) {
  EXPECT_EQ(Run(Kernel(" setp.lt.u32 %p0, %t, 5;\n vote.sync.ballot.b32 %r2, %p0, -1;\n" + kStore), 1, 32)[9], 31u);
  EXPECT_EQ(Run(Kernel(" setp.lt.u32 %p0, %t, 5;\n vote.sync.any.pred %p1, %p0, -1;\n vote.sync.all.pred %p2, %p0, "
                       "-1;\n selp.u32 %r2, 1, 0, %p1;\n @%p2 add.u32 %r2, %r2, 2;\n" +
                       kStore),
                1, 32)[9],
            1u);
  EXPECT_EQ(Run(Kernel(" redux.sync.add.u32 %r2, %t, -1;\n" + kStore), 1, 32)[3], 496u);
  EXPECT_EQ(Run(Kernel(" sub.s32 %r3, 5, %t;\n redux.sync.min.s32 %r2, %r3, -1;\n" + kStore), 1, 32)[3],
            static_cast<uint32_t>(-26));
  EXPECT_EQ(Run(Kernel(" and.b32 %r3, %t, 1;\n match.any.sync.b32 %r2, %r3, -1;\n" + kStore), 1, 32)[4], 0x55555555u);
  EXPECT_EQ(Run(Kernel(" setp.lt.u32 %p0, %t, 40;\n bar.red.popc.u32 %r2, 0, %p0;\n" + kStore), 1, 96)[70], 40u);
  EXPECT_EQ(
      Run(Kernel(" setp.lt.u32 %p0, %t, 40;\n @%p0 activemask.b32 %r2;\n @!%p0 mov.u32 %r2, 0;\n" + kStore), 1, 64)[35],
      255u);
}

TEST_F(WarpTest, BlockSum) {
  // Each block sums its values through shared memory and halving strides.
  const std::string body =
      " mov.u32 %r3, %tid.x;\n mul.lo.u32 %r4, %r3, 4;\n mov.u32 %r5, s;\n add.u32 %r5, %r5, %r4;\n mad.wide.u32 %d1, "
      "%t, 4, %in;\n ld.global.f32 %f0, [%d1];\n"
      " st.shared.f32 [%r5], %f0;\n bar.sync 0;\n mov.u32 %r6, 64;\nLOOP:\n setp.ge.u32 %p0, %r3, %r6;\n @%p0 bra "
      "SKIP;\n shl.b32 %r7, %r6, 2;\n add.u32 %r7, %r7, %r5;\n"
      " ld.shared.f32 %f1, [%r5];\n ld.shared.f32 %f2, [%r7];\n add.f32 %f1, %f1, %f2;\n st.shared.f32 [%r5], "
      "%f1;\nSKIP:\n bar.sync 0;\n shr.u32 %r6, %r6, 1;\n setp.ne.u32 %p1, %r6, 0;\n @%p1 bra LOOP;\n"
      " setp.ne.u32 %p2, %r3, 0;\n @%p2 ret;\n ld.shared.u32 %r2, [s];\n mad.wide.u32 %d0, %r0, 4, %out;\n "
      "st.global.u32 [%d0], %r2;\n";
  std::vector<float> in(1024);
  std::iota(in.begin(), in.end(), 0.0f);
  const auto got = Run(Kernel(body, ".shared .align 4 .b8 s[512];\n"), 8, 128, Upload(in), 8);
  for (size_t b = 0; b < 8; ++b) {
    EXPECT_EQ(std::bit_cast<float>(got[b]), std::accumulate(in.begin() + static_cast<long>(128 * b),
                                                            in.begin() + static_cast<long>(128 * b + 128), 0.0f));
  }
  FakeCudaCounters c;
  fakecuda_counters(&c);
  EXPECT_EQ(c.barriers, 8u * 8);
  EXPECT_EQ(c.bytes_read, 4096u);
  EXPECT_EQ(c.sectors, 4096u / 32 + 8);
  EXPECT_EQ(c.bank_conflicts, 0u);
}

TEST_F(WarpTest, CountersOfStridesAndBanks) {
  Run(Kernel(" mad.wide.u32 %d1, %t, 128, %in;\n ld.global.u32 %r2, [%d1];\n"), 1, 32,
      Upload(std::vector<uint32_t>(32 * 32)));
  FakeCudaCounters c;
  fakecuda_counters(&c);
  EXPECT_EQ(c.sectors, 32u);
  EXPECT_EQ(c.loads, 32u * 3);  // and the two parameters
  fakecuda_reset_counters();
  const char* const shared = ".shared .align 4 .b8 s[4096];\n";
  Run(Kernel(" mov.u32 %r4, s;\n mad.lo.u32 %r3, %t, 128, %r4;\n st.shared.u32 [%r3], %t;\n", shared), 1, 32);
  fakecuda_counters(&c);
  EXPECT_EQ(c.bank_conflicts, 31u);
  EXPECT_EQ(c.shared_requests, 1u);
}

TEST_F(WarpTest, Atomics) {
  const auto check = [&](const std::string& op, std::vector<uint32_t> start, auto expected) {
    const auto at = Upload(start);
    Run(Kernel(" " + op), 4, 64, at);
    EXPECT_EQ(Download<uint32_t>(at, 1)[0], expected) << op;
  };
  check("red.global.add.u32 [%in], %t;", {5}, 5u + 255 * 128);
  check("atom.global.max.s32 %r2, [%in], %t;", {0xffffffff}, 255u);
  check("atom.global.and.b32 %r2, [%in], 12;", {7}, 4u);
  check("atom.global.inc.u32 %r2, [%in], 9;", {0}, 256u % 10);
  check("atom.global.cas.b32 %r2, [%in], 3, 8;", {3}, 8u);
  check("mov.f32 %f0, 0f3F800000;\n red.global.add.f32 [%in], %f0;", {0}, std::bit_cast<uint32_t>(256.0f));
}

TEST_F(WarpTest, Vectors) {
  std::vector<uint32_t> in(256);
  std::iota(in.begin(), in.end(), 0u);
  const auto got = Run(Kernel(" mad.wide.u32 %d1, %t, 16, %in;\n ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d1];\n "
                              "mad.wide.u32 %d0, %t, 16, %out;\n"
                              " st.global.v4.u32 [%d0], {%r6, %r5, %r4, %r3};"),
                       1, 64, Upload(in), 256);
  for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(got[i], i / 4 * 4 + 3 - i % 4);
  const auto bytes = Run(Kernel(" cvt.u64.u32 %d1, %t;\n add.u64 %d1, %d1, %in;\n ld.global.s8 %r2, [%d1];\n" + kStore),
                         1, 32, Upload(std::vector<int8_t>(32, -3)));
  EXPECT_EQ(bytes[31], static_cast<uint32_t>(-3));
}

TEST_F(WarpTest, MatrixProduct) {
  // One warp: 16 x 16 times 16 x 8 in bfloat16, loaded by ldmatrix from shared memory that cp.async filled.
  const std::string body =
      " mov.u32 %r3, a;\n shl.b32 %r4, %t, 4;\n add.u32 %r5, %r3, %r4;\n cvt.u64.u32 %d1, %r4;\n add.u64 %d2, %in, "
      "%d1;\n"
      " cp.async.cg.shared.global [%r5], [%d2], 16;\n cp.async.commit_group;\n mov.u32 %r6, b;\n and.b32 %r7, %t, "
      "15;\n shl.b32 %r7, %r7, 4;\n add.u32 %r6, %r6, %r7;\n"
      " cvt.u64.u32 %d3, %r7;\n add.u64 %d3, %d3, %in;\n setp.lt.u32 %p0, %t, 16;\n @%p0 cp.async.ca.shared.global "
      "[%r6], [%d3+512], 16;\n cp.async.commit_group;\n"
      " cp.async.wait_group 0;\n bar.warp.sync -1;\n"
      // Rows of a: lanes 0-15 columns 0-7, lanes 16-31 columns 8-15.
      " and.b32 %r8, %t, 15;\n shr.u32 %r9, %t, 4;\n shl.b32 %r8, %r8, 5;\n shl.b32 %r9, %r9, 4;\n add.u32 %r8, %r8, "
      "%r9;\n add.u32 %r8, %r8, %r3;\n"
      " ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];\n "
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r6];\n"
      " mov.f32 %f0, 0f3F800000;\n mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r10, "
      "%r11, %r12, %r13}, {%r14, %r15}, {%f0, %f0, %f0, %f0};\n"
      " shr.u32 %r16, %t, 2;\n and.b32 %r17, %t, 3;\n shl.b32 %r16, %r16, 5;\n shl.b32 %r17, %r17, 3;\n add.u32 %r16, "
      "%r16, %r17;\n cvt.u64.u32 %d4, %r16;\n add.u64 %d4, %d4, %out;\n"
      " st.global.v2.f32 [%d4], {%f1, %f2};\n st.global.v2.f32 [%d4+256], {%f3, %f4};";
  const auto bf16 = [](float f) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(f) >> 16); };
  std::vector<uint16_t> in(16 * 16 + 16 * 8);
  std::vector<float> values(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    values[i] = static_cast<float>(static_cast<int>(i * 37 % 19) - 9) / 4, in[i] = bf16(values[i]);
  const auto got =
      Run(Kernel(body, ".shared .align 16 .b8 a[512];\n.shared .align 16 .b8 b[256];\n"), 1, 32, Upload(in), 128);
  for (size_t r = 0; r < 16; ++r) {
    for (size_t c = 0; c < 8; ++c) {
      float want = 1;
      for (size_t k = 0; k < 16; ++k) want += values[r * 16 + k] * values[256 + k * 8 + c];
      ASSERT_EQ(std::bit_cast<float>(got[r * 8 + c]), want) << r << "," << c;
    }
  }
}

TEST_F(WarpTest, GraphsReplay) {
  const CUfunction k =
      Load(Kernel(" mad.wide.u32 %d1, %t, 4, %in;\n ld.global.u32 %r3, [%d1];\n add.u32 %r2, %r3, 1;\n" + kStore));
  const auto a = Upload(std::vector<uint32_t>(64, 1)), b = Alloc(256);
  CUstream s = nullptr, side = nullptr;
  CUevent fork = nullptr, join = nullptr;
  ASSERT_EQ(cuStreamCreate(&s, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&side, 1), CUDA_SUCCESS);
  cuEventCreate(&fork, 2);
  cuEventCreate(&join, 2);
  ASSERT_EQ(cuStreamBeginCapture_v2(s, 0), CUDA_SUCCESS);
  EXPECT_EQ(Launch(k, 1, 64, s, b, a), CUDA_SUCCESS);
  cuEventRecord(fork, s);
  cuStreamWaitEvent(side, fork, 0);
  EXPECT_EQ(Launch(k, 1, 64, side, a, b), CUDA_SUCCESS);
  cuEventRecord(join, side);
  cuStreamWaitEvent(s, join, 0);
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamEndCapture(s, &graph), CUDA_SUCCESS);
  size_t n = 0;
  cuGraphGetNodes(graph, nullptr, &n);
  EXPECT_EQ(n, 2u);
  EXPECT_EQ(Download<uint32_t>(a, 64)[5], 1u);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cuGraphLaunch(exec, s), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
  EXPECT_EQ(Download<uint32_t>(a, 64)[5], 7u);
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  cuEventDestroy_v2(fork);
  cuEventDestroy_v2(join);
  cuStreamDestroy_v2(side);
  cuStreamDestroy_v2(s);
}

TEST_F(WarpTest, Speed) {
  std::string body = " cvt.rn.f32.u32 %f0, %t;\n mov.f32 %f1, %f0;\n mov.u32 %r3, 0;\nLOOP:\n";
  for (int i = 0; i < 16; ++i)
    body +=
        " fma.rn.f32 %f1, %f1, %f0, %f0;\n add.u32 %r4, %r3, %t;\n mul.f32 %f2, %f1, %f0;\n xor.b32 %r5, %r4, %r3;\n";
  body += " add.u32 %r3, %r3, 1;\n setp.lt.u32 %p0, %r3, 200;\n @%p0 bra LOOP;\n mov.b32 %r2, %f1;\n" + kStore;
  const auto start = std::chrono::steady_clock::now();
  Run(Kernel(body), 16, 256);
  const double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  FakeCudaCounters c;
  fakecuda_counters(&c);
  RecordProperty("million_lane_instructions_a_second", static_cast<int>(static_cast<double>(c.lanes) / s / 1e6));
  EXPECT_GT(c.lanes, 50'000'000u);
}

}  // namespace
}  // namespace fakecuda::testing
