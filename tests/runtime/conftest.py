"""A data folder of their own for these tests, and one Spark session for all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session", autouse=True)
def sluice_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder, away from the user's own runs. Compiled kernels stay where they are."""
    folder = tmp_path_factory.mktemp("sluice")
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
    started = session.session()
    yield started
    started.stop()
