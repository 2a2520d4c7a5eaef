# SPDX-License-Identifier: Apache-2.0
"""Running programs: Executor plans a program once for each set of fetched values, then runs the
plan.
"""

import warnings

import numpy

from paddle.base import libpaddle as _core
from paddle.base.arguments import only, to_array
from paddle.static import lod, optimize, startup
from paddle.static import program as _program
from paddle.static import scope as _scope
from paddle.static.block import OutputVar
from paddle.static.scope import DenseTensor, Scope, global_scope, scope_guard

__all__ = ['BuildStrategy', 'CompiledProgram', 'Executor', 'Scope', 'global_scope', 'scope_guard']


class BuildStrategy:
    """Wishes about the compilation of a program.

    `build_cinn_pass` asks for fused kernels. The other attributes, such as `enable_inplace` or
    `memory_optimize`, are kept and change no result: the executor decides by itself. A name that is
    none of them is an AttributeError.

    Examples:
        >>> strategy = paddle.static.BuildStrategy()
        >>> strategy.build_cinn_pass = True
        >>> compiled = paddle.static.CompiledProgram(paddle.static.Program(), strategy)
    """

    class ReduceStrategy:
        """How gradients of several devices are summed."""

        AllReduce, Reduce, _NoReduce = range(3)

    build_cinn_pass = allow_cuda_graph_capture = async_mode = cache_runtime_context = (
        enable_addto
    ) = enable_auto_fusion = False
    enable_inplace = fuse_adamw = fuse_all_optimizer_ops = fuse_bn_act_ops = fuse_bn_add_act_ops = (
        fuse_dot_product_attention
    ) = False
    enable_backward_optimizer_op_deps = True
    fuse_elewise_add_act_ops = fuse_gemm_epilogue = fuse_relu_depthwise_conv = fuse_resunit = (
        fused_attention
    ) = fused_feedforward = False
    sequential_run = sync_batch_norm = use_hierarchical_allreduce = False
    fuse_all_reduce_ops = fuse_broadcast_ops = memory_optimize = None
    bkcl_comm_num = nccl_comm_num = num_trainers = 1
    hierarchical_allreduce_inter_nranks = trainer_id = 0
    debug_graphviz_path = ''
    mkldnn_enabled_op_types = onednn_enabled_op_types = frozenset()
    trainers_endpoints = ()
    reduce_strategy = ReduceStrategy.AllReduce

    def __init__(self):
        self.mkldnn_enabled_op_types, self.onednn_enabled_op_types, self.trainers_endpoints = (
            set(),
            set(),
            [],
        )

    def __setattr__(self, name, value):
        if not hasattr(type(self), name):
            raise AttributeError(f"'BuildStrategy' object has no attribute {name!r}")
        object.__setattr__(self, name, value)


def _each(fetch_list):
    """What is to be fetched, of lists within lists too."""
    if isinstance(fetch_list, OutputVar):
        fetch_list = fetch_list.value
    if not isinstance(fetch_list, (list, tuple)):
        return [fetch_list]
    return [item for part in fetch_list for item in _each(part)]


def _is_array(item):
    return hasattr(type(item), 'held')


def _by_array(asked, results, return_numpy):
    """The results, those of each array of tensors as a list."""
    given, made = iter(results), []

    def shown(tensor):
        return tensor.numpy() if return_numpy else lod.attached([tensor], [[]])[0]

    for item in asked:
        if not _is_array(item):
            made.append(shown(next(given)))
            continue
        tensors = [next(given) for _ in item.held()]
        made.append([shown(t) for t in (tensors[0].unbind(0) if item.is_rows() else tensors)])
    return made


class CompiledProgram:
    """A program with a build strategy, for `Executor.run`.

    Args:
        program_or_graph (Program or Graph): The program, or a graph of one.
        build_strategy (BuildStrategy, default None): How it is compiled.

    Raises:
        TypeError: program_or_graph is no Program.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = paddle.exp(x) * 2.0
        >>> strategy = paddle.static.BuildStrategy()
        >>> strategy.build_cinn_pass = True
        >>> compiled = paddle.static.CompiledProgram(main, strategy)
        >>> exe = paddle.static.Executor()
        >>> exe.run(compiled, feed={"x": [0.0, 1.0]}, fetch_list=[y])[0].tolist()
        [2.0, 5.436563491821289]
    """

    def __init__(self, program_or_graph, build_strategy=None):
        from paddle.base.ir_graph import Graph

        if isinstance(program_or_graph, Graph):
            program_or_graph = program_or_graph._program.clone()
        if not isinstance(program_or_graph, _program.Program):
            raise TypeError(
                f"[CompiledProgram] expected a Program, got {type(program_or_graph).__name__}"
            )
        self._program = program_or_graph
        self._build_strategy = build_strategy or BuildStrategy()


def _feed_tensor(name, value, dtype):
    """`value` as a tensor of the declared dtype."""
    import paddle

    if isinstance(value, DenseTensor):
        value = value._held()
    if isinstance(value, _core.Tensor):
        tensor = value
    else:
        array = value if isinstance(value, numpy.ndarray) else to_array('run', 'feed', value)
        if not isinstance(value, numpy.ndarray) and str(dtype).rsplit('.', 1)[-1] != 'bfloat16':
            array = array.astype(str(dtype).rsplit('.', 1)[-1])
        tensor = paddle.to_tensor(numpy.ascontiguousarray(array) if array.ndim else array)
    if tensor.dtype != dtype:
        raise ValueError(f"[Executor.run] expected {name!r} of dtype {dtype}, got {tensor.dtype}")
    return tensor


def _feed_dict(feed):
    """The values by name that `feed` holds, also as the only item of a list."""
    if isinstance(feed, (list, tuple)):
        if len(feed) > 1:
            raise AssertionError(
                f"[Executor.run] expected feeds of one device, got a list of {len(feed)}"
            )
        feed = feed[0] if feed else {}
    feed = {} if feed is None else feed
    if not isinstance(feed, dict):
        raise TypeError(f"[Executor.run] expected a dict as feed, got {type(feed).__name__}")
    return feed


def _input(name, feed, declared):
    """The tensor that an input is given; `declared`: its shape and dtype."""
    rows = None if name in feed else lod.fed(name, feed)
    if name not in feed and rows is None:
        raise KeyError(f"[Executor.run] expected input {name!r} in feed, got {sorted(feed)}")
    return _feed_tensor(name, feed[name] if rows is None else rows, declared[1])


def _other_extents(declared, names, inputs):
    """{name: shape} of the inputs that are not of the declared shape, with -1 for each extent that
    differs. The program may run with them.
    """
    others = {}
    for name, tensor in zip(names, inputs):
        got, shape = tensor.shape, declared[name][0]
        if got == shape:
            continue
        if len(got) != len(shape):
            others[name] = [-1] * len(got)
        elif any(w not in (-1, g) for w, g in zip(shape, got)):
            others[name] = [w if w == g else -1 for w, g in zip(shape, got)]
    return others


def _warn_of_other_extents(others, declared, given):
    for name in others:
        warnings.warn(
            f"[Executor.run] expected {name!r} of shape {list(declared[name][0])}, got "
            f"{list(given[name].shape)}: the program is run with that shape",
            stacklevel=3,
        )


def _warn_of_unknown(feed, declared):
    unknown = sorted(name for name in feed if name not in declared)
    if unknown:
        warnings.warn(
            f"[Executor.run] expected feeds for inputs of the program, got also "
            f"{', '.join(unknown)}",
            stacklevel=3,
        )


class Executor:
    """Runs programs: `run(program, feed, fetch_list)` gives the fetched values as arrays.

    A program is planned at its first run with the same fetched values; later runs use that plan.

    Args:
        place (Place or str, default None): The device; None for the current one.

    Raises:
        ValueError: place is neither.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.data("y", [None, 1])
        ...     loss = paddle.mean((paddle.static.nn.fc(x, 1) - y) ** 2)
        ...     _ = paddle.optimizer.SGD(0.1).minimize(loss)
        >>> exe = paddle.static.Executor(paddle.CPUPlace())
        >>> _ = exe.run(startup)
        >>> feed = {"x": [[1.0, 0.0], [0.0, 1.0]], "y": [[2.0], [3.0]]}
        >>> losses = [exe.run(main, feed=feed, fetch_list=[loss])[0].item() for _ in range(100)]
        >>> losses[-1] < 0.01 < losses[0]
        True
    """

    def __init__(self, place=None):
        if place is not None and not isinstance(place, (str, _core.Place)):
            raise ValueError(f"[Executor] expected place to be a place or its name, got {place!r}")
        self.place = place if place is None else _core.to_place(place)
        self._closed = False

    def close(self):
        """No further runs."""
        self._closed = True

    def flush(self):
        """Wait for what runs; nothing runs when a call has returned."""

    def run(
        self,
        program=None,
        feed=None,
        fetch_list=None,
        feed_var_name='feed',
        fetch_var_name='fetch',
        scope=None,
        return_numpy=True,
        use_program_cache=False,
        use_prune=False,
    ):
        """Run a program on the arrays of `feed` and return the values of `fetch_list`.

        Args:
            program (Program or CompiledProgram, default None): The program; None for the default
                main program.
            feed (dict, default None): Arrays, tensors or lists by the names of the program's
                inputs.
            fetch_list (list of Tensors or of strs, default None): Values of the program, or their
                names.
            feed_var_name (str, default 'feed'): Taken for compatibility; it has no effect.
            fetch_var_name (str, default 'fetch'): Taken for compatibility; it has no effect.
            scope (Scope, default None): Where the variables are; None for `global_scope()`.
            return_numpy (bool, default True): Whether arrays are returned, without offsets of
                sequences, or a `DenseTensor` for each, with them.
            use_program_cache (bool, default False): Taken for compatibility: plans are always kept.
            use_prune (bool, default False): Whether only what is fetched runs, which is always so
                of a program that writes no tensors.

        Returns:
            list: the fetched values; without a fetch_list those that the program itself fetches.

        Raises:
            KeyError: An input is missing.
            ValueError: An input has another shape or dtype than the program declares.
            TypeError: program, feed or scope is of another type.
            RuntimeError: The executor is closed.

        Examples:
            >>> paddle.enable_static()
            >>> main = paddle.static.Program()
            >>> with paddle.static.program_guard(main):
            ...     x = paddle.static.data("x", [None])
            ...     total = paddle.sum(x)
            >>> exe = paddle.static.Executor()
            >>> exe.run(main, feed={"x": [1.0, 2.0, 3.0]}, fetch_list=[total])[0].item()
            6.0
        """
        if self._closed:
            raise RuntimeError("[Executor] expected an open executor, got a closed one")
        program = _program.default_main_program() if program is None else program
        fuse = False
        if isinstance(program, CompiledProgram):
            fuse, program = bool(program._build_strategy.build_cinn_pass), program._program
        if not isinstance(program, _program.Program):
            raise TypeError(
                f"[Executor.run] expected a paddle.static.Program, got {type(program).__name__}"
            )
        feed = _feed_dict(feed)
        if scope is not None and not isinstance(scope, Scope):
            raise TypeError(
                f"[Executor.run] expected a paddle.static.Scope as scope, got "
                f"{type(scope).__name__}"
            )
        if '_loaders' in program.__dict__:
            from paddle.base.reader import with_batches

            feed = with_batches(program, feed)
        scope = _scope.global_scope() if scope is None else scope
        if use_prune and fetch_list is not None and _program.writes(program):
            only(
                'Executor.run',
                'the program also writes tensors, and all of it runs',
                use_prune=(use_prune, False),
            )
        scope._lend(program)
        scope._ran(program)
        startup.run(program)
        written = _program.writes(program)
        if not fetch_list and '_fetched' in program.__dict__:
            from paddle.static.legacy_feeds import fetched

            fetch_list = fetched(program)
        asked = None if fetch_list is None else self._asked(program, fetch_list)
        fetches = self._values(asked)
        sequences = (
            [] if return_numpy or not fetches else [lod.of(program, value) for value in fetches]
        )
        if any(sequences):
            fetches += [offsets for levels in sequences for offsets in levels]
        wanted = None if fetches is None else len(fetches)
        if written:
            fetches = [*(fetches or ()), *(value for _, value in written)]
            wanted = wanted or 0
        with _program.running():
            plan, declared = self._plan(program, fetches, fuse)
            inputs = [_input(name, feed, declared[name]) for name in plan.input_names]
            others = _other_extents(declared, plan.input_names, inputs)
            if others:
                _warn_of_other_extents(others, declared, dict(zip(plan.input_names, inputs)))
                plan, _ = self._plan(program, fetches, fuse, others)
            if len(feed) > len(inputs):
                _warn_of_unknown(feed, declared)
            if '_rates' in program.__dict__:
                optimize.set_rates(program)
            results = plan.run(inputs)
            if written:
                for (tensor, _), result in zip(written, results[wanted:]):
                    _core.pir._write_back(tensor, result)
                results = results[:wanted]
            for at, result in enumerate(results):
                if result is None:
                    raise ValueError(
                        f"[Executor.run] expected results that are computed, got none for "
                        f"fetch_list[{at}]: its operation leaves it out"
                    )
            if any(map(_is_array, asked or ())):
                return _by_array(asked, results, return_numpy)
            if return_numpy:
                return [r.numpy() for r in results]
            return lod.attached(results, sequences or [[]] * len(results))

    def train_from_dataset(
        self,
        program=None,
        dataset=None,
        scope=None,
        thread=0,
        debug=False,
        fetch_list=None,
        fetch_info=None,
        print_period=100,
        fetch_handler=None,
    ):
        """Run a program on each batch of a data set.

        Args:
            program (Program or CompiledProgram, default None): The program; None for the default
                main program.
            dataset (DatasetBase, default None): An `InMemoryDataset` or `QueueDataset` of
                `paddle.distributed`, with the program's inputs as its `use_var`.
            scope (Scope, default None): Where the variables are; None for `global_scope()`.
            thread (int, default 0): Taken for compatibility: batches run one after another, each on
                all threads.
            debug (bool, default False): Whether the time of each batch is printed.
            fetch_list (list of Tensors, default None): Values that are printed; None for none.
            fetch_info (list of str, default None): What they are called there; None for their
                names.
            print_period (int, default 100): After how many batches they are printed.
            fetch_handler (FetchHandler, default None): Gets values each `period_secs`, in place of
                printing; None for none.

        Raises:
            RuntimeError: There is no dataset, or a command of it failed.
            ValueError: A line of a file is not as the variables want it.

        Examples:
            >>> paddle.enable_static()
            >>> with open("train.txt", "w") as file:  # a count and numbers, for each input
            ...     _ = file.write("1 1.0 1 2.0\\n1 2.0 1 4.0\\n" * 50)
            >>> main, startup = paddle.static.Program(), paddle.static.Program()
            >>> with paddle.static.program_guard(main, startup):
            ...     x = paddle.static.data("x", [None, 1])
            ...     y = paddle.static.data("y", [None, 1])
            ...     loss = paddle.mean((paddle.static.nn.fc(x, 1) - y) ** 2)
            ...     _ = paddle.optimizer.SGD(0.1).minimize(loss)
            >>> data = paddle.distributed.InMemoryDataset()
            >>> data.init(batch_size=2, use_var=[x, y])
            >>> data.set_filelist(["train.txt"])
            >>> data.load_into_memory()
            >>> exe = paddle.static.Executor()
            >>> _ = exe.run(startup)
            >>> exe.train_from_dataset(main, data)
            >>> feed = {"x": [[3.0]], "y": [[6.0]]}
            >>> bool(exe.run(main, feed=feed, fetch_list=[loss])[0] < 0.05)
            True
        """
        from paddle.static.dataset_runs import run

        run(
            self,
            'Executor.train_from_dataset',
            program,
            dataset,
            scope,
            thread,
            debug,
            fetch_list,
            fetch_info,
            print_period,
            fetch_handler,
        )

    def infer_from_dataset(
        self,
        program=None,
        dataset=None,
        scope=None,
        thread=0,
        debug=False,
        fetch_list=None,
        fetch_info=None,
        print_period=100,
        fetch_handler=None,
    ):
        """Run a program on each batch of a data set, as `train_from_dataset`.

        Args:
            program (Program or CompiledProgram, default None): The program; None for the default
                main program.
            dataset (DatasetBase, default None): An `InMemoryDataset` or `QueueDataset` of
                `paddle.distributed`, with the program's inputs as its `use_var`.
            scope (Scope, default None): Where the variables are; None for `global_scope()`.
            thread (int, default 0): Taken for compatibility: batches run one after another, each on
                all threads.
            debug (bool, default False): Whether the time of each batch is printed.
            fetch_list (list of Tensors, default None): Values that are printed; None for none.
            fetch_info (list of str, default None): What they are called there; None for their
                names.
            print_period (int, default 100): After how many batches they are printed.
            fetch_handler (FetchHandler, default None): Gets values each `period_secs`, in place of
                printing; None for none.

        Raises:
            RuntimeError: There is no dataset, or a command of it failed.
            ValueError: A line of a file is not as the variables want it.

        Examples:
            >>> paddle.enable_static()
            >>> with open("test.txt", "w") as file:
            ...     _ = file.write("2 1.0 2.0\\n2 3.0 4.0\\n")
            >>> main = paddle.static.Program()
            >>> with paddle.static.program_guard(main):
            ...     x = paddle.static.data("x", [None, 2])
            ...     total = paddle.sum(x, axis=1)
            >>> data = paddle.distributed.QueueDataset()
            >>> data.init(batch_size=2, use_var=[x])
            >>> data.set_filelist(["test.txt"])
            >>> paddle.static.Executor().infer_from_dataset(
            ...     main, data, fetch_list=[total], fetch_info=["total"],
            ...     print_period=1)  # doctest: +ELLIPSIS
            time: [...], batch: [1], total[2]:[3 7]
        """
        from paddle.static.dataset_runs import run

        run(
            self,
            'Executor.infer_from_dataset',
            program,
            dataset,
            scope,
            thread,
            debug,
            fetch_list,
            fetch_info,
            print_period,
            fetch_handler,
        )

    @staticmethod
    def _asked(program, fetch_list):
        """What is fetched, without names."""
        variable = program.global_block().var
        return [variable(i) if isinstance(i, str) else i for i in _each(fetch_list)]

    @staticmethod
    def _values(asked):
        """The values fetched, those of arrays one by one."""
        if asked is None:
            return None
        values = []
        for item in asked:
            if _is_array(item):
                values.extend(item.held())
            else:
                values.append(item if isinstance(item, _core.Tensor) else None)
                if values[-1] is None:
                    raise TypeError(
                        f"[Executor.run] expected values or names in fetch_list, got "
                        f"{type(item).__name__}"
                    )
        return values

    @staticmethod
    def _plan(program, fetches, fuse, extents=None):
        plans = program.__dict__.setdefault('_plans', {})
        key = (program._epoch, fuse, None if fetches is None else tuple(map(program._key, fetches)))
        if extents:
            key = (*key, *((name, *shape) for name, shape in extents.items()))
        if program._epoch != key[0]:  # a fetched tensor was not part of the program until now
            key = (program._epoch, *key[1:])
        found = plans.get(key)
        if found is None:
            for old in [k for k in plans if k[0] != key[0]]:
                del plans[old]
            declared = {}
            for op in program._operations():
                if op.name() == 'pd_op.data':
                    attrs = op.attrs()
                    declared[attrs['name']] = (list(attrs['shape']), attrs['dtype'])
            found = plans[key] = (_core.pir.Plan(program, fetches, fuse, extents or {}), declared)
        return found
