"""How old a memory is where file times say nothing, as after a checkout."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from memtui.memory.document import Pool

CLUSTER_MS = 10 * 60_000
"""Times within this span, milliseconds, look like a checkout."""
CLUSTER_SHARE = 0.8
"""The share of a root's files whose times must lie within the span."""
FEWEST = 5
"""Documents below which nothing can be told."""

_MODIFIED = re.compile(
    r"^[ \t]*(?:modified|updated|last_modified)[ \t]*:[ \t]*['\"]?([0-9][^'\"\n#]*)", re.MULTILINE
)


def modified_ms(frontmatter: str) -> float | None:
    """The time that ``modified:`` names, epoch milliseconds; None without a readable one.

    A date or an ISO-8601 time, UTC if it names no zone; also under ``metadata:``.
    """
    found = _MODIFIED.search(frontmatter)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(found.group(1).strip())
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.timestamp() * 1000
    except (ValueError, OverflowError):
        return None


def clustered_roots(pool: Pool) -> tuple[str, ...]:
    """Roots most of whose files have times within minutes of each other."""
    found = []
    for report in pool.scopes:
        times = sorted(each.mtime_ms for each in pool.documents if each.scope is report.scope)
        needed = max(FEWEST, int(CLUSTER_SHARE * len(times)))
        spans = zip(times, times[needed - 1 :], strict=False)
        if len(times) >= FEWEST and any(last - first <= CLUSTER_MS for first, last in spans):
            found.append(report.root)
    return tuple(found)


def clustered_notice(pool: Pool) -> str | None:
    """One line on roots whose file times say nothing; None where there are none."""
    roots = clustered_roots(pool)
    if not roots:
        return None
    return (
        f"most files of {' and '.join(roots)} have times within minutes of each other, as after a "
        "checkout; --recency modified takes the age from modified: in the frontmatter"
    )
