# SPDX-License-Identifier: Apache-2.0
"""Files of models that only those read who have a key: `core.CipherFactory` and `core.CipherUtils`.

AES (FIPS 197) in the modes of NIST SP 800-38A and 38D, over blocks in NumPy arrays. What is written
is the initial vector, the text and, with GCM, its tag.
"""

import hmac
import os

import numpy as np

__all__ = ['AESCipher', 'CipherFactory', 'CipherUtils']

_BLOCK = 16


def _doubled(values):
    values = values.astype('uint16') << 1
    return (values ^ np.where(values > 255, 0x11B, 0)).astype('uint8')


def _boxes():
    """The substitution of bytes and its inverse: inverses in GF(2^8), then an affine map."""
    powers, logs, value = [], [0] * 256, 1
    for k in range(255):
        powers.append(value)
        logs[value] = k
        value ^= (value << 1) ^ (0x11B if value & 0x80 else 0)
        value &= 0xFF
    box = np.zeros(256, 'uint8')
    for k in range(256):
        inverse = powers[-logs[k] % 255] if k else 0
        turned = 0x63
        for shift in range(5):
            turned ^= (inverse << shift | inverse >> (8 - shift)) & 0xFF
        box[k] = turned
    back = np.zeros(256, 'uint8')
    back[box] = np.arange(256)
    return box, back


_BOX, _BACK = _boxes()
_SHIFT = np.array([(5 * k) % 16 for k in range(16)])
_UNSHIFT = np.argsort(_SHIFT)


def _round_keys(key):
    words = [list(key[k : k + 4]) for k in range(0, len(key), 4)]
    n, constant = len(words), 1
    while len(words) < 4 * (n + 7):
        last = list(words[-1])
        if len(words) % n == 0:
            last = [int(_BOX[b]) for b in last[1:] + last[:1]]
            last[0] ^= constant
            constant = constant << 1 ^ (0x11B if constant & 0x80 else 0)
        elif n > 6 and len(words) % n == 4:
            last = [int(_BOX[b]) for b in last]
        words.append([a ^ b for a, b in zip(words[-n], last)])
    return np.array(words, 'uint8').reshape(-1, _BLOCK)


def _mixed(blocks):
    columns = blocks.reshape(-1, 4, 4)
    twice = _doubled(columns)
    after = np.roll(columns, -1, 2)
    rest = np.roll(columns, -2, 2) ^ np.roll(columns, -3, 2)
    return (twice ^ np.roll(twice, -1, 2) ^ after ^ rest).reshape(-1, _BLOCK)


def _unmixed(blocks):
    columns = blocks.reshape(-1, 4, 4)
    four = _doubled(_doubled(columns ^ np.roll(columns, -2, 2)))
    return _mixed((columns ^ four).reshape(-1, _BLOCK))


def _encrypted(keys, blocks):
    blocks = blocks ^ keys[0]
    for key in keys[1:-1]:
        blocks = _mixed(_BOX[blocks][:, _SHIFT]) ^ key
    return _BOX[blocks][:, _SHIFT] ^ keys[-1]


def _decrypted(keys, blocks):
    blocks = _BACK[(blocks ^ keys[-1])[:, _UNSHIFT]]
    for key in keys[-2:0:-1]:
        blocks = _BACK[_unmixed(blocks ^ key)[:, _UNSHIFT]]
    return blocks ^ keys[0]


def _blocks(data):
    return np.frombuffer(data, 'uint8').reshape(-1, _BLOCK)


def _padded(data):
    count = _BLOCK - len(data) % _BLOCK
    return data + bytes([count]) * count


def _unpadded(data):
    count = data[-1] if data else 0
    if not 1 <= count <= _BLOCK or data[-count:] != bytes([count]) * count:
        raise ValueError('[Cipher] expected the key the text was encrypted with, got another one')
    return data[:-count]


def _streamed(keys, data, counter, width):
    """`data` with the encryptions of a counter added, of which `width` bytes count."""
    count = -(-len(data) // _BLOCK)
    head, low = counter[: _BLOCK - width], int.from_bytes(counter[_BLOCK - width :], 'big')
    made = b''.join(
        head + ((low + k) % (1 << 8 * width)).to_bytes(width, 'big') for k in range(count)
    )
    stream = _encrypted(keys, _blocks(made)).reshape(-1)[: len(data)]
    return (np.frombuffer(data, 'uint8') ^ stream).tobytes()


def _hashed(subkey, data):
    """GHASH of `data`, whole blocks, under the number `subkey`."""
    rows, row = [], subkey
    for _ in range(128):  # products with x^0, x^1, ...
        rows.append(row)
        row = row >> 1 ^ ((0xE1 << 120) if row & 1 else 0)
    table = []  # of each byte of a block, by place
    for place in range(16):
        bits = rows[8 * place : 8 * place + 8]
        row = [0] * 256
        for k in range(1, 256):
            low = k & -k
            row[k] = row[k ^ low] ^ bits[8 - low.bit_length()]
        table.append(row)
    total = 0
    for k in range(0, len(data), _BLOCK):
        block = (total ^ int.from_bytes(data[k : k + _BLOCK], 'big')).to_bytes(_BLOCK, 'big')
        total = 0
        for row, byte in zip(table, block):
            total ^= row[byte]
    return total.to_bytes(_BLOCK, 'big')


def _whole(data):
    return data + bytes(-len(data) % _BLOCK)


def _lengths(*numbers):
    return b''.join((8 * n).to_bytes(8, 'big') for n in numbers)


class AESCipher:
    """Encrypts and decrypts texts: `CipherFactory.create_cipher` makes one.

    Examples:
        >>> cipher = paddle.base.core.CipherFactory.create_cipher()
        >>> key = paddle.base.core.CipherUtils.gen_key(256)
        >>> cipher.decrypt(cipher.encrypt("weights", key), key)
        b'weights'
    """

    def __init__(self, name, iv_size, tag_size):
        self._mode = _MODES[name]
        self._iv, self._tag = iv_size // 8, tag_size // 8

    def encrypt(self, plaintext, key):
        """What stands for `plaintext` (str or bytes). ValueError unless the key has 16, 24 or 32
        bytes."""
        return self._mode(self, _bytes(plaintext), self._keys(key), False)

    def decrypt(self, ciphertext, key):
        """The text that `ciphertext` stands for. ValueError for a text that this key, or this
        mode, has not made, as far as can be told: surely with GCM alone."""
        return self._mode(self, _bytes(ciphertext), self._keys(key), True)

    def encrypt_to_file(self, plaintext, key, filename):
        """Write what stands for `plaintext`."""
        from paddle.framework.output_file import write_file

        write_file(filename, self.encrypt(plaintext, key))

    def decrypt_from_file(self, key, filename):
        """The text of a file."""
        with open(filename, 'rb') as file:
            return self.decrypt(file.read(), key)

    def _keys(self, key):
        key = _bytes(key)
        if len(key) not in (16, 24, 32):
            raise ValueError(f'[Cipher] expected a key of 16, 24 or 32 bytes, got {len(key)}')
        return _round_keys(key)

    def _split(self, data, tail=0):
        if len(data) < self._iv + tail:
            raise ValueError(f'[Cipher] expected an encrypted text, got {len(data)} bytes')
        return data[: self._iv], data[self._iv :]

    def _ecb(self, data, keys, back):
        if back:
            return _unpadded(_decrypted(keys, self._in_blocks(data)).tobytes())
        return _encrypted(keys, _blocks(_padded(data))).tobytes()

    def _cbc(self, data, keys, back):
        if back:
            before, data = self._split(data)
            blocks = self._in_blocks(data)
            shifted = np.concatenate([_blocks(before), blocks[:-1]])
            return _unpadded((_decrypted(keys, blocks) ^ shifted).tobytes())
        made = [_blocks(os.urandom(_BLOCK))]
        for block in _blocks(_padded(data)):
            made.append(_encrypted(keys, (block ^ made[-1]).reshape(1, -1)))
        return np.concatenate(made).tobytes()

    def _ctr(self, data, keys, back):
        if back:
            start, data = self._split(data)
        else:
            start = os.urandom(self._iv)
        changed = _streamed(keys, data, start, _BLOCK)
        return changed if back else start + changed

    def _gcm(self, data, keys, back):
        subkey = int.from_bytes(_encrypted(keys, np.zeros((1, _BLOCK), 'uint8')).tobytes(), 'big')
        if back:
            start, data = self._split(data, self._tag)
            data, tag = data[: len(data) - self._tag], data[len(data) - self._tag :]
        else:
            start = os.urandom(self._iv)
        if len(start) == 12:
            first = start + b'\0\0\0\1'
        else:
            first = _hashed(subkey, _whole(start) + _lengths(0, len(start)))
        second = first[:12] + (int.from_bytes(first[12:], 'big') + 1 & 0xFFFFFFFF).to_bytes(
            4, 'big'
        )
        changed = _streamed(keys, data, second, 4)
        closed = data if back else changed
        sum_ = _hashed(subkey, _whole(closed) + _lengths(0, len(closed)))
        made = _streamed(keys, sum_, first, 4)[: self._tag]
        if not back:
            return start + changed + made
        if not hmac.compare_digest(made, tag):
            raise ValueError('[Cipher] expected the key and text that were encrypted, got others')
        return changed

    def _in_blocks(self, data):
        if not data or len(data) % _BLOCK:
            raise ValueError(
                f'[Cipher] expected an encrypted text of whole blocks, got {len(data)} bytes'
            )
        return _blocks(data)


_MODES = {
    'AES_ECB_PKCSPadding': AESCipher._ecb,
    'AES_CBC_PKCSPadding': AESCipher._cbc,
    'AES_CTR_NoPadding': AESCipher._ctr,
    'AES_GCM_NoPadding': AESCipher._gcm,
}


def _bytes(text):
    return text.encode() if isinstance(text, str) else bytes(text)


class CipherFactory:
    """Makes ciphers.

    Examples:
        >>> type(paddle.base.core.CipherFactory.create_cipher()).__name__
        'AESCipher'
    """

    @staticmethod
    def create_cipher(config_file=''):
        """A cipher.

        Args:
            config_file (str, default ''): A file of lines `cipher_name : AES_GCM_NoPadding` (or
                CTR, with ECB and CBC PKCSPadding), `iv_size : 128`, `tag_size : 128`, in bits;
                '' for AES in counter mode.

        Raises:
            ValueError: There is no such cipher, or a size is none it can have.
        """
        settings = {'cipher_name': 'AES_CTR_NoPadding', 'iv_size': '128', 'tag_size': '128'}
        if config_file:
            with open(config_file, encoding='utf-8') as file:
                for line in file:
                    name, colon, value = line.partition(':')
                    if colon and not line.lstrip().startswith('#'):
                        settings[name.strip()] = value.strip()
        name = settings['cipher_name']
        if name not in _MODES:
            raise ValueError(f'[create_cipher] expected one of {sorted(_MODES)}, got {name!r}')
        sizes = [settings['iv_size'], settings['tag_size']]
        if not all(size.isdigit() for size in sizes):
            raise ValueError(f'[create_cipher] expected sizes in bits, got {sizes}')
        iv, tag = (int(size) for size in sizes)
        if not (8 <= iv <= 1024 and iv % 8 == 0 and (iv == 128 or 'GCM' in name)):
            raise ValueError(f'[create_cipher] expected an iv_size of 128, got {iv}')
        if not (32 <= tag <= 128 and tag % 8 == 0):
            raise ValueError(f'[create_cipher] expected a tag_size from 32 to 128, got {tag}')
        return AESCipher(name, iv, tag)


class CipherUtils:
    """Makes, writes and reads keys.

    Examples:
        >>> len(paddle.base.core.CipherUtils.gen_key(256))
        32
    """

    @staticmethod
    def gen_key(length):
        """A key of `length` bits, drawn by the system. ValueError unless these are whole bytes."""
        if length <= 0 or length % 8:
            raise ValueError(f'[gen_key] expected a positive multiple of 8, got {length}')
        return os.urandom(length // 8)

    @staticmethod
    def gen_key_to_file(length, filename):
        """Write a new key, and return it."""
        from paddle.framework.output_file import write_file

        key = CipherUtils.gen_key(length)
        write_file(filename, key)
        return key

    @staticmethod
    def read_key_from_file(filename):
        """The key of a file."""
        with open(filename, 'rb') as file:
            return file.read()
