# SPDX-License-Identifier: Apache-2.0
"""Helpers of the model definitions."""

from paddle.nn import LayerDict

__all__ = ['make_divisible', 'no_pretrained', 'IntermediateLayerGetter']


def make_divisible(value, divisor=8, lowest=None):
    """`value` rounded to a multiple of `divisor`, at least `lowest`, and not below 90 % of
    `value`.
    """
    lowest = divisor if lowest is None else lowest
    rounded = max(lowest, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


def no_pretrained(pretrained, name):
    """Weights are not downloaded: say how to load them."""
    if pretrained:
        raise RuntimeError(
            f"[{name}] expected pretrained=False, got {pretrained!r}: weights are not downloaded, "
            "model.set_state_dict(paddle.load(path)) takes them from a file"
        )


_MAKER = """{what}

Args:
    pretrained (bool, default False): Must be false: weights are not downloaded.
{more}    **kwargs (object): As of `{model}`.

Returns:
    {model}: the model.

Raises:
    RuntimeError: pretrained is true.

Examples:
    >>> with paddle.LazyGuard():
    ...     model = paddle.vision.models.{name}(num_classes=10)
    >>> sum(p.numel().item() for p in model.parameters())
    {count}
"""
BATCH_NORM = (
    "    batch_norm (bool, default False): Whether convolutions are followed by batch norm.\n"
)
SCALE = "    scale (float, default 1.0): The factor of the channels.\n"


def described(what, model, count, more=""):
    """A decorator: the documentation of a function that makes a model; `count`: the parameters of
    one with 10 classes.
    """

    def describe(make):
        make.__doc__ = _MAKER.format(
            what=what, model=model, name=make.__name__, count=count, more=more
        )
        return make

    return describe


class IntermediateLayerGetter(LayerDict):
    """The layers of `model` up to the last one of `return_layers`, {name of a layer: name of its
    result}: called, it gives those results.

    The layers run one after another in the order of `named_children`. ValueError for a name that is
    no layer of the model.
    """

    def __init__(self, model, return_layers):
        if not set(return_layers) <= {name for name, _ in model.named_children()}:
            raise ValueError(
                "[IntermediateLayerGetter] expected return_layers to name sublayers of the model, "
                f"got {sorted(return_layers)}"
            )
        waiting, layers = set(return_layers), {}
        for name, layer in model.named_children():
            if not waiting:
                break
            layers[name] = layer
            waiting.discard(name)
        super().__init__(layers)
        self.return_layers = dict(return_layers)

    def forward(self, x):
        results = {}
        for name, layer in self.items():
            x = layer(x)
            if name in self.return_layers:
                results[self.return_layers[name]] = x
        return results
