# SPDX-License-Identifier: Apache-2.0
"""The global random generators: seeding, saving and restoring their state."""

import contextlib

from paddle import _lazy
from paddle.base import libpaddle as _core

__all__ = [
    'seed',
    'manual_seed',
    'get_rng_state',
    'set_rng_state',
    'get_cuda_rng_state',
    'set_cuda_rng_state',
]


def seed(seed):
    """Seed the generators of every device with an integer; returns the CPU generator.

    Args:
        seed (int): The integer.

    Returns:
        Generator: that of the CPU.

    Examples:
        >>> _ = paddle.seed(42)
        >>> a = paddle.rand([3])
        >>> _ = paddle.seed(42)
        >>> bool(paddle.rand([3]).equal_all(a))
        True
    """
    try:
        seed = int(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(f'[seed] expected an integer, got {seed!r}') from None
    generator = _core.default_cpu_generator()
    generator.manual_seed(seed)
    _core.seed_devices(seed)
    return generator


_seed = seed


def manual_seed(seed):
    """The same as `paddle.seed`.

    Args:
        seed (int): The seed.

    Returns:
        Generator: the default generator.

    Examples:
        >>> _ = paddle.manual_seed(3)
        >>> x = paddle.rand([2])
        >>> _ = paddle.manual_seed(3)
        >>> (paddle.rand([2]) == x).tolist()
        [True, True]
    """
    return _seed(seed)


@contextlib.contextmanager
def drawing_from(generator, op):
    """Inside, random numbers come from `generator`, a paddle.Generator; from the global ones for
    None.
    """
    if generator is None:
        yield
        return
    if not isinstance(generator, _core.Generator):
        raise TypeError(
            f"[{op}] expected generator to be a paddle.Generator, got {type(generator).__name__}"
        )
    shared = _core.default_cpu_generator()
    before = shared.get_state()
    shared.set_state(generator.get_state())
    _core.draw_on_host(True)
    try:
        yield
    finally:
        _core.draw_on_host(False)
        generator.set_state(shared.get_state())
        shared.set_state(before)


def _on_cuda(device):
    if device is None:
        return _core.current_place().is_gpu_place()
    text = str(device)
    if text.startswith('cpu') or text in ('Place(cpu)',):
        return False
    if 'gpu' in text or 'cuda' in text:
        return True
    if text.split(':')[0] in _core.get_all_custom_device_type():
        return False  # what plugin devices draw comes from the CPU's generator
    raise ValueError(f"[rng] expected a known device, got {device!r}")


def get_rng_state(device=None):
    """The state of a generator.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        list: what `set_rng_state` takes.

    Examples:
        >>> state = paddle.get_rng_state()
        >>> x = paddle.rand([3])
        >>> paddle.set_rng_state(state)
        >>> (paddle.rand([3]) == x).tolist()
        [True, True, True]
    """
    if _on_cuda(device):
        return get_cuda_rng_state()
    return [_core.default_cpu_generator().get_state()]


def set_rng_state(state_list, device=None):
    """Restore what `get_rng_state` gave.

    Args:
        state_list (list): The state.
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        None.

    Examples:
        >>> state = paddle.get_rng_state()
        >>> x = paddle.rand([3])
        >>> paddle.set_rng_state(state)
        >>> (paddle.rand([3]) == x).tolist()
        [True, True, True]
    """
    if _on_cuda(device):
        set_cuda_rng_state(state_list)
        return
    if not isinstance(state_list, (list, tuple)) or len(state_list) != 1:
        raise ValueError(f"[set_rng_state] expected a list of one state, got {state_list!r}")
    _core.default_cpu_generator().set_state(state_list[0])


def _gpus():
    return [_core.CUDAPlace(k) for k in range(_core.gpu_count())]


def get_cuda_rng_state():
    """States of the generators of all GPUs.

    Returns:
        list: the states, one of each GPU.

    Examples:
        >>> states = paddle.get_cuda_rng_state()
        >>> len(states) == paddle.device.cuda.device_count()
        True
    """
    return [_core.device_rng_state(place) for place in _gpus()]


def set_cuda_rng_state(state_list):
    """Restore what `get_cuda_rng_state` gave.

    Args:
        state_list (list): The states, one of each GPU.

    Returns:
        None.

    Raises:
        ValueError: There are more or fewer states than GPUs.

    Examples:
        >>> paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    """
    gpus = _gpus()
    if len(state_list) != len(gpus):
        raise ValueError(
            f"[set_cuda_rng_state] expected a state of each of {len(gpus)} GPUs, got "
            f"{len(state_list)}"
        )
    for place, state in zip(gpus, state_list):
        _core.set_device_rng_state(place, state)


def all_states():
    """States of the generators of the CPU and of all devices, for `set_all_states`."""
    return [_core.default_cpu_generator().get_state(), _core.device_rng_states()]


def set_all_states(states):
    """Restore what `all_states` gave."""
    _core.default_cpu_generator().set_state(states[0])
    _core.set_device_rng_states(states[1])


def _manual_program_seed(seed):
    """Set the seed of the default programs."""
    import paddle

    paddle.static.default_main_program().random_seed = seed
    paddle.static.default_startup_program().random_seed = seed


_named = {}


def set_random_seed_generator(name, seed):
    """Make a generator with a name and a seed."""
    _named[name] = _core.Generator()
    _named[name].manual_seed(seed)


def get_random_seed_generator(name):
    """The generator of this name; RuntimeError when none was made."""
    if name not in _named:
        raise RuntimeError(
            f"[get_random_seed_generator] expected a name given to set_random_seed_generator, got "
            f"{name!r}"
        )
    return _named[name]


_lazy.serve(globals())
