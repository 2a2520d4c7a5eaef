# SPDX-License-Identifier: Apache-2.0
"""Jobs of which a rank is killed or stopped at any moment: how long until the others raise, what
they say, and what is left behind.

    python test/distributed/failures.py --runs 200
"""

import argparse
import math
import os
import random
import re
import signal
import sys
import time

import ranks

CALLS = (
    *('collective', 'task', 'object', 'barrier', 'reshard', 'backward', 'new_group', 'store'),
    'aborted',
)
# Seconds in which ranks notice one that is dead.
NOTICED = 1
# The deadline of waits in seconds: time that ranks need for their start is within it.
DEADLINE = 1.5
# What a message calls the collective of a call.
NAMES = {
    'collective': 'all_reduce',
    'task': 'all_reduce',
    'object': 'all_gather',
    'barrier': 'barrier',
    'reshard': 'alltoall',
    'backward': 'all_reduce',
    'new_group': 'new_group|barrier|host|meet',
    'aborted': 'all_reduce|new_group|host|meet',
    'store': "key 'never'",
}


def shared_memory():
    """Names of shared memory of this package: other jobs of the machine have some, too."""
    return {name for name in os.listdir('/dev/shm') if 'paddle' in name}


def left_of(job, secret, before):
    """Processes, a listening port and names of shared memory that a job has left; `before` are
    those names that were there when it began.
    """
    left = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/environ', 'rb') as variables:
                if f'PADDLE_JOB_SECRET={secret}'.encode() in variables.read().split(b'\0'):
                    left.append(f'process {pid}')
        except OSError:  # it has ended, or is another user's
            continue
    port = job.store.port
    job.store = None
    with open('/proc/net/tcp') as sockets:
        listening = [line.split()[1] for line in sockets if line.split()[3] == '0A']
    left += [f'port {port}' for address in listening if int(address.split(':')[1], 16) == port]
    return left + [f'shared memory {name}' for name in shared_memory() - before]


def run(call, how, absent, delay, count=3, deadline=DEADLINE):
    """What was wrong with one job, and the seconds until the last rank raised."""
    if how == signal.SIGSTOP:
        os.environ['PADDLE_PG_TIMEOUT'] = str(int(deadline * 1000))
        os.environ['FLAGS_stop_check_timeout'] = str(math.ceil(deadline))
    before = shared_memory()
    job = ranks.Ranks(
        count, 'work_failures', 'wait_for', call, str(deadline), 'yes' if absent else 'no'
    )
    for name in ('PADDLE_PG_TIMEOUT', 'FLAGS_stop_check_timeout'):
        os.environ.pop(name, None)
    try:
        job.ready(*(f'pid/{r}' for r in range(count)), timeout=30 + 10 * deadline)
    except RuntimeError as e:
        for process in job.processes:
            process.kill()
        texts = [f'rank {rank}: {text[-500:]}' for rank, (_, text) in enumerate(job.end(30))]
        return [str(e), *texts, *left_of(job, job.secret, before)], 0
    victim = int(job.store.get(f'pid/{count - 1}'))
    time.sleep(delay)
    begin = time.time()
    os.kill(victim, how)
    wrong, last = [], 0
    if how == signal.SIGSTOP:
        for process in job.processes[:-1]:
            process.wait(30 + deadline)
        os.kill(victim, signal.SIGKILL)
    for rank, (code, text) in enumerate(job.end(30 + deadline)[:-1]):
        found = re.search(r'RAISED (\S+) (.*)', text)
        if code != 0 or not found:
            wrong.append(f'rank {rank} ended with {code}: {text[-500:]}')
            continue
        last = max(last, float(found[1]) - begin)
        named = f'rank {count - 1}' in found[2] or (call == 'store' and how == signal.SIGSTOP)
        if not named or not re.search(NAMES[call], found[2]):
            wrong.append(f'rank {rank} says: {found[2]}')
    limit = NOTICED + (deadline + 2 if how == signal.SIGSTOP else 0)
    if last > limit:
        wrong.append(f'{last:.2f} s until all raised')
    return wrong + left_of(job, job.secret, before), last


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--runs', type=int, default=200)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--deadline', type=float, default=DEADLINE, help='of waits, in seconds')
    args = parser.parse_args()
    chance = random.Random(args.seed)
    bad, longest = 0, {signal.SIGKILL: 0, signal.SIGSTOP: 0}
    for i in range(args.runs):
        how = signal.SIGSTOP if i % 8 == 7 else signal.SIGKILL
        call = chance.choice(CALLS)
        absent = call != 'aborted' and (call == 'store' or chance.random() < 0.5)
        wrong, last = run(call, how, absent, chance.uniform(0, 0.3), deadline=args.deadline)
        longest[how] = max(longest[how], last)
        bad += bool(wrong)
        if wrong:
            print(f'run {i}, {call}, {how.name}, absent={absent}:', *wrong, sep='\n    ')
    print(f'{args.runs} jobs, {bad} with faults')
    for how, seconds in longest.items():
        print(f'{how.name}: all raised within {seconds:.3f} s')
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
