"""`bench/summary.json`: what documents quote. The full records are in the data folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from runtime.data.folders import writable_home
from runtime.runs.records import versions

SUMMARY = Path(__file__).with_name("summary.json")
# Long parts of records that no document quotes.
DETAILS = frozenset(
    {
        "calibration",
        "median ms by page",
        "processor seconds of all rounds",
        "q-error by cases",
        "samples",
        "seconds of all rounds",
        "totals of all rounds",
        "worst cases",
    }
)

Record = dict[str, Any]


def summary() -> Record:
    """The quoted figures of every benchmark that has run, by its name."""
    found: Record = json.loads(SUMMARY.read_text()) if SUMMARY.is_file() else {}
    return found


def machine() -> Record:
    """What ran a benchmark."""
    return {"cores": os.cpu_count(), **versions(), "load": round(os.getloadavg()[0], 1)}


def keep(name: str, record: Record) -> Path:
    """Put the quoted part into the summary, and all of it into the data folder: that file."""
    write_summary({**summary(), name: brief(record)})
    file = writable_home() / "bench" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(record, indent=2) + "\n")
    return file


def write_summary(content: Record) -> None:
    """The summary, a line for each entry of a record."""
    records = []
    for name, record in content.items():
        entries = [f"  {json.dumps(key)}: {_line(value)}" for key, value in record.items()]
        records.append(f" {json.dumps(name)}: {{\n" + ",\n".join(entries) + "\n }")
    SUMMARY.write_text("{\n" + ",\n".join(records) + "\n}\n")


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def brief(value: Any) -> Any:
    """The same without details; numbers to six digits."""
    if isinstance(value, dict):
        return {key: brief(part) for key, part in value.items() if key not in DETAILS}
    if isinstance(value, list):
        return [brief(part) for part in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
