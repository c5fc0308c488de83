"""An agent as text: what it is, what a text may claim, and an agent made of it again."""
