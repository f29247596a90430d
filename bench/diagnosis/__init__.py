"""How often a diagnosis names what is wrong with the tuples of a run."""
