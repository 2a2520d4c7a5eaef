# SPDX-License-Identifier: Apache-2.0
"""Random states by name, so that processes draw alike in some places and apart in others."""

import contextlib

import paddle
from paddle.framework import random

__all__ = ['RNGStatesTracker', 'get_rng_state_tracker', 'model_parallel_random_seed']

MODEL_PARALLEL_RNG = 'model_parallel_rng'


class RNGStatesTracker:
    """Random states by name, each begun by its own seed."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Forget all states."""
        self.states_, self.seeds_ = {}, set()

    def add(self, name, seed):
        """A state under a new name. ValueError for a name or seed that is there."""
        if seed in self.seeds_:
            raise ValueError(f'[RNGStatesTracker.add] expected a new seed, got {seed} again')
        if name in self.states_:
            raise ValueError(f'[RNGStatesTracker.add] expected a new name, got {name!r} again')
        self.seeds_.add(seed)
        before = random.all_states()
        paddle.seed(seed)
        self.states_[name] = random.all_states()
        random.set_all_states(before)

    def get_states_tracker(self):
        """{name: state}"""
        return dict(self.states_)

    def set_states_tracker(self, states):
        """Continue from what `get_states_tracker` gave."""
        self.states_ = dict(states)

    @contextlib.contextmanager
    def rng_state(self, name=MODEL_PARALLEL_RNG):
        """Inside, random numbers are drawn from a named state."""
        if name not in self.states_:
            raise ValueError(
                f'[RNGStatesTracker.rng_state] expected a name that was added, one of '
                f'{list(self.states_)}, got {name!r}'
            )
        before = random.all_states()
        random.set_all_states(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = random.all_states()
            random.set_all_states(before)


_tracker = RNGStatesTracker()


def get_rng_state_tracker():
    """The states of this process."""
    return _tracker


def model_parallel_random_seed(seed=None):
    """Seed the global generator alike on all processes of a model-parallel group, and the state
    'model_parallel_rng' apart. Without `seed` it is drawn by the process.
    """
    import random

    from paddle.distributed import fleet

    hcg = fleet.get_hybrid_communicate_group()
    seed = seed or random.randrange(10000)
    apart = hcg.get_model_parallel_rank() * hcg.get_pipe_parallel_world_size() + hcg.get_stage_id()
    _tracker.reset()
    _tracker.add(MODEL_PARALLEL_RNG, seed + 1 + apart)
    paddle.seed(seed)
