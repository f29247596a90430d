"""Bad input ends in one clear message with place and fix, or in a right answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.errors import PlanError
from planner.files.data_files import find_file
from planner.files.own_data import read_folder
from planner.files.query.text import parse_query
from planner.files.workload_file import dump_workload, load_workload

HEAD = "version: 1\nstreams: [{name: A}, {name: B}]\n"
JOIN = HEAD + "queries: [{text: 'SELECT * FROM A [RANGE 9], B [RANGE 9] WHERE A.k = B.k'}]\n"
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
ODD_NAMES = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://x","y")',
    "../../etc/passwd",
    '"];node[',
    "no",
    "1e5",
    "a: b",
    "😀",
    "x" * 200,
]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a mapping"),
        (b"hello", "must be a mapping"),
        (b"[1, 2]", "must be a mapping"),
        (b"\xff\xfe\x00\x01", "is not UTF-8 text"),
        (b"version: 1\nname: \x00", "U+0000"),
        (b"version: 1\n" + b"#" * 1_000_000, "at most 1000000"),
        (b"[" * 10_000, "nested more than 50 deep; flatten it"),
        (b"{a: " * 10_000, "nested more than 50 deep; flatten it"),
        (LAUGHS.encode(), "more than 50000 values; write fewer"),
        (b"[" + b"1," * 60_000 + b"1]", "more than 50000 values; write fewer"),
        (b"a: &a [*a]", "an anchor that contains itself"),
        (b"a: *b", "line 1, column 4: found undefined alias 'b'"),
        (b"version: 1\nversion: 1", "line 2, column 1: the key 'version' occurs twice"),
        (b"version: !!python/object/apply:os.system [ls]", "leave tags out"),
        (b"version: 1\n---\nversion: 1", "line 2, column 1"),
        (b"version: 1\n\tname: x", "line 2, column 1"),
        (b"? [a]\n: b", "a key must be text"),
        (b'version: 1\nname: "\\ud800"', "a lone surrogate"),
        (b"version: 1", "streams: has no stream; declare at least one"),
        (HEAD.encode(), "queries: has no query; write at least one"),
        (b"version: 1\nstreams:\n", "streams: must be a list, got None"),
    ],
)
def test_a_bad_workload_file(content: bytes, message: str) -> None:
    with pytest.raises(PlanError) as raised:
        load_workload(content)
    assert message in str(raised.value)


def test_bom_crlf_and_anchors_are_accepted() -> None:
    plain = load_workload(JOIN)
    assert load_workload(b"\xef\xbb\xbf" + JOIN.replace("\n", "\r\n").encode()) == plain
    assert load_workload("\ufeff" + JOIN.replace("{name: B}", "{name: B, rate: &r 3}"))
    shared = "streams: [{name: A, attributes: &both {k: {}}}, {name: B, attributes: *both}]"
    assert load_workload(JOIN.replace("streams: [{name: A}, {name: B}]", shared))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_names(name: str, tmp_path: Path) -> None:
    quoted = name.replace('"', '""')
    query = parse_query(f'SELECT * FROM "{quoted}" [ROWS 1]', "Q")
    workload = load_workload(JOIN)
    subject = type(workload)(name, (type(workload.streams[0])(name, 1.0),), (query,))
    assert load_workload(dump_workload(subject)) == subject
    with pytest.raises(PlanError, match="no file"):
        read_folder(tmp_path, subject)


@pytest.mark.parametrize(
    ("yaml", "place"),
    [
        (JOIN.replace("{name: B}", f"{{name: {'x' * 5000}}}"), "streams[1].name"),
        (
            JOIN.replace("{name: B}", f"{{name: B, attributes: {{{'x' * 500}: {{}}}}}}"),
            "streams[1]",
        ),
        (JOIN.replace("{text:", f"{{name: {'x' * 5000}, text:"), "queries[0]"),
        (JOIN.replace("B [RANGE 9] ", f"B [RANGE 9] {'x' * 5000} "), "queries[0].text"),
        (JOIN.replace("version: 1", f"version: 1\nname: {'x' * 5000}"), "name"),
    ],
)
def test_a_name_of_5000_characters_is_refused(yaml: str, place: str) -> None:
    with pytest.raises(PlanError, match="characters long; at most 200") as raised:
        load_workload(yaml)
    assert raised.value.place.startswith(place)


def test_self_joins_disconnected_graphs_and_many_queries_are_planned() -> None:
    self_join = "SELECT * FROM A [RANGE 9] l, A [RANGE 9] r, B [ROWS 5] WHERE l.k = r.k"
    queries = ", ".join(f"{{text: '{self_join}'}}" for _ in range(200))
    workload = load_workload(f"{HEAD}queries: [{queries}]")
    assert len(workload.queries) == 200
    assert [source.name for source in workload.queries[199].sources] == ["A", "A", "B"]


def test_more_queries_than_the_limit_are_refused() -> None:
    queries = ", ".join(["{text: 'SELECT * FROM A [ROWS 1]'}"] * 1001)
    with pytest.raises(PlanError, match="queries: 1001 queries; at most 1000"):
        load_workload(f"{HEAD}queries: [{queries}]")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "A.csv: is empty; its first line must name the columns"),
        (b"\xef\xbb\xbf\r\n", "A.csv: is empty"),
        (b"k\n1\n", "A.csv: has no column 'ts'"),
        (b"ts\n1\n", "A.csv: has no column 'k'; there are ts"),
        (b"ts,k,k\n1,2,3\n", "A.csv: has two columns named 'k'; rename one"),
        (b"ts,k\n1,2\n3\n", "Row #3: Expected 2 columns, got 1"),
        (b"ts,k\n1,2\n3\n", "give every row the fields of the header"),
        (b"ts,k\n1,\0\n", "A.csv: contains a NUL byte in line 2"),
        (b"PAR1\x15\x04", "A.csv: is a Parquet file; name it .parquet"),
        (b"\x89PNG\r\n\x1a\n\x01", "A.csv: line 1 is not UTF-8"),
        (b"ts,k\n,2\n", "A.csv: ts is missing in row 1"),
        (b"ts,k\n1,2\nnan,2\n", "A.csv: ts is nan in row 2"),
        (b"ts,k\ninf,2\n", "A.csv: ts is inf in row 1"),
        (b"ts,k\nnoon,2\n", "A.csv: ts is string; it must be a number of seconds"),
        (b"ts,k\n2,2\n1,2\n", "row 2 (ts 1) is earlier than row 1 (ts 2); sort the file by ts"),
        (b"ts,k\n2,2\n1,2\n", "--sort"),
        (b"ts,k\n1767225600000,2\n", "looks like milliseconds; divide it by 1000"),
        (b"ts,k\n1767225600000000,2\n", "looks like microseconds; divide it by 1e6"),
        (b"ts,k\n1767225600000000000,2\n", "looks like nanoseconds; divide it by 1e9"),
        (b"ts,k\n2500-01-01,2\n", "between the years 1653 and 2286"),
        (b"ts,k\n1,02:30:00\n", "k is time32[s]; an attribute must be numbers or text"),
        (b"ts,k\n1,text\n", "A.k = B.k compares text with numbers; make both columns of one type"),
    ],
)
def test_a_bad_data_file(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "A.csv").write_bytes(content)
    (tmp_path / "B.csv").write_bytes(b"ts,k\n1,1\n")
    with pytest.raises(PlanError) as raised:
        read_folder(tmp_path, load_workload(JOIN))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_broken_parquet_file_and_a_missing_one(tmp_path: Path) -> None:
    workload = load_workload(JOIN)
    with pytest.raises(PlanError, match=r"no file A.csv or A.parquet; found none"):
        read_folder(tmp_path, workload)
    with pytest.raises(PlanError, match="is not a folder"):
        read_folder(tmp_path / "none", workload)
    (tmp_path / "A.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(PlanError, match=r"A.parquet: cannot be read"):
        read_folder(tmp_path, workload)
    (tmp_path / "A.csv").write_bytes(b"ts,k\n")
    with pytest.raises(PlanError, match=r"both A.csv and A.parquet; keep one"):
        read_folder(tmp_path, workload)


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_bytes(b"ts,k\n1,1\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    text = """{version: 1, streams: [{name: ../secret}],
      queries: [{text: 'SELECT * FROM "../secret" [ROWS 1]'}]}"""
    with pytest.raises(PlanError, match="no file"):
        read_folder(inside, load_workload(text))


def test_json_with_an_emoji_as_two_escapes_is_read() -> None:
    text = json.dumps({"version": 1, "name": "\U0001f30a", "streams": [], "queries": []})
    with pytest.raises(PlanError, match="streams: has no stream"):
        load_workload(text)
    assert "\\ud83c" in text


def test_a_data_folder_with_a_name_too_long_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be opened"):
        find_file(tmp_path / ("x" * 5000), "S1")
