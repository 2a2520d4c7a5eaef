# SPDX-License-Identifier: Apache-2.0
"""Archives that claim or unpack to far more than they are, lack members, or hold links instead of
files.
"""

import bz2
import gzip
import io
import lzma
import os
import pickle
import struct
import tarfile
import wave
import zipfile

import numpy as np
import pytest

import paddle
from paddle.utils.archives import open_packed, open_tar, read_tar_member

ZEROS = bytes(1 << 20)


def bomb(path, opener):
    """200 MB of zeros, packed."""
    with opener(path, 'wb') as stream:
        for _ in range(200):
            stream.write(ZEROS)


def tar_of(path, *members, mode='w:gz'):
    with tarfile.open(path, mode) as archive:
        for member, data in members:
            info = tarfile.TarInfo(member)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


@pytest.mark.parametrize('opener', [gzip.open, bz2.open, lzma.open])
def test_bombs(tmp_path, opener):
    path = str(tmp_path / 'x')
    bomb(path, opener)
    for read in (
        lambda s: s.read(),
        lambda s: s.seek(150 << 20),
        lambda s: [s.read(1 << 20) for _ in range(200)],
        lambda s: s.read(1 << 62),
    ):
        with open_packed(path) as stream, pytest.raises(ValueError, match='when unpacked'):
            read(stream)
    with opener(path, 'wb') as stream:
        stream.write(struct.pack('>IIII', 2051, 1, 28, 28))
        for _ in range(200):
            stream.write(ZEROS)
    with pytest.raises(ValueError, match='when unpacked'):
        paddle.vision.datasets.MNIST(path, path)


def test_members_that_claim_too_much(tmp_path):
    path = str(tmp_path / 'x.tar')
    for mode, size in (('w', 1 << 33), ('w:gz', 1 << 33), ('w:gz', 8**11 - 1)):
        info = tarfile.TarInfo('cifar/data_batch_1')
        info.size = size
        data = info.tobuf(tarfile.GNU_FORMAT) + bytes(4096)
        with open(path, 'wb') as stream:
            stream.write(gzip.compress(data) if mode == 'w:gz' else data)
        with pytest.raises((ValueError, OSError, tarfile.TarError)):
            paddle.vision.datasets.Cifar10(path)


def test_members_that_are_no_files(tmp_path):
    path = str(tmp_path / 'x.tar')
    with tarfile.open(path, 'w') as archive:
        for name, kind, link in (
            ('a', tarfile.SYMTYPE, 'b'),
            ('b', tarfile.SYMTYPE, 'a'),
            ('folder', tarfile.DIRTYPE, ''),
            ('out', tarfile.SYMTYPE, '/etc/passwd'),
            ('pipe', tarfile.FIFOTYPE, ''),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            archive.addfile(info)
    with open_tar(path) as archive:
        for name in ('a', 'b', 'folder', 'out', 'pipe', 'missing'):
            with pytest.raises(ValueError, match=f'expected a file {name}'):
                read_tar_member(archive, name)
    assert archive.fileobj.closed


def test_cifar_of_other_things(tmp_path):
    path = str(tmp_path / 'x.tar.gz')
    for content in (pickle.dumps([1]), pickle.dumps(5), b'\x80\x04cos\nsystem\n.', b''):
        tar_of(path, ('c/data_batch_1', content))
        with pytest.raises(ValueError):
            paddle.vision.datasets.Cifar10(path)


def test_a_zip_bomb(tmp_path):
    path = str(tmp_path / 'x.zip')
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('ml-1m/movies.dat', bytes(200 << 20))
    with pytest.raises(ValueError, match='when unpacked'):
        paddle.text.Movielens(path)
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('other', b'x')
    with pytest.raises(ValueError, match='expected a file ml-1m/movies.dat'):
        paddle.text.Movielens(path)
    data = bytearray(open(path, 'rb').read())
    at = data.rindex(b'PK\5\6')
    data[at + 12 : at + 16] = struct.pack('<I', 2**32 - 2)  # the size of the directory
    with open(path, 'wb') as stream:
        stream.write(data)
    with pytest.raises((ValueError, zipfile.BadZipFile)):
        paddle.text.Movielens(path)


def test_an_idx_file_that_claims_too_much(tmp_path):
    path = str(tmp_path / 'x')
    with open(path, 'wb') as stream:
        stream.write(struct.pack('>IIII', 2051, 2**32 - 1, 2**32 - 1, 2**32 - 1))
    with pytest.raises(ValueError, match='holds 0 bytes'):
        paddle.vision.datasets.MNIST(path, path)


def test_a_wave_that_claims_too_much(tmp_path):
    path = str(tmp_path / 'x.wav')
    with wave.open(path, 'wb') as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(16000)
        stream.writeframes(np.arange(100, dtype='<i2').tobytes())
    data = bytearray(open(path, 'rb').read())
    data[4:8] = data[40:44] = struct.pack('<I', 2**32 - 2)
    with open(path, 'wb') as stream:
        stream.write(data)
    got, rate = paddle.audio.load(path, normalize=False)
    assert got.shape == [1, 100] and rate == 16000
    os.truncate(path, 51)
    with pytest.raises((ValueError, NotImplementedError)):
        paddle.audio.load(path)
