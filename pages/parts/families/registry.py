"""The view of each family. A new view is one file (or folder) and one line in `_views`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pages.parts.families.protocol import FamilyView


def view_of(family: str) -> FamilyView:
    """How the family with this name is shown; the default view where it has none of its own."""
    return _views().get(family, _views()[""])


@cache
def _views() -> dict[str, FamilyView]:
    # Imported on first use: views are built from parts of pages that ask for views themselves.
    from pages.parts.families.early_aggregation import EarlyAggregationView
    from pages.parts.families.join_order import JoinOrderView
    from pages.parts.families.load_shedding import LoadSheddingView
    from pages.parts.families.protocol import FamilyView
    from pages.parts.families.shared_schedule import SharedScheduleView
    from pages.parts.families.sliced_chain import SlicedChainView

    return {
        "": FamilyView(),
        "join_order": JoinOrderView(),
        "early_aggregation": EarlyAggregationView(),
        "sliced_chain": SlicedChainView(),
        "shared_schedule": SharedScheduleView(),
        "load_shedding": LoadSheddingView(),
    }
