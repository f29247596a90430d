"""The answer digest: one number for a multiset of results, in kernels and in Spark SQL alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from runtime.engines.kernels.digest import as_text, digest_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RESULTS = arrays.arrays(
    np.int64,
    st.tuples(st.integers(0, 20), st.integers(2, 4)),
    elements=st.integers(0, 2**62),
)


# The first call loads the kernel, which takes a second.
@given(RESULTS, st.randoms(use_true_random=False))
def test_the_order_of_results_does_not_matter(results, random) -> None:
    order = list(range(len(results)))
    random.shuffle(order)
    assert digest_of(results[order]) == digest_of(results)


@given(RESULTS.filter(len))
def test_a_result_that_comes_twice_or_is_lost_changes_the_digest(results) -> None:
    assert digest_of(np.concatenate((results, results[:1]))) != digest_of(results)
    assert digest_of(results[1:]) != digest_of(results)
    assert digest_of(np.concatenate((results, results))) != digest_of(results)


def test_members_exchanged_between_sources_change_the_digest() -> None:
    assert digest_of(np.array([[3, 8]])) != digest_of(np.array([[8, 3]]))
    assert digest_of(np.array([[1, 2], [3, 4]])) != digest_of(np.array([[1, 4], [3, 2]]))


def test_no_result_is_zero_and_text_has_sixteen_digits() -> None:
    assert as_text(int(digest_of(np.empty((0, 3), np.int64)))) == "0" * 16
    assert as_text(2**64 - 1) == "f" * 16


@pytest.mark.spark
def test_spark_sql_computes_the_same_digest(spark: SparkSession) -> None:
    results = np.random.default_rng(1).integers(0, 2**40, (500, 3))
    rows = spark.createDataFrame(
        [tuple(map(int, row)) for row in results], "a long, b long, c long"
    )
    members = [f"xxhash64(CAST({place} AS BIGINT), {name})" for place, name in enumerate("abc")]
    hashes = rows.selectExpr(f"xxhash64({' ^ '.join(members)}) AS hash")
    # As DECIMAL, since ANSI mode would refuse a sum beyond 64 bits.
    (total,) = hashes.selectExpr("sum(CAST(hash AS DECIMAL(38))) AS total").collect()
    assert as_text(int(total["total"])) == as_text(int(digest_of(results)))
