"""What is watched of the tuples of a run: sketches of batches, and the statistics from them."""
