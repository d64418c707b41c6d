"""The workbench: many games at once, and what they tell."""
