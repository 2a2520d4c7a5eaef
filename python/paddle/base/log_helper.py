# SPDX-License-Identifier: Apache-2.0
"""Loggers of their own handler."""

import logging

__all__ = ['get_logger']


def get_logger(name, level, fmt=None):
    """The logger `name` at `level`, which writes in the format `fmt` and passes nothing on."""
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(fmt=fmt, datefmt='%a %b %d %H:%M:%S'))
        logger.addHandler(handler)
    logger.propagate = False
    return logger
