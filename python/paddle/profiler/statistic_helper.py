# SPDX-License-Identifier: Apache-2.0
"""Ranges of time, as pairs of start and end: sums, unions, intersections and differences of lists
of them.
"""

__all__ = [
    'sum_ranges',
    'merge_self_ranges',
    'merge_ranges',
    'intersection_ranges',
    'subtract_ranges',
]


def sum_ranges(ranges):
    """The length of all ranges together."""
    return sum(end - start for start, end in ranges)


def merge_self_ranges(src_ranges, is_sorted=False):
    """The union, as ranges apart from each other in order; `is_sorted` says that the ranges are in
    order.
    """
    merged = []
    for start, end in src_ranges if is_sorted else sorted(src_ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def merge_ranges(range_list1, range_list2, is_sorted=False):
    """The union of two lists."""
    return merge_self_ranges(
        merge_self_ranges(range_list1, is_sorted) + merge_self_ranges(range_list2, is_sorted)
    )


def intersection_ranges(range_list1, range_list2, is_sorted=False):
    """What lies in a range of both lists."""
    theirs = merge_self_ranges(range_list2, is_sorted)
    return [
        (max(start, a), min(end, b))
        for start, end in merge_self_ranges(range_list1, is_sorted)
        for a, b in theirs
        if max(start, a) < min(end, b)
    ]


def subtract_ranges(range_list1, range_list2, is_sorted=False):
    """What lies in a range of the first list and in none of the second."""
    left = []
    theirs = merge_self_ranges(range_list2, is_sorted)
    for start, end in merge_self_ranges(range_list1, is_sorted):
        for a, b in theirs:
            if a < end and start < b:
                if start < a:
                    left.append((start, a))
                start = b
        if start < end:
            left.append((start, end))
    return left
