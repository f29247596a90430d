"""How many rows of results a step may keep: kernels stop when they have found more."""

from __future__ import annotations

from planner.errors import RunError


class TooManyRowsError(RunError):
    """A step found more rows to write than it may keep."""


def check_rows(found: int, most_rows: int) -> None:
    """A TooManyRowsError where a kernel stopped since it found more rows than it may keep."""
    if 0 < most_rows < found:
        raise TooManyRowsError(
            f"a micro-batch has over {most_rows:,} rows to write (results, or changes of groups), "
            "all that the limit and the free memory leave for it; shorten run.duration or the "
            "windows, lower --batch-rows, or leave it out",
            "--results",
        )
