"""Re-planning in words: the answer sentence, the JSON document, the text for people, and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from planner.numbers import amount, percent_more, shortened, times
from planner.report.plans_report import Document
from planner.report.plans_text import aligned, safe_cell
from planner.whatif.replanning import Replanning, ReplanningPolicy
from planner.workload.workload import Workload

MOST_ROWS = 40
MOST_TIMES_NAMED = 3
# Savings from here on are given as a factor, smaller ones in percent.
_FACTOR = 1.1


def unit_of(found: Replanning) -> str:
    """What plans cost over the whole trace: comparisons, not comparisons per second."""
    return found.by.unit.removesuffix("/s").removesuffix(" per s")


def threshold_text(threshold: float) -> str:
    """A threshold as people say it.

    >>> threshold_text(0.05), threshold_text(9)
    ('5%', '900%')
    """
    return f"{100 * threshold:.6g}%"


def answer(found: Replanning) -> str:
    """When to switch, what that saves, and how the threshold rule does."""
    stay, oracle, rule = found.stay, found.oracle, found.rule
    first = shortened(stay.plans[0])
    if not oracle.changed_at:
        return (
            f"{first} is the best plan throughout: however the rates change here, "
            f"no other plan is {'cheaper' if found.by.is_lowest else 'better'}."
        )
    saving = _saving(*found.by.sides(stay.total, oracle.total))
    return (
        f"Switching {_when(oracle.changed_at)} {'saves' if found.by.is_lowest else 'gains'} "
        f"{saving} against staying with {first}; a threshold of {threshold_text(found.threshold)} "
        f"{_often(len(rule.planned_at))} and {_close(found, rule)} always switching."
    )


def _when(changed_at: Sequence[float]) -> str:
    named = [f"{amount(begin)} s" for begin in changed_at]
    if len(named) > MOST_TIMES_NAMED:
        return f"{len(named)} times (first at {named[0]})"
    return f"at {' and '.join(filter(None, [', '.join(named[:-1]), named[-1]]))}"


def _often(count: int) -> str:
    if not count:
        return "never re-plans"
    return f"re-plans {({1: 'once', 2: 'twice'}).get(count, f'{count} times')}"


def _saving(larger: float, smaller: float) -> str:
    if smaller <= 0:
        return "all the work"
    if larger >= _FACTOR * smaller:
        return times(larger, smaller)
    percent = 100 * (1 - smaller / larger)
    return f"{percent:.2g}%" if percent >= 0.01 else "under 0.01%"


def _close(found: Replanning, policy: ReplanningPolicy) -> str:
    more, least = against(found, policy), found.oracle.total
    if not found.by.is_lowest:
        return "gives as much as" if more == "the same" else f"gives {more} than"
    if more == "the same":
        return "costs as little as"
    if least <= 0:
        return "costs more than"
    return f"costs {more} than" if more.endswith("more") else f"costs {more} as much as"


def against(found: Replanning, policy: ReplanningPolicy) -> str:
    """What a policy costs beside the best of all: `the same`, `2% more`, `1.8x`."""
    total, least = policy.total, found.oracle.total
    if found.by.within(total, least, 1 + 1e-9):
        return "the same"
    if not found.by.is_lowest:
        return found.by.behind(total, least)
    return times(total, least) if total >= 2 * least else f"{percent_more(total, least)} more"


def switching_cost(found: Replanning) -> str:
    """What the switches of always running the best plan take, and whether that pays."""
    switches = found.oracle.switches
    if not switches:
        return ""
    count = f"{len(switches):,} switches" if len(switches) > 1 else "The switch"
    takes = "take" if len(switches) > 1 else "takes"
    if not found.oracle.switching:
        return f"{count} {takes} no work, as what is stored serves every plan: switching pays."
    said = f"{count} {takes} {amount(found.oracle.switching)} operations to move what is stored"
    restarts = sum(switch.restarts for switch in switches)
    if restarts:
        said += f" ({restarts:,} of them cannot be done while a run goes on: windows start empty)"
    if found.pays is None:
        return f"{said}, which the figures above do not count."
    saved = f"{amount(found.saved)} {unit_of(found)} saved"
    return f"{said}, against {saved}: switching {'pays' if found.pays else 'does not pay'}."


def notes(found: Replanning) -> tuple[str, ...]:
    """What the figures do not cover."""
    said = []
    unsettled = found.settled.count(False)
    if unsettled:
        said.append(
            f"{unsettled} of {len(found.settled)} intervals are shorter than the longest window: "
            "costs are those of the steady state, and what windows hold follows a change of rates "
            "by up to a window's length."
        )
    if not found.exact:
        said.append(
            f"The best single plan is the best of the {found.compared} plans that are best in "
            "some interval; others were not compared."
        )
    return tuple(said)


def policies(found: Replanning) -> tuple[tuple[str, str, ReplanningPolicy], ...]:
    """The policies with their keys and names, the cheapest kind last."""
    return (
        ("stay", "stay with the first plan", found.stay),
        ("hindsight", "best single plan in hindsight", found.hindsight),
        ("rule", f"re-plan beyond {threshold_text(found.threshold)}", found.rule),
        ("oracle", "always the best plan", found.oracle),
    )


def replan_document(workload: Workload, family: str, found: Replanning) -> Document:
    """`replan`: the trace by intervals, every policy, and the thresholds."""
    named = {key: policy for key, _, policy in policies(found)}
    trace = found.trace
    return {
        "workload": {"name": workload.name, "digest": workload.digest},
        "family": family,
        "unit": unit_of(found),
        "threshold": found.threshold,
        "answer": answer(found),
        "switching": switching_cost(found),
        "notes": list(notes(found)),
        "intervals": [
            {
                "from": begin,
                "to": end,
                "rates": dict(zip(trace.streams, trace.rates[place], strict=True)),
                "best": found.oracle.plans[place],
                "settled": found.settled[place],
                "cost": {key: policy.costs[place] for key, policy in named.items()},
                "plan": {key: policy.plans[place] for key, policy in named.items()},
            }
            for place, (begin, end) in enumerate(trace.spans)
        ],
        "policies": {key: _policy(policy, found.oracle) for key, policy in named.items()},
        "compared": {"plans": found.compared, "all": found.exact},
        "thresholds": [
            {"threshold": level, **_policy(policy, found.oracle)} for level, policy in found.sweep
        ],
        "advised": found.advised,
    }


def _policy(policy: ReplanningPolicy, oracle: ReplanningPolicy) -> Document:
    return {
        "total": policy.total,
        "regret": policy.total - oracle.total,
        "ratio": policy.total / oracle.total if oracle.total else None,
        "replannings": len(policy.planned_at),
        "replanned_at": list(policy.planned_at),
        "changes": len(policy.changed_at),
        "changed_at": list(policy.changed_at),
        "switching_operations": policy.switching,
    }


def replan_text(workload: Workload, found: Replanning) -> str:
    """The answer, then intervals, policies and thresholds as tables."""
    unit = unit_of(found)
    rows = list(_interval_rows(found, unit))
    said = filter(None, (answer(found), switching_cost(found)))
    lines = [workload.name, "", *said, "", *aligned(rows[: MOST_ROWS + 1])]
    if len(rows) > MOST_ROWS + 1:
        lines.append(f"{len(rows) - 1 - MOST_ROWS:,} more intervals; --csv lists all.")

    def row(policy: ReplanningPolicy) -> tuple[str, ...]:
        counts = str(len(policy.planned_at)), str(len(policy.changed_at))
        return *counts, amount(policy.switching), amount(policy.total), against(found, policy)

    heads = ("re-plannings", "changes", "to switch", unit, "against always the best")
    lines += ["", *aligned([("policy", *heads), *((n, *row(p)) for _, n, p in policies(found))])]
    levels = ((threshold_text(level), *row(policy)) for level, policy in found.sweep)
    lines += ["", *aligned([("threshold", *heads), *levels])]
    lines += [f"{threshold_text(found.advised)} re-plans least of those within 1% of the best."]
    return "\n".join([*lines, *([""] if notes(found) else []), *notes(found)])


def _interval_rows(found: Replanning, unit: str) -> Iterator[Sequence[str]]:
    rates = [f"{stream}/s" for stream in found.trace.streams]
    yield "from", "to", *rates, f"{unit}/s: stay", "re-plan", "best", "best plan"
    for place, (begin, end) in enumerate(found.trace.spans):
        costs = (policy.costs[place] for policy in (found.stay, found.rule, found.oracle))
        figures = (begin, end, *found.trace.rates[place], *costs)
        yield *map(amount, figures), found.oracle.plans[place]


def replan_csv(found: Replanning) -> str:
    """One row an interval: its rates, and the plan and cost of every policy."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    named = policies(found)
    columns = [column for key, _, _ in named for column in (f"{key}_plan", f"{key}_cost")]
    writer.writerow(["from", "to", *map(safe_cell, found.trace.streams), *columns])
    for place, (begin, end) in enumerate(found.trace.spans):
        cells = [c for _, _, p in named for c in (safe_cell(p.plans[place]), p.costs[place])]
        writer.writerow([begin, end, *found.trace.rates[place], *cells])
    return out.getvalue()
