"""Names are no links, uploads expire, and no other site can show Sluice in a frame."""

from __future__ import annotations

import asyncio
import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pages.parts.shared.formatting import plain
from pages.parts.shared.headers import Headers
from pages.parts.workload.own_data import UPLOAD_DAYS, delete_expired
from planner.errors import PlanError
from planner.files.data_files import MOST_COLUMNS, find_file, read_file


@pytest.mark.parametrize("name", ["http://a.b", "HTTPS://a.b", "www.a.b", "me@a.b"])
def test_an_address_in_a_name_is_broken(name: str) -> None:
    text = plain(name)
    assert "\u2060" in text
    assert text.replace("\u2060", "").replace("\\", "") == name


def test_other_names_are_left_as_they_are() -> None:
    assert plain("S1") == "S1"


def test_uploads_expire(tmp_path: Path) -> None:
    for name, days in (("old", UPLOAD_DAYS + 1), ("new", UPLOAD_DAYS - 1)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (-days * 86_400, -days * 86_400))
    delete_expired(tmp_path, now=0.0)
    assert [folder.name for folder in tmp_path.iterdir()] == ["new"]


def test_every_answer_forbids_frames_of_other_sites() -> None:
    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    # In a thread of its own: where browser tests ran before, this one has a loop already.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, Headers(app)({"type": "http"}, send, send)).result()  # type: ignore[arg-type]
    assert (b"x-frame-options", b"SAMEORIGIN") in sent[0]["headers"]


def test_streamlits_own_csv_is_off() -> None:
    settings = tomllib.loads(Path(".streamlit/config.toml").read_text())
    assert settings["client"]["disableDataExport"]


def test_a_link_to_another_folder_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "S1.csv").symlink_to(tmp_path / "secret")
    with pytest.raises(PlanError, match="is a link to another folder") as refused:
        find_file(tmp_path / "data", "S1")
    assert "password" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_too_many_columns_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "S1.csv"
    file.write_text(",".join(f"c{n}" for n in range(MOST_COLUMNS + 1)) + "\n")
    with pytest.raises(PlanError, match="columns; at most"):
        read_file(file, ["ts"], [])
