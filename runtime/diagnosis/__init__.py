"""Whether to trust the model, which operator it is wrong about, and why."""
