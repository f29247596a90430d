"""The papers' experiments: structure, what models predict, and what the claims come to."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

from planner.errors import PlanError
from planner.experiments.experiment import Experiment, Place, Point
from planner.experiments.golab.curves import CORRECTED, PRINTED
from planner.experiments.hammad.curves import EQUATIONS, SIMULATED
from planner.experiments.quantities import figure_of
from planner.experiments.registry import experiment, experiments
from planner.experiments.wang.curves import EQUATION_4, LINEAR_TERMS, WITH_OVERHEAD
from planner.families.join_order import JoinOrder
from planner.families.registry import family
from planner.files.workload_file import dump_workload, load_workload
from tests.examples import times


def _some() -> Iterator[Experiment]:
    """Of a figure with several settings some are enough; all of them in `./check --all`."""
    of_figure = Counter((known.paper, known.figure) for known in experiments())
    seen = Counter[tuple[str, str]]()
    for known in experiments():
        figure = known.paper, known.figure
        step = 1 if times(1) > 1 or of_figure[figure] <= 3 else min(of_figure[figure], 10) // 2
        if seen[figure] % step == 0:
            yield known
        seen[figure] += 1


SHOWN = list(_some())
# Of each, spread over all of its points; more in `./check --all`.
_MOST_OPENED = times(4)
every = pytest.mark.parametrize("shown", SHOWN, ids=lambda known: known.name)
PAPERS_MODELS = {PRINTED, EQUATION_4, LINEAR_TERMS, WITH_OVERHEAD, EQUATIONS, SIMULATED}
TABLE_8 = experiment("table-8")


def _claim(name: str, text: str, values: Mapping[str, Mapping[Place, float]]) -> bool:
    (claim,) = [c for c in experiment(name).claims if text in c.text]
    return claim.check(values).holds


@every
def test_every_point_has_a_plan_that_can_be_priced_and_opened(shown: Experiment) -> None:
    points = shown.points or [point for curve in shown.curves for point in curve.points]
    assert points
    opened = set()
    for point in points[:: -(-len(points) // _MOST_OPENED)]:
        chosen = family(point.family)
        assert chosen.space(point.workload).plan(point.plan).label == point.plan
        if point.workload.digest in opened:
            continue
        opened.add(point.workload.digest)
        assert chosen.refuses(point.workload) is None
        assert load_workload(dump_workload(point.workload), "a point") == point.workload


@every
def test_names_and_labels_are_unique_and_places_in_order(shown: Experiment) -> None:
    assert len({known.name for known in experiments()}) == len(experiments())
    labels = [curve.label for curve in shown.curves]
    assert len(set(labels)) == len(labels)
    for curve in shown.curves:
        places = [point.x for point in curve.points]
        assert len(set(places)) == len(places)
        if not shown.x.named:
            assert places == sorted(places)  # type: ignore[type-var]


# How many slices a plan has is no part of its estimate.
@pytest.mark.parametrize(
    "shown", [s for s in SHOWN if s.name != "figure-19-slices"], ids=lambda known: known.name
)
def test_predictions_are_the_familys_own(shown: Experiment) -> None:
    """But those of the papers' models, which the families show beside their own."""
    for curve in shown.curves:
        for point in curve.points[::7]:
            if point.predicted is None or curve.model in PAPERS_MODELS:
                continue
            # Rates follow from the comparisons of plans.
            quantity = "comparisons" if shown.quantity == "rate" else shown.quantity
            own = _figure(point, quantity)
            if shown.shown != "value":
                other = _figure(point.reference, quantity)
                own = other / own if shown.shown == "times" else 1 - own / other
            assert own == pytest.approx(point.predicted)


def _figure(point: Point, quantity: str) -> float:
    space = family(point.family).space(point.workload)
    plan = space.plan(point.plan)
    found = figure_of(plan, space.estimate(plan), space.objectives, quantity, point.query)
    assert found is not None
    return found


@every
def test_points_of_a_place_follow_one_another_and_have_what_they_are_shown_beside(
    shown: Experiment,
) -> None:
    places = [point.x for point in shown.points]
    assert [x for x, before in zip(places, [None, *places], strict=False) if x != before] == list(
        dict.fromkeys(places)
    )
    against: dict[str, str] = {}
    for curve in shown.curves:
        for point in curve.points:
            assert bool(point.against) == (shown.shown != "value")
            assert against.setdefault(point.key, point.against) == point.against


def test_figure_2_follows_the_appendix() -> None:
    predicted = experiment("figure-2").predicted()["Appendix A"]
    # n streams probe 100 tuples, then twice as many each loop: n * 100 * (2^(n-1) - 1).
    assert predicted["MULTI-WAY"] == {n: n * 100 * (2 ** (n - 1) - 1) for n in range(2, 8)}
    for n, cost in predicted["MULTI-WAY"].items():
        assert cost <= predicted["NAIVE"][n]


@pytest.mark.parametrize("name", ["figure-3a", "figure-3b"])
@pytest.mark.parametrize("model", [CORRECTED, PRINTED])
def test_general_is_never_dearer(name: str, model: str) -> None:
    predicted = experiment(name).predicted()[model]
    for tau, cost in predicted["GENERAL"].items():
        assert cost <= predicted["LAZY"][tau] * (1 + 1e-9)
        assert cost <= predicted["NAIVE"][tau] * (1 + 1e-9)


def test_figure_3a_lazy_and_general_are_one_curve_that_rises() -> None:
    for predicted in experiment("figure-3a").predicted().values():
        assert predicted["LAZY"] == pytest.approx(predicted["GENERAL"])
        costs = list(predicted["LAZY"].values())
        assert costs == sorted(costs)
        assert predicted["NAIVE"][1] / predicted["LAZY"][1] > 5


def test_figure_3b_crosses_under_the_papers_model_only() -> None:
    predicted = experiment("figure-3b").predicted()
    printed, corrected = predicted[PRINTED], predicted[CORRECTED]
    crossed = [tau for tau, cost in printed["NAIVE"].items() if cost < printed["LAZY"][tau]]
    assert crossed
    assert crossed == list(range(int(crossed[0]), 51)), "once crossed, NAIVE stays below"
    assert 10 < crossed[0] < 20
    assert all(cost > corrected["LAZY"][tau] for tau, cost in corrected["NAIVE"].items())
    assert _claim("figure-3b", "NAIVE becomes better", printed)
    assert not _claim("figure-3b", "NAIVE becomes better", corrected)


def test_figure_3b_orders_s4_last_for_its_own_tuples_as_the_paper_says() -> None:
    (general,) = [c for c in experiment("figure-3b").curves if c.label == f"GENERAL, {PRINTED}"]
    assert general.points[0].plan.endswith("S4=S4,S1,S2,S3")
    assert general.points[-1].plan.endswith("S4=S1,S2,S3,S4")


def test_table_8_best_plans_are_those_of_the_heuristic() -> None:
    best, worst = (curve for curve in TABLE_8.curves if curve.label in ("Best plan", "Worst plan"))
    assert [(p.printed, q.printed) for p, q in zip(best.points, worst.points, strict=True)] == [
        (1614, 333),
        (1446, 296),
        (1332, 274),
        (11540, 2524),
        (8420, 2041),
        (7947, 1848),
    ]
    for point, dearest in zip(best.points, worst.points, strict=True):
        trace = JoinOrder().space(point.workload).heuristic()
        names = [source.alias for source in point.workload.queries[0].sources]
        assert point.plan == ",".join(names[place] for place in trace.heuristic)
        ranking = family("join_order").space(point.workload).rank()
        orders = [c for c in ranking.candidates if ":" not in c.label]
        assert point.plan == orders[0].label
        assert dearest.plan == orders[-1].label


def test_eager_points_stand_on_both_kernels() -> None:
    for name in ("table-8", "figure-4a", "figure-4a-larger"):
        kernels: dict[tuple[str, str], set[str]] = {}
        for point in experiment(name).points:
            if point.workload.execution.evaluate == "eager":
                kernels.setdefault((point.workload.digest, point.plan), set()).add(point.kernel)
        assert kernels
        assert all(found == {"usual", "general"} for found in kernels.values())


def test_figure_4b_shares_out_one_number_of_buckets() -> None:
    for curve in experiment("figure-4b").curves:
        for point in curve.points:
            execution = point.workload.execution
            sources = point.workload.queries[0].sources
            counts = [execution.bucket_count(source) for source in sources]
            assert sum(int(count) for count in counts) == 4 * int(point.x)


def test_claims_about_rates_tell_a_confirming_from_a_contrary_figure() -> None:
    rising = {
        label: dict.fromkeys((0.0, 1, 5), 1000.0 * (1 + nth))
        for nth, label in enumerate(("NLJ", "HASH2", "HASH10", "HASH30"))
    }
    assert _claim("figure-4a", "slowest", rising)
    assert not _claim("figure-4a", "slowest", {**rising, "HASH30": rising["NLJ"]})
    tops = {"HASH2": 4.0, "HASH10": 15.0, "HASH30": 30.0}
    peaked = {c: {t: float(t == top) for t in tops.values()} for c, top in tops.items()}
    assert _claim("figure-4a", "best τ", peaked)
    assert not _claim("figure-4a", "best τ", {**peaked, "HASH30": peaked["HASH2"]})


def test_claims_about_table_8_hold_in_the_papers_own_figures() -> None:
    printed = {
        curve.label: {point.x: point.printed or 0.0 for point in curve.points}
        for curve in TABLE_8.curves
    }
    assert [claim.check(printed).holds for claim in TABLE_8.claims] == [True] * 3


def test_digests_are_the_same_in_every_process() -> None:
    program = (
        "from planner.experiments.registry import experiments;"
        "print([x.digest for x in experiments()[::30]])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert told.stdout.decode().strip() == str([known.digest for known in experiments()[::30]])


def test_an_unknown_experiment_is_told() -> None:
    with pytest.raises(PlanError, match="no experiment 'figure-9'; there are figure-2"):
        experiment("figure-9")
