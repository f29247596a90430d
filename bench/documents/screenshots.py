"""The pictures in README.md and docs/: `python -m bench.documents.screenshots` makes them again.

It opens the app in Chromium with a data folder of its own, walks through it as a user would, and
writes WebP files of at most 150 kB.
"""

from __future__ import annotations

import asyncio
import io
import random
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, Page, expect

from bench.served_app import open_browser, served
from runtime.data.folders import PROJECT

FOLDER = PROJECT / "docs" / "screenshots"
MOST_BYTES = 150_000
_SIZE = (1440, 900)
_PATIENCE_MS = 300_000
# What is drawn by scripts of the page comes a moment after Streamlit has ended its own.
_A_MOMENT_MS = 1500


async def _settled(page: Page) -> None:
    app = page.get_by_test_id("stApp")
    await expect(app).to_have_attribute("data-test-script-state", "notRunning")
    await expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    await page.wait_for_timeout(_A_MOMENT_MS)


async def _plans(page: Page, address: str) -> None:
    await page.goto(f"{address}/plans?sample=golab-table-7")
    await expect(page.locator(".canvas .box").first).to_be_visible()


async def _files(page: Page, address: str) -> None:
    """Three files of an online shop: milliseconds, a German CSV, and dates."""
    await page.goto(address)
    await _settled(page)
    with tempfile.TemporaryDirectory() as folder:
        await page.locator("input[type=file]").first.set_input_files(_shop(Path(folder)))
        await expect(page.get_by_role("button", name="See the plans")).to_be_visible()
        await _settled(page)


async def _results(page: Page, address: str) -> None:
    await page.goto(f"{address}/plans?sample=golab-table-5")
    await page.get_by_role("button", name=re.compile("^Run best and")).click()
    await expect(page.get_by_text("gave the same")).to_be_visible()
    await expect(page.locator(".canvas .box").first).to_be_visible()


async def _whatif(page: Page, address: str) -> None:
    await page.goto(f"{address}/whatif?sample=golab-table-7")
    await page.get_by_text("Two numbers", exact=True).click()
    answer = page.get_by_role("heading", name=re.compile("win somewhere"))
    await expect(answer).to_be_visible()
    await _settled(page)
    # The diagram is below what is set.
    await answer.evaluate("heading => heading.scrollIntoView()")


async def _teach(page: Page, address: str) -> None:
    await page.goto(f"{address}/teach?sample=golab-table-5")
    step = page.get_by_role("slider", name="Step")
    await step.focus()
    for _ in range(24):
        await step.press("ArrowRight")


async def _many_queries(page: Page, address: str) -> None:
    await page.goto(f"{address}/plans?sample=two-hundred-alerts")
    await expect(page.locator(".canvas .box").first).to_be_visible()


# The name of each picture, its theme, and the way there.
PICTURES: dict[str, tuple[str, Callable[[Page, str], Awaitable[None]]]] = {
    "plans": ("light", _plans),
    "files": ("light", _files),
    "results": ("light", _results),
    "what-if": ("light", _whatif),
    "teach": ("light", _teach),
    "many-queries": ("dark", _many_queries),
}


def _shop(folder: Path) -> list[Path]:
    drawn, begin = random.Random(3), datetime(2026, 3, 2, 8, tzinfo=UTC)

    def moments(count: int) -> list[datetime]:
        return [
            begin + timedelta(seconds=s)
            for s in sorted(drawn.uniform(0, 7200) for _ in range(count))
        ]

    def session() -> int:
        return drawn.randint(1, 500)

    views = [f"{round(1000 * at.timestamp())},{session()}" for at in moments(9000)]
    carts = [
        f"{at:%d.%m.%Y %H:%M:%S};{session()};{drawn.randint(1, 99)},{drawn.randint(10, 99)}"
        for at in moments(3000)
    ]
    payments = [f"{at:%Y-%m-%d %H:%M:%S},{session()}" for at in moments(1000)]
    texts = {
        "views.csv": ["time_ms,session", *views],
        "carts.csv": ["Zeitpunkt;Session;Betrag", *carts],
        "payments.csv": ["paid_at,session_id", *payments],
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [folder / name for name in texts]


async def _taken(browser: Browser, address: str, name: str) -> None:
    theme, walk = PICTURES[name]
    scheme = "dark" if theme == "dark" else "light"
    size = {"width": _SIZE[0], "height": _SIZE[1]}
    context = await browser.new_context(viewport=size, color_scheme=scheme)
    page = await context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    await walk(page, address)
    await _settled(page)
    shot = Image.open(io.BytesIO(await page.screenshot()))
    await context.close()
    file = FOLDER / f"{name}.webp"
    for quality in (90, 80, 70, 60):
        shot.save(file, "WEBP", quality=quality, method=6)
        if file.stat().st_size <= MOST_BYTES:
            break
    print(f"{file.relative_to(PROJECT)}: {file.stat().st_size / 1000:.0f} kB", flush=True)


async def _all(address: str, names: list[str]) -> None:
    expect.set_options(timeout=_PATIENCE_MS)
    async with open_browser() as browser:
        for name in names:
            await _taken(browser, address, name)


def main(names: list[str]) -> None:
    """Make these pictures, or all of them."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, served("serve.py", Path(home)) as (address, _):
        asyncio.run(_all(address, names or list(PICTURES)))


if __name__ == "__main__":
    main(sys.argv[1:])
