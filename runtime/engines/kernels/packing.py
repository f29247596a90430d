"""Arrays as one binary value and back: the form of a micro-batch, of state and of counters.

Each array stands behind a header with its type, shape and size. Only numbers can be packed, so
bytes read back from a disk cannot hold code.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

_HEADER = struct.Struct("<2sBBq")
_DTYPES = tuple(np.dtype(name) for name in ("int64", "int32", "int16", "uint64", "float64"))
_MARK = b"SL"


def pack(arrays: Sequence[np.ndarray]) -> bytes:
    """The arrays as one binary value."""
    parts: list[bytes] = []
    for array in arrays:
        dtype = _DTYPES.index(array.dtype)
        parts.append(_HEADER.pack(_MARK, dtype, array.ndim, array.nbytes))
        parts.append(struct.pack(f"<{array.ndim}q", *array.shape))
        parts.append(np.ascontiguousarray(array).tobytes())
    return b"".join(parts)


def unpack(packed: bytes) -> list[np.ndarray]:
    """The arrays of a packed value; they share its memory and cannot be written to."""
    arrays: list[np.ndarray] = []
    at = 0
    while at < len(packed):
        mark, dtype, dimensions, size = _HEADER.unpack_from(packed, at)
        if mark != _MARK:
            raise ValueError("not a packed value of arrays")
        at += _HEADER.size
        shape = struct.unpack_from(f"<{dimensions}q", packed, at)
        at += 8 * dimensions
        count = size // _DTYPES[dtype].itemsize
        arrays.append(np.frombuffer(packed, _DTYPES[dtype], count, at).reshape(shape))
        at += size
    return arrays
