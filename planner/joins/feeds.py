"""The operators that feed and hold a window: arrivals, filters, inserts, expirations, tables."""

from __future__ import annotations

from planner.joins.windows import JoinWindow
from planner.plan import Operator


def feed_of(window: JoinWindow) -> Operator:
    """What arrives on a source (or stands in a relation), after its filters."""
    if window.is_relation:
        feed = Operator("table", (("source", window.alias), ("relation", window.name)))
    else:
        feed = Operator("arrive", (("source", window.alias), ("stream", window.name)))
    for step in window.filters:
        feed = Operator("filter", (("source", window.alias), ("condition", step.text)), (feed,))
    return feed


def kept_by(window: JoinWindow, feed: Operator, when: str) -> Operator:
    """The operators that hold a window: insert, then expire. A relation is held as it is."""
    if window.window is None:
        return feed
    params = (
        ("source", window.alias),
        ("window", window.window),
        ("access", window.access),
        ("buckets", window.buckets),
    )
    insert = Operator("insert", params, (feed,))
    return Operator("expire", (("source", window.alias), ("when", when)), (insert,))
