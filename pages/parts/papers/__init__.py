"""What the page of the papers' figures is made of."""
