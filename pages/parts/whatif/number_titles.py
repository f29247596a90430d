"""What the numbers of a workload are called, by their paths."""

from __future__ import annotations

import re
from collections.abc import Callable

from planner.numbers import duration, figure
from planner.whatif.sweep_paths import TIMES, tied_parts

_UNIT_COSTS = "execution.unit_costs."
_SETTINGS = {
    "queries.count": "Number of queries",
    "execution.evaluate.every": "Evaluate every (s)",
    "execution.expire.every": "Expire every (s)",
    "execution.buckets": "Buckets",
    "execution.memory": "Memory (tuples)",
    "execution.c_sys": "Cost of entering a slice",
    "execution.utilisation": "Utilisation",
    "execution.shedding.alpha": "Weight of gains (alpha)",
    "execution.shedding.beta": "Weight of losses (beta)",
    "streams.*.rate": "One rate for all streams (tuples/s)",
    "queries.*.windows.*": "One window for all sources",
    f"{TIMES}streams.*.rate": "All rates, times",
    f"{TIMES}queries.*.windows.*": "All windows, times",
}
_PARTS = {
    "distinct": "Distinct values",
    "zipf": "Zipf exponent",
    "weight": "Weight",
    "deadline": "Deadline (s)",
    "selectivity": "Selectivity",
    "cost": "Cost of a test",
}
Words = Callable[[re.Match[str]], str]
_RATE = re.compile(r"streams\.(.+)\.rate")
_PATTERNS: tuple[tuple[re.Pattern[str], Words], ...] = (
    (_RATE, lambda m: f"Rate of {_of(m[1], 'all streams')} (tuples/s)"),
    (
        re.compile(r"queries\.(.+)\.windows\.(.+)"),
        lambda m: f"Window of {_of(m[2], 'all sources')}" + ("" if m[1] == "*" else f" in {m[1]}"),
    ),
    (
        re.compile(r"(?:streams|relations)\.(.+)\.attributes\.(.+)\.(distinct|zipf)"),
        lambda m: f"{_PARTS[m[3]]} of {m[1]}.{m[2]}",
    ),
    (
        re.compile(r"streams\.(.+)\.arrivals\.burst"),
        lambda m: f"Mean burst of {_of(m[1], 'all streams')} (tuples)",
    ),
    (
        re.compile(r"queries\.(.+)\.(weight|deadline)"),
        lambda m: f"{_PARTS[m[2]]} of {_of(m[1], 'all queries')}",
    ),
    (
        re.compile(r"relations\.(.+)\.changes\.(inserts|deletes)"),
        lambda m: f"Rows that {m[1]} {'gains' if m[2] == 'inserts' else 'loses'} per second",
    ),
    (
        re.compile(r'queries\.(.+)\.filters\."(.+)"\.constant'),
        lambda m: f"Constant of {m[2]} in {_of(m[1], 'all queries')}",
    ),
    (
        re.compile(r"execution\.shedding\.split\.(.+)"),
        lambda m: f"Memory of {_of(m[1], 'all streams')} (tuples)",
    ),
    (re.compile(r"relations\.(.+)\.rows"), lambda m: f"Rows of {m[1]}"),
    (re.compile(r"execution\.buckets\.(.+)"), lambda m: f"Buckets of {m[1]}"),
    (
        re.compile(rf"{re.escape(_UNIT_COSTS)}(.+)"),
        lambda m: f"Seconds to {m[1].replace('_', ' ')}",
    ),
    (
        re.compile(r'statistics\.(?:filters|predicates)\."(.+)"\.(selectivity|cost)'),
        lambda m: f"{_PARTS[m[2]]} of {m[1]}",
    ),
)


def title(path: str) -> str:
    """A path in words, with its unit."""
    if path in _SETTINGS:
        return _SETTINGS[path]
    if path.startswith(TIMES):
        return f"{title(path.removeprefix(TIMES)).partition(' (')[0]}, times"
    if len(parts := tied_parts(path)) > 2:
        return f"{title(parts[0])} and {len(parts) - 1} more alike"
    if len(parts) == 2:
        return " and ".join(map(title, parts))
    for pattern, words in _PATTERNS:
        if found := pattern.fullmatch(path):
            return words(found)
    return path


def value(path: str, number: float) -> str:
    """A value of a slider in three digits; unit costs with a unit of time that suits them."""
    return duration(number) if path.startswith(_UNIT_COSTS) else figure(number)


def is_rate(path: str) -> bool:
    """Whether this is the rate of one stream."""
    return _RATE.fullmatch(path) is not None and "*" not in path and not path.startswith(TIMES)


def _of(name: str, every: str) -> str:
    return every if name == "*" else name.strip('"')
