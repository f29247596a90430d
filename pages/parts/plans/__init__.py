"""What the Plans page is made of."""
