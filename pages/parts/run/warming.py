"""Spark and the kernels made ready while the user looks around."""

from __future__ import annotations

import os
import threading

import streamlit as st

from runtime.runs import processes


@st.cache_resource(show_spinner=False)
def begin() -> None:
    """Start warming once for this process; SLUICE_WARM=0 leaves it to the first run."""
    processes.give_way()
    if os.environ.get("SLUICE_WARM", "1") != "0":
        threading.Thread(target=_warm, daemon=True, name="sluice-import").start()


def _warm() -> None:
    # Importing the runtime takes seconds: in a thread of its own no page waits for it.
    from runtime.control.warm import warm_in_background

    warm_in_background()


def ready() -> bool:
    """Whether Spark is up."""
    from runtime.control import warm

    return warm.status() == "ready"


def status() -> str:
    """What a user may have to wait for, in a few words; nothing where Spark is ready."""
    from runtime.control import warm

    state = warm.status()
    return {"ready": "", "cold": "", "warming": "Spark is starting"}.get(state, state)
