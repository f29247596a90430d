"""The formula behind every predicted figure, in symbols and with the values filled in.

The first formula of a figure is the one it comes from; what the paper takes stands beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planner.families.sliced_chain.groups import BOTH
from planner.families.sliced_chain.layout import Join
from planner.families.sliced_chain.model import ChainModel, Flow, GroupModel
from planner.families.sliced_chain.plans import Built, Checking, Feeding, Merging, Subject
from planner.families.sliced_chain.pricing import cost_of
from planner.families.sliced_chain.published_model import two_queries
from planner.joins.symbols import Written, figure, subscript
from planner.plan.cost import Formula
from planner.plan.plan import Operator

EXPECTED = "expected counts: purges stop at the first tuple that stays, due tuples wait"
COUNTED = "one count per tuple, result or condition"
PAPER = "paper, Section 5: one purge check per tuple, no tuple waits"
EQUATIONS = {
    "pull-up": "paper, Equation 1",
    "push-down": "paper, Equation 2",
    "chain": "paper, Equation 3, corrected",
}


class Formulas(Mapping[str, tuple[Formula, ...]]):
    """The formulas of a plan by operator id. Each is written when it is asked for, not before."""

    def __init__(self, built: Built, model: ChainModel) -> None:
        self._operators = {operator.id: operator for operator in built.plan.operators()}
        self._subjects = built.subjects
        self._model = model
        self._label = built.plan.label

    def __getitem__(self, operator_id: str) -> tuple[Formula, ...]:
        operator = self._operators[operator_id]
        subject = self._subjects[operator_id]
        return tuple(self._written(operator, subject))

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)

    def _written(self, operator: Operator, subject: Subject) -> Iterator[Formula]:
        match subject:
            case Feeding():
                yield from self._feeding(operator, subject)
            case Join() if operator.kind == "slice":
                yield from self._slice(subject, self._model.by_group[subject.group])
            case Join():
                yield from self._found(operator, subject, self._model.by_group[subject.group])
            case Checking():
                yield from self._selected(operator, subject)
            case Merging():
                yield from self._merged(operator, subject)

    # --- ahead of the joins ----------------------------------------------------------------------

    def _feeding(self, operator: Operator, subject: Feeding) -> Iterator[Formula]:
        cost = cost_of(operator, subject, self._model)
        group = self._model.by_group[subject.group]
        name = subscript(subject.group.streams[subject.side])
        value = group.ways[subject.side].rate
        rate = rf"\lambda_{{{name}}}"
        if operator.kind == "arrive":
            yield Formula("rows_out", rate, figure(value), cost.rows_out, COUNTED)
            return
        per_tuple = cost.comparisons / value if value else 0.0
        passing = cost.rows_out / value if value else 0.0
        evaluated = r"\sum_c P(c \text{ is evaluated})"
        if operator.kind == "filter":
            evaluated = r"\sigma_{\mathrm{before}}"
        yield Formula(
            "comparisons",
            f"{rate} {evaluated}",
            rf"{figure(value)} \cdot {figure(per_tuple)}",
            cost.comparisons,
            COUNTED,
        )
        yield Formula(
            "rows_out",
            rf"{rate} \sigma",
            rf"{figure(value)} \cdot {figure(passing)}",
            cost.rows_out,
            COUNTED,
        )

    # --- joins -----------------------------------------------------------------------------------

    def _slice(self, join: Join, model: GroupModel) -> Iterator[Formula]:
        ways = [_Symbols(join, side, flow) for side, flow in _ways(join, model)]
        yield _sum("comparisons", [way.purging() for way in ways], EXPECTED)
        yield _sum("comparisons", [way.purging_printed() for way in ways], self._printed)
        yield _sum("inserts", [way.inserting() for way in ways], COUNTED)
        yield _sum("state_tuples", [way.holding() for way in ways], EXPECTED)
        yield _sum("state_tuples", [way.holding_printed() for way in ways], self._printed)

    @property
    def _printed(self) -> str:
        kind = self._label.partition(":")[0]
        if two_queries(self._model) is not None and kind in EQUATIONS:
            return EQUATIONS[kind]
        return PAPER

    def _found(self, operator: Operator, join: Join, model: GroupModel) -> Iterator[Formula]:
        cost = cost_of(operator, join, self._model)
        ways = [_Symbols(join, side, flow) for side, flow in _ways(join, model)]
        if operator.kind == "probe":
            yield _sum("comparisons", [way.probing() for way in ways], COUNTED)
            yield _sum("rows_out", [way.finding() for way in ways], COUNTED)
            return
        terms = [
            way.finding(rf"{len(join.interior[way.side])} \cdot ", len(join.interior[way.side]))
            for way in ways
        ]
        yield _sum("comparisons", terms, COUNTED)
        symbols = r"\sum_{w} \text{results younger than } w"
        yield Formula("rows_out", symbols, figure(cost.rows_out), cost.rows_out, COUNTED)

    def _selected(self, operator: Operator, subject: Checking) -> Iterator[Formula]:
        cost = cost_of(operator, subject, self._model)
        first, second = subject.selection.conditions
        looks = [r"R"] if not first.is_open else []
        if not second.is_open:
            looks.append(r"R" if first.is_open else r"R \, \sigma_{\mathrm{first}}")
        meaning = r", \quad R = \text{results for these queries}"
        value = figure(cost.comparisons)
        yield Formula("comparisons", " + ".join(looks) + meaning, value, cost.comparisons, COUNTED)
        passed = figure(cost.rows_out)
        yield Formula("rows_out", rf"R \, \sigma{meaning}", passed, cost.rows_out, COUNTED)

    def _merged(self, operator: Operator, subject: Merging) -> Iterator[Formula]:
        cost = cost_of(operator, subject, self._model)
        model = self._model.by_group[subject.group]
        if operator.kind == "union" and subject.sliced:
            names = [subscript(stream) for stream in subject.group.streams]
            # The tuples of a stream probe the other's windows.
            shares = [float(model.probing[1 - side][0]) for side in BOTH]
            rates = [model.ways[side].rate for side in BOTH]
            yield Formula(
                "comparisons",
                " + ".join(rf"\lambda_{{{name}}} r_{{{name}}}" for name in names),
                " + ".join(
                    rf"{figure(rate)} \cdot {figure(share)}"
                    for rate, share in zip(rates, shares, strict=True)
                ),
                cost.comparisons,
                "paper: a punctuation per tuple that enters the chain",
            )
        elif operator.kind == "union":
            merged = "one merge step per result"
            yield Formula("comparisons", "R", figure(cost.rows_out), cost.comparisons, merged)
        names = [subscript(stream) for stream in subject.group.streams]
        symbols = (
            rf"\lambda_{{{names[0]}}} \lambda_{{{names[1]}}} "
            rf"\left(W_{{{names[0]}}} + W_{{{names[1]}}}\right) S_{{\bowtie}} \sigma"
        )
        yield Formula("rows_out", symbols, figure(cost.rows_out), cost.rows_out, COUNTED)


def _ways(join: Join, model: GroupModel) -> list[tuple[int, Flow]]:
    """The ways of a join that hold anything."""
    return [(side, flow) for side, flow in enumerate(model.flows(join)) if flow.length > 0]


# A term of a sum, and its value.
Term = tuple[Written, float]


class _Symbols:
    """The terms of one way: X is stored, Y probes."""

    def __init__(self, join: Join, side: int, flow: Flow) -> None:
        self.side, self._flow = side, flow
        stored, probing = (subscript(join.group.streams[s]) for s in (side, 1 - side))
        self._rate = rf"\lambda_{{{stored}}} s_{{{stored}}}"
        self._entering = rf"\lambda_{{{probing}}} r_{{{probing}}}"
        self._length = rf"\Delta_{{{stored}}}"
        self._held = f"{self._rate} {self._length}"
        if flow.way.counted:
            self._held = rf"s_{{{stored}}} {self._length}"
        self._value = figure(flow.stored * flow.way.per_length)
        self._values = rf"{self._value} \cdot {figure(flow.length)}"

    def purging(self) -> Term:
        flow = self._flow
        chance = rf"1 - e^{{-{self._held}}}"
        if not flow.way.is_plain:
            chance = rf"P_{{{self._length}}}(\text{{one stays}})"
        found = flow.stop_looks / flow.entering if flow.entering else 0.0
        symbols = rf"{self._rate} + {self._entering} \left({chance}\right)"
        values = rf"{figure(flow.purged)} + {figure(flow.entering)} \cdot {figure(found)}"
        return (symbols, values), flow.purged + flow.stop_looks

    def purging_printed(self) -> Term:
        flow = self._flow
        return (self._entering, figure(flow.entering)), flow.entering

    def inserting(self) -> Term:
        return (self._rate, figure(self._flow.inserted)), self._flow.inserted

    def holding(self) -> Term:
        flow = self._flow
        waiting = flow.held - flow.stored * flow.arrived
        due = rf"{self._rate} \left(\bar{{t}}_{{\mathrm{{due}}}}"
        due += r" - \bar{t}_{\mathrm{before}}\right)" if flow.probed_before else r"\right)"
        symbols = rf"{self._held} + {due}"
        return (symbols, rf"{self._values} + {figure(waiting)}"), flow.held

    def holding_printed(self) -> Term:
        flow = self._flow
        return (self._held, self._values), flow.stored * flow.arrived

    def probing(self) -> Term:
        flow = self._flow
        part = "" if flow.way.scanned == 1 else r" \beta"
        value = "" if flow.way.scanned == 1 else rf" \cdot {figure(flow.way.scanned)}"
        symbols = rf"{self._entering} \cdot {self._held}{part}"
        return (
            symbols,
            rf"{figure(flow.entering)} \cdot {self._values}{value}",
        ), flow.examined

    def finding(self, lead: str = "", times: int = 1) -> Term:
        flow = self._flow
        selectivity = figure(flow.way.selectivity)
        symbols = rf"{lead}{self._entering} \cdot {self._held} S_{{\bowtie}}"
        values = rf"{lead}{figure(flow.entering)} \cdot {self._values} \cdot {selectivity}"
        return (symbols, values), times * flow.found(flow.length)


def _sum(field: str, terms: list[Term], model: str) -> Formula:
    """The terms of both ways added up."""
    if not terms:
        return Formula(field, "0", "0", 0.0, model)
    symbols = " + ".join(written[0] for written, _ in terms)
    values = " + ".join(written[1] for written, _ in terms)
    return Formula(field, symbols, values, sum(value for _, value in terms), model)
