// SPDX-License-Identifier: Apache-2.0
// The passes that need no kernels, and the questions about effects they share with other passes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "paddle/pir/pass/pass.h"

namespace pir {

// Whether the op may go when nobody uses its results: no side effect, no write to an operand, not a terminator, and the
// same for all ops in its regions.
bool IsRemovable(const Operation& op);
// Removes stacks that nobody pops from, with what is pushed on them. Such are left when a gradient is removed; stacks
// pushed on a removed one need another call.
bool RemoveUnusedStacks(Block& block);
// Whether two calls with equal operands and attributes are interchangeable.
bool IsDeterministic(const Operation& op);
// Whether the op writes into an operand's storage.
bool WritesOperand(const OpInfo& info);
// Whether some op writes into this value's storage; such a value stands for different contents at different places.
bool IsMutated(Value v);
// Whether the ops of the program may write into an operand's storage at all (any op with kInplace).
bool HasInplaceOps(const Program& program);

// Whether the caller of the program (or another block) may come to hold the value's storage: it is fetched, or a view
// of it is.
bool Escapes(Value v);

// "dead_code_elimination_pass": parameters, inputs and everything with an effect stay.
std::unique_ptr<Pass> CreateDeadCodeElimination();
// "common_subexpression_elimination_pass": also looks into regions, which may use an equal op of the blocks around
// them. `separate_results`: two results of the program stay two tensors, which a caller may write to.
std::unique_ptr<Pass> CreateCommonSubexpressionElimination(bool separate_results = false);
// For each value of the program's block that an earlier one equals, the first such.
std::unordered_map<Value, Value> EqualValues(Program& program);
// "identity_op_clean_pass": cast to the same type, scale by 1, identity transpose, split of combine, assign, and the
// like. `separate_results`: copies that the program returns stay copies.
std::unique_ptr<Pass> CreateIdentityClean(bool separate_results = false);
// "constant_branch_pass": `if` with a known condition gives way to the operations of its region, `while` with a false
// one to its inputs.
std::unique_ptr<Pass> CreateConstantBranch();

// "conv2d_bn_fuse_pass": batch norms at fixed statistics become part of the filter and a bias; follow with folding.
std::unique_ptr<Pass> CreateConvBatchNorm();
// "conv2d_add_act_fuse_pass", "matmul_add_act_fuse_pass": bias, residual and activation join the op before them.
std::unique_ptr<Pass> CreateConvAddAct();
std::unique_ptr<Pass> CreateMatmulAddAct();
// "layer_norm_fuse_pass": layer norms written out in single operations become pd_op.layer_norm.
std::unique_ptr<Pass> CreateLayerNormFusion();
// "rms_norm_fuse_pass": the same for norms by the root mean square and pd_op.rms_norm.
std::unique_ptr<Pass> CreateRmsNormFusion();
// "add_norm_fuse_pass": a sum and the layer or RMS norm of it become pd_op.fused_add_norm.
std::unique_ptr<Pass> CreateAddNormFusion();
// "attention_fuse_pass": products, masks and softmax of attention become pd_op.fused_attention.
std::unique_ptr<Pass> CreateAttentionFusion();
// "transfer_layout_pass": convolutions and what lies between them run channels-last.
std::unique_ptr<Pass> CreateTransferLayout();
// "blocked_layout_pass": the same in blocks of 16 channels (fused_conv's NCHW16C), for CPUs with AVX-512.
std::unique_ptr<Pass> CreateBlockedLayout();

// Computes one op from its operands' values, those of a builtin.combine in its place; an empty vector declines.
using EvaluateFn =
    std::function<std::vector<std::shared_ptr<void>>(const Operation&, std::span<const std::shared_ptr<void>>)>;
struct ConstantFoldingOptions {
  EvaluateFn evaluate;             // empty: the one given to SetConstantEvaluator; without any, the pass does nothing
  bool fold_parameters = false;    // parameters are constants too (inference)
  int64_t max_elements = 1 << 24;  // larger results stay unfolded
};
// "constant_folding_pass": whole trees of ops over constants become builtin.constant, kept among the program's
// parameters.
std::unique_ptr<Pass> CreateConstantFolding(ConstantFoldingOptions options);
// The executor's kernel runner, for passes made by name.
void SetConstantEvaluator(EvaluateFn evaluate);
// Reads a constant of one element as a condition; nothing for others.
using ReadBoolFn = std::function<std::optional<bool>(const std::shared_ptr<void>&)>;
void SetConstantReader(ReadBoolFn read);

}  // namespace pir
