"""What went wrong in Spark, in one line out of its long report."""

from __future__ import annotations


def cause(error: BaseException) -> str:
    """The line that says what happened: the last error a Python worker or Spark itself names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if ("Error" in line or "Exception" in line) and not line.startswith(("at ", "File "))
    ]
    return (telling or lines or [type(error).__name__])[0][:500]
