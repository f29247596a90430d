"""Data files from the user's browser, to plan and run with."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.checks import listed
from planner.errors import PlanError, RunError
from planner.workload import Workload
from runtime.home import home

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


def keep_data(files: Sequence[UploadedFile], workload: Workload) -> Path:
    """Store uploaded data in a folder of ours; every file must belong to a stream or relation.

    A name is accepted only if it is that of a stream, so no name can lead out of the folder.
    """
    known = [stream.name for stream in workload.streams]
    known += [relation.name for relation in workload.relations]
    for file in files:
        stem = Path(file.name).stem
        if stem not in known or Path(stem).name != stem:
            raise PlanError(
                f"belongs to no stream; name each file after one: {listed(known)}", file.name
            )
    folder = home() / "uploads" / uuid.uuid4().hex[:12]
    try:
        folder.mkdir(parents=True)
        for file in files:
            name = Path(file.name)
            (folder / f"{name.stem}{name.suffix.lower()}").write_bytes(file.getvalue())
    except OSError as error:
        raise RunError(f"cannot be stored: {error.strerror}", "upload") from error
    return folder
