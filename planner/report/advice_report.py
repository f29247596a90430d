"""Index advice as a JSON document, and that document printed for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from planner.files.safe_yaml import write_yaml
from planner.files.workload_writer import execution_part
from planner.numbers import amount
from planner.plan.index_advice import Advice, Alternative, advised_execution
from planner.report.plans_report import Document
from planner.report.plans_text import aligned
from planner.workload.workload import Workload

HOW = {
    "exact": "Exact: no other split of the budget is cheaper under any plan that is ranked.",
    "greedy": (
        "Greedy: plan and split were improved in turn; it is not proved that no other split is "
        "cheaper."
    ),
}
# People read fewer points of the curve than a picture shows.
_EVERY_POINT = 3


def document(workload: Workload, advice: Advice) -> Document:
    """`advise`: the buckets, what they gain, the curve up to the budget, and how to use them."""
    most = advice.worth_most
    return {
        "workload": {"name": workload.name, "digest": workload.digest},
        "answer": advice.answer(),
        "budget": advice.budget,
        "used": advice.used,
        "method": advice.method,
        "unit": advice.unit,
        "plan": advice.plan,
        "cost": advice.cost,
        "windows": [
            {**asdict(window), "saves_per_bucket": window.saves_per_bucket}
            for window in advice.windows
        ],
        "worth_most": None if most is None else most.source,
        "none": _alternative(advice, advice.none),
        "equal": _alternative(advice, advice.equal),
        "curve_method": advice.curve_method,
        "curve": [asdict(point) for point in advice.curve],
        "execution": execution_part(advised_execution(workload.execution, advice)),
    }


def _alternative(advice: Advice, other: Alternative) -> Document:
    """Another split; `gain` is how many times the advised cost it is."""
    sources = (window.source for window in advice.windows)
    return {
        "buckets": dict(zip(sources, other.buckets, strict=True)),
        "plan": other.plan,
        "cost": other.cost,
        "gain": other.cost / advice.cost if advice.cost else None,
    }


def text(found: Document) -> str:
    """The answer, how sure it is, what each index saves, the curve, and what to paste."""
    execution = write_yaml({"execution": found["execution"]}).rstrip()
    return "\n".join(
        [
            found["workload"]["name"],
            "",
            found["answer"],
            HOW[found["method"]],
            *(
                ["The curve is greedy below the budget."]
                if found["curve_method"] != found["method"]
                else []
            ),
            "",
            *aligned(_costs(found)),
            "",
            *aligned(_windows(found)),
            "",
            *aligned(_curve(found)),
            "",
            "To use these indexes, put this in the workload file:",
            "",
            execution,
        ]
    )


def _costs(found: Document) -> Iterator[Sequence[str]]:
    yield "split", found["unit"], "best plan"
    yield "advised", amount(found["cost"]), found["plan"]
    yield "equal", amount(found["equal"]["cost"]), found["equal"]["plan"]
    yield "no index", amount(found["none"]["cost"]), found["none"]["plan"]


def _windows(found: Document) -> Iterator[Sequence[str]]:
    yield "window", "buckets", f"saves {found['unit']}", "per bucket", ""
    for window in found["windows"]:
        if window["buckets"] == 1:
            why = "scanned" if window["most_useful"] > 1 else "scanned: not looked up by equality"
            yield window["source"], "-", "-", "-", why
            continue
        figures = [amount(window[name]) for name in ("saves", "saves_per_bucket")]
        most = "worth most per bucket" if window["source"] == found["worth_most"] else ""
        yield window["source"], amount(window["buckets"]), *figures, most


def _curve(found: Document) -> Iterator[Sequence[str]]:
    yield "budget", "advised", "equal split"
    *points, last = found["curve"]
    for point in [*points[::_EVERY_POINT], last]:
        yield amount(point["budget"]), amount(point["advised"]), amount(point["equal"])
