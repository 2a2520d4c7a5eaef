// SPDX-License-Identifier: Apache-2.0
// CUDA text of schedules: as text, through NVRTC where its library is found, and run on the host against the
// interpreter.
#include "paddle/cinn/codegen/cuda_text.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cpp/cinn/groups.h"
#include "paddle/cinn/codegen/cuda_op.h"

namespace cinn {
namespace {

using testing::Elementwise;
using testing::In;
using testing::kF32;

std::string Text(const FusionGroup& g) { return CudaKernel(Schedule(g), "kernel"); }

TEST(CudaText, ElementwiseWithBroadcast) {
  const DataType h = DataType::BFLOAT16;
  const GroupInput row{DataType::FLOAT32, {false, true}, {}}, one{DataType::FLOAT32, {false, false}, {}};
  const FusionGroup g = Elementwise(2, {{h, {}, {}}, row, one}, maximum(In(0, h) + In(1), 0) * exp(In(2)), h);
  EXPECT_EQ(
      Text(g),
      R"(extern "C" __global__ void __launch_bounds__(256) kernel(const cinn::half_bits* in0, const float* in1, const float* in2, cinn::half_bits* out0, const cinn::Meta<12> meta) {
  const long long e0 = meta.v[0];
  const long long e1 = meta.v[1];
  const long long size = e0 * e1;
  const float v0 = in2[0];
  const float v1 = expf(v0);
  for (long long p = 256LL * blockIdx.x + threadIdx.x; p < size; p += 256LL * gridDim.x) {
    const long long i1 = p % e1;
    const float v2 = cinn::from_bfloat16(in0[p]);
    const float v3 = in1[i1];
    const float v4 = v2 + v3;
    const float v5 = cinn::maximum(v4, 0.0f);
    const float v6 = v5 * v1;
    out0[p] = cinn::to_bfloat16(v6);
  }
}
)");
}

// The last sweep reads the exponentials that the second one kept in the output.
TEST(CudaText, SoftmaxIsThreeSweeps) {
  EXPECT_EQ(
      Text(testing::Softmax()),
      R"(extern "C" __global__ void __launch_bounds__(256) kernel(const float* __restrict__ in0, float* out0, const cinn::Meta<8> meta) {
  const long long e0 = meta.v[0];
  const long long e1 = meta.v[1];
  const long long rows = e0;
  const long long n = e1;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    float t0 = -CINN_INF_F32;
    for (long long k = threadIdx.x; k < n; k += 256) {
      const float v0 = in0[row * n + k];
      t0 = cinn::maximum(t0, v0);
    }
    const float r0 = cinn::block_reduce<cinn::Max>(t0);
    double t1 = 0.0;
    for (long long base = 0; base < n; base += 8192) {
      float a1 = 0.0f;
      const long long end = base + 8192 < n ? base + 8192 : n;
      for (long long k = base + threadIdx.x; k < end; k += 256) {
        const float v1 = in0[row * n + k];
        const float v2 = v1 - r0;
        const float v3 = expf(v2);
        out0[row * n + k] = v3;
        a1 = a1 + v3;
      }
      t1 = t1 + (double)a1;
    }
    const float r1 = (float)cinn::block_reduce<cinn::Sum>(t1);
    for (long long k = threadIdx.x; k < n; k += 256) {
      const float v4 = out0[row * n + k];
      const float v5 = v4 / r1;
      out0[row * n + k] = v5;
    }
  }
}
)");
}

TEST(CudaText, ColumnsAreWalkedByOneThreadEach) {
  EXPECT_EQ(
      Text(testing::Reduce(3, 1, 2, {kF32}, ReduceKind::kSum, In(0))),
      R"(extern "C" __global__ void __launch_bounds__(256) kernel(const float* __restrict__ in0, float* out0, const cinn::Meta<12> meta) {
  const long long e0 = meta.v[0];
  const long long e1 = meta.v[1];
  const long long e2 = meta.v[2];
  const long long s0_0 = meta.v[3];
  const long long s0_1 = meta.v[4];
  const long long size = e0 * e2;
  const long long n = e1;
  for (long long p = 256LL * blockIdx.x + threadIdx.x; p < size; p += 256LL * gridDim.x) {
    const long long i0 = p / e2;
    const long long i2 = p % e2;
    double t0 = 0.0;
    for (long long base = 0; base < n; base += 256) {
      float a0 = 0.0f;
      const long long end = base + 256 < n ? base + 256 : n;
      for (long long k = base; k < end; ++k) {
        const float v0 = in0[i0 * s0_0 + k * s0_1 + i2];
        a0 = a0 + v0;
      }
      t0 = t0 + (double)a0;
    }
    const float r0 = (float)t0;
    out0[p] = r0;
  }
}
)");
}

// ---- many groups, for the compilers ----
struct Case {
  std::string name;
  FusionGroup group;
  std::vector<int64_t> dims;
  double ulps;  // of the host's mathematics; below 0: exact
  bool compared = true;
};

std::vector<Case> MathCases() {
  std::vector<Case> all;
  const auto append = [&](const char* name, const auto& f, int arity, bool compared) {
    for (DataType t : {DataType::FLOAT32, DataType::FLOAT64}) {
      const std::vector<GroupInput> in(static_cast<size_t>(arity), GroupInput{t, {}, {}});
      all.push_back(Case{name, Elementwise(1, in, f(In(0, t), In(1, t)), t), {300}, 6, compared});
    }
  };
#define CINN_UNARY_MATH(name) \
  append(                     \
      #name, [](Expr x, Expr) { return name(x); }, 1, !NoReference(Op::k_##name));
#define CINN_UNARY(name) CINN_UNARY_MATH(name)
#define CINN_TEST(name) \
  append(               \
      #name, [](Expr x, Expr) { return cast(name(x), x.dtype()); }, 1, true);
#define CINN_BINARY_MATH(name) \
  append(                      \
      #name, [](Expr x, Expr y) { return name(x, y); }, 2, true);
#define CINN_BINARY(name) CINN_BINARY_MATH(name)
#define CINN_COMPARE(name) \
  append(                  \
      #name, [](Expr x, Expr y) { return cast(name(x, y), x.dtype()); }, 2, true);
#define CINN_LOGICAL(name) CINN_COMPARE(name)
  const auto NoReference = [](Op op) {
    return op == Op::k_digamma || op == Op::k_erfinv || op == Op::k_i0 || op == Op::k_i0e || op == Op::k_i1 ||
           op == Op::k_i1e;
  };
#include "paddle/cinn/ir/intrinsics.def"
  for (DataType t : {DataType::INT32, DataType::INT64, DataType::BOOL}) {
    const auto integer = [&](const char* name, const Expr& e) {
      all.push_back({name, Elementwise(1, {{t, {}, {}}, {t, {}, {}}}, e, t), {300}, -1});
    };
    const Expr x = In(0, t), y = In(1, t);
#define CINN_UNARY(name) integer(#name, name(x));
#define CINN_BINARY(name) integer(#name, name(x, y));
#define CINN_BITWISE(name) integer(#name, name(x, y));
#define CINN_COMPARE(name) integer(#name, name(x, y));
#define CINN_LOGICAL(name) integer(#name, name(x, y));
#include "paddle/cinn/ir/intrinsics.def"
    integer("not", bitwise_not(x));
    integer("not", logical_not(x));
  }
  return all;
}

std::vector<Case> ChainCases() {
  std::vector<Case> all;
  for (int64_t n : {1, 33, 256, 1000, 8200}) all.push_back({"softmax", testing::Softmax(), {3, n}, 12});
  for (int64_t n : {3, 300}) all.push_back({"rms_norm", testing::RmsNorm(), {2, 2, n}, 6});
  FusionGroup columns = testing::Softmax();
  columns.reduced = AxisSet::Range(0, 1);
  all.push_back({"softmax of columns", columns, {300, 37}, 12});
  using testing::Reduce;
  for (auto [begin, end] : {std::pair{2, 3}, {1, 3}, {0, 3}, {0, 2}, {1, 2}, {0, 1}}) {
    for (ReduceKind k : {ReduceKind::kSum, ReduceKind::kMean, ReduceKind::kProd, ReduceKind::kMax, ReduceKind::kMin}) {
      const double ulps = k == ReduceKind::kMax || k == ReduceKind::kMin ? 0 : k == ReduceKind::kProd ? 400 : 40;
      for (DataType t : {DataType::FLOAT32, DataType::FLOAT64, DataType::INT32}) {
        if (t != DataType::FLOAT32 && end - begin == 2) continue;
        const DataType out = t == DataType::INT32 ? DataType::FLOAT32 : t;
        all.push_back(
            {ReduceName(k), Reduce(3, begin, end, {{t, {}, {}}}, k, abs(In(0, t)) * 0.5, out), {3, 7, 70}, ulps});
      }
    }
    const GroupInput turned{DataType::FLOAT32, {}, {2, 0, 1}};
    all.push_back(
        {"transposed", Reduce(3, begin, end, {turned, kF32}, ReduceKind::kMax, In(0) - In(1)), {3, 5, 40}, 0});
  }
  return all;
}

std::vector<Case> RandomCases(unsigned count) {
  std::vector<Case> all;
  for (unsigned seed = 1; seed <= count; ++seed) {
    testing::Generator gen(seed + 5000);
    Case c;
    c.group = gen.Group(c.dims);
    c.name = "seed " + std::to_string(seed);
    c.ulps = -1;
    all.push_back(c);
  }
  return all;
}

std::string Program(const std::vector<Case>& cases) {
  std::string s = CudaPrelude();
  for (size_t k = 0; k < cases.size(); ++k) s += CudaKernel(Schedule(cases[k].group), "kernel" + std::to_string(k));
  return s;
}

// ---- NVRTC ----
struct Nvrtc {
  using Handle = void*;
  int (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile)(Handle, int, const char* const*) = nullptr;
  int (*log_size)(Handle, size_t*) = nullptr;
  int (*log)(Handle, char*) = nullptr;
  int (*code_size)(Handle, size_t*) = nullptr;
  int (*code)(Handle, char*) = nullptr;
  int (*destroy)(Handle*) = nullptr;

  bool Load() {
    void* library = nullptr;
    for (const char* directory : {"", "/usr/local/cuda/lib64/"})
      for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
        if (!library) library = dlopen((std::string(directory) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    const auto find = [&](auto& f, const char* name) {
      return (f = reinterpret_cast<std::decay_t<decltype(f)>>(dlsym(library, name))) != nullptr;
    };
    return find(create, "nvrtcCreateProgram") && find(compile, "nvrtcCompileProgram") &&
           find(log_size, "nvrtcGetProgramLogSize") && find(log, "nvrtcGetProgramLog") &&
           find(code_size, "nvrtcGetPTXSize") && find(code, "nvrtcGetPTX") && find(destroy, "nvrtcDestroyProgram");
  }

  // PTX; on failure an empty text, and the log in `error`.
  std::string Compile(const std::string& source, const std::string& architecture, std::string& error) {
    Handle program = nullptr;
    if (create(&program, source.c_str(), "groups.cu", 0, nullptr, nullptr) != 0) return {};
    std::vector<std::string> options = CudaCompileOptions();
    options.push_back("--gpu-architecture=" + architecture);
    std::vector<const char*> raw;
    for (const std::string& o : options) raw.push_back(o.c_str());
    const int rc = compile(program, static_cast<int>(raw.size()), raw.data());
    size_t size = 0;
    log_size(program, &size);
    error.resize(size);
    log(program, error.data());
    std::string ptx;
    if (rc == 0 && code_size(program, &size) == 0) {
      ptx.resize(size);
      code(program, ptx.data());
    }
    destroy(&program);
    return ptx;
  }
};

void CompileAll(const std::vector<Case>& cases, bool warnings) {
  Nvrtc nvrtc;
  if (!nvrtc.Load())
    GTEST_SKIP() << "no libnvrtc.so.13 or .12: install a CUDA toolkit, or put the library of nvidia-cuda-nvrtc on "
                    "LD_LIBRARY_PATH";
  const std::string source = Program(cases);
  for (const char* architecture : {"compute_80", "compute_90"}) {
    std::string error;
    const std::string ptx = nvrtc.Compile(source, architecture, error);
    EXPECT_FALSE(ptx.empty()) << architecture << ": " << error.substr(0, 4000);
    if (!warnings) EXPECT_EQ(error.find("warning"), std::string::npos) << error.substr(0, 4000);
    for (size_t k = 0; k < cases.size(); ++k)
      EXPECT_NE(ptx.find(".entry kernel" + std::to_string(k) + "("), std::string::npos) << k;
  }
}

TEST(CudaText, NvrtcCompilesEveryIntrinsic) { CompileAll(MathCases(), false); }
TEST(CudaText, NvrtcCompilesReductions) { CompileAll(ChainCases(), false); }
TEST(CudaText, NvrtcCompilesRandomGroups) { CompileAll(RandomCases(60), true); }  // they divide by the number 0

// ---- on the host ----
std::string HostCompiler() {
  const char* named = std::getenv("CXX");
  for (const std::string& c : {std::string(named ? named : "c++"), std::string("g++"), std::string("clang++-19")})
    if (std::system(("command -v " + c + " >/dev/null 2>&1").c_str()) == 0) return c;
  return {};
}

// A C entry for each kernel that takes an array of pointers.
std::string Entry(const Case& c, size_t k) {
  const LoopNest nest = Schedule(c.group);
  KernelMeta meta;
  FillMeta(nest, c.dims.data(), meta);
  const std::string number = std::to_string(k), size = std::to_string(meta.size());
  const char* meets = nest.mode == LoopMode::kRowReduce ? "true" : "false";
  std::string s = "extern \"C\" void run" + number + "(void* const* in, void* const* out, const cinn::Meta<" + size +
                  ">* meta, unsigned blocks) {\n";
  s += "  Launch(blocks, " + std::to_string(kCudaThreads) + ", " + meets + ", [=] { kernel" + number + "(";
  for (size_t i = 0; i < c.group.inputs.size(); ++i)
    s += "(const " + std::string(CudaStorage(c.group.inputs[i].dtype)) + "*)in[" + std::to_string(i) + "], ";
  for (size_t o = 0; o < c.group.outputs.size(); ++o)
    s += "(" + std::string(CudaStorage(c.group.outputs[o].dtype)) + "*)out[" + std::to_string(o) + "], ";
  return s + "*meta); });\n}\n";
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

using HostKernel = void (*)(void* const* in, void* const* out, const int64_t* meta, unsigned blocks);

// Entries of a program of all cases; empty when there is no compiler.
std::vector<HostKernel> Build(const std::vector<Case>& cases) {
  const std::string compiler = HostCompiler(), shim = ReadFile("test/cpp/cinn/cuda_on_cpu.h");
  EXPECT_FALSE(shim.empty()) << "expected to run in the root of the sources";
  std::string directory = (std::filesystem::temp_directory_path() / "cinn_cuda_XXXXXX").string();
  if (compiler.empty() || shim.empty() || !mkdtemp(directory.data())) return {};
  {
    std::ofstream source(directory + "/groups.cc");
    source << shim << Program(cases);
    for (size_t k = 0; k < cases.size(); ++k) source << Entry(cases[k], k);
  }
  const std::string command = compiler + " -std=c++17 -O1 -ffp-contract=off -w -shared -fPIC -o " + directory +
                              "/groups.so " + directory + "/groups.cc >" + directory + "/log 2>&1";
  const int rc = std::system(command.c_str());
  EXPECT_EQ(rc, 0) << ReadFile(directory + "/log").substr(0, 4000);
  void* library = dlopen((directory + "/groups.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove_all(directory);
  std::vector<HostKernel> all;
  for (size_t k = 0; library && k < cases.size(); ++k) {
    all.push_back(reinterpret_cast<HostKernel>(dlsym(library, ("run" + std::to_string(k)).c_str())));
    EXPECT_NE(all.back(), nullptr);
  }
  return all;
}

void RunAll(const std::vector<Case>& cases, bool special) {
  const std::vector<HostKernel> kernels = Build(cases);
  if (kernels.empty()) GTEST_SKIP() << "no C++ compiler on PATH";
  for (size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    if (!c.compared) continue;
    const LoopNest nest = Schedule(c.group);
    KernelMeta meta;
    FillMeta(nest, c.dims.data(), meta);
    const unsigned blocks = static_cast<unsigned>(CudaBlocks(nest, meta));
    for (unsigned n : {blocks, std::max(1u, blocks / 2)}) {  // all at once, and in turns
      testing::GroupData data(c.group, c.dims, testing::Draw(static_cast<unsigned>(k), special));
      kernels[k](data.inputs.data(), data.outputs.data(), meta.data(), n);
      const std::string bad = data.Difference(c.ulps);
      ASSERT_TRUE(bad.empty()) << c.name << ": " << bad << "\n" << ToString(c.group) << CudaKernel(nest, "kernel");
    }
  }
}

TEST(CudaText, HostRunsEveryIntrinsic) { RunAll(MathCases(), true); }
TEST(CudaText, HostRunsReductions) { RunAll(ChainCases(), false); }
TEST(CudaText, HostRunsRandomGroups) { RunAll(RandomCases(60), true); }

// The functions of the prelude that neither CUDA nor the interpreter has.
TEST(CudaText, HostRunsSpecialFunctions) {
  const DataType d = DataType::FLOAT64;
  const std::vector<GroupInput> in{{d, {}, {}}};
  const std::vector<HostKernel> kernels = Build({{"digamma", Elementwise(1, in, digamma(In(0, d)), d), {6}, 0},
                                                 {"i0e", Elementwise(1, in, i0e(In(0, d)), d), {6}, 0},
                                                 {"i1e", Elementwise(1, in, i1e(In(0, d)), d), {6}, 0}});
  if (kernels.empty()) GTEST_SKIP() << "no C++ compiler on PATH";
  double x[] = {1, 0.5, -0.5, 100, 45, 1e4}, y[6];
  const double want[3][6] = {{-0.5772156649015329, -1.9635100260214235, 0.03648997397857651, 4.600161852738088,
                              3.795510228427567, 9.21029037114285},
                             {0.46575960759364043, 0.64503527044915, 0.64503527044915, 0.03994437929909668,
                              0.05963811501173194, 0.0039894726746047314},
                             {0.2079104153497085, 0.15642080318487173, -0.15642080318487173, 0.03974415302513025,
                              0.05897170313620064, 0.003989273195983662}};
  for (size_t k = 0; k < kernels.size(); ++k) {
    const LoopNest nest = Schedule(Elementwise(1, in, In(0, d), d));
    KernelMeta meta;
    const int64_t dims[] = {6};
    FillMeta(nest, dims, meta);
    void *pin[] = {x}, *pout[] = {y};
    kernels[k](pin, pout, meta.data(), 1);
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(y[i], want[k][i], 1e-14 + 1e-14 * std::fabs(want[k][i])) << k << " of " << x[i];
  }
}

}  // namespace
}  // namespace cinn
