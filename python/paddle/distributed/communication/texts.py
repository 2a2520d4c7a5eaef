# SPDX-License-Identifier: Apache-2.0
"""Arguments that collectives share, for their documentation."""

ENTRIES = """
op (int, default 0): How elements are reduced, a `ReduceOp`: SUM, MAX, MIN, PROD or AVG.
group (Group, default None): The processes that take part; None for all. A process outside it does
    nothing, and a warning says so.
sync_op (bool, default True): Whether the call returns once all is done; otherwise `wait()` of the
    task that it returns does.
use_calc_stream (bool, default False): Whether it runs on the stream of calculations; only with
    sync_op. The CPU has one stream.
"""
