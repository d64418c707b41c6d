"""Who was first: how long lines are, the photo finish, and the referee of a race that runs."""
