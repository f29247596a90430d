"""How a probe goes through what is stored, as far as that takes more or less time."""

from __future__ import annotations

from collections.abc import Collection

from planner.joins.model import JoinModel

# Keys many at a time, a bucket, or tuple by tuple; `checked`: more than the key has to fit.
EACH, SCAN, HASH = "each", "scan", "hash"
SCAN_CHECKED, HASH_CHECKED = "scan checked", "hash checked"
ACCESSES = (EACH, SCAN, HASH, SCAN_CHECKED, HASH_CHECKED)


def access_of(model: JoinModel, origin: int, joined: Collection[int], target: int) -> str:
    """How what is joined goes through the target's tuples: keys only where some are equal."""
    graph = model.graph
    equal = sum(bool(c.key(target) and c.inside(joined)) for c in graph.classes)
    if target == origin or not equal:
        return EACH
    others = any(
        (link.left == target and link.right in joined)
        or (link.right == target and link.left in joined)
        for link in graph.links
    )
    checked = equal > 1 or others
    if model.windows[target].access == "scan":
        return SCAN_CHECKED if checked else SCAN
    return HASH_CHECKED if checked else HASH
