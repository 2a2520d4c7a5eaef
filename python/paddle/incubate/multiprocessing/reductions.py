# SPDX-License-Identifier: Apache-2.0
"""What messages between processes carry of tensors.

Memory of the host lies in a file of shared memory, to which a tensor's memory moves when it is
first sent; a GPU's is opened through the driver. Uses are counted, of processes and of messages
under way: the file is removed, and the sender's memory of a GPU given back, after the last. A
process whose memory of a GPU is used elsewhere must live as long.
"""

import multiprocessing.util
from multiprocessing.reduction import ForkingPickler

from paddle.base import libpaddle as _core
from paddle.device.streams import Event

__all__ = []


def _rebuild_tensor(cls, tensor, metadata):
    """A tensor of `cls` over the memory of `tensor`, with the members that `metadata` holds."""
    if 'name' in metadata:
        tensor = cls(tensor, name=metadata.pop('name'))
    for name, value in metadata.items():
        setattr(tensor, name, value)
    return tensor


def _rebuild_host(cls, shared, metadata):
    name, _, dtype, dims = shared
    return _rebuild_tensor(cls, _core.open_host(name, dtype, dims, True), metadata)


def _rebuild_gpu(cls, shared, metadata):
    return _rebuild_tensor(cls, _core.open_gpu(*shared), metadata)


def _reduce_tensor(tensor):
    if not tensor.stop_gradient and not tensor.is_leaf:
        raise ValueError(
            "[multiprocessing] expected a leaf or a tensor without a gradient, got one whose "
            "gradient goes on to others, which stay in this process (x.detach() goes)"
        )
    place = tensor.place
    shared = tensor.is_dense() and tensor.size and (place.is_cpu_place() or place.is_gpu_place())
    if not shared:  # without elements, or of memory that processes do not share: its values go
        return tensor.__reduce_ex__(4)
    metadata = dict(tensor.__dict__, stop_gradient=tensor.stop_gradient)
    if type(tensor) is not _core.Tensor:
        metadata.update(name=tensor.name, persistable=tensor.persistable)
    sent = tensor if tensor.is_contiguous() else tensor.detach().contiguous()
    if place.is_gpu_place():
        return _rebuild_gpu, (type(tensor), _core.share_gpu(sent, True), metadata)
    return _rebuild_host, (type(tensor), _core.share_host(sent, True), metadata)


def _reduce_event(event):
    if not event._interprocess:
        raise ValueError(
            "[multiprocessing] expected an event made with interprocess=True, got one of this "
            "process alone"
        )
    return Event._opened, (event._place.gpu_device_id(), event._shared)


def init_reductions():
    """Let messages carry events, and tensors and parameters by their memory."""
    from paddle.base.framework import EagerParamBase

    ForkingPickler.register(_core.Tensor, _reduce_tensor)
    ForkingPickler.register(EagerParamBase, _reduce_tensor)
    ForkingPickler.register(Event, _reduce_event)


def _leave_at_the_end(_=None):
    """Processes of `multiprocessing` end without destructors."""
    multiprocessing.util.Finalize(None, _core.leave_shared, exitpriority=0)


_leave_at_the_end()
multiprocessing.util.register_after_fork(_leave_at_the_end, _leave_at_the_end)
