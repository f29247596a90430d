"""Teach: every lesson opens, its question is answered, and the open workload can be watched."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared.samples import FOLDER
from pages.parts.start.workload_picture import colours
from pages.parts.teach import lesson_view, player
from pages.parts.teach.animated_svg import animated_svg
from runtime.tracing.lesson_file import Lesson, lessons
from runtime.tracing.trace import TraceStep
from tests.oracles.joins import results_of
from tests.pages.helpers import canvases, fresh_app, labelled, texts

LESSONS, MISTAKES = lessons(FOLDER / "lessons")


def _opened(**query: str) -> AppTest:
    return fresh_app(**query).switch_page("pages/teach.py").run()


@pytest.mark.usefixtures("spark")
def test_a_lesson_starts_from_a_link_and_its_question_is_answered_once_it_was_guessed() -> None:
    app = _opened(lesson="join-order")
    assert not app.exception
    assert "Which join order?" in texts(app)
    assert "Right." not in texts(app)
    assert "What the changes do" not in texts(app)
    question = next(radio for radio in app.radio if "fewer comparisons" in radio.label)
    question.set_value(1).run()
    assert "It is: S2 first" in texts(app)
    assert "What the changes do" in texts(app)
    assert app.query_params["lesson"] == "join-order"


@pytest.mark.usefixtures("spark")
def test_what_is_not_there_is_said() -> None:
    app = _opened(lesson="no-such")
    assert "there is no lesson 'no-such'" in texts(app)
    assert not app.exception


def test_the_open_workload_is_watched(app: AppTest) -> None:
    app.switch_page("pages/teach.py").run()
    assert not app.exception
    assert labelled(app.selectbox, "Beside it").value
    labelled(app.selectbox, "Tuples").set_value(20).run()
    assert not app.exception


def test_beside_the_best_is_a_plan_that_is_drawn_quickly(app: AppTest) -> None:
    app.switch_page("pages/teach.py").run()
    # The worst plan of this sample examines six million tuples in the steps that are shown.
    assert "naive" in str(labelled(app.selectbox, "Beside it").options)
    assert "naive" not in labelled(app.selectbox, "Beside it").value


def test_both_plans_are_on_the_canvas_with_what_differs_marked(app: AppTest) -> None:
    app.switch_page("pages/teach.py").run()
    first, second = canvases(app)
    assert first["plan"] != second["plan"]
    for drawn in (first, second):
        alone = {box["name"]: box["alone"] for box in drawn["boxes"]}
        assert alone["stream S1"] == 0
        assert sum(alone.values()) > 0
    labelled(app.selectbox, "Beside it").set_value("").run()
    (only,) = canvases(app)
    assert "alone" not in only["boxes"][0]


@pytest.mark.usefixtures("spark")
def test_the_presenter_sees_few_words() -> None:
    app = _opened(lesson="state-slice", present="1")
    assert not app.exception
    assert labelled(app.button, "Leave")
    # What is a click away is there: the answer, and another variant.
    labelled(app.radio, "Watch it").set_value("Q1 over 3 seconds").run()
    assert not app.exception


def test_the_open_workload_is_presented(app: AppTest) -> None:
    app.query_params["present"] = "1"
    app.switch_page("pages/teach.py").run()
    assert not app.exception
    assert labelled(app.button, "Leave")


def test_what_is_asked_for_is_known_by_all_that_it_depends_on() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "state-slice")
    asked = lesson_view.asked(lesson)
    assert asked.tables is not None
    fewer = {**asked.tables, "A": replace(asked.tables["A"], ts=asked.tables["A"].ts + 1)}
    others = [
        replace(asked, tables=fewer), replace(asked, show=()), replace(asked, counter="state"),
    ]  # fmt: skip
    assert len({asked.id, *(other.id for other in others)}) == 4


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_lesson_and_every_change_of_it_can_be_watched(lesson: Lesson) -> None:
    variants = lesson.change.variants if lesson.change else {}
    for variant in ("as it is", *variants):
        data = player.data_of(lesson_view.asked(lesson, variant))
        assert len({len(plan["steps"]) for plan in data["plans"]}) == 1
        ends = [plan["steps"][-1] for plan in data["plans"]]
        assert data["sheds"] or len({end["digest"] for end in ends}) == 1
    root = ET.fromstring(animated_svg(data, "<title> & more"))
    for text in root.iter("{http://www.w3.org/2000/svg}tspan"):
        assert len(text.text or "") <= 1280 / len(data["plans"]) / 9, "beside the next plan"
    assert root.tag.endswith("svg")
    assert "script" not in animated_svg(data, "x")


def _ends(name: str, variant: str = "as it is") -> dict[str, TraceStep]:
    """By plan the last step of a lesson."""
    lesson = next(lesson for lesson in LESSONS if lesson.name == name)
    traces = player.watching(lesson_view.asked(lesson, variant)).traces
    return {trace.plan.label: trace.steps[-1] for trace in traces}


def _text(name: str) -> str:
    lesson = next(lesson for lesson in LESSONS if lesson.name == name)
    assert lesson.question is not None
    return f"{lesson.question.why} {lesson.after}"


def test_figures_in_lessons_are_those_of_the_kernels() -> None:
    work = {
        label: sum(part["comparisons"] for part in end.counts.values())
        for label, end in _ends("state-slice").items()
    }
    assert sorted(work.values()) == [17, 23]
    assert "23 comparisons against 17" in _text("state-slice")
    delays = {
        label: {query: quality.delay_ms or 0.0 for query, quality in end.so_far.qualities.items()}
        for label, end in _ends("scheduling", "LWO beside MQT").items()
    }
    said = _text("scheduling")
    for query in ("Q1", "Q3"):
        assert all(f"{of_query[query]:.0f}" in said for of_query in delays.values())
    assert all(f"{sum(own.values()) / 3:.0f}" in said for own in delays.values())


def test_the_recall_so_far_is_the_share_of_the_exact_answer() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "star-join-memory")
    data = player.data_of(lesson_view.asked(lesson))
    for plan, (results, importance) in zip(data["plans"], [(11, 38), (8, 26)], strict=True):
        found = [(step["results"], step["exact"]["results"]) for step in plan["steps"]]
        assert all(one <= whole for one, whole in found)
        assert found == sorted(found)
        assert found[-1] == (results, 15)
        end = plan["steps"][-1]
        assert (end["figure"], end["exact"]["figure"]) == (importance, 43)
        assert plan["recall"] is None, "nothing is predicted of tuples that are given"
    drawn = animated_svg(data, "x")
    assert "38 of 43 importance, 11 of 15 results (recall 73.3%)" in drawn


def test_the_recall_so_far_is_beside_the_predicted_one() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "star-join-memory")
    # Without the tuples of the lesson they are generated, and windows are full at the first step.
    asked = player.PlayerRequest(lesson.workload, ("RAND-S", "EXACT"), 40, "load_shedding")
    shed, exact = player.data_of(asked)["plans"]
    assert 0 < shed["recall"] < 1
    assert exact["recall"] == 1
    assert all(step["results"] == step["exact"]["results"] for step in exact["steps"])
    ends = [plan["steps"][-1] for plan in (shed, exact)]
    assert ends[0]["exact"]["results"] == ends[1]["results"] > ends[0]["results"]


def test_no_recall_is_counted_where_a_short_processor_drops_tuples_of_every_plan() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "star-join-memory")
    execution = replace(lesson.workload.execution, utilisation=2.0)
    workload = replace(lesson.workload, execution=execution)
    asked = player.PlayerRequest(workload, ("RAND-S", "EXACT"), 10, "load_shedding")
    data = player.data_of(asked)
    assert not data["drawn"]
    assert all("exact" not in step for plan in data["plans"] for step in plan["steps"])


def test_plans_that_find_everything_have_no_recall() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "join-order")
    for plan in player.data_of(lesson_view.asked(lesson))["plans"]:
        assert plan["recall"] is None
        assert "exact" not in plan["steps"][-1]


def test_tuples_have_the_colour_of_their_stream_on_the_canvas() -> None:
    for lesson in LESSONS:
        data = player.data_of(lesson_view.asked(lesson))
        drawn = dict(zip(data["sources"], data["colours"], strict=True))
        assert drawn == {name: colours(lesson.workload)[name] for name in drawn}


def test_a_chip_bears_when_its_tuple_arrived_if_that_is_asked_for() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "naive-lazy-join")
    chips = player.data_of(lesson_view.asked(lesson))["chips"]
    assert {name: chip[1] for name, chip in chips.items()} == {
        "S1·1": "90 s", "S1·2": "100 s", "S2·1": "150 s", "S2·2": "180 s", "S3·1": "195 s",
        "S3·2": "205 s",
    }  # fmt: skip


def test_the_eight_combinations_of_the_naive_join_are_right_or_wrong_as_said() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.name == "naive-lazy-join")
    assert lesson.tables is not None
    times = {name: table.ts.tolist() for name, table in lesson.tables.items()}
    data = {name: [(ts, {"attr": 1}) for ts in own] for name, own in times.items()}
    right = {row[:3] for row in results_of(lesson.workload, data)}
    assert len(right) == _ends("naive-lazy-join")["S1,S2,S3"].results == 2
    for members in product(range(2), repeat=3):
        at = [own[n] // 1_000_000 for own, n in zip(times.values(), members, strict=True)]
        verdict = "right" if members in right else "too old"
        row = f"| {at[0]} | {at[1]} | {at[2]} | {at[2] - at[0]} | {verdict} |"
        assert row in _text("naive-lazy-join")


def test_a_lesson_with_a_mistake_is_one_message(tmp_path: Path) -> None:
    good = (FOLDER / "lessons" / "state-slice.yaml").read_text()
    assert not MISTAKES
    for old, new, said in [
        ("plans: [mem-opt, pull-up]", "plans: []", "plans: must be a list of 1 to 2 texts"),
        ("answer: 3", "answer: 9", "question.answer: must be the number of a choice, 1 to 3"),
        ("start: empty", "start: later", "start: must be `empty` or `full`"),
        ("steps: 20", "steps: 20\nfoo: 1", "foo: is not known"),
        ("{at: 2, k: 1}", "{at: 9, k: 1}", "tuples.A: must be in the order of their times"),
        ("rate: 1", "rate: -1", "rate"),
        ("title: A chain of sliced joins", "title: [", "lesson broken.yaml"),
    ]:
        assert old in good
        (tmp_path / "broken.yaml").write_text(good.replace(old, new, 1))
        (tmp_path / "good.yaml").write_text(good)
        found, mistakes = lessons(tmp_path)
        assert [lesson.name for lesson in found] == ["good"], "the others are there all the same"
        assert [said in str(mistake) for mistake in mistakes] == [True], mistakes
        assert "broken.yaml" in str(mistakes[0])
