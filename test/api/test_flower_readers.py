# SPDX-License-Identifier: Apache-2.0
"""paddle.dataset.flowers: readers of an archive and two Matlab files, and how pictures become
numbers.
"""

import io
import tarfile

import numpy as np
import pytest

from paddle.dataset import flowers, image

scipy_io = pytest.importorskip('scipy.io')
Image = pytest.importorskip('PIL.Image')


@pytest.fixture
def files(tmp_path):
    values = np.random.RandomState(0)
    with tarfile.open(tmp_path / 'flowers.tgz', 'w:gz') as archive:
        for number in range(1, 6):
            data = io.BytesIO()
            picture = values.randint(0, 255, (256 + number, 300, 3), dtype='uint8')
            Image.fromarray(picture).save(data, 'PNG')
            member = tarfile.TarInfo(f'jpg/image_{number:05d}.jpg')
            member.size = len(data.getvalue())
            data.seek(0)
            archive.addfile(member, data)
    scipy_io.savemat(tmp_path / 'labels.mat', {'labels': [[11, 12, 13, 14, 15]]})
    parts = {'tstid': [[3, 1]], 'trnid': [[2, 4]], 'valid': [[5]]}
    scipy_io.savemat(tmp_path / 'setid.mat', parts)
    return [str(tmp_path / name) for name in ('flowers.tgz', 'labels.mat', 'setid.mat')]


@pytest.mark.parametrize('use_xmap', [False, True])
def test_samples_of_a_part(files, use_xmap):
    for name, labels in (('tstid', [10, 12]), ('trnid', [11, 13]), ('valid', [14])):
        reader = flowers.reader_creator(
            *files, name, lambda sample: (sample[0][:4], sample[1]), use_xmap=use_xmap
        )
        assert sorted(reader(), key=lambda s: s[1]) == [(b'\x89PNG', label) for label in labels]
    endless = flowers.reader_creator(*files, 'trnid', lambda s: s[1], 16, use_xmap, True)()
    assert {next(endless) for _ in range(7)} == {11, 13}


def test_pictures_become_numbers(files):
    cv2 = pytest.importorskip('cv2')
    ((numbers, label),) = flowers.reader_creator(*files, 'valid', flowers.test_mapper)()
    assert (numbers.shape, numbers.dtype, label) == ((150528,), np.float32, 14)
    with tarfile.open(files[0]) as archive:
        data = archive.extractfile('jpg/image_00005.jpg').read()
    whole = cv2.imdecode(np.frombuffer(data, 'uint8'), 1)
    whole = cv2.resize(whole, (256 * 300 // 261, 256), interpolation=cv2.INTER_CUBIC)
    left = (whole.shape[1] - 224) // 2
    part = whole[16:240, left : left + 224].transpose(2, 0, 1).astype('float32')
    want = part - np.array([103.94, 116.78, 123.68], 'float32')[:, None, None]
    np.testing.assert_allclose(numbers, want.ravel(), rtol=1e-6)
    np.random.seed(0)
    for _ in range(4):
        numbers, _ = flowers.train_mapper((data, 1))
        assert numbers.shape == (150528,) and numbers.max() > 100
    with pytest.raises(AssertionError, match='axes'):
        image.to_chw(np.zeros([2, 2]))
