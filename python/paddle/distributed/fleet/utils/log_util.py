# SPDX-License-Identifier: Apache-2.0
"""The log of fleet."""

import logging

from paddle.base.log_helper import get_logger

__all__ = ['get_log_level_code', 'get_log_level_name', 'logger', 'set_log_level']

logger = get_logger('FLEET', logging.INFO, '[%(asctime)-15s] [%(levelname)8s] %(message)s')


def set_log_level(level):
    """Log from this level on: a number, or a name such as 'INFO'."""
    assert isinstance(level, (str, int)), (
        f'[set_log_level] expected a name or a number, got {type(level).__name__}'
    )
    logger.setLevel(level if isinstance(level, int) else level.upper())


def get_log_level_code():
    """The level as a number."""
    return logger.getEffectiveLevel()


def get_log_level_name():
    """The level's name."""
    return logging.getLevelName(get_log_level_code())


def layer_to_str(base, *args, **kwargs):
    """A call written out: `base(args, key=value)`."""
    parts = [*map(str, args), *(f'{key}={value}' for key, value in kwargs.items())]
    return f'{base}({", ".join(parts)})'
