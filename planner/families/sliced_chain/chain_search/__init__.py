"""The search for the best chain: slices as edges, shortest path, memory against CPU."""
