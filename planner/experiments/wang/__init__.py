"""Wang et al. 2006: chains of sliced joins."""
