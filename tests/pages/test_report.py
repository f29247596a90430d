"""The HTML report: one file, the run's own figures in it, and nothing that acts or asks outside."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pages.parts.report import main, report
from planner.errors import RunError
from runtime.runs.history import History
from runtime.runs.records import Run
from runtime.runs.run_json import run_document
from tests.runtime.run_records import a_run

_HOSTILE = "</script><script>alert(1)</script><img src=http://evil.example/x>"
# Elements by which a page fetches something, and what names it.
_FETCHING = ("src", "srcset", "href", "action", "data", "poster", "background", "xlink:href")


class _Read(HTMLParser):
    """What a browser would find in the report."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.documents: dict[str, str] = {}
        self.styles: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._inside = ""
        self._table = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.fetched += [found[name] for name in _FETCHING if name in found]
        self._inside = f"{tag}#{found.get('id', '')}"
        if tag == "table":
            self._table = found["aria-label"]
            self.tables[self._table] = []
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag == "td":
            self.tables[self._table][-1].append(found.get("data-value", ""))

    def handle_data(self, data: str) -> None:
        if self._inside == "script#runs":
            self.documents["runs"] = data
        elif self._inside.startswith("style"):
            self.styles.append(data)
        elif self._inside == "td#" and not self.tables[self._table][-1][-1]:
            self.tables[self._table][-1][-1] = data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser calls it so
        self._inside = ""


def _measured(run_id: str, share: float = 1.0) -> Run:
    run = a_run(run_id)
    assert run.measurement is not None
    costs = {
        name: replace(cost, comparisons=cost.comparisons * share)
        for name, cost in run.estimate.costs.items()
    }
    return replace(run, measurement=replace(run.measurement, costs=costs))


def test_its_figures_are_those_of_the_runs_json() -> None:
    run = _measured("r1", 0.8)
    read = _Read(report([run]))
    assert json.loads(read.documents["runs"]) == [run_document(run)]

    cost = run_document(run)["cost"]
    _, plan = read.tables["Plans that were run, predicted beside measured"]
    predicted, measured = plan[1:3]
    assert float(predicted) == cost["predicted"]["comparisons"]
    assert float(measured) == cost["measured"]["comparisons"]

    rows = read.tables["Operators of S1 first, then S2, S3, S4"][1:]
    counted = [(float(p), float(m)) for _, kind, p, m, *_ in rows if kind == "Comparisons/s"]
    assert counted == [
        (operator["predicted"]["comparisons"], operator["measured"]["comparisons"])
        for operator in run_document(run)["operators"]
        if operator["predicted"]["comparisons"]
    ]
    errors = [float(row[4]) for row in rows if row[1] == "Comparisons/s"]
    assert errors == pytest.approx([1.25] * len(errors))


def test_repeats_stand_in_one_row_with_all_their_figures_beside() -> None:
    read = _Read(report([_measured("r1"), _measured("r2")]))
    assert len(read.tables["Plans that were run, predicted beside measured"]) == 2, "head and plan"
    assert [run["run"] for run in json.loads(read.documents["runs"])] == ["r1", "r2"]


def test_the_picture_of_a_plan_fits_its_page() -> None:
    text = report([_measured("r1")])
    text = text[text.index('<figure class="wide">') :]
    picture = text[: text.index("</figure>")]
    assert "max-width:100%" in picture
    assert "measured" in picture


def test_it_asks_nothing_of_the_network() -> None:
    text = report([_measured("r1"), _measured("r2", 0.9)])
    read = _Read(text)
    assert read.fetched == []
    assert not re.search(r"url\(|@import", "".join(read.styles))
    assert not {"link", "iframe", "img", "object", "embed", "base"} & set(read.tags)
    assert "default-src 'none'" in text
    assert {"svg", "table", "figure"} <= set(read.tags)
    assert text.count("plotly.js v") == 1, "what draws the charts stands in it once"


def test_names_cannot_act() -> None:
    run = _measured("r1")
    named = replace(
        run,
        workload=replace(run.workload, name=_HOSTILE),
        request=replace(run.request, workload=replace(run.workload, name=_HOSTILE)),
        warnings=(_HOSTILE,),
    )
    plain, hostile = report([run]), report([named])
    assert "alert(1)" in hostile
    assert _HOSTILE not in hostile
    assert "<img" not in hostile.split("</head>")[1]
    assert _Read(hostile).tags.count("script") == _Read(plain).tags.count("script")


def test_what_cannot_be_reported_together_is_refused() -> None:
    run = _measured("r1")
    with pytest.raises(RunError, match="r2: has another workload or other data than r1"):
        report([run, replace(_measured("r2"), data_digest="other")])
    with pytest.raises(RunError, match="r3: is failed; a report needs finished runs"):
        report([run, a_run("r3", status="failed", error="no")])
    with pytest.raises(RunError, match="no run to report"):
        report([])


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    History().save(_measured("r1"))
    file = tmp_path / "report.html"
    assert main(["r1", "--out", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "runs": ["r1"]}
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

    assert main(["r9", "--out", str(file)]) == 2
    assert "no run 'r9'" in capsys.readouterr().err
    assert main(["r1", "--out", str(tmp_path / "none" / "report.html")]) == 2
    assert "cannot be written: No such file" in capsys.readouterr().err
