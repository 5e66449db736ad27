"""BERT's word pieces, and which word each belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from metaphrase.core.errors import InputError

__all__ = ["Pieces", "WordPieces", "read_vocabulary"]

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a sequence of words: their ids and, for each, the position of its word."""

    ids: tuple[int, ...]
    words: tuple[int, ...]


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """One piece a line; the line's number is the id."""
    # Only \n ends a line: some pieces are characters that str.splitlines would cut at.
    pieces = tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))
    missing = [name for name in _SPECIAL if name not in pieces]
    if missing:
        raise InputError(f"{path}: not a BERT vocabulary: {', '.join(missing)} missing")
    return pieces


class WordPieces:
    """A cased tokenizer: no lower-casing, no accent stripping, every Chinese character for itself."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        ids = {piece: number for number, piece in enumerate(self.vocabulary)}
        self.padding, self.unknown, self.first, self.last, self.mask = (ids[name] for name in _SPECIAL)
        self._tokenizer = Tokenizer(models.WordPiece(vocab=ids, unk_token="[UNK]", max_input_chars_per_word=100))
        self._tokenizer.normalizer = normalizers.BertNormalizer(
            clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=False
        )
        self._tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        self._word = lru_cache(maxsize=65_536)(self.text)

    def text(self, text: str) -> tuple[int, ...]:
        """The pieces of running text."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def words(self, words: Sequence[str]) -> Pieces:
        """Pieces word by word. A word that has none (an ideographic space, a control character) becomes unknown."""
        ids: list[int] = []
        owners: list[int] = []
        for position, word in enumerate(words):
            pieces = self._word(word) or (self.unknown,)
            ids.extend(pieces)
            owners.extend([position] * len(pieces))
        return Pieces(tuple(ids), tuple(owners))
