// SPDX-License-Identifier: Apache-2.0
// Branches, loops, stacks, print and assert as programs have them.
#include <gtest/gtest.h>

#include "cpp/executor/program_text.h"

namespace executor::test {
namespace {

using V = std::vector<float>;

const std::string kFetch = "\"pd_op.fetch\"";
std::string Fetch(const std::string& v, int col, const std::string& type) {
  return "(%f" + std::to_string(col) + ") = \"pd_op.fetch\" (%" + v + ") {col:" + std::to_string(col) +
         ",name:\"fetch" + std::to_string(col) + "\",persistable:[true],stop_gradient:[true]} : (tensor<" + type +
         ">) -> tensor<" + type + ">\n";
}

TEST(ControlFlow, IfRunsOneBranchAndReadsOuterValues) {
  auto plan = PlanOf("{\n" + Data("0", "x", "float32", "-1xf32") + Data("1", "c", "bool", "1xb") +
                     "(%2) = \"pd_op.tanh\" (%0) {} : (tensor<-1xf32>) -> tensor<-1xf32>\n"
                     "(%3, %4) = \"pd_op.if\" (%1) {} -> tensor<-1xf32>, tensor<-1xf32> {\n"
                     "(%5) = \"pd_op.add\" (%0, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n"
                     "() = \"cf.yield\" (%5, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) ->\n"
                     "} else {\n"
                     "() = \"cf.yield\" (%2, %2) {} : (tensor<-1xf32>, tensor<-1xf32>) ->\n}\n" +
                     Fetch("3", 0, "-1xf32") + Fetch("4", 1, "-1xf32") + "}\n");
  Tensor yes = Make<bool>({1}, phi::DataType::BOOL, {true}), no = Make<bool>({1}, phi::DataType::BOOL, {false});
  Tensor x = F32({0, 2});
  for (int i = 0; i < 3; ++i) {
    auto r = plan->Run({x, yes});
    EXPECT_EQ(Values(r[0]), (V{0, 4}));
    EXPECT_EQ(Values(r[1]), (V{0, 2}));
    r = plan->Run({x, no});
    EXPECT_FLOAT_EQ(Values(r[0])[1], std::tanh(2.0f));
    EXPECT_FLOAT_EQ(Values(r[1])[1], std::tanh(2.0f));
  }
  EXPECT_EQ(Values(x), (V{0, 2}));
  // Results stay what they were while the plan runs on.
  auto first = plan->Run({x, yes});
  plan->Run({F32({5, 6}), yes});
  EXPECT_EQ(Values(first[0]), (V{0, 4}));
  EXPECT_THROW(plan->Run({x, x}), common::Error);
}

// while (i < n) { (a, b) = (b, a + b); i += 1 }: arguments change places.
std::string Fibonacci() {
  return "{\n" + Data("0", "i", "int64", "1xi64") + Data("1", "n", "int64", "1xi64") +
         Data("2", "a", "float32", "-1xf32") + Data("3", "b", "float32", "-1xf32") +
         "(%4) = \"pd_op.less_than\" (%0, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
         "(%5, %6, %7) = \"pd_op.while\" (cond=%4, inputs=%0, %2, %3) {\n"
         "^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}, %arg_2 {stop_gradient:true}\n"
         "(%8) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>\n"
         "(%9) = \"pd_op.add\" (%arg_0, %8) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n"
         "(%10) = \"pd_op.add\" (%arg_1, %arg_2) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n"
         "(%11) = \"pd_op.less_than\" (%9, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
         "() = \"cf.yield\" (%11, %9, %arg_2, %10) {} : (tensor<1xb>, tensor<1xi64>, tensor<-1xf32>, tensor<-1xf32>) "
         "->\n"
         "}\n" +
         Fetch("6", 0, "-1xf32") + Fetch("7", 1, "-1xf32") + "}\n";
}

TEST(ControlFlow, WhileCarriesValues) {
  auto plan = PlanOf(Fibonacci());
  Tensor a = F32({0, 1}), b = F32({1, 1});
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto r = plan->Run({I64(0), I64(10), a, b});
    EXPECT_EQ(Values(r[0]), (V{55, 89}));
    EXPECT_EQ(Values(r[1]), (V{89, 144}));
    r = plan->Run({I64(0), I64(0), a, b});  // no iteration: the inputs themselves
    EXPECT_EQ(Values(r[0]), (V{0, 1}));
    r = plan->Run({I64(0), I64(3), F32({1}), F32({2})});
    EXPECT_EQ(Values(r[1]), (V{8}));
  }
  EXPECT_EQ(Values(a), (V{0, 1}));
  EXPECT_EQ(Values(b), (V{1, 1}));
}

// y = x; repeat n times: push y, y = y * y. Then as many times: pop y, g = g * y.
std::string Stacked() {
  return "{\n(%stack_0, %inlet_0, %outlet_0) = \"cf.stack_create\" () {} : () -> cf.stack, cf.inlet, cf.outlet\n" +
         Data("0", "x", "float32", "-1xf32") + Data("1", "n", "int64", "1xi64") +
         "(%2) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>\n"
         "(%3) = \"pd_op.less_than\" (%2, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
         "(%4, %5) = \"pd_op.while\" (cond=%3, inputs=%2, %0) {\n"
         "^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}\n"
         "(%8) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>\n"
         "(%9) = \"pd_op.add\" (%arg_0, %8) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n"
         "(%10) = \"pd_op.multiply\" (%arg_1, %arg_1) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n"
         "(%11) = \"pd_op.less_than\" (%9, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
         "() = \"cf.tuple_push\" (%inlet_0, %arg_1) {} : (cf.inlet, tensor<-1xf32>) ->\n"
         "() = \"cf.yield\" (%11, %9, %10) {} : (tensor<1xb>, tensor<1xi64>, tensor<-1xf32>) ->\n"
         "}\n"
         "(%12) = \"cf.has_elements\" (%stack_0) {} : (cf.stack) -> tensor<1xb>\n"
         "(%13) = \"pd_op.while\" (cond=%12, inputs=%5) {\n"
         "^%arg_2 {stop_gradient:true}\n"
         "(%14) = \"cf.tuple_pop\" (%outlet_0) {} : (cf.outlet) -> tensor<-1xf32>\n"
         "(%15) = \"pd_op.multiply\" (%arg_2, %14) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n"
         "(%16) = \"cf.has_elements\" (%stack_0) {} : (cf.stack) -> tensor<1xb>\n"
         "() = \"cf.yield\" (%16, %15) {} : (tensor<1xb>, tensor<-1xf32>) ->\n"
         "}\n" +
         Fetch("13", 0, "-1xf32") + "}\n";
}

TEST(ControlFlow, StacksGiveBackWhatLoopsPushed) {
  auto plan = PlanOf(Stacked());
  for (int repeat = 0; repeat < 4; ++repeat) {
    EXPECT_EQ(Values(plan->Run({F32({2, 1}), I64(3)})[0]), (V{256 * 16 * 4 * 2, 1}));
    EXPECT_EQ(Values(plan->Run({F32({3}), I64(1)})[0]), (V{27}));
    EXPECT_EQ(Values(plan->Run({F32({3}), I64(0)})[0]), (V{3}));
  }
}

TEST(ControlFlow, NestedRegionsAndFailuresInside) {
  // while (i < n) { if (i < 2) { y = y + x } else { assert(false) }; i += 1 }
  auto plan =
      PlanOf("{\n" + Data("0", "x", "float32", "-1xf32") + Data("1", "n", "int64", "1xi64") +
             "(%2) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:0} : () -> tensor<1xi64>\n"
             "(%3) = \"pd_op.less_than\" (%2, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
             "(%4, %5) = \"pd_op.while\" (cond=%3, inputs=%2, %0) {\n"
             "^%arg_0 {stop_gradient:true}, %arg_1 {stop_gradient:true}\n"
             "(%8) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi64>\n"
             "(%9) = \"pd_op.add\" (%arg_0, %8) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n"
             "(%20) = \"pd_op.full\" () {dtype:int64,place:Place(cpu),shape:[1],value:2} : () -> tensor<1xi64>\n"
             "(%21) = \"pd_op.less_than\" (%arg_0, %20) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
             "(%22) = \"pd_op.if\" (%21) {} -> tensor<-1xf32> {\n"
             "(%23) = \"pd_op.add\" (%arg_1, %0) {} : (tensor<-1xf32>, tensor<-1xf32>) -> tensor<-1xf32>\n"
             "() = \"cf.yield\" (%23) {} : (tensor<-1xf32>) ->\n"
             "} else {\n"
             "(%24) = \"builtin.combine\" (%arg_0) {} : (tensor<1xi64>) -> vec[tensor<1xi64>]\n"
             "() = \"pd_op.assert\" (%21, %24) {summarize:20} : (tensor<1xb>, vec[tensor<1xi64>]) ->\n"
             "() = \"cf.yield\" (%arg_1) {} : (tensor<-1xf32>) ->\n"
             "}\n"
             "(%11) = \"pd_op.less_than\" (%9, %1) {} : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>\n"
             "() = \"cf.yield\" (%11, %9, %22) {} : (tensor<1xb>, tensor<1xi64>, tensor<-1xf32>) ->\n"
             "}\n" +
             Fetch("5", 0, "-1xf32") + "}\n");
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_EQ(Values(plan->Run({F32({1, 2}), I64(2)})[0]), (V{3, 6}));
    testing::internal::CaptureStdout();
    EXPECT_THROW(plan->Run({F32({1, 2}), I64(3)}), common::Error);
    EXPECT_NE(testing::internal::GetCapturedStdout().find("- data: [2.000000]"), std::string::npos);
  }
}

TEST(ControlFlow, PrintShowsAndHandsOn) {
  auto plan = PlanOf("{\n" + Data("0", "x", "float32", "-1xf32") +
                     "(%1) = \"pd_op.print\" (%0) {first_n:2,is_forward:true,message:\"hi\",print_phase:\"BOTH\","
                     "print_tensor_layout:true,print_tensor_lod:true,print_tensor_name:true,print_tensor_shape:true,"
                     "print_tensor_type:true,summarize:2} : (tensor<-1xf32>) -> tensor<-1xf32>\n" +
                     Fetch("1", 0, "-1xf32") + "}\n");
  testing::internal::CaptureStdout();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Values(plan->Run({F32({1, 2, 3})})[0]), (V{1, 2, 3}));
  const std::string one =
      "Variable: var\n  - message: hi\n  - lod: {}\n  - place: Place(cpu)\n  - shape: [3]\n  - layout: NCHW\n"
      "  - dtype: float32\n  - data: [1.000000 2.000000]\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), one + one);
}

}  // namespace
}  // namespace executor::test
