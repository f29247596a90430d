"""A dropped file as an Arrow table: CSV of any dialect, JSON, JSON lines or Parquet.

The content decides what a file is; its name does not. What it is not, it is told with what to do.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json
import pyarrow.parquet as pa_parquet

from planner.errors import PlanError
from planner.files.data_files import (
    BYTES_PER_CSV_BYTE,
    MAX_DATA_ROWS,
    MOST_COLUMNS,
    check_parquet_memory,
)
from planner.files.dropped.dialect import Dialect, decoded, dialect_of
from planner.files.dropped.identifiers import identifiers
from planner.files.free_memory import check_memory
from planner.files.text_codes import is_text

# Files that are no tables, by how they begin, and what to do about them.
_OTHER_KINDS = (
    (0, b"\x1f\x8b", "is compressed (gzip); unpack it first"),
    (0, b"PK\x03\x04", "is a ZIP or Excel file; save the sheet as CSV"),
    (0, b"\xd0\xcf\x11\xe0", "is an Excel file; save the sheet as CSV"),
    (0, b"SQLite format 3", "is a SQLite database; export its tables as CSV"),
    (8, b"DUCK", "is a DuckDB database; write its tables with COPY t TO 't.parquet'"),
    (0, b"ORC", "is an ORC file; write it as Parquet"),
    (0, b"Obj\x01", "is an Avro file; write it as Parquet"),
    (0, b"ARROW1", "is an Arrow file; write it as Parquet"),
    (0, b"%PDF", "is a PDF; give the data as CSV"),
)
_SEPARATOR_NAMES = {
    "\t": "tabs",
    " ": "spaces",
    ",": "commas",
    ";": "semicolons",
    "|": "vertical bars",
}
# What stands for a missing number; a text is missing only where it is empty.
_MISSING = ["", "null", "NULL", "NA", "N/A", "n/a", "NaN", "nan", "None", "\\N", "-"]
_MISSING_TEXTS = ["", "null", "NULL", "\\N"]
_WORKLOAD = re.compile(r'^\s*"?version"?: *1\s*,?$|"sluice_view"', re.MULTILINE)
_ROW_LENGTH = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True, slots=True)
class ReadTable:
    """The table of a file, how it was written, and what a user should know."""

    table: pa.Table
    format: str
    notices: tuple[str, ...] = ()


def read_table(content: bytes, name: str) -> ReadTable:
    """The table of a file of this name; a PlanError says what is wrong and what to change."""
    for offset, mark, advice in _OTHER_KINDS:
        if content[offset:].startswith(mark):
            raise PlanError(advice, name)
    if content.startswith(b"PAR1"):
        read = _parquet(content, name)
    elif name.lower().endswith(".parquet"):
        raise PlanError("is not a Parquet file; write it again, or save it as CSV", name)
    else:
        check_memory(BYTES_PER_CSV_BYTE * len(content), "to be read", "shorten the file", name)
        found = decoded(content, name)
        written = f", {found.encoding}" if found.encoding else ""
        if _WORKLOAD.search(found.text[:400]):
            raise PlanError("is a workload or a view, not data; open it as a workload", name)
        if found.text.lstrip()[:1] in ("{", "["):
            read = _json(found.text, name, written)
        else:
            read = _csv(found.text, name, written)
    return _checked(read, name)


def _checked(read: ReadTable, name: str) -> ReadTable:
    """The table with names that can be written in a query, and with columns that can be used."""
    table = read.table
    if table.num_columns > MOST_COLUMNS:
        raise PlanError(f"has {table.num_columns:,} columns; at most {MOST_COLUMNS:,}", name)
    if not table.num_rows:
        raise PlanError("has no rows; it needs at least two", name)
    if table.num_rows > MAX_DATA_ROWS:
        raise PlanError(f"has {table.num_rows:,} rows; at most {MAX_DATA_ROWS:,}", name)
    notices = list(read.notices)
    usable = [i for i, field in enumerate(table.schema) if not pa.types.is_nested(field.type)]
    if len(usable) < table.num_columns:
        left = [f.name for f in table.schema if pa.types.is_nested(f.type)]
        notices.append(f"Lists are left out: {', '.join(left[:5])}.")
        table = table.select(usable)
    names = identifiers(table.column_names, "column")
    renamed = [
        f"{old.strip() or 'a column without a name'} is now {new}"
        for old, new in zip(table.column_names, names, strict=True)
        if old.strip() != new
    ]
    if renamed:
        more = f" and {len(renamed) - 4} more" if len(renamed) > 4 else ""
        notices.append(f"Renamed: {'; '.join(renamed[:4])}{more}.")
    return ReadTable(table.rename_columns(names), read.format, tuple(notices))


def _parquet(content: bytes, name: str) -> ReadTable:
    try:
        with pa_parquet.ParquetFile(io.BytesIO(content)) as parquet:
            schema = parquet.schema_arrow
            check_parquet_memory(parquet.metadata, schema.names, name)
            texts = [field.name for field in schema if is_text(field.type)]
        with pa_parquet.ParquetFile(io.BytesIO(content), read_dictionary=texts) as parquet:
            return ReadTable(parquet.read().flatten(), "Parquet")
    except (pa.ArrowException, OSError) as error:
        raise PlanError(
            f"is a damaged Parquet file ({_line(error)}); write it again", name
        ) from error


def _json(text: str, name: str, written: str) -> ReadTable:
    """JSON lines, or one list of objects."""
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
            if not rows or not all(isinstance(row, dict) for row in rows):
                raise PlanError("must be a list of objects, one for each row", name)
            return ReadTable(pa.Table.from_pylist(rows).flatten(), f"JSON{written}")
        content = text.encode()
        options = pa_json.ReadOptions(use_threads=False, block_size=len(content) + 1)
        table = pa_json.read_json(io.BytesIO(content), read_options=options)
    except RecursionError as error:
        raise PlanError("is nested too deeply; write one flat object a line", name) from error
    except (pa.ArrowException, ValueError) as error:
        raise PlanError(
            f"is no JSON that can be read ({_line(error)}); write one object a line", name
        ) from error
    return ReadTable(table.flatten(), f"JSON lines{written}")


def _csv(text: str, name: str, written: str) -> ReadTable:
    dialect = dialect_of(text)
    content = text.encode()
    try:
        table = _parsed_csv(content, dialect)
    except (pa.ArrowException, ValueError) as error:
        raise PlanError(_csv_mistake(error, text, dialect), name) from error
    notices = []
    if not dialect.header:
        table = table.rename_columns([f"column_{i + 1}" for i in range(table.num_columns)])
        notices.append("The first line holds values, so the columns are numbered.")
    separator = _SEPARATOR_NAMES.get(dialect.separator, dialect.separator)
    kind = "TSV" if dialect.separator == "\t" else f"CSV separated by {separator}"
    comma = ", decimal commas" if dialect.decimal_comma else ""
    return ReadTable(_with_missing_texts(table), f"{kind}{comma}{written}", tuple(notices))


def _parsed_csv(content: bytes, dialect: Dialect) -> pa.Table:
    # One block, so that the whole file decides a column's type; one thread lets errors name rows.
    return pa_csv.read_csv(
        io.BytesIO(content.rstrip(b"\r\n") + b"\n"),
        read_options=pa_csv.ReadOptions(
            use_threads=False,
            block_size=len(content) + 2,
            autogenerate_column_names=not dialect.header,
        ),
        parse_options=pa_csv.ParseOptions(
            delimiter=dialect.separator,
            quote_char=dialect.quote,
            double_quote=not dialect.backslash,
            escape_char="\\" if dialect.backslash else False,
            newlines_in_values=True,
        ),
        convert_options=pa_csv.ConvertOptions(
            decimal_point="," if dialect.decimal_comma else ".",
            null_values=_MISSING,
            strings_can_be_null=False,
        ),
    )


def _csv_mistake(error: Exception, text: str, dialect: Dialect) -> str:
    """What is wrong with a CSV, and what to change."""
    if found := _ROW_LENGTH.search(str(error)):
        row = f"row {found[1]} (the header is row 1)" if found[1] else "a row"
        named = _SEPARATOR_NAMES.get(dialect.separator, dialect.separator)
        return (
            f"{row} has {found[3]} fields, the header has {found[2]} (separated by {named}); "
            "give every row as many, and put texts that contain the separator in quotes"
        )
    if "\n" not in text.strip():
        return "has one line only; the first line names the columns, rows follow it"
    return f"cannot be read as CSV ({_line(error)})"


def _with_missing_texts(table: pa.Table) -> pa.Table:
    """The table with texts that stand for nothing as missing."""
    for place, field in enumerate(table.schema):
        if not is_text(field.type):
            continue
        column = table.column(place)
        absent = pc.is_in(column, value_set=pa.array(_MISSING_TEXTS, field.type))
        if pc.any(absent).as_py():
            texts = pc.if_else(absent, pa.scalar(None, field.type), column)
            table = table.set_column(place, field.name, texts)
    return table


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:160]
