"""How a text file is written: its encoding, and a CSV's separator, quotes and decimal point.

All is decided from the first rows. A separator is one that gives the rows as many fields as the
header has; where several do, the one that occurs least in ordinary text wins.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from planner.errors import PlanError

# So much of a file decides how it is written.
_SAMPLE_CHARACTERS, _SAMPLE_ROWS = 200_000, 500
# In this order where they split the rows equally well.
_SEPARATORS = ("\t", ";", "|", ",")
_OTHER_SEPARATOR = re.compile(r"[^\w\s\"'.\-()/]")
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+")
_POINT_NUMBER = re.compile(r"[+-]?\d+\.\d+")
_BARE_NUMBER = re.compile(r"[+-]?\d+(?:[.,:/\-\d TZ]*\d)?Z?")
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
# Rows with another number of fields than the header, in a file that is still a CSV.
_MOST_RAGGED = 0.2
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_IN_WORDS = {"utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32": "UTF-32"}


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file, and the name of its encoding where it is not the usual one."""

    text: str
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the rows of a CSV are written."""

    separator: str = ","
    quote: str = '"'
    backslash: bool = False
    decimal_comma: bool = False
    header: bool = True


def decoded(content: bytes, name: str) -> DecodedText:
    """The text of a file in UTF-8, UTF-16, UTF-32 or Windows-1252; a PlanError for no text."""
    encoding = next((known for mark, known in _BOMS if content.startswith(mark)), "")
    if not encoding and b"\0" in content[:2000]:
        encoding = _wide_encoding(content[:2000])
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding:
            raise PlanError(
                f"is damaged {_IN_WORDS.get(encoding, 'UTF-8')} text; save it again as UTF-8", name
            ) from error
        # Every byte is a character in Latin-1, which differs from Windows-1252 in a few only.
        try:
            text, encoding = content.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            text, encoding = content.decode("latin-1"), "Latin-1"
    if (found := _NOT_TEXT.search(text)) is not None:
        line = text.count("\n", 0, found.start()) + 1
        what = "a NUL byte" if found[0] == "\0" else "a control character"
        raise PlanError(f"is not text: line {line} has {what}. Save it as CSV in UTF-8", name)
    if not text.strip():
        raise PlanError("is empty; its first line must name the columns", name)
    return DecodedText(text, _IN_WORDS.get(encoding, encoding.replace("utf-8-sig", "")))


def _wide_encoding(sample: bytes) -> str:
    """UTF-16 without a mark: of plain text, every second byte is zero."""
    half = len(sample) // 2
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if half and zeros.count(0) > 0.4 * half:
            return encoding
    return ""


def dialect_of(text: str) -> Dialect:
    """How the rows of this CSV are written.

    >>> dialect_of("ts;price\\n1,5;2,25\\n")
    Dialect(separator=';', quote='"', backslash=False, decimal_comma=True, header=True)
    """
    sample = text[:_SAMPLE_CHARACTERS]
    if len(text) > len(sample):
        # The last line may be cut.
        sample = sample.rpartition("\n")[0]
    quote = _quote(sample)
    backslash = f"\\{quote}" in sample and 2 * quote not in sample
    separator = _separator(sample, quote, backslash)
    rows = _rows(sample, separator, quote, backslash)
    fields = [field.strip() for row in rows[1:] for field in row]
    commas = any(map(_COMMA_NUMBER.fullmatch, fields))
    points = any(map(_POINT_NUMBER.fullmatch, fields))
    header = not (rows and _is_data(rows[0]))
    return Dialect(separator, quote, backslash, commas and not points, header)


def _is_data(row: Sequence[str]) -> bool:
    """Whether the first row holds values only: numbers and times, and no name."""
    return bool(row) and all(_BARE_NUMBER.fullmatch(field.strip()) for field in row)


def _quote(sample: str) -> str:
    """The quotation mark that opens fields: `'` only where `"` never does."""
    opened = {
        mark: len(re.findall(rf"(?:^|[,;|\t]){mark}", sample, re.MULTILINE)) for mark in "\"'"
    }
    return "'" if opened["'"] >= 2 and not opened['"'] else '"'


def _separator(sample: str, quote: str, backslash: bool) -> str:
    first = sample.lstrip().partition("\n")[0]
    others = dict.fromkeys(_OTHER_SEPARATOR.findall(first))
    best, best_share = ",", 0.0
    for separator in dict.fromkeys([*_SEPARATORS, *others, " "]):
        rows = _rows(sample, separator, quote, backslash)
        if not rows or len(rows[0]) < 2:
            continue
        alike = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
        if alike > best_share and alike >= 1 - _MOST_RAGGED:
            best, best_share = separator, alike
    return best


def _rows(sample: str, separator: str, quote: str, backslash: bool) -> list[list[str]]:
    """The first rows, as this separator splits them; none where it cannot."""
    reader = csv.reader(
        io.StringIO(sample, newline=""),
        delimiter=separator,
        quotechar=quote,
        doublequote=not backslash,
        escapechar="\\" if backslash else None,
    )
    rows: list[list[str]] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) >= _SAMPLE_ROWS:
                break
    except csv.Error:
        # A field longer than Python's reader takes: what was read decides.
        return rows
    return rows
