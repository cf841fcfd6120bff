"""What the panes show, as plain values computed from a ``Recall``. No Textual, no screen."""
