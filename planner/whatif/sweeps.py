"""What-if: how plans' costs move, and which plan wins, as numbers of the workload vary."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product

from planner.errors import PlanError
from planner.families.protocol import Family, PlanSpace
from planner.whatif.sweep_paths import Path, path_in
from planner.workload.validation import unique
from planner.workload.workload import Workload

MOST_CELLS = 10_000
MOST_PLANS = 100
MOST_SECONDS = 120.0
MOST_HALVINGS = 40
_FORM = "write PATH=FROM:TO:STEPS or PATH=FROM:TO:STEPS:log"


@dataclass(frozen=True, slots=True)
class Axis:
    """A path into the workload and the values it takes."""

    path: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where, between two cells of one axis, the winner changes."""

    at: float
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """Costs of the plans that win somewhere and of the baseline; cells in row-major order."""

    axes: tuple[Axis, ...]
    plans: tuple[str, ...]
    cost: tuple[tuple[float, ...], ...]
    winner: tuple[str, ...]
    crossovers: tuple[Crossover, ...]


def parse_axis(text: str) -> Axis:
    """An axis as the command line writes it.

    >>> parse_axis("streams.S1.rate=1:100:3:log").values
    (1.0, 10.0, 100.0)
    """
    path, equals, span = text.rpartition("=")
    parts = span.split(":")
    if not equals or not path or len(parts) not in (3, 4) or parts[3:] not in ([], ["log"]):
        raise PlanError(f"cannot be read; {_FORM}", text)
    try:
        first, last, steps = float(parts[0]), float(parts[1]), int(parts[2])
    except ValueError:
        raise PlanError(f"FROM, TO and STEPS must be numbers; {_FORM}", text) from None
    return Axis(path, _spaced(text, first, last, steps, log=len(parts) == 4))


def _spaced(text: str, first: float, last: float, steps: int, log: bool) -> tuple[float, ...]:
    if not (math.isfinite(first) and math.isfinite(last)):
        raise PlanError("FROM and TO must be finite", text)
    if not 1 <= steps <= MOST_CELLS:
        raise PlanError(f"STEPS must be from 1 to {MOST_CELLS:,}, got {steps}", text)
    if log and not (first > 0 and last > 0):
        raise PlanError("a log axis needs FROM and TO above 0", text)
    if steps == 1:
        return (first,)
    shares = [step / (steps - 1) for step in range(steps)]
    if log:
        inner = [math.exp(math.log(first) + s * math.log(last / first)) for s in shares]
        inner = [float(f"{value:.12g}") for value in inner]
    else:
        inner = [first + s * (last - first) for s in shares]
    return (first, *inner[1:-1], last)


def sweep(workload: Workload, axes: Sequence[Axis], family: Family, by: str | None = None) -> Sweep:
    """Price the plans of every cell: those that win somewhere, and the baseline.

    `by` names the objective that plans are ranked by.
    """
    if not axes:
        raise PlanError(f"nothing varies; {_FORM}", "--vary")
    unique((axis.path for axis in axes), "--vary")
    kept = tuple(_rounded(path_in(workload, axis.path), axis) for axis in axes)
    count = math.prod(len(axis.values) for axis in kept)
    if count > MOST_CELLS:
        raise PlanError(f"{count:,} cells; at most {MOST_CELLS:,}: take fewer steps", "--vary")
    deadline = time.monotonic() + MOST_SECONDS
    cells = list(product(*(axis.values for axis in kept)))
    at = partial(_cell, workload, kept, family)
    # Labels may name windows: such plans get a name that every cell knows.
    is_lasting = any(axis.path.startswith("queries.") for axis in kept)
    winner = []
    for cell in cells:
        _check(deadline)
        space = at(cell)
        label = space.best(space.objective(by)).label
        winner.append(space.lasting(label) if is_lasting else label)
    plans = _shown(winner, at(cells[0]).rank(top=1).baseline)
    scores = []
    for cell in cells:
        _check(deadline)
        space = at(cell)
        scores.append(space.scores(plans, space.objective(by)))
    crossovers = _crossovers(workload, kept[0], family, winner, by) if len(kept) == 1 else ()
    cost = tuple(zip(*scores, strict=True))
    return Sweep(kept, plans, cost, tuple(winner), crossovers)


def _rounded(path: Path, axis: Axis) -> Axis:
    """The axis with values that its path can take: a whole number is taken once."""
    if not path.integer:
        return axis
    return Axis(axis.path, tuple(dict.fromkeys(float(round(value)) for value in axis.values)))


def _cell(
    workload: Workload, axes: Sequence[Axis], family: Family, values: Sequence[float]
) -> PlanSpace:
    """The plans of one cell, or an error that says which value cannot be planned."""
    for axis, value in zip(axes, values, strict=True):
        try:
            workload = path_in(workload, axis.path).change(value)
        except PlanError as error:
            raise PlanError(f"{value:g} is out of range: {error}", axis.path) from None
    reason = family.refuses(workload)
    if reason is not None:
        raise PlanError(f"cannot be swept: {reason}", family.name)
    return family.space(workload)


def _check(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise PlanError(f"took over {MOST_SECONDS:g} s; take fewer steps or streams", "--vary")


def _shown(winners: Sequence[str], baseline: str) -> tuple[str, ...]:
    """The plans that win most often, in the order of their first win, and the baseline."""
    frequent = {label for label, _ in Counter(winners).most_common(MOST_PLANS)}
    shown = [label for label in dict.fromkeys(winners) if label in frequent]
    return tuple(dict.fromkeys([*shown, baseline]))


def _crossovers(
    workload: Workload, axis: Axis, family: Family, winner: Sequence[str], by: str | None
) -> tuple[Crossover, ...]:
    path = path_in(workload, axis.path)
    found = []
    for (left, before), (right, after) in pairwise(zip(axis.values, winner, strict=True)):
        if before != after:
            found.append(_crossover(path, family, (left, right), (before, after), by))
    return tuple(found)


def _crossover(
    path: Path,
    family: Family,
    span: tuple[float, float],
    labels: tuple[str, str],
    by: str | None,
) -> Crossover:
    """Bisect for the value from which the second plan is the better one."""
    low, high = span
    for _ in range(MOST_HALVINGS):
        if path.integer and abs(high - low) <= 1:
            break
        middle = float(round((low + high) / 2)) if path.integer else (low + high) / 2
        space = family.space(path.change(middle))
        objective = space.objective(by)
        before, after = space.scores(labels, objective)
        low, high = (low, middle) if objective.is_better(after, before) else (middle, high)
    return Crossover(high if path.integer else float(f"{high:.9g}"), *labels)
