"""All kernels compiled, or loaded; `python -m runtime.engines.compile_kernels` does it.

Compiling keeps Python's lock for a minute or so in all: a process of its own does it, and others
load what it has written.
"""

from __future__ import annotations

from runtime.engines.aggregation.kernel.aggregation import load_aggregation_kernels
from runtime.engines.joins.kernel.loops import load_loop_kernels
from runtime.engines.joins.kernel.multiway import load_kernels
from runtime.engines.slices.load import load_slice_kernels


def load_all_kernels() -> None:
    """Those that most runs need come first."""
    load_kernels()
    load_slice_kernels()
    load_aggregation_kernels()
    for relations in (False, True):
        load_loop_kernels(relations)


if __name__ == "__main__":
    load_all_kernels()
