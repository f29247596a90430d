"""The two errors a user can cause. Each names the place and the fix; anything else is a bug."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class SluiceError(Exception):
    """A mistake in the input. `place` says where it is, `message` what to do about it."""

    def __init__(self, message: str, place: str = "") -> None:
        self.message = message
        self.place = place
        super().__init__(f"{place}: {message}" if place else message)


class PlanError(SluiceError):
    """The workload, the query text, the data or a plan's label cannot be planned as given."""


class QueryTextError(PlanError):
    """A mistake in the text of a query; the message ends with the line and a caret under it."""

    def __init__(self, message: str, text: str, offset: int, place: str = "") -> None:
        self.text = text
        self.offset = max(0, min(offset, len(text)))
        self.summary = message
        super().__init__(f"{message}\n{caret(text, self.offset)}", place)


class RunError(SluiceError):
    """A plan cannot be run as asked: no Java, a full disk, a limit reached, a broken checkpoint."""


@contextmanager
def within(place: str, separator: str = ".") -> Iterator[None]:
    """Put a place in front of the place of any PlanError raised inside: `streams[2]` + `rate`."""
    try:
        yield
    except QueryTextError as error:
        outer = _joined(place, error.place, separator)
        raise QueryTextError(error.summary, error.text, error.offset, outer) from error
    except PlanError as error:
        raise PlanError(error.message, _joined(place, error.place, separator)) from error


def _joined(outer: str, inner: str, separator: str) -> str:
    return f"{outer}{separator}{inner}" if outer and inner else outer or inner


def caret(text: str, offset: int) -> str:
    """The line of the text that holds the offset, and a caret below that place.

    >>> print(caret("SELECT *\\nFROM S1", 14))
    line 2: FROM S1
                 ^
    """
    before = text[:offset]
    number = before.count("\n") + 1
    line = text.splitlines()[number - 1] if text.splitlines()[number - 1 :] else ""
    column = offset - (before.rfind("\n") + 1)
    lead = f"line {number}: "
    # A very long line is cut around the place, so that the caret stays on the screen.
    start = max(0, column - 60)
    shown = line[start : column + 60]
    return f"{lead}{shown}\n{' ' * (len(lead) + column - start)}^"
