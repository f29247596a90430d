"""What was measured of an experiment, how it is written down, and where it is kept."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from planner.errors import RunError
from planner.experiments.experiment import Experiment, Point, Quantity, Shown
from planner.files.whole_files import read_sealed_json, write_sealed_json
from runtime.data.folders import PROJECT, home, writable_home
from runtime.runs.records import versions

logger = logging.getLogger(__name__)

# A page that shows figures need not load the kernels.
if TYPE_CHECKING:
    from runtime.experiments.measurement import MeasuredSample


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """What was measured of one point: a value a round, and its comparisons per tuple."""

    values: tuple[float, ...]
    comparisons: tuple[float, ...]

    def value(self, quantity: Quantity) -> float:
        """What is shown: of rates the best, as noise only slows; of counts the mean."""
        return max(self.values) if quantity == "rate" else sum(self.values) / len(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the most of all rounds."""
        return min(self.values), max(self.values)

    @property
    def comparisons_per_tuple(self) -> float:
        """The mean over the rounds."""
        return sum(self.comparisons) / len(self.comparisons)


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
    """The measured points of an experiment, by key. `answers` has those given on each data.

    All plans on the same data must give one answer; what sheds some of it is not among them.
    """

    experiment: str
    digest: str
    quantity: Quantity
    rounds: int
    size: int
    versions: Mapping[str, str]
    cores: int
    measured_at: float
    points: Mapping[str, MeasuredPoint] = field(default_factory=dict)
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """How many measurements were made."""
        return sum(len(measured.values) for measured in self.points.values())

    @property
    def complete(self) -> bool:
        """Whether every point was measured in every round."""
        return self.samples == self.rounds * self.size

    @property
    def status(self) -> Literal["finished", "cancelled"]:
        """How the measuring ended, in the words of a run."""
        return "finished" if self.complete else "cancelled"

    @property
    def same_answer(self) -> bool:
        """Whether all plans on the same data gave one answer."""
        return all(len(given) <= 1 for given in self.answers.values())

    def shown(self, experiment: Experiment) -> dict[str, MeasuredPoint]:
        """The points by key as the experiment shows them: beside others, where both are there."""
        if experiment.shown == "value":
            return dict(self.points)
        found = {}
        for curve in experiment.curves:
            for point in curve.points:
                own, other = (self.points.get(p.key) for p in (point, point.reference))
                if own is not None and other is not None:
                    found[point.key] = self._beside(own, other, experiment.shown)
        return found

    def _beside(self, own: MeasuredPoint, other: MeasuredPoint, shown: Shown) -> MeasuredPoint:
        """Counts by rounds, which have the same tuples; times beside the other's best."""
        others = other.values
        if self.quantity == "rate":
            others = (max(others),) * len(own.values)
        shares = tuple(a / b for a, b in zip(own.values, others, strict=False))
        if shown == "saved":
            shares = tuple(1 - share for share in shares)
        return MeasuredPoint(shares, own.comparisons)

    def values(self, experiment: Experiment) -> dict[str, float]:
        """The value of every measured point as the experiment shows it, by key."""
        return {key: found.value(self.quantity) for key, found in self.shown(experiment).items()}

    def rounds_of(self, point: Point) -> int:
        """How often this point was measured."""
        return len(self.points[point.key].values) if point.key in self.points else 0

    def with_sample(self, point: Point, sample: MeasuredSample, now: float) -> MeasuredFigure:
        """The figure with one measurement more."""
        before = self.points.get(point.key, MeasuredPoint((), ()))
        value = sample.value(point.quantity or self.quantity, point.query)
        measured = MeasuredPoint(
            (*before.values, value), (*before.comparisons, sample.comparisons_per_tuple)
        )
        given = self.answers.get(sample.data, ())
        if sample.is_whole and sample.answer not in given:
            given = (*given, sample.answer)
        return replace(
            self,
            measured_at=now,
            points={**self.points, point.key: measured},
            answers={**self.answers, sample.data: given},
        )

    def to_json(self) -> dict[str, Any]:
        """The figure as plain values; counts and rates to six digits."""
        return {
            **{known.name: getattr(self, known.name) for known in fields(self)},
            "versions": dict(self.versions),
            "points": {
                key: {"values": _short(m.values), "comparisons per tuple": _short(m.comparisons)}
                for key, m in self.points.items()
            },
            "answers": {data: list(given) for data, given in self.answers.items()},
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], place: str) -> MeasuredFigure:
        """The figure that `to_json` wrote; a RunError where it is damaged."""
        try:
            points = {
                key: MeasuredPoint(tuple(m["values"]), tuple(m["comparisons per tuple"]))
                for key, m in content["points"].items()
            }
            answers = {data: tuple(given) for data, given in content["answers"].items()}
            plain = {k: v for k, v in content.items() if k not in ("points", "answers")}
            return cls(**plain, points=points, answers=answers)
        except (KeyError, TypeError, AttributeError) as error:
            raise RunError("is damaged; delete it, and measure again", place) from error


def nothing_yet(experiment: Experiment, versions: Mapping[str, str], cores: int) -> MeasuredFigure:
    """The figure of an experiment before its first measurement."""
    return MeasuredFigure(
        experiment.name,
        experiment.digest,
        experiment.quantity,
        experiment.rounds,
        len(experiment.points),
        versions,
        cores,
        0.0,
    )


def _short(values: tuple[float, ...]) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


# The papers' points as the benchmarks measured them on their machine: figures by experiment.
PAPER_POINTS = PROJECT / "sample_data" / "paper_points.json.gz"


def figure_file(experiment: Experiment) -> Path:
    """Where this experiment's figure is kept: another machine or version has a file of its own."""
    text = json.dumps([experiment.digest, versions(), os.cpu_count()], sort_keys=True)
    stamp = hashlib.blake2s(text.encode(), digest_size=6).hexdigest()
    return home() / "figures" / f"{experiment.name}-{stamp}.json"


def kept(experiment: Experiment) -> MeasuredFigure | None:
    """What was measured here: all points, or those measured before it was cancelled.

    None where there is nothing that can be read: it is then measured again.
    """
    file = figure_file(experiment)
    content = read_sealed_json(file)
    try:
        return None if content is None else MeasuredFigure.from_json(content, str(file))
    except RunError as error:
        logger.warning("a figure is measured again: %s", error)
        return None


def keep(experiment: Experiment, figure: MeasuredFigure) -> None:
    """Keep this figure in place of the one before; a reader finds one of them whole."""
    writable_home()
    file = figure_file(experiment)
    file.parent.mkdir(exist_ok=True)
    write_sealed_json(file, figure.to_json())


def shipped(experiment: Experiment) -> MeasuredFigure | None:
    """What the benchmarks measured on their machine, if of these very points."""
    if not PAPER_POINTS.is_file():
        return None
    found = _read_once(PAPER_POINTS).get(experiment.name)
    if found is None or found["digest"] != experiment.digest:
        return None
    return MeasuredFigure.from_json(found, str(PAPER_POINTS))


@cache
def _read_once(file: Path) -> dict[str, Any]:
    """The content of a file that does not change while Sluice runs: every click asks for it."""
    return _read(file)


def _read(file: Path) -> dict[str, Any]:
    try:
        content = file.read_bytes()
        found: dict[str, Any] = json.loads(
            gzip.decompress(content) if file.suffix == ".gz" else content
        )
        return found
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RunError(
            f"cannot be read: {error}; get it from the release again", str(file)
        ) from error
