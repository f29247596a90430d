"""The engine of star joins under a memory bound: EXACT, OSSJ, SJA-S and the online policies."""
