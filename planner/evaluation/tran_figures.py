"""Figures 6 to 10 of the early-aggregation paper: all plans, by one number of the workload."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.evaluation.aggregations import Row, grouped_join
from planner.evaluation.checks import lowest
from planner.evaluation.experiment import Axis, Claim, Curve, Experiment, Point
from planner.evaluation.trends import approaches, below, climb, falls, levels_off, steeper
from planner.execution import Execution
from planner.families.early_aggregation.model import NAME, model_of
from planner.families.early_aggregation.printed import PrintedModel
from planner.families.early_aggregation.ranking import scores
from planner.workload import Workload

PAPER = "Tran & Lee 2007"
REFINED = "expected entries"
PRINTED = "as printed"
TWO = ("LAP", "EAP-10", "EAP-01", "EAP-11")
_ROUNDS = 3
_HASH = Execution(join="hash", buckets=1021)
_NESTED = Execution()
_OPERATIONS = Axis("Operations per second of stream time", logarithmic=True)
_BY_WINDOW = Axis("Tuples in the window of S1")
_BY_GROUPS = Axis("Groups of S1", logarithmic=True)
_BY_RATE = Axis("Tuples per second of S1")
_BY_SELECTIVITY = Axis("Join selectivity", logarithmic=True)

_DEFAULT = Row(300, 5000, 150, 10)
_THREE_WAY = Row(200, 300, 20, 10)
_WINDOWS = (1000, 2000, 3000, 4000, 5000)
_SMALL_WINDOWS = (100, 150, 200, 250, 300)
_GROUPS = tuple(3**power for power in range(1, 10))
_RATES = (100, 300, 500, 700, 900)
_SMALL_RATES = (100, 200, 300, 400, 500, 600)
_SELECTIVITIES = (0.0005, 0.005, 0.05, 0.5)

Build = Callable[[float], tuple[Row, ...]]


def _curves(
    figure: str, places: Sequence[float], rows_at: Build, execution: Execution
) -> Callable[[], tuple[Curve, ...]]:
    """A curve of every plan under each model."""

    def draw() -> tuple[Curve, ...]:
        workloads = {x: grouped_join(f"{figure}, {x:g}", rows_at(x), execution) for x in places}
        points: dict[tuple[str, str], list[Point]] = {}
        for x, workload in workloads.items():
            for model, label, cost in _priced(workload):
                point = Point(x, workload, NAME, label, predicted=cost)
                points.setdefault((model, label), []).append(point)
        return tuple(
            Curve(label if model == REFINED else f"{label}, {PRINTED}", label, tuple(found), model)
            for (model, label), found in points.items()
        )

    return draw


def _priced(workload: Workload) -> list[tuple[str, str, float]]:
    model = model_of(workload)
    printed = PrintedModel(model)
    refined = zip(model.masks, scores(model, model.masks), strict=True)
    found = [(REFINED, model.label(mask), score) for mask, score in refined]
    return found + [(PRINTED, model.label(mask), printed.score(mask)) for mask in model.masks]


def _others(rows: int) -> Row:
    """The streams beside S1 have no grouping attribute."""
    return (_DEFAULT if rows == 2 else _THREE_WAY)._replace(groups=1)


def _vary(rows: int, **changes: Callable[[float], float]) -> Build:
    """S1 with fields that follow the place on the axis; `values` follow it for all streams."""

    def build(x: float) -> tuple[Row, ...]:
        first, other = (_DEFAULT if rows == 2 else _THREE_WAY), _others(rows)
        changed = {name: change(x) for name, change in changes.items()}
        if "values" in changed:
            other = other._replace(values=int(changed["values"]))
        if "rate" in changed and rows == 2:
            other = other._replace(rate=500)
        first = first._replace(
            rate=changed.get("rate", first.rate),
            window=int(changed.get("window", first.window)),
            groups=int(changed.get("groups", first.groups)),
            values=int(changed.get("values", first.values)),
        )
        return (first, *(other,) * (rows - 1))

    return build


def _plans(rows: int) -> tuple[str, ...]:
    if rows == 2:
        return TWO
    digits = (f"{mask:03b}"[::-1] for mask in range(1, 8))
    return ("LAP", *(f"EAP-{found}" for found in digits))


_NOT_FULL = (
    "Printed sizes are upper bounds: a window of as many tuples as its set has cells fills 1 - 1/e "
    "of them, and goes on to fill the others."
)
_ONE_UPDATE = (
    "The paper's equations charge an update of a group for the length of its bucket; groups are "
    "found by one access here."
)


def _varied(
    letter: str, rows: int, execution: Execution
) -> tuple[str, Axis, Sequence[float], Build, tuple[Claim, ...]]:
    plans = _plans(rows)
    early, late = plans[-1], "LAP"
    first, last = ("EAP-10", "EAP-01") if rows == 2 else ("EAP-100", "EAP-011")
    if letter == "a":
        text = "EAPs are always better than LAP."
        claims = [Claim("7.2.2", text, below(plans[1:], late), _ONE_UPDATE)]
        if rows == 2:
            text = "EAP-10 and EAP-11 stay constant beyond 2,000 tuples."
            claims.append(Claim("7.2.2", text, levels_off("EAP-11", 2000), _NOT_FULL))
        places: Sequence[float] = _WINDOWS if rows == 2 else _SMALL_WINDOWS
        return "window size", _BY_WINDOW, places, _vary(rows, window=float), tuple(claims)
    if letter == "b":
        pairs = ((first, late), (early, last))
        claims = [
            Claim("7.2.2", f"With more groups {a} approaches {b}.", approaches(a, b), _ONE_UPDATE)
            for a, b in pairs
        ]
        return "groups", _BY_GROUPS, _GROUPS, _vary(rows, groups=float), tuple(claims)
    if letter == "c":
        text = "LAP and the EAP with a set on S1 alone rise faster than those with the other sets."
        claim = Claim("7.2.2", text, steeper((late, first), (last, early)))
        places = _RATES if rows == 2 else _SMALL_RATES
        return "rate", _BY_RATE, places, _vary(rows, rate=float), (claim,)
    build = _vary(rows, values=lambda share: round(1 / share))
    if execution is _NESTED:
        claim = Claim("7.2.2", f"With nested loops {early} falls.", falls(early), _ONE_UPDATE)
    else:
        claim = Claim("7.2.2", "With a hash join all plans rise.", climb(plans))
    return "selectivity", _BY_SELECTIVITY, _SELECTIVITIES, build, (claim,)


def _experiment(number: int, letter: str, rows: int, execution: Execution) -> Experiment:
    what, axis, places, build, claims = _varied(letter, rows, execution)
    way = "hash join" if execution is _HASH else "nested loops"
    base = _DEFAULT if rows == 2 else _THREE_WAY
    figure = f"Figure {number}({letter})"
    return Experiment(
        name=f"figure-{number}{letter}",
        paper=PAPER,
        title=f"{figure}: {'two' if rows == 2 else 'three'}-way {way}, by {what}",
        about=(
            f"By default {base.rate:g} tuples/s, windows of {base.window:,} tuples, {base.groups} "
            f"groups on S1 and none elsewhere, {base.values} keys."
        ),
        quantity="operations",
        x=axis,
        y=_OPERATIONS,
        draw=_curves(figure, places, build, execution),
        rounds=_ROUNDS,
        claims=claims,
        remarks=(_ONE_UPDATE,),
    )


# Groups of S1 and S2, keys, window, and the plan that wins.
_SHOWCASES: dict[str, tuple[int, int, int, int, str]] = {
    "a": (1500, 1500, 100, 500, "LAP"),
    "b": (1, 1500, 100, 500, "EAP-10"),
    "c": (1500, 1, 100, 500, "EAP-01"),
    "d": (150, 150, 10, 2000, "EAP-11"),
}


def _showcase(letter: str) -> Experiment:
    first, second, values, window, winner = _SHOWCASES[letter]
    figure = f"Figure 10({letter})"

    def rows_at(rate: float) -> tuple[Row, ...]:
        return Row(rate, window, first, values), Row(500, window, second, values)

    others = tuple(plan for plan in TWO if plan != winner)
    return Experiment(
        name=f"figure-10{letter}",
        paper=PAPER,
        title=f"{figure}: {winner} is best",
        about=(
            f"Nested loops over windows of {window:,} tuples with {values} keys; {first:,} groups "
            f"on S1 and {second:,} on S2; 500 tuples/s on S2."
        ),
        quantity="operations",
        x=_BY_RATE,
        y=_OPERATIONS,
        draw=_curves(figure, (100, 200, 300, 400, 500), rows_at, _NESTED),
        rounds=_ROUNDS,
        claims=(Claim("7.2.3", f"{winner} is the best plan.", lowest(winner, others)),),
        remarks=(_ONE_UPDATE,),
    )


TRAN_FIGURES: tuple[Experiment, ...] = (
    *(_experiment(6, letter, 2, _HASH) for letter in "abcd"),
    *(_experiment(7, letter, 2, _NESTED) for letter in "abcd"),
    *(_experiment(8, letter, 3, _HASH) for letter in "abcd"),
    *(_experiment(9, letter, 3, _NESTED) for letter in "abcd"),
    *(_showcase(letter) for letter in _SHOWCASES),
)
