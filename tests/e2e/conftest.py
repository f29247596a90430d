"""The app as a user meets it: started on a free port, with Spark, seen in Chromium."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    sync_playwright,
)
from playwright.sync_api import Error as StepError
from playwright.sync_api import TimeoutError as StepTimeoutError
from playwright.sync_api import expect as playwright_expect

from runtime.data.folders import PROJECT

CHROMIUM = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Playwright does not report requests for icons: note every address that the page's icon has had.
_NOTE_ICONS = """
window.icons = new Set();
new MutationObserver(() => document.querySelectorAll("link[rel~=icon]").forEach(
    link => window.icons.add(link.href)
)).observe(document, {subtree: true, childList: true, attributes: true});
"""
# After these a step of the page, or a run with the start of Spark, hangs.
STEP_MS = 300_000
# A list that is open is clicked in less; one that has closed is opened again then.
LIST_MS = 3_000
PATIENCE_MS = 900_000
# Frames within which an old box has made room for the new one.
FRAMES = 300


class App:
    """An app with a data folder of its own; compiled kernels are shared."""

    def __init__(self, home: Path) -> None:
        self.home, self.port = home, _free_port()
        self.address = f"http://localhost:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, warm: bool = True) -> None:
        """Start it, and wait until it answers; `warm`: as for users, Spark starts with it."""
        # Importing the runtime has set where compiled kernels are.
        environment = os.environ | {"SLUICE_HOME": str(self.home), "SLUICE_WARM": str(int(warm))}
        assert "NUMBA_CACHE_DIR" in environment
        # A test that is killed takes its app with it.
        command = [sys.executable, "tools/die_with_parent.py", sys.executable, "-m", "streamlit"]
        command += ["run", "serve.py", "--server.headless", "true", "--server.port", str(self.port)]
        with (self.home / "app.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=PROJECT, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        _wait_for(f"{self.address}/_stcore/health", self._process)

    def kill(self) -> None:
        """End it as a fault of the machine would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it as its user would."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(timeout=PATIENCE_MS / 1000)


@pytest.fixture(scope="session")
def running_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The one app of all journeys of a process; Spark starts when the first of them runs a plan."""
    app = App(tmp_path_factory.mktemp("home"))
    app.start(warm=False)
    yield app
    app.stop()


@pytest.fixture
def address(running_app: App) -> str:
    """The address of the app."""
    return running_app.address


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Poll until the app answers or has ended."""
    while process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=STEP_MS / 1000):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail(f"the app ended with {process.returncode} before it answered")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium of this machine; without one the journeys are skipped by name."""
    found = os.environ.get("SLUICE_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), "")
    if not found:
        pytest.skip("no Chromium on this machine: install it, or set SLUICE_CHROMIUM")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield opened
        opened.close()


class _Expected:
    """What Playwright expects of one place, asked again while an old box is beside a new one."""

    def __init__(self, actual: Locator | Page) -> None:
        self._actual = actual

    def __getattr__(self, name: str) -> Callable[..., None]:
        page = self._actual.page if isinstance(self._actual, Locator) else self._actual
        asked = getattr(playwright_expect(self._actual), name)
        return lambda *values, **options: _once_alone(page, lambda: asked(*values, **options))


def expect(actual: Locator | Page) -> _Expected:
    """Expect something of one place of the page."""
    return _Expected(actual)


def _once_alone(page: Page, step: Callable[[], None]) -> None:
    """Take a step; while its place is there twice, as while a box is replaced, take it again."""
    for _ in range(FRAMES):
        try:
            return step()
        except (AssertionError, StepError) as error:
            if "strict mode violation" not in str(error):
                raise
        page.evaluate("() => new Promise(requestAnimationFrame)")
    return step()


def settle(page: Page) -> None:
    """Wait until the whole page is drawn: a box that is still being drawn reads as empty."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


def click(target: Locator) -> None:
    """Click once the page is drawn: what is replaced while it is pressed does nothing."""
    settle(target.page)
    _once_alone(target.page, target.click)


def go_to(page: Page, name: str) -> None:
    """Go to a page by its link, and wait until it is there: much of it may be on the one left."""
    click(page.get_by_role("link", name=name, exact=True))
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def open_operator(page: Page, *shown: str) -> None:
    """Click the dearest operator of a plan canvas: its panel shows this, and closes again."""
    canvas = page.locator(".canvas")
    canvas.locator(".foot").get_by_text(re.compile("^1[.] ")).click()
    panel = canvas.get_by_role("dialog")
    for text in ("predicted", *shown):
        expect(panel).to_contain_text(text)
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()


def open_advanced(page: Page) -> None:
    """Open the settings of a run."""
    click(page.get_by_text("Advanced", exact=True))
    # It opens slowly, and a list that is opened meanwhile closes again.
    opened = page.locator("details[open]").filter(has=page.get_by_text("Advanced", exact=True))
    opened.evaluate(
        "box => Promise.allSettled(box.getAnimations({subtree: true}).map(one => one.finished))"
    )


def choose(page: Page, setting: str | re.Pattern[str], option: str) -> None:
    """Choose from a list of the settings; one that closes again is opened again."""
    chosen = page.get_by_role("option", name=option)
    while True:
        if not chosen.is_visible():
            click(page.get_by_role("combobox", name=setting))
        with suppress(StepTimeoutError):
            chosen.click(timeout=LIST_MS)
            return


def section(page: Page, name: str) -> None:
    """Show a section of Results."""
    click(page.get_by_role("radio", name=name))
    settle(page)


@pytest.fixture(scope="session")
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """One visitor for all journeys: the browser reads and compiles the app's scripts once."""
    playwright_expect.set_options(timeout=STEP_MS)
    visitor = browser.new_context(viewport={"width": 1280, "height": 1000})
    visitor.set_default_timeout(STEP_MS)
    visitor.add_init_script(_NOTE_ICONS)
    yield visitor
    visitor.close()


@pytest.fixture
def tab(visitor: BrowserContext, address: str) -> Iterator[Page]:
    """An empty tab, 1280 pixels wide; whatever it asks for, it asks of this machine."""
    tab = visitor.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    yield tab
    asked += tab.evaluate("[...window.icons]")
    # The next journey begins as a newcomer's.
    tab.evaluate("localStorage.clear(), sessionStorage.clear()")
    tab.close()
    visitor.clear_cookies()
    assert any(url.startswith(address) for url in asked)
    assert {urlsplit(url).hostname for url in asked} <= {"localhost", None}  # None: data and blobs


@pytest.fixture
def page(tab: Page, address: str) -> Page:
    """A tab on the start page."""
    tab.goto(address)
    return tab
