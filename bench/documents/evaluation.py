"""The tables of docs/EVALUATION.md: every claim of the papers, as predicted and as measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from planner.experiments.experiment import Experiment, Finding, Values
from planner.experiments.registry import experiments
from runtime.experiments.figure import PAPER_POINTS, shipped

MEASURED = "measured"
# Of parts that differ, so many are named; beyond that they are counted.
MOST_NAMED = 3


@dataclass
class Checked:
    """A claim of a figure: what was found by each view (a model, or measured), in each part."""

    section: str
    text: str
    by_view: dict[str, dict[str, Finding]] = field(default_factory=dict)

    @property
    def parts(self) -> list[str]:
        """The parts of the figure in which it is checked."""
        return list(dict.fromkeys(part for found in self.by_view.values() for part in found))


def evaluation() -> str:
    """All papers as Markdown, and the digest of the points that they are made from."""
    papers = dict.fromkeys(known.paper for known in experiments())
    return "\n\n".join([f"<!-- {points_digest()} -->", *map(paper_section, papers)])


def points_digest() -> str:
    """Of the file of measured points."""
    digest = hashlib.blake2s(PAPER_POINTS.read_bytes(), digest_size=8).hexdigest()
    return f"made from {PAPER_POINTS.name}, {digest}"


def paper_section(paper: str) -> str:
    """A paper: a heading for each figure, and a table of its claims."""
    lines = [f"### {paper}", ""]
    for figure in dict.fromkeys(e.figure for e in experiments() if e.paper == paper):
        parts = [e for e in experiments() if (e.paper, e.figure) == (paper, figure)]
        lines += _claims(figure, parts)
        lines += [line for part in parts for line in _printed(part)]
    return "\n".join(lines).strip()


def measured_values(experiment: Experiment) -> Values:
    """What was measured of it, by curve and place; nothing where it has no points to measure."""
    if not experiment.points:
        return {}
    figure = shipped(experiment)
    if figure is None:
        raise ValueError(f"{experiment.name} was not measured as it is now: python -m bench")
    return experiment.measured(figure.values(experiment))


def _claims(figure: str, parts: Sequence[Experiment]) -> Iterator[str]:
    claims = _checked(parts)
    views = list(dict.fromkeys(view for claim in claims for view in claim.by_view))
    views.sort(key=lambda view: view == MEASURED)
    yield from (f"#### {figure}", "")
    yield _row(["section", "claim", *views])
    yield "|---" * (2 + len(views)) + "|"
    for claim in claims:
        where = "" if len(claim.parts) == len(parts) else f" {_listed(claim.parts)}"
        cells = [_cell(claim.by_view.get(view, {})) for view in views]
        yield _row([claim.section, f"{claim.text}{where}", *cells])
    yield ""


def _checked(parts: Sequence[Experiment]) -> list[Checked]:
    """The claims of a figure; those that several of its parts share come once."""
    found: dict[tuple[str, str], Checked] = {}
    for known in parts:
        values, predicted = measured_values(known), known.predicted()
        for claim in known.claims:
            views = {**predicted, MEASURED: values} if values else predicted
            entry = found.setdefault(
                (claim.section, claim.text), Checked(claim.section, claim.text)
            )
            for view, seen in views.items():
                entry.by_view.setdefault(view, {})[known.part] = claim.check(seen)
        for agreement in known.agreements:
            entry = found.setdefault(
                (agreement.section, agreement.text), Checked(agreement.section, agreement.text)
            )
            for model, said in predicted.items():
                entry.by_view.setdefault(model, {})[known.part] = agreement.check(said, values)
    for entry in found.values():
        _drop_overview(entry, {known.part for known in parts if known.x.named})
    return list(found.values())


def _drop_overview(entry: Checked, overview: set[str]) -> None:
    """A part with all settings side by side repeats points of the others: it is counted alone."""
    if set(entry.parts) - overview:
        for found in entry.by_view.values():
            for part in overview & set(found):
                del found[part]


def _cell(findings: dict[str, Finding]) -> str:
    """Whether a claim holds; where it does not, what was found instead."""
    if not findings:
        return ""
    differing = {part: found for part, found in findings.items() if not found.holds}
    if not differing:
        return "holds"
    if len(findings) == 1:
        return f"differs: {next(iter(differing.values())).text}"
    if len(differing) > MOST_NAMED:
        return f"holds in {len(findings) - len(differing)} of {len(findings)}"
    return "differs " + "; ".join(f"{part}: {found.text}" for part, found in differing.items())


def _listed(parts: Sequence[str]) -> str:
    """`(a) (c)`: parts by their letter, or how many there are."""
    if len(parts) > MOST_NAMED:
        return f"({len(parts)} settings)"
    names = [part.split()[0] if part.startswith("(") else f"({part})" for part in parts]
    return " ".join(dict.fromkeys(names))


def _printed(known: Experiment) -> Iterator[str]:
    """The measured values of an experiment whose values the paper prints, beside those."""
    rows = [
        (curve.label, point.x, point.printed)
        for curve in known.curves
        for point in curve.points
        if point.printed is not None
    ]
    if not rows:
        return
    values = measured_values(known)
    yield from (f"{known.title}. {known.y.title}:", "")
    yield _row([known.x.title, "curve", "measured", "in the paper", "ratio"])
    yield "|---|---|---|---|---|"
    for label, place, printed in rows:
        found = values[label][place]
        x = place if isinstance(place, str) else f"{place:g}"
        yield _row([x, label, f"{found:,.0f}", f"{printed:,.0f}", f"{found / printed:,.0f}x"])
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
