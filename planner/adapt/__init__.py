"""Runs that adapt: what was seen of the tuples so far, and which plan a policy wants next."""
