"""Figures 6 to 10 of the early-aggregation paper: all plans, by one number of the workload."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from planner.experiments.claims import lowest
from planner.experiments.experiment import Axis, Claim, Curve, Experiment, Place, Point
from planner.experiments.tran.claims import (
    AGREEMENTS,
    ONE_UPDATE,
    dearest_at,
    further,
    group_claims,
    plans,
    rate_claims,
    selectivity_claims,
    under,
    window_claims,
)
from planner.experiments.tran.curves import (
    DEFAULTS,
    HASH,
    NESTED,
    PAPER,
    PRINTED,
    REFINED,
    Build,
    Row,
    Setting,
    curves_of_plans,
    priced,
    rows_of,
    timed,
    vary,
)
from planner.families.early_aggregation import NAME
from planner.families.early_aggregation.model import model_of
from planner.workload.execution import Execution
from planner.workload.workload import Workload

ROUNDS = 3
OPERATIONS = Axis("Operations per second of stream time", logarithmic=True)
_BY_WINDOW = Axis("Tuples in the window of S1")
_BY_GROUPS = Axis("Groups of S1", logarithmic=True)
_BY_RATE = Axis("Tuples per second of S1")
_BY_SELECTIVITY = Axis("Join selectivity", logarithmic=True)
_GROUPS = tuple(3**power for power in range(1, 10))
_SELECTIVITIES = (0.0005, 0.005, 0.05, 0.5)
_WINDOWS: dict[Setting, tuple[int, ...]] = {
    "two-way": (1000, 2000, 3000, 4000, 5000),
    "three-way": (100, 150, 200, 250, 300),
}
_RATES: dict[Setting, tuple[int, ...]] = {
    "two-way": (100, 300, 500, 700, 900),
    "three-way": (100, 200, 300, 400, 500, 600),
}
_SHOWCASE_RATES = (100, 200, 300, 400, 500)
_OTHER_WINDOW = "The captions of Figures 6(a) and 7(a) have w2 = 2000; text and default have 5,000."


def _workloads(
    figure: str, places: Sequence[float], rows_at: Build, execution: Execution
) -> dict[Place, Workload]:
    return {x: timed(f"{figure}, {x:g}", rows_at(x), execution) for x in places}


def _varied(
    letter: str, setting: Setting, hashed: bool
) -> tuple[str, Axis, Sequence[float], Build, tuple[Claim, ...]]:
    if letter == "a":
        build, claims = vary(setting, "window"), window_claims(setting)
        return "window size", _BY_WINDOW, _WINDOWS[setting], build, claims
    if letter == "b":
        return "groups", _BY_GROUPS, _GROUPS, vary(setting, "groups"), group_claims(setting)
    if letter == "c":
        return "rate", _BY_RATE, _RATES[setting], vary(setting, "rate"), rate_claims(setting)
    build, claims = vary(setting, "values"), selectivity_claims(setting, hashed)
    return "selectivity", _BY_SELECTIVITY, _SELECTIVITIES, build, claims


def _experiment(number: int, letter: str, setting: Setting, execution: Execution) -> Experiment:
    what, axis, places, build, claims = _varied(letter, setting, execution is HASH)
    way = f"{setting} {'hash join' if execution is HASH else 'nested loops'}"
    base, figure = DEFAULTS[setting], f"Figure {number}({letter})"
    return Experiment(
        name=f"figure-{number}{letter}",
        paper=PAPER,
        figure=f"Figure {number}: {way}",
        part=f"({letter}) {what}",
        title=f"{figure}: {way}, by {what}",
        about=(
            f"By default {base.rate:g} tuples/s, windows of {base.window:,} tuples, {base.groups} "
            f"groups on S1 and none elsewhere, {base.values} keys."
        ),
        quantity="operations",
        x=axis,
        y=OPERATIONS,
        draw=curves_of_plans(partial(_workloads, figure, places, build, execution)),
        rounds=ROUNDS,
        claims=claims,
        agreements=AGREEMENTS,
        remarks=(
            ONE_UPDATE,
            *([_OTHER_WINDOW] if letter == "a" and setting == "two-way" else []),
        ),
    )


# Groups of S1 and S2, keys, window, and the plan that wins.
SHOWCASES: dict[str, tuple[int, int, int, int, str]] = {
    "a": (1500, 1500, 100, 500, "LAP"),
    "b": (1, 1500, 100, 500, "EAP-10"),
    "c": (1500, 1, 100, 500, "EAP-01"),
    "d": (150, 150, 10, 2000, "EAP-11"),
}
SHOWCASE_FIGURE = "Figure 10: showcases"
_NEAR_TIE = (
    "A set of nearly as many entries as its window has tuples spares next to nothing and costs its "
    "updates: plans that differ by it are close, and count as equal within 5%."
)


def showcase_rows(letter: str, rate: float) -> tuple[Row, ...]:
    """The streams of a showcase."""
    first, second, values, window, _ = SHOWCASES[letter]
    return Row(rate, window, first, values), Row(500, window, second, values)


def _showcase(letter: str) -> Experiment:
    first, second, values, window, winner = SHOWCASES[letter]
    figure = f"Figure 10({letter})"
    others = tuple(plan for plan in plans("two-way") if plan != winner)
    build = partial(showcase_rows, letter)
    return Experiment(
        name=f"figure-10{letter}",
        paper=PAPER,
        figure=SHOWCASE_FIGURE,
        part=f"({letter}) {winner}",
        title=f"{figure}: {winner} is best",
        about=(
            f"Nested loops over windows of {window:,} tuples with {values} keys; {first:,} groups "
            f"on S1 and {second:,} on S2; 500 tuples/s on S2."
        ),
        quantity="operations",
        x=_BY_RATE,
        y=OPERATIONS,
        draw=curves_of_plans(partial(_workloads, figure, _SHOWCASE_RATES, build, NESTED)),
        rounds=ROUNDS,
        claims=(Claim("7.2.3", f"{winner} is the best plan.", lowest(winner, others), _NEAR_TIE),),
        agreements=AGREEMENTS,
        remarks=(ONE_UPDATE,),
    )


TRAN_FIGURES: tuple[Experiment, ...] = (
    *(_experiment(6, letter, "two-way", HASH) for letter in "abcd"),
    *(_experiment(7, letter, "two-way", NESTED) for letter in "abcd"),
    *(_experiment(8, letter, "three-way", HASH) for letter in "abcd"),
    *(_experiment(9, letter, "three-way", NESTED) for letter in "abcd"),
    *(_showcase(letter) for letter in SHOWCASES),
)


_SETTINGS: tuple[Setting, ...] = ("two-way", "three-way")
_WAYS = {"hash join": HASH, "nested loops": NESTED}
_LATE, _EARLY = "LAP", "A set on every stream"
_RATE = 300.0


def _defaults() -> tuple[Curve, ...]:
    """LAP and the plan with all sets, under hash tables and nested loops, by both models."""
    points: dict[tuple[str, str], list[Point]] = {}
    for setting in _SETTINGS:
        for way, execution in _WAYS.items():
            workload = timed(f"Default setting, {setting} {way}", rows_of(setting), execution)
            model = model_of(workload)
            text = {model.label(0): _LATE, model.label(model.masks[-1]): _EARLY}
            for source, label, cost in priced(model):
                if label in text:
                    point = Point(setting, workload, NAME, label, predicted=cost)
                    points.setdefault((source, f"{text[label]}, {way}"), []).append(point)
    return tuple(
        Curve(subject if source == REFINED else f"{subject}, {PRINTED}", subject, tuple(p), source)
        for (source, subject), p in sorted(points.items(), key=lambda item: item[0][0] != REFINED)
    )


def _showcases() -> dict[Place, Workload]:
    return {
        f"({letter})": timed(
            f"Figure 10({letter}), {_RATE:g}", showcase_rows(letter, _RATE), NESTED
        )
        for letter in SHOWCASES
    }


DEFAULT_SETTINGS = Experiment(
    name="figures-6-to-9",
    paper=PAPER,
    figure="Figures 6 to 9: default settings",
    title="Figures 6 to 9: their default settings side by side",
    about="Two and three streams, hash join and nested loops, late and early aggregation.",
    quantity="operations",
    x=Axis("Join", named=True),
    y=OPERATIONS,
    draw=_defaults,
    rounds=ROUNDS,
    claims=(
        Claim(
            "7.2.1",
            "Nested loops cost more than a hash join.",
            under([(f"{plan}, hash join", f"{plan}, nested loops") for plan in (_LATE, _EARLY)]),
        ),
        *(
            Claim(
                "7.2.2",
                f"The advantage of early aggregation is bigger in the three-way join ({way}).",
                further(f"{_EARLY}, {way}", f"{_LATE}, {way}", "two-way", "three-way"),
            )
            for way in _WAYS
        ),
    ),
    agreements=AGREEMENTS,
    remarks=(ONE_UPDATE,),
)
ALL_SHOWCASES = Experiment(
    name="figure-10",
    paper=PAPER,
    figure=SHOWCASE_FIGURE,
    part="all",
    title=f"Figure 10: the four showcases at {_RATE:g} tuples per second",
    about="The settings of Figure 10 (a) to (d), with 500 tuples/s on S2.",
    quantity="operations",
    x=Axis("Showcase", named=True),
    y=OPERATIONS,
    draw=curves_of_plans(_showcases),
    rounds=ROUNDS,
    claims=(
        Claim(
            "7.2.3",
            "All plans cost much more in (d) than in the other showcases.",
            dearest_at("(d)"),
            "Plans that keep sets examine their entries instead of tuples there, which are fewer.",
        ),
    ),
    agreements=AGREEMENTS,
    remarks=(ONE_UPDATE,),
)
