"""The board with other rankers and with the expansion of the query."""

from __future__ import annotations

from dataclasses import replace

from memtui.recall.expansion import Expansion
from memtui.tui.asking import EMBEDDINGS, who_is_asked
from memtui.tui.screens.rankers import RankerScreen, RankersScreen
from memtui.tui.screens.selecting import Selecting
from memtui.tui.view.pieces import Line, Piece, line


class Ranking(Selecting):
    """Ranks by what the agents do, or by something else."""

    def title_notes(self) -> Line:
        """Whether the query is expanded, and who selects, for the title bar."""
        if self.options.expand is None:
            return super().title_notes()
        added = 0 if self.view is None else len(self.view.recall.query.added_terms)
        return (*line(Piece(f"   expanded +{added}", "warning")), *super().title_notes())

    def action_ranker(self) -> None:
        """Chooses a ranker."""
        self.app.push_screen(RankerScreen(self.options, self.action_rank_by))

    def action_rank_by(self, name: str) -> None:
        """Recalls with a ranker; an endpoint that it needs is asked at once."""
        self.options = replace(self.options, ranker=name)
        self.ask()
        if who_is_asked(self.options) == EMBEDDINGS:
            self._wanted = self.query_bar.input.value

    def action_expand(self) -> None:
        """Expands the query, or leaves it alone again."""
        before = self.options.expand
        hook = None if before is not None else Expansion(self.session.config.synonyms)
        self.options = replace(self.options, expand=hook)
        self.ask()

    def action_rankers(self) -> None:
        """Shows the ranks of every ranker side by side."""
        if self.view is not None:
            dialog = RankersScreen(self.view, self.options, self.action_rank_by)
            self.app.push_screen(dialog, self._highlight)

    def _highlight(self, key: str | None) -> None:
        if key is not None and self.view is not None and self.view.entry(key) is not None:
            self._user_moved = True
            self.highlighted = key
