"""At the edges of what is allowed every command answers, or says in one sentence why not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from planner.__main__ import main as plan
from planner.errors import QueryTextError
from planner.files.workload_file import dump_workload, load_workload
from planner.whatif.sweep_paths import paths
from planner.workload.workload import Workload
from runtime.__main__ import main as measure
from runtime.data.data_writer import write_folder
from tests.runtime.driving import tables_of
from tests.runtime.edges import KINDS, Edges

Fuzzed = Callable[[str, Callable[[int], None]], None]
MOST_LETTERS = 1_000
# Texts that no query can hold.
UNWRITTEN = re.compile("is not allowed in a query|characters long; at most")
DRAWS = (
    Edges.join,
    Edges.shared,
    Edges.aggregation,
    Edges.bounded,
    Edges.bounded_aggregation,
    Edges.changing,
)
PLANNING = ("plans", "explain", "sweep", "sweep", "sweep", "replan", "replan", "advise")
# Those that need no Spark.
MEASURING = ("statistics", "export", "generate")
# Those that may infer statistics from own data.
READING = ("plans", "explain", "advise", "replan", "sweep", "export")
FAMILIES = ("join_order", "early_aggregation", "sliced_chain", "shared_schedule", "load_shedding")
RANGES = ("0:1:3", "1:1:1", "1:4:4", "0.5:2:3:log", "1e-9:1e9:3:log", "-1:1:3", "0:1e18:3")


def test_commands(fuzzed: Fuzzed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "workload.yaml"

    def check(seed: int) -> None:
        edges = Edges(seed)
        workload, data = edges.chance.choice(DRAWS)(edges)
        text = dump_workload(workload)
        try:
            assert load_workload(text) == workload
        except QueryTextError as error:
            if not UNWRITTEN.search(error.summary):
                raise
            return
        file.write_text(text)
        write_folder(tables_of(data, KINDS), tmp_path / "data")
        for _ in range(3):
            arguments = _arguments(edges, workload, tmp_path)
            main = measure if arguments[0] in MEASURING else plan
            code = main([arguments[0], str(file), *arguments[1:]])
            out, err = capsys.readouterr()
            _check(arguments, code, out, err)

    fuzzed("commands", check)


def _check(arguments: list[str], code: int, out: str, err: str) -> None:
    if code == 0:
        assert out, arguments
        if "--json" in arguments:
            json.loads(out, parse_constant=_no_number)
        return
    assert code == 2, arguments
    assert not out, arguments
    said = [line for line in err.splitlines() if not line.startswith("warning: ")]
    assert len(said) == 1, (arguments, err)
    assert 0 < len(said[0]) <= MOST_LETTERS, arguments


def _no_number(text: str) -> NoReturn:
    raise AssertionError(f"{text} is no JSON")


def _arguments(edges: Edges, workload: Workload, folder: Path) -> list[str]:
    """A command and its options, most of them as they should be."""
    choice: Any = edges.chance.choice
    command = choice([*PLANNING, *MEASURING])
    data = ["--data", str(folder / "data")]
    options = [command, *_own_options(command, edges, workload, folder)]
    if command == "statistics" or (command in READING and choice([True, False])):
        options += data
    if command not in ("statistics", "generate") and choice([True, False]):
        options += ["--family", choice(FAMILIES)]
    if command in ("plans", "sweep", "replan") and choice([True, False]):
        options += ["--rank", choice(["work", "seconds", "state"])]
    if choice([True, False]) and "--dot" not in options and "--csv" not in options:
        options.append("--json")
    return options


def _own_options(command: str, edges: Edges, workload: Workload, folder: Path) -> list[str]:
    """What no other command takes."""
    choice: Any = edges.chance.choice
    match command:
        case "explain":
            return ["--plan", "best", *choice([[], ["--dot"]])]
        case "sweep":
            listed = list(paths(workload))
            axes = [f"--vary={choice(listed)}={choice(RANGES)}" for _ in range(choice([1, 1, 2]))]
            return [*axes, *choice([[], [], ["--robust", "4"], ["--csv"]])]
        case "replan":
            trace = folder / "trace.csv"
            trace.write_text(_trace(edges, workload))
            return ["--trace", str(trace), "--threshold", choice(["0", "0.2", "1e9"])]
        case "advise":
            return ["--buckets", choice(["1", "7", "1000000"]), *choice([[], ["--upkeep"]])]
        case "export":
            return [str(folder / "exported")]
        case "generate":
            return [str(folder / "generated"), "--duration", choice(["0.001", "1", "6"])]
    return []


def _trace(edges: Edges, workload: Workload) -> str:
    names = [stream.name for stream in workload.streams]
    rows, time = [",".join(["time", *names])], 0.0
    for _ in range(edges.chance.choice([1, 2, 4])):
        rates = [edges.chance.choice(["0", "1e-9", "1", "250", "1e9"]) for _ in names]
        rows.append(",".join([repr(time), *rates]))
        time += edges.chance.choice([1e-6, 1.0, 1e6])
    return "\n".join([*rows, repr(time) + "," * len(names)])
