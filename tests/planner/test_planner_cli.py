"""`python -m planner`: the documents, the exit codes, and one clear message for every mistake."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from math import factorial
from pathlib import Path
from typing import Any

import pytest

from planner.__main__ import main
from planner.files.workload_file import dump_workload
from planner.report.plans_report import MOST_WITH_OPERATORS
from planner.seconds.units import default_units
from planner.workload.execution import Every, Execution
from planner.workload.workload import Workload
from tests.planner.workloads import EIGHT, TABLE_5, TABLE_7, equality_join

COST = {"comparisons", "inserts", "expirations", "group_updates", "rows_out", "state_tuples"}
UNITS = {"compare": 1e-9, "insert": 1e-7, "expire": 1e-8, "output": 1e-7}

Save = Callable[[Workload], str]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def saved(workload: Workload) -> str:
        path = tmp_path / "workload.yaml"
        path.write_text(dump_workload(workload))
        return str(path)

    return saved


@pytest.fixture
def table_5(save: Save) -> str:
    return save(equality_join(TABLE_5))


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        code = main(arguments)
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    return run


@pytest.fixture
def document(printed: Callable[..., str]) -> Callable[..., Any]:
    return lambda *arguments: json.loads(printed(*arguments, "--json"))


def test_plans_is_the_contracts_document(table_5: str, document: Callable[..., Any]) -> None:
    found = document("plans", table_5)
    assert set(found) == {"workload", "families"}
    assert set(found["workload"]) == {"name", "digest"}
    family = found["families"]["join_order"]
    assert (family["refused"], family["rank_by"]) == (None, "comparisons")
    assert (family["best"], family["considered"]) == ("S1,S2,S3,S4", 48)
    assert (family["truncated"], family["excluded"]) == (False, [])
    assert len(family["candidates"]) == 10, "the baseline is among the ten best"
    best = family["candidates"][0]
    assert set(best) == {"label", "id", "tags", "cost", "seconds", "queries", "operators"}
    assert set(best["cost"]) == COST
    assert best["cost"]["comparisons"] == 16000
    assert best["seconds"] > 0
    assert family["units"] == default_units().source
    nothing = dict.fromkeys(("delay_ms", "delay_ms_max", "recall", "importance"))
    assert best["queries"] == {"Q1": nothing}
    assert set(best["operators"][0]) == {"id", "kind", "params", "inputs", "cost"}
    known: set[str] = set()
    for operator in best["operators"]:
        assert known.issuperset(operator["inputs"]), "each after what feeds it"
        known.add(operator["id"])
    spent = sum(operator["cost"]["comparisons"] for operator in best["operators"])
    assert spent == pytest.approx(16000)


def test_how_many_plans_are_listed(save: Save, document: Callable[..., Any]) -> None:
    path = save(equality_join(TABLE_7))

    def labels(*options: str) -> list[str]:
        candidates = document("plans", path, *options)["families"]["join_order"]["candidates"]
        return [candidate["label"] for candidate in candidates]

    assert len(labels("--all")) == 48
    assert len(labels()) == 11
    assert labels("--top", "1") == ["S3,S1,S4,S2", "S1,S2,S3,S4"]
    assert labels("--family", "join_order", "--top", "2")[:2] == labels()[:2]


def test_operators_are_bounded_where_many_plans_are_listed(
    save: Save, document: Callable[..., Any]
) -> None:
    path = save(equality_join(EIGHT[:6]))
    family = document("plans", path, "--all")["families"]["join_order"]
    assert len(family["candidates"]) == family["considered"] == 2 * factorial(6)
    assert family["operators_listed"] == MOST_WITH_OPERATORS
    listed = [bool(candidate["operators"]) for candidate in family["candidates"]]
    assert listed == [True] * MOST_WITH_OPERATORS + [False] * (len(listed) - MOST_WITH_OPERATORS)
    assert len({candidate["id"] for candidate in family["candidates"]}) == 2 * factorial(6)


def test_seconds_come_from_declared_unit_costs(save: Save, document: Callable[..., Any]) -> None:
    path = save(equality_join(TABLE_5, Execution(unit_costs=UNITS)))
    by_work = document("plans", path)["families"]["join_order"]
    by_time = document("plans", path, "--rank", "seconds")["families"]["join_order"]
    assert (by_work["rank_by"], by_time["rank_by"]) == ("comparisons", "seconds")
    spent = {candidate["label"]: candidate["seconds"] for candidate in by_work["candidates"]}
    seconds = [candidate["seconds"] for candidate in by_time["candidates"]]
    assert seconds == sorted(seconds)
    assert spent[by_time["best"]] == seconds[0]
    every = document("plans", path, "--rank", "seconds", "--all")["families"]["join_order"]
    worst = [c["label"] for c in every["candidates"] if "worst" in c["tags"]]
    assert worst == [every["candidates"][-1]["label"]]


def test_own_data_fill_in_what_is_not_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "workload.yaml"
    file.write_text(
        "version: 1\nstreams: [{name: A}, {name: B}]\nqueries:\n"
        "  - {text: 'SELECT * FROM A [RANGE 10], B [RANGE 20] WHERE A.k = B.k'}\n"
    )
    for name in ("A", "B"):
        rows = [f"{second},{second % 5}" for second in range(101)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["ts,k", *rows]))
    assert main(["plans", str(file), "--json"]) == 0
    assert "has no rate" in json.loads(capsys.readouterr().out)["families"]["join_order"]["refused"]
    assert main(["plans", str(file), "--data", str(tmp_path), "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["families"]["join_order"]["candidates"][0]
    assert best["cost"]["comparisons"] == pytest.approx(1 * 20 + 1 * 10, rel=0.05)
    assert main(["plans", str(file), "--data", str(tmp_path / "none"), "--json"]) == 2


def test_a_family_that_refuses_is_listed_with_its_reason(
    save: Save, document: Callable[..., Any], printed: Callable[..., str]
) -> None:
    path = save(equality_join(TABLE_5[:1]))
    family = document("plans", path)["families"]["join_order"]
    assert "one source" in family["refused"]
    assert family["candidates"] == []
    assert "join_order does not apply: Q1 has one source" in printed("plans", path)


def test_people_read_the_answer_first(table_5: str, printed: Callable[..., str]) -> None:
    text = printed("plans", table_5)
    assert "S1 first, then S2, S3, S4 wins: 16,000 comparisons per second of stream" in text
    assert "10 of 48 plans listed" in text


def test_the_model_behind_figures_is_named_and_others_stand_beside(
    save: Save, capsys: pytest.CaptureFixture[str]
) -> None:
    lazy = save(equality_join(TABLE_5, Execution("hash", 7, evaluate=Every(50))))
    corrected = "corrected: results held to the windows as stated; exact share of a bucket"
    assert main(["plans", lazy]) == 0
    assert f"Comparisons by the model: {corrected}" in capsys.readouterr().out
    assert main(["explain", lazy, "--plan", "best"]) == 0
    told = capsys.readouterr().out
    assert f"comparisons/s by the model: {corrected}" in told
    assert "by paper, Appendix A" in told
    assert "by paper, Section 5.3" in told
    assert main(["plans", lazy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["families"]["join_order"]["models"] == [corrected]


def test_explain_draws_one_plan(
    table_5: str, printed: Callable[..., str], document: Callable[..., Any]
) -> None:
    chosen = ("explain", table_5, "--family", "join_order", "--plan")
    text = printed(*chosen, "S2,S1,S3,S4")
    assert text.startswith("join_order S2,S1,S3,S4")
    assert "when a tuple arrives on S1" in text
    assert printed(*chosen, "best", "--dot").startswith("digraph plan {")
    found = document(*chosen, "best")
    assert (found["label"], found["cost"]["comparisons"]) == ("S1,S2,S3,S4", 16000)
    assert all(operator["formulas"] for operator in found["operators"])


def test_sweep_is_the_contracts_document(
    save: Save, document: Callable[..., Any], printed: Callable[..., str]
) -> None:
    path = save(equality_join(TABLE_7))
    asked = ("sweep", path, "--vary", "streams.S1.rate=1:50:8")
    found = document(*asked)
    assert {"axes", "plans", "cost", "winner", "crossovers"} <= set(found)
    assert found["axes"][0]["path"] == "streams.S1.rate"
    assert [len(costs) for costs in found["cost"]] == [8] * len(found["plans"])
    first = found["crossovers"][0]
    assert {"at", "from", "to"} <= set(first)
    assert len(first["because"]["before"]) == 2
    assert found["models"] == ["paper, Appendix A"]
    rows = list(csv.reader(io.StringIO(printed(*asked, "--csv"))))
    wide = 2 + len(found["plans"])
    assert rows[0][:wide] == ["streams.S1.rate", "winner", *found["plans"]]
    assert [row[1] for row in rows[1:]] == found["winner"]
    crossed = "; ".join(filter(None, (row[wide] for row in rows[1:])))
    assert crossed.count("overtakes") == len(found["crossovers"])
    assert f"{first['at']!r}: {first['to']} overtakes {first['from']}" in crossed
    about = ["work", "comparisons/s", *found["models"], "join_order", found["workload"]]
    assert {tuple(row[wide + 1 :]) for row in rows[1:]} == {tuple(about)}
    text = printed(*asked)
    assert text.startswith(f"Comparisons/s of {found['workload']}; join_order; model: paper")
    assert "overtakes" in text
    assert f"({first['because']['operator']}: " in text


def test_what_was_priced_roughly_is_said(printed: Callable[..., str]) -> None:
    vary = ("--vary", "execution.utilisation=0.3:0.8:12")
    rough = "delays are simulated on samples a fiftieth as large"
    assert rough in printed("sweep", "sample_data/seven-windows.yaml", *vary)
    assert rough in printed("sweep", "sample_data/seven-windows.yaml", *vary, "--robust", "12")


def test_advise_tells_what_to_index(
    table_5: str, document: Callable[..., Any], printed: Callable[..., str]
) -> None:
    found = document("advise", table_5, "--buckets", "20")
    assert (found["budget"], found["method"], found["unit"]) == (20, "exact", "comparisons/s")
    assert (found["none"]["cost"], found["equal"]["cost"]) == (16000, 3200)
    assert found["cost"] < 3200
    assert found["none"]["gain"] == pytest.approx(16000 / found["cost"])
    assert sum(window["memory"] for window in found["windows"]) == found["used"] <= 20
    assert found["curve"][-1] == {"budget": 20, "advised": found["cost"], "equal": 3200}
    assert found["worth_most"] in found["execution"]["buckets"]
    text = printed("advise", table_5, "--buckets", "20")
    assert found["answer"] in text
    assert "Exact: no other split" in text


def test_the_advised_execution_can_be_pasted(
    save: Save, tmp_path: Path, document: Callable[..., Any], printed: Callable[..., str]
) -> None:
    path = save(equality_join(TABLE_7, Execution(evaluate=Every(5), unit_costs=UNITS)))
    found = document("advise", path, "--buckets", "9")
    assert "nested" in found["execution"]["join"].values(), "not all windows are worth an index"
    block = printed("advise", path, "--buckets", "9").partition("execution:")
    before = Path(path).read_text().partition("execution:")[0]
    pasted = tmp_path / "pasted.yaml"
    pasted.write_text(before + block[1] + block[2])
    best = document("plans", str(pasted))["families"]["join_order"]["candidates"][0]
    assert best["label"] == found["plan"]
    assert best["cost"]["comparisons"] == pytest.approx(found["cost"])
    with_upkeep = document("advise", path, "--buckets", "9", "--upkeep")
    assert with_upkeep["unit"] == "s of work per s"
    assert with_upkeep["cost"] < with_upkeep["none"]["cost"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "required"),
        (("bogus",), "invalid choice"),
        (("plans",), "WORKLOAD"),
        (("plans", "nowhere.yaml"), "nowhere.yaml: cannot be read"),
        (("plans", "."), "cannot be read"),
        (("plans", "FILE", "--family", "x"), "there are join_order"),
        (("plans", "FILE", "--query", "Q9"), "no query 'Q9'"),
        (("plans", "FILE", "--top", "0"), "must be a whole number from 1"),
        (("plans", "FILE", "--top", "x"), "--top"),
        (("plans", "FILE", "--top", "3", "--all"), "not allowed with"),
        (("plans", "FILE", "--rank", "x"), "ranked by work, seconds, state"),
        (("plans", "FILE", "--unknown"), "--unknown"),
        (("explain", "FILE", "--plan", "S1,S2"), "such as S1,S2,S3,S4"),
        (("explain", "FILE"), "--plan"),
        (("sweep", "FILE"), "--vary"),
        (("sweep", "FILE", "--vary", "x=1:2:3"), "no such path"),
        (("advise", "FILE"), "--buckets"),
        (("advise", "FILE", "--buckets", "0"), "must be a whole number from 1"),
        (("advise", "FILE", "--buckets", "2.5"), "must be a whole number from 1"),
        (("advise", "FILE", "--buckets", "99999"), "buckets: must be from 1 to 10,000"),
        (("advise", "FILE", "--buckets", "9", "--family", "x"), "there are join_order"),
    ],
)
def test_a_mistake_ends_in_one_clear_message(
    arguments: tuple[str, ...], said: str, table_5: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([table_5 if argument == "FILE" else argument for argument in arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_reader_that_leaves_is_no_fault(table_5: str) -> None:
    command = [sys.executable, "-m", "planner", "plans", table_5, "--all", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


ALERTS = """
version: 1
streams:
  - {name: A, rate: 1, attributes: {k: {distinct: 5}, v: {distinct: 5}}}
  - {name: B, rate: 1, attributes: {k: {distinct: 5}, v: {distinct: 5}}}
queries:
  - {name: near, text: "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k"}
  - {name: far, text: "SELECT * FROM A [RANGE 9], B [RANGE 9] WHERE A.k = B.k"}
  - {name: other, text: "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.v = B.v"}
run: {warmup: 10, duration: 20, changes: [{at: 5, remove: near}, {at: 30, remove: far}]}
"""


def test_queries_that_do_not_share_are_told(tmp_path: Path, printed: Callable[..., str]) -> None:
    file = tmp_path / "alerts.yaml"
    file.write_text(ALERTS.replace("at: 30", "at: 29"))
    text = printed("plans", str(file), "--family", "sliced_chain")
    assert "\nother does not share: no other query joins A and B on A.v = B.v with such" in text
    assert "near does not share" not in text


def test_a_change_after_the_end_of_the_run_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "alerts.yaml"
    file.write_text(ALERTS)
    assert main(["plans", str(file)]) == 2
    told = (
        "run.changes[1].at: 30 s is beyond the end of the run, which covers 30 s; make the change "
        "earlier or run longer"
    )
    assert told in capsys.readouterr().err
