"""memtui: see what a coding agent recalled from its memory, what it did not, and why."""

__version__ = "0.1.0"
