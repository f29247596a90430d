"""A micro-batch of arriving tuples as one binary value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from runtime.engines.aggregation.kernel.types import Arrivals
from runtime.engines.joins.kernel.loop_types import Rows
from runtime.engines.kernels.packing import pack, unpack
from runtime.engines.kernels.windows import Tuples

Form = TypeVar("Form", Tuples, Rows, Arrivals)


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
    def unpack(cls, packed: bytes, form: type[Form]) -> Batch[Form]:
        """The batch that `pack` wrote of tuples of this form."""
        (until, last), *columns = unpack(packed)
        return cls(form(*columns), int(until), bool(last))
