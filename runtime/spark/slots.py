"""Group ids that Spark sends to different tasks.

Spark sends a group to the task pmod(hash(id), tasks). Small ids often meet in one task, and then
partitions wait for each other; so ids are chosen by their hash.
"""

from __future__ import annotations

from itertools import count


def _rotate(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & 0xFFFFFFFF


def spark_hash(value: int) -> int:
    """Spark SQL's `hash` of an INT: Murmur3 with seed 42, as a signed number."""
    word = _rotate(value * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
    mixed = (_rotate(42 ^ word, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    mixed ^= 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    mixed ^= mixed >> 16
    return mixed - 2**32 if mixed >= 2**31 else mixed


def group_ids(partitions: int) -> list[int]:
    """One group id per partition, each in a task of its own.

    >>> sorted(spark_hash(group) % 4 for group in group_ids(4))
    [0, 1, 2, 3]
    """
    ids: dict[int, int] = {}
    for candidate in count():
        ids.setdefault(spark_hash(candidate) % partitions, candidate)
        if len(ids) == partitions:
            return [ids[task] for task in range(partitions)]
    raise AssertionError("count() does not end")
