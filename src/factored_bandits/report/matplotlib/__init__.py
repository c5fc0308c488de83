"""Charts drawn by matplotlib."""
