"""Text for pages: names escaped as Markdown, and numbers with units and arrows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime

from planner.families.registry import FAMILIES
from planner.numbers import amount, percent, shortened, times
from planner.plan.by_operator import CPU
from planner.plan.cost import COST_UNITS, MET, q_error
from planner.plan.objective import Objective
from planner.plan.plan_text import printable

# What each part of a cost counts, as the head of a column.
UNITS = {name: unit.capitalize() for name, unit in COST_UNITS.items()} | {
    "rows_out": "Rows out/s",
    "recomputations": "Recomputations/s",
    CPU: "CPU µs/s",
}


def unit(field: str) -> str:
    """What a part of a cost counts, within a sentence."""
    return UNITS[field] if field == CPU else UNITS[field].lower()


# Of a chain with a longer label, only the ends are shown.
LONGEST_CHAIN = 40

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&\"'=^@])")

_FAMILY = re.compile(rf"\b(?:{'|'.join(known.name for known in FAMILIES)})\b")
# What commands and files call a thing, and what pages call it.
_ON_PAGES = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"given with --data(?![\w-])", "given under Workload, Own data"),
        (
            r"(?:infer (?:it|them)|(?:run on|use) your own data) with --data(?![\w-])",
            "give your data under Workload, Own data",
        ),
        (
            r"accept it with --sort",
            "tick 'Accept rows that are not in ts order' under Workload, Own data",
        ),
        (r"choose one with --query: .*", "choose one at the top of the page"),
        (r"\w+ plans it with --query \S+", "choose it at the top of the page to plan it alone"),
        (r"name it with --shared DIR or \w+", "name it when Sluice is started (docs/COMMANDS.md)"),
        (r"shorten run\.duration, or leave it out", "shorten the run, or do not keep the answer"),
        (r"lower --batch-rows, or leave it out", "or do not keep the answer"),
        (r"run\.duration", "the duration"),
        (r"--backend native", "Spark's own operators"),
        (r"--master", "Spark master"),
        (r"--shared", "shared folder"),
        (r"--pace", "pace"),
        (r"--results", "answer"),
        (r"--batch-rows", "rows per micro-batch"),
        (r"--most-seconds", "time limit"),
        (r"--most-disk", "disk limit"),
        (r"--vary", "numbers to vary"),
        (r"--every", "interval"),
        (r"--threshold", "threshold"),
        (r"declare execution\.memory", "set the memory under Workload, Execution and run"),
        (
            r"set execution\.join to one of nested and hash",
            "choose one method for both under Workload, Execution and run",
        ),
        (
            r"set execution\.buckets to one number",
            "give both the same number under Workload, Execution and run",
        ),
        (r"execution\.memory", "the memory"),
        (r"set execution\.(\w+): eager", r"set \1 to eager in the workload file"),
        (
            r"execution\.(\w+) (and|a multiple of) execution\.(\w+)",
            r"\1 \2 \3 in the workload file",
        ),
        (r"execution\.(?:shedding\.)?(\w+)", r"\1 in the workload file"),
    )
]

# Of a formula; digits of a name follow a letter.
_DECIMALS = re.compile(r"(?<![\w.])\d{1,3}\.\d+")

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


def short_values(latex: str) -> str:
    """A formula's values in three digits; what is written without a point stays as it is.

    >>> short_values(r"\\frac{24.77261}{20} \\cdot 40000")
    '\\\\frac{24.8}{20} \\\\cdot 40000'
    """
    return _DECIMALS.sub(lambda found: f"{float(found[0]):.3g}", latex)


def on_pages(text: str) -> str:
    """A message of the planner or the runtime that names places on pages, where it named options
    of commands and keys of workload files.

    >>> on_pages("nothing says how many tuples may be kept; declare execution.memory")
    'nothing says how many tuples may be kept; set the memory under Workload, Execution and run'
    """
    for pattern, words in _ON_PAGES:
        text = pattern.sub(words, text)
    return _FAMILY.sub(lambda found: found[0].replace("_", " "), text)


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


def span_text(seconds: float) -> str:
    """A length of stream time.

    >>> span_text(0.5), span_text(40), span_text(21600), span_text(1e6)
    ('0.5 s', '40 s', '6 h', '11.6 days')
    """
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def rate_text(per_second: float) -> str:
    """Rows per second, minute or hour: whichever is a number above 1.

    >>> rate_text(12.345), rate_text(0.5), rate_text(0.002)
    ('12.3 rows/s', '30 rows/min', '7.2 rows/h')
    """
    for unit, size in (("s", 1), ("min", 60)):
        if per_second * size >= 1:
            return f"{amount(float(f'{per_second * size:.3g}'))} rows/{unit}"
    return f"{amount(float(f'{per_second * 3600:.3g}'))} rows/h"


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
        by = times(theirs, mine) if theirs >= 2 * mine else percent(100 - 100 * mine / theirs)
        return f"▼ {by} less"
    by = times(mine, theirs) if mine >= 2 * theirs else percent(100 * mine / theirs - 100)
    return f"▲ {by} more"


def rounded_each(values: Sequence[float]) -> list[float]:
    """Numbers of a column, each in at least three digits, and whole from a hundred on."""
    return [
        round(value, max(2 - math.floor(math.log10(abs(value))), 0))
        if value and math.isfinite(value)
        else value
        for value in values
    ]
