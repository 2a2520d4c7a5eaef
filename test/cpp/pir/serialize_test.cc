// SPDX-License-Identifier: Apache-2.0
// The JSON program format and .pdiparams: what is written, what is read back, and what bad input does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/serialize/params.h"
#include "paddle/pir/serialize/program_json.h"
#include "test/cpp/pir/test_ops.h"

namespace pir::test {
namespace {

std::string Dir() {
  std::string d = ::testing::TempDir() + "pir_serialize";
  std::filesystem::create_directories(d);
  return d;
}

// tanh(matmul(x, w) + b), as jit.save would export it.
void BuildModel(Program* p) {
  RegisterTestOps();
  Builder b(p);
  Value bias = BuildParameter(b, "b", F32({3}));
  Value w = BuildParameter(b, "w", F32({4, 3}));
  Value x = BuildData(b, "x", F32({-1, 4}));
  Type t = DenseTensorType::Get(DataType::FLOAT32, {x.dims()[0], common::Dim(3)});
  Value m = b.Create("pd_op.matmul", {x, w}, {}, {t})->result(0);
  Value s = b.Create("pd_op.add", {m, bias}, {}, {t})->result(0);
  Value y = b.Create("pd_op.tanh", {s}, {}, {t})->result(0);
  for (Value v : {m, s, y}) v.set_stop_gradient(false);
  BuildFetch(b, y, "fetch_name_0", 0);
}

TEST(JsonTest, WritesTheFormat) {
  Program p;
  BuildModel(&p);
  std::string s = WriteProgramJson(p);
  EXPECT_EQ(
      s.rfind(
          R"({"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[{"#":"region_0","blocks":[{"#":"block_0","args":[],"ops":[)"
          R"({"#":"p","A":[0,1,1,"b"],"DA":[],"O":{"%":1,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[3],"NCHW",[],0]}},"OA":[1,0,1],"QA":[]})",
          0),
      0u)
      << s;
  // Defaults the program left out are in the file.
  EXPECT_NE(
      s.find(
          R"({"#":"1.matmul","A":[{"AT":{"#":"0.a_bool","D":false},"N":"transpose_x"},{"AT":{"#":"0.a_bool","D":false},"N":"transpose_y"}],)"
          R"("I":[{"%":3},{"%":2}],)"
          R"("O":[{"%":4,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[-1,3],"NCHW",[],0]}}],)"
          R"("OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":false}]},"N":"stop_gradient"}]})"),
      std::string::npos)
      << s;
  EXPECT_NE(s.find(R"({"AT":{"#":"1.a_place","D":[0,0,""]},"N":"place"})"), std::string::npos);
  EXPECT_EQ(SortedParameterNames(p), (std::vector<std::string>{"b", "w"}));
}

TEST(JsonTest, RoundTripsThroughAFile) {
  Program p;
  BuildModel(&p);
  std::string path = Dir() + "/tanh.json";
  WriteProgramJsonFile(p, path);
  LoadedProgram r = ReadProgramJsonFile(path);
  EXPECT_EQ(r.version, 4);
  EXPECT_TRUE(r.trainable);
  EXPECT_EQ(WriteProgramJson(*r.program), WriteProgramJson(p));
  EXPECT_EQ(r.program->block().front()->result(0).name(), "b");
  for (auto& f : std::filesystem::directory_iterator(Dir()))
    EXPECT_EQ(f.path().string().find(".tmp"), std::string::npos);

  float w[12], b[3] = {0.5f, -1.f, 2.f};
  for (int i = 0; i < 12; ++i) w[i] = static_cast<float>(i) * 0.1f;
  ParamsWriter pw(Dir() + "/tanh.pdiparams");
  pw.Add({DataType::FLOAT32, {3}, b, sizeof(b)});
  pw.Add({DataType::FLOAT32, {4, 3}, w, sizeof(w)});
  pw.Commit();
  ParamsReader pr(Dir() + "/tanh.pdiparams");
  RawTensor t = pr.Next();
  EXPECT_EQ(t.dims, (common::Ints{3}));
  EXPECT_FALSE(pr.AtEnd());
  t = pr.Next();
  EXPECT_EQ(std::memcmp(t.data, w, sizeof(w)), 0);
  pr.ExpectEnd();
}

TEST(JsonTest, KeepsEveryAttributeKind) {
  RegisterTestOps();
  Program p;
  Builder b(&p);
  Operation* op = b.Insert(Operation::Create(GetOrCreateOp("custom_op.everything"), {}, {}, {}));
  const std::pair<const char*, Attribute> attrs[] = {
      {"a", Attribute::Bool(true)},
      {"b", Attribute::Int32(-7)},
      {"c", Attribute::Int64(INT64_MIN)},
      {"d", Attribute::Float(0.1f)},
      {"e", Attribute::Double(1e-300)},
      {"f", Attribute::Double(INFINITY)},
      {"g", Attribute::Float(-INFINITY)},
      {"h", Attribute::Double(NAN)},
      {"i", Attribute::Complex64({1.5f, -2.f})},
      {"j", Attribute::Complex128({0, 1e100})},
      {"k", Attribute::Str(std::string("q\"\\\n\t\x01 \xc3\xa9\0z", 11))},
      {"l", Attribute::Index(3)},
      {"m", Attribute::Array({Attribute::Str("x"), Attribute::Array({Attribute::Bool(false)}), Attribute::Array({})})},
      {"n", Attribute::TypeAttr(DenseTensorType::Get(DataType::BFLOAT16, common::ToDims({1})))},
      {"o", Attribute::TensorName("t")},
      {"p", Attribute::IntArray({1, -1, INT64_MAX})},
      {"q", Attribute::DType(DataType::UNDEFINED)},
      {"r", Attribute::DType(DataType::FLOAT8_E5M2)},
      {"s", Attribute::Layout("NHWC")},
      {"t", Attribute::PlaceAttr({phi::AllocationType::GPU, 3, 0})},
      {"u", Attribute::PlaceAttr({phi::AllocationType::CUSTOM, 1, phi::CustomDeviceIndex("my_npu")})},
  };
  for (auto& [n, a] : attrs) op->set_attr(n, a);
  auto r = ReadProgramJson(WriteProgramJson(p));
  for (auto& [n, a] : attrs) EXPECT_EQ(r.program->block().front()->attr(n), a) << n;
  op->set_attr("v", Attribute::Pointer(op));
  EXPECT_THROW(WriteProgramJson(p), common::Error);
}

TEST(JsonTest, KeepsEveryTypeKind) {
  RegisterTestOps();
  Program p;
  Builder b(&p);
  Type i64 = DenseTensorType::Get(DataType::INT64, common::ToDims({5}));
  detail::TypeStorage coo;
  coo.kind = TypeKind::kSparseCoo;
  coo.dtype = DataType::FLOAT64;
  coo.dims = common::ToDims({3, 4});
  coo.nnz_dims = common::ToDims({5});
  coo.layout = "NCHW";
  coo.elements = {i64, i64};
  detail::TypeStorage csr = coo;
  csr.kind = TypeKind::kSparseCsr;
  csr.nnz_dims = {};
  csr.elements = {i64, i64, i64};
  Type vec[] = {i64, Type()};
  std::vector<Type> types = {Type::Intern(coo),
                             Type::Intern(csr),
                             VectorType::Get(vec),
                             Type(),
                             Type::TensorLike(TypeKind::kSelectedRows, DataType::FLOAT16, common::ToDims({9, 2})),
                             Type::TensorLike(TypeKind::kTensorArray, DataType::BOOL, {}),
                             Type::Plain(TypeKind::kIndex),
                             Type::Scalar(DataType::COMPLEX64),
                             DenseTensorType::Get(DataType::UINT8, common::ToDims({2}), "NHWC")};
  Operation* op = b.Insert(Operation::Create(GetOrCreateOp("custom_op.types"), {}, {}, types));
  auto r = ReadProgramJson(WriteProgramJson(p));
  for (int i = 0; i < op->num_results(); ++i) EXPECT_EQ(r.program->block().front()->result_type(i), types[i]) << i;
}

TEST(JsonTest, RegionsAndBlockArguments) {
  RegisterTestOps();
  Program p;
  Builder b(&p);
  Value c = b.Create("test.source", {}, {}, {DenseTensorType::Get(DataType::BOOL, common::ToDims({1}))})->result(0);
  Value x = b.Create("test.source", {}, {}, {F32({2})})->result(0);
  Operation* outer = BuildWhile(b, c, std::vector<Value>{x});
  Builder ob(&outer->region(0).front());
  Operation* inner = BuildWhile(ob, c, std::vector<Value>{ob.block()->arg(0)});
  Builder ib(&inner->region(0).front());
  Value iy[] = {c, ib.Create("test.add", {ib.block()->arg(0), ob.block()->arg(0)}, {}, {x.type()})->result(0)};
  BuildYield(ib, iy);
  Value oy[] = {c, inner->result(0)};
  BuildYield(ob, oy);
  Verify(p);
  std::string s = WriteProgramJson(p);
  EXPECT_NE(s.find(R"("args":[{"#":-2,)"), std::string::npos);
  auto r = ReadProgramJson(s);
  // Flags of block arguments are not in the format; all else is.
  for (Block* body : {ob.block(), ib.block()}) body->arg(0).impl()->stop_gradient = -1;
  EXPECT_EQ(Print(*r.program), Print(p));
  EXPECT_EQ(WriteProgramJson(*r.program), s);
}

std::string WithOps(const std::string& ops) {
  return R"({"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[{"#":"region_0","blocks":[{"#":"block_0","args":[],"ops":[)" +
         ops + "]}]}]}}";
}

TEST(JsonTest, BadInputNamesItsPath) {
  RegisterTestOps();
  const std::string t = R"("TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2],"NCHW",[],0]})";
  const std::pair<std::string, const char*> cases[] = {
      {"", "expected a JSON program"},
      {"[]", "base_code"},
      {R"({"base_code":{"magic":"pri","version":4}})", "the magic"},
      {R"({"base_code":{"magic":"pir","version":"x"}})", "an integer"},
      {R"({"base_code":{"magic":"pir","version":4},"program":{"regions":[]}})", "program.regions: expected one region"},
      {WithOps("3"), "program.regions[0].blocks[0].ops[0]: expected an object, got 3"},
      {WithOps("{}"), "ops[0]: expected a member \"#\""},
      {WithOps(R"({"#":"tanh"})"), "an op's name"},
      {WithOps(R"({"#":"9.x","I":[{"%":5}]})"), "ops[0].I[0]: expected the id of a value defined before"},
      {WithOps(R"({"#":"9.x","O":[{"%":1}]})"), "ops[0].O[0].TT: expected a member \"TT\""},
      {WithOps(R"({"#":"9.x","O":[{"%":1,)" + t + R"(},{"%":1,)" + t + "}]}"),
       "ops[0].O[1]: expected an id that was not used"},
      {WithOps(R"({"#":"9.x","O":[{"%":1,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[-7],"NCHW"]}}]})"),
       "D[1][0]: expected an extent"},
      {WithOps(
           R"({"#":"9.x","O":[{"%":1,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[4294967296,4294967296],"NCHW"]}}]})"),
       "fits int64"},
      {WithOps(R"({"#":"9.x","O":[{"%":1,"TT":{"#":"0.t_f99"}}]})"), "a known type"},
      {WithOps(R"({"#":"9.x","A":[{"N":"a","AT":{"#":"0.a_i32","D":99999999999}}]})"),
       "A[0].AT.D: expected an integer that fits int32"},
      {WithOps(R"({"#":"9.x","A":[{"N":"a","AT":{"#":"0.a_f32","VD":"big"}}]})"), "INF, -INF or NaN"},
      {WithOps(R"({"#":"9.x","A":[{"N":"a","AT":{"#":"7.a_x","D":1}}]})"), "a known attribute kind"},
      {WithOps(R"({"#":"9.x","A":[{"N":"a","AT":{"#":"1.a_dtype","D":"float31"}}]})"), "a data type's name"},
      {WithOps(R"({"#":"p","A":[1,2]})"), "name]"},
      {WithOps(R"({"#":"0.split","I":[],"O":[]})"), "builtin.split"},
      {WithOps(R"({"#":"0.module"})"), "an op's name"},
      {WithOps(R"({"#":"2.yield","A":[],"I":[],"O":[]},{"#":"2.yield","A":[],"I":[],"O":[]})"), "end its block"},
  };
  for (auto& [text, want] : cases) {
    try {
      ReadProgramJson(text, "m.json");
      ADD_FAILURE() << "accepted " << text;
    } catch (const common::Error& e) {
      EXPECT_NE(std::string(e.what()).find(want), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("m.json"), std::string::npos);
    }
  }
}

TEST(JsonTest, DeepAndTruncatedInput) {
  EXPECT_THROW(ReadProgramJson(std::string(1000000, '[')), common::Error);
  std::string region = "{\"#\":\"9.x\"}";
  for (int i = 0; i < 200; ++i) region = R"({"#":"9.x","regions":[{"blocks":[{"ops":[)" + region + "]}]}]}";
  EXPECT_THROW(ReadProgramJson(WithOps(region)), common::Error);
  Program p;
  BuildModel(&p);
  std::string s = WriteProgramJson(p);
  for (size_t n = 0; n < s.size(); n += 3) EXPECT_THROW(ReadProgramJson(s.substr(0, n)), common::Error);
}

TEST(JsonTest, SavingUnsavableProgramsSaysWhy) {
  RegisterTestOps();
  Program p;
  Builder b(&p);
  Operation* stack =
      b.Create("cf.stack_create", {}, {},
               {Type::Plain(TypeKind::kStack), Type::Plain(TypeKind::kInlet), Type::Plain(TypeKind::kOutlet)});
  Value x = b.Create("test.source", {}, {}, {F32({2})})->result(0);
  b.Create("cf.tuple_push", {stack->result(1), x}, {}, {});
  EXPECT_EQ(WriteProgramJson(p).find("stack"), std::string::npos);
  Value popped = b.Create("cf.tuple_pop", {stack->result(2)}, {}, {x.type()})->result(0);
  b.Create("test.sink", {popped}, {}, {});
  EXPECT_THROW(WriteProgramJson(p), common::Error);
}

TEST(JsonTest, AcceptsOtherNumericKindsThanDeclared) {
  RegisterTestOps();
  RegisterOp(MakeOp("test.alpha", 0, kPure, {{"alpha", AttrCode::kDouble, {}}}));
  auto r = ReadProgramJson(WithOps(R"({"#":"test.alpha","A":[{"N":"alpha","AT":{"#":"0.a_f32","D":0.5}}],"I":[],)"
                                   R"("O":[{"%":1,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[],"NCHW",[],0]}}]})"));
  EXPECT_EQ(std::get<double>(r.program->block().front()->attr_value("alpha")), 0.5);
  EXPECT_NE(WriteProgramJson(*r.program).find(R"({"#":"0.a_f64","D":0.5})"), std::string::npos);
}

TEST(ParamsTest, EveryDtypeAndShape) {
  std::string bytes;
  std::vector<std::pair<DataType, common::Ints>> all;
  for (int i = 0; i < phi::kNumDataTypes; ++i)
    for (const common::Ints& d : {common::Ints{}, common::Ints{3}, common::Ints{2, 0, 5}, common::Ints{1, 200, 2}})
      all.emplace_back(static_cast<DataType>(i), d);
  std::vector<char> data(16 * 400, 'x');
  for (auto& [t, d] : all)
    bytes += EncodeTensor({t, d, data.data(), static_cast<size_t>(common::Product(d) * phi::SizeOf(t))});
  ParamsReader r{std::string_view(bytes)};
  for (auto& [t, d] : all) {
    RawTensor x = r.Next();
    EXPECT_EQ(x.dtype, t);
    EXPECT_EQ(x.dims, d);
  }
  r.ExpectEnd();
  EXPECT_THROW(r.Next(), common::Error);
  // The bytes the format fixes: FP32 [2, 3].
  EXPECT_EQ(EncodeTensorHeader({DataType::FLOAT32, {2, 3}, nullptr, 24}).substr(20),
            std::string("\x08\x05\x10\x02\x10\x03"));
  EXPECT_THROW(EncodeTensorHeader({DataType::FLOAT32, {2, 3}, nullptr, 23}), common::Error);
}

TEST(ParamsTest, TruncatedAndAlteredRecordsAreErrors) {
  float v[6] = {};
  std::string ok = EncodeTensor({DataType::FLOAT32, {2, 3}, v, sizeof(v)});
  for (size_t n = 1; n < ok.size(); ++n) {
    ParamsReader r{std::string_view(ok).substr(0, n)};
    EXPECT_THROW(r.Next(), common::Error) << n;
  }
  // Any value of any header byte gives a tensor that fits the buffer or an error.
  for (size_t i = 0; i < 26; ++i)
    for (int c = 0; c < 256; ++c) {
      std::string s = ok;
      s[i] = static_cast<char>(c);
      ParamsReader r{std::string_view(s)};
      try {
        RawTensor t = r.Next();
        EXPECT_LE(static_cast<const char*>(t.data) + t.size, s.data() + s.size());
      } catch (const common::Error&) {}
    }
  std::string huge =
      ok.substr(0, 16) + std::string("\x0c\0\0\0", 4) + "\x08\x05\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_THROW(ParamsReader{std::string_view(huge)}.Next(), common::Error);
  try {
    ParamsReader r(std::string_view(ok).substr(0, 30), "w.pdiparams");
    r.Next();
  } catch (const common::Error& e) {
    EXPECT_STREQ(e.what(), "'w.pdiparams' at byte 26: expected 24 bytes of tensor data, got 4");
  }
}

TEST(ParamsTest, LevelsAndPackedDimsAreAccepted) {
  float v[2] = {1, 2};
  std::string s("\0\0\0\0\x01\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0", 20);
  s += std::string(16, '\0') + std::string("\0\0\0\0\x05\0\0\0\x08\x05\x12\x01\x02", 13);
  s.append(reinterpret_cast<char*>(v), sizeof(v));
  ParamsReader r{std::string_view(s)};
  RawTensor t = r.Next();
  EXPECT_EQ(t.dims, (common::Ints{2}));
  r.ExpectEnd();
}

TEST(FileTest, ErrorsAreIoErrors) {
  EXPECT_THROW(ReadWholeFile("/nonexistent/file"), common::Error);
  EXPECT_THROW(ReadWholeFile("."), common::Error);
  EXPECT_THROW(AtomicFile("/nonexistent/dir/file"), common::Error);
  std::string path = Dir() + "/kept";
  {
    AtomicFile f(path);
    f.Write("old");
    f.Commit();
  }
  {
    AtomicFile f(path);
    f.Write("new, but never committed");
  }
  EXPECT_EQ(ReadWholeFile(path), "old");
}

}  // namespace
}  // namespace pir::test
