"""`paddle.distributed.split` in programs of one process and of several."""

import pytest
import ranks

import paddle
import paddle.distributed as dist


@pytest.mark.parametrize('options', [(), ('apart',)])
def test_shared_weights_train_as_whole_ones(options):
    ranks.run(2, 'work_split', 'trains', *options)


def test_parts_add_up():
    ranks.run(2, 'work_split', 'parts')


def test_one_process_has_all():
    ranks.run(1, "work_split", 'trains')


def test_what_cannot_be_is_refused(static_mode):
    x = paddle.static.data('x', [None, 4])
    for error, match, arguments in (
        (AssertionError, 'linear', ((4, 6), 'conv')),
        (AssertionError, 'two', ((4, 6, 7), 'linear')),
        (AssertionError, 'two', (4, 'linear')),
        (ValueError, 'axis', ((4, 6), 'linear', 2)),
        (AssertionError, 'axis 0', ((4, 6), 'embedding', 1)),
        (AssertionError, 'num_partitions 1', ((4, 6), 'linear', 1, 2)),
    ):
        with pytest.raises(error, match=match):
            dist.split(x, *arguments)
    paddle.disable_static()
    with pytest.raises(ValueError, match='static mode'):
        dist.split(paddle.ones([2, 4]), (4, 6), 'linear')
    paddle.enable_static()
