"""How the app is driven where a browser shows it."""

from __future__ import annotations

from textual.drivers.web_driver import WebDriver
from textual.messages import ExitApp


class ServedDriver(WebDriver):
    """Ends the app when its server is gone, however that ended: nobody could end it any more."""

    def run_input_thread(self) -> None:
        """Reads keys until the server closes their pipe."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(ExitApp())
