"""Shedding policies as plans: operators and ids, prices, words, and what commands print."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.__main__ import main
from planner.errors import PlanError
from planner.families.load_shedding.labels import EXACT, LABELS, OFFLINE, ONLINE
from planner.families.load_shedding.plans import built
from planner.families.load_shedding.space import Policies
from planner.families.load_shedding.star import star_of
from planner.families.registry import covering, family
from planner.files.workload_file import dump_workload, load_workload
from planner.plan.cost import Cost
from planner.plan.operator_names import operator_name
from planner.plan.plan import Operator
from planner.plan.plan_text import to_text
from planner.whatif.axes import Axis
from planner.whatif.sweeps import sweep
from planner.workload.execution import Access, Shedding
from planner.workload.workload import Workload
from tests.planner.shedding import KEYED, STAR_SAMPLES, star, star_space, ticking

SHED = family("load_shedding")
SAMPLE_DATA = Path(__file__).parents[4] / "sample_data"


def priced(workload: Workload, label: str) -> dict[str, list[tuple[Operator, Cost]]]:
    space = Policies(workload)
    plan = space.plan(label)
    costs = space.estimate(plan).costs
    found: dict[str, list[tuple[Operator, Cost]]] = {}
    for operator in plan.operators():
        found.setdefault(operator.kind, []).append((operator, costs[operator.id]))
    return found


# --- operators -----------------------------------------------------------------------------------


def test_a_plan_as_text() -> None:
    space = star_space("filters, scan and hash")
    assert to_text(space.plan("DGL-S")).splitlines() == [
        "load_shedding DGL-S",
        "└─ output query=Q1",
        "   ├─ probe origin=R source=S",
        "   │  ├─ lookup source=R relation=F access=hash buckets=per-value",
        "   │  │  ├─ filter source=R condition=R.a > 3 and R.v > 50",
        "   │  │  │  └─ arrive source=R stream=R",
        "   │  │  └─ table source=F relation=F condition=F.b < 10",
        "   │  └─ keep source=S policy=DGL-S share=6 window=RANGE 8",
        "   │     └─ lookup source=S relation=F access=scan",
        "   │        ├─ filter source=S condition=S.v < 80",
        "   │        │  └─ arrive source=S stream=S",
        "   │        └─ table source=F relation=F condition=F.b < 10",
        "   └─ probe origin=S source=R",
        "      ├─ lookup source=S relation=F access=scan  (above)",
        "      └─ keep source=R policy=DGL-S share=6 window=RANGE 10",
        "         └─ lookup source=R relation=F access=hash buckets=per-value  (above)",
    ]
    names = {operator_name(operator) for operator in space.plan("DGL-S").operators()}
    assert {"keep S", "lookup R", "R probes S", "table F", "output Q1"} <= names


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("two streams", {"arrive": 2, "table": 1, "lookup": 2, "keep": 2, "probe": 2, "output": 1}),
        (
            "three streams",
            {"arrive": 3, "table": 1, "lookup": 3, "keep": 3, "probe": 3, "output": 1},
        ),
        ("no relation", {"arrive": 2, "keep": 2, "probe": 2, "output": 1}),
        ("one stream", {"arrive": 1, "table": 1, "lookup": 1, "probe": 1, "output": 1}),
    ],
)
def test_which_operators_there_are(name: str, kinds: dict[str, int]) -> None:
    workload = STAR_SAMPLES[name]
    found = built(workload.queries[0], star_of(workload), "SIMP-S")
    counted: dict[str, int] = {}
    for operator in found.plan.operators():
        counted[operator.kind] = counted.get(operator.kind, 0) + 1
        about = found.arms.get(operator.id)
        assert (about is None) == (operator.kind in ("table", "output"))
        if about is not None:
            alias = star_of(workload).arms[about].source.alias
            assert dict(operator.params).get("origin", operator.param("source")) == alias
    assert counted == kinds


def test_policies_share_what_they_do_alike() -> None:
    space = star_space("two streams")
    plans = [space.plan(label) for label in LABELS]
    assert len({plan.id for plan in plans}) == len(LABELS)
    for kind in ("arrive", "table", "lookup"):
        ids = {frozenset(op.id for op in plan.operators() if op.kind == kind) for plan in plans}
        assert len(ids) == 1, kind
    shares = {plan.label: {op.param("share") for op in plan.operators() if op.kind == "keep"}
              for plan in plans}  # fmt: skip
    assert shares.pop(EXACT) == {"all"}
    assert set(map(frozenset, shares.values())) == {frozenset({6})}


# --- prices --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("access", "examined"),
    # 60 rows over 12 values: 5 rows have a key, a fifth of the values is in a bucket of five.
    [("scan", 2 * 60), ("index", 2 * 5), ("search", 2 * (6 + 5)), ("hash", None)],
)
def test_a_lookup_is_priced_by_how_rows_are_found(access: Access, examined: float | None) -> None:
    workload = star(KEYED, shedding=Shedding(access=access), buckets=5)
    (_, first), _ = priced(workload, "RAND-S")["lookup"]
    if examined is None:
        # Between a value's rows and all: 12 values are not shared out evenly to 5 buckets.
        assert 2 * 60 / 6 < first.comparisons < 2 * 60 / 3
    else:
        assert first.comparisons == pytest.approx(examined)
    assert first.rows_out == pytest.approx(2, rel=0.01)


def test_the_exact_plan_keeps_the_windows() -> None:
    workload = ticking()
    found = priced(workload, EXACT)
    for _, keep in found["keep"]:
        assert keep.comparisons == 0
        assert keep.inserts == pytest.approx(keep.state_tuples / 20)
        assert keep.expirations == pytest.approx(2 + keep.inserts)
    (_, of_r), (_, of_s) = found["probe"]
    # 19 older tuples are met, and S meets the one of R that comes with it.
    assert of_s.rows_out / of_r.rows_out == pytest.approx(20 / 19)
    assert of_r.rows_out == pytest.approx(19 * 60 / 400)


def test_windows_of_more_ticks_than_memory_holds_are_as_full_as_their_rates_say() -> None:
    def kept(rate: float) -> list[float]:
        streams = tuple(replace(stream, rate=rate) for stream in ticking().streams)
        found = priced(replace(ticking(), streams=streams), EXACT)
        return [keep.state_tuples for _, keep in found["keep"]]

    assert kept(1e9) == pytest.approx([1e9 * tuples for tuples in kept(1.0)])


def test_a_policy_looks_at_all_it_keeps_to_choose_who_goes() -> None:
    for _, keep in priced(ticking(), "RAND-S")["keep"]:
        assert keep.state_tuples == pytest.approx(5, rel=0.01)
        # Nearly every arrival finds five others, and looks at six tuples.
        assert 5 < keep.comparisons < 6
        assert keep.inserts < 1


def test_work_has_kinds_that_are_calibrated() -> None:
    space = star_space("filters, scan and hash")
    plan = space.plan("SIMP-S")
    work = space.kernel_work(plan, space.estimate(plan).costs)
    kinds = {own.kind for own in work.operators}
    assert {"shed lookup hash", "shed lookup scan", "shed keep", "shed probe"} <= kinds
    assert all(kind in space.units.kinds for kind in (*kinds, work.batch.kind))
    assert work.seconds(space.units) > 0


# --- ranking and words ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", STAR_SAMPLES)
def test_exact_is_listed_and_never_best(name: str) -> None:
    space = star_space(name)
    for by in space.objectives:
        ranking = space.rank(by, 1)
        assert ranking.baseline == EXACT
        assert ranking.best != EXACT
        assert EXACT in {candidate.label for candidate in ranking.candidates}


def test_three_streams_have_no_optimum() -> None:
    space = star_space("three streams")
    ranking = space.rank()
    assert {label for label, _ in ranking.excluded} == set(OFFLINE)
    assert all("three or more streams" in why for _, why in ranking.excluded)
    assert {c.label for c in ranking.candidates} == {EXACT, *ONLINE}
    with pytest.raises(PlanError, match="OSSJ is not there: with three or more streams"):
        space.plan("OSSJ")


def test_a_run_with_very_many_matches_has_no_optimum() -> None:
    alone = ticking()
    workload = replace(alone, run=replace(alone.run, duration=1e8))
    with pytest.raises(PlanError, match=r"OSSJ is not there: it weighs .* shorten the run"):
        SHED.space(workload).plan("OSSJ")


def test_a_short_processor_has_no_optimum_and_is_not_predicted() -> None:
    alone = ticking()
    workload = replace(alone, execution=replace(alone.execution, utilisation=1.5))
    assert covering(workload)[0].name == SHED.name
    space = SHED.space(workload)
    ranking = space.rank()
    assert {label for label, _ in ranking.excluded} == set(OFFLINE)
    with pytest.raises(PlanError, match=r"OSSJ is not there: .* the processor leaves"):
        space.plan("OSSJ")
    answer = space.explanation(ranking).answer
    assert "What the processor drops, and how long tuples wait for it, is not predicted" in answer


def test_the_answer_says_what_live_streams_can_have() -> None:
    space = SHED.space(ticking())
    explained = space.explanation(space.rank(top=1))
    assert explained.answer.startswith("Most importance, future known (OSSJ) wins: importance ")
    assert "because it knows which tuples will come" in explained.answer
    assert (
        "of policies that decide as tuples come, “Highest expected gain (GAIN-S)” gives"
        in explained.answer
    )
    notes = " ".join(explained.notes)
    assert "OSSJ, SJA-S know the future" in notes
    assert "Simulated on " in notes
    assert "Predicted in closed form: EXACT, RAND-S, SIMP-S." in notes
    recall = space.explanation(space.rank(space.objective("recall")))
    assert recall.answer.startswith("Most results, future known (SJA-S) wins: ")
    assert "of the results" in recall.answer


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ample", "memory holds the windows, so that nothing is shed"),
        ("one stream", "a single stream is joined with the relation as it comes"),
        ("hardly any", "the memory is too small for a tuple of each stream"),
    ],
)
def test_where_policies_are_alike_the_answer_says_why(name: str, why: str) -> None:
    space = star_space(name)
    answer = space.explanation(space.rank()).answer
    assert f"as under every policy: {why}" in answer


# --- commands ------------------------------------------------------------------------------------


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Any]:
    def printed(command: str, workload: Workload, *options: str) -> Any:
        path = tmp_path / "workload.yaml"
        path.write_text(dump_workload(workload))
        code = main((command, str(path), *options, "--json"))
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out)

    return printed


def test_plans_prints_importance_and_recall(document: Callable[..., Any]) -> None:
    found = document("plans", ticking(), "--family", "load_shedding")
    shed = found["families"]["load_shedding"]
    assert (shed["rank_by"], shed["best"], shed["baseline"]) == ("importance", "OSSJ", EXACT)
    for candidate in shed["candidates"]:
        quality = candidate["queries"]["star"]
        assert quality["importance"] == pytest.approx(shed["scores"][candidate["label"]])
        assert 0 < quality["recall"] <= 1
        # Nobody predicts delays here.
        assert quality["delay_ms"] is quality["delay_ms_max"] is None
    by_recall = document("plans", ticking(), "--family", "load_shedding", "--rank", "recall")
    assert by_recall["families"]["load_shedding"]["best"] == "SJA-S"


def test_explain_says_where_every_figure_comes_from(document: Callable[..., Any]) -> None:
    found = document("explain", ticking(), "--family", "load_shedding", "--plan", "GAIN-S")
    models = {f["model"] for operator in found["operators"] for f in operator["formulas"]}
    assert models == {
        "expected counts over the declared distributions",
        "one count per tuple, row or condition",
        "simulated on a seeded sample",
    }
    for operator in found["operators"]:
        given = {f["field"] for f in operator["formulas"]}
        assert {field for field, value in operator["cost"].items() if value} <= given


def test_memory_can_be_swept() -> None:
    found = sweep(ticking(), [Axis("execution.memory", (2.0, 10.0, 40.0))], SHED)
    assert found.plans[0] == "OSSJ"
    assert found.winner[:2] == ("OSSJ", "OSSJ")
    best, exact = found.cost[0], found.cost[-1]
    assert list(best) == sorted(best)
    assert best[-1] == pytest.approx(exact[-1])


@pytest.mark.parametrize("name", ["suspicious-payments", "worked-star"])
def test_samples_are_planned(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(SAMPLE_DATA / f"{name}.yaml")]
    if (SAMPLE_DATA / name).is_dir():
        arguments += ["--data", str(SAMPLE_DATA / name)]
    assert main(("plans", *arguments, "--json")) == 0
    found = json.loads(capsys.readouterr().out)["families"]["load_shedding"]
    assert found["best"] == "OSSJ"
    assert [c["label"] for c in found["candidates"]].index("RAND-S") == len(found["candidates"]) - 1


def test_the_alerting_sample_shows_that_the_policy_matters() -> None:
    workload = load_workload((SAMPLE_DATA / "suspicious-payments.yaml").read_bytes())
    space = SHED.space(workload)
    gain, chance = space.scores(["GAIN-S", "RAND-S"])
    assert gain > 3 * chance
