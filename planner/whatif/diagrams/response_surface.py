"""Figures that were simulated in some cells, fitted by polynomials and known in all cells.

A figure of a small sample is off by chance. A polynomial through the logarithms of many of them
evens chance out, as long as it has far fewer terms than there are cells:

    log  .  x        x  simulated
         |x  \\__ x   -  fitted: what it misses is chance, or a shape it cannot follow
         | \\_x  \\-.
         +----------> axis

How many terms each axis gets, and on which scale, is what predicts every cell best from the others
(leave-one-out errors). Plans are simulated on the same tuples in a cell, so that what they have in
common is left out: one plan's figures are fitted, and of each other plan its ratio to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from planner.joins.arrays import Floats

# Degrees tried for each axis, and for how many cells one term may stand at least.
_MOST_DEGREE = 6
_CELLS_A_TERM = 2
# A place that decides its own figure alone is not told by the others at all.
_MOST_OWN = 1 - 1e-9
# A place counts for so many times an average one at most.
_MOST_TIMES = 10


Place = tuple[int, int]
Axes = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True, slots=True, eq=False)
class ResponseSurface:
    """What is fitted in every cell, one column a figure.

    `spread` has the variances and covariances of what one simulated cell is off by, `weight` by
    cell how much of them is left in what is fitted.
    """

    values: Floats
    spread: Floats
    weight: Floats


def surfaces(
    axes: Axes, places: Sequence[Place], figures: Floats, errors: Floats | None = None
) -> ResponseSurface:
    """The figures of these places (one row each, above 0) in every cell, in row-major order.

    All is by logarithms: what is fitted, and what it misses. Places whose figures have larger
    standard errors (as shares of them) count for less.
    """
    counts = np.ones(len(places)) if errors is None else _counts(errors)
    # A row times the root of what it counts for makes plain least squares of weighted ones.
    logs = np.log(figures) * np.sqrt(counts)[:, None]
    shapes = list(_shapes(axes, places, counts))
    missed = np.array([((_missed(shape, logs)) ** 2).sum(axis=0) for shape in shapes])
    shape, base = np.unravel_index(np.argmin(missed), missed.shape)
    ratios = logs - logs[:, [base]]
    common = min(shapes, key=lambda own: float((_missed(own, ratios) ** 2).sum()))
    level, found = _fit(shapes[shape], logs[:, [base]]), _fit(common, ratios)
    return ResponseSurface(level.values + found.values, found.spread, found.weight)


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """Terms of polynomials in every cell, and as orthogonal columns in the known places."""

    everywhere: Callable[[], Floats]
    orthogonal: Floats
    triangle: Floats


def _counts(errors: Floats) -> Floats:
    """What each place counts for, 1 on average."""
    squares = (errors**2).mean(axis=1)
    counts = 1 / (squares + squares.mean() / _MOST_TIMES) if squares.any() else np.ones(len(errors))
    return np.asarray(counts / counts.mean())


def _shapes(axes: Axes, places: Sequence[Place], counts: Floats) -> Iterator[_Shape]:
    rows, columns = (np.array(own) for own in zip(*places, strict=True))
    # Through as many values as it has terms a polynomial swings between them.
    most = [min(_MOST_DEGREE, len(set(own.tolist())) // 2) for own in (rows, columns)]
    scales = product(*(list(_scales(axis)) for axis in axes))
    for scaled in scales:
        powers = [
            np.asarray(np.polynomial.chebyshev.chebvander(own, degree), np.float64)
            for own, degree in zip(scaled, most, strict=True)
        ]
        for one, other in _degrees(most, len(places)):
            terms = powers[0][:, one], powers[1][:, other]
            here = terms[0][rows] * terms[1][columns]
            known = np.linalg.qr(here * np.sqrt(counts)[:, None])
            yield _Shape(partial(_products, *terms), known.Q, known.R)


def _scales(values: Sequence[float]) -> Iterator[Floats]:
    """The values between -1 and 1, as they are and by their logarithms."""
    own = np.array(values)
    for scaled in (own, np.log(own)) if np.all(own > 0) else (own,):
        low, high = scaled.min(), scaled.max()
        yield 2 * (scaled - low) / (high - low) - 1 if high > low else np.zeros(len(scaled))


def _degrees(most: Sequence[int], places: int) -> Iterator[tuple[list[int], list[int]]]:
    """Degrees of the terms along both axes: up to one for each, and of both together no more."""
    for across, down in product(range(most[0] + 1), range(most[1] + 1)):
        terms = [
            (i, j)
            for i, j in product(range(across + 1), range(down + 1))
            if i / max(across, 1) + j / max(down, 1) <= 1
        ]
        if len(terms) == 1 or _CELLS_A_TERM * len(terms) <= places:
            one, other = zip(*terms, strict=True)
            yield list(one), list(other)


def _products(one: Floats, other: Floats) -> Floats:
    """The terms in every cell, one row a cell."""
    return (one[:, None, :] * other[None, :, :]).reshape(-1, one.shape[1])


def _missed(shape: _Shape, figures: Floats) -> Floats:
    """How far each place is from what the others say of it."""
    own = shape.orthogonal
    share = np.minimum((own**2).sum(axis=1), _MOST_OWN)
    return np.asarray((figures - own @ (own.T @ figures)) / (1 - share)[:, None])


def _fit(shape: _Shape, figures: Floats) -> ResponseSurface:
    own = shape.orthogonal
    terms = np.linalg.solve(shape.triangle.T, shape.everywhere().T).T
    found = own.T @ figures
    residuals = figures - own @ found
    freedom = max(1, own.shape[0] - own.shape[1])
    return ResponseSurface(
        terms @ found,
        residuals.T @ residuals / freedom,
        (terms**2).sum(axis=1),
    )
