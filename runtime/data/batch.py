"""Arrays as one binary value and back: the form of a micro-batch, of state and of counters.

Each array comes after a header with its type, shape and size. Only numbers can be packed, so bytes
that are read back from a disk cannot hold code.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from runtime.data.feed import TupleColumns

_HEADER = struct.Struct("<2sBBq")
_DTYPES = tuple(np.dtype(name) for name in ("int64", "int32", "int16", "uint64", "float64"))
_MARK = b"SL"

Form = TypeVar("Form", bound=TupleColumns)


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


@dataclass(frozen=True, slots=True)
class Batch(Generic[Form]):
    """Tuples in arrival order; `until` is the time the whole batch reaches, in microseconds."""

    tuples: Form
    until: int
    last: bool

    def pack(self) -> bytes:
        """The batch as one binary value."""
        return pack([np.array([self.until, self.last], np.int64), *self.tuples])

    @classmethod
    def unpack(cls, packed: bytes, form: Callable[..., Form]) -> Batch[Form]:
        """The batch that `pack` wrote of tuples of this form."""
        (until, last), *columns = unpack(packed)
        return cls(form(*columns), int(until), bool(last))
