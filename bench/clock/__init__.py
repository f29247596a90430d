"""Is the plan predicted fastest the fastest by the clock, where nothing was fitted to it?"""
