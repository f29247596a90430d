"""How long queries wait under each policy: closed forms, batches, and a simulation."""
