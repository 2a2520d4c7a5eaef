# SPDX-License-Identifier: Apache-2.0
"""A logger that writes to the standard output, and to a file."""

import logging
import os
import sys

__all__ = ['setup_logger']


def setup_logger(output=None, name='hapi', log_level=logging.INFO):
    """The logger `name`, which passes messages of `log_level` on to the standard output, and to a
    file: `output` when that ends in '.txt' or '.log', else 'log.txt' in that folder."""
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(log_level)
    form = logging.Formatter('%(asctime)s-%(levelname)s: %(message)s')
    handlers = [] if logger.handlers else [logging.StreamHandler(stream=sys.stdout)]
    if output is not None:
        path = output if output.endswith(('.txt', '.log')) else os.path.join(output, 'log.txt')
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        handlers.append(logging.FileHandler(path))
    for handler in handlers:
        handler.setLevel(log_level)
        handler.setFormatter(form)
        logger.addHandler(handler)
    return logger
