"""Where the plan with the least work is not the fastest: which wins instead, and why."""

from __future__ import annotations

from planner.families.protocol import PlanSpace, Ranking
from planner.numbers import duration, quoted
from planner.plan.plan import Plan
from planner.seconds.spending import Spending, spending

# A plan that is so little faster is none that wins by time.
_LEAST_GAIN = 1.02


def disagreement(space: PlanSpace, ranking: Ranking) -> str:
    """One sentence where work and time disagree on the winner, with the unit costs that cause it.

    Empty where they agree, and where plans are ranked by something else.
    """
    by = ranking.by
    if by.name not in ("work", "seconds"):
        return ""
    best = {by.name: ranking.best}
    for name in ("work", "seconds"):
        if name not in best:
            best[name] = space.best(space.objective(name)).label
    least, fastest = space.plan(best["work"]), space.plan(best["seconds"])
    if least.id == fastest.id:
        return ""
    slow, fast = _spent(space, least), _spent(space, fastest)
    lost, won = (sum(own.seconds for own in side.values()) for side in (slow, fast))
    if lost <= _LEAST_GAIN * won:
        return ""
    because = _because(slow, fast)
    if by.name == "work":
        less = f"{_share(1 - won / lost)} less CPU"
        faster = quoted(space.title(fastest.label))
        return f"By time, {faster} wins instead, with {less}: {because}."
    scores = space.scores([least.label, fastest.label], space.objective("work"))
    less = f"{_share(1 - scores[0] / scores[1])} less work"
    return f"By work, {quoted(space.title(least.label))} wins instead, with {less}, but {because}."


def _share(share: float) -> str:
    return f"{100 * share:.2g}%" if share >= 1e-4 else "hardly"


def _spent(space: PlanSpace, plan: Plan) -> dict[str, Spending]:
    work = space.kernel_work(plan, space.estimate(plan).costs)
    return spending(work, space.units)


def _because(slow: dict[str, Spending], fast: dict[str, Spending]) -> str:
    """What the plan with the least work spends more time on, and what it saves in its place."""
    nothing = Spending("", 0.0, 0.0)
    every = dict.fromkeys([*slow, *fast])
    lost = {w: slow.get(w, nothing).seconds - fast.get(w, nothing).seconds for w in every}
    dear = max(lost, key=lambda words: lost[words])
    saved = {
        words: fast.get(words, nothing).count - slow.get(words, nothing).count
        for words in every
        if words != dear
    }
    costs = f"{dear} costs {duration(slow[dear].each)} here"
    if slow[dear].count <= fast.get(dear, nothing).count:
        # As often, but at more each: the plans run on different kernels.
        return f"{costs}, {duration(fast[dear].each)} in the other plan"
    cheap = max(saved, key=lambda words: saved[words], default="")
    return f"{costs}, {cheap} {duration(fast[cheap].each)}" if cheap and saved[cheap] > 0 else costs
