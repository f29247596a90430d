"""How each family of plans is shown: one folder per family, one registry."""
