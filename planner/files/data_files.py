"""One file of the user's own data, CSV or Parquet, read into an Arrow table."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from planner.errors import PlanError
from planner.files.free_memory import check_memory
from planner.files.text_codes import is_text
from planner.workload.validation import listed, suggestion

# One CSV is parsed as one block, so that the whole file decides a column's type.
MAX_CSV_BYTES = 1_000_000_000
MAX_DATA_ROWS = 100_000_000
# Finding the types of more columns takes minutes.
MOST_COLUMNS = 10_000
# What a value takes while it is read, besides its text: as Arrow has it, and as an array.
BYTES_PER_VALUE = 32
# The file, its columns as Arrow has them, and those as arrays.
BYTES_PER_CSV_BYTE = 4
SUFFIXES = (".csv", ".parquet")
# When a row of a relation is active: for ever, where these are missing.
OPTIONAL = ("begin", "end")


def find_file(folder: Path, name: str) -> Path:
    """The file named after this stream or relation.

    The name is compared with what the folder holds and never becomes part of a path, so no name
    can lead out of the folder.
    """
    try:
        held = sorted(folder.iterdir())
    except (NotADirectoryError, FileNotFoundError):
        raise PlanError(
            "is not a folder; give the folder with the data files", str(folder)
        ) from None
    except OSError as error:
        raise PlanError(f"cannot be opened: {error.strerror}", str(folder)) from None
    files = [f for f in held if f.suffix.lower() in SUFFIXES and f.is_file()]
    named = [file for file in files if file.name[: -len(file.suffix)] == name]
    if not named:
        found = listed(file.name for file in files)
        raise PlanError(f"no file {name}.csv or {name}.parquet; found {found}", str(folder))
    if len(named) > 1:
        raise PlanError(f"both {named[0].name} and {named[1].name}; keep one", str(folder))
    if not named[0].resolve().is_relative_to(folder.resolve()):
        # Nothing of what lies elsewhere is to be seen, in an error neither.
        raise PlanError("is a link to another folder; copy the file itself here", named[0].name)
    return named[0]


def read_file(file: Path, wanted: Collection[str], texts: Collection[str]) -> pa.Table:
    """The wanted columns of the file, those in `texts` as text; a missing one is an error."""
    try:
        if file.suffix.lower() == ".parquet":
            return _parquet(file, wanted)
        table = _csv(file, texts)
    except (pa.ArrowInvalid, OSError) as error:
        raise PlanError(f"cannot be read: {_told(error)}", file.name) from error
    return table.select(_present(wanted, table.column_names, table.num_rows, file))


def _parquet(file: Path, wanted: Collection[str]) -> pa.Table:
    with pa_parquet.ParquetFile(file) as parquet:
        schema, rows = parquet.schema_arrow, parquet.metadata.num_rows
        chosen = _present(wanted, schema.names, rows, file)
        check_parquet_memory(parquet.metadata, chosen, file.name)
        texts = [name for name in chosen if is_text(schema.field(name).type)]
    # A text that a file holds once by number is held once here, too.
    with pa_parquet.ParquetFile(file, read_dictionary=texts) as parquet:
        return parquet.read(chosen)


def check_parquet_memory(metadata: pa_parquet.FileMetaData, chosen: list[str], place: str) -> None:
    """Refuse what would take more than the free memory, before any of it is read."""
    needed = metadata.num_rows * len(chosen) * BYTES_PER_VALUE
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for part in map(group.column, range(group.num_columns)):
            if part.path_in_schema.partition(".")[0] not in chosen:
                continue
            needed += part.total_uncompressed_size
            if "DELTA_BYTE_ARRAY" in part.encodings:
                # A text is a part of the one before it and more: none is longer than all parts.
                needed += group.num_rows * part.total_uncompressed_size
    check_memory(
        needed, "to be read", "shorten the file, or write it with dictionary encoding", place
    )


def _csv(file: Path, texts: Collection[str]) -> pa.Table:
    size = file.stat().st_size
    if size > MAX_CSV_BYTES:
        raise PlanError(
            f"has {size:,} bytes; at most {MAX_CSV_BYTES:,}. Write it as Parquet", file.name
        )
    check_memory(BYTES_PER_CSV_BYTE * size, "to be read", "shorten the file", file.name)
    content = file.read_bytes()
    check_text(content, file.name)
    # A header alone needs the end of its line, and one thread lets errors name the row.
    return pa_csv.read_csv(
        io.BytesIO(content + b"\n"),
        read_options=pa_csv.ReadOptions(use_threads=False, block_size=size + 2),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(texts, pa.string()),
            null_values=["", "null", "NULL"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def check_text(content: bytes, name: str) -> None:
    """Raise a PlanError where the content of a file of this name is no CSV text."""
    if content.startswith(b"PAR1"):
        raise PlanError("is a Parquet file; name it .parquet", name)
    if (nul := content.find(b"\0")) >= 0:
        line = content.count(b"\n", 0, nul) + 1
        raise PlanError(
            f"contains a NUL byte in line {line}, so it is not CSV; save it as UTF-8", name
        )
    if not content.removeprefix(b"\xef\xbb\xbf").strip():
        raise PlanError("is empty; its first line must name the columns", name)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlanError(f"line {line} is not UTF-8; save the file as UTF-8", name) from error


def _present(wanted: Collection[str], names: list[str], rows: int, file: Path) -> list[str]:
    """The columns to read, after the checks of a file's header and length."""
    if len(names) > MOST_COLUMNS:
        raise PlanError(f"has {len(names):,} columns; at most {MOST_COLUMNS:,}", file.name)
    for name, count in Counter(names).items():
        if count > 1:
            raise PlanError(f"has two columns named {name!r}; rename one", file.name)
    if rows > MAX_DATA_ROWS:
        raise PlanError(f"has {rows:,} rows; at most {MAX_DATA_ROWS:,}. Shorten it", file.name)
    for name in wanted:
        if name not in names and name not in OPTIONAL:
            raise PlanError(f"has no column {name!r}{suggestion(name, names)}", file.name)
    return [name for name in names if name in wanted]


def _told(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0][:200]
    # Arrow's message for a ragged row: it names the row, we add what to do.
    return f"{line}; give every row the fields of the header" if "Expected" in line else line
