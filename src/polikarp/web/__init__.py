"""The pages: what players see and touch. They render what the server knows, and know no rule of any game."""
