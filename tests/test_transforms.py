"""Test cases by word replacement, adjuncts and other meanings, on the lite profile."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaphrase.campaign.plan import load_method
from metaphrase.core.errors import ConfigurationError, MissingResourceError
from metaphrase.core.values import Direction, Expectation, MetamorphicCase, Segment
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Candidate, MaskedText
from metaphrase.text.languages import language
from metaphrase.text.tokens import is_opaque, scan
from metaphrase.transforms.candidates import MaskedWords
from metaphrase.transforms.sentences import read_sentences

METHODS = ["cat", "cit", "patinv", "sit", "transrepair"]
EN = [
    "The doctor bought a car in Germany on Monday.",
    "In 2010, the company quietly sold its old factory to a buyer from Leeds for 25 million dollars.",
    "My sister, who lives near the beach, often drinks coffee with her neighbour.",
    "An attorney and three teachers visited the university in March.",
]
ZH = ["小明昨天在图书馆借了三本关于历史的书。", "这家公司的老师在北京参加了重要的会议。", "他们星期一在公园看到了红色的汽车。"]


def propose(method: str, *texts: str, source: str = "en", **options: object) -> list[MetamorphicCase]:
    made = load_method(method)
    transformation = made.transformation(Resources("lite"), {**made.options, **options})
    segments = [Segment(str(i), text, source) for i, text in enumerate(texts)]
    cases = list(transformation.propose(segments, Direction(source, "es" if source == "en" else "en")))
    assert all(isinstance(case, MetamorphicCase) for case in cases)
    return [case for case in cases if isinstance(case, MetamorphicCase)]


def followups(method: str, *texts: str, source: str = "en", **options: object) -> list[str]:
    return [case.followup for case in propose(method, *texts, source=source, **options)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("source", "texts"), [("en", EN), ("zh", ZH)])
def test_every_method_makes_distinct_cases_whose_edits_lead_from_source_to_followup(method: str, source: str, texts: list[str]) -> None:
    cases = propose(method, *texts, source=source)
    assert cases
    assert len({(c.source, c.followup) for c in cases}) == len(cases)
    assert len({c.id for c in cases}) == len(cases)
    for case in cases:
        assert case.source != case.followup
        assert case.extra["segment"] in {"0", "1", "2", "3"}
        assert "parameters" in case.extra
        assert case.edits
        rebuilt, done = "", 0
        for edit in case.edits:
            assert case.source[edit.source_start : edit.source_end] == edit.before
            assert case.followup[edit.followup_start : edit.followup_end] == edit.after
            rebuilt += case.source[done : edit.source_start] + edit.after
            done = edit.source_end
        assert "".join((rebuilt + case.source[done:]).split()) == "".join(case.followup.split())


@pytest.mark.parametrize("method", METHODS)
def test_cases_depend_on_segment_options_and_seed_only(method: str) -> None:
    together = propose(method, *EN)
    alone = [case for i, text in enumerate(EN) for case in propose(method, text)]
    assert [c.followup for c in together] == [c.followup for c in alone]
    assert [c.followup for c in propose(method, *EN, seed=7)] == [c.followup for c in propose(method, *EN, seed=7)]


def test_another_seed_swaps_for_another_member_of_the_class() -> None:
    sentence = "They met in Spain on Tuesday."
    assert len({tuple(followups("cat", sentence, seed=seed)) for seed in range(6)}) > 1


@pytest.mark.parametrize("method", ["cat", "transrepair", "patinv", "sit"])
@pytest.mark.parametrize(
    "piece",
    ["{name}", "{{ user.name }}", "%s", "%(count)d", "<b>", "</b>", "&nbsp;", "me@example.org", "https://example.org/red/car", "${three}"],
)
def test_placeholders_tags_and_addresses_are_never_touched(method: str, piece: str) -> None:
    for text in (f"{piece} The doctor bought a red car for {piece} on Monday {piece}", f"The lawyer sent{piece}three cars to {piece}."):
        for case in propose(method, text):
            assert case.followup.count(piece) == case.source.count(piece)
            assert [t.text for _, t in scan(case.followup) if is_opaque(t.text)] == [t.text for _, t in scan(text) if is_opaque(t.text)]


@pytest.mark.parametrize("method", METHODS)
@given(text=st.text(alphabet=st.sampled_from("the doctor's red car, didn't {x} 25 % \"a\" - 三 书 。 . "), max_size=60))
def test_no_text_breaks_a_method(method: str, text: str) -> None:
    for case in propose(method, text):
        assert case.followup.strip()


@pytest.mark.parametrize(
    "sentence",
    [
        "The doctor's car wasn't there.",
        "A well-known car-maker didn't sell the film-maker's car.",
        "He flew a Boeing 737 under Article 50 on Good Friday with the Bank of China.",
        "See AC/DC and the car/truck list.",
    ],
)
def test_contractions_hyphens_and_names_are_not_torn_apart(sentence: str) -> None:
    kept = {
        "wasn't",
        "well-known",
        "car-maker",
        "didn't",
        "film-maker's",
        "737",
        "50",
        "Good",
        "Friday",
        "Bank",
        "China.",
        "AC/DC",
        "car/truck",
    }
    for method in ("cat", "transrepair", "sit"):
        for followup in followups(method, sentence):
            assert {w for w in sentence.split() if w in kept} <= set(followup.split())


def test_words_at_the_edges_keep_their_capital_and_their_mark() -> None:
    cases = followups("cat", "Doctors like coffee.", per_word=1)
    assert "Physicians like coffee." in cases
    assert any(f.startswith("Doctors like ") and f.endswith(".") and "coffee" not in f for f in cases)
    assert followups("sit", "Doctors like coffee.") == []  # SIT leaves the first and the last word alone


def test_the_article_agrees_with_the_new_word() -> None:
    (case,) = [c for c in propose("cat", "She asked a lawyer for help.") if "attorney" in c.followup]
    assert case.followup == "She asked an attorney for help."
    assert case.edits is not None
    assert [(e.before, e.after) for e in case.edits] == [("a", "an"), ("lawyer", "attorney")]


def test_a_word_that_stands_twice_is_replaced_in_one_place() -> None:
    for case in propose("cat", "The doctor met another doctor."):
        assert case.followup.count("doctor") == 1


@pytest.mark.parametrize(
    ("sentence", "never"),
    [
        ("The price rose from 5 to 6 dollars.", ["from 6 ", "to 5 "]),
        ("About 100 percent of them agreed.", ["200 percent"]),
        ("One car is 1 dollar.", ["2 dollar", "0 dollar"]),
        ("We met on 28 February 2020.", ["29 February", "30 February"]),
        ("It was the 1984 Olympics.", ["1985", "1983"]),
    ],
)
def test_numbers_stay_in_order_and_in_range(sentence: str, never: list[str]) -> None:
    for followup in followups("cat", sentence):
        assert not any(piece in followup for piece in never)


def test_typed_swaps_cover_the_promised_kinds() -> None:
    kinds = {
        str(case.extra["candidates"])
        for text in (
            "We met 14 times in 2003.",
            "They left on Monday in June.",
            "She moved to Norway.",
            "Yesterday Peter called and then Susan called.",
            "He bought a blue coat.",
            "It is 12 miles away.",
        )
        for case in propose("cat", text)
    }
    assert kinds >= {"number", "year", "weekday", "month", "country", "male first name", "female first name", "colour", "unit"}


def test_transrepair_touches_nouns_adjectives_and_numbers_only() -> None:
    for case in propose("transrepair", *EN):
        assert case.edits
        assert case.edits[-1].before not in ("Monday", "Germany", "often", "quietly", "March")


def test_cit_adds_one_adjunct_to_the_core() -> None:
    cases = propose("cit", "In 2010, the company sold its factory.", variants=0)
    assert [(c.source, c.followup) for c in cases] == [("The company sold its factory.", "In 2010, the company sold its factory.")]


def test_cit_varies_the_adjunct_but_never_the_core() -> None:
    cases = propose("cit", "On Monday, the company sold its factory.", variants=2)
    assert len(cases) > 1
    assert all(c.followup.endswith("the company sold its factory.") for c in cases)


def test_patinv_expects_different_translations_and_changes_or_removes_meaning() -> None:
    cases = propose("patinv", *EN)
    assert {c.expectation for c in cases} == {Expectation.DIFFERENT}
    origins = {str(c.extra["candidates"]) for c in cases}
    assert "similar-words" in origins
    assert any(o.startswith("removed") for o in origins)


def test_limits_are_options() -> None:
    assert all(len(propose("cat", text, max_cases=1)) <= 1 for text in EN)
    with pytest.raises(ConfigurationError, match="did you mean 'max-cases'"):
        propose("cat", EN[0], max_case=1)


def test_a_language_without_a_table_says_what_to_do() -> None:
    with pytest.raises(MissingResourceError, match="--profile neural"):
        Resources("lite").similar_words("fr")


def test_articles_go_by_sound() -> None:
    english = language("en")
    wanted = {"hour": "an", "university": "a", "umbrella": "an", "European": "a", "FBI": "an", "UN": "a", "18": "an", "one-off": "a"}
    for word, article in wanted.items():
        for before in ("a", "an"):
            assert (english.agreeing(before, word) or before) == article


class _Eager(Resources):
    """Proposes a word for whatever it is asked about: nothing but the rules about places can hold it back."""

    def masked_lm(self, language: str) -> Any:
        return self

    def fill(self, masked: Sequence[MaskedText], top: int = 10) -> list[list[Candidate]]:
        return [[Candidate("boats", 0.9)] for _ in masked]


def eager_followups(text: str) -> list[str]:
    resources = _Eager("lite")
    (sentence,) = read_sentences([Segment("1", text, "en")], resources.parser("en"))
    (proposals,) = MaskedWords(resources, lambda sentence, index, language: True, top=1).propose([sentence], language("en"))
    return [proposal.followup(sentence) for proposal in proposals]


PIECES = [
    "{name}",
    "{{ user.name }}",
    "%s",
    "%(count)d",
    "<b>",
    "</b>",
    "&nbsp;",
    "me@example.org",
    "https://example.org/red/car",
    "${three}",
]
WHOLE = ["wasn't", "well-known", "film-maker's", "AC/DC", "car/truck", "o'clock", "rock'n'roll", "x=y", "C++", "snake_case"]


@given(
    pieces=st.lists(st.sampled_from([*PIECES, *WHOLE]), min_size=1, max_size=3, unique=True),
    words=st.lists(st.sampled_from(["doctors", "red", "sold", '"cars"', "quickly,"]), min_size=2, max_size=5),
    order=st.randoms(use_true_random=False),
)
def test_the_most_eager_model_replaces_plain_words_and_tears_nothing_apart(pieces: list[str], words: list[str], order: Random) -> None:
    mixed = [*pieces, *words]
    order.shuffle(mixed)
    text = " ".join(mixed)
    found = eager_followups(text)
    assert found
    for followup in found:
        assert all(piece in followup for piece in pieces if piece in PIECES)
        ((old, new),) = [pair for pair in zip(text.split(), followup.split(), strict=True) if pair[0] != pair[1]]
        assert new.strip('",').lower() in ("boats", "boats's"), (old, new)  # a whole word went, not a part of one


@pytest.mark.parametrize("text", ["Stop {name} now.", "%s was here.", "Read <b>this</b> twice.", "He isn't home."])
def test_a_piece_at_the_edge_or_beside_a_mark_is_kept_by_the_most_eager_model(text: str) -> None:
    kept = [t.text for _, t in scan(text) if is_opaque(t.text)] + [w for w in text.split() if "n't" in w]
    assert kept
    for followup in eager_followups(text):
        assert all(piece in followup for piece in kept)
