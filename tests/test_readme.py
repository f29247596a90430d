"""The documents are true: figures are the benchmarks', links and samples exist, commands run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.documents import evaluation, figures, write
from bench.registry import BENCHMARKS
from bench.summary import summary
from planner.experiments.registry import experiment, experiments

PROJECT = Path(__file__).resolve().parent.parent
# ARCHITECTURE.md has no commands and no figures.
DOCUMENTS = [
    PROJECT / "README.md",
    PROJECT / "CONTRIBUTING.md",
    PROJECT / "sample_data" / "README.md",
    *sorted((PROJECT / "docs").glob("*.md")),
]


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def test_the_readme_has_the_headline_figures_of_the_benchmarks() -> None:
    assert write.figures_in(text_of("README.md")) == figures.headlines(summary())


def test_the_figures_are_those_of_the_benchmarks() -> None:
    assert write.figures_in(text_of("docs/FIGURES.md")) == figures.figures(summary())


def test_the_evaluation_is_made_from_the_measured_points() -> None:
    assert evaluation.points_digest() in write.figures_in(text_of("docs/EVALUATION.md"))


@pytest.mark.parametrize("name", ["table-8", "figure-6a", "figure-11a-pull-up"])
def test_the_measured_points_are_those_of_the_experiments(name: str) -> None:
    """It fails where the digest of a workload changes, and with it the keys of all points."""
    assert evaluation.measured_values(experiment(name))


@pytest.mark.parametrize(
    "paper",
    [
        pytest.param(paper, marks=[] if paper == "Tran & Lee 2007" else pytest.mark.slow)
        for paper in dict.fromkeys(known.paper for known in experiments())
    ],
)
def test_the_evaluation_has_the_claims_of_every_paper_as_measured(paper: str) -> None:
    assert evaluation.paper_section(paper) in write.figures_in(text_of("docs/EVALUATION.md"))


def test_the_readme_is_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 130


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_every_link_and_picture_leads_to_a_file(file: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)\)", file.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (file.parent / link).exists()]
    assert missing == []


def test_every_file_that_the_architecture_names_exists() -> None:
    """A name without a folder is a file in the folder named before it in its row."""
    rows = re.findall(r"^\| \.\.\. .*? \| (.*) \|$", text_of("docs/ARCHITECTURE.md"), re.MULTILINE)
    assert len(rows) > 80
    missing = []
    for row in rows:
        folder = PROJECT
        for name in re.findall(r"`([\w./*-]+(?:\.(?:py|js|css|yaml|json|toml|txt|sh)|/))`", row):
            pattern = name.replace("FAMILY", "*").replace("PAPER", "*").rstrip("/")
            found = next((place for at in (PROJECT, folder) for place in at.glob(pattern)), None)
            if found is None:
                missing.append(f"{name} in {row}")
            elif "/" in name:
                folder = found if found.is_dir() else found.parent
    assert missing == []


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_every_sample_that_is_named_exists(file: Path) -> None:
    samples = re.findall(r"sample_data/[\w./-]*\w", file.read_text(encoding="utf-8"))
    assert [sample for sample in samples if not (PROJECT / sample).exists()] == []


def commands(name: str) -> list[list[str]]:
    lines = re.findall(r"^\.venv/bin/python -m (.+)$", text_of(name), re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def outcome(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints; it must end without a mistake."""
    module, *arguments = words
    try:
        code = import_module(f"{module}.__main__").main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code == 0, words
    return capsys.readouterr().out


def test_every_command_knows_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is asked for its help, which lists the options that the document uses."""
    known = [words for words in commands("docs/COMMANDS.md") if words[0] in ("planner", "runtime")]
    assert len(known) > 10
    for words in known:
        helped = outcome([*words[:2], "--help"], capsys)
        used = {word for word in words if word.startswith("--")}
        assert used - set(re.findall(r"--[\w-]+", helped)) == set(), words


def test_the_planning_commands_work(capsys: pytest.CaptureFixture[str]) -> None:
    planning = [words for words in commands("docs/COMMANDS.md") if words[0] == "planner"]
    assert len(planning) == 5
    for words in planning:
        assert outcome(words, capsys).strip(), words


def test_bench_lists_its_benchmarks_without_any_package() -> None:
    """Nothing but Python's own library is there after `-S`, and nothing more is needed."""
    listing, helping = (
        subprocess.run(
            [sys.executable, "-S", "-m", "bench", *options],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for options in ([], ["--help"])
    )
    assert listing == helping
    for known in BENCHMARKS.values():
        assert re.search(rf"^  {known.name} +{re.escape(known.about)}$", listing, re.MULTILINE)


def test_a_benchmark_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    monkeypatch.delitem(sys.modules, "bench.against_duckdb", raising=False)
    assert main(["against-duckdb"]) == 1
    expected = "against-duckdb needs duckdb: install it with ./check --setup\n"
    assert capsys.readouterr().err == expected


def test_an_unknown_benchmark_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernel"]) == 2
    assert "no benchmark 'kernel'" in capsys.readouterr().err


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_every_benchmark_can_be_loaded(name: str) -> None:
    assert callable(BENCHMARKS[name].load())
