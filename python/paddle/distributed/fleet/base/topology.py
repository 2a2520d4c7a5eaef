# SPDX-License-Identifier: Apache-2.0
"""The ranks of a job as points of a grid with one axis for each kind of parallelism, and the
process groups along its axes.
"""

import collections
import itertools
import math

import paddle.distributed as dist
from paddle.distributed.communication.group import Group
from paddle.distributed.parallel import ParallelMode, get_rank

__all__ = ['CommunicateTopology', 'HybridCommunicateGroup', 'ParallelMode']

_HYBRID_PARALLEL_GROUP = None


class CommunicateTopology:
    """The ranks of a job as points of a grid, with an axis for each kind of parallelism.

    Args:
        hybrid_group_names (list of strs, default ['data', 'pipe', 'sharding', 'sep', 'context',
            'model']): The names of the axes; the last runs fastest.
        dims (list of ints, default [1, 1, 1, 1, 1, 1]): The size of each axis.

    Raises:
        TypeError: Not every axis has a size.

    Examples:
        >>> from paddle.distributed.fleet import CommunicateTopology
        >>> grid = CommunicateTopology(["data", "model"], [2, 2])
        >>> grid.get_rank(data=1, model=0), grid.get_coord(3)
        (2, Coordinate(data=1, model=1))
        >>> grid.get_comm_list("model")
        [[0, 1], [2, 3]]
    """

    def __init__(
        self,
        hybrid_group_names=['data', 'pipe', 'sharding', 'sep', 'context', 'model'],
        dims=[1, 1, 1, 1, 1, 1],
    ):
        if len(hybrid_group_names) != len(dims):
            raise TypeError(
                f'[CommunicateTopology] expected a size for each of {hybrid_group_names}, got '
                f'{dims}'
            )
        self._parallel_names = hybrid_group_names
        self._dims = dims
        self.coordinate = collections.namedtuple('Coordinate', hybrid_group_names)
        self._world_size = math.prod(dims)
        places = itertools.starmap(self.coordinate, itertools.product(*map(range, dims)))
        self._rank2coord = dict(enumerate(places))
        self._coord2rank = {place: rank for rank, place in self._rank2coord.items()}

    def get_hybrid_group_names(self):
        """The names of the axes."""
        return self._parallel_names

    def get_dim(self, axis_name):
        """The size of an axis."""
        return self._dims[self._parallel_names.index(axis_name)]

    get_dim_size = get_dim

    def world_size(self):
        """How many ranks there are."""
        return self._world_size

    def get_rank(self, **args):
        """The rank at a place, given by all of its coordinates."""
        assert set(args) == set(self._parallel_names), (
            f'[get_rank] expected coordinates {self._parallel_names}, got {list(args)}'
        )
        place = self.coordinate(**args)
        assert place in self._coord2rank, f'[get_rank] expected a place of the grid, got {place}'
        return self._coord2rank[place]

    def get_coord(self, rank):
        """The place of a rank, a named tuple."""
        assert rank in self._rank2coord, (
            f'[get_coord] expected a rank below {self._world_size}, got {rank}'
        )
        return self._rank2coord[rank]

    def get_axis_list(self, axis_name, index):
        """The ranks whose coordinate on an axis is `index`."""
        axis = self._parallel_names.index(axis_name)
        return [rank for rank, place in self._rank2coord.items() if place[axis] == index]

    def _lines(self, apart):
        """Ranks that agree on the coordinates of the axes `apart`, one list for each of those."""
        lines = {}
        for rank, place in self._rank2coord.items():
            lines.setdefault(tuple(place[a] for a in apart), []).append(rank)
        return list(lines.values())

    def get_comm_list(self, axis_name):
        """The lines of ranks along an axis."""
        axis = self._parallel_names.index(axis_name)
        return self._lines([a for a in range(len(self._dims)) if a != axis])

    def get_fused_ranks(self, fused_axis):
        """The ranks of the planes that `fused_axis`, names of axes, span."""
        axes = [self._parallel_names.index(name) for name in fused_axis]
        return self._lines([a for a in range(len(self._dims)) if a not in axes])

    def get_rank_from_stage(self, global_rank, **kwargs):
        """The rank at the place of `global_rank` with some coordinates replaced."""
        return self.get_rank(**self.get_coord(global_rank)._replace(**kwargs)._asdict())


class HybridCommunicateGroup:
    """The process groups of a job: for each axis of a topology the one that this process is in.

    Args:
        topology (CommunicateTopology): The grid, of as many ranks as the job has.
        hybrid_configs (object, default None): Only None.

    Raises:
        AssertionError: The job has another number of ranks.
        ValueError: hybrid_configs are given.

    Examples:
        >>> from paddle.distributed import fleet
        >>> grid = fleet.CommunicateTopology(["data", "model"], [1, 1])
        >>> groups = fleet.HybridCommunicateGroup(grid)
        >>> groups.get_data_parallel_world_size(), groups.get_model_parallel_rank()
        (1, 0)
    """

    def __init__(self, topology, hybrid_configs=None):
        global _HYBRID_PARALLEL_GROUP
        if hybrid_configs is not None:
            raise ValueError(
                f'[HybridCommunicateGroup] expected no hybrid_configs, got {hybrid_configs!r}'
            )
        self.nranks = dist.get_world_size()
        self.global_rank = get_rank()
        self._topo = topology
        assert self.nranks == topology.world_size(), (
            f'[HybridCommunicateGroup] expected a topology of {self.nranks} ranks, as the job has, '
            f'got one of {topology.world_size()}'
        )
        names = topology.get_hybrid_group_names()
        self._degrees = {name: topology.get_dim(name) for name in names}
        self._place = topology.get_coord(self.global_rank)._asdict()
        self._groups, self._by_ranks = {}, {}
        for name in names:
            self._groups[name,] = self._group_among(topology.get_comm_list(name))
        self.stage_id = self._place.get('pipe', 0)
        self.is_first_stage = self.stage_id == 0
        self.is_last_stage = self.stage_id == self._degrees.get('pipe', 1) - 1
        _HYBRID_PARALLEL_GROUP = self

    def _group_among(self, lines):
        """The group of the line that this process is on. All processes make all groups."""
        mine = None
        for ranks in lines:
            group = self._group_of(ranks)
            if self.global_rank in ranks:
                mine = group
        return mine

    def _group_of(self, ranks):
        """One group for the same ranks, whichever axes they are on."""
        key = tuple(ranks)
        if key not in self._by_ranks:
            self._by_ranks[key] = (
                dist.new_group(ranks)
                if dist.is_initialized()
                else Group(0, 0, ranks, None, '_default_pg')
            )
        return self._by_ranks[key]

    def topology(self):
        """The grid of ranks."""
        return self._topo

    def get_global_rank(self):
        """The rank of this process in the job."""
        return self.global_rank

    def get_parallel_mode(self):
        """Which `ParallelMode` the model is wrapped for: the one that needs most; None where
        nothing is divided.
        """
        for name, mode in (
            ('pipe', ParallelMode.PIPELINE_PARALLEL),
            ('model', ParallelMode.TENSOR_PARALLEL),
            ('sep', ParallelMode.SEGMENT_PARALLEL),
            ('sharding', ParallelMode.SHARDING_PARALLEL),
            ('data', ParallelMode.DATA_PARALLEL),
        ):
            if self._degrees.get(name, 1) > 1:
                return mode
        return None

    def _check_sep_exist(self):
        assert self._degrees.get('sep', 1) > 1, '[sep] expected sep_degree above 1, got 1'

    def get_stage_id(self):
        """The stage of the pipeline that this process is."""
        return self.stage_id

    def get_rank_from_stage(self, stage_id, **kwargs):
        """The rank of a stage of this process's pipeline."""
        return self._topo.get_rank_from_stage(self.global_rank, pipe=stage_id, **kwargs)

    def create_fuse_group(self, fused_strategy_list):
        """(ranks, group) of the plane that several axes span; for none (lists of) all planes."""
        assert fused_strategy_list, '[create_fuse_group] expected names of axes, got none'
        key = tuple(fused_strategy_list)
        if key not in self._groups:
            self._groups[key] = self._group_among(self._topo.get_fused_ranks(list(key)))
        group = self._groups[key]
        return group.ranks, group

    def get_dp_sep_parallel_group(self):
        """The group that `data` and `sep` span."""
        self._check_sep_exist()
        return self.create_fuse_group(['data', 'sep'])[1]

    def get_pp_mp_parallel_group(self):
        """The group that `pipe` and `model` span."""
        self._check_sep_exist()
        return self.create_fuse_group(['pipe', 'model'])[1]

    def get_check_parallel_group(self, sharding=False):
        """The group over which norms of gradients and infinities are gathered."""
        axes = ['pipe', 'sharding', 'model'] if sharding else ['pipe', 'model']
        return self.create_fuse_group([a for a in axes if a in self._degrees])[1]


def _of_axis(name):
    """The four methods of HybridCommunicateGroup about an axis."""

    def check(self):
        if name == 'sep':
            self._check_sep_exist()

    def rank(self):
        return self._place.get(name, 0)

    def size(self):
        return self._degrees.get(name, 1)

    def group(self):
        check(self)
        return self._groups[name,]

    def source(self):
        check(self)
        return self._groups[name,].ranks[0]

    for function, suffix, doc in (
        (rank, 'rank', f'The place of this process on the axis {name!r}.'),
        (size, 'world_size', f'How many ranks the axis {name!r} has.'),
        (group, 'group', f'The process group along the axis {name!r}.'),
        (source, 'group_src_rank', f'The first rank of the group along the axis {name!r}.'),
    ):
        full = f'get_{name}_parallel_{suffix}'
        if not (name == 'pipe' and suffix in ('rank', 'group_src_rank')):
            function.__name__, function.__doc__ = full, doc
            function.__qualname__ = f'HybridCommunicateGroup.{full}'
            setattr(HybridCommunicateGroup, full, function)


for _name in ('data', 'model', 'pipe', 'sharding', 'sep'):
    _of_axis(_name)


def create_nccl_config(nccl_config=None):
    """Options of communication by NCCL for a new group: this build's groups have none, so that
    the answer is always None.

    Args:
        nccl_config (dict, default None): Nothing but None or an empty dict.

    Returns:
        None: no options.

    Raises:
        NotImplementedError: When options are given.

    Examples:
        >>> paddle.distributed.create_nccl_config() is None
        True
    """
    if nccl_config:
        raise NotImplementedError(f'[create_nccl_config] expected no options, got {nccl_config!r}')
    return None
