"""Thesauri in the MyThes format, as LibreOffice and Debian (`mythes-es`, `mythes-de`, ...) have them for some thirty languages.

The first line names the encoding. Then every entry is `word|number of meanings`, and each meaning a line `(kind)|synonym|synonym ...`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from metaphrase.core.errors import InputError
from metaphrase.core.signature import content_hash
from metaphrase.text.languages import Language, language

__all__ = ["Thesaurus", "read_thesaurus"]

_REMARK = re.compile(r"\s*\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """Single words that are listed as synonyms, by lemma; phrases are left out."""

    listed: frozenset[tuple[str, str]]
    digest: str

    def lists(self, a: str, b: str, words: Language) -> bool:
        """Whether one of two words is an entry's synonym of the other, in whatever inflection."""
        return any(pair in self.listed for x in words.forms(a) for y in words.forms(b) for pair in ((x, y), (y, x)))


@lru_cache(maxsize=4)
def read_thesaurus(path: Path, code: str) -> Thesaurus:
    try:
        data = path.read_bytes()
        encoding, *lines = data.split(b"\n")
        texts = [line.decode(encoding.decode("ascii").strip()) for line in lines]
    except (OSError, LookupError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot read the thesaurus: {error}") from error
    words = language(code)
    listed: set[tuple[str, str]] = set()
    number = 0
    while number < len(texts):
        line = texts[number].rstrip("\r")
        number += 1
        if not line:
            continue
        entry, _, count = line.rpartition("|")
        if not entry or not count.isdigit() or number + int(count) > len(texts):
            raise InputError(f"{path}:{number + 1}: not an entry of a MyThes thesaurus (word|number of meanings): {line[:60]!r}")
        for meaning in texts[number : number + int(count)]:
            synonyms = [_REMARK.sub("", s).strip() for s in meaning.rstrip("\r").split("|")[1:]]
            listed.update((x, y) for s in synonyms if s and " " not in s + entry for x in words.forms(entry) for y in words.forms(s))
        number += int(count)
    return Thesaurus(frozenset(listed), content_hash(data.hex())[:8])
