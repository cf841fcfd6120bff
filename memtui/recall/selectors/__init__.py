"""Selectors: who is asked which documents of a manifest are to be read.

``base`` says what a selector is, ``endpoint`` asks a model, ``given`` holds answers that exist
already, ``choose`` makes one from the word on a command line.
"""
