"""The seal of a micro-batch, and of the state after one: which it is, its length and digest.

It is opened before a step. So a batch that is damaged, missing or given twice ends the
run; it never changes the answer.
"""

from __future__ import annotations

import struct

from planner.errors import RunError
from planner.files.whole_files import digest_of_bytes

# A batch that all partitions are given.
EVERY_PARTITION = -1
_SEAL = struct.Struct("<4siiq20s")
_MARK = b"SLSE"


def sealed(packed: bytes, number: int, partition: int) -> bytes:
    """The bytes of this batch and partition with their seal."""
    return packed + _seal(packed, number, partition)


def opened(given: bytes, number: int, partition: int) -> bytes:
    """The bytes of this batch and partition; a RunError where they are not what was sealed."""
    packed, seal = given[: -_SEAL.size], given[-_SEAL.size :]
    # The partition is in the middle: one digest serves to compare with both.
    expected = _seal(packed, number, partition)
    if seal not in (expected, _with_partition(expected, EVERY_PARTITION)):
        raise RunError("is damaged, or was written by another version of Sluice", f"batch {number}")
    return packed


def _seal(packed: bytes, number: int, partition: int) -> bytes:
    return _SEAL.pack(_MARK, number, partition, len(packed), digest_of_bytes(packed))


def _with_partition(seal: bytes, partition: int) -> bytes:
    mark, number, _, length, digest = _SEAL.unpack(seal)
    return _SEAL.pack(mark, number, partition, length, digest)
