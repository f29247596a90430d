"""A data folder of their own for these tests, and one Spark session for all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runtime.home import PROJECT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Compiled kernels are kept from one test run to the next: compiling them takes most of a minute.
KERNELS = PROJECT / ".sluice" / "kernels"
# Before anything imports Numba.
os.environ.setdefault("NUMBA_CACHE_DIR", str(KERNELS))


@pytest.fixture(scope="session", autouse=True)
def sluice_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder, away from the user's own runs."""
    folder = tmp_path_factory.mktemp("sluice")
    KERNELS.mkdir(parents=True, exist_ok=True)
    (folder / "kernels").symlink_to(KERNELS)
    before = os.environ.get("SLUICE_HOME")
    os.environ["SLUICE_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["SLUICE_HOME"]
    else:
        os.environ["SLUICE_HOME"] = before


@pytest.fixture(scope="session")
def spark(sluice_home: Path) -> Iterator[SparkSession]:
    """The session that runs use; starting one takes seconds."""
    from runtime.spark import session

    assert sluice_home.is_dir()
    yield session.session()
    session.stop()
