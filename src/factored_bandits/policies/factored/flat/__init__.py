"""Every combination an arm of its own: what one would do without factors."""
