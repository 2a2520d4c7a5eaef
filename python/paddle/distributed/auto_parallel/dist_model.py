# SPDX-License-Identifier: Apache-2.0
"""`DistModel`: steps on distributed tensors as compiled programs of this process."""

import functools
import operator

import paddle
from paddle.amp import GradScaler, auto_cast
from paddle.base import libpaddle as core

from ..parallel import get_rank
from .api import whole_of
from .meshes import everywhere, union_of
from .pipeline_schedule import Schedule, stage_meshes
from .shard import ShardingStage1, ShardingStage2, ShardingStage3, shard_optimizer
from .strategy import Strategy

__all__ = ['DistModel', 'to_static']

_STAGES = {1: ShardingStage1, 2: ShardingStage2, 3: ShardingStage3}


class DistModel:
    """A layer with its loss and optimizer, whose steps run as compiled programs.

    What is recorded is the program of this process: operations on parts of distributed tensors, and
    the communication between. It is recorded anew where something that it depends on has changed,
    as with `paddle.jit.to_static(full_graph=True)`. `paddle.distributed.to_static` makes it.

    Args:
        layer (Layer): Its parameters are distributed tensors, or the same on all processes.
        loader (object): Kept: steps take what they are called with.
        loss (Layer or callable, default None): `loss(output, label)`, a scalar; None for none.
        optimizer (Optimizer, default None): What updates the parameters; None for none.
        strategy (Strategy, default None): Sharding, half precision, merged gradients.
        metrics (Metric or list of Metric, default None): What steps that compute the loss tell:
            `compute(output, label)` is part of the step, and `update` gets its results, whole, on
            every process. `accumulate()` and `reset()` are the caller's.
        input_spec (list, default None): Specs with `shape` and `dtype` that arguments are checked
            against, in their order; lists in it are flattened.

    Raises:
        NotImplementedError: A schedule of pipelines that is not here.
        TypeError: layer is no Layer, optimizer no Optimizer, or metrics has something else.
        ValueError: A strategy that does not fit the meshes of the parameters.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], ['x'])
        >>> layer = dist.shard_layer(paddle.nn.Linear(4, 1), mesh)
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        >>> model = dist.to_static(layer, loss=paddle.nn.MSELoss(), optimizer=optimizer)
        >>> isinstance(model, dist.DistModel)
        True
        >>> x = dist.shard_tensor(paddle.ones([8, 4]), mesh, [dist.Shard(0)])
        >>> y = dist.shard_tensor(paddle.zeros([8, 1]), mesh, [dist.Shard(0)])
        >>> losses = [float(model(x, y)) for _ in range(4)]
        >>> losses[-1] < losses[0]
        True
        >>> model.predict()
        >>> model(x).shape
        paddle.Size([8, 1])
    """

    def __init__(
        self, layer, loader, loss=None, optimizer=None, strategy=None, metrics=None, input_spec=None
    ):
        if not isinstance(layer, paddle.nn.Layer):
            raise TypeError(f'[DistModel] expected a Layer, got {type(layer).__name__}')
        if loss is not None and not callable(loss):
            raise TypeError(f'[DistModel] expected a function as loss, got {type(loss).__name__}')
        if optimizer is not None and not isinstance(optimizer, paddle.optimizer.Optimizer):
            raise TypeError(f'[DistModel] expected an Optimizer, got {type(optimizer).__name__}')
        metrics = _flat(metrics)
        for one in metrics:
            if not isinstance(one, paddle.metric.Metric):
                raise TypeError(f'[DistModel] expected a Metric, got {type(one).__name__}')
        strategy = Strategy() if strategy is None else strategy
        if not isinstance(strategy, Strategy):
            raise TypeError(f'[DistModel] expected a Strategy, got {type(strategy).__name__}')
        self._layer, self._loader, self._loss = layer, loader, loss
        self._optimizer, self._strategy, self._metrics = optimizer, strategy, metrics
        self._specs = _flat(input_spec)
        self._steps, self._last = {}, {}  # by mode, and whether parameters are updated; by mode
        self._calls = 0
        self._prepare()
        if loss is not None and optimizer is not None:
            self.train()
        elif loss is not None:
            self.eval()
        else:
            self.predict()

    def _prepare(self):
        """What the strategy asks for before the first step."""
        strategy = self._strategy
        if strategy.pipeline.enable:
            self._check_pipeline(strategy.pipeline)
        merge = strategy.gradient_merge
        if merge.enable and (not isinstance(merge.k_steps, int) or merge.k_steps < 1):
            raise ValueError(f'[DistModel] expected k_steps of 1 or more, got {merge.k_steps!r}')
        if strategy.sharding.enable and self._optimizer is not None:
            stage = strategy.sharding.stage
            if stage not in _STAGES:
                raise ValueError(f'[DistModel] expected sharding stage 1, 2 or 3, got {stage!r}')
            shard_optimizer(self._optimizer, _STAGES[stage](self._sharding_axis()))
        amp = strategy.amp
        if amp.enable and amp.dtype not in ('float16', 'bfloat16'):
            raise ValueError(f'[DistModel] expected half precision, got {amp.dtype!r}')
        self._scaler = None
        if amp.enable and amp.dtype == 'float16':
            self._scaler = GradScaler(
                init_loss_scaling=amp.init_loss_scaling,
                incr_ratio=amp.incr_ratio,
                decr_ratio=amp.decr_ratio,
                incr_every_n_steps=amp.incr_every_n_steps,
                decr_every_n_nan_or_inf=amp.decr_every_n_nan_or_inf,
                use_dynamic_loss_scaling=amp.use_dynamic_loss_scaling,
            )

    def _check_pipeline(self, pipeline):
        if pipeline.schedule_mode not in ('FThenB', '1F1B') or pipeline.vpp_degree > 1:
            raise NotImplementedError(
                "[DistModel] expected the schedule 'FThenB' or '1F1B' of stages that are not "
                f'divided further, got {pipeline.schedule_mode!r} and vpp_degree '
                f'{pipeline.vpp_degree}'
            )
        if not isinstance(pipeline.accumulate_steps, int) or pipeline.accumulate_steps < 1:
            raise ValueError(
                '[DistModel] expected accumulate_steps of 1 or more, got '
                f'{pipeline.accumulate_steps!r}'
            )
        meshes = set(self._meshes())
        most = max((mesh.size for mesh in meshes), default=1)
        # Parameters that stages share are on a mesh of all.
        stages = len([m for m in meshes if m.size < most]) if len(meshes) > 2 else len(meshes)
        if pipeline.pp_degree not in (1, stages):
            raise ValueError(
                f'[DistModel] expected the pp_degree of the parameters, {stages}, got '
                f'{pipeline.pp_degree}: parallelize divides a model into stages'
            )

    def _meshes(self):
        return [p.process_mesh for p in self._layer.parameters() if p.is_dist()]

    def _sharding_axis(self):
        degree = self._strategy.sharding.degree
        meshes = self._meshes()
        if not meshes:
            raise ValueError(
                '[DistModel] expected distributed parameters to divide, got dense ones: use '
                'shard_layer'
            )
        mesh = meshes[0]
        axes = [i for i, extent in enumerate(mesh.shape) if extent == degree]
        named = [i for i in axes if mesh.dim_names[i] == 'dp']
        if not axes:
            raise ValueError(
                f'[DistModel] expected an axis of {degree} processes for sharding, got a mesh of '
                f'shape {mesh.shape}'
            )
        return (named or axes)[0]

    def train(self):
        """Calls compute the loss and update the parameters.

        Raises:
            RuntimeError: There is no loss or no optimizer.

        Examples:
            >>> import paddle
            >>> import paddle.distributed as dist
            >>> layer = paddle.nn.Linear(4, 1)
            >>> sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
            >>> model = dist.to_static(layer, loss=paddle.nn.MSELoss(), optimizer=sgd)
            >>> model.eval()
            >>> model.train()
            >>> layer.training
            True
        """
        if self._loss is None or self._optimizer is None:
            raise RuntimeError('[DistModel.train] expected a loss and an optimizer, got none')
        self._mode = 'train'
        self._layer.train()

    def eval(self):
        """Calls compute the loss.

        Raises:
            RuntimeError: There is no loss.

        Examples:
            >>> import paddle
            >>> import paddle.distributed as dist
            >>> model = dist.to_static(paddle.nn.Linear(4, 1), loss=paddle.nn.MSELoss())
            >>> model.eval()
            >>> model(paddle.zeros([8, 4]), paddle.zeros([8, 1])).shape
            paddle.Size([])
        """
        if self._loss is None:
            raise RuntimeError('[DistModel.eval] expected a loss, got none')
        self._mode = 'eval'
        self._layer.eval()

    def predict(self):
        """Calls compute the output of the layer.

        Examples:
            >>> import paddle
            >>> import paddle.distributed as dist
            >>> model = dist.to_static(paddle.nn.Linear(4, 1))
            >>> model.predict()
            >>> model(paddle.zeros([8, 4])).shape
            paddle.Size([8, 1])
        """
        self._mode = 'predict'
        self._layer.eval()

    def __call__(self, *args):
        """One step on a batch: `(*inputs, label)`, or the inputs to predict.

        Returns the loss or the outputs, dense and whole on every process.
        """
        self._check(args)
        key = self._mode, self._mode == 'train' and self._updates_now()
        step = self._steps.get(key)
        if step is None:
            step = self._step(*key)
            # A branch of a program cannot write distributed tensors: dynamic scaling runs as it is.
            if self._scaler is None or self._mode != 'train':
                step = paddle.jit.to_static(step, full_graph=True)
            self._steps[key] = step
        self._last[self._mode] = step
        if self._mode == 'predict' or not self._metrics:
            return step(*args)
        loss, told = step(*args)
        for results in told:
            for metric, computed in zip(self._metrics, results):
                metric.update(*(computed if isinstance(computed, (list, tuple)) else [computed]))
        return loss

    def _updates_now(self):
        """Whether this call updates the parameters."""
        merge = self._strategy.gradient_merge
        if not merge.enable or merge.k_steps == 1:
            return True
        self._calls += 1
        return self._calls % merge.k_steps == 0

    def _check(self, args):
        if self._mode != 'predict' and len(args) < 2:
            raise ValueError(
                f'[DistModel] expected inputs and a label to {self._mode}, got {len(args)} argument'
            )
        if self._specs:
            leaves = _flat(args)
            if self._mode != 'predict' and len(leaves) != len(self._specs):
                raise ValueError(
                    f'[DistModel] expected {len(self._specs)} tensors as input_spec says, got '
                    f'{len(leaves)}'
                )
            for i, (tensor, spec) in enumerate(zip(leaves, self._specs)):
                shape = list(spec.shape)
                fits = len(shape) == tensor.ndim and all(
                    want in (None, -1) or want == got for want, got in zip(shape, tensor.shape)
                )
                if not fits or _dtype(spec) != tensor.dtype:
                    raise ValueError(
                        f'[DistModel] expected argument {i} of shape {shape} and dtype '
                        f'{spec.dtype}, as input_spec says, got {tensor.shape}, {tensor.dtype}'
                    )

    def _step(self, mode, updates):
        """The function that is recorded."""
        layer, loss, optimizer = self._layer, self._loss, self._optimizer
        scaler, amp, merge = self._scaler, self._strategy.amp, self._strategy.gradient_merge
        pipeline, meshes = self._strategy.pipeline, self._meshes()
        pieces = pipeline.accumulate_steps if pipeline.enable and mode == 'train' else 1
        mesh, rank = union_of(meshes) if meshes else None, get_rank()
        schedule = Schedule(pipeline.schedule_mode, stage_meshes(meshes), rank, pieces)
        share = 1.0 / merge.k_steps if merge.enable and merge.avg else 1.0
        metrics = self._metrics

        def forward(given):
            if not amp.enable:
                return compute(given)
            with auto_cast(
                True,
                amp.custom_white_list or None,
                amp.custom_black_list or None,
                amp.level.upper(),
                amp.dtype,
                amp.use_promote,
            ):
                return compute(given)

        def compute(given):
            if mode == 'predict':
                return layer(*given), None
            output = layer(*given[:-1])
            with paddle.no_grad():
                told = [metric.compute(output, given[-1]) for metric in metrics]
            return loss(output, given[-1]), told

        def backward(loss):
            part = loss if pieces == 1 else loss / pieces
            part = part if share == 1.0 else part * share
            (part if scaler is None else scaler.scale(part)).backward()

        def step(*given):
            # The stages of a pipeline work at the same time on micro batches.
            given, under_way, losses = _micro_batches(given, pieces, rank), {}, []
            told = {}  # what metrics compute of each micro batch

            def ahead(i):
                under_way[i], told[i] = forward(given[i])
                losses.append(under_way[i].detach() if mode == 'train' else under_way[i])

            if mode == 'train':
                schedule.run(ahead, lambda i: backward(under_way.pop(i)))
            else:
                ahead(0)
            result = losses[0] if pieces == 1 else functools.reduce(operator.add, losses) / pieces
            if mode == 'train' and updates:
                if scaler is None:
                    optimizer.step()
                else:
                    scaler.step(optimizer)
                    scaler.update()
                optimizer.clear_grad(set_to_zero=False)
            result = _wholes(result, mesh)
            if mode == 'predict' or not metrics:
                return result
            return result, [_wholes(told[i], mesh) for i in range(pieces)]

        return step

    def state_dict(self, mode='all', split_fusion=True):
        """The tensors of the layer and the optimizer by name, as they are distributed.

        Args:
            mode (str, optional): "param", "opt" or "all". Default: "all".
            split_fusion (bool, optional): State is never fused, so it has no effect. Default: True.

        Returns:
            dict: The tensors, not copies.

        Raises:
            ValueError: Another mode.

        Examples:
            >>> import paddle
            >>> import paddle.distributed as dist
            >>> model = dist.to_static(paddle.nn.Linear(4, 1))
            >>> sorted(model.state_dict('param'))
            ['bias', 'weight']
        """
        if mode not in ('param', 'opt', 'all'):
            raise ValueError(
                f"[DistModel.state_dict] expected 'param', 'opt' or 'all', got {mode!r}"
            )
        state = dict(self._layer.state_dict()) if mode != 'opt' else {}
        if mode != 'param' and self._optimizer is not None:
            # Before a first step too: what is loaded then is what a step goes on from.
            for param in self._optimizer._all_params():
                if not param.stop_gradient:
                    self._optimizer._bind(param)
            found = self._optimizer.state_dict()
            state.update((k, v) for k, v in found.items() if isinstance(v, paddle.Tensor))
        return state

    def set_state_dict(self, state_dict):
        """Takes values of tensors by the names that `state_dict` gives them.

        Args:
            state_dict (dict): Names and tensors; names that the model does not have are left out.

        Examples:
            >>> import paddle
            >>> import paddle.distributed as dist
            >>> model = dist.to_static(paddle.nn.Linear(4, 1))
            >>> model.set_state_dict({'bias': paddle.ones([1])})
            >>> float(model.state_dict()['bias'])
            1.0
        """
        names = self._layer.state_dict()
        self._layer.set_state_dict({k: v for k, v in state_dict.items() if k in names})
        rest = {k: v for k, v in state_dict.items() if k not in names}
        if self._optimizer is not None and rest:
            self._optimizer.set_state_dict(rest)

    def dist_main_program(self, mode=None):
        """The program of this process that the last call ran.

        Args:
            mode (str, default None): "train", "eval" or "predict". Default: None, the mode of now.

        Returns:
            Program: None where no call was compiled.

        Examples:
            >>> import paddle
            >>> import paddle.distributed as dist
            >>> model = dist.to_static(paddle.nn.Linear(4, 1))
            >>> _ = model(paddle.zeros([8, 4]))
            >>> [op.name() for op in model.dist_main_program().global_block().ops][-1]
            'pd_op.add'
        """
        step = self._last.get(self._mode if mode is None else mode)
        programs = getattr(step, 'program_cache', ())
        return programs.last().main_program if len(programs) else None


def _flat(nest):
    if nest is None:
        return []
    if not isinstance(nest, (list, tuple)):
        return [nest]
    return [leaf for part in nest for leaf in _flat(part)]


def _dtype(spec):
    return spec.dtype if isinstance(spec.dtype, paddle.dtype) else getattr(paddle, str(spec.dtype))


def _wholes(result, mesh):
    """Tensors whole, on all processes of a mesh."""
    if isinstance(result, (list, tuple)):
        return type(result)([_wholes(v, mesh) for v in result])
    if isinstance(result, dict):
        return {key: _wholes(v, mesh) for key, v in result.items()}
    divided = isinstance(result, paddle.Tensor) and result.is_dist()
    if divided and mesh is not None and result.process_mesh.size < mesh.size:
        result = everywhere(result, mesh)
    return whole_of(result)


def _micro_batches(given, count, rank):
    """The arguments of a step, each of its tensors cut along the first axis: what a process has of
    them stays where it is.
    """

    def cut(value):
        if isinstance(value, (list, tuple)):
            return [type(value)(one) for one in zip(*map(cut, value))]
        if not isinstance(value, paddle.Tensor):
            return [value] * count
        shape, parts = list(value.shape), count
        if value.is_dist():
            mesh, placements = value.process_mesh, value.placements
            for extent, placement in zip(mesh.shape, placements):
                parts *= extent if placement.is_shard(0) else 1
        if not shape or shape[0] % parts:
            raise ValueError(
                f'[DistModel] expected batches that {parts} divides, for {count} micro batches, '
                f'got shape {shape}'
            )
        if not value.is_dist():
            return paddle.split(value, count)
        part, shape[0] = value._local_value(), shape[0] // count
        here = rank in mesh.process_ids
        pieces = paddle.split(part, count) if here else [part] * count
        return [core._dtensor_from_local(piece, mesh, placements, shape) for piece in pieces]

    return [given] if count == 1 else list(zip(*map(cut, given)))


def to_static(layer, loader=None, loss=None, optimizer=None, strategy=None, input_spec=None):
    """A layer, with its loss and optimizer, as a model whose steps run as compiled programs.

    Args:
        layer (Layer): Its parameters are distributed tensors (`shard_layer`, `parallelize`), or the
            same on all processes.
        loader (object, default None): Kept; batches are given in calls.
        loss (Layer or callable, default None): `loss(output, label)`, a scalar; None for none.
        optimizer (Optimizer, default None): What updates the parameters; None for none.
        strategy (Strategy, default None): Sharding, half precision, merged gradients.
        input_spec (list, default None): What arguments are checked against.

    Returns:
        DistModel: in the mode `train` with loss and optimizer, `eval` with a loss, else `predict`.

    Raises:
        TypeError: layer is no Layer, or optimizer no Optimizer.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], ['x'])
        >>> layer = dist.shard_layer(paddle.nn.Linear(4, 2), mesh)
        >>> model = dist.to_static(layer)
        >>> x = dist.shard_tensor(paddle.ones([6, 4]), mesh, [dist.Shard(0)])
        >>> model(x).shape
        paddle.Size([6, 2])
    """
    return DistModel(layer, loader, loss, optimizer, strategy, input_spec=input_spec)
