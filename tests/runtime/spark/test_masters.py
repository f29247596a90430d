"""Masters: which addresses are accepted, and what is said of one that is not there."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import RunError
from runtime.data.folders import PROJECT, work_home
from runtime.runs.masters import (
    check_master,
    is_local,
    is_on_this_machine,
    own_address,
    usual_shared,
)
from runtime.runs.records import RunRequest
from runtime.runs.run_json import run_from_json, run_to_json
from runtime.spark.cluster import ship_modules
from tests.runtime.run_records import a_request, a_run


@pytest.mark.parametrize(
    "master",
    ["local", "local[2]", "local[*]", "local[2,3]", "spark://127.0.0.1:7077", "yarn",
     "spark://a:7077,b.example:7078", "k8s://https://host:443", "local-cluster[2,1,1024]"],
)  # fmt: skip
def test_masters_of_every_kind(master: str) -> None:
    check_master(master)


@pytest.mark.parametrize(
    "master",
    ["", "spork://x", "spark://host", "spark://host:port", "local[0]", "local[x]", "local[9999]",
     "spark://a:1/../../x", "127.0.0.1:7077", "spark://a:7077\n--conf x=y"],
)  # fmt: skip
def test_what_is_no_master_is_said_before_anything_starts(master: str) -> None:
    request = a_request()
    with pytest.raises(RunError, match=r"--master: .* is no Spark master; give local\[N\], spark:"):
        RunRequest(request.workload, request.family, request.label, master=master)


def test_a_cluster_elsewhere_needs_a_shared_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked, elsewhere = a_request(), "spark://cluster.example:7077"
    with pytest.raises(RunError, match="--shared: a cluster needs a folder that all its machines"):
        RunRequest(asked.workload, asked.family, asked.label, master=elsewhere)
    RunRequest(asked.workload, asked.family, asked.label, master=elsewhere, shared=tmp_path)
    RunRequest(asked.workload, asked.family, asked.label, master="spark://localhost:7077")

    assert usual_shared(elsewhere) is None
    monkeypatch.setenv("SLUICE_SHARED", str(tmp_path))
    assert usual_shared(elsewhere) == tmp_path
    assert usual_shared("local[2]") is None
    assert work_home(tmp_path) == tmp_path


def test_local_loopback_and_elsewhere() -> None:
    assert is_local(None)
    assert is_local("local[4]")
    assert not is_local("spark://127.0.0.1:7077")
    assert is_on_this_machine("spark://127.0.0.1:7077,localhost:7078")
    assert not is_on_this_machine("spark://127.0.0.1:7077,b:7077")
    assert not is_on_this_machine("yarn")


def test_a_master_that_does_not_answer_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but it does not listen
        port = taken.getsockname()[1]
        with pytest.raises(RunError, match=f"nothing answers at spark://127.0.0.1:{port}"):
            own_address(f"spark://127.0.0.1:{port}")
        taken.listen()
        assert own_address(f"spark://127.0.0.1:{port}") == "127.0.0.1"


def test_modules_are_copied_once_and_whole(tmp_path: Path) -> None:
    place = ship_modules(tmp_path)
    assert ship_modules(tmp_path) == place
    (only,) = (tmp_path / "modules").iterdir()
    assert only == place
    for package in ("planner", "runtime"):
        ours = {file.relative_to(PROJECT) for file in (PROJECT / package).rglob("*.py")}
        assert {file.relative_to(place) for file in (place / package).rglob("*.py")} == ours


def test_a_record_keeps_the_cluster_and_one_from_before_has_none(tmp_path: Path) -> None:
    run = a_run("r")
    on_cluster = replace(run.request, master="spark://localhost:7077", shared=tmp_path)
    record = run_to_json(replace(run, request=on_cluster))
    assert run_from_json(record).request == on_cluster
    del record["request"]["shared"]
    assert run_from_json(record).request.shared is None
