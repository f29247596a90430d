"""The answer digest: one number for a multiset of results, whatever order they come in.

A tuple's hash is xxhash64(source, seq); a result's is the xxhash64 of the XOR of its members'; the
digest is the sum over results modulo 2^64. `xxhash64` is Spark SQL's, so Spark computes the same
digest with its own functions. A sum, not an XOR: a result that comes twice must not vanish.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_P1 = np.uint64(0x9E3779B185EBCA87)
_P2 = np.uint64(0xC2B2AE3D27D4EB4F)
_P3 = np.uint64(0x165667B19E3779F9)
_P4 = np.uint64(0x85EBCA77C2B2AE63)
_P5 = np.uint64(0x27D4EB2F165667C5)
_SPARK_SEED = np.uint64(42)


@njit(inline="always")
def _rotate(word, bits):
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@njit(inline="always")
def _xxhash64(word, seed):
    """XXH64 of one 8-byte word, as Spark SQL's `xxhash64` hashes a BIGINT."""
    mixed = seed + _P5 + np.uint64(8)
    mixed ^= _rotate(word * _P2, 31) * _P1
    mixed = _rotate(mixed, 27) * _P1 + _P4
    mixed ^= mixed >> np.uint64(33)
    mixed *= _P2
    mixed ^= mixed >> np.uint64(29)
    mixed *= _P3
    mixed ^= mixed >> np.uint64(32)
    return mixed


@njit(inline="always")
def result_hash(members):
    """The hash of a result, from the XOR of its members' hashes."""
    return _xxhash64(members, _SPARK_SEED)


@njit(cache=True, nogil=True)
def tuple_hashes(source, seq):
    """The hash of each tuple, from the place of its source in FROM and its place in the stream."""
    hashes = np.empty(len(seq), np.uint64)
    for i in range(len(seq)):
        first = _xxhash64(np.uint64(source[i]), _SPARK_SEED)
        hashes[i] = _xxhash64(np.uint64(seq[i]), first)
    return hashes


@njit(cache=True, nogil=True)
def digest_of(results):
    """The digest of results given as rows of seqs, one column per source in FROM order."""
    total = np.uint64(0)
    for row in range(results.shape[0]):
        members = np.uint64(0)
        for source in range(results.shape[1]):
            first = _xxhash64(np.uint64(source), _SPARK_SEED)
            members ^= _xxhash64(np.uint64(results[row, source]), first)
        total += result_hash(members)
    return total


@njit(cache=True, nogil=True)
def digest_of_rows(rows, seed):
    """The digest of rows of numbers, such as groups and their aggregates, in whatever order."""
    total = np.uint64(0)
    for row in range(rows.shape[0]):
        mixed = np.uint64(seed)
        for column in range(rows.shape[1]):
            mixed = _xxhash64(np.uint64(rows[row, column]), mixed)
        total += mixed
    return total


def as_text(digest: int) -> str:
    """A digest as it is shown and compared."""
    return f"{digest % 2**64:016x}"
