"""Adjuncts: what a sentence can do without. CIT takes them out and puts one back; PatInv takes one out.

On full trees they are the constituents that METHODS names (SBAR, PP, ADVP, parentheses) outside the verb's frame; on the flat trees of
the lite profile the same are read off the sequence of phrases, only where nothing else can be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metaphrase.text.languages import Language
from metaphrase.text.tokens import is_opaque, is_word
from metaphrase.text.trees import Tree
from metaphrase.transforms.sentences import Sentence, is_noun

__all__ = ["Adjunct", "adjuncts", "without"]

_MARKS = frozenset(", ， 、 ; ； :".split())
_ENDS = frozenset(". ! ? 。 ！ ？ ; ；".split())
_OPENERS = {"(": ")", "（": "）", "[": "]"}
_RELATIVE_TAGS = ("WDT", "WP", "WP$", "WHNP")


@dataclass(frozen=True, slots=True, order=True)
class Adjunct:
    """Characters [start, end) of a sentence, commas that belong to it included; `kind` is the constituent's label."""

    start: int
    end: int
    kind: str


def adjuncts(sentence: Sentence, language: Language) -> list[Adjunct]:
    """The longest ones that do not overlap, in order."""
    inner = _of_sequence(sentence, language) if _is_flat(sentence.tree) else _of_tree(sentence.tree, sentence, language)
    found = [*_bracketed(sentence), *inner]
    kept: list[Adjunct] = []
    for one in sorted(set(found), key=lambda a: (a.start - a.end, a.start)):
        if all(one.end <= other.start or other.end <= one.start for other in kept) and _is_free(sentence, one):
            kept.append(one)
    return sorted(kept)


def without(sentence: Sentence, removed: Sequence[Adjunct]) -> str:
    """The sentence without some adjuncts: spaces and the capital at the start are put right."""
    pieces = []
    done = 0
    for one in sorted(removed):
        pieces.append(sentence.text[done : one.start])
        done = one.end
    pieces.append(sentence.text[done:])
    return _tidy(pieces, capital=sentence.text[:1].isupper())


def _tidy(pieces: Sequence[str], *, capital: bool) -> str:
    text = ""
    for piece in pieces:
        if text and piece and text[-1].isspace() and (piece[0].isspace() or not (piece[0].isalnum() or piece[0] in "\"'“‘($£€¥<{%")):
            text = text.rstrip()
        elif text and piece and text[-1].isalnum() and piece[0].isalnum() and text[-1].isascii() and piece[0].isascii():
            text += " "
        text += piece if text else piece.lstrip(" ,，")
    text = text.strip()
    return text[:1].upper() + text[1:] if capital else text


def _is_free(sentence: Sentence, one: Adjunct) -> bool:
    """Opaque tokens are never lost, and what is left must not begin in the middle of a quotation."""
    inside = [w for w in sentence.words if one.start <= w.start < one.end]
    quotes = sum(sentence.text.count(q, one.start, one.end) for q in '"“”')
    return bool(inside) and not any(is_opaque(w.text) for w in inside) and quotes % 2 == 0 and len(inside) < len(sentence.words) - 2


def _bracketed(sentence: Sentence) -> Iterator[Adjunct]:
    words = sentence.words
    for i, word in enumerate(words):
        if word.text in _OPENERS:
            closing = next((w for w in words[i + 1 :] if w.text == _OPENERS[word.text]), None)
            if closing is not None:
                yield Adjunct(word.start, closing.end, "PRN")


def _is_flat(tree: Tree) -> bool:
    """A tree of the lite profile: its phrases stand side by side under the root."""
    return tree.label in ("S", "ROOT") and not any(
        t.label == "VP" and any(c.label in ("NP", "PP", "S", "SBAR") for c in t.children) for t in tree.subtrees()
    )


# --- full trees ---


def _of_tree(node: Tree, sentence: Sentence, language: Language) -> Iterator[Adjunct]:
    for position, child in enumerate(node.children):
        if child.is_leaf:
            continue
        kind = _adjunct_kind(node, position, language)
        if kind:
            yield _with_commas(sentence, child.start, child.end, kind)
        yield from _of_tree(child, sentence, language)


def _adjunct_kind(parent: Tree, position: int, language: Language) -> str:
    child = parent.children[position]
    before = parent.children[position - 1] if position else None
    first = child.tokens()[0].text.lower() if child.tokens() else ""
    match child.label:
        case "PRN" | "NP-TMP":
            return child.label
        case "PP":
            return (
                "PP"
                if len(child.children) > 1 and first not in language.bound_prepositions and _is_outside_the_frame(parent, before)
                else ""
            )
        case "ADVP":
            light = any(language.is_stop(t.text) or t.text.lower() in language.negations for t in child.tokens())
            return "ADVP" if not light and (before is None or not before.label.startswith(("VB", "VC"))) else ""
        case "SBAR":
            return "SBAR" if _is_adverbial_clause(parent, child, before, language) else ""
        case "DNP" | "LCP":
            return child.label if parent.label in ("NP", "IP", "VP") else ""
    return ""


def _is_outside_the_frame(parent: Tree, before: Tree | None) -> bool:
    """A phrase right behind the verb may be its object; behind an object, at the start of a clause or in a noun phrase it is not."""
    if parent.label in ("NP", "S", "IP"):
        return True
    return parent.label == "VP" and before is not None and before.label in ("NP", "PP", "ADVP")


def _is_adverbial_clause(parent: Tree, clause: Tree, before: Tree | None, language: Language) -> bool:
    opening = clause.children[0]
    if parent.label == "NP":
        return opening.label.startswith("WH") or any(leaf.label in _RELATIVE_TAGS for leaf in list(clause.leaves())[:1])
    words = clause.tokens()
    if opening.label.startswith("WHADVP"):
        return parent.label in ("S", "VP") and before is not None and not before.label.startswith("VB")
    return opening.label == "IN" and words[0].text.lower() not in language.complementizers


# --- flat trees ---


def _of_sequence(sentence: Sentence, language: Language) -> Iterator[Adjunct]:
    nodes = sentence.tree.children[0].children if sentence.tree.label == "ROOT" else sentence.tree.children
    yield from _opening_phrase(nodes, language)
    yield from _phrases_behind_objects(nodes, language)
    yield from _relative_clauses(nodes, language)
    yield from _adverbs(sentence, language)
    if language.compares_by_character:
        yield from _before_verbs(nodes, language)


def _text_of(node: Tree) -> str:
    tokens = node.tokens()
    return tokens[0].text.lower() if len(tokens) == 1 else ""


def _is_preposition(node: Tree, language: Language) -> bool:
    alone = node.label == "PP" and len(node.children) == 1 and node.children[0].label in ("IN", "P")
    return alone and _text_of(node) not in language.bound_prepositions


def _is_preposition_with_noun(node: Tree, language: Language) -> bool:
    labels = [child.label for child in node.children]
    return labels == ["IN", "NP"] and node.tokens()[0].text.lower() not in language.bound_prepositions


def _opening_phrase(nodes: Sequence[Tree], language: Language) -> Iterator[Adjunct]:
    """In 2010, ...: up to the first comma, if no verb stands before it and one stands behind."""
    if not nodes or not (_is_preposition(nodes[0], language) or nodes[0].label in ("PP", "ADVP")):
        return
    if language.free_prepositions and nodes[0].tokens()[0].text not in language.free_prepositions:
        return
    for i, node in enumerate(nodes[:8]):
        if node.label == "VP":
            return
        if _text_of(node) in _MARKS:
            if i and any(n.label == "VP" for n in nodes[i + 1 :]) and any(n.label == "NP" for n in nodes[i + 1 : i + 3]):
                yield Adjunct(nodes[0].start, node.end, "PP")
            return


def _phrases_behind_objects(nodes: Sequence[Tree], language: Language) -> Iterator[Adjunct]:
    """verb, object, preposition, noun phrase, and then the end of the clause: the last two can go."""
    for i in range(2, len(nodes) - 2):
        verb, thing, preposition, complement, following = *nodes[i - 2 : i], nodes[i], nodes[i + 1], nodes[i + 2]
        if not (_is_preposition(preposition, language) and complement.label == "NP" and _ends_clause(following)):
            continue
        if _text_of(following) in _MARKS and i + 3 < len(nodes) and nodes[i + 3].label == "NP":
            continue  # "for her son, Peter": what follows explains the phrase
        behind_object = thing.label == "NP" and verb.label == "VP" and not _asks_for_a_place(verb, language)
        behind_phrase = thing.label == "NP" and _is_preposition(verb, language)
        if behind_object or behind_phrase:
            yield Adjunct(preposition.start, complement.end, "PP")


def _asks_for_a_place(verb: Tree, language: Language) -> bool:
    return any(language.lemma(token.text) in language.placing_verbs for token in verb.tokens())


def _ends_clause(node: Tree) -> bool:
    return _text_of(node) in _ENDS or _text_of(node) in _MARKS


def _relative_clauses(nodes: Sequence[Tree], language: Language) -> Iterator[Adjunct]:
    """noun phrase, comma, who/which ... comma."""
    for i in range(1, len(nodes) - 2):
        if _text_of(nodes[i]) != "," or _text_of(nodes[i + 1]) not in language.relative_pronouns:
            continue
        for j in range(i + 2, min(len(nodes), i + 14)):
            if _text_of(nodes[j]) == ",":
                yield Adjunct(nodes[i].start, nodes[j].end, "SBAR")
                break
            if _text_of(nodes[j]) in _ENDS:
                yield Adjunct(nodes[i].start, nodes[j - 1].end, "SBAR")
                break
    for i, node in enumerate(nodes):
        closed = i + 1 < len(nodes) and _ends_clause(nodes[i + 1])
        for sub in node.subtrees():
            if sub.label == "SBAR" and closed and sub.end == node.end:
                yield Adjunct(sub.start, sub.end, "SBAR")
            if sub.label == "PP" and _is_preposition_with_noun(sub, language):
                yield Adjunct(sub.start, sub.end, "PP")


def _adverbs(sentence: Sentence, language: Language) -> Iterator[Adjunct]:
    """A manner adverb beside a verb."""
    words = sentence.words
    for i, word in enumerate(words):
        if word.tag not in ("RB", "AD") or not sentence.is_whole(i) or language.is_stop(word.text) or word.text in language.negations:
            continue
        if word.text in language.needed_adverbs:
            continue
        before_verb = i + 1 < len(words) and words[i + 1].tag.startswith("VB" if word.tag == "RB" else "VV")
        if word.tag == "AD" and (i + 2 >= len(words) or words[i + 2].tag == "PU"):
            continue  # 居民经常抱怨: a verb alone does not end a Chinese clause
        last = word.tag == "RB" and i + 1 < len(words) and words[i + 1].text in _ENDS
        if (before_verb or last) and (word.tag == "AD" or word.text.endswith("ly")) and sentence.lowered(i) == word.text:
            yield Adjunct(word.start, word.end, "ADVP")


def _before_verbs(nodes: Sequence[Tree], language: Language) -> Iterator[Adjunct]:
    """Chinese: where and when, right before the verb, and what 的 makes a modifier of a noun that needs none."""
    for i, node in enumerate(nodes):
        last = list(nodes[i - 1].leaves())[-1] if i else None
        before = last.label if last is not None else "PU"
        following = nodes[i + 1].label if i + 1 < len(nodes) else ""
        behind_subject = before in ("PU", "NN", "NR") or (last is not None and _text_of(last) in language.subject_pronouns)
        if node.label == "NT" and behind_subject and following in ("VP", "PP"):
            yield Adjunct(node.start, node.end, "NT")
        if node.label == "PP" and (behind_subject or before == "NT") and following == "VP" and _says_where(node, language):
            yield Adjunct(node.start, node.end, "PP")
        verb_has_subject = i > 1 and _text_of(nodes[i - 2]) not in _MARKS  # (到过东京)的人: a verb without one opens a relative clause
        if node.label == "NP" and node.children[0].label == "DNP" and (before == "PU" or (before == "AS" and verb_has_subject)):
            modifier = node.children[0]
            if all(leaf.label in _PLAIN_MODIFIERS for leaf in modifier.leaves()):
                yield Adjunct(modifier.start, modifier.end, "DNP")


# A modifier that points or counts (这座寺庙的, 一辆白色的) says which one is meant: without it the noun means something else.
_PLAIN_MODIFIERS = frozenset({"NN", "NR", "JJ", "DEG", "FW"})


def _says_where(phrase: Tree, language: Language) -> bool:
    """在学校, 在安静的图书馆里: one word, or closed by a word of place; anything longer may hold a verb."""
    if len(phrase.children) < 2 or phrase.tokens()[0].text not in language.free_prepositions:
        return False
    return phrase.children[-1].label == "LC" or len(phrase.tokens()) == 2


def _with_commas(sentence: Sentence, start: int, end: int, kind: str) -> Adjunct:
    """Take the commas along that set a constituent apart: both, or the one behind it at the start of the sentence."""
    words = sentence.words
    before = next((w for w in reversed(words) if w.end <= start), None)
    after = next((w for w in words if w.start >= end), None)
    if after is not None and after.text in (",", "，"):
        if before is None:
            return Adjunct(start, after.end, kind)
        if before.text in (",", "，"):
            return Adjunct(before.start, after.end, kind)
    elif before is not None and before.text in (",", "，") and after is not None and not is_word(after.text):
        return Adjunct(before.start, end, kind)
    return Adjunct(start, end, kind)


def has_core(words: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether what is left is still a sentence: three words, a verb and a noun or pronoun."""
    return (
        sum(is_word(w) for w in words) >= 3
        and any(t.startswith("V") or t == "MD" for t in tags)
        and any(is_noun(t) or t.startswith(("PRP", "PN")) for t in tags)
    )
