"""What the Start page is made of."""
