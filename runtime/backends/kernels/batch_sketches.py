"""The sketch of a micro-batch from its file: what workers make of it, where none has kept that."""

from __future__ import annotations

import pyarrow.parquet as pq

from runtime.backends.kernels.prepare import PreparedKernelRun
from runtime.data.batch_seal import opened
from runtime.engines.watching.sketched import Sketch, Sketcher, load_sketching, together


def sketch_of_batch(prepared: PreparedKernelRun, number: int) -> Sketch:
    """The sketch of all tuples of a batch of a run that is watched."""
    assert prepared.sketches is not None, "its tuples are watched"
    load_sketching()
    sketcher = Sketcher(prepared.sketches, prepared.program.form)
    rows = pq.read_table(prepared.batches.file(number)).to_pylist()
    return together(
        [
            Sketch.unpacked(sketcher.sketch(opened(row["tuples"], number, first), first))
            for row in rows
            for first in row["partitions"][:1]
        ]
    )
