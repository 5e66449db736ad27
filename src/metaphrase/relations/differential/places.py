"""Folding: what all pairs of engines say about one place in the sentence becomes one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metaphrase.core.values import Span
from metaphrase.relations.closure.comparison import Comparison
from metaphrase.relations.closure.views import Text
from metaphrase.relations.differential.pairs import Rendered
from metaphrase.relations.differential.parts import Part
from metaphrase.text.languages import Language

__all__ = ["Mark", "Place", "Word", "fold_marks", "same_slots"]

_LINKED = 0.3
# Words between the same neighbours belong together if there are no more than this.
_SLOT = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """Word `index` of an engine's translation is part of a difference of this kind; `blamed` is the engine whose fault it is, if that is known."""

    engine: str
    index: int
    weight: float
    kind: str = "wording"
    reason: str = ""
    blamed: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """One place where engines differ: the source words, each engine's words, and what kind of difference it is."""

    kind: str
    source: str
    spans: tuple[Span, ...]
    weight: float
    reason: str
    part: str
    main: bool
    blamed: tuple[str, ...]

    @property
    def certain(self) -> bool:
        """Found by a rule, not weighed."""
        return self.kind not in ("wording", "one-sided")

    def plain(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "certain": self.certain,
            "source": self.source,
            "part": self.part,
            "main": self.main,
            "blamed": list(self.blamed),
            "weight": round(self.weight, 4),
            "spans": [{"text": s.text, "start": s.start, "end": s.end, "quote": s.quote} for s in self.spans],
            "reason": self.reason,
        }


Word = tuple[str, int]


def same_slots(engines: tuple[str, str], comparison: Comparison, marks: Sequence[Mark]) -> list[tuple[Word, Word]]:
    """Marked words of two engines that stand between the same neighbours: what the one has is what the other has there."""
    own = [[m.index for m in marks if m.engine == engine] for engine in engines]
    found = []
    for i in own[0]:
        slot = comparison.slot(0, i)
        if len(slot) <= _SLOT:
            found += [((engines[0], i), (engines[1], j)) for j in own[1] if j in slot and i in comparison.slot(1, j)]
    return found


def fold_marks(
    source: Text,
    renderings: Mapping[str, Rendered],
    marks: Sequence[Mark],
    together: Sequence[tuple[Word, Word]],
    parts: Sequence[Part],
    language: Language,
) -> list[Place]:
    """Connected components of marked words, heaviest first.

    Words are connected as neighbours in a translation, as renderings of the same source word, or as stated in `together`.
    """
    best: dict[Word, Mark] = {}
    for mark in marks:
        key = (mark.engine, mark.index)
        if key not in best or (mark.kind != "wording", mark.weight) > (best[key].kind != "wording", best[key].weight):
            best[key] = mark
    parent = {key: key for key in best}

    def root(key: Word) -> Word:
        while parent[key] != key:
            key = parent[key]
        return key

    owners: dict[int, Word] = {}
    sources: dict[Word, list[int]] = {}
    for key in sorted(best):
        engine, index = key
        if (engine, index - 1) in best:
            parent[root(key)] = root((engine, index - 1))
        linked = [(w, i) for i, w in renderings[engine].links.of_target(index) if w > _LINKED and language.is_content(source.words[i])]
        sources[key] = [i for _, i in linked]
        for _, i in linked[:2]:
            if i in owners:
                parent[root(key)] = root(owners[i])
            owners[i] = key
    for one, other in together:
        if one in best and other in best:
            parent[root(one)] = root(other)
    groups: dict[Word, list[Word]] = {}
    for key in sorted(best):
        groups.setdefault(root(key), []).append(key)
    places = [
        _place(source, renderings, [best[k] for k in keys], sorted({i for k in keys for i in sources[k]}), parts)
        for keys in groups.values()
    ]
    return sorted(places, key=lambda p: (not p.certain, -p.weight))


def _place(source: Text, renderings: Mapping[str, Rendered], marks: Sequence[Mark], words: Sequence[int], parts: Sequence[Part]) -> Place:
    spans = tuple(span for engine in renderings for span in _spans(renderings[engine], [m.index for m in marks if m.engine == engine]))
    quoted = {engine: " … ".join(s.quote for s in spans if s.text == engine) for engine in renderings}
    special = next((m for m in marks if m.kind != "wording"), None)
    about = source.quote(words) if words else ""
    engines = [engine for engine in renderings if quoted[engine]]
    kind = special.kind if special else ("wording" if len(engines) > 1 else "one-sided")
    if special and special.reason:
        reason = ", ".join(dict.fromkeys(m.reason for m in marks if m.kind == kind and m.reason))
    elif len(engines) > 1:
        reason = (f"on '{about}' " if about else "") + ", ".join(f"{engine} has '{quoted[engine]}'" for engine in engines)
    else:
        reason = f"only {engines[0]} has '{quoted[engines[0]]}'" + (f", for '{about}'" if about else "")
    part = max(parts, key=lambda p: sum(i in p.words for i in words), default=None) if words else None
    return Place(
        kind,
        about,
        spans,
        max(m.weight for m in marks),
        reason,
        part.quote(source) if part else "",
        part.main if part else False,
        tuple(dict.fromkeys(m.blamed for m in marks if m.blamed)),
    )


def _spans(rendered: Rendered, indexes: Sequence[int]) -> list[Span]:
    """Neighbouring words as one span."""
    spans: list[Span] = []
    last = -2
    for k in sorted(set(indexes)):
        token = rendered.text.tokens[k]
        start = spans.pop().start if spans and k == last + 1 else token.start
        spans.append(Span(rendered.engine, start, token.end, rendered.text.text[start : token.end]))
        last = k
    return spans
