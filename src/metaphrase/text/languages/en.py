"""English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from metaphrase.text.languages.base import Language, WordClass
from metaphrase.text.tokens import Token

__all__ = ["BARE_INFINITIVE_AFTER", "RELATIVE_PRONOUNS", "SUBJECT_PRONOUNS", "TEMPORAL_ADJECTIVES", "UNCHANGED_PASTS", "English"]

RELATIVE_PRONOUNS = frozenset("who which that whose whom".split())
SUBJECT_PRONOUNS = frozenset("i we you they he she it who".split())
# They open a phrase of time behind a noun: the company last year.
TEMPORAL_ADJECTIVES = frozenset("last next previous following".split())
# Nouns too, and verbs whose past is their base form.
UNCHANGED_PASTS = frozenset("beat bet burst cast cost cut hit hurt let put set shut split spread".split())
# After these a noun may be followed by a verb without "to": they saw the man leave.
BARE_INFINITIVE_AFTER = frozenset(
    "make makes made let lets help helps helped see sees saw hear hears heard watch watches watched feel feels felt have has had".split()
)

_CLITIC = re.compile(r"(?i)(?P<stem>.+?)(?P<clitic>n['’]t|['’](?:s|re|ve|ll|d|m))")
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_MONTHS = "january february march april may june july august september october november december"
_SUFFIX = re.compile(
    r"(?:i[sz]ation|ational|[ai]tions?|ments?|ness|it(?:y|ies)|ically|ical|ally|ions?|ings?|ively|ive|[eo]rs?|ies|ied|ists?|ism|i?ans?"
    r"|als?|ed|es|ly|s|e|y|ic|ful|able|ous|[ae]nce|[ae]nt)$"
)


class English(Language):
    beside_numerals = frozenset("or to and the these those between other than x".split())
    definite_articles = frozenset({"the"})
    bound_prepositions = frozenset("of to that because although though while if unless whether than as like whereas so".split())
    placing_verbs = frozenset("put set keep place lay leave bring take throw".split())
    complementizers = frozenset("that whether if than as like".split())
    relative_pronouns = frozenset("who which whose where".split())
    plural_numerals = tuple("two three four five six seven eight nine ten eleven twelve".split())
    name = "English"
    inflects = False
    number_words = {
        **{word: value for value, word in enumerate(_UNITS.split())},
        **{word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)},
    }
    scale_words = {
        "dozen": 12, "decade": 10, "decades": 10, "hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
        "m": 10**6, "bn": 10**9, "tn": 10**12,
    }  # fmt: skip
    number_joiners = frozenset({"and"})
    percent_words = frozenset({"%", "percent", "per cent"})
    full_forms = {"n't": "not", "n’t": "not"}
    negations = frozenset("not n't no never none nobody nothing nowhere neither nor without cannot hardly scarcely barely unless".split())
    implied_negations = frozenset(
        "fail failure lack absence absent refuse refusal deny denial avoid few fewer little less least rarely seldom until rather instead "
        "prevent miss ban forbid reject doubt whether except empty oppose cease quit exclude abandon ignore yet only zero out".split()
    )
    implied_negation_form = re.compile(
        r"un(?![dit])[a-z]{4,}$|non|(?:in(?:abil|acc|act|suff|adeq|compl|cons|corr|sec|vis|cap|val|dep|def|eff|exp|app)|im(?:poss|perf|pract|prop|mor)|ir(?:reg|rel|resp)|il(?:leg|log))"
        r"|dis(?![tcph]|ea)[a-z]{4,}$|[a-z]{3,}less(?:ly)?$"
    )
    denials = {
        "is": "is not", "are": "are not", "was": "was not", "were": "were not", "will": "will not", "can": "cannot",
        "has": "has not", "have": "have not", "could": "could not", "would": "would not", "should": "should not", "must": "must not",
    }  # fmt: skip
    clause_words = frozenset(
        "that which who whom whose because although though when while if after before since until where whether but unless so and as".split()
    )

    clock = re.compile(r"(?i)\s*(?:[ap]\s?\.?\s?m\b|o\s?['’]\s?clock)")
    enumerating_words = frozenset("respectively other latter former both either neither".split())
    interchangeable_determiners = frozenset("a an the this that these those".split())
    modal_groups = (frozenset("will can may must shall should".split()), frozenset("would could might should".split()))
    verbal_noun_ending = "ing"
    free_of_nouns = frozenset("of in on at during after before by under near".split())
    male_words = frozenset(
        "man men boy boys father fathers son sons brother brothers husband husbands uncle uncles king kings prince princes gentleman gentlemen"
        " grandfather grandson nephew nephews chairman businessman policeman actor actors waiter mr sir lord male males dad".split()
    )
    female_words = frozenset(
        "woman women girl girls mother mothers daughter daughters sister sisters wife wives aunt aunts queen queens princess princesses lady ladies"
        " grandmother granddaughter niece nieces chairwoman businesswoman policewoman actress actresses waitress mrs ms madam female females mum mom".split()
    )

    named_numbers = {
        **{word: value for value, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)},
        **{word: value for value, word in enumerate(_MONTHS.split(), start=1)},
    }
    number_affixes = re.compile(r"(?<=\d)(?:st|nd|rd|th|s)$|^[$£€]")

    # Our own list: stopwordsiso's English list holds content words such as "home", "system" and "million".
    @cached_property
    def stop_words(self) -> frozenset[str]:
        return frozenset(_STOP_WORDS.split())

    @lru_cache(maxsize=65_536)  # noqa: B019 - languages live as long as the process
    def stem(self, word: str) -> str:
        """The lemma without derivational endings, cut at six letters: assist, assistance and assistant are one."""
        lemma = self.lemma(word)
        if len(lemma) < 5:
            return lemma
        stem = _SUFFIX.sub("", lemma)
        return (stem if len(stem) >= 4 else lemma[:4])[:6]

    @cached_property
    def word_classes(self) -> tuple[WordClass, ...]:
        cues = frozenset("in since until till by last next this early late mid from of through before after every on".split())
        units = [line.split() for line in _UNIT_WORDS.strip().splitlines()]
        return (
            WordClass("weekday", tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()), name=True),
            WordClass("month", tuple(_MONTHS.split()), needs="cue", cues=cues, name=True),
            WordClass("country", tuple(_COUNTRIES.split()), name=True),
            WordClass("male first name", tuple(_MALE_NAMES.split())),
            WordClass("female first name", tuple(_FEMALE_NAMES.split())),
            WordClass("colour", tuple(_COLOURS.split()), not_before=frozenset(_NO_COLOUR_BEFORE.split())),
            *(WordClass("unit", tuple(words), needs="number", not_before=frozenset({"old", "and"})) for words in units),
        )

    def negation_spans(self, text: str) -> list[tuple[int, int]]:
        """Without those that negate nothing more: "if not", "not only", "nor", "No. 7"."""
        idioms = [(m.start(), m.end()) for m in _NO_NEGATION.finditer(text)]
        return [(s, e) for s, e in super().negation_spans(text) if not any(start <= s and e <= end for start, end in idioms)]

    def split_word(self, word: Token) -> Sequence[Token]:
        """Treebank style: don't -> do n't, board's -> board 's."""
        match = _CLITIC.fullmatch(word.text)
        if match is None:
            return [word]
        cut = word.start + match.start("clitic")
        return [Token(match["stem"], word.start, cut), Token(match["clitic"], cut, word.end)]

    def agreeing(self, before: str, word: str) -> str | None:
        """The indefinite article: by sound, as far as the first letters tell."""
        if before.lower() not in ("a", "an"):
            return None
        article = "an" if _starts_with_vowel_sound(word) else "a"
        if article == before.lower():
            return None
        return article if before[0].islower() else article.capitalize()


_NO_NEGATION = re.compile(r"(?i)\b(?:(?:if|or|why) not|not (?:only|just|merely|least)|no (?:doubt|wonder|matter)|nor)\b|\bno\. ?\d")
_CONSONANT_SOUND = re.compile(r"(?i)(?:u(?:ni|se|su|sa|ti|ra|ro|k(?!r)|to)|eu|ewe|one(?:\b|-|s)|once|ubiq)")
_SILENT_H = re.compile(r"(?i)(?:hour|honest|honou?r|heir)")
_VOWEL_NUMBER = re.compile(r"(?:8|11(?!\d)|18(?!\d)|11,|18,)")
_SPELLED = re.compile(r"[AEFHILMNORSX](?:[A-Z]|\b)")


def _starts_with_vowel_sound(word: str) -> bool:
    if word[0].isdigit():
        return bool(_VOWEL_NUMBER.match(word))
    if word.isupper() and len(word) <= 4:  # letter by letter: an FBI agent, a UN envoy
        return bool(_SPELLED.match(word))
    return bool(_SILENT_H.match(word)) or (word[0].lower() in "aeiou" and not _CONSONANT_SOUND.match(word))


_MONTHS = "January February March April May June July August September October November December"
_COUNTRIES = """
France Germany Spain Italy Portugal Greece Poland Hungary Austria Belgium Norway Sweden Finland Denmark Ireland Russia Ukraine
Turkey China Japan India Indonesia Vietnam Thailand Malaysia Singapore Pakistan Bangladesh Iran Iraq Israel Egypt Morocco Nigeria
Kenya Ethiopia Canada Mexico Brazil Argentina Chile Peru Colombia Venezuela Cuba Australia Switzerland Romania Bulgaria Croatia
Serbia
"""
_MALE_NAMES = """
John David Michael James Robert William Richard Thomas Daniel Paul Mark Peter Andrew Steven Kevin Brian Martin Simon Philip Henry
"""
_FEMALE_NAMES = """
Mary Anna Laura Sarah Emma Alice Julia Helen Susan Linda Karen Maria Rachel Rebecca Claire Jane Sophie Caroline Diana Lucy Emily
"""
_COLOURS = "red blue green yellow white black brown grey purple pink orange"
# Before these a colour is none: white paper, green card, red tape, black market.
_NO_COLOUR_BEFORE = """
paper papers house market markets tape card cards energy light lights list lists people person man men woman women community
communities voter voters supremacist supremacists supremacy hole holes box boxes flag flags collar party wave friday magic lives
life belt power death heat noise goods sheep wing meat wine army cross carpet area areas zone zones alert squad economy
technology jobs deal hydrogen
"""
_UNIT_WORDS = """
kilometers miles
kilometres miles
meters feet
metres feet
kilograms pounds
litres gallons
liters gallons
days weeks months
dollars euros
acres hectares
inches centimeters
"""
_STOP_WORDS = """
a an the this that these those some any each every all both either neither such another other
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones who whom whose which what whatever whoever
be am is are was were been being do does did doing done have has had having will would shall should can could may might must
ought need dare 's 're 've 'll 'd 'm n't not no nor
and or but if because as until while although though whereas whether than so yet once since unless
of at by for with about against between into through during before after above below to from up down in out on off over under
upon within without across along around among amongst toward towards onto via per
again further then there here when where why how also too very just only own same more most less least few many much
even still now ever never already almost quite rather however therefore thus hence
"""
