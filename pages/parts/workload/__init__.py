"""What the Workload page is made of."""
