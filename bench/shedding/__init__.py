"""Shedding: policies beside the optimum, and how long the optimum takes."""
