"""Rankers: ``lexical``, which the agents use, and others to ask what would have found a memory.

``registry`` asks them by name; ``base`` says what a ranker is; each other module is one of them, or
a part of one.
"""
