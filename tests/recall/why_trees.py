"""Trees to lose memories in, and the application of a remedy for real: to files, not in memory."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memtui.limits import Limits
from memtui.memory.document import Document, Pool, Scope, SkippedFile
from memtui.memory.scan import Source, scan_pool
from memtui.recall.options import Ablations, RecallOptions
from memtui.recall.pipeline import Recall, recall
from memtui.recall.why.changes import Change
from memtui.recall.why.explain import Why, explain
from memtui.recall.why.ladder import Rung
from memtui.recall.why.remedies import Remedy
from memtui.recall.why.target import find_target
from tests.helpers import DAY_MS, NOW_MS

REACHES = ("pool", "candidates", "manifest", "selection", "context")
KINDS = ("tools", "limit", "touch", "frontmatter", "query", "content")
OUT_OF_REACH = ("unreadable", "vanished", "not-a-regular-file", "outside-root", "excluded")
"""Reasons that no change of a recall can mend."""


@dataclass(frozen=True)
class Tree:
    """Roots on disk with what is asked of them."""

    roots: dict[Scope, Path]
    dialect: str = "qwen"
    options: RecallOptions = field(default_factory=lambda: RecallOptions(now_ms=NOW_MS))
    exclude: tuple[str, ...] = ()

    @classmethod
    def at(cls, root: Path, dialect: str = "qwen", **options: Any) -> Tree:
        """One project root; options are those of a recall, ``limits`` as a mapping."""
        limits = Limits().with_values(options.pop("limits", {}))
        ablations = Ablations.parse(options.pop("ablations", {}))
        exclude = options.pop("exclude", ())
        made = RecallOptions(limits=limits, ablations=ablations, now_ms=NOW_MS, **options)
        return cls({Scope.PROJECT: root}, dialect, made, exclude)

    def pool(self) -> Pool:
        """A scan."""
        sources = [
            Source(scope, str(root), self.dialect)  # type: ignore[arg-type]
            for scope, root in self.roots.items()
        ]
        return scan_pool(sources, self.options.limits, exclude=self.exclude)

    def ask(self, query: str, pool: Pool | None = None) -> Recall:
        """A recall."""
        return recall(query, pool or self.pool(), self.options)

    def why(self, query: str, name: str) -> Why:
        """The whole answer for one memory."""
        result = self.ask(query)
        return explain(result, find_target(result.pool, name, folder="/"))


def lost(why: Why) -> Rung:
    """The stage where it was lost."""
    found = [rung for rung in why.ladder if rung.verdict == "lost"]
    assert len(found) == 1, why.ladder
    return found[0]


def reason_of(why: Why) -> tuple[str, str | None]:
    """Stage and reason."""
    rung = lost(why)
    return rung.stage, rung.reason


def first(why: Why) -> Change:
    """The one change of the first remedy."""
    assert why.remedies, why.advice
    (change,) = why.remedies[0].changes
    return change


# -- for real -------------------------------------------------------------------------------------


def reached(result: Recall, target: Document | SkippedFile) -> str | None:
    """How far the file of a target came in a recall."""
    document = next((each for each in result.pool.documents if each.path == target.path), None)
    if document is None:
        return None
    if document.id in result.context.kept:
        return "context"
    if document.id in result.selection.ids:
        return "selection"
    packed = {each.document.id: each.packed for each in result.manifest.verdicts}
    if document.id not in packed:
        return "pool"
    return "manifest" if packed[document.id] else "candidates"


def applied(
    tree: Tree, query: str, target: Document | SkippedFile, changes: Sequence[Change]
) -> Recall:
    """The recall of the tree with changes made to its files and options; the file is put back."""
    with file_kept(Path(target.path)) as path:
        for change in changes:
            if change.kind == "query":
                query = str(change.value)
            elif change.kind in ("limit", "tools"):
                tree = replace(tree, options=changed_options(tree.options, change))
            elif change.kind == "touch":
                os.utime(path, ns=(int(NOW_MS * 1e6),) * 2)
            else:
                before = path.stat().st_mtime_ns
                text = path.read_bytes().decode("utf-8", "replace")
                path.write_bytes(edited(text, change).encode())
                os.utime(path, ns=(before, before))
        return tree.ask(query)


@contextmanager
def file_kept(path: Path) -> Iterator[Path]:
    """Bytes and time of a file are as before in the end."""
    if not path.is_file():
        yield path
        return
    content, before = path.read_bytes(), path.stat().st_mtime_ns
    try:
        yield path
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(before, before))


def changed_options(options: RecallOptions, change: Change) -> RecallOptions:
    """The options with a limit set, or without some tools."""
    if change.kind == "tools":
        left = tuple(each for each in options.recent_tools if each not in change.remove)
        return replace(options, recent_tools=left)
    if change.name == "limit":
        return replace(options, requested_limit=change.value)
    return replace(options, limits=options.limits.with_values({change.name: int(change.value)}))


def edited(text: str, change: Change) -> str:
    """What somebody has who makes a change of text in an editor."""
    if change.kind == "content":
        return str(change.value)
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    fences = [at for at, line in enumerate(lines) if line.startswith("---") and at > start]
    if not fences:
        return text
    end = fences[0]
    new = f"{change.name}: {change.value}"
    places = [at for at in range(start + 1, end) if re.match(f"{change.name}[ \t]*:", lines[at])]
    if not places:
        return "\n".join([*lines[:end], new, *lines[end:]])
    kept: list[str] = []
    dropping = False
    for at in range(start + 1, end):
        if at in places:
            dropping = True
            kept += [new] if at == places[0] else []
        elif not (dropping and (not lines[at].strip() or lines[at][0] in " \t")):
            dropping = False
            kept.append(lines[at])
    return "\n".join([*lines[: start + 1], *kept, *lines[end:]])


def check_remedies(tree: Tree, query: str, target: Document | SkippedFile, why: Why) -> None:
    """Every remedy leads where it says, needs all its changes, and is as small as it says."""
    result = tree.ask(query)
    before = reached(result, target)
    for remedy in why.remedies:
        told = (query, target.relative_path, remedy.detail)
        assert reached(applied(tree, query, target, remedy.changes), target) == remedy.leads_to, (
            told
        )
        assert place(before) < place(remedy.leads_to), told
        assert 1 <= len(remedy.changes) <= 2, told
        assert len({(each.kind, each.name) for each in remedy.changes}) == len(remedy.changes)
        for at, change in enumerate(remedy.changes):
            others = [*remedy.changes[:at], *remedy.changes[at + 1 :]]
            if others:
                assert place(reached(applied(tree, query, target, others), target)) < place(
                    remedy.leads_to
                ), told
            if change.kind == "limit":
                less = replace(change, value=int(change.value) - 1)
                fewer = [*remedy.changes[:at], less, *remedy.changes[at + 1 :]]
                found = reached(applied(tree, query, target, fewer), target)
                assert place(found) < place(remedy.leads_to), told
            check_size(query, target, change)


def place(reach: str | None) -> int:
    """The place of a stage; -1 before the pool."""
    return -1 if reach is None else REACHES.index(reach)


def check_size(query: str, target: Document | SkippedFile, change: Change) -> None:
    """A change of text adds at most two words to one field, or cuts one."""
    if change.kind == "query":
        check_words(query, str(change.value))
    elif change.kind == "frontmatter" and isinstance(target, Document):
        key = "description" if change.name == "description" else "title"
        check_words(getattr(target, key), str(change.value))


def check_words(before: str, after: str) -> None:
    """At most two words more, or words left out, or the beginning of it."""
    old, new = before.split(), after.strip('"').split()
    more = [word for word in new if word not in old]
    if before.startswith(after):
        return
    assert len(more) <= 2, (before, after)
    left = iter(old)
    assert all(word in left for word in new if word not in more), (before, after)


def check_order(why: Why, natural: Sequence[str]) -> None:
    """The natural kind first; after it those that lead further, then the smaller kinds."""
    if not why.remedies:
        return
    single = [each for each in why.remedies if len(each.changes) == 1]
    if any(each.changes[0].kind in natural for each in single):
        assert why.remedies[0].changes[0].kind in natural, why.remedies
    rest = [rank_of(each) for each in why.remedies[1:]]
    assert rest == sorted(rest), why.remedies


def rank_of(remedy: Remedy) -> tuple[int, int]:
    """Further first, then the smaller kind."""
    largest = max(KINDS.index(change.kind) for change in remedy.changes)
    return -REACHES.index(remedy.leads_to), largest


NATURAL = {
    "tool-noise": ("tools",),
    "line-does-not-fit": ("limit", "frontmatter"),
    "too-old-for-reserve": ("touch",),
    "no-lexical-hit": ("query", "frontmatter"),
    "rank-below-limit": ("limit", "frontmatter", "query"),
    "max-chars": ("limit", "content"),
    "too-large": ("limit", "content"),
    "beyond-capped-scan": ("limit", "touch"),
}


# -- random trees ---------------------------------------------------------------------------------

SYLLABLES = re.findall(
    "[a-z]+", "ka lo mi ter ban dro pex sil vun gor tel fri zan qui mos bel tur nak"
)
CJK = "部署回滚支付回调重复队列令牌缓存数据库迁移发布窗口订单结算报警值班デプロイ手順배포동결"


def vocabulary(rng: random.Random, size: int) -> list[str]:
    """Invented words."""
    return list(
        dict.fromkeys("".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(size))
    )


def write_random_tree(
    rng: random.Random,
    root: Path,
    count: int,
    words: Sequence[str],
    *,
    broken: float = 0.08,
    cjk: float = 0.1,
) -> None:
    """Memories of words that are used unequally often; some can not be read."""
    weights = [1 / (rank + 2) for rank in range(len(words))]

    def say(most: int, least: int = 0) -> str:
        if rng.random() < cjk:
            return "".join(rng.choices(CJK, k=rng.randint(max(2, least), most + 4)))
        return " ".join(rng.choices(words, weights, k=rng.randint(least, most)))

    for number in range(count):
        kind = rng.choice(["user", "feedback", "project", "reference"])
        body = say(rng.choice([3, 60, 320]), 1)
        if rng.random() < 0.05:
            body = f"the grep tool usage api docs {body}"
        text = (
            f"---\nname: {say(5, 1)}\ndescription: {say(rng.choice([6, 25, 70]))}\n"
            f"type: {kind}\n---\n\n{body}\n"
        )
        if rng.random() < broken:
            text = rng.choice(BREAKS)(text, kind)
        folder = rng.choice(["", "", "user/", "notes/deep/"])
        path = root / f"{folder}m{number:04d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        age = rng.choice([rng.random() * 400, rng.randint(0, 40)])
        os.utime(path, ns=(int((NOW_MS - age * DAY_MS) * 1e6),) * 2)


BREAKS = (
    lambda text, kind: text.replace(f"type: {kind}\n", f"metadata:\n  type: {kind}\n"),
    lambda text, kind: text.replace(f"type: {kind}\n", f'type: "{kind}"\n'),
    lambda text, kind: text.replace(f"type: {kind}\n", ""),
    lambda text, kind: f"\ufeff{text}",
    lambda text, kind: text.split("---\n\n", 1)[1],
    lambda text, kind: text.replace("\n---\n\n", "\n\n"),
    lambda text, kind: text.replace("\n", "\r\n"),
    lambda text, kind: f"\n{text}",
)
