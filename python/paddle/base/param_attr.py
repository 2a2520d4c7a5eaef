# SPDX-License-Identifier: Apache-2.0
"""`ParamAttr`: how a layer's parameter is named, initialised, regularised and trained."""

from paddle.base.arguments import kinds
from paddle.base.known_keywords import KnownKeywords

__all__ = ["ParamAttr", "WeightNormParamAttr"]


def _require(value, types, what):
    if not isinstance(value, types):
        raise TypeError(
            f"[ParamAttr] expected {what} of type {kinds(types)}, got {type(value).__name__}"
        )


class ParamAttr(KnownKeywords):
    """Attributes of one parameter.

    Args:
        name (str, default None): The name; None for one that is made.
        initializer (Initializer, default None): What makes its first values.
        learning_rate (float, default 1.0): The factor of the optimizer's rate.
        regularizer (regularizer, default None): `L1Decay` or `L2Decay`.
        trainable (bool, default True): Whether it learns.
        do_model_average (bool, default True): Whether averages of parameters cover it.
        need_clip (bool, default True): Whether gradient clipping covers it.

    Examples:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0))
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[2.0, 2.0]]
    """

    def __init__(
        self,
        name=None,
        initializer=None,
        learning_rate=1.0,
        regularizer=None,
        trainable=True,
        do_model_average=True,
        need_clip=True,
    ):
        if name is not None:
            _require(name, str, "name")
            if name == "":
                raise ValueError("[ParamAttr] expected a non-empty name, got ''")
        if initializer is not None:
            from paddle.nn.initializer.initializer import Initializer

            _require(initializer, Initializer, "initializer")
        if regularizer is not None:
            from paddle.regularizer import WeightDecayRegularizer

            _require(regularizer, WeightDecayRegularizer, "regularizer")
        switches = dict(trainable=trainable, do_model_average=do_model_average, need_clip=need_clip)
        for what, value in switches.items():
            _require(value, bool, what)
        vars(self).update(
            switches,
            name=name,
            initializer=initializer,
            learning_rate=learning_rate,
            regularizer=regularizer,
        )

    def _set_default_initializer(self, initializer):
        """Take `initializer` if none was given."""
        if self.initializer is None:
            if initializer is None:
                raise ValueError("[ParamAttr] expected a default initializer, got None")
            self.initializer = initializer

    def _set_default_param_initializer(self):
        from paddle.nn.initializer import XavierUniform

        self._set_default_initializer(XavierUniform())

    def _set_default_bias_initializer(self):
        from paddle.nn.initializer import Constant

        self._set_default_initializer(Constant(0.0))

    @staticmethod
    def _to_attr(arg):
        """ParamAttr from None, str (a name), Initializer, regularizer, ParamAttr, bool (False: no
        parameter) or a list.
        """
        if arg is None:
            return ParamAttr()
        if isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(a) for a in arg]
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if isinstance(arg, bool):
            return ParamAttr() if arg else False
        from paddle.nn.initializer.initializer import Initializer

        if isinstance(arg, Initializer):
            return ParamAttr(initializer=arg)
        from paddle.regularizer import WeightDecayRegularizer

        if isinstance(arg, WeightDecayRegularizer):
            return ParamAttr(regularizer=arg)
        raise TypeError(
            f"[ParamAttr] expected an attribute, initializer, name, regularizer or bool, got "
            f"{type(arg).__name__} cast to ParamAttr"
        )

    def _to_kwargs(self, with_initializer=False):
        kwargs = {
            "name": self.name,
            "optimize_attr": {"learning_rate": self.learning_rate},
            "regularizer": self.regularizer,
            "trainable": self.trainable,
            "do_model_average": self.do_model_average,
            "need_clip": self.need_clip,
        }
        if with_initializer:
            kwargs["initializer"] = self.initializer
        return kwargs


class WeightNormParamAttr(ParamAttr):
    """A ParamAttr that asks for weight normalisation along `dim` (static graph layers read it).

    Args:
        dim (int, default None): The axis that has norms of its own; None for one norm.
        name (str, default None): The name; None for one that is made.
        initializer (Initializer, default None): What makes its first values.
        learning_rate (float, default 1.0): The factor of the optimizer's rate.
        regularizer (regularizer, default None): `L1Decay` or `L2Decay`.
        trainable (bool, default True): Whether it learns.
        do_model_average (bool, default False): Whether averages of parameters cover it.
        need_clip (bool, default True): Whether gradient clipping covers it.

    Source: Salimans and Kingma, Weight normalization, 2016

    Examples:
        >>> paddle.static.WeightNormParamAttr(dim=0, name="scale").dim
        0
    """

    params_with_weight_norm = []

    def __init__(
        self,
        dim=None,
        name=None,
        initializer=None,
        learning_rate=1.0,
        regularizer=None,
        trainable=True,
        do_model_average=False,
        need_clip=True,
    ):
        super().__init__(
            name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip
        )
        self.dim = dim
