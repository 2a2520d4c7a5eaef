# SPDX-License-Identifier: Apache-2.0
"""Ports for processes of a job."""

import contextlib
import socket

__all__ = ['find_free_ports']


def find_free_ports(num):
    """Ports of this host that nobody listens at now.

    Args:
        num (int): How many.

    Returns:
        set: the ports, ints.

    Examples:
        >>> from paddle.distributed.utils.launch_utils import find_free_ports
        >>> len(find_free_ports(3))
        3
    """
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(num)]
        for each in sockets:
            each.bind(('', 0))
        return {each.getsockname()[1] for each in sockets}
