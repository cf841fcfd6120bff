"""The order of base names that share one modification time: ICU's root collation."""

from __future__ import annotations

_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_PRIMARY = {
    character: place
    for place, character in enumerate(
        _PUNCTUATION + "0123456789" + "abcdefghijklmnopqrstuvwxyz", start=1
    )
}
_OTHERS = 1_000

CollationKey = tuple[tuple[int, ...], tuple[bool, ...]]


def collation_key(name: str) -> CollationKey:
    """A sort key: without case first, then lower before upper; other characters by code point.

    Exact for ASCII names (`tests/data/scan_order.json`).
    """
    primary = tuple(
        _PRIMARY.get(_ascii_lower(character)) or _OTHERS + ord(character) for character in name
    )
    return primary, tuple("A" <= character <= "Z" for character in name)


def _ascii_lower(character: str) -> str:
    return character.lower() if "A" <= character <= "Z" else character
