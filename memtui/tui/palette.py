"""The command palette: every command of the registry that makes sense now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from memtui.tui.commands import COMMANDS, Command, shown_keys
from memtui.tui.screens.board import Board


class CommandProvider(Provider):
    """Offers commands by their title; the key stands in the help."""

    @property
    def _offered(self) -> list[Command]:
        screen = self.screen
        if not isinstance(screen, Board):
            return []
        context = screen.context
        return [command for command in COMMANDS if command.offered and command.allowed(context)]

    async def discover(self) -> Hits:
        """Every command, before anything is typed."""
        for command in self._offered:
            yield DiscoveryHit(command.title, self._runner(command), help=_help(command))

    async def search(self, query: str) -> Hits:
        """The commands whose title is like what was typed."""
        matcher = self.matcher(query)
        for command in self._offered:
            score = matcher.match(command.title)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(command.title),
                    self._runner(command),
                    help=_help(command),
                )

    def _runner(self, command: Command) -> Callable[[], Awaitable[None]]:
        screen = self.screen
        assert isinstance(screen, Board)
        return partial(screen.run_command, command)


def _help(command: Command) -> str:
    keys = shown_keys(command)
    return f"{keys}  {command.help}" if keys else command.help
