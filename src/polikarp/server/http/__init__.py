"""Requests over HTTP: every address, who is let in, and what is answered."""
