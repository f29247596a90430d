"""Shared joins as people say them: who shares, or how many slices a chain has."""

from __future__ import annotations

from planner.families.sliced_chain.labels import (
    CHAIN,
    CPU_OPT,
    MEM_OPT,
    PULL_UP,
    PUSH_DOWN,
    UNSHARED,
)

_NAMES = {
    UNSHARED: "A join for each query (unshared)",
    PULL_UP: "One join, filters after it (pull-up)",
    PUSH_DOWN: "Shared joins, filters before them (push-down)",
    MEM_OPT: "Mem-Opt",
    CPU_OPT: "CPU-Opt",
}
# Of a chain with more slices, only the first and last ends are named.
_MOST_ENDS = 5


def title(label: str) -> str:
    """A label in words.

    >>> title("unshared"), title("chain:0-60-3600")
    ('A join for each query (unshared)', 'Chain of 2 slices (60, 3600)')
    >>> title("chain:0-1-2-3-4-5-6-7"), title("chain:0-5;0-8")
    ('Chain of 7 slices (1, 2, … 6, 7)', 'Chain of 1 slice (5) and 1 slice (8)')
    """
    if not label.startswith(CHAIN):
        return _NAMES.get(label, label)
    chains = label.removeprefix(CHAIN).split(";")
    return f"Chain of {' and '.join(_one(ends.split('-')[1:]) for ends in chains)}"


def _one(ends: list[str]) -> str:
    named = ends if len(ends) <= _MOST_ENDS else [*ends[:2], f"… {ends[-2]}", ends[-1]]
    return f"{_slices(len(ends))} ({', '.join(named)})"


def _slices(count: int) -> str:
    return f"{count} slice{'' if count == 1 else 's'}"


def beside_optima(label: str, optima: dict[str, str]) -> str:
    """A chain as one of the optima, or as one of them with another cut; else as it is.

    >>> optima = {"cpu-opt": "chain:0-2-4-8", "mem-opt": "chain:0-1-2-3-4-8"}
    >>> beside_optima("chain:0-2-4-8", optima), beside_optima("chain:0-2-8", optima)
    ('CPU-Opt, 3 slices', 'CPU-Opt without the cut at 4')
    >>> beside_optima("chain:0-2-5-8", optima), beside_optima("chain:0-1-2-4-8", optima)
    ('CPU-Opt, cut at 5 instead of 4', 'CPU-Opt with a cut at 1')
    """
    if not label.startswith(CHAIN):
        return title(label)
    own = [name for name, found in optima.items() if found == label]
    if own:
        names = " and ".join(_NAMES[name] for name in own)
        return f"{names}, {_slices(label.count('-'))}"
    if ";" in label:
        return title(label)
    mine = label.removeprefix(CHAIN).split("-")
    for name, found in optima.items():
        theirs = found.removeprefix(CHAIN).split("-")
        more = [end for end in mine if end not in theirs]
        less = [end for end in theirs if end not in mine]
        text = {
            (1, 0): " with a cut at {more}",
            (0, 1): " without the cut at {less}",
            (1, 1): ", cut at {more} instead of {less}",
        }.get((len(more), len(less)))
        if text is not None:
            return _NAMES[name] + text.format(more="".join(more), less="".join(less))
    return title(label)
