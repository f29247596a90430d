"""Unit costs of this machine: designed runs, and the units that come nearest to them."""
