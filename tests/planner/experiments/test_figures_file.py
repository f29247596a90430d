"""How the file of a paper is read: what entries inherit, what is repeated, what names stand for."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from planner.experiments.experiment import Experiment
from planner.experiments.figures_file import read_figures

FILE = """
paper: A paper
quantity: comparisons
rounds: 2
x: {title: Rate}
y: {title: Cost, logarithmic: true}
about: "{rate:g} tuples/s"
remarks: [&note Mind the gap.]
curves: {drawn: {rates: ["{rate}"], windows: "{size[windows]}"}}
claims:
  - for: {pair: "{size[pairs]}"}
    section: "1"
    text: "{low} is below {high}."
    check: {lowest: {curve: "{low}", others: ["{high}"]}}
parts:
  - for:
      size: [{label: small one, windows: [1, 2], pairs: [{low: a, high: b}, {low: b, high: c}]}]
      rate: [1, 20]
    name: "figure {label} {rate}"
    figure: Figure 1
    title: "Figure 1, {rate}"
  - name: other
    figure: Figure 2
    title: Figure 2
    about: Nothing varies.
    remarks: [*note, Another.]
    curves: {drawn: {rates: [], windows: []}}
    claims: [{section: "2", text: All are positive., check: never_negative, because: They are.}]
"""


def _read(folder: Path, text: str) -> tuple[Experiment, ...]:
    (folder / "figures.yaml").write_text(text, encoding="utf-8")
    module = ModuleType("curves")
    module.__file__ = str(folder / "curves.py")
    module.drawn = lambda rates, windows: (rates, windows)  # type: ignore[attr-defined]
    return read_figures(module)


def test_entries_are_repeated_for_their_values_and_inherit_the_rest(tmp_path: Path) -> None:
    slow, fast, other = _read(tmp_path, FILE)
    assert [known.name for known in (slow, fast, other)] == [
        "figure-small-one-1",
        "figure-small-one-20",
        "other",
    ]
    assert {known.paper for known in (slow, fast, other)} == {"A paper"}
    assert (slow.about, fast.about, other.about) == ("1 tuples/s", "20 tuples/s", "Nothing varies.")
    assert fast.draw() == ([20], [1, 2]), "a name alone stands for the value, not for its text"
    assert (slow.y.logarithmic, slow.remarks, other.remarks) == (
        True,
        ("Mind the gap.",),
        ("Mind the gap.", "Another."),
    )


def test_claims_are_repeated_and_their_checks_get_their_arguments(tmp_path: Path) -> None:
    slow, _, other = _read(tmp_path, FILE)
    assert [claim.text for claim in slow.claims] == ["a is below b.", "b is below c."]
    values = {"a": {1: 1.0}, "b": {1: 3.0}, "c": {1: 2.0}}
    assert [claim.check(values).holds for claim in slow.claims] == [True, False]
    (claim,) = other.claims
    assert claim.check(values).holds
    assert claim.because == "They are."


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("never_negative", "never_heard_of", AttributeError),
        ("because: They are.", "why: They are.", TypeError),
        ("{rate:g} tuples/s", "{unknown} tuples/s", KeyError),
    ],
)
def test_a_mistake_in_the_file_is_an_error(
    tmp_path: Path, right: str, wrong: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        _read(tmp_path, FILE.replace(right, wrong))
