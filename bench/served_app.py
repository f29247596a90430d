"""The app as a browser meets it: served by Streamlit on a free port, and opened in Chromium."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from bench.registry import MissingPackageError
from runtime.data.folders import PROJECT

_CHROMIUM = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """Chromium of this machine."""
    chromium = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if chromium is None:
        raise MissingPackageError("Chromium is not installed: install it, or run ./check --setup")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


@contextmanager
def served(script: str, folder: Path) -> Iterator[tuple[str, int]]:
    """Streamlit with this script: its address and its process."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    address = f"http://localhost:{port}"
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless", "true"]
    with (folder / "app.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)],
            cwd=PROJECT,
            env=os.environ | {"SLUICE_HOME": str(folder)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"{address}/_stcore/health")
            yield address, process.pid
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
