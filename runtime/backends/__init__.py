"""What runs a plan: our kernels, or Spark's own operators."""
