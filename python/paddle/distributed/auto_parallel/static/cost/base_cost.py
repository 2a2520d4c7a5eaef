# SPDX-License-Identifier: Apache-2.0
"""The cost of an operation: time in microseconds, memory in bytes, floating-point operations.

Computing takes as long as the operations at the device's speed or the bytes at its memory's,
whichever is more. A message takes a latency and its bytes at the bandwidth of the slowest link.
"""

import math

import numpy as np

from paddle.base.framework import dtype_name

__all__ = ['CommContext', 'CommOpCost', 'CompOpCost', 'Cost', 'OpCost', 'build_comm_desc']

_MEMORY_GB = {'GPU': 900.0, 'CPU': 100.0}  # GB/s, where the cluster does not say


def _checked(name, value):
    if value < 0:
        raise ValueError(f'[Cost] expected {name} of at least 0, got {value}')
    return value


class Cost:
    """Time, memory and operations; costs add up, and time alone may be taken off."""

    def __init__(self, time=0, memory=0, flops=0):
        self.time, self.memory = _checked('time', time), _checked('memory', memory)
        self.flops = _checked('flops', flops)

    def __add__(self, other):
        return Cost(self.time + other.time, self.memory + other.memory, self.flops + other.flops)

    def __sub__(self, other):
        return Cost(self.time - other.time, self.memory - other.memory, self.flops - other.flops)


def _elements(shape):
    return math.prod(max(int(d), 1) if d is not None else 1 for d in shape)


def _item_size(dtype):
    name = dtype_name(dtype)
    return 2 if name == 'bfloat16' else 1 if name.startswith('float8') else np.dtype(name).itemsize


def _bytes(slots):
    return sum(
        _elements(shape) * _item_size(dtype) for pairs in slots.values() for dtype, shape in pairs
    )


def _desc_of(op):
    """What an operation of a program computes on, as a description."""

    def pairs(values):
        return [(v.dtype, list(v.shape)) for v in values if v is not None]

    name = op.type if isinstance(getattr(op, 'type', None), str) else op.name()
    name = name.split('.')[-1]
    return {
        'op': name,
        'inputs': dict(zip(('X', 'Y', 'Z'), ([p] for p in pairs(op.operands_source())))),
        'outputs': {'Out': pairs(op.results())},
        'attrs': dict(op.attrs()) if hasattr(op, 'attrs') else {},
    }


class OpCost:
    """The cost of one operation, given as an operation of a program or as a description."""

    OP_TYPE = None

    def __init__(self, op=None, op_desc=None):
        if op is not None and op_desc is None:
            op_desc = _desc_of(op)
        self.op, self.op_desc, self._cost = op, op_desc, None
        if op_desc is not None and self.OP_TYPE is not None and op is None:
            if op_desc.get('op', self.OP_TYPE) != self.OP_TYPE:
                raise TypeError(
                    f'[{type(self).__name__}] expected a description of {self.OP_TYPE}, got one '
                    f'of {op_desc["op"]}'
                )

    @property
    def cost(self):
        """Time, memory and operations."""
        if self._cost is None:
            self._cost = self.calc_cost()
        return self._cost

    @property
    def time(self):
        """Microseconds."""
        return self.cost.time

    @property
    def memory(self):
        """Bytes of results."""
        return self.cost.memory

    @property
    def flops(self):
        """Floating-point operations."""
        return self.cost.flops

    def calc_cost(self):
        """Compute the cost."""
        return Cost(self.calc_time(), self.calc_memory(), self.calc_flops())

    def calc_memory(self):
        """The bytes of the results."""
        return 0 if self.op_desc is None else _bytes(self.op_desc.get('outputs') or {})


class CompOpCost(OpCost):
    """The cost of computing on the device of `rank` in `cluster`; without a cluster on a default
    one. An operation that is not given costs nothing."""

    def __init__(self, op=None, op_desc=None, cluster=None, rank=None):
        super().__init__(op, op_desc)
        self.cluster, self.rank = cluster, rank

    def _device(self):
        from paddle.distributed.auto_parallel.static.cluster import Cluster

        if self.cluster is None:
            self.cluster = Cluster()
            self.cluster.gen_default_config_cluster()
        return self.cluster.get_device(self.cluster.rank_to_device_id[self.rank or 0])

    def _inputs(self):
        return (self.op_desc or {}).get('inputs') or {}

    def get_rank_gflops(self, rank, dtype):
        """The speed of the device of a rank for a dtype, in Gflop/s."""
        device = self.cluster.get_device(self.cluster.rank_to_device_id[rank])
        width = _item_size(dtype)
        speed = {8: device.dp_gflops, 2: device.hp_gflops}.get(width, device.sp_gflops)
        return speed or device.sp_gflops

    def calc_flops(self):
        """The operations of its kind on its shapes."""
        from paddle.utils.flops import flops

        shapes = {k: [list(shape) for _, shape in v] for k, v in self._inputs().items()}
        if not shapes:
            return 0
        return flops(self.OP_TYPE, shapes, self.op_desc.get('attrs') or {})

    def calc_time(self):
        """By operations or by bytes, whichever takes longer."""
        inputs = self._inputs()
        if not inputs:
            return 0.0
        device = self._device()
        dtype = next(dtype for pairs in inputs.values() for dtype, _ in pairs)
        moved = _bytes(inputs) + self.calc_memory()
        speed = self.get_rank_gflops(self.rank or 0, dtype) * 1e3
        memory = _MEMORY_GB.get(device.type.name, _MEMORY_GB['CPU']) * 1e3
        return max(self.calc_flops() / speed, moved / memory)


class CommContext:
    """What messages cost in a cluster. The first one made is the only one."""

    _instance = None
    _has_instance = False

    def __new__(cls, cluster):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        elif cls._has_instance and not isinstance(cluster, type(cls._instance.cluster)):
            raise TypeError(f'[CommContext] expected a Cluster, got {type(cluster).__name__}')
        return cls._instance

    def __init__(self, cluster):
        if CommContext._has_instance:
            return
        CommContext._has_instance = True
        from paddle.distributed.auto_parallel.static.cluster import AlphaLatency

        self.cluster, self.beta, self.hops = cluster, {}, {}
        latency = cluster.alpha_latency or AlphaLatency()
        for kind in ('base', 'intra', 'inter'):
            for form in ('ring', 'tree'):
                setattr(self, f'{kind}_{form}', latency.of(kind, form))
        self.switch = latency.of('switch')

    def _most(self, ranks, kept, function):
        key = tuple(sorted(ranks))
        if key not in kept:
            ids = self.cluster.convert_rank_to_device_id(key)
            kept[key] = max((function(a, b) for a in ids for b in ids if a != b), default=0)
        return kept[key]

    def get_max_beta(self, ranks):
        """Microseconds a byte takes on the slowest link between the ranks."""
        return self._most(ranks, self.beta, self.cluster.get_beta)

    def get_hops(self, ranks):
        """The switches a message passes between the ranks, at most."""
        return self._most(ranks, self.hops, self.cluster.get_hop)


class CommOpCost(OpCost):
    """The cost of a message between the ranks of a group."""

    def __init__(self, op=None, op_desc=None, comm_context=None):
        super().__init__(op, op_desc)
        if comm_context is None:
            raise ValueError(f'[{type(self).__name__}] expected comm_context, got None')
        self.comm_context = comm_context

    @property
    def group_ranks(self):
        """The ranks of the group."""
        return self.op_desc['group_ranks']

    @property
    def rank_count(self):
        """How many they are."""
        return len(self.group_ranks)

    @property
    def comm_count(self):
        """The bytes of the message."""
        return _bytes(self.op_desc['inputs'])

    @property
    def hops(self):
        """The switches on the way."""
        return self.comm_context.get_hops(self.group_ranks)

    @property
    def machine_count(self):
        """How many machines the group stands in."""
        cluster = self.comm_context.cluster
        return cluster.get_involved_machine_count(
            cluster.convert_rank_to_device_id(self.group_ranks)
        )

    def _step(self, form='ring'):
        """The latency of one step."""
        c = self.comm_context
        between = getattr(c, f'{"inter" if self.machine_count > 1 else "intra"}_{form}')
        return between + self.hops * c.switch

    def _transfer(self, share=1.0):
        return share * self.comm_count * self.comm_context.get_max_beta(self.group_ranks)

    def _ring(self, rounds):
        """Each of `rounds` passes hands every part once around the ring."""
        n = self.rank_count
        if n < 2:
            return 0.0
        steps = rounds * (n - 1)
        return self.comm_context.base_ring + steps * self._step() + self._transfer(steps / n)

    def calc_flops(self):
        """None."""
        return 0


def build_comm_desc(op_type, group_ranks, dtype, shape, attrs=None):
    """The description of a message: its operation, ranks, dtype and shape.

    Args:
        op_type (str): The operation, as `c_allreduce_sum`.
        group_ranks (list of ints): The ranks of the group.
        dtype (dtype): The dtype of the tensor.
        shape (list of ints): The shape of the tensor.
        attrs (dict, default None): Attributes of the operation.

    Returns:
        dict: the description.

    Examples:
        >>> from paddle.distributed.auto_parallel.static.cost import build_comm_desc
        >>> build_comm_desc('send_v2', [0, 1], paddle.float32, [2, 3])['group_ranks']
        [0, 1]
    """
    return {
        'op': op_type,
        'group_ranks': group_ranks,
        'inputs': {'X': [(dtype, shape)]},
        'attrs': attrs,
    }
