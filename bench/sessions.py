"""Ten browser sessions explore at once while a run goes on: from a click to the drawn page.

The app and all browser tabs share this machine, as they do when Sluice is used: real Chromium, each
tab a session of its own, a few seconds between its clicks. Plans are run on Spark meanwhile, by the
same process that answers, round after round.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from runtime.home import PROJECT

SESSIONS = 10
ROUNDS = 3
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
# The pages in the order they are visited.
STEPS = ("Workload", "Plans", "Run", "Results", "Paper figures", "Start")
# What stands at the head of a page that is there: its title.
_TITLES = {"Start": "See what every plan"}
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A page is drawn when its title stands there, its script has ended, and nothing is still to come.
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
        await new Promise(go => setTimeout(go, 5));
    }
    await new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)));
    return performance.now() - begun;
}
"""


def sessions() -> dict[str, Any]:
    """Milliseconds from a click to the drawn page: one session alone, then all at once."""
    with _app() as address:
        return asyncio.run(_explored(address))


async def _explored(address: str) -> dict[str, Any]:
    chromium = next(filter(None, map(shutil.which, _CHROMIUM)))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        runner = await _tab(browser, address, "golab-table-7")
        await _start_run(runner)
        # The first run starts Spark and may compile kernels: what is asked for comes after it.
        await runner.get_by_text("batch").first.wait_for(timeout=PATIENCE_MS)
        tabs = [await _tab(browser, address, sample) for sample in SAMPLES[:SESSIONS]]
        for tab in tabs:
            await _visit(tab, 1, 0.0)
        alone = await _visit(tabs[0], ROUNDS, 0.0)
        busy_before = await _is_running(runner)
        together = await asyncio.gather(
            *(_visit(tab, ROUNDS, 1.0, seed) for seed, tab in enumerate(tabs))
        )
        busy_after = await _is_running(runner)
        await browser.close()
    return {
        "sessions": SESSIONS,
        "seconds between clicks": list(PAUSES),
        "a run goes on": busy_before and busy_after,
        "together": _told([timed for visit in together for timed in visit]),
        "alone, beside the run": _told(alone),
    }


async def _tab(browser: Browser, address: str, sample: str) -> Page:
    """A session of its own, on the plans of a sample."""
    context = await browser.new_context(viewport={"width": 1280, "height": 900})
    tab = await context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    await tab.goto(f"{address}/plans?sample={sample}")
    await tab.get_by_text("Cost by operator", exact=True).first.wait_for()
    return tab


async def _start_run(tab: Page) -> None:
    """Two plans, in as many rounds as there can be: they go on all the while."""
    await tab.get_by_role("link", name="Run").click()
    await tab.get_by_role("spinbutton", name="Repeats of each plan").fill("20")
    await tab.get_by_role("spinbutton", name="Repeats of each plan").press("Enter")
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
        milliseconds = await tab.evaluate(_CLICK, [step, _TITLES.get(step, step)])
        if milliseconds is None:
            raise RuntimeError(f"{step} was not drawn within a minute")
        timed.append((step, milliseconds))
    return timed


def _told(timed: list[tuple[str, float]]) -> dict[str, Any]:
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
def _app() -> Iterator[str]:
    """The app on a free port, in a data folder of its own; compiled kernels are shared."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    address = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
        with (Path(folder) / "app.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--server.port", str(port)],
                cwd=PROJECT,
                env=os.environ | {"SLUICE_HOME": folder},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                _wait_for(f"{address}/_stcore/health")
                yield address
            finally:
                process.terminate()
                process.wait(timeout=60)


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"{url} did not answer")
