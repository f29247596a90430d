"""A plan to take away: a PySpark program with a README, as files or as one zip."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from string import Template

from planner.errors import RunError
from planner.plan.plan import Plan
from planner.plan.plan_text import printable
from planner.workload.query import Query
from planner.workload.workload import Workload
from runtime.backends.native.description import NativePlan
from runtime.backends.native.kinds import describe, refusal
from runtime.backends.native.program import program_text

PROGRAM, README = "program.py", "README.md"
_README_TEXT = Path(__file__).with_name("exported_readme.md")
# Zips of one plan are equal, whenever they are made.
_WHEN = (2000, 1, 1, 0, 0, 0)


def exported(plan: Plan, workload: Workload) -> dict[str, str]:
    """The files, by name; a RunError where Spark's own operators cannot express the plan."""
    if reason := not_exported(plan, workload):
        raise RunError(reason, "export")
    described = describe(plan, workload)
    return {
        PROGRAM: program_text(described, plan, workload),
        README: readme_text(described, plan, workload),
    }


def not_exported(plan: Plan, workload: Workload) -> str | None:
    """Why there is no program of this plan; None where there is one."""
    if reason := refusal(plan, workload, "export"):
        return reason
    names = (source.name for query in workload.queries for source in query.sources)
    if odd := next((name for name in names if Path(name).name != name), None):
        return f"{odd} cannot name a file; rename it"
    return None


def write_export(plan: Plan, workload: Workload, folder: Path) -> list[Path]:
    """Write the files into a folder."""
    files = exported(plan, workload)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot be written: {error.strerror or error}", str(folder)) from error
    return [folder / name for name in files]


def zipped(plan: Plan, workload: Workload) -> bytes:
    """The files as one zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in exported(plan, workload).items():
            archive.writestr(zipfile.ZipInfo(name, _WHEN), text)
    return packed.getvalue()


def readme_text(native: NativePlan, plan: Plan, workload: Workload) -> str:
    """What the program does, what it reads and what it prints."""
    return Template(_README_TEXT.read_text(encoding="utf-8")).substitute(
        plan=_block(workload.name, f"{plan.family} {plan.label}"),
        queries=_block(*(_query(workload.query(name)) for name in native.queries)),
        tables=_block(*(_table(native, table) for table in native.tables)),
        notes="".join(f"\n{note}.\n" for note in native.notes),
    )


def _block(*lines: str) -> str:
    """Lines that Markdown shows as they are, whatever is in them."""
    return "\n".join(f"    {printable(line)}" for line in lines)


def _query(query: Query) -> str:
    return f"{query.name}: {' '.join(query.text.split())}" if query.text else query.name


def _table(native: NativePlan, table: str) -> str:
    is_stream = any(i.table == table and i.is_stream for join in native.joins for i in join.inputs)
    times = ["ts"] if is_stream else []
    return f"{table}.parquet: {', '.join([*times, *native.attributes(table)])}"
