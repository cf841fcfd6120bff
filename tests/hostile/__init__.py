"""Input, processes and terminals at their worst."""
