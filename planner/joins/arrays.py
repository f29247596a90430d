"""The arrays that the search works on."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@lru_cache(maxsize=4)
def gauss(points: int) -> tuple[Floats, Floats]:
    """Points and weights of Gauss and Legendre between -1 and 1."""
    # Few workloads integrate, and numpy takes long to load its polynomials.
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights
