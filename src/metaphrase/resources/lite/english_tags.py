"""Parts of speech of English words: textblob's tagger, and what it gets wrong put right by its neighbours.

The tagger knows each word's commonest tag, so "the arm moves the parts" is to it a phrase of four nouns. Noun phrases that swallow a
verb make bad test cases, hence the rules below; each names the sentence that asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metaphrase.text.languages.en import BARE_INFINITIVE_AFTER, RELATIVE_PRONOUNS, SUBJECT_PRONOUNS, UNCHANGED_PASTS

__all__ = ["tag_words"]

_DETERMINERS = ("DT", "PRP$", "POS")
_BEFORE_NOUN = (*_DETERMINERS, "CD", "JJ", "JJR", "JJS")
_OBJECT_STARTS = ("DT", "PRP$", "PRP", "CD")
_VERBS = ("VB", "VBD", "VBN", "VBP", "VBZ", "MD")


def tag_words(words: Sequence[str]) -> list[str]:
    """Penn tags, one a word."""
    from textblob.en import parser

    tags = [str(tag) for _, tag in parser.find_tags(list(words))]
    lowered = [word.lower() for word in words]
    for rule in _RULES:
        rule(lowered, tags)
    return tags


def _close_quote_is_possessive(words: Sequence[str], tags: list[str]) -> None:
    """the neighbours ' car: after a plural noun and before a word."""
    for i in range(1, len(words) - 1):
        if words[i] in ("'", "’") and tags[i - 1] in ("NNS", "NNPS") and words[i - 1].endswith("s") and words[i + 1].isalpha():
            tags[i] = "POS"


def _participles_before_nouns(words: Sequence[str], tags: list[str]) -> None:
    """the BROKEN leg, a large SWIMMING pool, the OPERATING system, every DOWNLOADED file."""
    for i in range(1, len(tags) - 1):
        if tags[i] == "VBN" and tags[i - 1] == "DT" and tags[i + 1] == "VB":
            tags[i + 1] = "NN"
        if tags[i] in ("VBN", "VBD", "VBG") and tags[i - 1] in _BEFORE_NOUN and _noun_follows(tags, i) and _has_determiner(tags, i):
            tags[i] = "JJ"


def _noun_follows(tags: Sequence[str], i: int) -> bool:
    return tags[i + 1].startswith("NN") or (tags[i + 1] == "JJ" and i + 2 < len(tags) and tags[i + 2].startswith("NN"))


def _has_determiner(tags: Sequence[str], i: int) -> bool:
    while i > 0 and tags[i - 1] in ("JJ", "JJR", "JJS", "CD"):
        i -= 1
    return i > 0 and tags[i - 1] in _DETERMINERS


def _nouns_after_determiners(words: Sequence[str], tags: list[str]) -> None:
    """a stronger LOCK, two thousand CALLS; the garden SHED, unless somebody saw the man LEAVE."""
    for i in range(1, len(tags)):
        if tags[i] == "VBZ" and tags[i - 1] in ("DT", "PRP$", "CD", "JJ") and words[i - 1] not in RELATIVE_PRONOUNS:
            tags[i] = "NNS"
        if tags[i] not in ("VB", "VBP"):
            continue
        after_noun = tags[i - 1] == "NN" and _in_phrase(tags, i - 1) and not any(w in BARE_INFINITIVE_AFTER for w in words[:i])
        # "the talks of the board set a date": the only verb stays one.
        after_noun = after_noun and _has_main_verb(words, [*tags[:i], "NN", *tags[i + 1 :]])
        after_adjective = tags[i - 1] in ("JJ", "JJR", "JJS") and _has_determiner(tags, i)
        if tags[i - 1] in ("DT", "PRP$") or after_adjective or (after_noun and tags[i] == "VB"):
            tags[i] = "NN"


def _in_phrase(tags: Sequence[str], i: int) -> bool:
    while i > 0 and tags[i] in ("NN", "JJ", "JJR", "JJS", "CD"):
        i -= 1
    return tags[i] in _DETERMINERS


def _verbs_after_pronouns(words: Sequence[str], tags: list[str]) -> None:
    """we NEED a lock, she PLANS a trip."""
    for i in range(1, len(tags)):
        if words[i - 1] in SUBJECT_PRONOUNS and tags[i] in ("NN", "NNS"):
            tags[i] = "VBZ" if tags[i] == "NNS" else "VBP"


def _first_word_commands(words: Sequence[str], tags: list[str]) -> None:
    """CLEAN the filter, PRESS the button, please PUT it back."""
    first = 1 if words[:1] == ["please"] else 0
    if len(tags) > first + 2 and tags[first] in ("NN", "NNP", "JJ", "VB", "VBP") and tags[first + 1] in ("DT", "PRP$", "PRP"):
        tags[first] = "VB"


def _missing_verb(words: Sequence[str], tags: list[str]) -> None:
    """The robot arm MOVES the parts; travel agencies REPORT a loss; the rides COST half: a sentence needs a verb outside its relative clauses."""
    if _has_main_verb(words, tags):
        return
    last = len(tags) - 1 - (not words[-1].isalnum()) if tags else 0
    for i in range(1, last):
        if words[i] in UNCHANGED_PASTS and tags[i - 1].startswith("NN") and (tags[i + 1] in _OBJECT_STARTS or words[i + 1] == "half"):
            tags[i] = "VBD"
            return
    for i in range(1, last):
        if tags[i] == "NN" and tags[i - 1] in ("NNS", "NNPS") and tags[i + 1] in ("DT", "PRP$"):
            tags[i] = "VBP"
            return
    for i in range(1, last):
        if tags[i] == "NNS" and tags[i - 1] in ("NN", "NNP") and words[i].endswith("s") and words[i + 1] != "of":
            tags[i] = "VBZ"
            return


def _has_main_verb(words: Sequence[str], tags: Sequence[str]) -> bool:
    in_relative_clause = False
    for i, tag in enumerate(tags):
        if words[i] in RELATIVE_PRONOUNS and i > 0 and (tags[i - 1].startswith("NN") or words[i - 1] == ","):
            in_relative_clause = True
        elif tag in _VERBS and not (i > 0 and tags[i - 1] == "TO"):
            if not in_relative_clause:
                return True
            if i + 1 < len(tags) and tags[i + 1] not in _VERBS:
                in_relative_clause = False
    return False


_RULES: tuple[Callable[[Sequence[str], list[str]], None], ...] = (
    _close_quote_is_possessive,
    _participles_before_nouns,
    _verbs_after_pronouns,
    _nouns_after_determiners,
    _first_word_commands,
    _missing_verb,
    _participles_before_nouns,  # "moves the finished parts" shows only now that "moves" is a verb
)
