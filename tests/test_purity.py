"""Purity: noun phrases that hang together, pairs by containment, and bags that forgive articles and endings."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaphrase.core.values import Direction, MetamorphicCase, Outcome, Segment, Severity
from metaphrase.relations.bag_of_words import BagOfWords, BagOfWordsOptions
from metaphrase.resources.lite.english_tags import tag_words
from metaphrase.resources.profiles import Resources
from metaphrase.testing import check_relation, check_transformation
from metaphrase.transforms.noun_phrases import NounPhraseOptions, NounPhrases

EN_ES = Direction("en", "es")
ORDINARY = (Path(__file__).parent / "data" / "ordinary-sentences.txt").read_text(encoding="utf-8").splitlines()


def _phrases(sentence: str, **options: int) -> list[str]:
    transformation = NounPhrases(Resources(), NounPhraseOptions(**options))
    cases = transformation.propose([Segment("s", sentence, "en")], EN_ES)
    return list(dict.fromkeys(case.followup for case in cases if isinstance(case, MetamorphicCase)))


def test_noun_phrases_conform_to_what_a_transformation_is() -> None:
    segments = [Segment(str(i), text, "en") for i, text in enumerate(ORDINARY[:20])]
    check_transformation(NounPhrases(Resources(), NounPhraseOptions()), segments, EN_ES)


@pytest.mark.parametrize(
    ("sentence", "phrases"),
    [
        ("The robot arm moves the finished parts to the packaging station.", []),
        ("The electric motor drives a small pump that cools the laser.", ["a small pump that cools the laser"]),
        ("Clean the air filter of the heating system at least twice a year.", ["the air filter of the heating system"]),
        ("He repaired the broken leg of the dining table with some strong glue.", ["the broken leg of the dining table"]),
        ("We need a stronger lock for the back door of the garden shed.", ["the back door of the garden shed"]),
        ("Several hundred people waited in front of the concert hall for the open rehearsal.", []),
        ("The cat slept on the warm roof of the neighbours' car all afternoon.", ["the warm roof of the neighbours' car"]),
        ("The programmer who wrote this module left the company last year.", ["The programmer who wrote this module"]),
        (
            "The average growth rate of three plant species fell.",
            ["The average growth rate of three plant species", "The average growth rate", "three plant species"],
        ),
        (
            "The operating system checks the digital signature of every downloaded file.",
            ["the digital signature of every downloaded file"],
        ),
    ],
)
def test_phrases_neither_swallow_verbs_nor_lose_their_beginning(sentence: str, phrases: list[str]) -> None:
    assert _phrases(sentence) == phrases


def test_no_phrase_of_ordinary_sentences_ends_or_begins_with_a_torn_word() -> None:
    """120 sentences of our own, read by hand: these are the endings that a torn phrase would have."""
    verbs = "answers checks drives ends favours fixes moves plans report returns tastes barks needs offers".split()
    found = [phrase for sentence in ORDINARY for phrase in _phrases(sentence)]
    assert len(found) > 120
    torn = [p for p in found if p.split()[-1] in verbs or p.split()[0].lower() in ("and", "of", "clean", "store", "press", "front")]
    assert torn == []


def test_every_phrase_is_paired_with_the_sentence_and_with_every_container() -> None:
    sentence = "The head of the old city planning office retired."
    cases = list(NounPhrases(Resources(), NounPhraseOptions()).propose([Segment("s", sentence, "en")], EN_ES))
    pairs = {(c.source, c.followup) for c in cases if isinstance(c, MetamorphicCase)}
    outer, inner = "The head of the old city planning office", "the old city planning office"
    assert pairs == {(sentence, outer), (sentence, inner), (outer, inner)}


def test_length_and_content_words_are_options() -> None:
    sentence = "The head of the old city planning office retired."
    assert _phrases(sentence, max_words=5) == ["the old city planning office"]
    assert _phrases(sentence, min_content_words=6) == []


def test_a_phrase_that_is_the_whole_sentence_is_no_case() -> None:
    assert _phrases("The old city planning office.") == []


@pytest.mark.parametrize(
    ("words", "word", "tag"),
    [
        ("The recent data leaks cost the company many customers .", "cost", "VBD"),
        ("Travel agencies report a growing interest in trips .", "report", "VBP"),
        ("They saw the young man leave .", "leave", "VB"),
        ("Please press the green button .", "press", "VB"),
        ("The department answers two thousand calls a day .", "calls", "NNS"),
        ("She plans a trip .", "plans", "VBZ"),
    ],
)
def test_tags_are_put_right_by_their_neighbours(words: str, word: str, tag: str) -> None:
    tokens = words.split()
    assert tag_words(tokens)[tokens.index(word)] == tag


def _case(container: str, phrase: str, direction: Direction = EN_ES, name: str = "c") -> MetamorphicCase:
    return MetamorphicCase(name, direction, "purity", "a much longer text around it", "a phrase", container, phrase)


def test_bag_of_words_conforms_to_what_a_relation_is() -> None:
    cases = [_case("El gato negro duerme.", "Gato negro", name="a"), _case("El gato negro duerme.", "Perro negro", name="b")]
    check_relation(BagOfWords(BagOfWordsOptions()), cases)


@pytest.mark.parametrize(
    ("container", "phrase"),
    [
        ("Los gatos negros duermen.", "El gato negro"),
        ("Vi a la niña pequeña.", "El niño pequeño"),
        ("Los autobuses viejos salen.", "Un autobús viejo"),
        ("El precio del pan fresco.", "Los panes frescos"),
        ("La puerta rota del jardín.", "Puertas rotas de jardín"),
    ],
)
def test_articles_endings_and_accents_are_no_finding_in_spanish(container: str, phrase: str) -> None:
    (verdict,) = BagOfWords(BagOfWordsOptions()).judge([_case(container, phrase)])
    assert verdict.outcome is Outcome.HOLDS, verdict.reason


def test_another_content_word_is_located_and_explained() -> None:
    case = _case("Las ventas más tardías imagina sorprendidas el equipo.", "Las cifras de ventas más tardías")
    (verdict,) = BagOfWords(BagOfWordsOptions()).judge([case])
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.severity is Severity.MAJOR
    assert [(s.text, s.start, s.end, s.quote) for s in verdict.spans] == [("followup_translation", 4, 10, "cifras")]
    assert verdict.reason == "'cifras' in the translation of 'a phrase' is missing from the translation of the text around it"


def test_words_count_as_often_as_they_stand_there() -> None:
    relation = BagOfWords(BagOfWordsOptions())
    once, twice = _case("Pan con pan.", "Pan, pan"), _case("Pan con vino.", "Pan, pan")
    assert [v.outcome for v in relation.judge([once, twice])] == [Outcome.HOLDS, Outcome.VIOLATED]


def test_chinese_is_compared_by_character_as_in_the_paper() -> None:
    """|bag(phrase) minus bag(container)| by hand: 新, 车 are missing; 的 is ignored."""
    case = _case("一辆旧的红色汽车", "新的红色车子", Direction("en", "zh"))
    verdicts = {d: BagOfWords(BagOfWordsOptions(d=d)).judge([case])[0] for d in (0, 1, 2)}
    assert {v.extra["distance"] for v in verdicts.values()} == {2}
    assert [v.outcome for v in verdicts.values()] == [Outcome.VIOLATED, Outcome.VIOLATED, Outcome.HOLDS]


def test_the_papers_bags_are_an_option() -> None:
    case = _case("Los gatos duermen.", "El perro de la casa")
    distances = [BagOfWords(BagOfWordsOptions(units=u)).judge([case])[0].extra["distance"] for u in ("words", "content")]
    assert distances == [4, 2]


def test_characters_beyond_the_basic_plane_keep_their_places() -> None:
    case = _case("El 😀 gato duerme.", "😀 perro 𝒳 blanco")
    (verdict,) = BagOfWords(BagOfWordsOptions()).judge([case])
    assert [s.quote for s in verdict.spans] == ["perro 𝒳 blanco"]
    assert all("😀 perro 𝒳 blanco"[s.start : s.end] == s.quote for s in verdict.spans)
