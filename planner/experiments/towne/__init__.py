"""Towne et al. 2007: star joins of streams with a relation, under a memory bound."""
