"""Measured figures: those of this machine in the data folder, and those that come with Sluice."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from planner.errors import RunError
from planner.experiments.experiment import Experiment
from runtime.data.folders import PROJECT, home, writable_home
from runtime.experiments.figure import Figure
from runtime.runs.records import versions

# The papers' points as the benchmarks measured them on their machine: figures by experiment.
PAPER_POINTS = PROJECT / "sample_data" / "paper_points.json.gz"


def figure_file(experiment: Experiment) -> Path:
    """Where this experiment's figure is kept: another machine or version has a file of its own."""
    text = json.dumps([experiment.digest, versions(), os.cpu_count()], sort_keys=True)
    stamp = hashlib.blake2s(text.encode(), digest_size=6).hexdigest()
    return home() / "figures" / f"{experiment.name}-{stamp}.json"


def kept(experiment: Experiment) -> Figure | None:
    """What was measured here: all points, or those measured before it was cancelled."""
    file = figure_file(experiment)
    if not file.is_file():
        return None
    return Figure.from_json(_read(file), str(file))


def keep(experiment: Experiment, figure: Figure) -> None:
    """Keep this figure in place of the one before; a reader finds one of them whole."""
    writable_home()
    file = figure_file(experiment)
    file.parent.mkdir(exist_ok=True)
    beside = file.with_suffix(".unfinished")
    beside.write_text(json.dumps(figure.to_json(), allow_nan=False))
    beside.replace(file)


def shipped(experiment: Experiment) -> Figure | None:
    """What the benchmarks measured on their machine, if of these very points."""
    if not PAPER_POINTS.is_file():
        return None
    found = _read_once(PAPER_POINTS).get(experiment.name)
    if found is None or found["digest"] != experiment.digest:
        return None
    return Figure.from_json(found, str(PAPER_POINTS))


@cache
def _read_once(file: Path) -> dict[str, Any]:
    """The content of a file that does not change while Sluice runs: every click asks for it."""
    return _read(file)


def _read(file: Path) -> dict[str, Any]:
    try:
        content = file.read_bytes()
        found: dict[str, Any] = json.loads(
            gzip.decompress(content) if file.suffix == ".gz" else content
        )
        return found
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RunError(
            f"cannot be read: {error}; delete it, and measure again", str(file)
        ) from error
