"""The terminal app. Importing this package loads no Textual; :mod:`memtui.tui.run` does."""
