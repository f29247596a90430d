"""Windows as they are written: `[RANGE 1 HOUR]`, `[ROWS 500]`, a closing `WINDOW 60 MIN`."""

from __future__ import annotations

from planner.errors import PlanError
from planner.query import CountWindow, LandmarkWindow, TimeWindow, TumblingWindow, Window
from planner.query_tokens import Cursor, Word

# Milliseconds, so that a division gives 9 MS as 0.009: 9 * 0.001 is another number.
UNIT_MS = {
    **dict.fromkeys(("MS", "MILLISECOND", "MILLISECONDS"), 1),
    **dict.fromkeys(("S", "SEC", "SECS", "SECOND", "SECONDS"), 1_000),
    **dict.fromkeys(("MIN", "MINS", "MINUTE", "MINUTES"), 60_000),
    **dict.fromkeys(("HOUR", "HOURS"), 3_600_000),
    **dict.fromkeys(("DAY", "DAYS"), 86_400_000),
}


def bracketed_window(cursor: Cursor) -> Window | None:
    """Step over `[...]` if it stands here."""
    if cursor.accept("[") is None:
        return None
    kind = cursor.accept("RANGE", "ROWS", "TUMBLING", "LANDMARK", "WINDOW")
    if kind is None:
        raise cursor.error("expected RANGE, ROWS, TUMBLING, LANDMARK or WINDOW in the window")
    window = _window(cursor, kind)
    cursor.expect("]", "to close the window")
    return window


def closing_window(cursor: Cursor) -> Window:
    """What follows a WINDOW that closes the query: a length, or UNTIL NOW."""
    if cursor.accept("UNTIL"):
        cursor.expect("NOW", "after UNTIL")
        return LandmarkWindow()
    return _of_length(cursor, TimeWindow)


def _window(cursor: Cursor, kind: Word) -> Window:
    if kind.key == "LANDMARK":
        return LandmarkWindow()
    if kind.key == "ROWS":
        at = cursor.word
        rows = cursor.number("a whole number of rows")
        try:
            if rows != int(rows):
                raise PlanError(f"must be a whole number, got {rows}")
            return CountWindow(int(rows))
        except PlanError as error:
            raise cursor.error(f"the window {error.message}", at) from error
    if kind.key == "WINDOW":
        return closing_window(cursor)
    return _of_length(cursor, TimeWindow if kind.key == "RANGE" else TumblingWindow)


def _of_length(
    cursor: Cursor, made: type[TimeWindow] | type[TumblingWindow]
) -> TimeWindow | TumblingWindow:
    at = cursor.word
    length = cursor.number("a length of time")
    if cursor.word.kind == "word" and cursor.word.key in UNIT_MS:
        length = length * UNIT_MS[cursor.advance().key] / 1000
    elif cursor.word.kind == "word" and cursor.word.key not in ("GROUP BY", "WINDOW"):
        raise cursor.error("expected MS, SECONDS, MINUTES, HOURS or DAYS")
    try:
        return made(length)
    except PlanError as error:
        raise cursor.error(f"the window {error.message}", at) from error
