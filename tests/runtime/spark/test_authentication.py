"""Nobody else on this machine speaks to Spark."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_whoever_speaks_to_the_driver_must_know_its_secret(spark: SparkSession) -> None:
    # What Java itself has, not what was asked for. It makes up the secret where none is given.
    conf = spark.sparkContext._jsc.sc().conf()
    assert conf.get("spark.authenticate") == "true"
    assert not conf.contains("spark.authenticate.secret")


def test_the_driver_listens_on_this_machine_alone(spark: SparkSession) -> None:
    conf = spark.sparkContext.getConf()
    host, port = conf.get("spark.driver.host"), int(conf.get("spark.driver.port"))
    assert socket.gethostbyname(host) == "127.0.0.1"
    with socket.create_connection(("127.0.0.1", port), timeout=600):
        pass
    elsewhere = [
        own[4][0] for own in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)
    ]
    for address in elsewhere:
        if not address.startswith("127."):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((address, port), timeout=600)
