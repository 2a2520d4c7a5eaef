# SPDX-License-Identifier: Apache-2.0
"""Documentation: the examples answer what they say, and what is not in full form is seen."""

import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

from paddle.base.documentation import shares

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(ROOT, 'tools'))
try:
    from lint import documentation, examples
finally:
    sys.path.pop(0)


def described(x, axis=-1, *, name=None):
    """The values as they are.

    Args:
        x (Tensor): The values.
        axis (int, default -1): An axis.
        name (str, default None): Nothing.

    Returns:
        Tensor: x.

    Examples:
        >>> described(1)
        1
    """
    return x


def test_every_example_answers_what_it_says():
    assert examples.run(documentation.public()) == []


def test_no_name_loses_its_documentation():
    assert documentation.run() == []


def test_the_full_form_is_complete():
    assert documentation.lacks(described, 'described') is None


@pytest.mark.parametrize(
    'old, new, lack',
    [
        ('axis (int, default -1): An axis.', 'axes (int, default -1): Axes.', 'Args of'),
        ('default -1', 'default 1', 'the default -1 of axis'),
        ('int, default -1', 'int', 'the default of axis'),
        ('x (Tensor)', 'x (Tensor, default None)', 'x without a default'),
        ('Returns:', 'Result:', 'Returns'),
        ('>>> described(1)', '>>> 1', 'an example of described'),
        ('>>> ', '', 'an example'),
    ],
)
def test_what_is_lacking_is_said(old, new, lack):
    def described(x, axis=-1, *, name=None):
        return x

    described.__doc__ = globals()['described'].__doc__.replace(old, new)
    assert documentation.lacks(described, 'described').startswith(lack)


@pytest.mark.parametrize(
    'want, got, same',
    [
        ('[0.8415, -1.0]', '[0.8414709848, -1.0]', True),
        ('[0.8416, -1.0]', '[0.8414709848, -1.0]', False),
        ('0.5', '0.50000003', True),
        ('0.5', '0.51', False),
        ('[3, 4]', '[3, 5]', False),
        ('1.250e-05', '1.2501e-05', True),
        ('[0.125, 1]', '[0.125]', False),
        ('(True, 0.333)', '(False, 0.3333)', False),
    ],
)
def test_numbers_are_compared_as_far_as_they_are_written(want, got, same):
    assert examples.Checker().check_output(want + '\n', got + '\n', examples.FLAGS) == same


def test_a_wrong_example_fails():
    def wrong():
        """
        >>> 1 + 1
        3
        """

    assert examples.run_some([(wrong.__doc__, 'wrong')])


@pytest.mark.parametrize(
    'guide', sorted((ROOT / 'docs' / 'site').glob('*.md')), ids=lambda g: g.stem
)
def test_guides_answer_what_they_say(guide):
    """The examples of a guide are one program."""
    text = '\n'.join(re.findall(r'^```pycon\n(.*?)^```', guide.read_text(), re.M | re.S))
    assert examples.run_some([(text, guide.stem)]) == []


def test_shared_entries_stand_where_they_are_named():
    @shares(described, '    scale (float, default 1.0): A factor\n        in two lines.\n')
    def scaled(x, scale=1.0, axis=-1, *, name=None):
        """The values, scaled.

        Args:
            x (Tensor): The values.
            {scale, axis, name}

        Examples:
            >>> {scaled}
        """

    assert inspect.getdoc(scaled).split('\n')[2:8] == [
        'Args:',
        '    x (Tensor): The values.',
        '    scale (float, default 1.0): A factor',
        '        in two lines.',
        '    axis (int, default -1): An axis.',
        '    name (str, default None): Nothing.',
    ]
    assert inspect.getdoc(scaled).endswith('>>> {scaled}')


def test_an_entry_that_no_source_has_is_an_error():
    def named(axes):
        """
        Args:
            {axes}
        """

    with pytest.raises(KeyError, match='axes'):
        shares(described)(named)


def test_a_program_without_documentation_shares_none():
    def bare(x):
        pass

    assert shares(described)(bare).__doc__ is None


def test_shared_documentation_loads_nothing_that_layers_do_without():
    program = (
        'import sys, paddle; paddle.nn.Linear, paddle.nn.Upsample, paddle.nn.MaxPool2D; '
        'assert not {"numpy", "inspect"} & sys.modules.keys()'
    )
    subprocess.run([sys.executable, '-c', program], check=True)
