"""The app's own themes. Every colour that is used as text has a contrast of at least 4.5:1."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="memtui-dark",
    dark=True,
    primary="#6cb2ff",
    secondary="#9fb0c3",
    accent="#f2b45a",
    success="#7fd491",
    warning="#e9cf6a",
    error="#ff8a8f",
    foreground="#d9dfe7",
    background="#0e1217",
    surface="#141a21",
    panel="#1b232c",
    variables={
        "text-muted": "#8e9bab",
        "border": "#6cb2ff",
        "border-blurred": "#38444f",
        "cursor": "#1a3049",
        "cursor-blurred": "#1f2831",
        "input-cursor-background": "#f2b45a",
        "input-cursor-foreground": "#0e1217",
        "input-selection-background": "#2b4a6b",
        "block-cursor-background": "#1a3049",
        "block-cursor-foreground": "#ffffff",
        "scrollbar": "#38444f",
        "scrollbar-hover": "#52616f",
        "scrollbar-active": "#6cb2ff",
        "scrollbar-background": "#0e1217",
        "scrollbar-background-hover": "#141a21",
        "scrollbar-background-active": "#141a21",
    },
)
"""Calm and dark; one blue for the focus, amber for scores."""

LIGHT = Theme(
    name="memtui-light",
    dark=False,
    primary="#0a57a3",
    secondary="#46566a",
    accent="#8a4a00",
    success="#0f6127",
    warning="#735300",
    error="#b3152c",
    foreground="#1f252d",
    background="#fafaf7",
    surface="#ffffff",
    panel="#eeede8",
    variables={
        "text-muted": "#58636f",
        "border": "#0a57a3",
        "border-blurred": "#c3c5c0",
        "cursor": "#d3e5f8",
        "cursor-blurred": "#ecebe5",
        "input-cursor-background": "#8a4a00",
        "input-cursor-foreground": "#ffffff",
        "input-selection-background": "#bcd9f5",
        "block-cursor-background": "#d3e5f8",
        "block-cursor-foreground": "#1f252d",
        "scrollbar": "#c3c5c0",
        "scrollbar-hover": "#9da09a",
        "scrollbar-active": "#0a57a3",
        "scrollbar-background": "#fafaf7",
        "scrollbar-background-hover": "#eeede8",
        "scrollbar-background-active": "#eeede8",
    },
)
"""The same on paper."""

THEMES = (DARK, LIGHT)
"""The themes to register."""


def own_variables(theme: Theme) -> dict[str, str]:
    """What the style sheets use beyond Textual's variables, for a theme that does not say.

    In a theme of the terminal's own colours no background is known to suit the text, so the cursor
    row is told by its mark alone.
    """
    if theme.ansi:
        return {"cursor": "ansi_default", "cursor-blurred": "ansi_default"}
    colours = theme.to_color_system().generate()
    return {"cursor": colours["primary-muted"], "cursor-blurred": colours["panel"]}


def theme_names() -> list[str]:
    """Every theme that can be chosen: memtui's own, then those that Textual brings."""
    from textual.theme import BUILTIN_THEMES

    return [theme.name for theme in THEMES] + sorted(BUILTIN_THEMES)
