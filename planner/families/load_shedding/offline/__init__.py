"""The best that can be kept when all tuples are known beforehand."""
