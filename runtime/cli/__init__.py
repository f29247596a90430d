"""What the commands print, and the longer commands."""
