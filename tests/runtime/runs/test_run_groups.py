"""Seconds of plans are compared over runs that were run alike."""

from __future__ import annotations

from dataclasses import replace

from runtime.runs.run_groups import Manner, by_plan, manner_of, manners, seconds_by_plan
from runtime.runs.run_summary import RunSummary, summary_of
from tests.runtime.run_records import a_run

PLAIN = replace(
    summary_of(a_run("one")),
    status="finished",
    engine_seconds=2.0,
    total_seconds=9.0,
    start_seconds=5.0,
)


def run(name: str, label: str = "A,B", **changed: object) -> RunSummary:
    """A run like the others, but for this."""
    return replace(PLAIN, id=name, label=label, **changed)  # type: ignore[arg-type]


def test_what_is_run_alike_is_compared_and_a_pace_is_never_first() -> None:
    runs = [
        run("slow", pace=2.0, engine_seconds=30.0, started=9.0),
        run("slow2", "B,A", pace=2.0, engine_seconds=30.0, started=8.0),
        run("slow3", "C,A", pace=2.0, engine_seconds=30.0, started=7.0),
        run("one", started=1.0),
        run("two", "B,A", engine_seconds=3.0, started=2.0),
        run("again", "B,A", engine_seconds=5.0, started=3.0),
        run("native", backend="native", started=4.0),
        run("failed", status="failed", started=5.0),
    ]
    found = manners(runs)
    first, *others = found
    assert first == Manner(PLAIN.way, PLAIN.backend)
    assert [manner.backend for manner in others] == ["native", PLAIN.backend]
    seconds = dict(seconds_by_plan(found[first]))
    assert set(seconds) == {"A,B", "B,A"}
    spread = seconds["B,A"]["engine"]
    assert spread is not None
    assert (spread.median, spread.least, spread.most, spread.runs) == (4.0, 3.0, 5.0, 2)


def test_runs_on_other_partitions_are_no_repeats() -> None:
    newest = run("new", partitions=8, started=9.0)
    rows = seconds_by_plan([run("old", partitions=1, started=1.0), newest])
    ((_, spreads),) = rows
    assert spreads["engine"] is not None
    assert spreads["engine"].runs == 1


def test_a_run_with_a_pace_is_no_repeat_of_one_without() -> None:
    (plan,) = by_plan([run("plain", started=9.0), run("paced", pace=1.0, started=1.0)])
    assert [repeat.id for repeat in plan.repeats] == ["plain"]
    assert manner_of(run("m", master="spark://x:7077")).master == "spark://x:7077"
