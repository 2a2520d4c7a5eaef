# SPDX-License-Identifier: Apache-2.0
"""What processes of a job exchange besides tensors."""

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed.communication.group import member_group

from .role_maker import _workers_only

__all__ = ['UtilBase']

_OPERATIONS = {'sum': dist.ReduceOp.SUM, 'min': dist.ReduceOp.MIN, 'max': dist.ReduceOp.MAX}


class UtilBase:
    """What the workers of a job exchange besides tensors: numbers, objects and shares of files.

    `all_reduce`, `all_gather` and `barrier` are between workers, `get_file_shard` gives this one's
    part of a list of files and `print_on_rank` prints on one.

    Examples:
        >>> from paddle.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> isinstance(fleet.util, fleet.UtilBase)
        True
        >>> fleet.util.get_file_shard(["a.txt", "b.txt"])
        ['a.txt', 'b.txt']
        >>> fleet.util.print_on_rank("hello", 0)
        hello
    """

    def __init__(self):
        self.role_maker = None

    def _set_role_maker(self, role_maker):
        self.role_maker = role_maker

    def all_reduce(self, input, mode='sum', comm_world='worker'):
        """The sum, minimum or maximum over the workers, element by element, as a NumPy array."""
        if mode not in _OPERATIONS:
            raise ValueError(
                f'[UtilBase.all_reduce] expected mode of {list(_OPERATIONS)}, got {mode!r}'
            )
        _workers_only('UtilBase.all_reduce', comm_world)
        if self.role_maker._worker_num() < 2:
            return input
        tensor = paddle.to_tensor(np.asarray(input))
        member_group(None)._pg.all_reduce([tensor], _OPERATIONS[mode])
        return tensor.numpy()

    def all_gather(self, input, comm_world='worker'):
        """The objects of all workers, in a list."""
        _workers_only('UtilBase.all_gather', comm_world)
        if self.role_maker._worker_num() < 2:
            return input
        gathered = []
        dist.all_gather_object(gathered, input)
        return gathered

    def barrier(self, comm_world='worker'):
        """Until all workers have come here."""
        self.role_maker._barrier(comm_world)

    def get_file_shard(self, files):
        """This worker's part of a list of files: as equal as possible, the first parts longer."""
        if not isinstance(files, list):
            raise TypeError(
                f'[UtilBase.get_file_shard] expected a list of files, got {type(files).__name__}'
            )
        count, rank = self.role_maker._worker_num(), self.role_maker._worker_index()
        each, longer = divmod(len(files), count)
        begin = rank * each + min(rank, longer)
        return files[begin : begin + each + (rank < longer)]

    def get_heter_file_shard(self, files):
        """As `get_file_shard`: all workers of a job are of one kind."""
        return self.get_file_shard(files)

    def print_on_rank(self, message, rank_id):
        """Print a message on one worker."""
        if self.role_maker._worker_index() == rank_id:
            print(message)
