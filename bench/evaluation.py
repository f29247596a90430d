"""The figures of docs/EVALUATION.md, from `bench/results.json`: `python -m bench.evaluation`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bench import RESULTS
from planner.evaluation import EXPERIMENTS
from planner.evaluation.experiment import Experiment
from planner.evaluation.golab_costs import PRINTED


def evaluation() -> str:
    """Every measured experiment as Markdown: the figures, and what became of each claim."""
    results = json.loads(RESULTS.read_text())
    sections = (results[name] for name in ("figures", "aggregation-figures") if name in results)
    told = {name: found for section in sections for name, found in section["told"].items()}
    measured = [known for known in EXPERIMENTS if known.name in told]
    lines: list[str] = []
    for paper in dict.fromkeys(known.paper for known in measured):
        lines += [f"### {paper}", ""]
        for known in measured:
            if known.paper == paper:
                lines += _lines(known, told[known.name])
    return "\n".join(lines)


def _lines(known: Experiment, told: dict[str, Any]) -> Iterator[str]:
    values = told["values"]
    places = list(dict.fromkeys(place for by_place in values.values() for place in by_place))
    yield from (f"#### {known.title}", "", f"{known.about} {told['unit']}, measured:", "")
    yield f"| {known.x.title} | {' | '.join(places)} |"
    yield "|---" * (len(places) + 1) + "|"
    for label, by_place in values.items():
        subject = label.removesuffix(f", {PRINTED}")
        if subject != label and by_place == values[subject]:
            continue  # under both models the same plans are best
        cells = (f"{by_place[place]:,.0f}" if place in by_place else "" for place in places)
        yield f"| {label} | {' | '.join(cells)} |"
    for label, by_place in told["times the paper"].items():
        cells = (f"{by_place[place]:,.0f}x" if place in by_place else "" for place in places)
        yield f"| {label}, times the paper's | {' | '.join(cells)} |"
    yield ""
    for claim in (*told["claims"], *told.get("agreements", ())):
        yield f"- Section {claim['section']}: *{claim['claim']}*"
        for view, finding in claim.items():
            if view not in ("section", "claim"):
                yield f"  - {view}: {finding}"
    yield ""


if __name__ == "__main__":
    print(evaluation())
