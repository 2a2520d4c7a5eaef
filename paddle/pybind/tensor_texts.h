// SPDX-License-Identifier: Apache-2.0
// Documentation of the members of Tensor bound in tensor_members.cc, tensor_convert.cc and tensor_autograd.cc.
#pragma once

namespace paddle::py {

// The number of dimensions, as a method `name`.
#define PADDLE_RANK_TEXT(name)                                                              \
  name "(var)\n--\n\nThe number of dimensions.\n\nArgs:\n    var (Tensor): The tensor.\n\n" \
       "Returns:\n    int: the number.\n\n"                                                 \
       "Examples:\n    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0]])\n    >>> x." name "()\n    2\n"

inline constexpr char kTensorDimText[] = PADDLE_RANK_TEXT("dim") "    >>> x.dense_dim()\n    2\n";

inline constexpr char kTensorNdimensionText[] = PADDLE_RANK_TEXT("ndimension");

inline constexpr char kTensorElementSizeText[] = R"(Bytes of one element.

Returns:
    int: the bytes.

Examples:
    >>> paddle.ones([3], "float64").element_size()
    8
)";

inline constexpr char kTensorNumelText[] = R"(numel(x, name=None)
--

The number of elements.

Args:
    x (Tensor): The tensor.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: 0-D, int64.

Examples:
    >>> x = paddle.to_tensor([[1.0, 2.0, 3.0]])
    >>> x.numel().item()
    3
)";

inline constexpr char kTensorIsContiguousText[] = R"(Whether the elements lie in row-major order without gaps.

Returns:
    bool: whether they do.

Examples:
    >>> x = paddle.ones([2, 3])
    >>> x.is_contiguous(), x.T.is_contiguous()
    (True, False)
)";

inline constexpr char kTensorContiguousText[] = R"(This tensor, or a contiguous copy of it.

Returns:
    Tensor: with elements in row-major order.

Examples:
    >>> paddle.ones([2, 3]).T.contiguous().strides
    [2, 1]
)";

inline constexpr char kTensorStrideText[] = R"(Strides in elements: all, or of one dimension.

Args:
    dim (int, default None): The dimension; None for all.

Returns:
    list of ints or int: the strides.

Examples:
    >>> paddle.ones([2, 3]).stride()
    [3, 1]
)";

inline constexpr char kTensorGetStridesText[] = R"(Strides in elements.

Returns:
    list of ints: the strides.

Examples:
    >>> paddle.ones([2, 3]).get_strides()
    [3, 1]
)";

inline constexpr char kTensorDataPtrText[] = R"(The address of the first element.

Returns:
    int: the address.

Examples:
    >>> x = paddle.ones([3])
    >>> x[1:].data_ptr() - x.data_ptr()
    4
)";

inline constexpr char kTensorIsDenseText[] = R"(Whether this is a dense tensor.

Returns:
    bool: whether it is.

Examples:
    >>> paddle.ones([2]).is_dense()
    True
)";

inline constexpr char kTensorIsSparseText[] = R"(Whether this is a sparse tensor.

Returns:
    bool: whether it is.

Examples:
    >>> x = paddle.ones([2])
    >>> x.is_sparse(), x.to_sparse_coo(1).is_sparse()
    (False, True)
)";

inline constexpr char kTensorIsSparseCooText[] = R"(Whether this is a sparse tensor in COO form.

Returns:
    bool: whether it is.

Examples:
    >>> paddle.ones([2]).to_sparse_coo(1).is_sparse_coo()
    True
)";

inline constexpr char kTensorIsSparseCsrText[] = R"(Whether this is a sparse tensor in CSR form.

Returns:
    bool: whether it is.

Examples:
    >>> paddle.ones([2, 2]).to_sparse_csr().is_sparse_csr()
    True
)";

inline constexpr char kTensorIsSelectedRowsText[] = R"(Whether this holds some rows of a tensor.

Returns:
    bool: whether it does.

Examples:
    >>> paddle.ones([2]).is_selected_rows()
    False
)";

inline constexpr char kTensorIsDistText[] = R"(Whether this is a distributed tensor.

Returns:
    bool: whether it is.

Examples:
    >>> paddle.ones([2]).is_dist()
    False
)";

inline constexpr char kTensorIsCudaText[] = R"(Whether this lies on a GPU.

Returns:
    bool: whether it does.

Examples:
    >>> paddle.ones([2]).cpu().is_cuda()
    False
)";

inline constexpr char kTensorIsTensorText[] = R"(is_tensor(x)
--

True.

Args:
    x (Tensor): The tensor.

Returns:
    bool: True.

Examples:
    >>> paddle.ones([2]).is_tensor()
    True
)";

inline constexpr char kTensorIsSameShapeText[] = R"(Whether both have the same shape.

Args:
    y (Tensor): The other tensor.

Returns:
    bool: whether they have.

Examples:
    >>> paddle.ones([2]).is_same_shape(paddle.zeros([2]))
    True
)";

// The tensor itself, as a method `name`.
#define PADDLE_ITSELF_TEXT(name)                                 \
  "This tensor.\n\nReturns:\n    Tensor: the tensor itself.\n\n" \
  "Examples:\n    >>> x = paddle.ones([2])\n    >>> x." name "() is x\n    True\n"

inline constexpr char kTensorValueText[] = PADDLE_ITSELF_TEXT("value");

inline constexpr char kTensorToDenseText[] = R"(This tensor; of a sparse one, its elements among zeros.

Of rows of a table (the gradient of a lookup with `sparse=True`) the table, with rows of one number added.

Returns:
    Tensor: a dense tensor.

Examples:
    >>> paddle.to_tensor([0.0, 2.0]).to_sparse_coo(1).to_dense().tolist()
    [0.0, 2.0]
)";

inline constexpr char kTensorGetTensorText[] = R"(The memory under the tensor, a DenseTensor.

Returns:
    DenseTensor: it reads as an array; `set(array, place)` gives the tensor other values.

Examples:
    >>> import numpy as np
    >>> x = paddle.ones([2])
    >>> x.get_tensor().set(np.array([3.0, 4.0], "float32"), paddle.CPUPlace())
    >>> x.tolist()
    [3.0, 4.0]
)";

inline constexpr char kTensorNumpyText[] = R"(A NumPy array of the data (bfloat16 as uint16 bits).

Args:
    blocking (bool, default True): Taken for compatibility; the array is complete in any case.
    force (bool, default False): Taken for compatibility; tensors that need gradients have arrays too.

Returns:
    numpy.ndarray: the array.

Examples:
    >>> paddle.to_tensor([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
)";

inline constexpr char kTensorItemText[] = R"(The only element, or the one at an index, as a Python number.

Args:
    *args (int): The index; nothing for the only element.

Returns:
    number: the element.

Examples:
    >>> x = paddle.to_tensor([[1.0, 2.0]])
    >>> x.item(1), x.item(0, 0)
    (2.0, 1.0)
)";

inline constexpr char kTensorTolistText[] = R"(tolist(x)
--

Nested lists of Python numbers; a number for 0-d.

Args:
    x (Tensor): The tensor.

Returns:
    object: the numbers.

Examples:
    >>> paddle.to_tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
)";

inline constexpr char kTensorAstypeText[] = R"(This tensor in another dtype.

Args:
    dtype (str or dtype): The dtype.

Returns:
    Tensor: a copy with its history.

Examples:
    >>> paddle.to_tensor([1.5, 2.5]).astype("int64").tolist()
    [1, 2]
)";

inline constexpr char kTensorTypeAsText[] = R"(This tensor in the dtype of another.

Args:
    other (Tensor): The other tensor.

Returns:
    Tensor: a copy with its history.

Examples:
    >>> paddle.to_tensor([1.5]).type_as(paddle.to_tensor([1])).tolist()
    [1]
)";

inline constexpr char kTensorCpuText[] = R"(This tensor on the CPU.

Returns:
    Tensor: the tensor itself where it lies there.

Examples:
    >>> paddle.ones([2]).cpu().place
    Place(cpu)
)";

inline constexpr char kTensorSetValueText[] =
    R"(Overwrites the data with an array or tensor of the same shape and dtype.

Args:
    value (Tensor or array): What is written.

Returns:
    None.

Examples:
    >>> x = paddle.zeros([2])
    >>> x.set_value(paddle.to_tensor([1.0, 2.0]))
    >>> x.tolist()
    [1.0, 2.0]
)";

inline constexpr char kTensorCopyInplaceText[] = R"(Overwrites the data with another tensor's.

Args:
    other (Tensor): What is written.
    blocking (bool, default False): Whether the call waits.

Returns:
    Tensor: the tensor itself.

Examples:
    >>> paddle.zeros([2]).copy_(paddle.ones([2]), True).tolist()
    [1.0, 1.0]
)";

// Clears the gradient, as a method `name`.
#define PADDLE_CLEAR_TEXT(name)                                                                            \
  "Sets the gradient to zero, or drops it with set_to_zero=False.\n\n"                                     \
  "Args:\n    set_to_zero (bool, default True): Whether it becomes zero, else None.\n\n"                   \
  "Returns:\n    None.\n\n"                                                                                \
  "Examples:\n    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)\n    >>> x.sum().backward()\n" \
  "    >>> x." name                                                                                        \
  "()\n    >>> x.grad.tolist()\n    [0.0, 0.0]\n"                                                          \
  "    >>> x." name "(False)\n    >>> x.grad is None\n    True\n"

inline constexpr char kTensorClearGradText[] = PADDLE_CLEAR_TEXT("clear_grad");

inline constexpr char kTensorClearGradientText[] = PADDLE_CLEAR_TEXT("clear_gradient");

inline constexpr char kTensorBackwardText[] =
    R"(Adds the gradients of this tensor with respect to the leaves it depends on into their `.grad`.

Args:
    grad_tensor (Tensor, default None): The gradient of this tensor; None for ones.
    retain_graph (bool, default False): Whether the history stays for another backward.
    dump_backward_graph_path (str, default None): The folder that the graph of what runs is
        written to, for Graphviz; None for no files.

Returns:
    None.

Examples:
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
)";

inline constexpr char kTensorRegisterHookText[] =
    R"(Calls hook(grad) in backward; a tensor it returns replaces the gradient.

Args:
    hook (callable): From the gradient to its replacement, or None.

Returns:
    object: what `remove()` takes the hook off with.

Examples:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> hook = x.register_hook(lambda grad: grad * 10)
    >>> (x * 2).sum().backward()
    >>> x.grad.tolist()
    [20.0]
)";

inline constexpr char kTensorRetainGradsText[] = R"(Keeps the gradient of a tensor that is not a leaf in `.grad`.

Returns:
    None.

Examples:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> y = x * 2
    >>> y.retain_grads()
    >>> (y * 3).sum().backward()
    >>> y.grad.tolist()
    [3.0]
)";

inline constexpr char kTensorDetachText[] = R"(A tensor that shares the data and stops gradients.

Returns:
    Tensor: the other tensor.

Examples:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> (x * 2).detach().stop_gradient
    True
)";

inline constexpr char kTensorDetachInplaceText[] = R"(Cuts this tensor off its history.

Returns:
    Tensor: the tensor itself.

Examples:
    >>> y = paddle.to_tensor([1.0], stop_gradient=False) * 2
    >>> y.detach_().is_leaf
    True
)";

inline constexpr char kTensorCloneText[] = R"(A copy through which gradients flow.

Args:
    memory_format (object, default None): Taken for compatibility; a copy is contiguous.

Returns:
    Tensor: the copy.

Examples:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> (x.clone() * 2).sum().backward()
    >>> x.grad.tolist()
    [2.0]
)";

inline constexpr char kTensorRequiresGradInplaceText[] = R"(Sets requires_grad and returns the tensor.

Args:
    requires_grad (bool, default True): Whether it needs gradients.

Returns:
    Tensor: the tensor itself.

Examples:
    >>> paddle.ones([2]).requires_grad_().stop_gradient
    False
)";

inline constexpr char kTensorShapeText[] = R"(The extents, a paddle.Size; -1 where unknown while recording.

Examples:
    >>> paddle.ones([2, 3]).shape
    paddle.Size([2, 3])
)";

inline constexpr char kTensorNdimText[] = R"(The number of dimensions.

Examples:
    >>> paddle.ones([2, 3]).ndim
    2
)";

inline constexpr char kTensorDtypeText[] = R"(The element type.

Examples:
    >>> paddle.ones([2]).dtype
    paddle.float32
)";

inline constexpr char kTensorPlaceText[] = R"(Where the data lies.

Examples:
    >>> paddle.ones([2]).cpu().place
    Place(cpu)
)";

inline constexpr char kTensorItemsizeText[] = R"(Bytes of one element.

Examples:
    >>> paddle.ones([2]).itemsize
    4
)";

inline constexpr char kTensorStridesText[] = R"(Strides in elements.

Examples:
    >>> paddle.ones([2, 3]).strides
    [3, 1]
)";

inline constexpr char kTensorOffsetText[] = R"(Bytes between the start of the memory and the first element.

Examples:
    >>> paddle.ones([3])[1:].offset
    4
)";

inline constexpr char kTensorPersistableText[] = R"(Whether it is state, such as a parameter, that programs keep.

Examples:
    >>> paddle.ones([2]).persistable, paddle.nn.Linear(1, 1).weight.persistable
    (False, True)
)";

inline constexpr char kTensorInplaceVersionText[] = R"(Counts in-place writes to the memory.

Examples:
    >>> x = paddle.ones([2])
    >>> before = x.inplace_version
    >>> _ = x.fill_(3.0)
    >>> x.inplace_version > before
    True
)";

inline constexpr char kTensorNumShardText[] = R"(How many parts a distributed tensor has.

Examples:
    >>> paddle.ones([2]).num_shard
)";

inline constexpr char kTensorPlacementsText[] = R"(How a distributed tensor is placed along each axis of its mesh.

Examples:
    >>> paddle.ones([2]).placements
)";

inline constexpr char kTensorProcessMeshText[] = R"(The processes that a distributed tensor is on.

Examples:
    >>> paddle.ones([2]).process_mesh
)";

inline constexpr char kTensorLayoutText[] = R"(The order of axes that kernels assume.

Examples:
    >>> paddle.ones([2]).layout
    'NCHW'
)";

inline constexpr char kTensorNameText[] = R"(A unique name, made on first use.

Examples:
    >>> x = paddle.ones([2])
    >>> x.name = "first"
    >>> x.name
    'first'
)";

inline constexpr char kTensorTText[] = R"(The tensor with its axes reversed.

Examples:
    >>> paddle.ones([2, 3]).T.shape
    paddle.Size([3, 2])
)";

inline constexpr char kTensorMTText[] = R"(The tensor with its last two axes swapped.

Examples:
    >>> paddle.ones([4, 2, 3]).mT.shape
    paddle.Size([4, 3, 2])
)";

inline constexpr char kTensorDataText[] =
    R"(This tensor's memory without its history; assigning shares another tensor's memory.

Examples:
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> x.data.fill_(3.0).tolist(), x.tolist()
    ([3.0, 3.0], [3.0, 3.0])
)";

inline constexpr char kTensorStopGradientText[] = R"(Whether gradients stop here.

Examples:
    >>> x = paddle.ones([2])
    >>> x.stop_gradient = False
    >>> (x * 2).stop_gradient
    False
)";

inline constexpr char kTensorRequiresGradText[] = R"(The opposite of stop_gradient.

Examples:
    >>> paddle.ones([2]).requires_grad, paddle.nn.Linear(1, 1).weight.requires_grad
    (False, True)
)";

// The accumulated gradient, as an attribute `name`.
#define PADDLE_GRAD_TEXT(name)                                                 \
  "The accumulated gradient, or None.\n\n"                                     \
  "Examples:\n    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)\n" \
  "    >>> (x * x).sum().backward()\n    >>> x." name ".tolist()\n    [2.0, 4.0]\n"

inline constexpr char kTensorGradText[] = PADDLE_GRAD_TEXT("grad");

inline constexpr char kTensorGradInplaceText[] = PADDLE_GRAD_TEXT("grad_");

inline constexpr char kTensorGradFnText[] = R"(The node that made this tensor, or None.

Examples:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> paddle.ones([1]).grad_fn is None, (x * 2).grad_fn is None
    (True, False)
)";

inline constexpr char kTensorIsLeafText[] = R"(Whether no recorded operation made this tensor.

Examples:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> x.is_leaf, (x * 2).is_leaf
    (True, False)
)";

// This tensor in the dtype that `name` is called after.
#define PADDLE_CAST_TEXT(name, dtype)                                          \
  "This tensor as " dtype                                                      \
  ".\n\nReturns:\n    Tensor: the tensor in that dtype, with its history.\n\n" \
  "Examples:\n    >>> paddle.ones([2], \"int16\")." name "().dtype\n    paddle." dtype "\n"

#undef PADDLE_RANK_TEXT
#undef PADDLE_ITSELF_TEXT
#undef PADDLE_CLEAR_TEXT
#undef PADDLE_GRAD_TEXT

}  // namespace paddle::py
