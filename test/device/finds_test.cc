// SPDX-License-Identifier: Apache-2.0
// Planted bugs: each is found, and the text names where.
#include <thread>

#include "device/device.h"

namespace fakecuda::testing {
namespace {

// k(out, in, n): %t the thread of the grid, %out, %in, %n; registers as in the texts below.
std::string Kernel(const std::string& body, const std::string& before = "") {
  return kHead + before +
         ".visible .entry k(.param .u64 k_0, .param .u64 k_1, .param .u32 k_2) {\n .reg .b32 %t, %n, %r<16>;\n .reg "
         ".b64 %out, %in, %d<8>;\n" +
         " .reg .pred %p<4>;\n ld.param.u64 %out, [k_0];\n ld.param.u64 %in, [k_1];\n ld.param.u32 %n, [k_2];\n "
         "mov.u32 %r0, %ctaid.x;\n mov.u32 %r1, %ntid.x;\n" +
         " mov.u32 %r2, %tid.x;\n mad.lo.u32 %t, %r0, %r1, %r2;\n" + body + "\n ret;\n}\n";
}

const std::string kCopy = Kernel(
    " setp.gt.u32 %p0, %t, %n;\n @%p0 ret;\n mad.wide.u32 %d0, %t, 4, %in;\n ld.global.u32 %r3, [%d0];\n mad.wide.u32 "
    "%d1, %t, 4, %out;\n st.global.u32 [%d1], %r3;");
const std::string kShared = ".shared .align 4 .b8 s[256];\n";
const std::string kSlot = " mov.u32 %r4, s;\n mad.lo.u32 %r5, %r2, 4, %r4;\n";

class Finds : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    cuStreamCreate(&a_, 1);
    cuStreamCreate(&b_, 1);
    cuEventCreate(&event_, 2);
  }
  void TearDown() override {
    fakecuda_take_find();
    cuEventDestroy_v2(event_);
    cuStreamDestroy_v2(a_);
    cuStreamDestroy_v2(b_);
    DeviceTest::TearDown();
  }
  CUdeviceptr Numbers(size_t n) { return Upload(std::vector<uint32_t>(n, 3)); }
  // The find of one launch of a text.
  std::string Of(const std::string& text, unsigned blocks, unsigned threads, CUdeviceptr out, CUdeviceptr in,
                 uint32_t n = 0) {
    Launch(Load(text), blocks, threads, nullptr, out, in, n);
    return Found();
  }
  static void Expect(const std::string& found, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
      EXPECT_NE(found.find(part), std::string::npos) << "expected '" << part << "' in: " << found;
  }
  CUstream a_ = nullptr, b_ = nullptr;
  CUevent event_ = nullptr;
};

TEST_F(Finds, ReadOnePastTheEnd) {
  const auto in = Numbers(40), out = Numbers(64);
  Expect(Of(kCopy, 1, 64, out, in, 40),
         {"kernel 'k', line 18 'ld.global.u32 %r3, [%d0];'", "thread (40,0,0)", "read of 4 bytes",
          "0 bytes past the end of allocation", "160 bytes", "cuMemAlloc"});
}
TEST_F(Finds, WriteOnePastTheEnd) {
  Expect(Of(kCopy, 1, 64, Numbers(40), Numbers(64), 40),
         {"line 20", "thread (40,0,0)", "write of 4 bytes", "past the end"});
}
TEST_F(Finds, WrongStride) {
  Expect(Of(Kernel(" mad.wide.u32 %d0, %t, 256, %in;\n ld.global.u32 %r3, [%d0];"), 1, 32, 0, Numbers(32)),
         {"thread (1,0,0)", "128 bytes past the end"});
}
TEST_F(Finds, NegativeIndex) {
  Expect(Of(Kernel(" ld.global.u32 %r3, [%in+-4];"), 1, 1, 0, Numbers(8)), {"4 bytes before allocation"});
}
TEST_F(Finds, NullPointer) {
  Expect(Of(Kernel(" ld.global.u32 %r3, [%in];"), 1, 1, 0, 0), {"at 0x0", "no address of a device"});
}
TEST_F(Finds, FreedMemory) {
  const auto in = Numbers(64);
  Release(in);
  Expect(Of(kCopy, 1, 32, Numbers(64), in, 64), {"in freed memory", "freed by cuMemFree"});
}
TEST_F(Finds, FreedTwice) {
  CUdeviceptr p = 0;
  cuMemAlloc_v2(&p, 64);
  cuMemFree_v2(p);
  EXPECT_EQ(cuMemFree_v2(p), CUDA_ERROR_INVALID_VALUE);
  Expect(Found(), {"cuMemFree", "freed by cuMemFree"});
}
TEST_F(Finds, FreedOnAnotherStream) {
  CUdeviceptr p = 0;
  cuMemAllocAsync(&p, 256, a_);
  cuMemsetD8Async(p, 0, 256, a_);
  cuStreamSynchronize(a_);
  Launch(Load(kCopy), 1, 32, b_, Numbers(64), p, 64u);
  cuMemFreeAsync(p, a_);  // b_ may not have read yet
  cuStreamSynchronize(b_);
  cuStreamSynchronize(a_);
  Expect(Found(), {"cuMemFreeAsync", "is not ordered after the read by kernel 'k' in stream"});
}
TEST_F(Finds, UsedAfterFreeAsync) {
  CUdeviceptr p = 0;
  cuMemAllocAsync(&p, 256, a_);
  cuMemsetD8Async(p, 0, 256, a_);
  cuMemFreeAsync(p, a_);
  Launch(Load(kCopy), 1, 32, a_, Numbers(64), p, 64u);
  Expect(Found(), {"in freed memory", "freed by cuMemFreeAsync in stream"});
}
TEST_F(Finds, MisalignedVector) {
  Expect(Of(Kernel(" ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%in+8];"), 1, 1, 0, Numbers(64)),
         {"read of 16 bytes", "is not aligned", "allocation"});
}
TEST_F(Finds, NeverWritten) { Expect(Of(kCopy, 1, 32, Numbers(64), Alloc(256), 64), {"never written", "allocation"}); }
TEST_F(Finds, SharedNeverWritten) {
  Expect(Of(Kernel(kSlot + " ld.shared.u32 %r6, [%r5];", kShared), 1, 32, 0, 0),
         {"shared memory that was never written", "'s' + 0"});
}
TEST_F(Finds, SharedPastTheEnd) {
  Expect(Of(Kernel(kSlot + " st.shared.u32 [%r5], %t;", kShared), 1, 96, 0, 0),
         {"thread (64,0,0)", "'s' + 256", "outside of a variable"});
}
TEST_F(Finds, MissingBarrier) {
  Expect(Of(Kernel(kSlot + " st.shared.u32 [%r5], %t;\n xor.b32 %r6, %r2, 32;\n mad.lo.u32 %r6, %r6, 4, %r4;\n "
                           "ld.shared.u32 %r7, [%r6];",
                   kShared),
            1, 64, 0, 0),
         {"shared"});
  const std::string back = Kernel(kSlot +
                                      " st.shared.u32 [%r5], %t;\n bar.sync 0;\n xor.b32 %r6, %r2, 32;\n mad.lo.u32 "
                                      "%r6, %r6, 4, %r4;\n ld.shared.u32 %r7, [%r6];\n st.shared.u32 [%r5], %r7;",
                                  kShared);
  Expect(Of(back, 1, 64, 0, 0), {"read of 4 bytes", "races with the write by thread (32,0,0)"});
}
TEST_F(Finds, MissingWarpBarrier) {
  const std::string body = kSlot +
                           " st.shared.u32 [%r5], %t;\n$SYNC xor.b32 %r6, %r2, 1;\n mad.lo.u32 %r6, %r6, 4, %r4;\n "
                           "ld.shared.u32 %r7, [%r6];";
  std::string without = body, with = body;
  without.replace(without.find("$SYNC"), 5, "");
  with.replace(with.find("$SYNC"), 5, " bar.warp.sync -1;\n");
  Expect(Of(Kernel(without, kShared), 1, 32, 0, 0), {"races with the write by thread (1,0,0)"});
  EXPECT_EQ(Of(Kernel(with, kShared), 1, 32, 0, 0), "");
}
TEST_F(Finds, BlocksWriteTheSame) {
  Expect(Of(Kernel(" mad.wide.u32 %d1, %r2, 4, %out;\n st.global.u32 [%d1], %t;"), 2, 32, Numbers(32), 0),
         {"races with the write by block", "block ("});
}
TEST_F(Finds, BlockReadsAnothers) {
  Expect(Of(Kernel(" mad.wide.u32 %d1, %t, 4, %out;\n st.global.u32 [%d1], %t;\n xor.b32 %r3, %t, 32;\n mad.wide.u32 "
                   "%d2, %r3, 4, %out;\n ld.global.u32 %r4, [%d2];"),
            2, 32, Numbers(64), 0),
         {"races with the"});
}
TEST_F(Finds, BarrierInDivergentCode) {
  Expect(Of(Kernel(" setp.lt.u32 %p0, %r2, 16;\n @%p0 bar.sync 0;"), 1, 32, 0, 0),
         {"line 16 '@%p0 bar.sync 0;'", "barrier in divergent code", "thread (16,0,0)"});
}
TEST_F(Finds, BarrierAfterReturn) {
  Expect(Of(Kernel(" setp.ge.u32 %p0, %r2, 32;\n @%p0 ret;\n bar.sync 0;"), 1, 64, 0, 0),
         {"barrier 0 waits for ever: 32 threads have arrived, 32 have left"});
}
TEST_F(Finds, ShuffleFromAnAbsentLane) {
  Expect(Of(Kernel(" setp.ge.u32 %p0, %r2, 16;\n @%p0 ret;\n shfl.sync.idx.b32 %r3, %t, 20, 31, 0xffff;"), 1, 32, 0, 0),
         {"shuffle reads lane 20, which does not take part"});
}
TEST_F(Finds, ShuffleThatWaits) {
  Expect(Of(Kernel(" setp.ge.u32 %p0, %r2, 16;\n @%p0 bra OTHER;\n shfl.sync.idx.b32 %r3, %t, 0, 31, -1;\n bra "
                   "END;\nOTHER:\n bar.warp.sync -1;\nEND:\n"),
            1, 32, 0, 0),
         {"waits for ever for lane 16"});
}
TEST_F(Finds, LocalPastTheEnd) {
  Expect(Of(Kernel(" .local .align 4 .b8 x[16];\n mov.u64 %d0, x;\n mad.wide.u32 %d1, %r2, 4, %d0;\n st.local.u32 "
                   "[%d1], %t;"),
            1, 32, 0, 0),
         {"thread (4,0,0)", "16 bytes of local memory"});
}
TEST_F(Finds, CopyWithoutWait) {
  Expect(Of(Kernel(kSlot + " mad.wide.u32 %d0, %r2, 4, %in;\n cp.async.ca.shared.global [%r5], [%d0], 4;\n "
                           "cp.async.commit_group;\n ld.shared.u32 %r6, [%r5];",
                   kShared),
            1, 32, 0, Numbers(32)),
         {"never written"});
}
TEST_F(Finds, StreamsWithoutAnEvent) {
  const auto x = Numbers(64), y = Numbers(64), z = Numbers(64);
  const CUfunction k = Load(kCopy);
  Launch(k, 2, 32, a_, y, x, 63u);
  Launch(k, 2, 32, b_, z, y, 63u);
  Expect(Found(), {"is not ordered after the write by kernel 'k' in stream", "no event"});
  Launch(k, 2, 32, a_, y, x, 63u);
  cuEventRecord(event_, a_);
  cuStreamWaitEvent(b_, event_, 0);
  Launch(k, 2, 32, b_, z, y, 63u);
  EXPECT_EQ(Found(), "");
}
TEST_F(Finds, CopyBesideAKernel) {
  const auto x = Numbers(64), y = Numbers(64);
  uint32_t* host = nullptr;
  cuMemHostAlloc(reinterpret_cast<void**>(&host), 256, 0);
  Launch(Load(kCopy), 2, 32, a_, y, x, 63u);
  cuMemcpyDtoHAsync_v2(host, y, 256, b_);
  Expect(Found(), {"cuMemcpyDtoHAsync", "not ordered", "kernel 'k'"});
  cuMemFreeHost(host);
}
TEST_F(Finds, CopyBeforeTheWrite) {
  const auto x = Alloc(64);
  uint32_t host[16];
  cuMemsetD8Async(x, 1, 64, a_);
  EXPECT_EQ(cuMemcpyDtoH_v2(host, x, 64), CUDA_SUCCESS);  // the default stream does not wait for a_
  Expect(Found(), {"cuMemsetD8Async", "is not ordered after the read by cuMemcpyDtoH"});
}
TEST_F(Finds, PinnedMemoryLags) {
  // A copy reads pinned memory when it runs: what the host writes meanwhile arrives.
  uint32_t* host = nullptr;
  cuMemHostAlloc(reinterpret_cast<void**>(&host), 4, 0);
  const auto x = Numbers(1);
  *host = 1;
  cuMemcpyHtoDAsync_v2(x, host, 4, a_);
  *host = 2;
  cuStreamSynchronize(a_);
  EXPECT_EQ(Download<uint32_t>(x, 1)[0], 2u);
  cuMemFreeHost(host);
}
TEST_F(Finds, CopyPastTheEnd) {
  const auto x = Numbers(4);
  uint32_t host[5] = {};
  EXPECT_EQ(cuMemcpyHtoD_v2(x, host, 20), CUDA_ERROR_ILLEGAL_ADDRESS);
  Expect(Found(), {"cuMemcpyHtoD: write of 20 bytes", "past the end of allocation"});
}
TEST_F(Finds, SynchroniseWhileCapturing) {
  ASSERT_EQ(cuStreamBeginCapture_v2(a_, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(a_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(a_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_EQ(cuStreamBeginCapture_v2(a_, 0), CUDA_SUCCESS);
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc_v2(&p, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  Expect(Text(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED), {"cuMemAlloc while a stream is captured"});
  EXPECT_EQ(cuStreamEndCapture(a_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}
// Of the modes of captures and of threads: who may call what is unsafe while a stream is captured.
TEST_F(Finds, ModesOfCaptures) {
  const auto allocates = [] {
    CUdeviceptr p = 0;
    const CUresult r = cuMemAlloc_v2(&p, 4);
    if (r == CUDA_SUCCESS) cuMemFree_v2(p);
    return r;
  };
  const auto elsewhere = [&](int heeds) {
    CUresult r = CUDA_SUCCESS;
    std::thread([&] {
      cuCtxSetCurrent(context_);
      cuThreadExchangeStreamCaptureMode(&heeds);
      r = allocates();
    }).join();
    return r;
  };
  constexpr CUresult kNot = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CUgraph graph = nullptr;
  for (int mode = 0; mode < 3; ++mode) {
    for (int heeds = 0; heeds < 3; ++heeds) {
      ASSERT_EQ(cuStreamBeginCapture_v2(a_, mode), CUDA_SUCCESS);
      EXPECT_EQ(elsewhere(heeds), mode == 0 && heeds == 0 ? kNot : CUDA_SUCCESS) << mode << heeds;
      cuStreamEndCapture(a_, &graph);
      ASSERT_EQ(cuStreamBeginCapture_v2(a_, mode), CUDA_SUCCESS);
      int now = heeds;
      cuThreadExchangeStreamCaptureMode(&now);
      EXPECT_EQ(now, 0);
      EXPECT_EQ(allocates(), mode == 2 || heeds == 2 ? CUDA_SUCCESS : kNot) << mode << heeds;
      cuThreadExchangeStreamCaptureMode(&now);
      EXPECT_EQ(now, heeds);
      cuStreamEndCapture(a_, &graph);
    }
    ASSERT_EQ(cuStreamBeginCapture_v2(a_, mode), CUDA_SUCCESS);
    CUresult r = CUDA_SUCCESS;
    std::thread([&] {
      cuCtxSetCurrent(context_);
      r = cuStreamEndCapture(a_, &graph);
    }).join();
    EXPECT_EQ(r, mode == 2 ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    if (mode != 2) EXPECT_EQ(cuStreamEndCapture(a_, &graph), CUDA_SUCCESS);
  }
}
TEST_F(Finds, CaptureThatIsNotJoined) {
  const auto x = Numbers(64), y = Numbers(64);
  const CUfunction copy = Load(kCopy);
  ASSERT_EQ(cuStreamBeginCapture_v2(a_, 0), CUDA_SUCCESS);
  cuEventRecord(event_, a_);
  cuStreamWaitEvent(b_, event_, 0);
  Launch(copy, 1, 32, b_, y, x, 63u);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(a_, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}
TEST_F(Finds, ReplayOfFreedMemory) {
  const auto x = Numbers(64), y = Numbers(64);
  const CUfunction copy = Load(kCopy);
  ASSERT_EQ(cuStreamBeginCapture_v2(a_, 0), CUDA_SUCCESS);
  Launch(copy, 1, 32, a_, y, x, 63u);
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamEndCapture(a_, &graph), CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  cuGraphLaunch(exec, a_);
  EXPECT_EQ(Found(), "");
  Release(x);
  cuGraphLaunch(exec, a_);
  Expect(Found(), {"kernel 'k'", "in freed memory"});
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
}
TEST_F(Finds, BranchesOfAGraphRace) {
  const auto x = Numbers(64), y = Numbers(64), z = Numbers(64);
  const CUfunction k = Load(kCopy);
  ASSERT_EQ(cuStreamBeginCapture_v2(a_, 0), CUDA_SUCCESS);
  cuEventRecord(event_, a_);
  cuStreamWaitEvent(b_, event_, 0);
  Launch(k, 1, 32, a_, y, x, 63u);
  Launch(k, 1, 32, b_, z, y, 63u);
  CUevent join = nullptr;
  cuEventCreate(&join, 2);
  cuEventRecord(join, b_);
  cuStreamWaitEvent(a_, join, 0);
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamEndCapture(a_, &graph), CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  cuGraphInstantiateWithFlags(&exec, graph, 0);
  cuGraphLaunch(exec, a_);
  Expect(Found(), {"not ordered", "kernel 'k' of a graph"});
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  cuEventDestroy_v2(join);
}
TEST_F(Finds, LaunchBeyondLimits) {
  EXPECT_EQ(Launch(Load(kCopy), 1, 2048, nullptr, CUdeviceptr{0}, CUdeviceptr{0}, 0u), CUDA_ERROR_INVALID_VALUE);
  Expect(Found(), {"launch of 'k'", "2048 x 1 x 1 threads, at most 1024"});
  Launch(Load(Kernel("", ".shared .align 4 .b8 s[65536];\n")), 1, 1, nullptr, CUdeviceptr{0}, CUdeviceptr{0}, 0u);
  fakecuda_take_find();
  EXPECT_EQ(Launch(Load(Kernel(" st.shared.u32 [s], %t;", ".shared .align 4 .b8 s[65536];\n")), 1, 1, nullptr,
                   CUdeviceptr{0}, CUdeviceptr{0}, 0u),
            CUDA_ERROR_INVALID_VALUE);
  Expect(Found(), {"65536 bytes of static"});
}
TEST_F(Finds, EndlessLoop) {
  fakecuda_configure("FAKECUDA_LIMIT", "100000");
  const std::string found = Of(Kernel("LOOP:\n bra LOOP;"), 1, 32, 0, 0);
  fakecuda_configure("FAKECUDA_LIMIT", nullptr);
  Expect(found, {"kernel 'k' ran 100000 instructions", "has not ended"});
}
TEST_F(Finds, HostTouchesTheDevice) {
  const auto x = Numbers(4);
  EXPECT_DEATH({ *reinterpret_cast<volatile uint32_t*>(x) = 1; }, "");
}
TEST_F(Finds, ErrorsStick) {
  const auto out = Numbers(64), in = Numbers(40);
  Launch(Load(kCopy), 1, 64, a_, out, in, 63u);
  EXPECT_EQ(cuStreamSynchronize(a_), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr p = 0;
  EXPECT_EQ(cuMemAlloc_v2(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  Expect(Text(CUDA_ERROR_ILLEGAL_ADDRESS), {"illegal memory access", "kernel 'k', line 18"});
}

TEST_F(Finds, NothingInLegalOrders) {
  const CUfunction k =
      Load(Kernel(" mad.wide.u32 %d0, %t, 4, %in;\n ld.global.u32 %r3, [%d0];\n mad.lo.u32 %r3, %r3, 3, %n;\n "
                  "mad.wide.u32 %d1, %t, 4, "
                  "%out;\n st.global.u32 [%d1], %r3;"));
  for (int seed = 1; seed <= 20; ++seed) {
    fakecuda_configure("FAKECUDA_ORDER", std::to_string(seed).c_str());
    const auto x = Numbers(64), y = Alloc(256), z = Alloc(256);
    Launch(k, 2, 32, a_, y, x, 1u);
    cuEventRecord(event_, a_);
    cuStreamWaitEvent(b_, event_, 0);
    Launch(k, 2, 32, b_, z, y, 2u);
    Launch(k, 2, 32, a_, x, x, 5u);
    cuEventRecord(event_, b_);
    cuStreamWaitEvent(a_, event_, 0);
    Launch(k, 2, 32, a_, y, z, 7u);
    cuStreamSynchronize(a_);
    EXPECT_EQ(Download<uint32_t>(y, 64), std::vector<uint32_t>(64, ((3 * 3 + 1) * 3 + 2) * 3 + 7));
    EXPECT_EQ(Download<uint32_t>(x, 64), std::vector<uint32_t>(64, 14));
    EXPECT_EQ(Found(), "");
  }
  fakecuda_configure("FAKECUDA_ORDER", nullptr);
}
TEST_F(Finds, AnotherDevicesStream) {
  CUcontext other = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  const auto x = Numbers(64);
  const CUfunction k = Load(kCopy);
  cuCtxSetCurrent(other);
  CUstream s = nullptr;
  cuStreamCreate(&s, 1);
  const auto y = Alloc(256);
  EXPECT_EQ(Launch(k, 1, 32, s, y, x, 63u), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemcpyPeerAsync(y, other, x, context_, 256, s), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
  EXPECT_EQ(Download<uint32_t>(y, 64), std::vector<uint32_t>(64, 3));
  cuStreamDestroy_v2(s);
  cuCtxSetCurrent(context_);
  EXPECT_EQ(Found(), "");
}
TEST_F(Finds, UnmappedMemory) {
  const size_t size = 2 << 20;
  const CUmemAllocationProp prop = {1, 0, {1, 0}, nullptr, {}};
  const CUmemAccessDesc access = {{1, 0}, 3};
  CUdeviceptr range = 0;
  unsigned long long first = 0, second = 0;
  ASSERT_EQ(cuMemAddressReserve(&range, 2 * size, 0, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemCreate(&first, size, &prop, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemCreate(&second, size, &prop, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(range, size, 0, first, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(range + size, size, 0, second, 0), CUDA_SUCCESS);
  const auto out = Numbers(64);
  cuMemsetD8Async(range, 1, 256, a_);
  Expect(Found(), {"in mapped memory without access of any device (cuMemSetAccess)"});
  EXPECT_EQ(cuMemSetAccess(range, size / 2, &access, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemSetAccess(range, 2 * size, &access, 1), CUDA_SUCCESS);
  cuMemsetD8Async(range + size - 128, 1, 256, a_);  // across two mappings
  EXPECT_EQ(Found(), "");
  CUcontext other = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  cuCtxSetCurrent(other);
  Launch(Load(kCopy), 1, 32, nullptr, range, range + size, 63u);
  Expect(Found(), {"without access of device 1"});
  cuCtxSetCurrent(context_);
  cuMemsetD8Async(range + size, 1, 256, a_);
  Launch(Load(kCopy), 1, 32, a_, out, range + size, 63u);
  EXPECT_EQ(Found(), "");
  EXPECT_EQ(Download<uint32_t>(out, 1)[0], 0x01010101u);
  ASSERT_EQ(cuMemUnmap(range + size, size), CUDA_SUCCESS);
  Launch(Load(kCopy), 1, 32, a_, out, range + size, 63u);
  Expect(Found(), {"where no memory is mapped", "cuMemAddressReserve"});
  EXPECT_EQ(cuMemAddressFree(range, 2 * size), CUDA_ERROR_INVALID_VALUE);
  cuMemsetD8Async(range, 1, 256, a_);
  EXPECT_EQ(cuMemUnmap(range, size), CUDA_SUCCESS);  // does not wait
  Expect(Found(), {"where no memory is mapped"});
  EXPECT_EQ(cuMemAddressFree(range, 2 * size), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(first), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(second), CUDA_SUCCESS);
}
TEST_F(Finds, LeaksAtExit) {
  EXPECT_EXIT(
      {
        fakecuda_configure("FAKECUDA_LEAKS", "1");
        CUdeviceptr p = 0;
        cuMemAlloc_v2(&p, 4321);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "left at exit: allocation [0-9]+ \\(4321 bytes at 0x[0-9a-f]+, cuMemAlloc\\)");
}
TEST_F(Finds, HandlesLeftAtExit) {
  EXPECT_EXIT(
      {
        fakecuda_configure("FAKECUDA_LEAKS", "1");
        CUmemAllocationProp prop{};
        prop.type = prop.location.type = 1;
        unsigned long long handle = 0;
        cuMemCreate(&handle, 2 << 20, &prop, 0);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "left at exit: a handle of 2097152 bytes");
}
TEST_F(Finds, InjectedFailures) {
  const auto x = Numbers(64);
  const CUfunction k = Load(kCopy);
  fakecuda_configure("FAKECUDA_FAIL_ALLOCATION", "2");
  CUdeviceptr p = 0, q = 0;
  EXPECT_EQ(cuMemAlloc_v2(&p, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&q, 4), CUDA_ERROR_OUT_OF_MEMORY);
  fakecuda_configure("FAKECUDA_FAIL_ALLOCATION", nullptr);
  cuMemFree_v2(p);
  fakecuda_configure("FAKECUDA_FAIL_LAUNCH", "2");
  const auto y = Numbers(64);
  EXPECT_EQ(Launch(k, 1, 32, nullptr, y, x, 63u), CUDA_SUCCESS);
  EXPECT_EQ(Launch(k, 1, 32, nullptr, y, x, 63u), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  fakecuda_configure("FAKECUDA_FAIL_LAUNCH", nullptr);
  fakecuda_configure("FAKECUDA_LOSE_DEVICE", "1");
  EXPECT_EQ(Launch(k, 1, 32, nullptr, y, x, 63u), CUDA_ERROR_DEVICE_UNAVAILABLE);
  fakecuda_configure("FAKECUDA_LOSE_DEVICE", nullptr);
  EXPECT_EQ(cuMemAlloc_v2(&q, 4), CUDA_ERROR_DEVICE_UNAVAILABLE);
  Expect(Found(), {"device 0 was lost at launch 1"});
}
TEST_F(Finds, InjectedEnvironment) {
  EXPECT_EXIT(
      {
        fakecuda_configure("FAKECUDA_MISSING", "cuMemAllocAsync,cuGraphLaunch");
        void* f = nullptr;
        int status = 0;
        const bool gone =
            cuGetProcAddress_v2("cuMemAllocAsync", &f, 12000, 0, &status) == CUDA_ERROR_NOT_FOUND && status == 1;
        const bool there = cuGetProcAddress_v2("cuMemAlloc", &f, 12000, 0, &status) == CUDA_SUCCESS && f;
        std::exit(gone && there ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        fakecuda_configure("FAKECUDA_MEMORY", "1048576");
        CUdeviceptr p = 0;
        std::exit(cuMemAlloc_v2(&p, 1 << 21) == CUDA_ERROR_OUT_OF_MEMORY ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        fakecuda_configure("FAKECUDA_DRIVER", "12000");
        CUmodule module = nullptr;
        std::exit(cuModuleLoadData(&module, ".version 8.5\n.target sm_80\n.address_size 64\n") ==
                          CUDA_ERROR_UNSUPPORTED_PTX_VERSION
                      ? 0
                      : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fakecuda::testing
