# SPDX-License-Identifier: Apache-2.0
"""In which order a process takes the micro batches of a batch forward and backward."""

from paddle.base import libpaddle as core


def stage_meshes(meshes):
    """Of the meshes of parameters, those of stages: what several stages share is on a mesh that has
    others within it.
    """
    found = list(dict.fromkeys(meshes))
    ranks = [set(mesh.process_ids) for mesh in found]
    return [m for m, own in zip(found, ranks) if not any(other < own for other in ranks)]


class Schedule:
    """The turns of a process.

    With `FThenB` all micro batches go forward, then all backward. With `1F1B` stage `s` of `p` has
    at most `p - s` of them under way: it takes so many forward, then one backward and one forward
    by turns. That needs stages that send forward to later ones alone. Where a process sends to an
    earlier stage, all processes take `p` micro batches forward and then backward, which keeps as
    many under way.

    Args:
        mode (str): "FThenB" or "1F1B".
        meshes (list of ProcessMesh): Those of the stages, from the first to the last.
        rank (int): The process.
        count (int): How many micro batches there are.
    """

    def __init__(self, mode, meshes, rank, count):
        self._mode, self._count, self._stages = mode, count, len(meshes)
        self._stage_of = {r: s for s, mesh in enumerate(meshes) for r in mesh.process_ids}
        self._stage = self._stage_of.get(rank, self._stages - 1)
        self._apart = len(self._stage_of) == sum(mesh.size for mesh in meshes)

    def run(self, forward, backward):
        """Calls `forward(i)` and `backward(i)` of each micro batch. The first goes forward before
        the order is chosen, by what processes send to others then.
        """
        core._note_moves()
        try:
            forward(0)
        finally:
            moves = core._noted_moves()
        for turn, i in self._turns(moves):
            if turn == 'F':
                forward(i)
            else:
                backward(i)

    def _turns(self, moves):
        """The turns behind the first."""
        count = self._count
        if self._mode == 'FThenB':
            return _rounds(count, count)[1:]
        last = self._stages - 1
        stage = [(self._stage_of.get(s, last), self._stage_of.get(r, last)) for s, r in moves]
        if not self._apart or any(sender > receiver for sender, receiver in stage):
            return _rounds(count, self._stages)[1:]
        ahead = min(last - self._stage, count)
        turns = [('F', i) for i in range(ahead)]
        for i in range(count - ahead):
            turns += [('F', ahead + i), ('B', i)]
        return (turns + [('B', i) for i in range(count - ahead, count)])[1:]


def _rounds(count, size):
    turns = []
    for first in range(0, count, size):
        some = range(first, min(first + size, count))
        turns += [('F', i) for i in some] + [('B', i) for i in some]
    return turns
