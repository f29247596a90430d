"""The start page: cards lead to plans, files are opened, mistakes are shown."""

from __future__ import annotations

import hashlib
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.shared import links, samples
from pages.parts.start import workload_picture
from pages.parts.workload import own_data
from planner.errors import PlanError
from runtime.data.folders import home
from runtime.runs.history import History
from tests.pages.helpers import OPEN, fresh_app, labelled, reloaded, texts
from tests.runtime.run_records import a_run


def test_every_sample_has_a_card_with_a_picture(app: AppTest) -> None:
    assert not app.exception
    opened = [button for button in app.button if button.label == "Open"]
    assert len(opened) == len(samples.every()) >= 6
    assert len(app.image) == len(samples.every())


def test_few_samples_are_in_sight_by_what_they_teach() -> None:
    first = {subject: shown for row in samples.rows() for subject, shown in row.items()}
    in_sight = [sample.id for shown in first.values() for sample in shown]
    assert 6 <= len(in_sight) <= 12
    assert first["Which join order is cheapest?"][0].id == "golab-table-5"
    assert all(s.workload.queries[0].aggregates for s in first["Aggregate before the join?"])
    assert all(len(s.workload.queries) > 1 for s in first["Many queries, one join"])
    assert all(s.data is not None for s in first["Data of your own"])
    shedding = first["What to keep when memory is short?"]
    assert all(s.workload.execution.memory is not None for s in shedding)
    assert {*in_sight, *(s.id for s in samples.more())} == {s.id for s in samples.every()}


def test_a_card_shows_whether_it_aggregates() -> None:
    for sample in samples.every():
        aggregates = bool(sample.workload.queries[0].aggregates)
        assert ("γ" in workload_picture.card(sample.workload)) == aggregates


def test_a_card_opens_its_plans(app: AppTest) -> None:
    app.button(key="open-golab-table-6").click().run()
    assert not app.exception
    assert "S2 first, then S1, S3, S4 wins: 80,400 comparisons per second of stream" in texts(app)
    assert app.query_params["sample"] == "golab-table-6"


def test_a_card_with_queries_of_several_kinds_opens_the_first(app: AppTest) -> None:
    """NEXMark's queries cannot be planned together: one is picked, and its files are read."""
    app.button(key="open-nexmark").click().run()
    assert not app.exception
    assert "both orders cost the same" in texts(app)


def test_what_was_run_lately_and_what_broke_off_is_told(app: AppTest) -> None:
    assert "Recent" not in texts(app)
    run = a_run("done")
    History().save(run)
    History().save(a_run("lost", status="interrupted"))
    app.run()
    assert "1 run was interrupted." in texts(app)
    assert texts(app).count("Recent") == 1, "both are of one workload"
    shown = next(b for b in app.button if b.label == "See the results")
    shown.click().run()
    assert not app.exception
    assert app.session_state["workload"] == run.request.workload


@pytest.mark.usefixtures("spark")
def test_a_link_to_a_sample_opens_it() -> None:
    fresh = fresh_app(sample="golab-table-7")
    fresh.run().switch_page("pages/plans.py").run()
    assert "S3 first, then S1, S4, S2 wins" in texts(fresh)


@pytest.mark.usefixtures("spark")
def test_a_link_to_an_unknown_sample_says_so() -> None:
    fresh = fresh_app(sample="../../etc")
    fresh.run()
    assert not fresh.exception
    assert "there is no sample '../../etc'; choose one on Start" in texts(fresh)


def test_a_workload_file_is_opened(app: AppTest) -> None:
    text = (samples.FOLDER / "sensor-join.yaml").read_bytes()
    labelled(app.file_uploader, OPEN).set_value(("mine.yaml", text, "application/yaml")).run()
    assert not app.exception
    assert "both orders cost the same" in texts(app)


def test_a_broken_file_is_refused_with_its_place(app: AppTest) -> None:
    broken = b"version: 1\nstreams: [{name: A, rate: -3}]\nqueries: []\n"
    labelled(app.file_uploader, OPEN).set_value(("mine.yaml", broken, "application/yaml")).run()
    assert not app.exception
    assert "rate" in texts(app)
    assert "must be above 0, got -3" in texts(app)


def test_a_file_that_is_no_yaml_is_refused(app: AppTest) -> None:
    labelled(app.file_uploader, OPEN).set_value(("x.yaml", b"\x00\xff{[", "application/yaml")).run()
    assert not app.exception
    assert app.error


@pytest.mark.usefixtures("spark")
def test_links_hold_a_workload_and_survive_damage() -> None:
    text = (samples.FOLDER / "golab-table-5.yaml").read_text().replace("rate: 10,", "rate: 12,")
    fresh = fresh_app(workload=links.packed(text))
    fresh.run().switch_page("pages/workload.py").run()
    assert fresh.session_state["workload"].stream("S1").rate == 12

    damaged = fresh_app(workload="eJx_not_a_link")
    damaged.run()
    assert not damaged.exception
    assert "is damaged" in texts(damaged)


def test_a_reload_finds_the_workload_and_its_uploaded_data(app: AppTest) -> None:
    app.button(key="open-sensors-own-data").click().run()
    folder = home() / "uploads" / "0123456789ab"
    shutil.copytree(app.session_state["data"], folder)
    app.session_state["data"] = folder
    app.session_state["sort"] = True
    app.run()
    assert app.query_params["data"] == "uploads/0123456789ab"
    again = reloaded(app)
    assert again.session_state["workload"] == app.session_state["workload"]
    assert (again.session_state["data"], again.session_state["sort"]) == (folder, True)
    again.switch_page("pages/plans.py").run()
    assert "not opened a workload yet" not in texts(again)

    shutil.rmtree(folder)
    gone = reloaded(app)
    assert not gone.exception
    assert "is not a folder" in texts(gone)


def test_a_reload_finds_a_workload_that_is_too_long_for_an_address(app: AppTest) -> None:
    queries = ", ".join(
        f"{{name: Q{hashlib.sha256(str(n).encode()).hexdigest()}, text: "
        f"'SELECT * FROM A [RANGE {n}], B [RANGE {n}] WHERE A.k = B.k'}}"
        for n in range(1, 150)
    )
    streams = "[{name: A, rate: 1, attributes: {k: {}}}, {name: B, rate: 1, attributes: {k: {}}}]"
    text = f"version: 1\nname: long\nstreams: {streams.replace('{}', '{distinct: 9}')}\n"
    labelled(app.file_uploader, OPEN).set_value(
        ("long.yaml", f"{text}queries: [{queries}]\n".encode(), "application/yaml")
    ).run()
    assert not app.exception
    assert "workload" not in app.query_params
    again = reloaded(app)
    assert again.session_state["workload"] == app.session_state["workload"]
    assert len(again.session_state["workload"].queries) == 149


@pytest.mark.parametrize("name", ["0123456789abcdef", "../../etc/passwd", "", "x" * 5000])
@pytest.mark.usefixtures("spark")
def test_a_name_of_no_kept_workload_is_told(name: str) -> None:
    fresh = fresh_app(kept=name)
    fresh.run()
    assert not fresh.exception
    assert "is no longer kept here" in texts(fresh)


@pytest.mark.parametrize(
    "name", ["/etc", "../..", "uploads/../../..", "x" * 5000, "\0", "sample:x"]
)
def test_a_link_leads_to_no_folder_but_ours(app: AppTest, name: str) -> None:
    assert not app.exception
    with pytest.raises(PlanError):
        own_data.named(name)


def test_an_edited_sample_keeps_its_data_over_a_reload(app: AppTest) -> None:
    app.button(key="open-sensors-own-data").click().run()
    folder = app.session_state["data"]
    assert own_data.named(str(own_data.name_of(folder))) == folder


def test_a_page_without_a_workload_says_what_it_shows(app: AppTest) -> None:
    assert "sample" not in app.query_params
    app.switch_page("pages/plans.py").run()
    assert "You have not opened a workload yet. This is the first sample." in texts(app)
    app.switch_page("pages/start.py").run()
    app.button(key="open-golab-table-5").click().run()
    assert "You have not opened a workload yet" not in texts(app)


@pytest.mark.usefixtures("spark")
def test_a_link_that_unpacks_to_too_much_is_refused() -> None:
    bomb = fresh_app(workload=links.packed("#" * 50_000_000))
    bomb.run()
    assert not bomb.exception
    assert "holds more than a workload" in texts(bomb)
