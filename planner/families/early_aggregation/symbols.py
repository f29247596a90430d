"""Events, composites and contents as LaTeX, in symbols and with the values filled in."""

from __future__ import annotations

from collections.abc import Iterable

from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.states import state_of
from planner.joins.symbols import Written, figure, stated, tex

REFINED = "refined: expected entries of sets"
PRINTED = "paper, Equations 5 to 22, corrected"
LANDMARK = "at the middle of the measured span: no steady state"


class Symbols:
    """What the formulas of one plan are made of."""

    def __init__(self, model: AggregationModel, mask: int) -> None:
        self.model, self.mask = model, mask
        landmark = any(window.ends == "never" for window in model.join.windows)
        self.model_name = f"{REFINED}; {LANDMARK}" if landmark else REFINED

    def composites(self, origin: int, joined: Iterable[int], reached: float) -> Written:
        """Composites per second: events of the origin, and how many each has."""
        events = self.events(origin)
        members = tuple(joined)
        if len(members) == 1:
            return events
        names = ",".join(self.name(place) for place in members)
        return rf"{events[0]} \mu_{{{names}}}", rf"{events[1]} \cdot {figure(reached)}"

    def events(self, place: int) -> Written:
        """Arrivals and departures per second; of tuples that leave unseen, arrivals alone."""
        window = self.model.contents[place].window
        rate = rf"\lambda_{{{self.name(place)}}}", figure(window.rate)
        if window.ends != "each":
            return rate
        return f"2 {rate[0]}", rf"2 \cdot {rate[1]}"

    def content_of(self, place: int, is_set: bool, met: float) -> tuple[Written, Written]:
        """What is probed, and what its name stands for."""
        content, name = self.model.contents[place], self.name(place)
        window = stated(content.window)
        symbol = rf"\alpha_{{{name}}}" if is_set else rf"w_{{{name}}}"
        if content.clock is not None:
            # Windows of one length grow together, so the mean of the product counts.
            return (rf"\overline{{{symbol}}}", figure(met)), ("", "")
        if not is_set:
            meaning = (rf", \quad {symbol} = {window[0]}", "")
            return (symbol, window[1]), meaning
        symbols, values = self.entries_of(place)
        meaning = (rf", \quad {symbol} = {symbols}", rf", \quad {symbol} = {values}")
        return (symbol, figure(met)), meaning

    def with_ended(self, place: int, content: Written, ended: float) -> Written:
        """The same with the rows of a relation that are kept after their end."""
        if not ended:
            return content
        symbols = rf"\left({content[0]} + \Delta^-_{{{self.name(place)}}} T_{{max}}\right)"
        return symbols, rf"\left({content[1]} + {figure(ended)}\right)"

    def entries_of(self, place: int) -> Written:
        """How many entries a set is expected to have."""
        content, name = self.model.contents[place], self.name(place)
        length = stated(content.window)[0]
        cells = figure(content.cells.number)
        tuples = figure(content.mean(is_set=False))
        group = rf"G_{{{name}}}"
        if len(content.cells.counts) > 1 or content.clock is not None:
            symbols = rf"\sum_c 1 - (1 - p_c)^{{{length}}}"
            values = figure(content.mean(is_set=True))
        elif content.varying:
            symbols = rf"{group} \left(1 - e^{{-{length} / {group}}}\right)"
            values = rf"{cells} \left(1 - e^{{-{tuples} / {cells}}}\right)"
        else:
            symbols = rf"{group} \left(1 - \left(1 - 1/{group}\right)^{{{length}}}\right)"
            values = rf"{cells} \left(1 - \left(1 - 1/{cells}\right)^{{{tuples}}}\right)"
        return symbols, values

    def state(self, members: Iterable[int], origin: int) -> int:
        return state_of(self.mask, sum(1 << place for place in members), origin)

    def name(self, place: int) -> str:
        return tex(self.model.join.windows[place])
