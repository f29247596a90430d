"""All mistakes of a draft at once, named as the user names things."""

from __future__ import annotations

from typing import Any

from planner.files.editing.workload_problems import all_problems, in_words, part_of

JOIN = "SELECT * FROM orders [RANGE 9], purchases [RANGE 9] WHERE orders.k = purchases.k"


def draft(**changed: Any) -> dict[str, Any]:
    key = {"k": {"distinct": 5}}
    streams = [
        {"name": "orders", "rate": 3, "attributes": key},
        {"name": "purchases", "rate": 4, "attributes": key},
    ]
    return {"version": 1, "streams": streams, "queries": [{"name": "Q1", "text": JOIN}]} | changed


def words(content: dict[str, Any]) -> list[str]:
    return [str(in_words(error, content)).partition("\n")[0] for error in all_problems(content)]


def test_a_valid_draft_has_none() -> None:
    assert all_problems(draft()) == []


def test_all_mistakes_are_found_at_once_under_their_names() -> None:
    wrong = draft()
    wrong["streams"][0] |= {"rate": -1, "attributes": {"k": {"distinct": 0}}}
    wrong["streams"][1] |= {"rate": "fast"}
    wrong["queries"] = [
        {"name": "Q1", "text": JOIN.replace("RANGE 9", "RANGE nine", 1)},
        {"name": "late", "text": "SELECT\nFROM"},
    ]
    wrong |= {"run": {"duration": 0}, "execution": {"join": "merge"}}
    assert sorted(words(wrong)) == sorted(
        [
            "orders.k: distinct values must be from 1 to 10 million, got 0",
            "orders: rate must be above 0, got -1",
            "purchases: rate must be a number, got 'fast'",
            "query Q1, line 1: expected a length of time, found 'nine'",
            "query late, line 2: expected a column, but FROM is a keyword: as a name, put it in "
            "double quotes",
            "duration must be above 0, got 0",
            "execution.join: must be 'nested' or 'hash' or a mapping, got 'merge'",
        ]
    )


def test_a_stream_without_a_name_is_numbered() -> None:
    unnamed = draft()
    unnamed["streams"].append({"name": "", "rate": 0})
    assert sorted(words(unnamed)) == [
        "stream 3: name must be a name, got nothing",
        "stream 3: rate must be above 0, got 0",
    ]


def test_an_empty_draft_lacks_a_stream() -> None:
    empty = draft(streams=[], queries=[])
    assert words(empty) == ["streams: has no stream; declare at least one"]
    assert [part_of(error) for error in all_problems(empty)] == ["streams"]


def test_parts_are_those_of_the_form() -> None:
    wrong = draft(queries=[{"name": "Q1", "text": "SELECT"}])
    wrong["streams"][1]["attributes"] = {"k": {"distinct": -1}}
    assert [part_of(error) for error in all_problems(wrong)] == ["attributes", "queries[0]"]
