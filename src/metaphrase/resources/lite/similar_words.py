"""The similar-words table: what may stand in a word's place, from two models' vectors.

The tables are built by `scripts/build_similar_words_*.py`; the file beside each says from what.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from metaphrase.core.errors import MissingResourceError
from metaphrase.core.options import Options, configured_by, read_options
from metaphrase.core.signature import Signature, content_hash
from metaphrase.resources.protocols import SimilarWord

__all__ = ["SimilarWordsTable", "similar_words"]

_KINDS = ("similar", "antonym", "unrelated")


class TableOptions(Options):
    """There is nothing to set."""


class SimilarWordsTable:
    """Rows `kind, tag, word, other, score`; "similar" holds both ways."""

    def __init__(self, language: str, rows: str) -> None:
        self._language = language
        self._digest = content_hash(rows)[:8]
        found: dict[tuple[str, str, str], list[SimilarWord]] = defaultdict(list)
        for line in rows.splitlines():
            kind, tag, word, other, score = line.split("\t")
            found[kind, tag, word].append(SimilarWord(other, float(score)))
            if kind == "similar":
                found[kind, tag, other].append(SimilarWord(word, float(score)))
        self._rows = {key: tuple(sorted(words, key=lambda w: (-w.score, w.text))) for key, words in found.items()}

    def words(self, word: str, tag: str, kind: str = "similar") -> tuple[SimilarWord, ...]:
        """Best first; empty if the table does not know the word with this tag."""
        assert kind in _KINDS
        return self._rows.get((kind, tag, word), ())

    def signature(self) -> Signature:
        return Signature("similar-words", "1", {"language": self._language, "table": self._digest})


@configured_by(TableOptions)
def similar_words(language: str, options: Mapping[str, Any]) -> SimilarWordsTable:
    read_options(TableOptions, options, "[resource.similar-words]")
    return _load(language.split("-")[0])


@cache
def _load(language: str) -> SimilarWordsTable:
    resource = files("metaphrase.resources.lite") / "data" / f"similar-words-{language}.tsv"
    if not resource.is_file():
        raise MissingResourceError(
            f"there is no similar-words table for '{language}' (only for en and zh): "
            "use --profile neural, where a masked language model proposes the words"
        )
    return SimilarWordsTable(language, resource.read_text(encoding="utf-8"))
