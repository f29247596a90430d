"""The numbers of a workload that can be varied, by where they are declared."""
