"""Plans on our kernels: micro-batches and a program, stepped on Spark as a stream or a replay."""
