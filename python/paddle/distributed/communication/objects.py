# SPDX-License-Identifier: Apache-2.0
"""Python objects as bytes. They go between processes of one group only, which know the job's
secret: nothing of a stranger is unpickled.
"""

import pickle


def dump(obj):
    return pickle.dumps(obj, protocol=pickle.HIGHEST_PROTOCOL)


def load(data):
    return pickle.loads(data)


def give(group, src, objects):
    """What process `src` calls `objects`, on every process of the group."""
    mine = dump(objects) if group.ranks[group.rank] == src else b''
    return load(group.process_group.gather_bytes(mine)[group.ranks.index(src)])
