"""Aggregations over joins that tests share: the paper's two queries, and variations of windows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planner.files.workload_file import load_workload
from planner.workload.execution import Execution
from planner.workload.workload import Workload

STREAMS: dict[str, tuple[float, dict[str, Any]]] = {
    "S1": (4, {"j": 8, "g": 5, "x": 30}),
    "S2": (5, {"j": 8, "k": 4, "x": 30}),
    "S3": (3, {"j": 8, "h": 4}),
    "Z1": (4, {"j": {"distinct": 12, "distribution": {"zipf": 1.0}}, "g": 4}),
    "Z2": (5, {"j": {"distinct": 12, "distribution": {"zipf": 1.0}}, "x": 30}),
}
RELATIONS: dict[str, tuple[int, dict[str, Any]]] = {"R": (60, {"j": 8, "p": 3})}


def aggregation(
    text: str,
    execution: Execution | None = None,
    streams: Mapping[str, tuple[float, dict[str, Any]]] = STREAMS,
    relations: Mapping[str, tuple[int, dict[str, Any]]] = RELATIONS,
) -> Workload:
    """A query over small streams S1 to S3, Z1 and Z2 with frequent keys, and a relation R."""
    content = {
        "version": 1,
        "name": "an aggregation",
        "streams": [
            {"name": name, "rate": rate, "attributes": _attributes(attributes)}
            for name, (rate, attributes) in streams.items()
        ],
        "relations": [
            {"name": name, "rows": rows, "attributes": _attributes(attributes)}
            for name, (rows, attributes) in relations.items()
        ],
        "queries": [{"name": "Q1", "text": text}],
    }
    workload = load_workload(json.dumps(content), "an aggregation")
    return replace(workload, execution=execution or Execution())


def _attributes(counts: dict[str, Any]) -> dict[str, Any]:
    return {n: {"distinct": c} if isinstance(c, int) else c for n, c in counts.items()}


def two_way(
    windows: tuple[int, int],
    groups: tuple[int, int],
    values: int,
    rates: tuple[float, float] = (300, 300),
    execution: Execution | None = None,
) -> Workload:
    """The two-way query of the paper's experiments: count windows, groups on both streams."""
    streams = {
        f"S{place}": (rate, {"j": values, "g": count, "x": 1000})
        for place, (rate, count) in enumerate(zip(rates, groups, strict=True), start=1)
    }
    text = (
        f"SELECT S1.g, S2.g, SUM(S1.x), COUNT(*) FROM S1 [ROWS {windows[0]}], "
        f"S2 [ROWS {windows[1]}] WHERE S1.j = S2.j GROUP BY S1.g, S2.g"
    )
    return aggregation(text, execution, streams, {})


HASHED = Execution(join="hash")
PACKETS = (
    "SELECT c.source, COUNT(*) FROM ClinkPacket AS c [WINDOW 1 HOUR], "
    "BlinkPacket AS b [WINDOW 1 HOUR] WHERE c.source = b.source "
    "AND c.destination = b.destination AND c.id = b.id GROUP BY c.source"
)
AUCTIONS = (
    "SELECT a.auctionID, COUNT(b.*) FROM Bid AS b [WINDOW 1 HOUR], "
    "Auction AS a [WINDOW UNTIL NOW], Person AS p WHERE a.auctionID = b.auctionID "
    "AND a.seller = p.personID AND p.state = 'VT' GROUP BY a.auctionID"
)
_LINK = {"source": 40, "destination": 40, "id": 500, "length": 1500}
_AUCTIONS: dict[str, tuple[float, dict[str, Any]]] = {
    "Bid": (2, {"auctionID": 300, "bidderID": 400, "bidPrice": 1000}),
    "Auction": (0.1, {"auctionID": 300, "seller": 200, "startPrice": 100}),
}
_PERSONS = {"Person": (200, {"personID": 200, "state": {"values": ["NY", "VT", "CA", "MA"]}})}
_ONE = "SELECT S1.g, MIN(S1.x), SUM(S2.x), COUNT(*) FROM S1 [{}], S2 [{}] "
_EQUAL = "WHERE S1.j = S2.j GROUP BY S1.g"
_THREE = "FROM S1 [RANGE 6], S2 [RANGE 6], S3 [RANGE 6] "

AGGREGATION_SAMPLES: dict[str, Workload] = {
    "packets": aggregation(PACKETS, None, {"ClinkPacket": (5, _LINK), "BlinkPacket": (5, _LINK)}),
    "auctions": aggregation(AUCTIONS, HASHED, _AUCTIONS, _PERSONS),
    "default setting": two_way((5000, 5000), (150, 1), 10, execution=HASHED),
    "sliding": aggregation(_ONE.format("RANGE 10", "RANGE 8") + _EQUAL),
    "rows and range": aggregation(_ONE.format("ROWS 40", "RANGE 8") + _EQUAL, HASHED),
    "tumbling": aggregation(_ONE.format("TUMBLING 10", "TUMBLING 10") + _EQUAL),
    "tumbling and sliding": aggregation(_ONE.format("TUMBLING 10", "RANGE 5") + _EQUAL),
    "landmark": aggregation(_ONE.format("LANDMARK", "RANGE 5") + _EQUAL, HASHED),
    "three on one attribute": aggregation(
        f"SELECT S1.g, S3.h, COUNT(*) {_THREE} WHERE S1.j = S2.j AND S2.j = S3.j "
        "GROUP BY S1.g, S3.h",
        HASHED,
    ),
    "three on two attributes": aggregation(
        f"SELECT S1.g, COUNT(*) {_THREE} WHERE S1.j = S2.j AND S2.k = S3.h GROUP BY S1.g",
        Execution(join="hash", buckets=3),
    ),
    "by the key": aggregation(
        "SELECT S1.j, COUNT(*) FROM S1 [RANGE 6], S2 [RANGE 6] WHERE S1.j = S2.j GROUP BY S1.j",
        HASHED,
    ),
    "one group, theta, filter": aggregation(
        "SELECT COUNT(*) FROM S1 [RANGE 4], S2 [RANGE 4] WHERE S1.j < S2.j AND S1.g > 3"
    ),
    "relation": aggregation(
        "SELECT S1.g, MAX(R.p) FROM S1 [RANGE 10], R WHERE S1.j = R.j GROUP BY S1.g", HASHED
    ),
    "one source": aggregation("SELECT S1.g, MAX(S1.x) FROM S1 [RANGE 10] GROUP BY S1.g"),
    "frequent keys": aggregation(
        "SELECT Z1.g, COUNT(*) FROM Z1 [RANGE 10], Z2 [RANGE 8] WHERE Z1.j = Z2.j GROUP BY Z1.g",
        HASHED,
    ),
    "self-join": aggregation(
        "SELECT a.g, COUNT(*) FROM S1 AS a [RANGE 9], S1 AS b [RANGE 6] WHERE a.j = b.j "
        "GROUP BY a.g"
    ),
    "distinct": aggregation(
        "SELECT S1.g, COUNT(DISTINCT S2.x) FROM S1 [RANGE 9], S2 [RANGE 6] "
        "WHERE S1.j = S2.j GROUP BY S1.g"
    ),
}
