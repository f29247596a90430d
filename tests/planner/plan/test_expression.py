"""Expressions: what is printed works out to the value, whatever is built."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan.expression import (
    WHERE,
    Expression,
    decay,
    form,
    greatest,
    least,
    number,
    product,
    subscript,
    symbol,
    total,
)
from tests.planner.latex import evaluate

A, B, C = symbol("a", 2.0), symbol("b", 3.0), symbol("c", 5.0)

# Seven digits are printed: these have no more.
NUMBERS = st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 7.0, 40.0, 0.00001, 3_000_000_000.0, -3.0])
LEAVES = st.builds(symbol, st.sampled_from(["x", "y", r"\lambda"]), NUMBERS) | NUMBERS.map(number)


def _combined(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda pair: pair[0] + pair[1]),
        pairs.map(lambda pair: pair[0] - pair[1]),
        pairs.map(lambda pair: pair[0] * pair[1]),
        pairs.filter(lambda pair: abs(pair[1].value) > 1e-6).map(lambda p: p[0] / p[1]),
        pairs.map(lambda pair: least(*pair)),
        pairs.map(lambda pair: greatest(*pair)),
        inner.filter(lambda part: abs(part.value) < 50).map(decay),
        inner.map(lambda part: part.short("s")),
        st.lists(inner, max_size=3).map(total),
        st.lists(inner, max_size=3).map(product),
    )


@given(st.recursive(LEAVES, _combined, max_leaves=12))
def test_the_printed_values_work_out_to_the_value(expression: Expression) -> None:
    # Differences of large numbers cancel: the largest intermediate result bounds the error.
    bound = 1e-9 * max(1.0, _largest(expression))
    assert evaluate(expression.values) == pytest.approx(expression.value, rel=1e-9, abs=bound)


def _largest(expression: Expression) -> float:
    inside = [_largest(part) for part in expression.parts]
    return max([abs(expression.value), *inside, math.prod(x for x in inside if x > 1)])


@pytest.mark.parametrize(
    ("expression", "symbols", "values"),
    [
        (A + B + C, "a + b + c", "2 + 3 + 5"),
        (A - (B + C), r"a - \left(b + c\right)", r"2 - \left(3 + 5\right)"),
        (A - (B - C), r"a - \left(b - c\right)", r"2 - \left(3 - 5\right)"),
        (A + B * C, "a + b c", r"2 + 3 \cdot 5"),
        ((A + B) * C, r"\left(a + b\right) c", r"\left(2 + 3\right) \cdot 5"),
        (A * (B + C), r"a \left(b + c\right)", r"2 \left(3 + 5\right)"),
        (A * (B * C), r"a \cdot b c", r"2 \cdot 3 \cdot 5"),
        (number(2) * A, "2 a", r"2 \cdot 2"),
        (A * number(2), r"a \cdot 2", r"2 \cdot 2"),
        ((A + B) / C, r"\frac{a + b}{c}", r"\frac{2 + 3}{5}"),
        (A / B * C, r"\frac{a}{b} c", r"\frac{2}{3} \cdot 5"),
        (decay(A * B), "e^{-a b}", r"e^{-2 \cdot 3}"),
        (decay(A + B), r"e^{-\left(a + b\right)}", r"e^{-\left(2 + 3\right)}"),
        (least(A, B), r"\min\left(a, b\right)", r"\min\left(2, 3\right)"),
        (
            form(r"\log\left(%s\right)", math.log(2), A),
            r"\log\left(a\right)",
            r"\log\left(2\right)",
        ),
        (A * number(-3), r"a \left(-3\right)", r"2 \left(-3\right)"),
        (A * symbol("d", 1.5e10), "a d", r"2 \cdot 1.5 \cdot 10^{10}"),
    ],
)
def test_parentheses_and_dots(expression: Expression, symbols: str, values: str) -> None:
    assert (expression.symbols, expression.values) == (symbols, values)


def test_names_are_explained_behind_the_formula_or_written_in_full() -> None:
    size = (A * B).named(r"\phi")
    assert (size / C).symbols == rf"\frac{{\phi}}{{c}}{WHERE}\phi = a b"
    assert (size / C).values == rf"\frac{{6}}{{5}}{WHERE}\phi = 2 \cdot 3"
    assert (size + size).symbols == rf"\phi + \phi{WHERE}\phi = a b", "once"
    every = total([A, B, C]).short(r"\sum_i a_i")
    assert (every * A).symbols == r"\sum_i a_i a"
    assert (every * A).values == r"\left(2 + 3 + 5\right) \cdot 2"


def test_a_value_as_a_model_holds_it_goes_into_what_is_built_of_it() -> None:
    held = (A * B).valued(6.000000000000001)
    assert (held * C).value == 6.000000000000001 * 5
    assert (held * C).values == r"2 \cdot 3 \cdot 5"


def test_names_cannot_act_on_the_formula() -> None:
    assert subscript("a_b{}") == r"\mathrm{a\_b\{\}}"
