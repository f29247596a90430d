"""What the early-aggregation paper says in Section 7.2 about each kind of figure."""

from __future__ import annotations

from planner.evaluation.agreement import ranked_alike, shaped_alike
from planner.evaluation.experiment import Agreement, Claim
from planner.evaluation.tran_curves import STREAMS, Setting
from planner.evaluation.trends import (
    approach,
    below,
    climb,
    falls,
    level_off,
    steeper,
    straight,
)

NOT_FULL = (
    "Printed sizes are upper bounds: a window of as many tuples as its set has cells fills 1 - 1/e "
    "of them, and goes on to fill the others."
)
ONE_UPDATE = (
    "The paper's equations charge an update of a group for the length of its bucket; groups are "
    "found by one access here."
)
_SET_IS_KEPT = (
    "A set is kept beside its window: where it is hardly smaller than that, its updates are work "
    "that nothing makes up for."
)
_HARDLY_MORE = (
    "A tuple of S1 that probes a set of few entries costs next to nothing: what such plans gain "
    "from first to last is less than the spread of what was measured."
)
AGREEMENTS = (
    Agreement(
        "7.2.1",
        "Cost model and prototype rank the plans alike almost all the time.",
        ranked_alike,
        ONE_UPDATE,
    ),
    Agreement(
        "7.2.1",
        "The curves of cost model and prototype have very similar shapes.",
        shaped_alike,
        f"{NOT_FULL} {ONE_UPDATE}",
    ),
)


def plans(setting: Setting) -> tuple[str, ...]:
    """LAP and all EAPs, by their digits read from the right."""
    count = STREAMS[setting]
    digits = (f"{mask:0{count}b}"[::-1] for mask in range(1, 2**count))
    return ("LAP", *(f"EAP-{found}" for found in digits))


def _pairs(setting: Setting) -> list[tuple[str, str]]:
    """Every plan with a set on S1, and the plan with the other sets alone."""
    early = [plan for plan in plans(setting) if plan.startswith("EAP-1")]
    without = [plan.replace("EAP-1", "EAP-0") for plan in early]
    return [(a, b if "1" in b else "LAP") for a, b in zip(early, without, strict=True)]


def _names(found: list[str]) -> str:
    return f"{', '.join(found[:-1])} and {found[-1]}"


def window_claims(setting: Setting) -> tuple[Claim, ...]:
    """Varying the window of S1: a set on it stops growing."""
    early, late = (list(found) for found in zip(*_pairs(setting), strict=True))
    full = 2000 if setting == "two-way" else 200
    return (
        Claim("7.2.2", f"{_names(late)} increase linearly.", straight(late)),
        Claim(
            "7.2.2",
            f"{_names(early)} stay constant beyond {full:,} tuples.",
            level_off(early, full),
            NOT_FULL,
        ),
        Claim(
            "7.2.2",
            "EAPs are always better than LAP.",
            below(plans(setting)[1:], "LAP"),
            _SET_IS_KEPT,
        ),
    )


def group_claims(setting: Setting) -> tuple[Claim, ...]:
    """Varying the groups of S1: a set of as many entries as tuples gains nothing."""
    early = [a for a, _ in _pairs(setting)]
    return (
        Claim("7.2.2", f"With more groups {_names(early)} increase.", climb(early)),
        *(
            Claim("7.2.2", f"With more groups {a} approaches {b}.", approach(a, b), _SET_IS_KEPT)
            for a, b in _pairs(setting)
        ),
    )


def rate_claims(setting: Setting) -> tuple[Claim, ...]:
    """Varying the rate of S1: its tuples probe the other sources' windows, or their sets."""
    (first, late), (early, last) = _pairs(setting)[0], _pairs(setting)[-1]
    return (
        Claim("7.2.2", "All plans increase linearly.", straight(plans(setting)), _HARDLY_MORE),
        Claim(
            "7.2.2",
            f"{late} and {first} increase faster than {last} and {early}.",
            steeper((late, first), (last, early)),
        ),
    )


def selectivity_claims(setting: Setting, hashed: bool) -> tuple[Claim, ...]:
    """Varying how many keys there are: more matches, but smaller sets."""
    early = plans(setting)[-1]
    if hashed:
        return (Claim("7.2.2", "With a hash join all plans increase.", climb(plans(setting))),)
    return (
        Claim("7.2.2", "With nested loops LAP increases.", climb(("LAP",))),
        Claim("7.2.2", f"With nested loops {early} decreases.", falls(early), ONE_UPDATE),
    )
