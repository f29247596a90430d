"""The figures of docs/EVALUATION.md, from `bench/results.json`: `python -m bench.evaluation`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bench import RESULTS
from planner.experiments.experiment import Experiment
from planner.experiments.registry import EXPERIMENTS
from runtime.experiments.figure_store import SECTIONS

# Of figures with more parts, those with all settings side by side are printed.
MOST_PARTS = 12
# Longer tables stand upright.
MOST_COLUMNS = 14


def evaluation() -> str:
    """Every measured experiment as Markdown: the figures, and what became of each claim."""
    results = json.loads(RESULTS.read_text())
    sections = (results[name] for name in SECTIONS if name in results)
    told = {name: found for section in sections for name, found in section["told"].items()}
    measured = [known for known in EXPERIMENTS if known.name in told]
    lines: list[str] = []
    told_of = ""
    for paper, figure in dict.fromkeys((known.paper, known.figure) for known in measured):
        if paper != told_of:
            lines += [f"### {paper}", ""]
            told_of = paper
        parts = [known for known in measured if (known.paper, known.figure) == (paper, figure)]
        whole = [k for k in parts if k.x.named] if len(parts) > MOST_PARTS else parts
        for known in whole:
            lines += _lines(known, told[known.name])
        if len(whole) < len(parts):
            lines += _counted(figure, [told[k.name] for k in parts if k not in whole])
    return "\n".join(lines)


def _counted(figure: str, parts: list[dict[str, Any]]) -> Iterator[str]:
    """In how many settings each claim holds."""
    yield from (f"#### {figure}, by rate in each of {len(parts)} settings", "")
    for at, claim in enumerate(parts[0]["claims"]):
        yield f"- Section {claim['section']}: *{claim['claim']}*"
        for view in claim:
            if view not in ("section", "claim"):
                found = [part["claims"][at][view] for part in parts]
                holding = sum(told.startswith("holds") for told in found)
                yield f"  - {view}: holds in {holding} of {len(parts)}"
    yield ""


def _lines(known: Experiment, told: dict[str, Any]) -> Iterator[str]:
    yield from (f"#### {known.title}", "", f"{known.about} {told['unit']}, measured:", "")
    rows = _rows(known, told)
    if len(rows[0]) > MOST_COLUMNS:
        rows = [list(row) for row in zip(*rows, strict=True)]
    for place, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if place == 0:
            yield "|---" * len(row) + "|"
    yield ""
    for claim in (*told["claims"], *told.get("agreements", ())):
        yield f"- Section {claim['section']}: *{claim['claim']}*"
        for view, finding in claim.items():
            if view not in ("section", "claim"):
                yield f"  - {view}: {finding}"
    yield ""


def _rows(known: Experiment, told: dict[str, Any]) -> list[list[str]]:
    """A row for the places, and one for each curve."""
    values = told["values"]
    places = list(dict.fromkeys(place for by_place in values.values() for place in by_place))
    rows = [[known.x.title, *places]]
    form = ",.0f" if known.shown == "value" else ".3g"
    for curve in known.curves:
        by_place = values[curve.label]
        if curve.label != curve.subject and by_place == values.get(curve.subject):
            continue  # the same plans, which several models predict
        cells = (f"{by_place[place]:{form}}" if place in by_place else "" for place in places)
        rows.append([curve.label, *cells])
    for label, by_place in told["times the paper"].items():
        cells = (f"{by_place[place]:,.0f}x" if place in by_place else "" for place in places)
        rows.append([f"{label}, times the paper's", *cells])
    return rows


if __name__ == "__main__":
    print(evaluation())
