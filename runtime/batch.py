"""A micro-batch of arriving tuples as one binary value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from runtime.kernels.packing import pack, unpack
from runtime.kernels.windows import Tuples


@dataclass(frozen=True, slots=True)
class Batch:
    """Tuples in arrival order; `until` is the time the whole batch reaches, in microseconds."""

    tuples: Tuples
    until: int
    last: bool

    def pack(self) -> bytes:
        """The batch as one binary value."""
        return pack([np.array([self.until, self.last], np.int64), *self.tuples])

    @classmethod
    def unpack(cls, packed: bytes) -> Batch:
        """The batch that `pack` wrote."""
        (until, last), *columns = unpack(packed)
        return cls(Tuples(*columns), int(until), bool(last))
