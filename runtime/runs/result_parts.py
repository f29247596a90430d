"""The rows that workers write. Workers import it: what it needs delays the first micro-batch."""

MOST_RESULT_ROWS = 100_000_000


def part_name(batch: int, partition: int) -> str:
    """The file with the rows of a batch of a partition, which is there even if it has none."""
    return f"rows-{batch:06}-{partition:04}.parquet"
