"""The choices of the Run form, which a reload must not lose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
_NOW, _BEFORE = "run_choices", "run_choices_before"


def chosen() -> dict[str, Any]:
    """What is chosen otherwise than usual."""
    found: dict[str, Any] = st.session_state.get(_NOW, {})
    return found


def restore(choices: Mapping[str, Any]) -> None:
    """Begin the form with these choices; each is used where it still is one."""
    st.session_state[_BEFORE] = dict(choices)
    st.session_state[_NOW] = dict(choices)


def number(name: str, usual: T, least: float, most: float, shown: Callable[[T], T]) -> T:
    """What a field that begins with what was chosen before holds now: a number within limits."""
    before: Any = _before(name, usual)
    return _noted(name, usual, shown(before if least <= before <= most else usual))


def given(name: str, usual: T, shown: Callable[[T], T]) -> T:
    """The same of a text, or of a yes or no."""
    return _noted(name, usual, shown(_before(name, usual)))


def option(name: str, options: Sequence[T], shown: Callable[[int], T]) -> T:
    """The same of one of several; the first is the usual one."""
    before = _before(name, options[0])
    return _noted(name, options[0], shown(options.index(before) if before in options else 0))


def radio(name: str, label: str, options: Mapping[T, str]) -> T:
    """One of several, all in sight with their words."""
    choices = list(options)
    return option(
        name,
        choices,
        lambda first: st.radio(
            label,
            choices,
            index=first,
            format_func=options.__getitem__,
            key=name,
            persist_state="session",
        ),
    )


def several(
    name: str, options: Sequence[str], usual: list[str], shown: Callable[[list[str]], list[str]]
) -> list[str]:
    """The same of some of several, where the options may be others than before."""
    before = [label for label in _before(name, usual) if label in options]
    return _noted(name, usual, shown(before or usual))


def _before(name: str, usual: T) -> T:
    found = st.session_state.get(_BEFORE, {}).get(name, usual)
    return found if isinstance(found, type(usual)) else usual


def _noted(name: str, usual: T, value: T) -> T:
    """Remember what is chosen now; what is usual need not be."""
    choices = st.session_state.setdefault(_NOW, {})
    if value == usual:
        choices.pop(name, None)
    else:
        choices[name] = value
    return value
