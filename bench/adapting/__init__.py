"""Runs that adapt: their work beside plans that stay, and what watching takes."""
