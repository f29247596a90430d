"""Figure 11 of the state-slice paper: what a chain saves of two queries' state and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from planner.experiments.experiment import Axis, Claim, Curve, Experiment, Point, Quantity, Surface
from planner.experiments.wang.settings import JOINED, LARGEST, PAPER, Prices, windowed_joins
from planner.experiments.wang.shares import mean_between, never_negative, nothing_on
from planner.families.sliced_chain import NAME, published_model
from planner.families.sliced_chain.labels import MEM_OPT, PULL_UP, PUSH_DOWN
from planner.families.sliced_chain.published_model import TwoQueries

EXPECTED = "expected counts"
EQUATION_4 = "Equation 4, as printed"
LINEAR_TERMS = "Equations 1 to 3, with terms in λ"
_RATE, _LOW_RATE = 20.0, 2.0
_ROUNDS = 2
# Of either stream, in what is measured.
_TUPLES = 1200.0
_RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)
_FILTERED = (0.2, 0.5, 0.8, 1.0)
_GRID = tuple(round(step / 20, 2) for step in range(1, 20))
_FIGURE = "Figure 11: savings of a chain"
_FIELDS: dict[Quantity, str] = {"state_tuples": "state", "comparisons": "comparisons"}
_EQUATIONS = {PULL_UP: published_model.pull_up, PUSH_DOWN: published_model.push_down}


@dataclass(frozen=True, slots=True)
class Saving:
    """What is saved: of which quantity, and beside which strategy; for a share that joins.

    `rate` is that of either stream.
    """

    quantity: Quantity
    against: str
    joined: float
    rate: float = _RATE

    def equation_4(self, ratio: float, filtered: float) -> float:
        """As printed: without the terms that grow with the rate alone."""
        found = published_model.savings(ratio, filtered, self.joined)
        field = f"{_FIELDS[self.quantity]}_of_{self.against.replace('-', '_')}"
        share: float = getattr(found, field)
        return share

    def with_linear_terms(self, ratio: float, filtered: float) -> float:
        """From Equations 1 to 3 whole, at this rate."""
        given = TwoQueries(self.rate, ratio * LARGEST, LARGEST, filtered, self.joined)
        chain, other = published_model.state_slice(given), _EQUATIONS[self.against](given)
        field = _FIELDS[self.quantity]
        return 1 - float(getattr(chain, field) / getattr(other, field))

    @property
    def models(self) -> dict[str, Callable[[float, float], float]]:
        """The paper's models; of memory they are the same."""
        if self.quantity == "state_tuples":
            return {EQUATION_4: self.equation_4}
        return {EQUATION_4: self.equation_4, LINEAR_TERMS: self.with_linear_terms}

    @property
    def filtered(self) -> tuple[float, ...]:
        """The shares that pass the filter; without one there is no push-down."""
        return _FILTERED if self.against == PULL_UP else _FILTERED[:-1]

    def curves(self) -> tuple[Curve, ...]:
        """A curve for each share that passes, under each model."""
        curves = []
        for filtered in self.filtered:
            points = tuple(self._point(ratio, filtered) for ratio in _RATIOS)
            curves.append(Curve(_subject(filtered), _subject(filtered), points, EXPECTED))
        for model, saved in self.models.items():
            for filtered, own in zip(self.filtered, tuple(curves), strict=False):
                points = tuple(_said(point, saved, filtered) for point in own.points)
                curves.append(Curve(f"{own.subject}, {model}", own.subject, points, model))
        return tuple(curves)

    def _point(self, ratio: float, filtered: float) -> Point:
        windows = (round(ratio * LARGEST, 3), LARGEST)
        name = f"Figure 11, ρ = {ratio:g}, Sσ = {filtered:g}, S⋈ = {self.joined:g}"
        workload = windowed_joins(
            f"{name}, {self.rate:g}/s",
            self.rate,
            windows,
            (1.0, filtered),
            self.joined,
            seconds=_TUPLES / self.rate,
        )
        prices = Prices(workload)
        label = prices.label(MEM_OPT)
        own, other = (getattr(prices.cost(p), self.quantity) for p in (label, self.against))
        return Point(ratio, workload, NAME, label, predicted=1 - own / other, against=self.against)

    def surface(self) -> Surface:
        """The paper's models over all window ratios and filters."""
        return Surface(
            x=_GRID,
            y=_GRID,
            y_title="Sσ: share that passes the filter",
            heights={
                model: tuple(tuple(saved(x, y) for x in _GRID) for y in _GRID)
                for model, saved in self.models.items()
            },
            levels={_subject(filtered): filtered for filtered in self.filtered},
        )


def _said(point: Point, saved: Callable[[float, float], float], filtered: float) -> Point:
    assert isinstance(point.x, float)
    return Point(
        point.x,
        point.workload,
        NAME,
        point.plan,
        predicted=saved(point.x, filtered),
        against=point.against,
    )


def _subject(filtered: float) -> str:
    return f"Sσ = {filtered:g}"


_POSITIVE = Claim(
    "4.3",
    "All the savings are positive (of memory, 0 without a selection).",
    never_negative,
    "The printed savings leave out terms in λ: more slices purge and merge more, which at a low "
    "rate and with few results is more than what they save.",
)
_NO_SELECTION = Claim(
    "4.3",
    "Without a selection a chain holds as many tuples as selection pull-up.",
    nothing_on(_subject(1.0)),
)
_OVER_THE_RANGE = "An average depends on which settings it is over; here those of the curves."
_RANGES: dict[Quantity, tuple[str, float, float]] = {
    "state_tuples": ("20% to 30% of the memory", 0.2, 0.3),
    "comparisons": ("10% to 40% of the CPU", 0.1, 0.4),
}
_UNITS: dict[Quantity, str] = {"state_tuples": "tuples held", "comparisons": "comparisons"}


def _claims(saving: Saving) -> tuple[Claim, ...]:
    text, least, most = _RANGES[saving.quantity]
    average = Claim(
        "4.3", f"About {text} is saved on average.", mean_between(least, most), _OVER_THE_RANGE
    )
    alone = saving.quantity == "state_tuples" and saving.against == PULL_UP
    return (_POSITIVE, average, *([_NO_SELECTION] if alone else []))


def _experiment(letter: str, saving: Saving) -> Experiment:
    unit = _UNITS[saving.quantity]
    counted = saving.quantity == "comparisons"
    part = f"({letter}) {unit}, {saving.against}" + (f", S⋈ = {saving.joined:g}" if counted else "")
    name = f"figure-11{letter}-{saving.against}" + (f"-{saving.joined:g}" if counted else "")
    if saving.rate != _RATE:
        part, name = f"{part}, {saving.rate:g} tuples/s", f"{name}-slow"
    return Experiment(
        name=name,
        paper=PAPER,
        figure=_FIGURE,
        part=part,
        title=f"Figure 11{part}",
        about=(
            f"Two joins, the one with the larger window ({LARGEST:g} s) filters A; both streams "
            f"{saving.rate:g} tuples/s."
        ),
        quantity=saving.quantity,
        x=Axis("ρ: the smaller window over the larger"),
        y=Axis(f"Share of {saving.against}'s {unit} that a chain saves"),
        draw=saving.curves,
        rounds=_ROUNDS,
        shown="saved",
        surface=saving.surface,
        claims=_claims(saving),
    )


WANG_SAVINGS: tuple[Experiment, ...] = (
    *(_experiment("a", Saving("state_tuples", other, 0.1)) for other in (PULL_UP, PUSH_DOWN)),
    *(_experiment("b", Saving("comparisons", PULL_UP, joined)) for joined in JOINED),
    _experiment("b", Saving("comparisons", PULL_UP, JOINED[0], _LOW_RATE)),
    *(_experiment("c", Saving("comparisons", PUSH_DOWN, joined)) for joined in JOINED),
    _experiment("c", Saving("comparisons", PUSH_DOWN, JOINED[0], _LOW_RATE)),
)
