"""`python -m planner replan`: the document, the text, CSV, and what is said of mistakes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner.__main__ import main

SAMPLES = Path(__file__).resolve().parents[3] / "sample_data"
TABLE_7, TRACE = str(SAMPLES / "golab-table-7.yaml"), str(SAMPLES / "rates-table-7.csv")
SENSORS = [str(SAMPLES / "sensors-own-data.yaml"), "--data", str(SAMPLES / "sensors")]

Printed = Callable[..., str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    def run(*arguments: str) -> str:
        code = main(["replan", *arguments])
        out, _ = capsys.readouterr()
        assert code == 0
        return out

    return run


def test_the_document_adds_up(printed: Printed) -> None:
    found: dict[str, Any] = json.loads(printed(TABLE_7, "--trace", TRACE, "--json"))
    assert (found["family"], found["unit"], found["threshold"]) == (
        "join_order",
        "comparisons",
        0.2,
    )
    intervals = found["intervals"]
    assert (intervals[0]["from"], intervals[-1]["to"]) == (0, 7200)
    for key, policy in found["policies"].items():
        spent = sum(i["cost"][key] * (i["to"] - i["from"]) for i in intervals)
        assert policy["total"] == pytest.approx(spent)
        assert policy["regret"] == pytest.approx(spent - found["policies"]["oracle"]["total"])
        plans = [interval["plan"][key] for interval in intervals]
        starts = [interval["from"] for interval in intervals]
        changed = [t for t, a, b in zip(starts[1:], plans, plans[1:], strict=False) if a != b]
        assert policy["changed_at"] == changed
        assert policy["changes"] == len(changed)
    assert found["policies"]["oracle"]["changes"] > 0
    levels = [level["threshold"] for level in found["thresholds"]]
    assert found["threshold"] in levels
    assert found["advised"] in levels


def test_text_and_csv_tell_the_same(printed: Printed) -> None:
    document = json.loads(printed(TABLE_7, "--trace", TRACE, "--json", "--threshold", "0.5"))
    text = printed(TABLE_7, "--trace", TRACE, "--threshold", "0.5")
    assert document["answer"] in text
    assert "re-plan beyond 50%" in text
    rows = list(csv.DictReader(io.StringIO(printed(TABLE_7, "--trace", TRACE, "--csv"))))
    assert [float(row["S3"]) for row in rows] == [1, 1.3, 10, 9, 1, 1]
    assert [row["oracle_plan"] for row in rows] == [i["best"] for i in document["intervals"]]
    assert [float(r["stay_cost"]) for r in rows] == [
        i["cost"]["stay"] for i in document["intervals"]
    ]


def test_own_data_give_the_rates(printed: Printed) -> None:
    found = json.loads(printed(*SENSORS, "--every", "100", "--json"))
    starts = [interval["from"] for interval in found["intervals"]]
    assert starts == [100 * place for place in range(len(starts))]
    arrived = [
        sum(i["rates"][name] * (i["to"] - i["from"]) for i in found["intervals"])
        for name in ("temperature", "humidity")
    ]
    assert arrived == pytest.approx([2418, 1170])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([TABLE_7], "--trace: is missing"),
        ([TABLE_7, "--trace", "nowhere.csv"], "nowhere.csv: cannot be read: No such file"),
        ([TABLE_7, "--trace", TABLE_7], "has no column 'time'"),
        ([TABLE_7, "--trace", TRACE, "--every", "5"], "--every: counts own data"),
        ([TABLE_7, "--trace", TRACE, "--threshold", "-1"], "--threshold: must be 0 or above"),
        ([TABLE_7, "--trace", TRACE, "--threshold", "x"], "--threshold: invalid float value"),
        ([*SENSORS, "--every", "0"], "--every: must be above 0"),
        ([SENSORS[0], "--trace", TRACE], "rates-table-7.csv: columns: no stream 'S1'"),
    ],
)
def test_a_mistake_is_said_in_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replan", *arguments]) == 2
    out, err = capsys.readouterr()
    assert not out
    warnings, _, last = err.rstrip("\n").rpartition("\n")
    assert said in last
    assert not warnings or "match nothing" in warnings
