"""Group ids: chosen by Spark's own hash, so that partitions run in tasks of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runtime.spark.replay import group_ids, spark_hash

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("partitions", [1, 2, 3, 8, 64])
def test_every_partition_has_a_task_of_its_own(partitions: int) -> None:
    groups = group_ids(partitions)
    assert {spark_hash(group) % partitions for group in groups} == set(range(partitions))


@pytest.mark.spark
def test_the_hash_is_spark_s(spark: SparkSession) -> None:
    values = [0, 1, 2, 41, -1, 2**31 - 1, -(2**31), *range(1000, 1100)]
    rows = spark.createDataFrame([(value,) for value in values], "value int")
    hashes = [row["hash"] for row in rows.selectExpr("hash(value) AS hash").collect()]
    assert [spark_hash(value) for value in values] == hashes
