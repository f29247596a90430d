"""Why a model is wrong: each reason is named where it holds, and none where the model is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from planner.families.registry import FAMILIES, family
from planner.files.tuple_table import ColumnData, Table
from planner.files.workload_file import load_workload
from planner.plan.plan import Plan
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload
from runtime.data.run_data import generated
from runtime.diagnosis.diagnose import NOT_READ, diagnosed
from runtime.diagnosis.suspects import suspects
from runtime.runs.records import Run, RunRequest
from tests.runtime.measuring import measured_run

BOTH = "A.k = B.k"
RANDOM = np.random.default_rng(1)
Values = Callable[[str, Table], np.ndarray]


def join(condition: str = BOTH, more: str = "", arrivals: str = "poisson") -> Workload:
    """Two streams of 20 tuples/s that are joined over 20 s."""
    attributes = "{k: {distinct: 100}, v: {distinct: 10}}"
    stream = f"rate: 20, arrivals: {arrivals}, attributes: {attributes}"
    return load_workload(
        "version: 1\n"
        f"streams: [{{name: A, {stream}}}, {{name: B, {stream}}}]\n"
        "queries:\n- name: Q\n"
        f"  text: SELECT * FROM A [RANGE 20], B [RANGE 20] WHERE {condition}\n"
        f"run: {{seed: 1, duration: 100}}\n{more}"
    )


def reasons(workload: Workload, **columns: Values) -> str:
    """What is said of a run on the user's own tuples, in which these columns have other values."""
    tables = generated(workload)
    for name, table in tables.items():
        changed = {column: ColumnData(values(name, table)) for column, values in columns.items()}
        tables[name] = replace(table, columns={**table.columns, **changed})
    run = measured_run(workload, tables=tables)
    run = replace(run, request=replace(run.request, data=Path("own")))
    return " ".join(found.sentence for found in diagnosed(run, tables))


def skewed(_: str, table: Table) -> np.ndarray:
    """Few values make up most of the tuples."""
    return np.minimum(RANDOM.zipf(1.5, len(table)), 100)


def shifted(name: str, table: Table) -> np.ndarray:
    """Half the values of A do not occur in B."""
    return table.columns["k"].values + (50 if name == "A" else 0)  # type: ignore[operator]


def drifting(_: str, table: Table) -> np.ndarray:
    """Other values at every time."""
    return (table.ts // 20_000_000 * 10 + RANDOM.integers(0, 10, len(table))) % 100 + 1


def dependent(_: str, table: Table) -> np.ndarray:
    """The last digit of the other attribute."""
    return table.columns["k"].values % 10 + 1  # type: ignore[operator]


def test_a_model_that_is_right_is_not_blamed() -> None:
    assert reasons(join()) == ""


@pytest.mark.parametrize("method", ["", "execution: {join: hash}"])
def test_skewed_keys_are_told(method: str) -> None:
    told = reasons(join(more=method), k=skewed)
    assert re.search(
        r"the values are skewed, .*; so \d+% of all pairs pass A.k = B.k, where 1% is assumed", told
    )
    assert ("A probes B made" in told) == bool(method), "a scan compares all, whatever the keys"


def test_values_that_the_other_side_lacks_are_told() -> None:
    assert (
        "52% of all A.k match no other source; so 0.49% of all pairs pass A.k = B.k, where 1% is "
        "assumed" in reasons(join(), k=shifted)
    )


def test_keys_that_come_together_in_time_are_told() -> None:
    for method in ("", "execution: {join: hash}"):
        told = reasons(join(more=method), k=drifting)
        assert "equal keys come near each other in time" in told
        assert ("A probes B made" in told) == bool(method)


def test_keys_that_depend_on_a_filter_are_told() -> None:
    """Tuples of A that pass have few keys, all others many."""

    def keyed(name: str, table: Table) -> np.ndarray:
        few = RANDOM.integers(1, 11, len(table))
        return np.where((name == "A") & (table.columns["v"].values > 5), few, 11 + few)

    told = reasons(join(f"{BOTH} AND A.v > 5"), k=keyed)
    assert "0% of the pairs that meet pass A.k = B.k" in told
    assert "equal keys depend on the filters" in told


def test_attributes_that_depend_on_each_other_are_told() -> None:
    told = reasons(join(f"{BOTH} AND A.v = B.v"), v=dependent)
    assert "equalities are taken as independent of each other, so that 1% of the pairs" in told


def test_a_wrong_range_of_one_attribute_is_told() -> None:
    """Conditions on one attribute are one range, not independent."""
    told = reasons(
        join(f"{BOTH} AND A.v > 2 AND A.v < 6"), v=lambda _, table: np.full(len(table), 4)
    )
    assert "100% of all tuples pass A.v < 6, where 50% is assumed" in told


def test_a_relation_with_other_rows_is_told() -> None:
    stream = "name: A, rate: 20, attributes: {k: {distinct: 100}}"
    made = load_workload(
        f"version: 1\nstreams: [{{{stream}}}]\n"
        "relations: [{name: R, rows: 500, attributes: {k: {distinct: 100}}}]\n"
        "queries: [{name: Q, text: 'SELECT * FROM A [RANGE 20], R WHERE A.k = R.k'}]\n"
        "run: {seed: 1, duration: 100}\n"
    )
    fewer = replace(made, relations=(replace(made.relations[0], rows=50),))
    run = estimated_run(family("join_order").space(made).best(), fewer, made)
    (found,) = diagnosed(run, generated(made))
    assert found.reason == "R has 500 rows, where 50 are assumed"


def test_a_wrong_declared_selectivity_is_told() -> None:
    declared = f"statistics: {{predicates: {{'{BOTH}': {{selectivity: 0.1}}}}}}"
    assert "1% of all pairs pass A.k = B.k, where 10% is declared" in reasons(join(more=declared))


def test_a_filter_that_passes_another_share_is_told() -> None:
    told = reasons(join(f"{BOTH} AND A.v > 5"), v=lambda _, table: np.full(len(table), 9))
    assert "100% of all tuples pass A.v > 5, where 50% is assumed" in told


def generated_run(workload: Workload, warmup: float, duration: float) -> Run:
    """A run of the workload that covers other times."""
    return measured_run(
        replace(workload, run=replace(workload.run, warmup=warmup, duration=duration))
    )


def test_windows_that_were_not_full_are_told_once() -> None:
    (found,) = diagnosed(generated_run(join(), 2.0, 5.0))
    assert len(found.suspects) > 2
    assert found.reason.startswith("counting began after 2 s, when windows of up to 20 s were not")


def test_chance_and_bursts_are_told_of_short_runs_where_errors_are_large() -> None:
    assert diagnosed(generated_run(join(), 20.0, 2.0)) == []
    by_chance = [found.reason for found in diagnosed(generated_run(join(), 20.0, 0.2))]
    assert any("more or less are chance; run longer" in told for told in by_chance)
    bursts = diagnosed(generated_run(join(arrivals="{pareto: {burst: 3}}"), 20.0, 20.0))
    assert any("A arrives in bursts of 3 on the mean" in found.reason for found in bursts)


def test_rates_that_change_as_declared_are_not_called_wrong() -> None:
    drifting = join(arrivals="{drift: {to: 90, over: 60}}")
    told = " ".join(found.sentence for found in diagnosed(generated_run(drifting, 20.0, 40.0)))
    assert "its rate changes as declared, and plans are priced at one rate" in told
    assert "more than chance" not in told


def test_rates_that_are_declared_wrong_are_told_of_own_data() -> None:
    slower = partial(replace, rate=10.0)
    workload = join()
    declared = replace(workload, streams=tuple(slower(stream) for stream in workload.streams))
    run = measured_run(declared, tables=generated(workload))
    own = replace(run, request=replace(run.request, data=Path("own")))
    told = " ".join(found.sentence for found in diagnosed(own))
    assert "tuples/s, where 10 were planned, as declared: leave the rate out" in told


def test_without_the_tuples_no_reason_is_made_up() -> None:
    tables = dict(_with(generated(join()), k=skewed))
    (found,) = diagnosed(measured_run(join(), tables=tables))
    assert found.reason.endswith(NOT_READ)


def _with(tables: dict[str, Table], **columns: Values) -> Iterator[tuple[str, Table]]:
    for name, table in tables.items():
        changed = {column: ColumnData(values(name, table)) for column, values in columns.items()}
        yield name, replace(table, columns={**table.columns, **changed})


def test_streams_that_no_query_uses_need_no_tuples() -> None:
    used = join()
    made = replace(used, streams=(*used.streams, replace(used.streams[0], name="C")))
    assert "the values are skewed" in reasons(made, k=skewed)
    tables = dict(_with(generated(used), k=skewed))
    run = measured_run(made, tables=tables)
    own = replace(run, request=replace(run.request, data=Path("own")))
    (found,) = diagnosed(own, tables)
    assert "the values are skewed" in found.reason


def test_a_run_of_which_nothing_was_measured_has_no_diagnosis() -> None:
    assert diagnosed(replace(measured_run(join()), measurement=None)) == []


SAMPLES = ("sensor-join", "temperature-humidity", "auctions", "shop-alerts", "lazy-join")


@pytest.mark.parametrize("name", SAMPLES)
def test_statistics_that_were_planned_wrong_are_named_whatever_the_family(name: str) -> None:
    """What is measured is what the family estimates with the right statistics."""
    whole = load_workload(Path(f"sample_data/{name}.yaml").read_text())
    for known in FAMILIES:
        one = whole.only(whole.queries[0].name)
        real = next((w for w in (whole, one) if known.refuses(w) is None), None)
        if real is None:
            continue
        plan, first = known.space(real).best(), real.streams[0]
        assert first.rate is not None
        wrong = {
            f"{first.name} brought": replace(first, rate=3 * first.rate),
            ", where in bursts of about 40 is assumed": replace(
                first, arrivals=Arrivals("pareto", 40.0)
            ),
        }
        for reason, stream in wrong.items():
            planned = replace(real, streams=(stream, *real.streams[1:]))
            run = estimated_run(plan, planned, real)
            found = diagnosed(run, generated(real))
            assert found
            assert bool(found[0].suspects) == bool(suspects(run))
            assert all(reason in one.reason for one in found)
        assert diagnosed(estimated_run(plan, real, real), generated(real)) == []


def estimated_run(plan: Plan, planned: Workload, real: Workload) -> Run:
    """A run on own data that was planned with one workload, and counts what the other makes."""
    known, run = family(plan.family), measured_run(join())
    assert run.measurement is not None
    return replace(
        run,
        request=RunRequest(planned, plan.family, plan.label, data=Path("own")),
        workload=planned,
        plan=plan,
        estimate=known.space(planned).estimate(plan),
        measurement=replace(run.measurement, costs=known.space(real).estimate(plan).costs),
    )
