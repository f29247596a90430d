"""The formula behind every predicted figure, in symbols and with the values filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planner.cost import Formula
from planner.families.join_order.model import JoinModel, JoinWindow, scan_fraction
from planner.families.join_order.probes import Probe
from planner.plan import Operator
from planner.wording import shortened

PAPER = "paper, Appendix A"
EXACT_BUCKETS = "exact share of a bucket, uniform keys"
PRINTED_BUCKETS = "paper, Section 5.3"
COUNTED = "one count per tuple or visit"

_TEX = {"\\": r"\backslash ", "~": r"\sim ", "^": r"\wedge "} | {c: f"\\{c}" for c in "{}$&#%_"}


class Formulas(Mapping[str, tuple[Formula, ...]]):
    """The formulas of a plan by operator id. Each is written when it is asked for, not before."""

    def __init__(
        self, operators: Sequence[Operator], probes: Mapping[str, Probe], model: JoinModel
    ) -> None:
        self._operators = {operator.id: operator for operator in operators}
        self._probes = probes
        self._model = model

    def __getitem__(self, operator_id: str) -> tuple[Formula, ...]:
        operator = self._operators[operator_id]
        if operator.kind == "probe":
            return _probe(self._model, self._probes[operator_id])
        if operator.kind == "output":
            return (_output(self._model),)
        return _keeping(self._model, operator)

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)


def _probe(model: JoinModel, probe: Probe) -> tuple[Formula, ...]:
    origin, target = model.windows[probe.origin], model.windows[probe.target]
    passed = rf"\frac{{{_phi(model, probe.joined)}}}{{T_{{{_tex(origin)}}}}}"
    passed_values = rf"\frac{{{_figure(model.size(probe.joined))}}}{{{_figure(origin.seconds)}}}"
    lead = rf"{passed} \cdot {_window_symbols(target)}"
    lead_values = rf"{passed_values} \cdot {_window_values(target)}"
    size, size_values = _size(model, probe.joined)
    least = model.least(probe.joined)
    share = scan_fraction(least, target)
    written, written_values = _share(model, probe.joined, target)
    found = [
        Formula(
            "comparisons",
            f"{lead}{written}{size}",
            f"{lead_values}{written_values}{size_values}",
            model.comparisons(probe.origin, probe.joined, probe.target),
            PAPER if target.access == "scan" else EXACT_BUCKETS,
        )
    ]
    if share != target.printed_fraction:
        buckets = _printed_buckets(target)
        found.append(
            Formula(
                "comparisons",
                rf"{lead} \cdot \frac{{1}}{{b_{{{_tex(target)}}}}}{size}",
                rf"{lead_values} \cdot \frac{{1}}{{{buckets}}}{size_values}",
                model.matches(probe.origin, probe.joined) * target.tuples * target.printed_fraction,
                PRINTED_BUCKETS,
            )
        )
    return (*found, _passed_down(model, probe))


def _passed_down(model: JoinModel, probe: Probe) -> Formula:
    origin = model.windows[probe.origin]
    size, size_values = _size(model, probe.reached)
    return Formula(
        "rows_out",
        rf"\frac{{{_phi(model, probe.reached)}}}{{T_{{{_tex(origin)}}}}}{size}",
        rf"\frac{{{_figure(model.size(probe.reached))}}}{{{_figure(origin.seconds)}}}{size_values}",
        model.matches(probe.origin, probe.reached),
        PAPER,
    )


def _output(model: JoinModel) -> Formula:
    places = range(len(model.windows))
    size, size_values = _size(model, places)
    phi, value = _phi(model, places), _figure(model.size(places))
    spans = [(rf"\frac{{1}}{{T_{{{_tex(w)}}}}}", w.seconds) for w in model.windows]
    values = " + ".join(rf"\frac{{1}}{{{_figure(seconds)}}}" for _, seconds in spans)
    return Formula(
        "rows_out",
        rf"{phi} \left({' + '.join(span for span, _ in spans)}\right){size}",
        rf"{value} \left({values}\right){size_values}",
        sum(model.matches(origin, places) for origin in places),
        PAPER,
    )


def _keeping(model: JoinModel, operator: Operator) -> tuple[Formula, ...]:
    place = model.aliases.index(str(operator.param("source")))
    window = model.windows[place]
    rate, rate_value = rf"\lambda_{{{_tex(window)}}}", _figure(window.rate)
    if operator.kind == "arrive":
        return (Formula("rows_out", rate, rate_value, window.rate, COUNTED),)
    if operator.kind == "insert":
        held = (_window_symbols(window), _window_values(window))
        return (
            Formula("inserts", rate, rate_value, window.rate, COUNTED),
            Formula("state_tuples", *held, window.tuples, PAPER),
        )
    visits = " + ".join(_figure(other.rate) for other in model.windows)
    twice = window.access == "hash"
    leaves = f"2 {rate}" if twice else rate
    leaves_value = rf"2 \cdot {rate_value}" if twice else rate_value
    checks = Formula(
        "expirations",
        rf"\sum_i \lambda_i + {leaves}",
        rf"\left({visits}\right) + {leaves_value}",
        model.expirations(place),
        COUNTED,
    )
    return (checks,)


def _share(model: JoinModel, joined: Sequence[int], target: JoinWindow) -> tuple[str, str]:
    """The part of the window scanned, as a factor: nothing where all of it is."""
    if target.access == "scan":
        return "", ""
    least, name = model.least(joined), _tex(target)
    if target.buckets == "per-value":
        symbols = rf" \cdot \frac{{1}}{{\max(m, v_{{{name}}})}}"
        return symbols, rf" \cdot \frac{{1}}{{\max({least}, {target.distinct})}}"
    symbols = rf" \cdot \sum_{{r < b_{{{name}}}}} \frac{{m_r}}{{m}} \frac{{v_r}}{{v_{{{name}}}}}"
    share = scan_fraction(least, target)
    return symbols, rf" \cdot {_figure(share)}"


def _size(model: JoinModel, members: Sequence[int]) -> tuple[str, str]:
    """What phi stands for, after the formula that uses it; one window is its own size."""
    windows = [model.windows[place] for place in members]
    name = _phi(model, members)
    if len(windows) == 1:
        return rf", \quad {name} = {_window_symbols(windows[0])}", ""
    held = " ".join(_window_symbols(window) for window in windows)
    held_values = r" \cdot ".join(_window_values(window) for window in windows)
    distinct = " ".join(f"v_{{{_tex(window)}}}" for window in windows)
    distinct_values = r" \cdot ".join(str(window.distinct) for window in windows)
    least = model.least(members)
    symbols = rf"\frac{{{held} \cdot \min v}}{{{distinct}}}"
    values = rf"\frac{{{held_values} \cdot {least}}}{{{distinct_values}}}"
    return rf", \quad {name} = {symbols}", rf", \quad {name} = {values}"


def _phi(model: JoinModel, members: Sequence[int]) -> str:
    return rf"\phi_{{{','.join(_tex(model.windows[place]) for place in members)}}}"


def _window_symbols(window: JoinWindow) -> str:
    return rf"\lambda_{{{_tex(window)}}} T_{{{_tex(window)}}}"


def _window_values(window: JoinWindow) -> str:
    return rf"{_figure(window.rate)} \cdot {_figure(window.seconds)}"


def _printed_buckets(window: JoinWindow) -> int:
    return window.distinct if window.buckets == "per-value" else window.buckets


def _tex(window: JoinWindow) -> str:
    """An alias as a subscript; every character that LaTeX would act on is escaped."""
    return rf"\mathrm{{{''.join(_TEX.get(c, c) for c in shortened(window.alias, 24))}}}"


def _figure(value: float) -> str:
    """A number as LaTeX writes it."""
    mantissa, _, exponent = f"{value:.7g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
