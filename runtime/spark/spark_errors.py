"""What went wrong in Spark, in one line out of its long report."""

from __future__ import annotations

import re

from runtime.backends.interruption import RUN_AGAIN, full

MOST_CHARACTERS = 500

# A line that names an error and says something of it; Java puts what caused it further down.
_NAMED = re.compile(r"(?:Caused by: |: )?(?:\w+\.)*(\w*(?:Error|Exception)): (.+)")


def cause(error: BaseException, then: str = RUN_AGAIN) -> str:
    """The last error that a Python worker or Spark names; what comes before it only passes it on.

    `then` is what to do about a full disk when there is room.

    >>> cause(Exception("Job aborted\\nCaused by: java.io.IOException: disk full\\n at x.y(z)"))
    'IOException: disk full'
    """
    if "No space left on device" in str(error):
        return full(then)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [found.groups() for line in lines if (found := _NAMED.fullmatch(line))]
    told = [(kind, said) for kind, said in named if not said.startswith("Traceback")]
    if not told:
        return (lines or [type(error).__name__])[0][:MOST_CHARACTERS]
    kind, said = told[-1]
    # Ours already say what to do.
    return (said if kind in ("RunError", "PlanError") else f"{kind}: {said}")[:MOST_CHARACTERS]
