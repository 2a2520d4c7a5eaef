// SPDX-License-Identifier: Apache-2.0
// Documentation of the classes bound in C++, in full form.
#pragma once

namespace paddle::py {

inline constexpr char kDtypeText[] = R"(dtype(value, /)
--

The element type of a tensor: `paddle.float32` and so on are its values.

Args:
    value (str, type or dtype): A name, NumPy's dtype, or a dtype.

Raises:
    TypeError: It names no element type.

Examples:
    >>> paddle.dtype("float16") == paddle.float16
    True
    >>> paddle.float16.itemsize, paddle.float16.is_floating_point
    (2, True)
)";

inline constexpr char kTensorText[] = R"(An n-dimensional array of one dtype, with a gradient.

Most tensors are made by functions, such as `paddle.to_tensor` or `paddle.zeros`. Numbers in lists
take the default dtype here. `stop_gradient` is True unless it is given: set it to False for a
tensor whose gradient is wanted.

Args:
    value (Tensor, list, tuple, array, int or several ints): The values; ints are the extents of a
        tensor whose values are not set. Also `data`.
    dtype (dtype, default None): The dtype.

Raises:
    TypeError: Arguments that are none of these.

Examples:
    >>> x = paddle.Tensor([[1, 2], [3, 4]])
    >>> x.shape, x.dtype
    (paddle.Size([2, 2]), paddle.float32)
    >>> x.stop_gradient = False
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [[2.0, 4.0], [6.0, 8.0]]
    >>> paddle.Tensor(2, 3).shape
    paddle.Size([2, 3])
)";

inline constexpr char kSizeText[] = R"(The shape of a tensor: a list of ints.

Args:
    iterable (iterable, default ()): The extents.

Raises:
    TypeError: An extent is no integer.

Examples:
    >>> shape = paddle.ones([2, 3]).shape
    >>> shape == paddle.Size([2, 3]), shape.numel()
    (True, 6)
    >>> shape[1:] + [4]
    paddle.Size([3, 4])
)";

inline constexpr char kGeneratorText[] = R"(A stream of random numbers with a state of its own.

Args:
    device (str or Place, default None): The CPU, whose streams there are.

Examples:
    >>> generator = paddle.Generator()
    >>> _ = generator.manual_seed(7)
    >>> generator.initial_seed()
    7
    >>> state = generator.get_state()
    >>> first = generator.random()
    >>> generator.set_state(state)
    >>> generator.random() == first
    True
)";

inline constexpr char kCpuPlaceText[] = R"(The CPU and its memory.

Examples:
    >>> paddle.CPUPlace()
    Place(cpu)
    >>> paddle.ones([2]).place == paddle.CPUPlace()
    True
)";

inline constexpr char kCudaPlaceText[] = R"(CUDAPlace(id, /)
--

A GPU and its memory.

Args:
    id (int): The number of the GPU.

Raises:
    ValueError: There is no such GPU, or no driver.

Examples:
    >>> try:
    ...     place = paddle.CUDAPlace(0)
    ... except ValueError:  # there is none
    ...     place = paddle.CPUPlace()
    >>> paddle.to_tensor([1.0], place=place).tolist()
    [1.0]
)";

inline constexpr char kCudaPinnedPlaceText[] =
    R"(Memory of the host that GPUs reach directly, for copies that need not be waited for.

Raises:
    RuntimeError: There is no GPU.

Examples:
    >>> if paddle.device.cuda.device_count():
    ...     print(paddle.CUDAPinnedPlace())
)";

inline constexpr char kXpuPinnedPlaceText[] = R"(Memory of the host that XPUs reach directly. This build has none.

Raises:
    RuntimeError: Always.

Examples:
    >>> paddle.XPUPinnedPlace()
    Traceback (most recent call last):
        ...
    RuntimeError: [XPUPinnedPlace] expected a build with such memory, got one without
)";

inline constexpr char kXpuPlaceText[] = R"(An XPU and its memory. This build serves none.

Args:
    id (int): The number of the XPU.

Raises:
    ValueError: Always.

Examples:
    >>> paddle.device.XPUPlace(0)
    Traceback (most recent call last):
        ...
    ValueError: [XPUPlace] expected a build with such devices, got one for CPUs: use CPUPlace()
)";

inline constexpr char kIpuPlaceText[] = R"(An IPU and its memory. This build serves none.

Raises:
    ValueError: Always.

Examples:
    >>> paddle.device.IPUPlace()
    Traceback (most recent call last):
        ...
    ValueError: [IPUPlace] expected a build with such devices, got one for CPUs: use CPUPlace()
)";

inline constexpr char kCustomPlaceText[] = R"(A device of a plugin and its memory.

Args:
    dev_type (str): The name of the kind of device, as the plugin says it.
    id (int, default 0): The number of the device.

Raises:
    ValueError: There is no such device.

Examples:
    >>> for name in paddle.device.get_available_custom_device():
    ...     place = paddle.CustomPlace(*name.split(":"))
)";

inline constexpr char kProgramText[] = R"(A program: what recording writes and executors run.

Its operations are in `global_block().ops`, its parameters in `all_parameters()`; `clone(for_test)`
copies it, `state_dict()` and `set_state_dict()` are what it keeps. As text it shows the operations.

Examples:
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2])
    ...     y = paddle.exp(x)
    >>> [op.name() for op in main.global_block().ops]
    ['pd_op.data', 'pd_op.exp']
    >>> print(paddle.static.Program())
    {
    }
)";

inline constexpr char kValueText[] = R"(A tensor of a program being recorded: shape and dtype, no data.

It has the methods of Tensor, which record operations. An extent of -1 is known when the program
runs. `Executor.run` fetches its data.

Examples:
    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data("x", [None, 3])
    ...     y = x.sum(axis=1)
    >>> isinstance(y, paddle.static.Variable), y.shape, y.dtype
    (True, paddle.Size([-1]), paddle.float32)
)";

inline constexpr char kPlacementText[] = R"(How a tensor is placed along an axis of a mesh.

It is a `Shard`, a `Replicate` or a `Partial`; `is_shard(dim=None)`, `is_replicated()` and
`is_partial()` tell which.

Examples:
    >>> import paddle.distributed as dist
    >>> isinstance(dist.Replicate(), dist.Placement)
    True
    >>> dist.Replicate().is_shard(), dist.Replicate().is_replicated()
    (False, True)
)";

inline constexpr char kShardText[] = R"(Each process along an axis of a mesh has a part of a dimension.

Args:
    dim (int): The dimension; negative from the last.
    split_factor (int, default 1): Into how many equal pieces the dimension falls, of each of which
        a process has a part.
    shard_order (int, default 0): Where several axes of the mesh divide one dimension: the parts of
        the axis with the lowest are the widest; of equal ones, those of the first axis. A tensor
        shows it as split factors.

Raises:
    TypeError: split_factor and shard_order are both given.

Examples:
    >>> import paddle.distributed as dist
    >>> def work():
    ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
    ...     x = paddle.arange(8)
    ...     t = dist.shard_tensor(x, mesh, [dist.Shard(0, split_factor=2)])
    ...     part = [[0, 1, 4, 5], [2, 3, 6, 7]][dist.get_rank()]
    ...     assert dist.dtensor_to_local(t).tolist() == part
    >>> context = dist.spawn(work, nprocs=2, start_method="fork")
)";

inline constexpr char kReplicateText[] = R"(Each process along an axis of a mesh has the whole tensor.

Examples:
    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
    >>> dist.shard_tensor(paddle.ones([4, 2]), mesh, [dist.Replicate()]).placements
    [Replicate()]
)";

inline constexpr char kPartialText[] = R"(A tensor is the reduction of what the processes along an axis of a mesh have.

Args:
    reduce_type (ReduceType, default ReduceType.kRedSum): How they are reduced.

Examples:
    >>> import paddle.distributed as dist
    >>> def work():
    ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
    ...     a = dist.shard_tensor(paddle.ones([2, 4]), mesh, [dist.Shard(1)])
    ...     b = dist.shard_tensor(paddle.ones([4, 2]), mesh, [dist.Shard(0)])
    ...     product = paddle.matmul(a, b)
    ...     assert product.placements == [dist.Partial()]
    ...     assert dist.unshard_dtensor(product).tolist() == [[4.0, 4.0], [4.0, 4.0]]
    >>> context = dist.spawn(work, nprocs=2, start_method="fork")
)";

inline constexpr char kReduceTypeText[] =
    R"(How the parts of a partial tensor make it: their sum, maximum, minimum, product or mean.

Examples:
    >>> import paddle.distributed as dist
    >>> dist.Partial(dist.ReduceType.kRedMax)
    Partial(reduce_type=MAX)
)";

inline constexpr char kInferDataTypeText[] = R"(The element types of inputs and outputs of a predictor.

Examples:
    >>> from paddle import inference
    >>> inference.get_num_bytes_of_data_type(inference.DataType.FLOAT16)
    2
)";

inline constexpr char kInferPlaceTypeText[] = R"(Kinds of devices, as `convert_to_mixed_precision` takes them.

Examples:
    >>> paddle.inference.PlaceType.CPU.name
    'CPU'
)";

inline constexpr char kInferPrecisionText[] = R"(Precisions that a program is converted to.

Examples:
    >>> paddle.inference.PrecisionType.Bfloat16.name
    'Bfloat16'
)";

inline constexpr char kInferTensorText[] = R"(One input or output of a predictor.

`copy_from_cpu(array)` gives an input its data, `share_external_data(array)` without a copy;
`copy_to_cpu()` is an output as an array, `shape()`, `type()` and `name()` say what it is.

Examples:
    >>> import numpy as np
    >>> net = paddle.nn.Linear(2, 1)
    >>> paddle.jit.save(net, "net", [paddle.static.InputSpec([None, 2])])
    >>> config = paddle.inference.Config("net.json", "net.pdiparams")
    >>> config.disable_glog_info()
    >>> predictor = paddle.inference.create_predictor(config)
    >>> handle = predictor.get_input_handle(predictor.get_input_names()[0])
    >>> isinstance(handle, paddle.inference.Tensor)
    True
    >>> handle.copy_from_cpu(np.ones([3, 2], "float32"))
    >>> handle.shape()
    [3, 2]
)";

inline constexpr char kPredictorText[] = R"(A loaded program, ready to run. `create_predictor` makes it.

Give its inputs their data, call `run()` and read its outputs; or `run(list of tensors)` for both at
once. `clone()` makes another that shares the parameters, for another thread.

Examples:
    >>> net = paddle.nn.Linear(2, 1)
    >>> paddle.jit.save(net, "net", [paddle.static.InputSpec([None, 2])])
    >>> config = paddle.inference.Config("net.json", "net.pdiparams")
    >>> config.disable_glog_info()
    >>> predictor = paddle.inference.create_predictor(config)
    >>> isinstance(predictor, paddle.inference.Predictor)
    True
    >>> x = paddle.to_tensor([[1.0, 2.0]])
    >>> (y,) = predictor.run([x])
    >>> bool(paddle.allclose(y, net(x)))
    True
)";

inline constexpr char kBytesOfDataTypeText[] = R"(How many bytes an element has.

Args:
    dtype (DataType): The element type.

Returns:
    int: the number.

Examples:
    >>> from paddle import inference
    >>> inference.get_num_bytes_of_data_type(inference.DataType.INT64)
    8
)";

inline constexpr char kInferVersionText[] = R"(The version of the package, as text.

Returns:
    str: lines of `name: value`.

Examples:
    >>> "version" in paddle.inference.get_version()
    True
)";

}  // namespace paddle::py
