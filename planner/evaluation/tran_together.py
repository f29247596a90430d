"""What the early-aggregation paper says across its figures: their settings side by side."""

from __future__ import annotations

from planner.evaluation.experiment import Axis, Claim, Curve, Experiment, Place, Point
from planner.evaluation.tran_claims import AGREEMENTS, ONE_UPDATE
from planner.evaluation.tran_curves import (
    HASH,
    NESTED,
    PAPER,
    PRINTED,
    REFINED,
    Setting,
    curves_of_plans,
    priced,
    rows_of,
    timed,
)
from planner.evaluation.tran_figures import (
    OPERATIONS,
    ROUNDS,
    SHOWCASE_FIGURE,
    SHOWCASES,
    showcase_rows,
)
from planner.evaluation.trends import dearest_at, further, under
from planner.families.early_aggregation.model import NAME, model_of
from planner.workload import Workload

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
            told = {model.label(0): _LATE, model.label(model.masks[-1]): _EARLY}
            for source, label, cost in priced(model):
                if label in told:
                    point = Point(setting, workload, NAME, label, predicted=cost)
                    points.setdefault((source, f"{told[label]}, {way}"), []).append(point)
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
