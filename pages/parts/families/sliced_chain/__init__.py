"""Figures, tables and words of sliced chains."""
