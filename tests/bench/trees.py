"""Large memory trees for the benches: invented, deterministic, of realistic size."""

from __future__ import annotations

import os
from pathlib import Path

SUBJECTS = ("release", "rollback", "queue", "invoice", "search", "login", "backup", "export")
PLACES = ("checkout", "stock", "mailer", "catalog", "reviews", "accounts", "feeds", "vouchers")
KINDS = ("user", "feedback", "project", "reference")
LINES = (
    "The worker is drained before anything else happens; the runbook says in which order.",
    "If the replica lags more than a minute, wait: the numbers on the board are wrong then.",
    "Ask the person on call first, the escalation list is older than the team.",
    "The old column stays for two releases, so that a rollback finds what it needs.",
    "Measured again after the move: 340 ms at the median, 1.2 s for the slowest tenth.",
    "The test for it is slow because it starts a real database; run it alone.",
)
NOW_MS = 1_772_442_000_000


def write_tree(root: Path, count: int, *, nested: bool = False) -> None:
    """Writes ``count`` memories in 50 folders; ``nested`` puts the type under metadata."""
    for folder in range(50):
        (root / f"t{folder:02}").mkdir(parents=True, exist_ok=True)
    for number in range(count):
        subject = SUBJECTS[number % len(SUBJECTS)]
        place = PLACES[number // 8 % len(PLACES)]
        kind = KINDS[number % 4]
        typed = f"metadata:\n  type: {kind}" if nested else f"type: {kind}"
        body = "\n".join(
            f"{LINES[(number + line) % len(LINES)]} ({number}.{line})" for line in range(10)
        )
        text = (
            f"---\nname: {subject.title()} of {place}, note {number}\n"
            f"description: How the {subject} of {place} is done since change {number}\n"
            f"{typed}\n---\n\n{body}\n"
        )
        path = root / f"t{number % 50:02}" / f"{subject}-{place}-{number}.md"
        path.write_text(text)
        nanoseconds = (NOW_MS - number * 60_000) * 1_000_000
        os.utime(path, ns=(nanoseconds, nanoseconds))


def read_everything(root: Path) -> int:
    """The floor: a plain loop that lists and reads the same files once; bytes read."""
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                total += len(file.read())
    return total
