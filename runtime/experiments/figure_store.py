"""Measured figures kept in the data folder, by experiment and versions; and those of the bench."""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from planner.errors import RunError
from planner.experiments.experiment import Experiment
from runtime.data.folders import PROJECT, home, writable_home
from runtime.experiments.figure import Figure
from runtime.runs.records import versions

SHIPPED = PROJECT / "bench" / "results.json"
# The benchmarks that measure figures.
SECTIONS = ("figures", "aggregation-figures", "chain-figures")


def figure_file(experiment: Experiment) -> Path:
    """Where this experiment's figure is kept: another machine or version has a file of its own."""
    text = json.dumps([experiment.digest, versions(), os.cpu_count()], sort_keys=True)
    stamp = hashlib.blake2s(text.encode(), digest_size=6).hexdigest()
    return home() / "figures" / f"{experiment.name}-{stamp}.json"


def kept(experiment: Experiment) -> Figure | None:
    """What was measured here, all of it or as far as it came."""
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
    if not SHIPPED.is_file():
        return None
    content = _unchanged(SHIPPED, SHIPPED.stat().st_mtime_ns)
    for section in SECTIONS:
        found = content.get(section, {}).get("measured", {}).get(experiment.name)
        if found is not None and found["digest"] == experiment.digest:
            return Figure.from_json(found, str(SHIPPED))
    return None


@lru_cache(maxsize=1)
def _unchanged(file: Path, written: int) -> dict[str, Any]:  # noqa: ARG001 - tells when to read
    """A long file's content, read again once it is written anew: every click asks for it."""
    return _read(file)


def _read(file: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(file.read_text())
        return content
    except (OSError, ValueError) as error:
        raise RunError(
            f"cannot be read: {error}; delete it, and measure again", str(file)
        ) from error
