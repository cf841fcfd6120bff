"""The widgets of the main screen, one class a file."""
