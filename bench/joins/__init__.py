"""Join orders: predicted work beside counted work, over random joins."""
