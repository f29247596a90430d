"""Hammad et al. 2003: scheduling a shared join."""
