"""Several binary values as one, and back: for what holds values that others have packed."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_COUNT = struct.Struct("<q")


def framed(parts: Sequence[bytes]) -> bytes:
    """The values one after the other, behind their lengths.

    >>> unframed(framed([b"one", b"", b"three"]))
    [b'one', b'', b'three']
    """
    sizes = [_COUNT.pack(len(part)) for part in parts]
    return b"".join([_COUNT.pack(len(parts)), *sizes, *parts])


def unframed(whole: bytes) -> list[bytes]:
    """The values that `framed` put together."""
    (count,) = _COUNT.unpack_from(whole)
    sizes = [_COUNT.unpack_from(whole, 8 * (place + 1))[0] for place in range(count)]
    parts, at = [], 8 * (count + 1)
    for size in sizes:
        parts.append(whole[at : at + size])
        at += size
    return parts
