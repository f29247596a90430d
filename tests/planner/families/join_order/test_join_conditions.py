"""Several conditions on two columns, missing values, and what cannot be compared."""

from __future__ import annotations

from itertools import product

import pytest

from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.files.query.text import parse_query
from planner.joins.sets import set_arrays
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

FAMILY = JoinOrder()
X, Y = 20, 10


def joined(conditions: str, **missing: float) -> Workload:
    streams = (
        Stream(
            "A",
            2,
            {"x": Attribute(X, missing=missing.get("x", 0.0)), "t": Attribute(4, type="string")},
        ),
        Stream("B", 3, {"y": Attribute(Y, missing=missing.get("y", 0.0))}),
    )
    text = f"SELECT * FROM A [RANGE 10], B [RANGE 20] WHERE {conditions}"
    return Workload("conditions", streams, (parse_query(text, "Q1"),))


@pytest.mark.parametrize(
    "conditions",
    [
        "A.x < B.y",
        "A.x - B.y <= 2 AND B.y - A.x <= 2",
        "A.x < B.y AND A.x <= B.y",
        "A.x = B.y AND A.x <= B.y",
        "A.x = B.y AND A.x < B.y",
        "A.x = B.y AND A.x <> B.y",
        "A.x - B.y <= 2 AND B.y - A.x <= 2 AND A.x <> B.y",
        "A.x - B.y <= 2 AND B.y - A.x <= 2 AND A.x - B.y <= 5",
        "A.x - B.y <= 2 AND B.y - A.x < 2 AND A.x <> B.y + 2 AND A.x <> B.y + 9",
        "A.x - B.y > 3 AND A.x - B.y < 2",
        "A.x >= B.y AND A.x <= B.y",
        "A.x > B.y AND A.x <= B.y",
        "A.x = B.y + 3 AND A.x > B.y",
        "A.x = B.y + 3 AND A.x = B.y",
    ],
)
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_all_conditions_on_two_columns_hold_together(conditions: str, missing: float) -> None:
    model = model_of(joined(conditions, x=missing))
    python = conditions.replace("AND", "and").replace("<>", "!=").replace(" = ", " == ")
    python = python.replace("A.x", "x").replace("B.y", "y")
    fitting = sum(
        eval(python, {"x": x, "y": y}) for x, y in product(range(1, X + 1), range(1, Y + 1))
    )
    expected = fitting / (X * Y) * (1 - missing)
    assert model.graph.share((0, 1)) == pytest.approx(expected, abs=1e-12)
    sizes = set_arrays(model).sizes
    assert sizes[0b11] == pytest.approx(20 * 60 * expected, abs=1e-9)
    assert (sizes[0b01], sizes[0b10]) == pytest.approx((20, 60)), "a missing value is a tuple too"


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ("A.t < B.y", "A.t < B.y compares text with numbers"),
        ("A.t = B.y", "compares text with numbers"),
        ("A.x = B.y AND A.x > 'b'", "A.x holds numbers"),
        ("A.x = B.y AND A.t = 3", "A.t holds text"),
    ],
)
def test_what_cannot_be_compared_is_refused(conditions: str, said: str) -> None:
    assert said in str(FAMILY.refuses(joined(conditions)))


def test_a_number_is_not_added_to_text() -> None:
    streams = tuple(Stream(name, 1, {"t": Attribute(5, type="string")}) for name in "AB")
    text = "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.t <= B.t + 2"
    workload = Workload("text", streams, (parse_query(text, "Q1"),))
    assert "adds a number to text" in str(FAMILY.refuses(workload))


def test_a_column_without_a_value_agrees_with_any_other() -> None:
    assert "compares text" in str(FAMILY.refuses(joined("A.t = B.y")))
    assert FAMILY.refuses(joined("A.t = B.y", y=1.0)) is None
    assert FAMILY.space(joined("A.t = B.y", y=1.0)).rank(top=1).candidates[0].cost.rows_out == 0
