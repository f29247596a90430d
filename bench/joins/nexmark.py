"""The streams of NEXMark as Parquet files: persons, the auctions they open, and bids on those.

Of every 50 events the first is a person, the next 3 are auctions, the other 46 are bids. Keys refer
to what arrived before: a bid to one of the newest auctions, an auction to one of the newest
persons. Many refer to the hot one, which is the first of the newest hundred:

    auction ids     1000 ... 1100 ......... 1150 ............ 1187
                             hot            recent: 1 of 100  newest

It is a script and not a kind of attribute of workload files: keys that follow time have no
distribution that could be declared, so that plans are priced by what is counted in the files.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pa_parquet
from numpy.typing import NDArray

Ints = NDArray[np.int64]

# Of so many events, persons come first and auctions next; the others are bids.
ROUND, PERSONS, AUCTIONS = 50, 1, 3
FIRST_ID = 1000
# A hot one is the first of so many.
HOT_EVERY = 100
RECENT_AUCTIONS, RECENT_PERSONS = 100, 1000
# The shares of bids on a hot auction, of auctions by a hot seller, of bids by a hot bidder.
HOT_AUCTIONS, HOT_SELLERS, HOT_BIDDERS = 1 / 2, 3 / 4, 3 / 4
CATEGORIES = 5
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
CITIES = ("Phoenix", "Los Angeles", "Boise", "Portland", "Seattle", "Cheyenne")


def nexmark(events: int, rate: float, seed: int) -> dict[str, pa.Table]:
    """So many events, evenly spaced at this rate: the tables of the three streams by name."""
    place = np.arange(events)
    turn = place % ROUND
    # How many of each there are when an event arrives, itself included.
    persons = place // ROUND * PERSONS + np.minimum(turn + 1, PERSONS)
    auctions = place // ROUND * AUCTIONS + np.clip(turn + 1 - PERSONS, 0, AUCTIONS)
    is_person, is_bid = turn < PERSONS, turn >= PERSONS + AUCTIONS
    is_auction = ~is_person & ~is_bid
    micros = np.rint(place * 1e6 / rate).astype(np.int64)
    random = np.random.default_rng(seed)
    return {
        "person": _persons(random, micros[is_person]),
        "auction": _auctions(random, micros[is_auction], persons[is_auction], rate),
        "bid": _bids(random, micros[is_bid], auctions[is_bid], persons[is_bid]),
    }


def _persons(random: np.random.Generator, micros: Ints) -> pa.Table:
    home = random.integers(len(STATES), size=len(micros))
    return _table(
        micros,
        id=FIRST_ID + np.arange(len(micros)),
        city=np.array(CITIES)[home],
        state=np.array(STATES)[home],
    )


def _auctions(random: np.random.Generator, micros: Ints, persons: Ints, rate: float) -> pa.Table:
    count = len(micros)
    initial = _prices(random, count)
    # As long as it takes until it is no longer recent, on average.
    mean = RECENT_AUCTIONS * ROUND / AUCTIONS / rate * 1000
    return _table(
        micros,
        id=FIRST_ID + np.arange(count),
        seller=_refer(random, persons, RECENT_PERSONS, HOT_SELLERS),
        category=10 + random.integers(CATEGORIES, size=count),
        initial_bid=initial,
        reserve=initial + _prices(random, count),
        expires=micros // 1000 + random.integers(1, round(2 * mean) + 1, size=count),
    )


def _bids(random: np.random.Generator, micros: Ints, auctions: Ints, persons: Ints) -> pa.Table:
    return _table(
        micros,
        auction=_refer(random, auctions, RECENT_AUCTIONS, HOT_AUCTIONS),
        bidder=_refer(random, persons, RECENT_PERSONS, HOT_BIDDERS),
        price=_prices(random, len(micros)),
    )


def _refer(random: np.random.Generator, known: Ints, recent: int, hot: float) -> Ints:
    """A key for each event of those that are known by then: the hot one, or one of the newest."""
    newest = known - 1
    one = newest - (random.random(len(known)) * np.minimum(known, recent)).astype(np.int64)
    hottest = newest // HOT_EVERY * HOT_EVERY
    return FIRST_ID + np.where(random.random(len(known)) < hot, hottest, one)


def _prices(random: np.random.Generator, count: int) -> Ints:
    """Cents, from 1 to 1,000,000 dollars, as many of each magnitude."""
    return np.rint(10 ** (random.random(count) * 6 + 2)).astype(np.int64)


def _table(micros: Ints, **columns: NDArray[np.generic]) -> pa.Table:
    """Times in seconds as `ts` and, for conditions, in whole milliseconds as `date_time`."""
    return pa.table({"ts": micros / 1e6, "date_time": micros // 1000, **columns})


def main(arguments: list[str]) -> int:
    """Write the files, named after their streams, to a folder."""
    parser = argparse.ArgumentParser(prog="python -m bench.joins.nexmark", description=main.__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--events", type=int, default=20_000, metavar="N")
    parser.add_argument("--rate", type=float, default=20.0, metavar="R", help="events per second")
    parser.add_argument("--seed", type=int, default=7, metavar="N")
    options = parser.parse_args(arguments)
    if options.events < 1 or not options.rate > 0 or options.seed < 0:
        parser.error("--events and --rate must be above 0, and --seed not below")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, table in nexmark(options.events, options.rate, options.seed).items():
        pa_parquet.write_table(table, options.folder / f"{name}.parquet", compression="zstd")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
