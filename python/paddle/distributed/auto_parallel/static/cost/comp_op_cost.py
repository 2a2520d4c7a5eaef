# SPDX-License-Identifier: Apache-2.0
"""Costs of operations that compute: a class for each, made on first use."""

import re

from .base_cost import CompOpCost

# Where the operation is not the class's name in other letters.
_TYPES = {'Embedding': 'c_embedding', 'EmbeddingGrad': 'c_embedding_grad'}
_NAMES = frozenset(
    '''
    Adam Argsort Assign AssignValue BeamSearch BeamSearchDecode Cast Concat Dropout DropoutGrad
    ElementwiseAdd ElementwiseAddGrad ElementwiseDiv ElementwiseDivGrad ElementwiseMul
    ElementwiseMulGrad ElementwiseSub ElementwiseSubGrad Embedding EmbeddingGrad Equal
    FillConstant FillConstantBatchSizeLike FusedSoftmaxMaskUpperTriangle
    FusedSoftmaxMaskUpperTriangleGrad Gather Gelu GeluGrad GreaterEqual Increment IsEmpty LayerNorm
    LayerNormGrad LessThan LodReset Log LogicalAnd LogicalNot LookupTableV2 LookupTableV2Grad
    Matmul MatmulGrad MatmulV2 MatmulV2Grad Memcpy Mul MulGrad OneHot ReadFromArray ReduceMean
    ReduceMeanGrad ReduceSum ReduceSumGrad Reshape2 Reshape2Grad Scale Shape Slice Softmax
    SoftmaxGrad SoftmaxWithCrossEntropy SoftmaxWithCrossEntropyGrad Split Square SquareGrad Squeeze2
    Sum TopK Transpose2 Transpose2Grad Unsqueeze2 WriteToArray
    '''.split()
)


def __getattr__(name):
    kind = name.removesuffix('OpCost')
    if kind == name or kind not in _NAMES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    op = _TYPES.get(kind) or re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', kind).lower()
    made = type(name, (CompOpCost,), {'OP_TYPE': op, '__doc__': f'The cost of {op}.'})
    made.__module__ = __name__
    globals()[name] = made
    return made
