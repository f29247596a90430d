"""The papers' evaluations, measured: their points run on the kernels, and what was found kept."""
