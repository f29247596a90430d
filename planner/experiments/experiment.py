"""An experiment of a paper: curves of workloads and plans, the printed figures, and the claims.

Nothing here belongs to one family: a point is a workload and the label of a plan that answers it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from planner.workload.workload import Workload

# Experiments that are only shown need no tuples.
if TYPE_CHECKING:
    from planner.files.tuple_table import Table

# What is read of a plan (`quantities.py`): part of its cost, a figure of its queries, an objective
# of its family; or of a run alone: the most tuples a second of processor time ("rate"), and what
# the engine says of an order of its work ("queue_max").
Quantity = str
# Figures as they are; or beside another plan's on the same tuples: as so many times that, or as the
# share of it that is saved.
Shown = Literal["value", "times", "saved"]
# The kernel a run of the plan takes, or the one that knows every plan: ratios compare like with
# like only where all their points are of one kernel.
Kernel = Literal["usual", "general"]
Place = float | str
# Values of an experiment's points: by the label of their curve, then by place.
Values = Mapping[str, Mapping[Place, float]]


@dataclass(frozen=True, slots=True)
class Point:
    """One place of a curve: the workload there, and the plan that is priced and measured.

    `printed` is the paper's own figure, where its text has one. `against` is the plan beside which
    it is shown, in experiments that show no figures as they are. `quantity` is what is read of it
    where that is not the experiment's, and `query` the query whose figure it is. `tuples` makes
    those that the plan runs on, where no stream can be generated that has them.
    """

    x: Place
    workload: Workload
    family: str
    plan: str
    kernel: Kernel = "usual"
    predicted: float | None = None
    printed: float | None = None
    measured: bool = True
    against: str = ""
    quantity: Quantity = ""
    query: str = ""
    tuples: Callable[[Workload], Mapping[str, Table]] | None = None

    @property
    def reference(self) -> Point:
        """The point of the plan that this one is shown beside."""
        return replace(self, plan=self.against, predicted=None, printed=None)

    @property
    def key(self) -> str:
        """What is measured: points of several curves that share it are measured once."""
        if not self.quantity and not self.query:
            return self.run_key
        return _digest(self.run_key, self.quantity, self.query)

    @property
    def run_key(self) -> str:
        """What is run for it: points that are read of one run share that."""
        return _digest(self.workload.digest, self.family, self.plan, self.kernel)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points that form one curve; curves of one `subject` are drawn in one colour.

    `model` names what predicts it; empty where nothing does.
    """

    label: str
    subject: str
    points: tuple[Point, ...]
    model: str = ""


def curves_by_model(
    points: Mapping[tuple[str, str], Sequence[Point]], separator: str = ", "
) -> tuple[Curve, ...]:
    """Curves of points by model and subject: those of the first model first, under plain names."""
    own, *others = dict.fromkeys(model for model, _ in points)
    return tuple(
        Curve(
            subject if model == own else f"{subject}{separator}{model}",
            subject,
            tuple(found),
            model,
        )
        for wanted in (own, *others)
        for (model, subject), found in points.items()
        if model == wanted
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a claim holds in some figures, and what they say about it."""

    holds: bool
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper that figures can confirm or not, and why they may not.

    It is checked in the figures of every model that predicts them, and in the measured ones. One
    about the model beside what was measured, an agreement, takes both.
    """

    section: str
    text: str
    check: Callable[..., Finding]
    because: str = ""


@dataclass(frozen=True, slots=True)
class FigureAxis:
    """What stands along an axis, with its unit. `named`: its places are words, not numbers."""

    title: str
    logarithmic: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Surface:
    """What models say over two settings: those of `x` along the first axis, of `y` the second.

    `heights` has for each model a row for every y. `levels` are where curves lie on it, by subject.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    y_title: str
    heights: Mapping[str, tuple[tuple[float, ...], ...]]
    levels: Mapping[str, float]


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper, as curves. `rounds`: how often every point is measured.

    `figure` names the figure or table that it belongs to, `part` what tells it from the others of
    that figure; empty where it is alone. Curves of Sluice's own model come first.

    Where work is counted, every round has tuples of its own, for the spread; where time is
    measured, all rounds have the same ones, and the points take turns. `shown` says whether figures
    stand as they are or beside those of another plan. `surface` is drawn in space on request.
    """

    name: str
    paper: str
    figure: str
    title: str
    about: str
    quantity: Quantity
    x: FigureAxis
    y: FigureAxis
    draw: Callable[[], tuple[Curve, ...]]
    rounds: int
    part: str = ""
    shown: Shown = "value"
    surface: Callable[[], Surface] | None = None
    claims: tuple[Claim, ...] = ()
    agreements: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """The curves, priced when they are first asked for."""
        return self.draw()

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The points to measure, each once: as its first curve has it. Those of a place follow one
        another: what is compared is measured within a short time, on tuples generated once.
        """
        found: dict[str, Point] = {}
        for curve in self.curves:
            for point in curve.points:
                if point.measured:
                    found.setdefault(point.key, point)
                    if self.shown != "value":
                        found.setdefault(point.reference.key, point.reference)
        places = list(dict.fromkeys(point.x for point in found.values()))
        return tuple(sorted(found.values(), key=lambda point: places.index(point.x)))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """What predicts the curves."""
        return tuple(dict.fromkeys(curve.model for curve in self.curves if curve.model))

    def predicted(self) -> dict[str, Values]:
        """What each model says, by the subject of its curves."""
        return {
            model: {
                curve.subject: {p.x: p.predicted for p in curve.points if p.predicted is not None}
                for curve in self.curves
                if curve.model == model
            }
            for model in self.models
        }

    def measured(self, by_key: Mapping[str, float]) -> Values:
        """These values of points, by the label of their curves."""
        return {
            curve.label: {p.x: by_key[p.key] for p in curve.points if p.key in by_key}
            for curve in self.curves
        }

    @cached_property
    def digest(self) -> str:
        """The same for the same points, in every process: measured figures are kept by it."""
        return _digest(self.quantity, self.rounds, *sorted(point.key for point in self.points))


def _digest(*parts: object) -> str:
    return hashlib.blake2s(json.dumps(parts).encode(), digest_size=8).hexdigest()
