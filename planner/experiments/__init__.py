"""The papers' own evaluations: one folder per paper."""
