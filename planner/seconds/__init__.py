"""Work as time: kinds of work, unit costs, predicted seconds."""
