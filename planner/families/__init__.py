"""The families of plans: what is asked of them, the registry, one folder per family."""
