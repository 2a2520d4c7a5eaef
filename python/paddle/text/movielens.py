# SPDX-License-Identifier: Apache-2.0
"""MovieLens 1M: who rated which film how."""

import re

import numpy as np

from paddle.base.arguments import integer, mode_of
from paddle.io import Dataset
from paddle.utils.archives import find_file, open_zip, read_zip_member

__all__ = ['Movielens']

_AGES = [1, 18, 25, 35, 45, 50, 56]
_YEAR = re.compile(r'^(.*)\((\d+)\)$')


class Movielens(Dataset):
    r"""MovieLens 1M: who rated which film how.

    An item is eight arrays: the user, gender, age group, job, film, numbers of its categories,
    numbers of its title's words, and the rating, between -3 and 5.

    Args:
        data_file (str, default None): The archive; None for that in
            `~/.cache/paddle/dataset/sentiment`.
        mode (str, default 'train'): `train` or `test`.
        test_ratio (float, default 0.1): About which share of the ratings is the test set.
        rand_seed (int, default 0): The seed by which it is drawn.
        download (bool, default True): Taken for compatibility: nothing is fetched.

    Raises:
        AssertionError: Another mode.
        RuntimeError: The archive is missing.

    Source: Harper and Konstan, The MovieLens datasets (2015).

    Examples:
        >>> import zipfile
        >>> with zipfile.ZipFile("ml-1m.zip", "w") as archive:
        ...     archive.writestr("ml-1m/movies.dat", "7::Up (2009)::Comedy|Drama\n")
        ...     archive.writestr("ml-1m/users.dat", "3::F::25::4::12345\n")
        ...     archive.writestr("ml-1m/ratings.dat", "3::7::5::978300760\n")
        >>> data = paddle.text.Movielens("ml-1m.zip", test_ratio=0.0)
        >>> [part.tolist() for part in data[0]]
        [[3], [1], [2], [4], [7], [0, 1], [0], [5.0]]
    """

    def __init__(self, data_file=None, mode='train', test_ratio=0.1, rand_seed=0, download=True):
        self.mode = mode_of('Movielens', mode, ('train', 'test'))
        self.data_file = find_file(data_file, 'sentiment', 'ml-1m.zip', 'Movielens')
        self.test_ratio = float(test_ratio)
        self.rand_seed = rand_seed and integer('Movielens', 'rand_seed', rand_seed)
        with open_zip(self.data_file) as archive:
            films, users, ratings = (
                self._lines(archive, part) for part in ('movies', 'users', 'ratings')
            )
        films = [(int(key), title, kinds.split('|')) for key, title, kinds in films]
        films = [
            (key, (_YEAR.match(title) or [0, title])[1].lower().split(), kinds)
            for key, title, kinds in films
        ]
        self.categories_dict = {
            c: i for i, c in enumerate(sorted({c for _, _, kinds in films for c in kinds}))
        }
        self.movie_title_dict = {
            w: i for i, w in enumerate(sorted({w for _, words, _ in films for w in words}))
        }
        self.movie_info = {
            key: (
                [key],
                [self.categories_dict[c] for c in kinds],
                [self.movie_title_dict[w] for w in words],
            )
            for key, words, kinds in films
        }
        self.user_info = {
            int(key): ([int(key)], [int(gender != 'M')], [_AGES.index(int(age))], [int(job)])
            for key, gender, age, job, _ in users
        }
        drawn = np.random.RandomState(self.rand_seed).random_sample(len(ratings))
        draws = drawn < self.test_ratio
        self.data = [
            (*self.user_info[int(user)], *self.movie_info[int(film)], [float(rating) * 2 - 5.0])
            for (user, film, rating, _), draw in zip(ratings, draws)
            if draw == (self.mode == 'test')
        ]

    @staticmethod
    def _lines(archive, part):
        text = read_zip_member(archive, f'ml-1m/{part}.dat').decode('latin-1')
        return [line.strip().split('::') for line in text.splitlines() if line.strip()]

    def __getitem__(self, idx):
        return tuple(np.array(part) for part in self.data[idx])

    def __len__(self):
        return len(self.data)
