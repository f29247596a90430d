r"""Numbers with the formulas they come from.

An expression is built with + - * / from symbols that have values. It gives the number, the formula
and the formula with the values filled in, so that none of them can say something else.

>>> held = symbol(r"\lambda", 2.5) * symbol("T", 30)
>>> print(held.symbols, "=", held.values, "=", held.value)
\lambda T = 2.5 \cdot 30 = 75.0
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import add

from planner.numbers import shortened

WHERE = r", \quad "

# How tightly a text binds. What binds less than its place asks for is put in parentheses.
_NEGATIVE, _SUM, _PRODUCT, _ATOM = range(4)

_TEX = {"\\": r"\backslash ", "~": r"\sim ", "^": r"\wedge "} | {c: f"\\{c}" for c in "{}$&#%_"}


@dataclass(eq=False, slots=True)
class Expression(ABC):
    """A number with its formula, as LaTeX: with symbols, and with the values filled in.

    Never changed once it is made; not frozen, because an estimate makes thousands.
    """

    value: float
    parts: tuple[Expression, ...]

    @property
    def symbols(self) -> str:
        """The formula; behind it what its names stand for."""
        return self._text(filled=False)

    @property
    def values(self) -> str:
        """The same with numbers in place of the symbols."""
        return self._text(filled=True)

    @property
    def meanings(self) -> dict[str, Expression]:
        """The names in the formula that are explained behind it."""
        return {name: meaning for part in self.parts for name, meaning in part.meanings.items()}

    def valued(self, value: float) -> Expression:
        """The same formula with its value as a model holds it: another order of rounding."""
        return _Alias(value, (self,))

    def short(self, name: str) -> Expression:
        """This expression under a name; with the values filled in it is written in full."""
        return _Alias(self.value, (self,), name)

    def named(self, name: str) -> Expression:
        """This expression under a name that is explained behind the formula."""
        return _Named(self.value, (self,), name)

    def __add__(self, other: Expression) -> Expression:
        return _Form(self.value + other.value, (self, other), "%s + %s", (_SUM, _SUM), _SUM)

    def __sub__(self, other: Expression) -> Expression:
        return _Form(self.value - other.value, (self, other), "%s - %s", (_SUM, _PRODUCT), _SUM)

    def __mul__(self, other: Expression) -> Expression:
        return _Product(self.value * other.value, (self, other))

    def __truediv__(self, other: Expression) -> Expression:
        return form(r"\frac{%s}{%s}", self.value / other.value, self, other)

    def _text(self, filled: bool) -> str:
        explained = (f"{name} = {e.written(filled)[0]}" for name, e in self.meanings.items())
        return WHERE.join([self.written(filled)[0], *explained])

    @abstractmethod
    def written(self, filled: bool) -> tuple[str, int]:
        """The formula alone, and how tightly it binds."""


@dataclass(eq=False, slots=True)
class _Symbol(Expression):
    name: str = ""

    def written(self, filled: bool) -> tuple[str, int]:
        if self.name and not filled:
            return self.name, _ATOM
        mantissa, _, exponent = f"{self.value:.7g}".partition("e")
        level = _NEGATIVE if mantissa.startswith("-") else _ATOM
        if not exponent:
            return mantissa, level
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}", min(level, _PRODUCT)


@dataclass(eq=False, slots=True)
class _Named(_Symbol):
    @property
    def meanings(self) -> dict[str, Expression]:
        return {self.name: self.parts[0]} | self.parts[0].meanings


@dataclass(eq=False, slots=True)
class _Alias(Expression):
    name: str = ""

    def written(self, filled: bool) -> tuple[str, int]:
        return (self.name, _ATOM) if self.name and not filled else self.parts[0].written(filled)


@dataclass(eq=False, slots=True)
class _Form(Expression):
    template: str
    asked: tuple[int, ...]
    level: int

    def written(self, filled: bool) -> tuple[str, int]:
        texts = []
        for part, least_level in zip(self.parts, self.asked, strict=True):
            text, level = part.written(filled)
            texts.append(text if level >= least_level else rf"\left({text}\right)")
        return self.template % tuple(texts), self.level


@dataclass(eq=False, slots=True)
class _Product(Expression):
    def __mul__(self, other: Expression) -> Expression:
        return _Product(self.value * other.value, (*self.parts, other))

    def written(self, filled: bool) -> tuple[str, int]:
        """Symbols side by side; a dot between numbers, and around products of their own."""
        text, before = "", _ATOM
        for factor in self.parts:
            following, level = factor.written(filled)
            if level < _PRODUCT:
                following = rf" \left({following}\right)"
            elif text:
                dotted = filled or _PRODUCT in (before, level) or following[0].isdigit()
                following = rf" \cdot {following}" if dotted else f" {following}"
            text, before = text + following, level
        return text.lstrip(), _PRODUCT


def symbol(name: str, value: float) -> Expression:
    return _Symbol(value, (), name)


def number(value: float) -> Expression:
    """A number that is written as such in the formula too."""
    return _Symbol(value, ())


def form(template: str, value: float, *parts: Expression) -> Expression:
    """A function that the operators do not have: a `%s` in its LaTeX for each part."""
    return _Form(value, parts, template, (_NEGATIVE,) * len(parts), _ATOM)


def least(one: Expression, other: Expression) -> Expression:
    return form(r"\min\left(%s, %s\right)", min(one.value, other.value), one, other)


def greatest(one: Expression, other: Expression) -> Expression:
    return form(r"\max\left(%s, %s\right)", max(one.value, other.value), one, other)


def decay(power: Expression) -> Expression:
    """e to the power of minus this."""
    return _Form(math.exp(-power.value), (power,), "e^{-%s}", (_PRODUCT,), _ATOM)


def total(terms: Iterable[Expression]) -> Expression:
    """The sum of these, from the left; of none 0."""
    found = list(terms)
    return reduce(add, found) if found else number(0.0)


def product(factors: Iterable[Expression]) -> Expression:
    """The product of these, from the left; of none 1."""
    found = tuple(factors)
    return _Product(math.prod(part.value for part in found), found) if found else number(1.0)


@lru_cache(maxsize=1024)
def subscript(name: str) -> str:
    """A name as a subscript; every character that LaTeX would act on is escaped."""
    return rf"\mathrm{{{''.join(_TEX.get(c, c) for c in shortened(name, 24))}}}"
