# SPDX-License-Identifier: Apache-2.0
"""Data sets of text files for programs that `Executor.train_from_dataset` runs."""

import random
import shlex
from concurrent.futures import ThreadPoolExecutor

from paddle.base.arguments import keywords, only

from . import slots as _slots

__all__ = ['DatasetBase', 'InMemoryDataset', 'QueueDataset']

_FEEDS = 'MultiSlotInMemoryDataFeed', 'MultiSlotDataFeed', 'SlotRecordInMemoryDataFeed'
_SETTINGS = dict(
    batch_size=1,
    thread_num=1,
    use_var=(),
    pipe_command='cat',
    input_type=0,
    fs_name='',
    fs_ugi='',
    download_cmd='cat',
)


class DatasetBase:
    """What data sets of text files have in common: settings and a list of files.

    A file goes through the command `pipe_command` of a shell, which writes a line for each sample:
    for each variable of use_var a count, then as many numbers, apart by spaces.
    `paddle.distributed.fleet.MultiSlotDataGenerator` makes such commands.

    Examples:
        >>> data = paddle.distributed.fleet.dataset.DatasetBase()
        >>> data.init(batch_size=4, pipe_command="cat")
        >>> data.set_filelist(["part-0", "part-1"])
    """

    _known = _SETTINGS

    def __init__(self):
        self._set, self.filelist = dict(_SETTINGS), []

    @property
    def _op(self):
        return type(self).__name__

    def init(self, **kwargs):
        """Set the data set up; settings that are not given have their defaults.

        Args:
            batch_size (int, default 1): How many samples a batch has; the last has what is left.
            thread_num (int, default 1): How many files are read at once.
            use_var (list of Tensors, default []): The variables that samples have values for, in
                their order: of float32 or int64, with sequences where they have a `lod_level`.
            pipe_command (str, default 'cat'): The command that makes samples of a file.
            input_type (int, default 0): Only 0.
            fs_name (str, default ''): The name of a Hadoop file system, for paths that begin with
                `hdfs:` or `afs:`.
            fs_ugi (str, default ''): Its user and password, with a comma between them.
            download_cmd (str, default 'cat'): The command that writes the file whose path is behind
                it.

        Raises:
            TypeError: A setting of another name or type.
            ValueError: A batch_size or thread_num below 1, or a variable of another dtype.

        Examples:
            >>> data = paddle.distributed.QueueDataset()
            >>> data.init(batch_size=32, thread_num=2, pipe_command="grep -v '#'")
        """
        keywords(f'{self._op}.init', kwargs, *self._known)
        self._set = {**self._known, **self._checked('init', kwargs)}

    def _checked(self, method, settings):
        op = f'{self._op}.{method}'
        for name in ('batch_size', 'thread_num'):
            if name in settings:
                value = settings[name]
                if not isinstance(value, int):
                    raise TypeError(f'[{op}] expected {name} to be an int, got {value!r}')
                if value < 1:
                    raise ValueError(f'[{op}] expected {name} of at least 1, got {value}')
        for name in ('pipe_command', 'fs_name', 'fs_ugi', 'download_cmd'):
            if not isinstance(settings.get(name, ''), str):
                raise TypeError(f'[{op}] expected {name} to be a str, got {settings[name]!r}')
        only(op, 'samples are lines of slots', input_type=(settings.get('input_type', 0), 0))
        settings = dict(settings)
        if 'use_var' in settings:
            settings['use_var'] = [_slots.Slot(op, variable) for variable in settings['use_var']]
        return settings

    def set_filelist(self, filelist):
        """Name the files.

        Args:
            filelist (list of str): Their paths, in the order they are read in.

        Raises:
            TypeError: filelist is no list of paths.

        Examples:
            >>> data = paddle.distributed.QueueDataset()
            >>> data.set_filelist(["part-0", "part-1"])
        """
        if isinstance(filelist, (str, bytes)) or not all(isinstance(p, str) for p in filelist):
            raise TypeError(f'[{self._op}.set_filelist] expected a list of paths, got {filelist!r}')
        self.filelist = list(filelist)

    def _samples(self, path):
        known = self._set
        if not known['use_var']:
            raise RuntimeError(
                f'[{self._op}] expected variables in use_var (init), got none before files are read'
            )
        options = {'fs.default.name': known['fs_name'], 'hadoop.job.ugi': known['fs_ugi']}
        settings = (f' -D {key}={shlex.quote(value)}' for key, value in options.items() if value)
        return _slots.samples(
            self._op,
            path,
            known['use_var'],
            download=known['download_cmd'],
            pipe=known['pipe_command'],
            hadoop=f'hadoop fs{"".join(settings)}',
            ids=bool(known.get('parse_ins_id')) + bool(known.get('parse_content')),
        )

    def _records(self):
        """All samples, one after another."""
        for path in self.filelist:
            yield from self._samples(path)

    def _batches(self, sequences):
        """What is fed for each batch: a dict of the values of its samples. sequences: the names of
        variables that are sequences.
        """
        slots, size, held = self._set['use_var'], self._set['batch_size'], []
        for sample, _ in self._records():
            held.append(sample)
            if len(held) == size:
                yield self._feed(slots, held, sequences)
                held = []
        if held:
            yield self._feed(slots, held, sequences)

    def _feed(self, slots, held, sequences):
        return {
            slot.name: slot.batch(self._op, part, slot.name in sequences)
            for slot, part in zip(slots, zip(*held))
        }


class QueueDataset(DatasetBase):
    """A data set that reads its files while a program runs on them, in their order.

    Examples:
        >>> paddle.enable_static()
        >>> with open("part-0", "w") as file:
        ...     _ = file.write("1 2.0 1 7\\n1 3.0 1 8\\n")
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 1], "float32")
        ...     label = paddle.static.data("label", [None, 1], "int64")
        ...     twice = x * 2.0
        >>> data = paddle.distributed.QueueDataset()
        >>> data.init(batch_size=1, use_var=[x, label])
        >>> data.set_filelist(["part-0"])
        >>> exe = paddle.static.Executor()
        >>> exe.infer_from_dataset(main, data, fetch_list=[twice, label], print_period=2,
        ...                        fetch_info=["twice", "label"])  # doctest: +ELLIPSIS
        time: [...], batch: [2], twice[1]:[6], label[1]:[8]
    """


class InMemoryDataset(DatasetBase):
    """A data set whose samples are read into memory, and may be shuffled there.

    Samples are shuffled by Python's `random`, so `random.seed` makes an order come again.

    Examples:
        >>> paddle.enable_static()
        >>> with open("part-0", "w") as file:
        ...     _ = file.write("1 0.5 2 1 2\\n1 1.5 1 3\\n")
        >>> x = paddle.static.data("x", [None, 1], "float32")
        >>> words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
        >>> data = paddle.distributed.InMemoryDataset()
        >>> data.init(batch_size=2, use_var=[x, words])
        >>> data.set_filelist(["part-0"])
        >>> data.load_into_memory()
        >>> data.get_memory_data_size()
        2
    """

    _known = {
        **_SETTINGS,
        **dict(
            data_feed_type=_FEEDS[0],
            queue_num=-1,
            merge_size=None,
            parse_ins_id=False,
            parse_content=False,
            fleet_send_batch_size=1024,
            fleet_send_sleep_seconds=0,
            fea_eval=False,
            candidate_size=10000,
        ),
    }

    def __init__(self):
        super().__init__()
        self._set = dict(self._known)
        self._held, self._shuffled, self._loading = [], 0, None

    def init(self, **kwargs):
        """Set the data set up; settings that are not given have their defaults.

        Args:
            batch_size (int, default 1): How many samples a batch has; the last has what is left.
            thread_num (int, default 1): How many files are read at once.
            use_var (list of Tensors, default []): The variables that samples have values for, in
                their order: of float32 or int64, with sequences where they have a `lod_level`.
            pipe_command (str, default 'cat'): The command that makes samples of a file.
            input_type (int, default 0): Only 0.
            fs_name (str, default ''): The name of a Hadoop file system, for paths that begin with
                `hdfs:` or `afs:`.
            fs_ugi (str, default ''): Its user and password, with a comma between them.
            download_cmd (str, default 'cat'): The command that writes the file whose path is behind
                it.
            data_feed_type (str, default 'MultiSlotInMemoryDataFeed'): Also `MultiSlotDataFeed` or
                `SlotRecordInMemoryDataFeed`, for the same samples.
            queue_num (int, default -1): Taken for compatibility; it has no effect.
            merge_size (int, default None): Only None: samples of one id stay apart.
            parse_ins_id (bool, default False): Whether a line begins with `1` and an id.
            parse_content (bool, default False): Whether `1` and a text follow that.
            fleet_send_batch_size (int, default 1024): Taken for compatibility; it has no effect.
            fleet_send_sleep_seconds (int, default 0): Taken for compatibility; it has no effect.
            fea_eval (bool, default False): Whether `slots_shuffle` may be called.
            candidate_size (int, default 10000): Taken for compatibility: slots are shuffled among
                all samples.

        Raises:
            TypeError: A setting of another name or type.
            ValueError: A batch_size or thread_num below 1, or a variable of another dtype.
            NotImplementedError: Another input_type, data_feed_type or merge_size.

        Examples:
            >>> data = paddle.distributed.InMemoryDataset()
            >>> data.init(batch_size=32, thread_num=2, pipe_command="zcat")
        """
        super().init(**kwargs)

    def _checked(self, method, settings):
        only(
            f'{self._op}.{method}',
            'samples are lines of slots, each its own',
            data_feed_type=(settings.get('data_feed_type', _FEEDS[0]), *_FEEDS),
            merge_size=(settings.get('merge_size'), None),
        )
        return super()._checked(method, settings)

    def update_settings(self, **kwargs):
        """Set what is given, and leave the other settings as they are; they are those of `init`.

        Raises:
            TypeError: A setting of another name or type.
            ValueError: A batch_size or thread_num below 1, or a variable of another dtype.

        Examples:
            >>> data = paddle.distributed.InMemoryDataset()
            >>> data.init(batch_size=32)
            >>> data.update_settings(batch_size=64)
        """
        keywords(f'{self._op}.update_settings', kwargs, *self._known)
        self._set.update(self._checked('update_settings', kwargs))

    _init_distributed_settings = update_settings  # its name where a job has parameter servers

    def load_into_memory(self, is_shuffle=False):
        """Read all files; samples that were in memory are dropped.

        Args:
            is_shuffle (bool, default False): Whether the samples are shuffled.

        Raises:
            RuntimeError: There are no variables, or a command failed.
            ValueError: A line is not as variables want it.
            OSError: A file cannot be read.
        """
        self._held, self._shuffled = self._read(self._set['thread_num']), 0
        if is_shuffle:
            self.local_shuffle()

    def _read(self, threads):
        with ThreadPoolExecutor(threads) as pool:
            parts = pool.map(lambda path: list(self._samples(path)), self.filelist)
            return [sample for part in parts for sample in part]

    def preload_into_memory(self, thread_num=None):
        """Begin to read all files, and return at once; `wait_preload_done` waits.

        Args:
            thread_num (int, default None): How many files are read at once; None as set.
        """
        pool = ThreadPoolExecutor(1)
        self._loading = pool.submit(self._read, thread_num or self._set['thread_num'])
        pool.shutdown(wait=False)

    def wait_preload_done(self):
        """Wait until the samples are in memory.

        Raises:
            RuntimeError: Nothing is read, or a command failed.
        """
        if self._loading is None:
            raise RuntimeError(
                f'[{self._op}.wait_preload_done] expected preload_into_memory before, got no call '
                'of it'
            )
        loading, self._loading = self._loading, None
        self._held, self._shuffled = loading.result(), 0

    def local_shuffle(self):
        """Shuffle the samples that this process has in memory."""
        random.shuffle(self._held)

    def global_shuffle(self, fleet=None, thread_num=12):
        """Shuffle the samples of all processes: each has a random part of them afterwards.

        A process alone shuffles its own.

        Args:
            fleet (Fleet, default None): The job, whose processes exchange samples; None for this
                process alone.
            thread_num (int, default 12): Taken for compatibility; it has no effect.
        """
        if self._workers(fleet) > 1:
            self._held = _exchanged(self._held)
        random.shuffle(self._held)
        self._shuffled = len(self._held)

    @staticmethod
    def _workers(fleet):
        from paddle.distributed import get_world_size, is_initialized

        return 1 if fleet is None or not is_initialized() else get_world_size()

    def slots_shuffle(self, slots):
        """Shuffle the values of slots among samples: what a feature is worth shows in how much
        worse a model is without it.

        Args:
            slots (list of str): The names of the variables.

        Raises:
            AttributeError: fea_eval was not set.
            ValueError: A name is that of no variable.
        """
        if not self._set['fea_eval']:
            raise AttributeError(
                f'[{self._op}.slots_shuffle] expected fea_eval=True in init, got False'
            )
        names = [slot.name for slot in self._set['use_var']]
        for name in slots:
            if name not in names:
                raise ValueError(
                    f'[{self._op}.slots_shuffle] expected names among {names}, got {name!r}'
                )
            at = names.index(name)
            column = [sample[at] for sample, _ in self._held]
            random.shuffle(column)
            self._held = [
                ((*sample[:at], value, *sample[at + 1 :]), mark)
                for (sample, mark), value in zip(self._held, column)
            ]

    def release_memory(self):
        """Drop the samples in memory."""
        self._held, self._shuffled = [], 0

    def get_memory_data_size(self, fleet=None):
        """How many samples are in memory.

        Args:
            fleet (Fleet, default None): The job, for the sum over its processes; None for this one.

        Returns:
            int: the number.
        """
        return self._total(len(self._held), fleet)

    def get_shuffle_data_size(self, fleet=None):
        """How many samples `global_shuffle` left in memory; 0 before it.

        Args:
            fleet (Fleet, default None): The job, for the sum over its processes; None for this one.

        Returns:
            int: the number.
        """
        return self._total(self._shuffled, fleet)

    def _total(self, count, fleet):
        if self._workers(fleet) == 1:
            return count
        from paddle.distributed import all_gather_object

        counts = []
        _dynamic(all_gather_object, counts, count)
        return sum(counts)

    def set_date(self, date):
        """The day of the samples, for programs that ask for it.

        Args:
            date (str): Year, month and day, such as '20240131'.

        Raises:
            ValueError: date is none.
        """
        if len(date) != 8:
            raise ValueError(f'[{self._op}.set_date] expected yyyymmdd, got {date!r}')
        self.date = (int(date[:4]), int(date[4:6]), int(date[6:]))

    def _records(self):
        return iter(self._held)


def _dynamic(function, *arguments):
    from paddle.base import dygraph

    with dygraph.guard():
        return function(*arguments)


def _exchanged(samples):
    """The samples that fall to this process when each goes to one by chance."""
    from paddle.distributed import get_rank, get_world_size, scatter_object_list

    rank, size = get_rank(), get_world_size()
    parts, got = [[] for _ in range(size)], []
    for sample in samples:
        parts[random.randrange(size)].append(sample)
    for source in range(size):
        part = []
        _dynamic(scatter_object_list, part, parts if source == rank else None, source)
        got.extend(part[0])
    return got
