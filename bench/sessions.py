"""From a click to the drawn page: one session beside an empty page of Streamlit, which is what
nobody can be quicker than; then ten sessions that explore at once beside a run.

The app and all browser tabs share this machine, as they do when Sluice is used: real Chromium, each
tab a session of its own, a few seconds between its clicks. Plans are run on Spark meanwhile, by the
same process that answers, round after round.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.async_api import Browser, Page

from bench.served_app import open_browser, served

SESSIONS = 10
ROUNDS = 2
# Between two clicks of a session somebody reads, in seconds.
PAUSES = (3.0, 9.0)
PATIENCE_MS = 240_000
SAMPLES = (
    "golab-table-5",
    "network-packets",
    "temperature-humidity",
    "golab-table-6",
    "thirty-six-windows",
    "golab-table-7",
    "eight-way",
    "lazy-join",
    "network-links",
    "two-hundred-alerts",
)
# Choosing another plan in the ranking of Plans: it stays on its page, and all of that changes.
ANOTHER_PLAN = "Plans, another plan"
# What is clicked, in this order: links to pages, but for that.
STEPS = ("Workload", "Plans", ANOTHER_PLAN, "Run", "Results", "Papers", "Start")
# The sample whose plans are the most work to draw, and how often it is clicked.
_MANY_QUERIES, _CLICKS = "two-hundred-alerts", 5
# An app with nothing on its pages but their titles.
_EMPTY = """
import streamlit as st

def one(): st.markdown("## One")
def other(): st.markdown("## Other")

st.set_page_config(layout="wide")
st.navigation([st.Page(one, title="One"), st.Page(other, title="Other")], position="top").run()
"""
# The title of a page, where it is not the page's name.
_TITLES = {"Start": "Which plan is cheapest"}
# A page is drawn when its title is there, its script has ended, and nothing is still to come.
_CLICK = """
async ([name, title]) => {
    const link = [...document.querySelectorAll("a[data-testid*=NavLink]")]
        .find(one => one.textContent.trim().endsWith(name));
    const app = document.querySelector("[data-testid=stApp]");
    const drawn = () => app.dataset.testScriptState === "notRunning" &&
        !document.querySelector("[data-testid=stSkeleton]") &&
        [...document.querySelectorAll("h1, h2")].some(one => one.textContent.startsWith(title));
    const begun = performance.now();
    link.click();
    while (!drawn()) {
        if (performance.now() - begun > 60000) return null;
        await new Promise(go => setTimeout(go, 30));
    }
    await new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)));
    return performance.now() - begun;
}
"""
# Pressing a row of the ranking changes what the page says, at the latest the name of the plan.
_PRESS = """
async () => {
    const app = document.querySelector("[data-testid=stApp]");
    const main = document.querySelector("[data-testid=stMainBlockContainer]");
    const before = main.textContent;
    const drawn = () => app.dataset.testScriptState === "notRunning" &&
        !document.querySelector("[data-testid=stSkeleton]") && main.textContent !== before;
    const begun = await new Promise(go => document.addEventListener(
        "pointerdown", () => go(performance.now()), { capture: true, once: true }));
    while (!drawn()) {
        if (performance.now() - begun > 60000) return null;
        await new Promise(go => setTimeout(go, 30));
    }
    await new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)));
    return performance.now() - begun;
}
"""
_TICKS = os.sysconf("SC_CLK_TCK")
# Of the run beside, in stream time.
_STREAM_SECONDS = "100000"
# Where the rows of a table are: below its head, in pixels.
_HEAD, _ROW = 35, 35


def sessions() -> dict[str, Any]:
    """Milliseconds from a click to the drawn page: one session alone, then all at once."""
    with _app() as (address, server), _empty_app() as empty:
        return asyncio.run(_explored(address, server, empty))


async def _beside_empty(browser: Browser, address: str, empty: str) -> dict[str, Any]:
    """Clicks of one session, each beside a click on the empty page; nothing else runs."""
    tab = await _tab(browser, address, SAMPLES[0])
    many = await _tab(browser, address, _MANY_QUERIES)
    nothing = await _page(browser)
    await nothing.goto(empty)
    await nothing.get_by_role("heading", name="One").wait_for()
    await _visit(tab, 1, 0.0)
    await _clicks(many, "Workload", "Plans")
    found: dict[str, list[float]] = {"an empty page": [], "a page": [], "Plans of 200 queries": []}
    for step in STEPS * ROUNDS:
        found["a page"].append(await _step(tab, step))
        found["an empty page"] += await _clicks(nothing, "Other", "One")
    for _ in range(_CLICKS):
        found["Plans of 200 queries"].append((await _clicks(many, "Workload", "Plans"))[1])
        found["an empty page"] += await _clicks(nothing, "Other", "One")
    for one in (tab, many, nothing):
        await one.context.close()
    times = {what: median(milliseconds) for what, milliseconds in found.items()}
    least = times["an empty page"]
    return {
        "median ms": {what: round(ms) for what, ms in times.items()},
        "times the empty page": {what: round(ms / least, 2) for what, ms in times.items()},
    }


async def _clicks(tab: Page, *titles: str) -> list[float]:
    return [await _step(tab, title) for title in titles]


async def _explored(address: str, server: int, empty: str) -> dict[str, Any]:
    async with open_browser() as browser:
        _say("one session beside an empty page")
        beside = await _beside_empty(browser, address, empty)
        _say("Spark starts, and a run")
        runner = await _tab(browser, address, "golab-table-7")
        await _start_run(runner)
        # The first run starts Spark and may compile kernels: what is asked for comes after it.
        await runner.get_by_text("Tuples held", exact=True).first.wait_for(timeout=PATIENCE_MS)
        _say(f"{SESSIONS} sessions open, and see every page once")
        tabs = await asyncio.gather(*(_tab(browser, address, one) for one in SAMPLES[:SESSIONS]))
        await asyncio.gather(*(_visit(tab, 1, 0.0) for tab in tabs))
        _say("one session explores")
        alone = await _visit(tabs[0], ROUNDS, 0.0)
        _say(f"{SESSIONS} sessions explore")
        busy_before, spent_before = await _is_running(runner), _spent(server)
        together = await asyncio.gather(
            *(_visit(tab, ROUNDS, 1.0, seed) for seed, tab in enumerate(tabs))
        )
        busy_after, spent_after = await _is_running(runner), _spent(server)
    clicks = sum(map(len, together))
    return {
        "sessions": SESSIONS,
        "seconds between clicks": list(PAUSES),
        "a run goes on": busy_before and busy_after,
        "one session without a run": beside,
        "together": _figures([timed for visit in together for timed in visit]),
        "alone, beside the run": _figures(alone),
        "processor seconds a click": {
            who: round((spent_after[who] - spent_before[who]) / clicks, 3) for who in spent_after
        },
    }


def _spent(server: int) -> dict[str, float]:
    """Processor seconds so far of what answers, with the work of its run, and of what draws."""
    return {
        "server": _seconds_of(server),
        "browser": _seconds_below("chrom", below=os.getpid()),
        "Spark and its workers": _seconds_below("java", server) + _seconds_below("python", server),
    }


async def _tab(browser: Browser, address: str, sample: str) -> Page:
    """A session of its own, on the plans of a sample."""
    tab = await _page(browser)
    await tab.goto(f"{address}/plans?sample={sample}")
    await tab.get_by_text("Cost by operator", exact=True).first.wait_for()
    return tab


async def _page(browser: Browser) -> Page:
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    tab = await context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    return tab


async def _start_run(tab: Page) -> None:
    """A long stream, two plans, as many rounds as there can be: they go on all the while."""
    await tab.get_by_role("link", name="Run", exact=True).click()
    await tab.get_by_text("Advanced", exact=True).click()
    for field, value in (("Duration", _STREAM_SECONDS), ("Repeats of each plan", "20")):
        number = tab.get_by_role("spinbutton", name=field)
        await number.fill(value)
        await number.press("Enter")
    await tab.wait_for_timeout(1000)
    await tab.get_by_role("button", name="Run on Spark").click()


async def _is_running(tab: Page) -> bool:
    return await tab.get_by_role("button", name="Cancel").count() > 0


async def _visit(tab: Page, rounds: int, pauses: float, seed: int = 0) -> list[tuple[str, float]]:
    """Go through the pages so often; what was clicked, and the milliseconds until it was drawn."""
    drawn = random.Random(seed)
    timed = []
    for step in STEPS * rounds:
        await asyncio.sleep(pauses * drawn.uniform(*PAUSES))
        timed.append((step, await _step(tab, step)))
    return timed


async def _step(tab: Page, step: str) -> float:
    """Click once; the milliseconds until the page was drawn."""
    milliseconds: float | None
    if step == ANOTHER_PLAN:
        milliseconds = await _another_plan(tab)
    else:
        milliseconds = await tab.evaluate(_CLICK, [step, _TITLES.get(step, step)])
    if milliseconds is None:
        raise RuntimeError(f"{step} was not drawn within a minute")
    return milliseconds


async def _another_plan(tab: Page) -> float | None:
    """Press the second row of the ranking, or the first where that one is chosen."""
    ranking = tab.get_by_test_id("stDataFrame").first
    chosen = ranking.locator("tr[aria-selected=true]")
    # Readers of screens count from one, and the head is the first row.
    row = 0 if await chosen.get_attribute("aria-rowindex") == "3" else 1
    milliseconds: float | None
    milliseconds, _ = await asyncio.gather(
        tab.evaluate(_PRESS),
        ranking.click(position={"x": 120, "y": _HEAD + _ROW * (row + 0.5)}),
    )
    return milliseconds


def _say(what: str) -> None:
    """How far it is: it takes some minutes."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def _figures(timed: list[tuple[str, float]]) -> dict[str, Any]:
    every = [milliseconds for _, milliseconds in timed]
    by_page = {
        step: round(median(ms for name, ms in timed if name == step))
        for step in dict.fromkeys(STEPS)
    }
    return {
        "clicks": len(every),
        "median ms": round(median(every)),
        "95th percentile ms": round(quantiles(every, n=20)[-1]),
        "median ms by page": by_page,
    }


@contextmanager
def _app() -> Iterator[tuple[str, int]]:
    """The address of the app and its process; in a data folder of its own, kernels are shared."""
    with tempfile.TemporaryDirectory() as folder, served("serve.py", Path(folder)) as found:
        yield found


@contextmanager
def _empty_app() -> Iterator[str]:
    """The address of an app with empty pages, which has the settings of ours."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(_EMPTY)
        with served(str(script), Path(folder)) as (address, _):
            yield address


def _seconds_of(process_id: int) -> float:
    """Processor seconds of a process so far, without those of processes it started."""
    user, system = _fields(process_id)[11:13]
    return (int(user) + int(system)) / _TICKS


def _seconds_below(name: str, below: int) -> float:
    """Processor seconds of the running processes of this name that descend from another."""
    seconds = 0.0
    for found in started_by(below):
        with suppress(OSError):  # It has ended meanwhile.
            if name in Path(f"/proc/{found}/comm").read_text():
                seconds += _seconds_of(found)
    return seconds


def started_by(process_id: int) -> list[int]:
    """The processes that descend from this one."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # It has ended meanwhile.
            parents.setdefault(int(_fields(int(folder.name))[1]), []).append(int(folder.name))
    below = list(parents.get(process_id, []))
    for found in below:
        below += parents.get(found, [])
    return below


def _fields(process_id: int) -> list[str]:
    """The fields of a process in /proc after its name, which may have blanks and brackets."""
    return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
