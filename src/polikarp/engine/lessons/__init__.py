"""Lessons: what a game teaches, as data that is read, walked and checked. Nothing here knows a game or a page."""
