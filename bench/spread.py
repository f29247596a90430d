"""How far errors spread: the middle, the 95th percentile, and the worst with its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def spread(errors: Sequence[float]) -> dict[str, float]:
    """What is told of a set of q-errors."""
    return {
        "median": float(np.median(errors)),
        "95th percentile": float(np.percentile(errors, 95)),
        "worst": float(max(errors)),
    }


def spread_of(counted: str, pairs: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The same of errors with their places; how many there are stands under `counted`."""
    return {
        counted: len(pairs),
        **spread([error for error, _ in pairs]),
        "worst at": max(pairs)[1],
    }
