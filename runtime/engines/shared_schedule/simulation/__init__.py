"""A scheduled join served by definition: what kernels are compared with, and what Teach shows."""
