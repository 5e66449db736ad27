"""What Metaphrase knows about a language, and the fallback for any language.

`Language` itself is the generic one: scripts without spaces are cut into characters, stop words and
lemmas come from stopwordsiso and simplemma where these know the language. A language with facts of its own is a subclass in a file
named by its code, registered under the entry-point group `metaphrase.languages`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from metaphrase.text.normalise import fold
from metaphrase.text.tokens import Token, is_opaque, is_word, scan

__all__ = ["Language", "Quantity", "WordClass", "read_digits"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text, by value: "3.5 million", "350万" and "three and a half million" are equal."""

    value: Fraction
    start: int
    end: int
    percent: bool = False


@dataclass(frozen=True, slots=True)
class WordClass:
    """Words of one kind that can stand for each other in a sentence: weekdays, colours, countries.

    `needs` says what must stand beside the word: nothing, a number before it ("number"), or a number or one of
    `cues` ("cue"). A word before or after which one of `not_before`, `not_after` stands is part of a fixed expression. `name`
    says whether the words are names, which must not stand beside other names.
    """

    kind: str
    words: tuple[str, ...]
    needs: str = ""
    cues: frozenset[str] = frozenset()
    not_before: frozenset[str] = frozenset()
    not_after: frozenset[str] = frozenset()
    name: bool = False


class Language:
    """The generic language; subclasses override what they know better."""

    name = ""
    decimal_point = "."
    number_words: Mapping[str, int] = {}
    scale_words: Mapping[str, int] = {}
    number_joiners: frozenset[str] = frozenset()
    percent_words: frozenset[str] = frozenset({"%"})
    # Words that other languages may write as a number: ordinals, months.
    named_numbers: Mapping[str, int] = {}
    # What may stand around the digits of one token: "22nd", "第3", "5月".
    number_affixes = re.compile(r"")
    negations: frozenset[str] = frozenset()
    # Words that negate without saying so ("fail", "few"), as lemmas, and how such words may begin or end.
    implied_negations: frozenset[str] = frozenset()
    implied_negation_form = re.compile(r"(?!)")
    # How a plain statement becomes its opposite: a word and the words that deny it.
    denials: Mapping[str, str] = {}
    # Words that open a clause of their own.
    clause_words: frozenset[str] = frozenset()
    # Clitics by the word that they stand for, where a model knows only that word.
    full_forms: Mapping[str, str] = {}
    # Characters that carry so little meaning that distances ignore them.
    light_characters: frozenset[str] = frozenset()
    # Numerals, as single words, that may be swapped for each other before any counted noun.
    plural_numerals: tuple[str, ...] = ()
    # Beside these a numeral does not stand alone: "one or two", "the two".
    beside_numerals: frozenset[str] = frozenset()
    # What tells that the number before it is an hour.
    clock = re.compile(r"(?!)")
    # Where these stand, the things that a numeral counts are told one by one.
    enumerating_words: frozenset[str] = frozenset()
    # A number between one of these and a single noun is a name: "the 727 crisis".
    definite_articles: frozenset[str] = frozenset()
    # Prepositions that belong to what stands before them, or open a clause: their phrase is no adjunct.
    bound_prepositions: frozenset[str] = frozenset()
    subject_pronouns: frozenset[str] = frozenset()
    # Where given, only these open a phrase that a sentence can do without.
    free_prepositions: frozenset[str] = frozenset()
    # Adverbs that a sentence cannot do without, or not with the same claim.
    needed_adverbs: frozenset[str] = frozenset()
    # Verbs that ask for a place besides their object: "put the engine at risk" cannot do without it.
    placing_verbs: frozenset[str] = frozenset()
    relative_pronouns: frozenset[str] = frozenset()
    # What opens a clause that its verb or noun asks for, or a comparison.
    complementizers: frozenset[str] = frozenset()
    # Determiners that can stand for each other, and modal verbs by the tense that they go with.
    interchangeable_determiners: frozenset[str] = frozenset()
    modal_groups: tuple[frozenset[str], ...] = ()
    # Prepositions that follow any noun, whatever it is.
    free_of_nouns: frozenset[str] = frozenset()
    # How a verb's noun ends ("teaching"); every word ends with the default.
    verbal_noun_ending = ""
    # Words for men and for women, which pronouns elsewhere agree with.
    male_words: frozenset[str] = frozenset()
    female_words: frozenset[str] = frozenset()
    # A number before a word that begins so is at most this: months, days, hours.
    number_ceilings: Mapping[str, int] = {}
    # Whether articles, adjectives and verbs change with the words around them.
    inflects = True
    # Folded words that cannot stand side by side because they would melt into one ("de el": "del").
    never_adjacent: frozenset[tuple[str, str]] = frozenset()
    # Whether it is written in Latin letters.
    latin_script = True
    # Whether a bag of this language's words is a bag of characters.
    compares_by_character = False

    def __init__(self, code: str) -> None:
        self.code = code

    def tokens(self, text: str) -> tuple[Token, ...]:
        """Words, numbers and marks in order; placeholders, tags and addresses stay whole."""
        result: list[Token] = []
        for kind, token in scan(text):
            if kind in ("han", "kana"):
                result.extend(self.split_run(token))
            elif kind == "word":
                result.extend(self.split_word(token))
            else:
                result.append(token)
        return tuple(result)

    def split_run(self, run: Token) -> Sequence[Token]:
        """Cut a run of a script that writes no spaces."""
        return [Token(c, run.start + i, run.start + i + 1) for i, c in enumerate(run.text)]

    def split_word(self, word: Token) -> Sequence[Token]:
        """Cut clitics off a word."""
        return [word]

    @cached_property
    def stop_words(self) -> frozenset[str]:
        from stopwordsiso import has_lang, stopwords

        base = self.code.split("-")[0]
        return frozenset(fold(w) for w in stopwords(base)) if has_lang(base) else frozenset()

    def is_stop(self, word: str) -> bool:
        """Whether a word is a function word or no word at all."""
        return not is_word(word) or fold(word) in self.stop_words

    def is_content(self, word: str) -> bool:
        return is_word(word) and not is_opaque(word) and not self.is_stop(word)

    def lemma(self, word: str) -> str:
        """The dictionary form, folded; the folded word where none is known."""
        return _lemma(self.code.split("-")[0], word)

    def forms(self, word: str) -> tuple[str, ...]:
        """Keys of a word: two words that share one are inflections of each other (el niño, las niñas)."""
        return (self.lemma(word),)

    def knows(self, word: str) -> bool:
        """Whether a word is in the lemmatiser's dictionary of this language; False where there is none."""
        return _is_known(self.code.split("-")[0], word)

    def stem(self, word: str) -> str:
        """What related words share ("assist", "assistance"): here the beginning of the lemma."""
        return self.lemma(word)[:6]

    @lru_cache(maxsize=65_536)  # noqa: B019 - languages live as long as the process
    def number_of(self, word: str) -> Fraction | None:
        """The number that a single token stands for."""
        folded = fold(word)
        if folded in self.named_numbers:
            return Fraction(self.named_numbers[folded])
        plain = self.number_affixes.sub("", folded)
        found = self.quantities(plain) if plain else []
        return found[0].value if len(found) == 1 and (found[0].start, found[0].end) == (0, len(plain)) else None

    @cached_property
    def word_classes(self) -> tuple[WordClass, ...]:
        """Words that may be swapped for another of their kind; the first class that holds a word is the one that counts."""
        return ()

    def agreeing(self, before: str, word: str) -> str | None:
        """What `before` must become when `word` follows it ("a" before "apple": "an"); None if it may stay."""
        return None

    def spelt_out(self, words: Sequence[str]) -> list[str]:
        """Folded words with those that melted into one taken apart ("del": "de", "el")."""
        return list(words)

    def differ_in_agreement(self, word: str, other: str) -> bool:
        """Whether two folded words are forms of one that another word in the sentence decides on: gender, number, person.

        A language without facts of its own takes any inflection for that.
        """
        return word != other and self.lemma(word) == self.lemma(other)

    def is_finite(self, word: str) -> bool:
        """Whether a folded word is, by its form and lemma, a verb with person and tense; False where that is not known."""
        return False

    def gender_of(self, word: str) -> str | None:
        """Whether a folded word is one for men or for women."""
        return "male" if word in self.male_words else "female" if word in self.female_words else None

    def agreement_class(self, word: str) -> tuple[str | None, str | None]:
        """Gender and number that a word asks of those that agree with it; None where its form does not tell."""
        return None, None

    def negation_spans(self, text: str) -> list[tuple[int, int]]:
        """Where a text negates, in characters."""
        return [(t.start, t.end) for t in self.tokens(text) if fold(t.text) in self.negations]

    def implies_negation(self, text: str) -> bool:
        """Whether a text holds a word that translators may well render by a negation."""
        words = [fold(t.text) for t in self.tokens(text)]
        return any(
            self.implied_negation_form.match(w) or w in self.implied_negations or self.lemma(w) in self.implied_negations for w in words
        )

    def quantities(self, text: str) -> list[Quantity]:
        """Numbers in digits and words, with scales, left to right."""
        return _read_quantities(self, self.tokens(text))

    def __repr__(self) -> str:
        return f"<language {self.code}>"


@lru_cache(maxsize=65_536)
def _is_known(code: str, word: str) -> bool:
    from simplemma import is_known

    try:
        return bool(is_known(word, lang=code))
    except ValueError:  # a language that simplemma does not know
        return False


@lru_cache(maxsize=65_536)
def _lemma(code: str, word: str) -> str:
    from simplemma import lemmatize

    try:
        return fold(lemmatize(word, lang=code))
    except ValueError:  # a language that simplemma does not know
        return fold(word)


def read_digits(text: str, decimal_point: str = ".") -> Fraction | None:
    """The value of "1,234.5"; None for clock times, fractions of dates and the like."""
    plain = fold(text).replace(" ", "").replace("'", "").replace("\u202f", "")
    if not plain or not plain[0].isdigit() or any(c in ":/" for c in plain):
        return None
    other = "," if decimal_point == "." else "."
    groups = plain.split(other)
    if len(groups) > 1 and all(len(g.split(decimal_point)[0]) == 3 for g in groups[1:]):
        plain = "".join(groups)
    elif len(groups) == 2 and decimal_point not in plain:
        plain = plain.replace(other, ".")  # the other style: 3,5 for 3.5
    elif len(groups) > 1:
        return None
    plain = plain.replace(decimal_point, ".")
    if plain.count(".") > 1:
        parts = plain.split(".")
        if not all(len(p) == 3 for p in parts[1:]):
            return None
        plain = "".join(parts)
    try:
        return Fraction(plain)
    except ValueError:
        return None


def _read_quantities(language: Language, tokens: Sequence[Token]) -> list[Quantity]:
    found: list[Quantity] = []
    i = 0
    while i < len(tokens):
        quantity, after = _read_one(language, tokens, i)
        if quantity is None:
            i += 1
            continue
        for length in (1, 2):  # "%", "per cent"
            following = tokens[after : after + length]
            if following and fold(" ".join(t.text for t in following)) in language.percent_words:
                quantity = Quantity(quantity.value, quantity.start, following[-1].end, percent=True)
                after += len(following)
                break
        found.append(quantity)
        i = after
    return found


def _read_one(language: Language, tokens: Sequence[Token], first: int) -> tuple[Quantity | None, int]:
    """One number from `first` on: units are added up, a scale multiplies what stands before it."""
    total = Fraction(0)
    current: Fraction | None = None
    last = first
    in_digits = False
    i = first
    while i < len(tokens):
        parts = fold(tokens[i].text).split("-")
        digits = read_digits(tokens[i].text, language.decimal_point)
        if digits is not None:
            if current is not None:
                break
            current = digits
            in_digits = True
        elif all(p in language.number_words for p in parts):
            value = sum(language.number_words[p] for p in parts)
            if current is not None and (current % 100 == 0) <= (value >= 100) and not (current >= 20 and current % 10 == 0 and value < 10):
                break
            current = (current or Fraction(0)) + value
        elif parts[0] in language.scale_words and len(parts) == 1:
            scale = language.scale_words[parts[0]]
            if scale <= 100:
                current = (current if current is not None else Fraction(1)) * scale
            else:
                total += (current if current is not None else Fraction(1)) * scale
                current = None
        elif parts[0] in language.number_joiners and not in_digits and i + 1 < len(tokens) and (total or (current or 0) >= 20):
            following = fold(tokens[i + 1].text).split("-")
            if not all(p in language.number_words for p in following):
                break
            i += 1
            continue
        else:
            break
        i += 1
        last = i
    if last == first:
        return None, first + 1
    return Quantity(total + (current or 0), tokens[first].start, tokens[last - 1].end), last
