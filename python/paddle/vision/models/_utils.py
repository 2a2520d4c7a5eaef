# SPDX-License-Identifier: Apache-2.0
"""Helpers of the model definitions."""

__all__ = ['make_divisible', 'no_pretrained']


def make_divisible(value, divisor=8, lowest=None):
    """`value` rounded to a multiple of `divisor`, at least `lowest`, and not below 90 % of `value`."""
    lowest = divisor if lowest is None else lowest
    rounded = max(lowest, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


def no_pretrained(pretrained, name):
    """Weights are not downloaded: say how to load them."""
    if pretrained:
        raise RuntimeError(f"pretrained weights of {name} are not downloaded; get the .pdparams file yourself and call "
                           "model.set_state_dict(paddle.load(path))")
