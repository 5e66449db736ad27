"""Isotopic replacement: which words may be replaced without the rest of the sentence noticing.

CAT's paper masks every token and trusts the language model and the cosine. On a smaller encoder most of what gets through and is wrong is wrong for
one of the reasons below, which a part of speech and a neighbour show: the word rules another one, is ruled by one, is half of a term or a name, or is
named again elsewhere.
"""

from __future__ import annotations

from metaphrase.text.languages import Language
from metaphrase.text.normalise import fold
from metaphrase.transforms.sentences import Sentence, is_noun, is_proper_noun

__all__ = ["is_named_again", "is_ruled", "keeps_agreement", "may_be_replaced", "rules_its_neighbour"]

_OPEN_CLASSES = ("NN", "NT", "VB", "VV", "VA", "JJ", "RB", "AD", "CD")
_GOVERNED = ("IN", "TO", "RP", "P", "BA", "SB")
_VERBAL = ("VB", "VV", "VC", "VE")


def may_be_replaced(sentence: Sentence, index: int, language: Language) -> bool:
    """Content words, articles and modal verbs that stand free; never the first word, whose vector hardly depends on it."""
    word = sentence.words[index]
    folded = fold(word.text)
    if sentence.starts_sentence(index) or sentence.lowered(index) is None or is_proper_noun(word.tag) or _is_glued(sentence, index):
        return False
    if folded in language.interchangeable_determiners:
        return not _opens_a_name(sentence, index)
    if any(folded in group for group in language.modal_groups):
        return True
    if not word.tag.startswith(_OPEN_CLASSES) or language.is_stop(word.text):
        return False
    if is_named_again(sentence, index):
        return False
    return not (rules_its_neighbour(sentence, index, language) or is_ruled(sentence, index) or _is_half_a_term(sentence, index))


def keeps_agreement(sentence: Sentence, index: int, candidate: str, language: Language) -> bool:
    """Closed classes stay among themselves, men and women do not change places, and nothing is said twice."""
    old, new = fold(sentence.words[index].text), fold(candidate)
    determiners = language.interchangeable_determiners
    if (new not in determiners and any(language.lemma(w.text) == language.lemma(candidate) for w in sentence.words)) or candidate[
        :1
    ].isupper():
        return False
    if old.endswith(language.verbal_noun_ending) != new.endswith(language.verbal_noun_ending):
        return False  # taggers take "teaching" for a noun like "show"
    if old in determiners or new in determiners:
        return old in determiners and new in determiners
    if any(old in group or new in group for group in language.modal_groups):
        return any(old in group and new in group for group in language.modal_groups)
    if language.is_stop(candidate):
        return False
    if language.number_of(old) is not None:
        return language.number_of(new) not in (None, language.number_of(old))
    return language.gender_of(old) == language.gender_of(new)


def is_named_again(sentence: Sentence, index: int) -> bool:
    """the clinic ... that clinic: with another word, the other one would still be meant."""
    folded = fold(sentence.words[index].text)
    return sum(fold(w.text) == folded for w in sentence.words) > 1


def _is_glued(sentence: Sentence, index: int) -> bool:
    """Part of what the tokeniser tore apart: 67 - year - old, 3 . 6, o ' clock."""
    words = sentence.words
    for side in (index - 1, index + 1):
        if 0 <= side < len(words) and not words[side].text.isalnum() and words[side].text in "-‐–—'’/.·%$£€":
            beyond = side + (1 if side > index else -1)
            ends = side > index and beyond >= len(words)
            if words[side].text != "." or not (ends or not words[beyond].text.isdigit()):
                return True
    return False


def _opens_a_name(sentence: Sentence, index: int) -> bool:
    """the tall Ms Huang, the Grand Canal project: names ask for their article."""
    for word in sentence.words[index + 1 :]:
        if is_proper_noun(word.tag) or word.text[:1].isupper():
            return True
        if not (is_noun(word.tag) or word.tag.startswith(("JJ", "CD", "VBN", "VBG", "RB")) or word.text in "-‐–'’"):
            return False
    return False


def rules_its_neighbour(sentence: Sentence, index: int, language: Language) -> bool:
    """learned FROM, related TO, the reason FOR: another word would ask for another preposition."""
    if index + 1 >= len(sentence.words):
        return False
    following = sentence.words[index + 1]
    if not following.tag.startswith(_GOVERNED) or following.text.lower() in language.relative_pronouns:
        return False
    return not (is_noun(sentence.words[index].tag) and following.text.lower() in language.free_of_nouns)


def is_ruled(sentence: Sentence, index: int) -> bool:
    """in FACT, take PLACE, at NIGHT: a bare singular noun behind a verb or preposition is half of an idiom."""
    word, before = sentence.words[index], sentence.words[index - 1].tag
    return word.tag == "NN" and before.startswith(("IN", "TO", "RP", *_VERBAL))


def _is_half_a_term(sentence: Sentence, index: int) -> bool:
    """Nouns side by side, and adjectives before a name."""
    words = sentence.words
    beside = [words[i].tag for i in (index - 1, index + 1) if 0 <= i < len(words)]
    if is_noun(words[index].tag):
        return any(is_noun(tag) for tag in beside)
    return any(is_proper_noun(tag) for tag in beside)
