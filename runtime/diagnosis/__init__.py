"""Whether to trust the model, which operators it is wrong about, and why."""
