"""What the commands print, as text and as JSON."""
