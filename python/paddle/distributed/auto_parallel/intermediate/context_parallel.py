# SPDX-License-Identifier: Apache-2.0
"""Plans of context parallelism: the axis `sep` of a mesh divides sequences, in attention too."""

from paddle.base import libpaddle as core

from .tensor_parallel import PlanBase, each_tensor, placed_along

__all__ = ['ContextParallel', 'PrepareContextParallel']


class _Context(PlanBase):
    def __init__(self, backend='p2p'):
        assert backend in ('p2p', 'all2all'), (
            f"[{type(self).__name__}] expected backend 'p2p' or 'all2all', got {backend!r}"
        )
        self.backend = backend

    @staticmethod
    def _moved(tensor, mesh, dim):
        """The axis `dim` divided along `sep`; None: whole."""
        if tensor.ndim <= (dim or 0):
            return tensor
        return placed_along(
            'sep', tensor, mesh, core.Replicate() if dim is None else core.Shard(dim)
        )


class PrepareContextParallel(_Context):
    """A plan for `cp_config` of `parallelize`: what goes into the model is divided along `sep` at
    axis 1, its sequence.

    Args:
        backend (str, default 'p2p'): As that of the `ContextParallel` in the plan.

    Raises:
        AssertionError: backend is neither "p2p" nor "all2all".

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["sep"])
        >>> model = paddle.nn.Sequential(paddle.nn.ReLU())
        >>> plan = {"0": dist.PrepareContextParallel("all2all")}
        >>> config = {"cp_config": {"parallelize_plan": plan}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model(paddle.ones([2, 3, 4])).placements
        [Shard(dim=1)]
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        hook = self.all2all_split_input_pre_hook(process_mesh)
        layer.register_forward_pre_hook(hook, with_kwargs=True)

    def all2all_split_input_pre_hook(self, process_mesh):
        """A hook (layer, args, kwargs) before the model that divides its tensors of two axes and
        more.
        """

        def hook(layer, args, kwargs):
            def divide(t):
                return self._moved(t, process_mesh, 1)

            return each_tensor(args, divide), {k: each_tensor(v, divide) for k, v in kwargs.items()}

        return hook

    p2p_split_input_pre_hook = all2all_split_input_pre_hook


class ContextParallel(_Context):
    """A plan for `cp_config` of `parallelize`, for layers that compute attention of queries, keys
    and values [batch, sequence, heads, size], their first three arguments.

    With "all2all" heads are divided in the layer in place of the sequence; with "p2p" queries stay
    divided, and keys and values are made whole. Behind it the sequence is divided again.

    Args:
        backend (str, default 'p2p'): "p2p" or "all2all".

    Raises:
        AssertionError: backend is neither.

    Source: Jacobs and others, DeepSpeed Ulysses, https://arxiv.org/abs/2309.14509.

    Examples:
        >>> import paddle.distributed as dist
        >>> class Attention(paddle.nn.Layer):
        ...     def forward(self, q, k, v):
        ...         return paddle.nn.functional.scaled_dot_product_attention(q, k, v)
        >>> mesh = dist.ProcessMesh([0], dim_names=["sep"])
        >>> plan = {"0": dist.ContextParallel("all2all")}
        >>> config = {"cp_config": {"parallelize_plan": plan}}
        >>> model = paddle.nn.LayerList([Attention()])
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> x = paddle.ones([1, 3, 2, 4])
        >>> model[0](x, x, x).placements
        [Shard(dim=1)]
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)
        if self.backend == 'all2all':
            hook = self.all2all_reshard_pre_hook(process_mesh)
        else:
            hook = self.p2p_reshard_pre_hook(process_mesh)
        layer.register_forward_pre_hook(hook, with_kwargs=True)
        layer.register_forward_post_hook(self.all2all_reshard_post_hook(process_mesh))

    def _before(self, mesh, dims):
        names = ('query', 'key', 'value')

        def hook(layer, args, kwargs):
            args, kwargs = list(args), dict(kwargs)
            given = [args[i] for i in range(min(3, len(args)))]
            for i, t in enumerate(given):
                args[i] = self._moved(t, mesh, dims[i])
            for key, t in kwargs.items():
                for name, dim in zip(names, dims):
                    if key in (name, name[0]):
                        kwargs[key] = self._moved(t, mesh, dim)
            return tuple(args), kwargs

        return hook

    def all2all_reshard_pre_hook(self, process_mesh):
        """A hook (layer, args, kwargs) before attention that divides heads."""
        return self._before(process_mesh, (2, 2, 2))

    def p2p_reshard_pre_hook(self, process_mesh):
        """A hook (layer, args, kwargs) before attention that makes keys and values whole."""
        return self._before(process_mesh, (1, None, None))

    def all2all_reshard_post_hook(self, process_mesh):
        """A hook behind attention that divides the sequence."""
        return lambda _, __, out: each_tensor(out, lambda t: self._moved(t, process_mesh, 1))
