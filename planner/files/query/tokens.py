"""The words of a query text with their places, and a cursor that says what it expected."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from planner.errors import PlanError, QueryTextError
from planner.workload.validation import name_of

MAX_TEXT = 100_000
# Longer whole numbers are beyond all that 64 bits hold; they are read as floating point.
MAX_DIGITS = 19

# Words that end a clause or begin an unsupported one: as a name they must be quoted.
RESERVED = re.compile(
    r"SELECT|FROM|WHERE|GROUP|BY|AND|OR|NOT|AS|ON|JOIN|INNER|LEFT|RIGHT|FULL|OUTER|CROSS|"
    r"NATURAL|USING|WINDOW|HAVING|ORDER|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT|DISTINCT|QUALIFY|"
    r"IN|IS|LIKE|BETWEEN",
    re.IGNORECASE,
)

Kind = Literal["word", "quoted", "text", "number", "symbol", "end"]
_MARKS = r"\s()\[\]{}&^:,.\-=><%!|+;/\\*~?@#'`\""
# Alternatives in this order: a quote or comment that is never closed comes after those that are.
_TOKEN = re.compile(
    rf"""
    (?P<blank>\s+ | --[^\n]* | /\*.*?\*/)
    | (?P<text>'(?:[^']|'')*')
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<open>['"] | /\*)
    | (?P<number>[0-9]+ (?:\.[0-9]*)? (?:e(?:[+-]?[0-9]+)?)?)
    | (?P<clause>(?:GROUP|ORDER|SORT|PARTITION)\s+BY(?![^{_MARKS}]))
    | (?P<word>[^{_MARKS}]+)
    | (?P<symbol><=> | <> | <= | >= | != | == | => | \|\| | :: | .)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A token: what it is, how it is written, and where it starts and ends in the text."""

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The token as a keyword or symbol: upper case, blanks as one; empty for a quoted one."""
        return " ".join(self.text.upper().split()) if self.kind in ("word", "symbol") else ""


def tokenize(text: str) -> list[Word]:
    """The tokens of the text, closed by one of kind `end`."""
    if len(text) > MAX_TEXT:
        raise QueryTextError(
            f"the text is {len(text)} characters long; at most {MAX_TEXT}", text, MAX_TEXT
        )
    for offset, character in enumerate(text):
        if (character < " " and character not in "\t\n\r") or "\ud800" <= character <= "\udfff":
            raise QueryTextError(
                f"the character U+{ord(character):04X} is not allowed in a query; remove it",
                text,
                offset,
            )
    words = []
    for found in _TOKEN.finditer(text):
        written, place = found[0], found.span()
        match found.lastgroup:
            case "open":
                raise QueryTextError("this is never closed; close it", text, found.start())
            case "text" | "quoted" as kind:
                inside = written[1:-1].replace(2 * written[0], written[0])
                words.append(Word(kind, inside, *place))
            case "number":
                words.append(Word("number", written, *place))
            case "clause":
                words.append(Word("word", " ".join(written.upper().split()), *place))
            case "word" | "symbol":
                words.append(Word(_kind(written), written, *place))
    end = words[-1].end if words else len(text)
    return [*words, Word("end", "", end, end)]


def _kind(written: str) -> Kind:
    return "word" if written.isidentifier() else "symbol"


class TokenCursor:
    """Reads tokens one after another; every error points at the token it stands on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = tokenize(text)
        self._at = 0

    @property
    def word(self) -> Word:
        """The token the cursor stands on."""
        return self._words[self._at]

    def peek(self) -> Word:
        """The token after it."""
        return self._words[min(self._at + 1, len(self._words) - 1)]

    def advance(self) -> Word:
        """Step over the token and return it."""
        word = self.word
        self._at = min(self._at + 1, len(self._words) - 1)
        return word

    def accept(self, *keys: str) -> Word | None:
        """Step over the token if it is one of these keywords or symbols."""
        return self.advance() if self.word.key in keys else None

    def expect(self, key: str, where: str) -> Word:
        """Step over this keyword or symbol, which must stand here."""
        word = self.accept(key)
        if word is None:
            raise self.error(f"expected {key} {where}")
        return word

    def name(self, expected: str) -> Word:
        """Step over a name: a word that is not reserved, or anything in double quotes."""
        if self.word.kind == "quoted" or (self.word.kind == "word" and not self.reserved()):
            return self.any_name()
        if self.word.kind == "word":
            keyword = f"{self.word.text} is a keyword: as a name, put it in double quotes"
            raise self.error(f"expected {expected}, but {keyword}", self.word)
        raise self.error(f"expected {expected}")

    def any_name(self) -> Word:
        """Step over a word, a keyword or not, that must be fit to be a name."""
        try:
            name_of(self.word.text, "")
        except PlanError as error:
            raise self.error(f"this name {error.message}", self.word) from error
        return self.advance()

    def reserved(self) -> bool:
        """Whether the token is a keyword that cannot be a name."""
        return any(RESERVED.fullmatch(part) for part in self.word.key.split())

    def number(self, expected: str) -> int | float:
        """Step over a number, with its signs."""
        at, negative = self.word, False
        while (sign := self.accept("-", "+")) is not None:
            negative ^= sign.key == "-"
        if self.word.kind != "number":
            raise self.error(f"expected {expected}")
        text = self.advance().text
        if text.isdigit() and len(text) <= MAX_DIGITS:
            return -int(text) if negative else int(text)
        try:
            value = float(text)
        except ValueError as error:
            raise self.error(f"{text[:40]!r} is not a number", at) from error
        if not math.isfinite(value):
            raise self.error(f"{text[:40]} is too large a number", at)
        return -value if negative else value

    def mark(self) -> int:
        """Where the cursor stands, for `back_to`."""
        return self._at

    def back_to(self, mark: int) -> None:
        """Stand again where the mark was taken."""
        self._at = mark

    def error(self, message: str, at: Word | None = None) -> QueryTextError:
        """The error at this token; without one, at the token the cursor stands on, naming it."""
        if at is None and message.startswith("expected"):
            found = repr(self.word.text[:40]) if self.word.kind != "end" else "the end"
            message = f"{message}, found {found}"
        return QueryTextError(message, self.text, (at or self.word).start)
