"""The app as a user meets it: started on a free port, with Spark, seen in Chromium."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from runtime.data.folders import PROJECT

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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
# A first run starts Spark and may compile the kernels.
PATIENCE_MS = 480_000


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app with a data folder of its own; compiled kernels are shared."""
    with started_app(tmp_path_factory.mktemp("home")) as (_, found):
        yield found


@contextlib.contextmanager
def started_app(home: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """An app over this data folder, and its address; what is left of it at the end is ended."""
    port = _free_port()
    # Importing the runtime has set where compiled kernels are.
    environment = os.environ | {"SLUICE_HOME": str(home)}
    assert "NUMBA_CACHE_DIR" in environment
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    with (home / "app.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)],
            cwd=PROJECT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://localhost:{port}/_stcore/health", process)
            yield process, f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, ConnectionError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                pytest.fail(f"the app ended with {process.wait(timeout=0.1)} before it answered")
    pytest.fail(f"{url} did not answer")


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


def settle(page: Page) -> None:
    """Wait until the whole page is drawn: a box that is still being drawn reads as empty."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A tab on the start page, 1280 pixels wide; whatever it asks for, it asks of this machine."""
    expect.set_options(timeout=30_000)
    tab = browser.new_page(viewport={"width": 1280, "height": 1000})
    tab.set_default_timeout(60_000)
    tab.add_init_script(_NOTE_ICONS)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address)
    yield tab
    asked += tab.evaluate("[...window.icons]")
    tab.close()
    assert asked
    assert {urlsplit(url).hostname for url in asked} <= {"localhost", None}  # None: data and blobs
