"""What the Run page is made of."""
