"""The figures of a paper, read from its `figures.yaml`: what each shows, draws and claims.

An entry is a figure or a part of one. What it does not say is as in the entry around it; `parts`
are the entries within it. `for` repeats an entry or a claim for every combination of some values,
which braces name; where a value is a mapping, its keys can be named too:

    for: {rate: [20, 40]}
    title: "Figure 1: {rate} tuples/s"          the value in a text
    curves: {by_window: {rate: "{rate}"}}       the value itself

`curves` and `surface` name a function of the paper's `curves.py`, and `check` one of `checks.py`,
`place_checks.py` or `agreements.py`, each with its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from string import Formatter
from types import ModuleType
from typing import Any

from planner.experiments import agreements, checks, place_checks
from planner.experiments.experiment import Claim, Experiment, FigureAxis
from planner.files.safe_yaml import read_yaml

Entry = dict[str, Any]
# Values by the names that texts have in braces.
Known = Mapping[str, Any]
# A text that is one value and nothing else.
_ONE_VALUE = re.compile(r"\{([^{}:]+)\}")


def read_figures(curves: ModuleType) -> tuple[Experiment, ...]:
    """The experiments of the paper whose curves this module draws; its file is beside it."""
    file = Path(str(curves.__file__)).with_name("figures.yaml")
    content: Any = read_yaml(file.read_bytes())
    return tuple(_experiment(entry, curves) for entry in _entries(content, {}, {}))


def _entries(entry: Entry, around: Entry, known: Known) -> Iterator[Entry]:
    """Every entry without parts, with what those around it say, and its values filled in."""
    own = {key: value for key, value in entry.items() if key not in ("for", "parts")}
    for more in _combinations(entry, known):
        if "parts" not in entry:
            yield _filled({**around, **own}, more)
        for part in entry.get("parts", ()):
            yield from _entries(part, {**around, **own}, more)


def _combinations(entry: Entry, known: Known) -> Iterator[Known]:
    """What is known already, with each combination of the values that an entry is repeated for.

    Names within these values are filled in where the values are used.
    """
    axes = entry.get("for", {})
    listed = (_filled(v, known) if isinstance(v, str) else v for v in axes.values())
    for values in product(*listed):
        more = dict(known)
        for name, value in zip(axes, values, strict=True):
            more |= {name: value} | (value if isinstance(value, dict) else {})
        yield more


def _filled(content: Any, known: Known) -> Any:
    """The content with values in place of their names; what is repeated, once for each value."""
    if isinstance(content, dict):
        return {key: _filled(value, known) for key, value in content.items() if key != "for"}
    if isinstance(content, list):
        return [
            _filled(item, more)
            for item in content
            for more in (_combinations(item, known) if isinstance(item, dict) else (known,))
        ]
    if not isinstance(content, str):
        return content
    if value := _ONE_VALUE.fullmatch(content):
        return _filled(Formatter().get_field(value[1], (), known)[0], known)
    return content.format_map(known)


def _experiment(entry: Entry, curves: ModuleType) -> Experiment:
    """The experiment of a whole entry; a key that it does not know is a TypeError."""
    made: Entry = {
        "draw": _bound(curves, entry.pop("curves")),
        "name": entry.pop("name").replace(" ", "-"),
        "x": FigureAxis(**entry.pop("x")),
        "y": FigureAxis(**entry.pop("y")),
        "claims": _claims(entry.pop("claims"), place_checks, checks),
        "agreements": _claims(entry.pop("agreements", []), agreements),
        "remarks": tuple(entry.pop("remarks", ())),
    }
    if "surface" in entry:
        made["surface"] = _bound(curves, entry.pop("surface"))
    return Experiment(**entry, **made)


def _claims(entries: list[Entry], *known: ModuleType) -> tuple[Claim, ...]:
    return tuple(Claim(**{**entry, "check": _bound(*known, entry["check"])}) for entry in entries)


def _bound(*modules_and_named: Any) -> partial[Any]:
    """The function of a module that is named, with the arguments that are given for it."""
    *others, last, named = modules_and_named
    ((name, arguments),) = {named: {}}.items() if isinstance(named, str) else named.items()
    return partial(getattr(next((m for m in others if hasattr(m, name)), last), name), **arguments)
