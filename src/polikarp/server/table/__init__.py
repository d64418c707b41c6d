"""One table: what is kept of it, what happens to it, and what each viewer is told."""
