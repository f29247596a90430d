"""A damaged micro-batch never changes an answer: it is found when it is read, and made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from planner.workload.execution import RunSettings
from runtime.backends.kernels.prepare import prepare
from runtime.control.execute import run
from runtime.data import microbatches
from runtime.data.batch_seal import EVERY_PARTITION, opened, sealed
from runtime.data.microbatches import MicroBatches
from runtime.runs.records import Progress, RunRequest, Way
from tests.damage import DAMAGES
from tests.planner.workloads import equality_join

BATCHES = 4
WORKLOAD = replace(
    equality_join([(10, 10, 20), (10, 20, 20)]), run=RunSettings(seed=5, warmup=10, duration=40)
)
DAMAGED = {**DAMAGES, "gone": Path.unlink}
each_damage = pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)


def _request(way: Way = "replay") -> RunRequest:
    return RunRequest(WORKLOAD, "join_order", "best", way=way, batch_rows=250, partitions=2)


def _prepared() -> MicroBatches:
    return prepare(_request(), 2).batches


@each_damage
@pytest.mark.parametrize("name", ["batch-000001.parquet", "_join.json", microbatches.NOTE])
def test_a_damaged_file_is_found_and_made_again(
    name: str, damage: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    made = _prepared()
    file = Path(made.folder) / name
    whole = file.read_bytes()
    damage(file)
    if name != microbatches.NOTE:
        assert microbatches.are_damaged(made)
    again = _prepared()
    if file.stat().st_size != len(whole) or name.startswith("_"):
        assert file.read_bytes() == whole
    assert again == made


def test_a_seal_is_of_one_batch_and_partition() -> None:
    packed = bytes(range(200))
    assert opened(sealed(packed, 3, 1), 3, 1) == packed
    assert opened(sealed(packed, 3, EVERY_PARTITION), 3, 7) == packed
    for given, number, partition in [
        (sealed(packed, 3, 1), 4, 1),
        (sealed(packed, 3, 1), 3, 0),
        (sealed(packed, 3, 1)[1:], 3, 1),
        (sealed(packed, 3, 1)[:-1], 3, 1),
        (b"", 3, 1),
        (packed, 3, 1),
    ]:
        with pytest.raises(RunError, match=f"batch {number}: is damaged"):
            opened(given, number, partition)


def test_what_a_killed_process_left_unfinished_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    left = tmp_path / "micro-batches" / "unfinished-abc"
    left.mkdir(parents=True)
    (left / "batch-000000.parquet").write_bytes(b"PAR1")
    made = _prepared()
    assert sorted((tmp_path / "micro-batches").iterdir()) == [Path(made.folder)]


def _measured(way: Way, damage: Callable[[Path], None] | None) -> tuple[object, ...]:
    """What a run counts whose micro-batches are damaged when Spark is about to read them."""
    batches = _prepared()
    assert batches.batches >= BATCHES

    def on_progress(progress: Progress) -> None:
        if progress.phase == "Running" and not progress.batches_done and damage is not None:
            damage(Path(batches.folder) / "batch-000002.parquet")

    ended = run(_request(way), on_progress)
    assert ended.status == "finished"
    assert ended.measurement is not None
    return ended.measurement.answers, ended.measurement.results, ended.measurement.costs


@pytest.fixture(scope="module")
def sound() -> tuple[object, ...]:
    """What a run counts whose micro-batches stay as they are."""
    return _measured("replay", None)


# One that is found by its length, and one that only its digest gives away.
@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("way", "damage"),
    [
        ("stream", "flipped"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("stream", "emptied"), ("replay", "flipped"), ("replay", "emptied"))
        ),
    ],
)
def test_damage_while_a_run_goes_on_changes_nothing(
    way: Way, damage: str, sound: tuple[object, ...]
) -> None:
    assert _measured(way, DAMAGED[damage]) == sound
    assert not microbatches.are_damaged(_prepared())
