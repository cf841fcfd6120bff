"""A widget with titles in its border."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

NOTHING = Content("")


class Titled(Widget):
    """Draws the edges alone where only its titles change, and nothing where they do not.

    It goes last among the bases: Textual takes the style sheet of the first one.
    """

    _border_texts: tuple[Content, Content] | None = None
    _edges_alone = False

    def entitle(self, title: Content, subtitle: Content = NOTHING) -> None:
        """Sets the titles of the upper and the lower border."""
        if self._border_texts and all(map(Content.is_same, self._border_texts, (title, subtitle))):
            return
        self._border_texts = (title, subtitle)
        self._edges_alone = True
        try:
            self.border_title = title
            self.border_subtitle = subtitle
        finally:
            self._edges_alone = False

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Titled:
        """Draws it again, or some regions of it."""
        if self._edges_alone and not regions:
            regions = self._edges()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def _edges(self) -> tuple[Region, ...]:
        (left, top), (width, height) = self.content_offset, self.outer_size
        return Region(-left, -top, width, 1), Region(-left, height - 1 - top, width, 1)
