"""How much the citation grammar costs, as a ratio to one plain regex over the same text.

    python -m tests.bench.bench_citations

Prints one JSON object: for each text, the ratios of `validate_citations` and `neutralise`, best of
five. Ratios, because seconds say more about the machine than about the code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from time import perf_counter

from memtui.citations import neutralise, validate_citations

MEGABYTE = 1_000_000
PLAIN = re.compile(r"\[id:([^\[\]\s]++)\]")

UNITS = {
    "prose": "What the team agreed on in spring still holds. ",
    "prose, cited": "What the team agreed on in spring [id:3fa9c1d2] still holds. ",
    "prose, Chinese": "团队在春天达成的协议仍然有效【id：9】。",
    "valid": "[id:1]",
    "rejected": "[id:9]",
    "partial": "[id:1, 9]",
    "unclosed": "[id:9",
    "no item": "[id:",
    "openers": "[",
    "invisible": "[i\u200bd:\u200b1]",
    "suspects": "(id=9 ",
}


def bench_citations() -> dict[str, dict[str, float]]:
    """Text → operation → ratio to the plain regex."""
    return {name: _ratios(unit * (MEGABYTE // len(unit))) for name, unit in UNITS.items()}


def _ratios(text: str) -> dict[str, float]:
    plain = _best(lambda: sum(1 for _ in PLAIN.finditer(text)))
    return {
        "validate": round(_best(lambda: validate_citations(text, {"1", "3fa9c1d2"})) / plain, 1),
        "neutralise": round(_best(lambda: neutralise(text)) / plain, 1),
    }


def _best(run: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest of `times` runs."""
    seconds = []
    for _ in range(times):
        started = perf_counter()
        run()
        seconds.append(perf_counter() - started)
    return min(seconds)


if __name__ == "__main__":
    print(json.dumps(bench_citations(), indent=2))
