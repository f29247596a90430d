"""Plans on Spark's own operators: described without Spark, run by `runtime.spark`, exported."""
