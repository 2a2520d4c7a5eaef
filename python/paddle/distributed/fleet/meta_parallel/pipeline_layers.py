# SPDX-License-Identifier: Apache-2.0
"""Models as lists of layers that stages of a pipeline share."""

import functools

import paddle
import paddle.distributed as dist
from paddle.base.arguments import only
from paddle.distributed.communication import ReduceOp
from paddle.nn import Layer

__all__ = ['LayerDesc', 'PipelineLayer', 'SharedLayerDesc']


class LayerDesc:
    """A layer that is made by the stage that has it: its class and arguments."""

    def __init__(self, layer_func, *inputs, **kwargs):
        if not (isinstance(layer_func, type) and issubclass(layer_func, Layer)):
            raise TypeError(f'[LayerDesc] expected a class of layers, got {layer_func!r}')
        self.layer_func, self.inputs, self.kwargs = layer_func, inputs, kwargs

    def build_layer(self, **extra_kwargs):
        """The layer."""
        return self.layer_func(*self.inputs, **{**self.kwargs, **extra_kwargs})

    def __repr__(self):
        words = [*map(str, self.inputs), *(f'{k}={v}' for k, v in self.kwargs.items())]
        return f'{self.layer_func.__name__}({", ".join(words)})'


class SharedLayerDesc(LayerDesc):
    """A layer that stands at several places, under one key. The parameters `shared_weight_attr` are
    the same everywhere; `forward_func(layer, x)` is what it does here, by default its forward.
    """

    def __init__(
        self, key, layer_func, forward_func=None, shared_weight_attr='weight', *inputs, **kwargs
    ):
        super().__init__(layer_func, *inputs, **kwargs)
        self.layer_name, self.forward_func = key, forward_func
        names = shared_weight_attr
        self.shared_weight_attr = [names] if isinstance(names, str) else list(names)


def bounds(layers, parts, method):
    """Where the stages begin, and the end: even parts of all layers for 'uniform', of those of a
    class for 'layer:Class', or a list of the bounds themselves.
    """
    count = len(layers)
    assert count >= parts, f'[PipelineLayer] expected at least {parts} layers, got {count}'
    if isinstance(method, (list, tuple)):
        assert len(method) == parts + 1 and method[0] == 0 and method[-1] == count, (
            f'[PipelineLayer] expected bounds of {parts} parts from 0 to {count}, got {method}'
        )
        return list(method)
    if method == 'uniform':
        each, longer = divmod(count, parts)  # the last ones are longer
        return [each * i + max(i - parts + longer, 0) for i in range(parts + 1)]
    if not (isinstance(method, str) and method.startswith('layer:')):
        raise ValueError(
            f"[PipelineLayer] expected seg_method 'uniform', 'layer:Class' or a list of bounds, "
            f'got {method!r}'
        )
    wanted = method.partition(':')[2]
    found = [i for i, layer in enumerate(layers) if _class_name(layer) == wanted]
    assert found and len(found) % parts == 0, (
        f'[PipelineLayer] expected a number of {wanted} layers that {parts} divides, got '
        f'{len(found)}'
    )
    each = len(found) // parts
    return [0, *(found[each * i - 1] + 1 for i in range(1, parts)), count]


def _class_name(layer):
    kind = layer.layer_func if isinstance(layer, LayerDesc) else type(layer)
    return kind.__name__


class PipelineLayer(Layer):
    """A model of layers one after another, of which this process makes those of its stage. `layers`
    has layers, functions and descriptions of layers. With `recompute_interval` so many layers at a
    time are recomputed by backward, as `recompute_hybrid` with `recompute_ctx` does. With
    `num_virtual_pipeline_stages` each stage has so many runs of layers (chunks): a micro batch goes
    through all stages as often.
    """

    def __init__(
        self,
        layers,
        num_stages=None,
        topology=None,
        loss_fn=None,
        seg_method='uniform',
        recompute_interval=0,
        recompute_ctx=None,
        num_virtual_pipeline_stages=None,
        use_cudagraph=False,
        use_dualpipev=False,
    ):
        super().__init__()
        only(
            'PipelineLayer',
            'layers run as they are',
            use_cudagraph=(use_cudagraph, False),
            use_dualpipev=(use_dualpipev, False),
        )
        if num_stages is None and topology is None:
            raise ValueError('[PipelineLayer] expected num_stages or topology, got neither')
        if loss_fn is not None and not callable(loss_fn):
            raise ValueError(
                f'[PipelineLayer] expected a function as loss_fn, got {type(loss_fn).__name__}'
            )
        if topology is None:
            from .. import get_hybrid_communicate_group

            topology = get_hybrid_communicate_group().topology()
        stages = topology.get_dim('pipe')
        assert num_stages in (None, stages), (
            f'[PipelineLayer] expected num_stages {stages}, as the topology has, got {num_stages}'
        )
        self._topo, self._num_stages = topology, stages
        self._num_virtual_stages = 1
        if num_virtual_pipeline_stages is not None:
            assert num_virtual_pipeline_stages >= 1, (
                '[PipelineLayer] expected num_virtual_pipeline_stages of at least 1, got '
                f'{num_virtual_pipeline_stages}'
            )
            self._num_virtual_stages = int(num_virtual_pipeline_stages)
        self._loss_fn = loss_fn
        self._recompute_interval = recompute_interval
        self._recompute_ctx = recompute_ctx
        self._layers_desc = list(layers)
        parts = stages * self._num_virtual_stages
        self.segment_parts = bounds(self._layers_desc, parts, seg_method)
        self._stage_id = topology.get_coord(dist.get_rank()).pipe
        self.shared_layers = paddle.nn.LayerDict()
        self._chunks = []
        for part in range(self._stage_id, parts, stages):
            indices = range(*self.segment_parts[part : part + 2])
            self._chunks.append([self._made(i, self._layers_desc[i]) for i in indices])
        self.run_function = self._chunks[0]
        self.shared_comm = self._shared_groups()
        self._synchronize_shared_weights()

    def _made(self, index, desc):
        if isinstance(desc, SharedLayerDesc):
            if desc.layer_name not in self.shared_layers:
                self.shared_layers[desc.layer_name] = desc.build_layer()
            layer = self.shared_layers[desc.layer_name]
            if desc.forward_func is None:
                return layer
            return lambda *inputs: desc.forward_func(layer, *inputs)
        layer = desc.build_layer() if isinstance(desc, LayerDesc) else desc
        if isinstance(layer, Layer):
            self.add_sublayer(str(index), layer)
        elif not callable(layer):
            raise TypeError(
                f'[PipelineLayer] expected layers and functions, got {type(layer).__name__}'
            )
        return layer

    def _shared_groups(self):
        """{key: (group, names of parameters)} of the shared layers of this stage. All processes
        make all groups.
        """
        stages, attributes = {}, {}
        for index, desc in enumerate(self._layers_desc):
            if isinstance(desc, SharedLayerDesc):
                stages.setdefault(desc.layer_name, set()).add(self.get_stage_from_index(index))
                attributes[desc.layer_name] = desc.shared_weight_attr
        found = {}
        for key in sorted(stages):
            if len(stages[key]) < 2:
                continue
            for line in self._topo.get_comm_list('pipe'):
                group = dist.new_group([line[s] for s in sorted(stages[key])])
                if dist.get_rank() in group.ranks:
                    found[key] = group, attributes[key]
        return found

    def _shared_weights(self):
        """(group, parameter) of what other stages have too."""
        for key, (group, names) in self.shared_comm.items():
            for name in names:
                yield group, getattr(self.shared_layers[key], name)

    def _synchronize_shared_weights(self):
        with paddle.no_grad():
            for group, parameter in self._shared_weights():
                group.process_group.broadcast([parameter], 0)
                parameter.is_firstly_shared = group.rank == 0

    def allreduce_shared_weight_gradients(self):
        """Sum the gradients of shared parameters over the stages that have them."""
        with paddle.no_grad():
            for group, parameter in self._shared_weights():
                if parameter.grad is None:
                    parameter.grad = paddle.zeros_like(parameter)
                group.process_group.all_reduce([parameter.grad], ReduceOp.SUM)

    def get_stage_from_index(self, layer_idx):
        """The stage of a layer."""
        assert 0 <= layer_idx < len(self._layers_desc), (
            f'[PipelineLayer] expected an index below {len(self._layers_desc)}, got {layer_idx}'
        )
        parts = range(len(self.segment_parts) - 1)
        return max(i for i in parts if self.segment_parts[i] <= layer_idx) % self._num_stages

    def get_num_virtual_stages(self):
        """How many runs of layers each stage has."""
        return self._num_virtual_stages

    def forward(self, input, chunk_id=None):
        functions, every = self._chunks[chunk_id or 0], self._recompute_interval
        if not every:
            return _through(functions, input)
        from ..recompute import recompute, recompute_hybrid

        again = recompute
        if self._recompute_ctx is not None:
            again = functools.partial(recompute_hybrid, self._recompute_ctx)
        for begin in range(0, len(functions), every):
            some = functions[begin : begin + every]
            args = input if isinstance(input, tuple) else (input,)
            input = again(functools.partial(_of_many, some), *args)
        return input


def _of_many(functions, *x):
    return _through(functions, x if len(x) > 1 else x[0])


def _through(functions, x):
    for function in functions:
        x = function(*x) if isinstance(x, tuple) else function(x)
    return x
