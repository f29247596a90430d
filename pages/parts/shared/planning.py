"""The plans of the open workload, cached by the workload's digest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from pages.parts.shared import state
from pages.parts.shared.formatting import counted, on_pages, plain
from pages.parts.shared.state import BY_DIGEST
from planner.errors import PlanError
from planner.families import across, registry
from planner.families.across import family_or_all
from planner.families.capabilities import Changes
from planner.families.causes import causes
from planner.families.disagreement import disagreement
from planner.families.protocol import (
    MOST_CANDIDATES,
    Candidate,
    Family,
    PlanSpace,
    Ranking,
)
from planner.families.registry import applicable, covering
from planner.joins.coverage import several_refusal
from planner.plan.cost import Estimate, models_behind
from planner.plan.objective import Objective
from planner.plan.plan import Plan
from planner.seconds.calibration import calibrated_units, calibration_stamp
from planner.statistics.selectivity import Provenance, provenance
from planner.time_limit import planning_limit
from planner.workload.workload import Workload

if TYPE_CHECKING:
    from runtime.runs.records import Run

# Of more plans than can be listed, so many of the best are ranked unless all are asked for.
MOST_AT_ONCE = 1_000

T = TypeVar("T")
Stamp = tuple[tuple[str, int, int], ...]


def subject() -> tuple[Family, Workload]:
    """The family and the workload to plan, with the statistics of its data."""
    ready = with_statistics(state.workload()).only(query_name())
    covered = _covering(ready)
    asked = (known for known in covered if known.name == state.chosen_family())
    return next(asked, covered[0]), ready


def families() -> tuple[Family, ...]:
    """The families that can plan the subject; none where that cannot be said."""
    try:
        return _covering(subject()[1])
    except PlanError:
        return ()


def digests() -> tuple[str, ...]:
    """The digests that runs of the subject are found by: pages run it with the statistics of its
    data, commands as it is declared."""
    declared = state.workload().only(query_name())
    return tuple(dict.fromkeys((subject()[1].digest, declared.digest)))


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _covering(workload: Workload) -> tuple[Family, ...]:
    # Checking hundreds of queries takes long, and every page asks each time it is drawn.
    applicable(workload, "no plans for this workload")
    return covering(workload)


def query_name() -> str | None:
    """The query that is planned and run; None: all of them together.

    Where none is chosen, all are planned together if they can be, else the first one.
    """
    workload = state.workload()
    alone = len(workload.queries) == 1 or apart() is not None
    return state.chosen_query() or (workload.queries[0].name if alone else None)


def apart() -> str | None:
    """Why the queries of the workload cannot be planned together; None where they can."""
    try:
        return _apart(with_statistics(state.workload()))
    except PlanError as error:
        return on_pages(str(error))


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _apart(workload: Workload) -> str | None:
    reasons = [known.refuses(workload) for known in registry.FAMILIES]
    if None in reasons:
        return None
    alone = several_refusal(workload)
    return on_pages(next((reason for reason in reasons if reason != alone), alone) or "")


def with_statistics(workload: Workload) -> Workload:
    """The workload with the statistics of its own data, if it has any."""
    folder, sort = state.data()
    if folder is None:
        return workload
    filled, _, _ = own_statistics(workload, folder, sort)
    return filled


def origins(workload: Workload) -> tuple[Provenance, ...]:
    """Where every statistic of the workload comes from."""
    folder, sort = state.data()
    return provenance(workload) if folder is None else own_statistics(workload, folder, sort)[1]


def own_statistics(
    workload: Workload, folder: Path, sort: bool
) -> tuple[Workload, tuple[Provenance, ...], tuple[str, ...]]:
    """The workload filled in from its data, where each number is from, and warnings."""
    filled, places, warnings = _read(workload, str(folder), stamp_of(folder), sort)
    return replace(filled, name=workload.name), places, warnings


def verdict_on(workload: Workload, folder: Path) -> str:
    """Which plan wins of a workload that is not open, on the data in this folder."""
    ready, _, _ = own_statistics(workload, folder, False)
    return explained(_covering(ready)[0].name, ready)[0]


def stamp_of(folder: Path) -> Stamp:
    """What changes when a file of the folder does."""
    try:
        files = [(file.name, file.stat()) for file in sorted(folder.iterdir()) if file.is_file()]
    except OSError as error:
        raise PlanError(f"cannot be opened: {error.strerror}", str(folder)) from error
    return tuple((name, held.st_mtime_ns, held.st_size) for name, held in files)


@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs=BY_DIGEST)
def _read(
    workload: Workload,
    folder: str,
    stamp: Stamp,  # noqa: ARG001 - part of the key: files may change
    sort: bool,
) -> tuple[Workload, tuple[Provenance, ...], tuple[str, ...]]:
    from planner.files.own_data import read_folder
    from planner.statistics.inference import infer

    read = read_folder(Path(folder), workload, sort)
    return *infer(workload, read.tables), read.warnings


def space(name: str, workload: Workload) -> PlanSpace:
    """The plans of a workload, in the seconds of this machine."""
    return _space(name, workload, calibration_stamp())


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _space(
    name: str,
    workload: Workload,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> PlanSpace:
    return family_or_all(name).space(workload, calibrated_units())


def title(name: str, label: str, workload: Workload | None = None) -> str:
    """What people call a plan of this family; its workload says what is optimal, and of whom."""
    if workload is not None:
        with suppress(PlanError):
            # A workload of an old run may have no plans any more; the label has a name even so.
            return space(name, workload).title(label)
    return registry.plan_title(name, label, workload)


def time_of(name: str, workload: Workload) -> Objective:
    """The objective that says how long work takes, by this machine's unit costs."""
    return space(name, workload).objective("seconds")


def time_of_run(run: Run) -> Objective | None:
    """What says how long the work of a run takes; None where its plans cannot be priced now."""
    with suppress(PlanError):
        return time_of(run.plan.family, run.workload)
    return None


def namer(name: str, workload: Workload) -> Callable[[str], str]:
    """What people call the plans of this family, by their labels."""
    return partial(title, name, workload=workload)


def plan_title(label: str) -> str:
    """What people call a plan of the subject."""
    found, workload = subject()
    return title(across.NAME if across.is_of_all(label) else found.name, label, workload)


def title_of(run: Run) -> str:
    """What people call the plan that was run."""
    return title(run.plan.family, run.plan.label, run.workload)


def changes(name: str, workload: Workload) -> Changes | None:
    """How a run can be changed in progress; None where this family cannot."""
    return space(name, workload).capability(Changes)


def switch_targets(chosen: Family, workload: Workload) -> list[str]:
    """The plans that a run can switch to; first those that are best whatever the queries are."""
    found = changes(chosen.name, workload)
    candidates = ranking(chosen, workload).candidates
    return list(
        dict.fromkeys([*(found.strategies if found else ()), *(c.label for c in candidates)])
    )


def capable(name: str, workload: Workload, kind: type[T]) -> T:
    """The plans of a workload as those of a family that can do this."""
    found = space(name, workload).capability(kind)
    assert found is not None, f"{name} is no {kind.__name__}"
    return found


@st.cache_resource(show_spinner="Pricing the plans", max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _ranking(
    name: str,
    workload: Workload,
    top: int | None,
    by: str,
    calibrated: int,  # noqa: ARG001 - part of the key: the machine may be calibrated again
) -> Ranking:
    known = space(name, workload)
    return known.rank(known.objective(by), top)


def objective(name: str, workload: Workload) -> Objective:
    """What plans are ranked by: as chosen where they can be, else the default of the family."""
    known = space(name, workload).objectives
    return next((by for by in known if by.name == state.chosen_objective()), known[0])


def best_plans(chosen: Family, workload: Workload, most: int = MOST_AT_ONCE) -> Ranking:
    """The best plans and the baseline, which are found quickly; all where they are few."""
    by = objective(chosen.name, workload).name
    return _ranking(chosen.name, workload, most, by, calibration_stamp())


def ranking(chosen: Family, workload: Workload, everything: bool = False) -> Ranking:
    """All plans; where there are more than can be listed, the best of them and the baseline,
    unless all that can be listed are asked for."""
    stamp, by = calibration_stamp(), objective(chosen.name, workload).name
    best = best_plans(chosen, workload)
    if best.considered <= MOST_AT_ONCE or (best.considered > MOST_CANDIDATES and not everything):
        return best
    return _ranking(chosen.name, workload, None, by, stamp)


def listed_plans(ranking: Ranking) -> str:
    """Which plans a ranking lists, and of how many."""
    listed = len(ranking.candidates)
    if not ranking.truncated:
        return f"All {counted(listed, 'plan')}" if listed > 1 else "The only plan"
    if listed < ranking.considered:
        return f"The best {listed:,} of {ranking.considered:,} plans"
    return f"{listed:,} chosen plans, as there are too many to compare"


def baseline(ranking: Ranking) -> Candidate:
    """The plan that others are compared with: the pinned one, or the family's own baseline."""
    listed = {candidate.label: candidate for candidate in ranking.candidates}
    return listed.get(state.pinned() or "", listed[ranking.baseline])


def companion(ranking: Ranking) -> tuple[str, Candidate]:
    """What to run beside the best plan: the baseline, or the worst where that is the best one."""
    compared = baseline(ranking)
    if compared.label != ranking.best:
        return "baseline", compared
    worst = [candidate for candidate in ranking.candidates if "worst" in candidate.tags]
    return ("worst", worst[0]) if worst else ("next", ranking.candidates[:2][-1])


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def priced(name: str, workload: Workload, label: str) -> tuple[Plan, Estimate]:
    """The plan with this label and what it should cost."""
    known = space(name, workload)
    plan = known.plan(label)
    return plan, known.estimate(plan)


def show_models(name: str, workload: Workload, label: str) -> None:
    """Say which model the predicted comparisons of this plan come from."""
    _, estimate = priced(name, workload, label)
    if models := models_behind(estimate):
        st.caption(f"Prediction model: {plain(' / '.join(models), 400)}")


def explained(
    name: str, workload: Workload, most: int = MOST_AT_ONCE
) -> tuple[str, tuple[str, ...]]:
    """The answer in one sentence, and how it was found, step by step."""
    by = objective(name, workload).name
    return _explained(name, workload, most, by, calibration_stamp())


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
def _explained(
    name: str,
    workload: Workload,
    most: int,
    by: str,  # noqa: ARG001 - part of the key, as is the calibration: the ranking follows them
    calibrated: int,  # noqa: ARG001
) -> tuple[str, tuple[str, ...]]:
    found = space(name, workload).explanation(best_plans(family_or_all(name), workload, most))
    return on_pages(found.answer), tuple(map(on_pages, found.why))


def why(name: str, workload: Workload) -> tuple[str, tuple[str, ...]]:
    """Which plan wins by time or work instead, if another does; and why this one wins."""
    return _why(name, workload, objective(name, workload).name, calibration_stamp())


@st.cache_resource(show_spinner=False, max_entries=64, hash_funcs=BY_DIGEST)
@planning_limit()
def _why(
    name: str,
    workload: Workload,
    by: str,  # noqa: ARG001 - part of the key, as is the calibration: the ranking follows them
    calibrated: int,  # noqa: ARG001
) -> tuple[str, tuple[str, ...]]:
    known, ranked = space(name, workload), ranking(family_or_all(name), workload)
    return disagreement(known, ranked), causes(known, ranked)
