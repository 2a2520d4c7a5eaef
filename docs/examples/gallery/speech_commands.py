# SPDX-License-Identifier: Apache-2.0
"""Speech commands, synthesised: which of six words a noisy half second holds.

    python speech_commands.py [--quick] [--out speech.png]

A word is a glide between vowels, each two formants; the network sees log mel spectrograms.
"""

import common
import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import nn

RATE = 8000
VOWELS = {'a': (750, 1200), 'i': (300, 2300), 'u': (320, 800)}
WORDS = ['ai', 'au', 'ia', 'iu', 'ua', 'ui']


def spoken(word):
    """Half a second: formants that glide from one vowel to the other, pitch and pace at random."""
    time = np.arange(RATE // 2) / RATE
    middle, pace = np.random.uniform(0.2, 0.3), np.random.uniform(15, 40)
    there = 1 / (1 + np.exp(-(time - middle) * pace))
    sound = np.zeros_like(time)
    for one, other in zip(VOWELS[word[0]], VOWELS[word[1]]):
        frequency = (one + (other - one) * there) * np.random.uniform(0.93, 1.07)
        sound += np.sin(2 * np.pi * np.cumsum(frequency) / RATE)
    pitch = 1 + 0.5 * np.sin(2 * np.pi * np.random.uniform(90, 220) * time)
    return sound * pitch * np.hanning(len(time)) + 0.4 * np.random.randn(len(time))


def recordings(count):
    words = np.random.randint(0, len(WORDS), count)
    sounds = np.stack([spoken(WORDS[word]) for word in words]).astype('float32')
    return paddle.to_tensor(sounds), words.astype('int64')


def main(quick):
    count = 400 if quick else 2000
    hear = paddle.audio.features.LogMelSpectrogram(
        sr=RATE, n_fft=256, hop_length=128, n_mels=32, f_max=RATE / 2
    )
    sounds, words = recordings(count + 200)
    seen = ((hear(sounds) + 30.0) / 20.0).unsqueeze(1).numpy()
    net = nn.Sequential(
        nn.Conv2D(1, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2D(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2D(4),
        nn.Flatten(),
        nn.Linear(512, len(WORDS)),
    )

    def loss_of():
        x, y = common.batch(32, seen[:count], words[:count])
        return F.cross_entropy(net(x), y)

    losses = common.fit(80 if quick else 300, 'convolutions', net.parameters(), loss_of)
    with paddle.no_grad():
        found = net(paddle.to_tensor(seen[count:])).argmax(axis=1).numpy()
    accuracy = float((found == words[count:]).mean())
    return accuracy, [('loss', losses), (f'"{WORDS[words[0]]}"', seen[0, 0, ::-1])]


if __name__ == '__main__':
    common.launch(main, 'accuracy on new recordings', least=0.95, quick_least=0.6)
