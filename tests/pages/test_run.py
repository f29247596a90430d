"""The run page: what is started, watched, cancelled, queued and found again."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import backend
from planner.families.registry import family
from planner.plan.cost import Cost
from planner.workload.adapt import Adapt
from runtime.backends.kernels.totals import Totals
from runtime.data.folders import run_folder
from runtime.runs.history import History
from runtime.runs.processes import Process
from runtime.runs.records import Run, Way
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import PATIENCE, all_done, fresh_app, labelled, plan_canvas, texts, until
from tests.runtime.run_records import a_run

Go = Callable[[str], AppTest]
GOLAB = "Golab & Özsu, Table 5"
PLANS = "S1 first, then S2, S3, S4; Fixed loops S4, S3, S2, S1 (naive)"


def press(app: AppTest, label: str) -> AppTest:
    labels = {button.label.replace("\\", ""): button for button in app.button}
    assert not labels[label].disabled
    labels[label].click().run()
    assert not app.exception
    return app


def test_best_and_its_rival_are_preselected(go: Go) -> None:
    app = go("run")
    assert labelled(app.multiselect, "Plans").value == ["S1,S2,S3,S4", "naive:S4,S3,S2,S1"]
    assert "93,000 tuples per plan" in texts(app), "15 tuples a second for 6,200 s"


def test_a_run_may_follow_its_tuples(spark: FakeSpark, go: Go) -> None:
    app = go("run")
    labelled(app.selectbox, "Switch plans while it runs").set_value("regret").run()
    assert not app.exception
    assert "plans are switched by regret" in texts(app)
    spark.gate.clear()
    press(app, "Run on Spark")
    (job,) = backend.runner().active()
    until(lambda: job.running is not None)
    assert job.running is not None
    assert job.running.request.workload.run.adapt == Adapt("regret")
    spark.gate.set()
    all_done()


def test_a_run_shows_its_progress_and_leads_to_results(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    app = press(go("run"), "Run on Spark")
    until(lambda: any("batch 1 of 4" in bar.proto.text for bar in app.run().progress))
    assert {metric.label for metric in app.metric} >= {"Comparisons", "Results", "Tuples held"}
    assert {box["measured"] for box in plan_canvas(app)["boxes"]} == {"not counted yet"}
    assert "Counting begins after the warm-up of 3 min" in texts(app)
    spark.gate.set()
    all_done()
    go("run")
    assert "Both plans gave the same 12,345 results" in texts(app)


def test_figures_change_in_a_picture_that_is_drawn_once(spark: FakeSpark, go: Go) -> None:
    """To draw a picture again each second would keep a browser busy."""
    spark.gate.clear()
    app = press(go("run"), "Run on Spark")
    until(lambda: any("batch 1 of 4" in bar.proto.text for bar in app.run().progress))
    before = plan_canvas(app)
    (job,) = backend.runner().active()
    assert job.running is not None
    asked = job.running.request
    plan = family("join_order").space(asked.workload).plan(asked.label)
    counted = {operator.id: Cost(comparisons=4321.0) for operator in plan.operators()}
    job.running.progress = replace(job.running.progress, costs=counted)
    app.run()
    after = plan_canvas(app)
    arrived = next(box for box in after["boxes"] if box["name"] == "S1 arrives")
    assert arrived["measured"].startswith("measured 13,000"), "three probes"
    assert [box["at"] for box in after["boxes"]] == [box["at"] for box in before["boxes"]]
    assert [line["path"] for line in after["lines"]] == [line["path"] for line in before["lines"]]
    spark.gate.set()
    all_done()


def test_a_second_click_starts_nothing(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    press(go("run"), "Run on Spark")
    press(go("plans"), "Run best and worst on Spark")
    assert len(backend.runner().active()) == 1
    spark.gate.set()
    all_done()


def test_a_run_of_another_workload_waits_for_the_one_that_goes_on(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    app = press(go("run"), "Run on Spark")
    first = app.query_params["job"]
    app.session_state["workload"] = replace(app.session_state["workload"], name="edited")
    app.switch_page("pages/plans.py").run()
    press(app, "Run best and worst on Spark")
    assert [job.subject for job in backend.runner().active()] == [GOLAB, "edited"]
    assert app.query_params["job"] != first
    assert f"**{GOLAB}: {PLANS}** · 0 of 2 runs done" in texts(app)
    assert f"2. **edited: {PLANS}** · waiting" in texts(app)
    cancels = [button.label.replace("\\", "") for button in app.button if "Cancel" in button.label]
    assert sorted(cancels) == [f"Cancel 2 plans of {GOLAB}", "Cancel 2 plans of edited"]
    # The same again, from this page: it waits, too.
    press(go("run"), "Add to the queue")
    press(go("run"), "Add to the queue")
    assert len(backend.runner().active()) == 2, "a double click"
    backend.runner().active()[-1].submitted -= 2 * PATIENCE
    press(go("run"), "Add to the queue")
    go("run")
    assert texts(app).count(f"**edited: {PLANS}** · waiting") == 2
    spark.gate.set()
    all_done()
    assert len(spark.started) == 6
    go("run")
    assert "Both plans gave the same 12,345 results" in texts(app)


def test_cancel_stops_the_plan_and_those_after_it(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    app = press(go("run"), "Run on Spark")
    until(lambda: spark.started != [])
    press(app, f"Cancel 2 plans of {GOLAB}")
    all_done()
    go("run")
    assert f"**{GOLAB}: {PLANS}** was cancelled" in texts(app)
    assert spark.started == ["S1,S2,S3,S4"]
    spark.gate.set()
    press(app, "Run on Spark")
    all_done()
    assert len(spark.started) == 3


def test_another_session_finds_the_run_and_waits_behind_it(spark: FakeSpark, go: Go) -> None:
    spark.gate.clear()
    app = press(go("run"), "Run on Spark")
    reloaded = fresh_app(job=app.query_params["job"])
    reloaded.run().switch_page("pages/run.py").run()
    assert any(button.label.startswith("Cancel ") for button in reloaded.button)

    second = fresh_app().run()
    second.switch_page("pages/run.py").run()
    assert f"1. **{GOLAB}: {PLANS}** · running · from another tab" in texts(second)
    second.switch_page("pages/plans.py").run()
    press(second, "Run best and worst on Spark")
    assert f"2. **{GOLAB}: {PLANS}** · waiting" in texts(second)
    press(second, f"Cancel 2 plans of {GOLAB}")
    second.switch_page("pages/run.py").run()
    assert f"**{GOLAB}: {PLANS}** was cancelled" in texts(second)
    assert len(backend.runner().active()) == 1, "the other tab's goes on"
    spark.gate.set()
    all_done()


def test_repeats_are_runs_of_one_series(spark: FakeSpark, go: Go) -> None:
    app = go("run")
    app.number_input(key="repeats").set_value(3).run()
    spark.gate.clear()
    press(app, "Run on Spark")
    until(lambda: any("repeat 1" in bar.proto.text for bar in app.run().progress))
    assert "0 of 6 runs done" in texts(app)
    spark.gate.set()
    all_done()
    runs = backend.runs(None)
    assert len(runs) == 6
    assert len({run.request.series for run in runs}) == 1
    counts = Counter((run.plan.label, run.request.repeat) for run in runs)
    assert set(counts.values()) == {1}
    go("run")
    assert "Both plans gave the same 12,345 results" in texts(app)


def test_the_limits_go_with_the_run(spark: FakeSpark, go: Go) -> None:
    app = go("run")
    app.number_input(key="most-seconds").set_value(90.0).run()
    app.number_input(key="most-disk").set_value(500.0).run()
    press(app, "Run on Spark")
    all_done()
    asked = [run.request for run in backend.runs(None)]
    assert {(request.most_seconds, request.most_disk_mb) for request in asked} == {(90.0, 500.0)}
    assert len(spark.started) == 2


def test_too_many_tuples_are_refused_before_anything_starts(spark: FakeSpark, go: Go) -> None:
    app = go("run")
    duration = next(box for box in app.number_input if box.label.startswith("Duration"))
    duration.set_value(1e9).run()
    assert labelled(app.button, "Run on Spark").disabled
    assert "would generate about 15,000,003,000 tuples; at most 200,000,000" in texts(app)
    assert not backend.runner().active()
    assert spark.started == []


@pytest.mark.parametrize(
    ("seconds", "message"),
    [(1e11, "must be at most 10 billion, got 100 billion"), (0.0, "must be above 0")],
)
def test_a_duration_out_of_range_starts_nothing_and_is_named(
    spark: FakeSpark, go: Go, seconds: float, message: str
) -> None:
    app = go("run")
    duration = next(box for box in app.number_input if box.label.startswith("Duration"))
    before = duration.value
    duration.set_value(seconds).run()
    assert not app.exception
    assert labelled(app.button, "Run on Spark").disabled
    assert f"the duration: {message}" in texts(app).replace("*", "")
    assert spark.started == []
    next(box for box in app.number_input if box.label.startswith("Duration")).set_value(
        before
    ).run()
    assert not labelled(app.button, "Run on Spark").disabled


def test_a_failure_is_told_in_one_message(spark: FakeSpark, go: Go) -> None:
    spark.fails_with = "no Java was found; install Java 17"
    app = press(go("run"), "Run on Spark")
    all_done()
    go("run")
    assert "no Java was found; install Java 17" in texts(app)
    assert any(button.label == "Run on Spark" for button in app.button)


def test_expectation_comes_from_earlier_runs(spark: FakeSpark, go: Go) -> None:
    app = press(go("run"), "Run on Spark")
    all_done()
    go("run")
    go("run")
    assert "Expect about 4.0 s: 2 earlier runs took 2.0 s each" in texts(app)
    assert len(spark.started) == 2


@pytest.mark.parametrize("sample", ["auctions", "customer-flows"])
def test_a_run_with_a_relation_says_what_is_ahead(app: AppTest, go: Go, sample: str) -> None:
    app.button(key=f"open-{sample}").click().run()
    go("run")
    assert not app.error
    assert "tuples per plan" in texts(app)


def test_a_master_is_named_or_its_mistake_is_told(spark: FakeSpark, go: Go) -> None:
    app = go("run")
    box = next(box for box in app.text_input if box.label == "Spark master")
    box.set_value("spork://x").run()
    assert labelled(app.button, "Run on Spark").disabled
    assert "is no Spark master; give local" in texts(app)
    assert not spark.started

    box = next(box for box in app.text_input if box.label == "Spark master")
    box.set_value(" spark://localhost:7077 ").run()
    press(app, "Run on Spark")
    all_done()
    assert {run.request.master for run in backend.runs(None)} == {"spark://localhost:7077"}


def _lost(run_id: str, way: Way = "stream") -> Run:
    """A run of a process that is gone, of another workload than the one in force."""
    run = a_run(run_id, status="running")
    run = replace(run, request=replace(run.request, way=way))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    History().save(run, Process(gone.pid, None))
    return run


def test_a_run_that_was_killed_is_shown_and_resumed(spark: FakeSpark, go: Go) -> None:
    run = _lost("lost")
    app = go("run")
    assert "Interrupted runs" in texts(app)
    assert "interrupted: its process ended before it did" in texts(app)
    press(app, "Resume")
    all_done()
    assert spark.started == [run.plan.label]
    assert History().get("lost").status == "finished"
    go("run")
    assert "Interrupted runs" not in texts(app)
    press(app, f"Open {run.workload.name}")
    go("results")
    assert "1 plan gave 12,345 results" in texts(app)


def test_a_run_that_was_killed_is_discarded(go: Go) -> None:
    _lost("lost", "replay")
    folder = run_folder("lost")
    (folder / "checkpoint").mkdir(parents=True)
    app = go("run")
    assert "was a replay, which keeps no checkpoint" in texts(app)
    assert not any(button.label == "Resume" for button in app.button)
    press(app, "Discard")
    assert "Interrupted runs" not in texts(app)
    assert not folder.exists()
    assert not History().runs()


def test_a_run_that_failed_half_way_can_be_gone_on_with(go: Go) -> None:
    for run_id in ("half-way", "at-once"):
        History().save(a_run(run_id, status="failed", error="reached the limit of 5 s"))
    folder = run_folder("half-way")
    folder.mkdir(parents=True)
    Totals(folder).keep(2, [b"counted"])
    app = go("run")
    assert [b.key for b in app.button if b.label == "Resume"] == ["resume-half-way"]
    assert "reached the limit of 5 s" in texts(app)
