r"""Reads the LaTeX of formulas with their values filled in, and works it out: an own definition.

sum := product (("+" | "-") product)*; product := power (("\cdot" | nothing) power)*;
power := atom ("^" group)?; atom := number, e, \frac, \min, \max, a sum in parentheses.
"""

from __future__ import annotations

import math
import re
from functools import cache

TOKEN = re.compile(r"\s*(\\left\(|\\right\)|\\[a-z]+|[0-9.]+|inf|nan|[-+^{},e])")


@cache
def evaluate(text: str) -> float:
    """The number that a formula without symbols gives."""
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = TOKEN.findall(text)
        assert "".join(self._tokens) == text.replace(" ", ""), f"not read: {text}"

    def whole(self) -> float:
        found = self._sum()
        assert not self._tokens, f"left over: {self._tokens}"
        return found

    def _peek(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _take(self, *expected: str) -> str:
        token = self._tokens.pop(0)
        assert not expected or token in expected, (token, expected)
        return token

    def _sum(self) -> float:
        sign = 1.0
        if self._peek() == "-":
            self._take()
            sign = -1.0
        found = sign * self._product()
        while self._peek() in ("+", "-"):
            found += self._product() if self._take() == "+" else -self._product()
        return found

    def _product(self) -> float:
        found = self._power()
        while self._peek() not in ("", "+", "-", ",", "}", r"\right)"):
            if self._peek() == r"\cdot":
                self._take()
            else:
                assert self._peek() == r"\left(", f"two factors without a dot: {self._tokens}"
            found *= self._power()
        return found

    def _power(self) -> float:
        base = self._atom()
        if self._peek() == "^":
            self._take()
            return math.pow(base, self._group())
        return base

    def _group(self) -> float:
        self._take("{")
        found = self._sum()
        self._take("}")
        return found

    def _atom(self) -> float:
        token = self._take()
        if token == r"\frac":
            above = self._group()
            return above / self._group()
        if token in (r"\min", r"\max"):
            self._take(r"\left(")
            one = self._sum()
            self._take(",")
            other = self._sum()
            self._take(r"\right)")
            return min(one, other) if token == r"\min" else max(one, other)
        if token == r"\left(":
            found = self._sum()
            self._take(r"\right)")
            return found
        return math.e if token == "e" else float(token)
