// SPDX-License-Identifier: Apache-2.0
// The text form: each file of test/ir is a program, and after "// expect" what the passes of its first line make of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "paddle/common/error.h"
#include "paddle/pir/core/verify.h"
#include "paddle/pir/io/parser.h"
#include "paddle/pir/io/printer.h"
#include "paddle/pir/pass/pass.h"
#include "paddle/pir/serialize/whole_file.h"
#include "test/cpp/pir/test_ops.h"

namespace pir::test {
namespace {

// Tests run in the repository's root.
std::vector<std::string> IrFiles() {
  std::vector<std::string> files;
  std::error_code none;
  for (auto& f : std::filesystem::directory_iterator("test/ir", none))
    if (f.path().extension() == ".pir") files.push_back(f.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class IrFile : public ::testing::TestWithParam<std::string> {};

TEST_P(IrFile, PrintsAsExpected) {
  RegisterTestOps();
  std::string text = ReadWholeFile(GetParam());
  std::string passes;
  if (text.rfind("// passes: ", 0) == 0) {
    size_t eol = text.find('\n');
    passes = text.substr(11, eol - 11);
    text = text.substr(eol + 1);
  }
  const std::string mark = "// expect\n";
  size_t at = text.find(mark);
  std::string source = text.substr(0, at);
  std::string want = at == std::string::npos ? source : text.substr(at + mark.size());
  auto p = ParseProgram(source);
  Verify(*p);
  EXPECT_EQ(Print(*p), source);
  PassOptions o;
  o.verify_each = true;
  PassManager pm(o);
  for (size_t b = 0; b < passes.size();) {
    size_t e = std::min(passes.find(',', b), passes.size());
    pm.Add(passes.substr(b, e - b));
    b = e + 1;
  }
  pm.Run(*p);
  EXPECT_EQ(Print(*p), want);
  EXPECT_EQ(Print(*p->Clone()), want);
  PrintOptions exact;
  exact.exact_numbers = true;
  EXPECT_EQ(Print(*ParseProgram(Print(*p, exact))), want);
}

INSTANTIATE_TEST_SUITE_P(Text, IrFile, ::testing::ValuesIn(IrFiles()), [](const auto& info) {
  std::string n = std::filesystem::path(info.param).stem().string();
  return n;
});

TEST(ParserTest, FilesAreThere) { EXPECT_GE(IrFiles().size(), 6u); }

TEST(ParserTest, ErrorsNameLineAndColumn) {
  RegisterTestOps();
  const std::pair<const char*, const char*> cases[] = {
      {"", "line 1, column 1: expected '{'"},
      {"{", "expected '}', got the end of the text"},
      {"{\n (%0) = \"test.neg\" (%1) {} : (f32) -> f32\n}", "line 2"},
      {"{ (%0) = \"noname\" () {} : () -> f32 }", "dialect.op"},
      {"{ (%0) = \"test.source\" () {} : () -> tensor<2yf32> }", "'x'"},
      {"{ (%0) = \"test.source\" () {} : () -> tensor<-2xf32> }", "an extent"},
      {"{ (%0) = \"test.source\" () {} : () -> tensor<99999999999999999999xf32> }", "an extent"},
      {"{ (%0) = \"test.source\" () {} : () -> tensor<2xf31> }", "element type"},
      {"{ (%0, %0) = \"test.source\" () {} : () -> f32, f32 }", "a new name"},
      {"{ (%0) = \"test.source\" () {a:} : () -> f32 }", "a name"},
      {"{ (%0) = \"test.source\" () {a:\"x} : () -> f32 }", "'\"'"},
      {"{ (%0) = \"test.source\" () {stop_gradient:[1]} : () -> f32 }", "bools"},
      {"{ (%0) = \"test.const\" () {value:\"x\"} : () -> f32 } x", "the end of the text"},
      {"{ () = \"pd_op.while\" (cond=%0, inputs=) { } }", "unknown %0"},
  };
  for (auto& [text, want] : cases) {
    try {
      ParseProgram(text);
      ADD_FAILURE() << "accepted " << text;
    } catch (const common::Error& e) {
      EXPECT_NE(std::string(e.what()).find(want), std::string::npos) << text << "\n" << e.what();
    }
  }
}

TEST(ParserTest, DeepNestingEndsInAnError) {
  std::string t = "{ (%0) = \"test.source\" () {a:" + std::string(100000, '[');
  EXPECT_THROW(ParseProgram(t), common::Error);
  EXPECT_THROW(ParseType([] {
                 std::string s;
                 for (int i = 0; i < 100000; ++i) s += "vec[";
                 return s;
               }()),
               common::Error);
}

TEST(ParserTest, EveryPrefixFailsCleanly) {
  RegisterTestOps();
  std::string text = ReadWholeFile("test/ir/control_flow.pir");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (size_t n = 0; n < text.size(); ++n) EXPECT_THROW(ParseProgram(text.substr(0, n)), common::Error) << n;
}

TEST(PrinterTest, OneOperationAndSymbols) {
  RegisterTestOps();
  Program p;
  Builder b(&p);
  Value x = BuildData(b, "x", F32({-1, 4}));
  Operation* op = b.Create("test.neg", {x}, {}, {x.type()});
  EXPECT_EQ(Print(*op), "(%0) = \"test.neg\" (%1) {} : (tensor<-1x4xf32>) -> tensor<-1x4xf32>\n");
  PrintOptions o;
  o.symbolic_dims = true;
  std::string s = Print(p, o);
  EXPECT_NE(s.find(" // [" + common::DimText(x.dims()[0]) + ", 4]"), std::string::npos) << s;
  EXPECT_EQ(Print(*ParseProgram(s)), Print(p));
}

}  // namespace
}  // namespace pir::test
