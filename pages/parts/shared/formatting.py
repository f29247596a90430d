"""Text for pages: names escaped as Markdown, and numbers with units and arrows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime

from planner.numbers import amount, shortened, times
from planner.plan.cost import COST_UNITS, MET, q_error
from planner.plan.objective import Objective
from planner.plan.plan_text import printable

# What each part of a cost counts, as the head of a column.
UNITS = {name: unit.capitalize() for name, unit in COST_UNITS.items()} | {
    "rows_out": "Rows out/s",
    "recomputations": "Recomputations/s",
}

# Of a chain with a longer label, only the ends are shown.
LONGEST_CHAIN = 40

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&\"'=^@])")

_DATA_OPTION = re.compile(
    r"(given with|infer it with|(?:run on|use) your own data with) --data(?![\w-])"
)


# What Streamlit's Markdown makes a link of, escaped or not: addresses of pages and of people.
_ADDRESS = re.compile(r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?<=@)", re.IGNORECASE)
_WORD_JOINER = "\u2060"  # is not seen, and ends what looks like an address


def plain(text: str, most: int = 80) -> str:
    """The text with all Markdown escaped and no links; long texts are cut in their middle."""
    unlinked = _ADDRESS.sub(_WORD_JOINER, shortened(printable(text), most))
    return _MARKDOWN.sub(r"\\\1", unlinked)


def safe(line: str, most: int = 120) -> str:
    """A line of a figure, in which no name acts as markup."""
    return shortened(printable(line), most).replace("<", "&lt;")


def plan_name(label: str) -> str:
    """A plan's label where there is little room: only the kind of a general one, and the ends of a
    long chain.

    >>> plan_name("naive:S1,S2"), plan_name("general:S1=S1,S2;S2=S1,S2")
    ('naive:S1,S2', 'general, an order per stream')
    >>> plan_name("chain:0-5-10"), plan_name("chain:0-" + "-".join(map(str, range(1, 31))))
    ('chain:0-5-10', 'chain:0-1-2-3-4-…26-27-28-29-30 (30 slices)')
    """
    if label.startswith("general:"):
        return "general, an order per stream"
    if label.startswith("chain:") and len(label) > LONGEST_CHAIN:
        return f"{shortened(label, 32)} ({label.count('-')} slices)"
    return label


def on_pages(text: str) -> str:
    """A message of the planner or the runtime that names a page instead of the option --data."""
    return _DATA_OPTION.sub(_give, text)


def _give(found: re.Match[str]) -> str:
    return f"{'given' if found[1] == 'given with' else 'give your data'} under Workload, Own data"


def score_head(by: Objective) -> str:
    """What plans are ranked by, with its unit if the title has none."""
    stated = by.unit in by.title.lower() or " " in by.unit
    return by.title if stated else f"{by.title} ({by.unit})"


def error_text(predicted: float | None, measured: float | None) -> str:
    """The q-error with an arrow: `1.3 ▲ over` where more was predicted than measured."""
    error = q_error(predicted, measured)
    if predicted is None or measured is None:
        return "not measured" if measured is None else "not predicted"
    if error is None:
        return "▼ under" if predicted < measured else "▲ over"
    if error <= MET:
        return f"{error:.3g} ≈"
    return f"{error:.3g} {'▲ over' if predicted > measured else '▼ under'}"


def seconds_text(seconds: float | None) -> str:
    """Seconds for people: `0.4 s`, `12 s`, `3 min`."""
    if seconds is None or not math.isfinite(seconds):
        return "unknown"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def moment(timestamp: float) -> str:
    """When something happened, in the local time of this machine."""
    return datetime.fromtimestamp(timestamp).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def counted(count: float, one: str, many: str = "") -> str:
    """`1 run`, `3 runs`."""
    return f"{amount(count)} {one if count == 1 else many or one + 's'}"


def compared(mine: float, theirs: float) -> str:
    """One cost compared with another: `▼ 5.4x less`, `▼ 33% less`, `▲ 3% more`."""
    if mine == theirs:
        return "= the same"
    if mine < theirs:
        by = times(theirs, mine) if theirs >= 2 * mine else _percent(1 - mine / theirs)
        return f"▼ {by} less"
    by = times(mine, theirs) if mine >= 2 * theirs else _percent(mine / theirs - 1)
    return f"▲ {by} more"


def _percent(share: float) -> str:
    """`33%`, `0.2%`: as many digits as a reader needs."""
    if share < 1e-4:
        return "under 0.01%"
    return f"{100 * share:.0f}%" if share >= 0.01 else f"{100 * share:.1g}%"


def rounded_alike(values: Sequence[float]) -> list[float]:
    """Numbers of one column, rounded so that the largest has at least three digits."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    decimals = max(2 - math.floor(math.log10(largest)), 0) if largest > 0 else 0
    return [round(value, decimals) for value in values]
