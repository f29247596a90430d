"""What Spark costs: every figure is a ratio of contenders that took turns in one run."""
