"""What pages have loaded is left out of garbage collections."""

from __future__ import annotations

import gc
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.parts.shared import routing


def test_what_a_page_has_loaded_is_frozen_once(go: Callable[[str], AppTest]) -> None:
    routing._settled.clear()
    before = gc.get_freeze_count()
    app = go("whatif")
    assert not app.exception
    loaded = gc.get_freeze_count()
    # Modules alone are more objects than this.
    assert loaded > before
    assert loaded > 100_000
    app.run()
    # No more were frozen; what is no longer used is freed.
    assert gc.get_freeze_count() <= loaded
