"""Key bindings made from the command registry."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.screen import Screen

from memtui.tui.commands import BY_ID, COMMANDS, Command, Target


def bindings_for(target: Target) -> list[BindingType]:
    """The bindings of the commands that ``target`` carries out; their ids make a keymap work."""
    return [_binding(command) for command in COMMANDS if command.target is target and command.keys]


QUIT_ANYWHERE = Binding("ctrl+q", "quit", show=False, priority=True, id="quit-anywhere")
"""The way out that no dialog, no input and no keymap takes away."""


def bindings_of(*names: str) -> list[BindingType]:
    """The bindings of the commands with these ids."""
    return [_binding(BY_ID[name]) for name in names]


def _binding(command: Command) -> Binding:
    return Binding(",".join(command.keys), command.action, command.title, show=False, id=command.id)


def keys_in_force(screen: Screen[None]) -> dict[str, tuple[str, ...]]:
    """The keys that run each command on a screen now, a user's keymap applied."""
    keys: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        name = "quit" if active.binding is QUIT_ANYWHERE else active.binding.id
        if name is not None and name in BY_ID:
            keys.setdefault(name, []).append(key)
    return {name: tuple(_as_registered(name, found)) for name, found in keys.items()}


def _as_registered(name: str, keys: list[str]) -> list[str]:
    """The keys of a command, those of the registry in its order."""
    order = {key: place for place, key in enumerate(BY_ID[name].keys)}
    return sorted(keys, key=lambda key: order.get(key, -1))
