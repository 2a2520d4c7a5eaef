# SPDX-License-Identifier: Apache-2.0
"""What `static.nn.sparse_embedding` is told of the rows of its table: when they are admitted, or of
which shows and clicks they keep count.
"""

import paddle

__all__ = ['CountFilterEntry', 'ProbabilityEntry', 'ShowClickEntry']


class EntryAttr:
    """What rules of entry have in common: their text."""

    def __init__(self):
        self._name = None

    def _to_attr(self):
        raise NotImplementedError(
            f'[EntryAttr] expected a subclass to define _to_attr, got {type(self).__name__}'
        )


class _Admission(EntryAttr):
    """Rows that are admitted by points, 0 at first; a lookup adds some."""

    def _watch(self, table, ids, counting):
        """Which rows of the table that `ids` chooses are admitted, after this lookup if it is
        `counting`.
        """
        seen = paddle.static.create_global_var([table.shape[0]], 0, 'int64', persistable=True)
        if counting:
            _count(seen, ids, self._points(ids.reshape([-1])))
        return self._admitted(paddle.gather(seen, ids.reshape([-1])))


def _count(places, ids, values):
    added = paddle.scatter_nd_add(places, ids.reshape([-1, 1]), values)
    paddle.assign(added, places)


class ProbabilityEntry(_Admission):
    """A row of `static.nn.sparse_embedding` is admitted by chance, at each lookup.

    Args:
        probability (float): Between 0 and 1, without both.

    Raises:
        ValueError: probability is no float, or not between 0 and 1.

    Examples:
        >>> paddle.enable_static()
        >>> ids = paddle.static.data("ids", [None], "int64")
        >>> rows = paddle.static.nn.sparse_embedding(
        ...     ids, [10, 2], entry=paddle.distributed.ProbabilityEntry(0.25))
        >>> rows.shape
        paddle.Size([-1, 2])
    """

    def __init__(self, probability):
        super().__init__()
        if not isinstance(probability, float) or not 0 < probability < 1:
            raise ValueError(
                f'[ProbabilityEntry] expected probability to be a float in (0, 1), got '
                f'{probability!r}'
            )
        self._name, self._probability = 'probability_entry', probability

    def _points(self, ids):
        return paddle.bernoulli(paddle.full_like(ids, self._probability, 'float32')).astype('int64')

    def _admitted(self, points):
        return points > 0

    def _to_attr(self):
        return f'{self._name}:{self._probability}'


class CountFilterEntry(_Admission):
    """A row of `static.nn.sparse_embedding` is admitted when it has been looked up often enough.

    Args:
        count_filter (int): At which lookup it is, at least 0.

    Raises:
        ValueError: count_filter is no int, or negative.

    Examples:
        >>> paddle.enable_static()
        >>> ids = paddle.static.data("ids", [None], "int64")
        >>> rows = paddle.static.nn.sparse_embedding(
        ...     ids, [10, 2], entry=paddle.distributed.CountFilterEntry(5))
        >>> rows.shape
        paddle.Size([-1, 2])
    """

    def __init__(self, count_filter):
        super().__init__()
        if not isinstance(count_filter, int) or count_filter < 0:
            raise ValueError(
                f'[CountFilterEntry] expected count_filter to be an int of at least 0, got '
                f'{count_filter!r}'
            )
        self._name, self._count_filter = 'count_filter_entry', count_filter

    def _points(self, ids):
        return paddle.ones_like(ids, 'int64')

    def _admitted(self, points):
        return points >= self._count_filter

    def _to_attr(self):
        return f'{self._name}:{self._count_filter}'


class ShowClickEntry(EntryAttr):
    """Rows of `static.nn.sparse_embedding` keep count of how often they were shown and clicked.

    Each run adds the numbers of two inputs of the program, one for each sample, to the counts of
    the rows that the sample looks up: variables `<table>.show` and `<table>.click` of the program,
    float32 with a place for each row, which are saved with it. A parameter server forgets rows by
    such counts; a table of this process keeps all its rows.

    Args:
        show_name (str): The name of the input with the shows, one number for each sample.
        click_name (str): The name of the input with the clicks.

    Raises:
        ValueError: A name is no str; in `sparse_embedding`: the program has no such variable.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     ids = paddle.static.data("ids", [None, 1], "int64")
        ...     show = paddle.static.data("show", [None, 1])
        ...     click = paddle.static.data("click", [None, 1])
        ...     rows = paddle.static.nn.sparse_embedding(
        ...         ids, [4, 2], entry=paddle.distributed.ShowClickEntry("show", "click"),
        ...         param_attr=paddle.ParamAttr("table"))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> feed = {"ids": [[1], [3], [1]], "show": [[1.0], [1.0], [2.0]]}
        >>> _ = exe.run(main, feed={**feed, "click": [[0.0], [1.0], [1.0]]}, fetch_list=[rows])
        >>> state = main.state_dict()
        >>> state["table.show"].tolist(), state["table.click"].tolist()
        ([0.0, 3.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0])
    """

    def __init__(self, show_name, click_name):
        super().__init__()
        if not all(isinstance(name, str) for name in (show_name, click_name)):
            raise ValueError(
                f'[ShowClickEntry] expected show_name and click_name to be str, got '
                f'{show_name!r} and {click_name!r}'
            )
        self._name = 'show_click_entry'
        self._show_name, self._click_name = show_name, click_name

    def _watch(self, table, ids, counting):
        block = paddle.static.default_main_program().global_block()
        for kind, name in (('show', self._show_name), ('click', self._click_name)):
            if not block.has_var(name):
                raise ValueError(
                    f'[ShowClickEntry] expected a variable {name!r} of the program, got none'
                )
            counts = paddle.static.create_global_var(
                [table.shape[0]], 0.0, 'float32', persistable=True, name=f'{table.name}.{kind}'
            )
            if counting:
                with paddle.no_grad():
                    each = block.var(name).reshape([-1, *[1] * (ids.ndim - 1)]).astype('float32')
                    _count(counts, ids, (each + paddle.zeros_like(ids, 'float32')).reshape([-1]))

    def _to_attr(self):
        return f'{self._name}:{self._show_name}:{self._click_name}'
