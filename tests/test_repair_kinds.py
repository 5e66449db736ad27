"""Repair beyond pairs of one replaced word: phrases, engines that disagree, round trips, translations that must differ; and the way back."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import CommandLine
from metaphrase.campaign.config import load_configuration
from metaphrase.campaign.events import Summary
from metaphrase.campaign.plan import expected
from metaphrase.campaign.repair_work import from_cases, from_store
from metaphrase.campaign.repairing import Repairs
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import TranslateStage
from metaphrase.core import registry
from metaphrase.core.signature import Signature
from metaphrase.core.values import (
    Case,
    DifferentialCase,
    Direction,
    Expectation,
    MetamorphicCase,
    Outcome,
    RoundTripCase,
    Segment,
    Span,
    Translation,
    Verdict,
)
from metaphrase.files.cases import case_to_json, dumps
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.parts import carry_over, parts
from metaphrase.repair.phrases import cut_phrase, is_part, put_phrase
from metaphrase.repair.repairer import Repairer
from metaphrase.repair.single import Single, SingleRepairer
from metaphrase.repair.values import Judged, Repair, Subject, Translate, Variant
from metaphrase.repair.variants import replacement
from metaphrase.repair.way_back import WayBack
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Alignment, Link, TokenPair
from metaphrase.systems.base import Limits
from metaphrase.systems.recorded import RecordedSystem
from metaphrase.text.languages import language
from metaphrase.text.tokens import scan

EN, ES = language("en"), language("es")
EN_ES = Direction("en", "es")
RESOURCES = Resources("lite")


def way_back(**ways: Mapping[str, str]) -> WayBack:
    """Ways back by name, with recorded answers; what is not recorded has none."""

    def through(known: Mapping[str, str]) -> Translate:
        def translate(texts: Sequence[str], direction: Direction) -> list[str | None]:
            assert direction == Direction("es", "en")
            return [known.get(text) for text in texts]

        return translate

    return WayBack(EN_ES, (EN, ES), {name: through(known) for name, known in ways.items()}, RESOURCES.synonyms("en").related)


def judged(case: Case, name: str) -> Judged[Case]:
    relation = registry.relations.load(name)(RESOURCES, {})
    return Judged(case, relation.judge([case])[0], relation)


# The way back


def test_a_word_that_comes_back_on_no_way_before_and_on_one_after_is_gained() -> None:
    ways = way_back(
        first={"La funda es tibia.": "The cover is warm.", "La chaqueta es tibia.": "The jacket is warm."},
        second={"La funda es tibia.": "The cover is lukewarm.", "La chaqueta es tibia.": "The jacket is lukewarm."},
    )
    found = ways.compare("The jacket is warm.", "La funda es tibia.", "La chaqueta es tibia.")
    assert found is not None
    assert found.gained == Counter(["jacket"])
    assert found.gains_words
    turned = ways.compare("The jacket is warm.", "La chaqueta es tibia.", "La funda es tibia.")
    assert turned is not None
    assert turned.worse


def test_a_wording_that_one_engine_understands_is_not_bettered_by_what_another_prefers() -> None:
    """Both wordings come back on the first way: that the second does not know one of them speaks against the second."""
    ways = way_back(
        first={"Se han quejado.": "They have complained.", "Se han renegado.": "They have complained."},
        second={"Se han quejado.": "They have quejado.", "Se han renegado.": "They have complained."},
    )
    found = ways.compare("They have complained.", "Se han quejado.", "Se han renegado.")
    assert found is not None
    assert not found.gained
    assert not found.gains_words


def test_a_word_that_was_never_translated_comes_back_for_nothing() -> None:
    ways = way_back(only={"El ladder cae.": "The ladder falls.", "La escalera cae.": "The ladder falls."})
    found = ways.compare("The ladder falls.", "El ladder cae.", "La escalera cae.")
    assert found is not None
    assert found.gained == Counter(["ladder"])


def test_a_word_of_both_languages_is_no_witness_for_itself() -> None:
    ways = way_back(only={"Vio el partido.": "He saw the game.", "Vio el match.": "He saw the match."})
    found = ways.compare("He saw the match.", "Vio el partido.", "Vio el match.")
    assert found is not None
    assert not found.gained


def test_nothing_is_compared_where_nothing_comes_back() -> None:
    assert way_back(only={}).compare("The dog sleeps.", "El perro duerme.", "El perro come.") is None


def test_every_text_is_translated_back_once() -> None:
    asked: list[str] = []

    def translate(texts: Sequence[str], direction: Direction) -> list[str | None]:
        asked.extend(texts)
        return ["back"] * len(texts)

    ways = WayBack(EN_ES, (EN, ES), {"only": translate})
    ways.ask(["uno", "dos", "uno"])
    ways.compare("one", "uno", "tres")
    assert asked == ["uno", "dos", "tres"]


# Pieces and phrases


def test_pieces_stand_between_words_that_both_translations_have() -> None:
    own, other = "El alcalde repara las luces de la calle.", "El alcalde repara las lámparas viejas de la calle."
    (piece,) = parts(own, other, ES)
    assert (own[piece.start : piece.end], piece.piece) == ("luces", "lámparas viejas")
    assert piece.put(own) == other


@pytest.mark.parametrize(
    ("own", "other", "fits"),
    [
        ("La ruta es más empinada.", "La ruta es más inclinado.", False),
        ("Duerme en el lecho viejo.", "Duerme en la cama viejo.", True),  # the article comes with its noun
        ("Compra dos carros.", "Compra dos coches.", True),
    ],
)
def test_a_bare_word_must_agree_as_the_old_one_did(own: str, other: str, fits: bool) -> None:
    assert [piece.fits(own, ES) for piece in parts(own, other, ES)] == [fits]


def test_a_change_is_carried_over_where_the_old_wording_stands_beside_the_same_words() -> None:
    before, after = "Hay una suma grande de cobrar allí.", "Hay una suma grande de dinero allí."
    assert carry_over(before, after, "Hay una suma enorme de cobrar allí.", ES) == "Hay una suma enorme de dinero allí."
    assert carry_over(before, after, "Hay una suma grande de dinero allí.", ES) is None
    assert carry_over(before, after, "Hay de cobrar y de cobrar allí.", ES) is None  # twice


def test_a_part_is_what_remains_when_words_are_taken_out() -> None:
    assert is_part("the old dog", "Yesterday the old dog slept.", EN)
    assert is_part("The dog slept.", "The dog of the king slept.", EN)
    assert not is_part("the dog old", "Yesterday the old dog slept.", EN)
    assert not is_part("The dog slept.", "The dog slept.", EN)


def test_a_phrase_is_put_in_place_and_cut_out() -> None:
    whole, phrase = "Encontró una suma grande de cobrar bajo la cama.", "Una suma grande de dinero"
    start = phrase.index("dinero")
    assert "Encontró una suma grande de dinero bajo la cama." in list(put_phrase(whole, phrase, [(start, start + 6)], ES))
    assert "Una suma grande de cobrar" in list(cut_phrase(whole, phrase, [(start, start + 6)], ES))


CASH = MetamorphicCase(
    "p1",
    EN_ES,
    "purity",
    "He found a large sum of money under the bed.",
    "a large sum of money",
    "Encontró una suma grande de cobrar bajo la cama.",
    "Una suma grande de dinero",
)
CASH_BACK = {
    "Encontró una suma grande de cobrar bajo la cama.": "He found a large sum of charging under the bed.",
    "Encontró una suma grande de dinero bajo la cama.": "He found a large sum of money under the bed.",
}


def subject_of(*cases: Judged[MetamorphicCase], variants: tuple[Variant, ...] = ()) -> Subject:
    first = cases[0].case
    return Subject(EN_ES, first.source, first.source_translation or "", cases, variants)


def repairer(ways: WayBack | None = None, **options: object) -> Repairer:
    related = RESOURCES.synonyms("en").related
    return Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions(**options), way_back=ways, related=related)


def test_a_sentence_takes_the_words_that_its_phrase_is_translated_with_alone() -> None:
    found = judged(CASH, "bag-of-words")
    assert found.verdict.violated
    (row,) = repairer(way_back(only=CASH_BACK)).repair(subject_of(found))  # type: ignore[arg-type]
    assert (row.accepted, row.text, row.evidence["kind"]) == (True, "source_translation", "phrase")
    assert row.after == "Encontró una suma grande de dinero bajo la cama."
    assert not found.relation.judge([row.case])[0].violated


def test_follow_ups_with_the_same_error_are_repaired_along() -> None:
    """They held only because both texts had it."""
    other = "He found an enormous sum of money under the bed."
    along = MetamorphicCase(
        "c1", EN_ES, "cat", CASH.source, other, CASH.source_translation, "Encontró una suma enorme de cobrar bajo la cama."
    )
    cases = [judged(CASH, "bag-of-words"), judged(along, "lcs")]
    assert [j.verdict.violated for j in cases] == [True, False]
    main, carried = repairer(way_back(only=CASH_BACK)).repair(subject_of(*cases))  # type: ignore[arg-type]
    assert main.after == "Encontró una suma grande de dinero bajo la cama."
    assert (carried.evidence["kind"], carried.input) == ("carried over", other)
    assert carried.after == "Encontró una suma enorme de dinero bajo la cama."
    assert not cases[1].relation.judge([carried.case])[0].violated


def test_a_phrase_is_not_repaired_without_a_witness() -> None:
    found = judged(CASH, "bag-of-words")
    assert not any(row.accepted for row in repairer().repair(subject_of(found)))  # type: ignore[arg-type]
    back = dict.fromkeys(CASH_BACK, "He found a large sum of money under the bed.")
    assert not any(row.accepted for row in repairer(way_back(only=back)).repair(subject_of(found)))  # type: ignore[arg-type]


def test_the_translation_of_a_synonym_s_sentence_gives_a_misread_verb_its_person_back() -> None:
    source, other = "The new clerk starts on Monday.", "The new clerk begins on Monday."
    bad, good = "Los inicios de empleado nuevos el lunes.", "El empleado nuevo empieza el lunes."
    found = judged(MetamorphicCase("s1", EN_ES, "cat", source, other, bad, good), "lcs")
    ways = way_back(only={bad: "The beginnings of new clerk the Monday.", good: "The new clerk begins the Monday."})
    subject = subject_of(found, variants=(variant_of(source, other, good),))  # type: ignore[arg-type]
    (row,) = repairer(ways).repair(subject)
    assert (row.accepted, row.evidence["kind"], row.after) == (True, "synonym", good)
    (row,) = repairer(ways, candidates=("follow-up",)).repair(subject)
    assert not row.accepted


BIG, YOUNG = "The big man slept in the garden.", "The young man slept in the garden."
SAME = "El hombre durmió en el jardín."
LOST = MetamorphicCase("d1", EN_ES, "patinv", BIG, YOUNG, SAME, SAME, expectation=Expectation.DIFFERENT)


def variant_of(source: str, other: str, translation: str) -> Variant:
    replaced = replacement(source, other, EN)
    assert replaced is not None
    return Variant(other, translation, replaced, "mutant")


def test_translations_that_must_differ_are_told_apart_by_a_synonym_that_is_not_lost() -> None:
    new = "El hombre grande durmió en el jardín."
    found = judged(LOST, "must-differ")
    subject = subject_of(found, variants=(variant_of(BIG, "The large man slept in the garden.", new),))  # type: ignore[arg-type]
    ways = way_back(only={SAME: "The man slept in the garden.", new: "The big man slept in the garden."})
    (row,) = repairer(ways).repair(subject)
    assert (row.accepted, row.text, row.evidence["kind"], row.after) == (True, "source_translation", "synonym", new)
    assert found.relation.judge([row.case])[0].outcome is Outcome.HOLDS


def test_a_lost_word_comes_back_with_a_variant_whose_other_word_is_mapped_back() -> None:
    class Diagonal:
        def align(self, pairs: list[TokenPair]) -> list[Alignment]:
            return [Alignment(tuple(Link(i, i) for i in range(min(len(p.source), len(p.target))))) for p in pairs]

    found = judged(LOST, "must-differ")
    king = variant_of(BIG, "The big king slept in the garden.", "El gran rey durmió en el jardín.")
    new = "El gran hombre durmió en el jardín."
    ways = way_back(only={SAME: "The man slept in the garden.", new: "The big man slept in the garden."})
    worker = Repairer(EN_ES, Diagonal(), RepairOptions(), way_back=ways)  # type: ignore[arg-type]
    (row,) = worker.repair(subject_of(found, variants=(king,)))  # type: ignore[arg-type]
    assert (row.accepted, row.evidence["kind"], row.after) == (True, "mutant", new)


def test_what_is_no_violation_when_judged_alone_is_not_repaired() -> None:
    """Relations may learn from their batch; then nothing could be proved."""
    fine = replace(CASH, source_translation="Encontró una suma grande de dinero bajo la cama.")
    found = judged(fine, "bag-of-words")
    blamed = replace(found, verdict=judged(CASH, "bag-of-words").verdict)
    (row,) = repairer(way_back(only=CASH_BACK)).repair(subject_of(blamed))  # type: ignore[arg-type]
    assert not row.accepted
    assert row.evidence["reason"] == "judged alone it is no violation: there is nothing to prove"


# Engines that disagree, and round trips


class Equal:
    """Holds where all translations, or both ends of a round trip, are the same."""

    name = "equal"

    def signature(self) -> Signature:
        return Signature(self.name)

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        return [self._judge(case) for case in cases]

    def _judge(self, case: Case) -> Verdict:
        if isinstance(case, DifferentialCase):
            texts = set(case.translations.values())
        else:
            assert isinstance(case, RoundTripCase)
            texts = {case.source, case.back_translation}
        outcome = Outcome.HOLDS if len(texts) == 1 else Outcome.VIOLATED
        fields = [(name, text) for name, text in case.texts() if name != "back_translation"]
        spans = tuple(Span(name, 0, len(text), text) for name, text in fields)
        return Verdict(case.id, self.name, outcome, 0.5, "they differ", str(self.signature()), spans)


def single(case: Single) -> Judged[Single]:
    return Judged(case, Equal().judge([case])[0], Equal())


def repaired(case: Single, ways: WayBack, engines: Mapping[str, str] | None = None, **options: object) -> list[Repair]:
    chosen = RepairOptions(**options)
    return SingleRepairer(EN_ES, chosen, ways).repair(single(case), engines or {}, "first")


LAMPS = DifferentialCase(
    "e1", EN_ES, "All the lamps went out.", {"first": "Todas las luces salieron.", "second": "Todas las lámparas salieron."}
)
LAMPS_BACK = {"Todas las luces salieron.": "All the lights went out.", "Todas las lámparas salieron.": "All the lamps went out."}


def test_the_engine_whose_word_does_not_come_back_takes_the_other_s_wording() -> None:
    (row,) = repaired(LAMPS, way_back(first=LAMPS_BACK))
    assert (row.accepted, row.text, row.evidence["kind"], row.evidence["from"]) == (True, "first", "part", "second")
    assert row.after == "Todas las lámparas salieron."
    assert Equal().judge([row.case])[0].outcome is Outcome.HOLDS
    assert row.to_json()["translations"]["first"] == row.after


def test_where_both_wordings_come_back_nothing_is_changed() -> None:
    (row,) = repaired(LAMPS, way_back(first=dict.fromkeys(LAMPS_BACK, "All the lamps went out.")))
    assert not row.accepted
    assert row.evidence["reason"] == "the way back does not show which wording is better"
    (row,) = repaired(LAMPS, way_back())
    assert "no system translates back" in row.evidence["reason"]


def test_another_engine_s_whole_text_is_taken_only_if_every_way_back_gains_by_it() -> None:
    bad, good = "Prometido los alcaldes reparación calles.", "El alcalde prometió reparar la calle."
    case = DifferentialCase("e2", EN_ES, "The mayor promised to repair the street.", {"first": bad, "second": good})
    gains = {bad: "Promised the mayors streets.", good: "The mayor promised to repair the street."}
    (row,) = repaired(case, way_back(first=gains, second=gains))
    assert (row.accepted, row.evidence["kind"], row.after) == (True, "engine", good)
    (row,) = repaired(case, way_back(first=gains, second=gains), candidates=("part",))
    assert not row.accepted
    (row,) = repaired(case, way_back(first=gains, second=dict.fromkeys(gains, "The mayor promised to repair the street.")))
    assert not row.accepted


class Places(Equal):
    """Blames words of the first engine's text, each as a place of its own."""

    def __init__(self, *blamed: str) -> None:
        self._blamed = blamed

    def _judge(self, case: Case) -> Verdict:
        text = dict(case.texts())["first"]
        found = [Span("first", text.index(word), text.index(word) + len(word), word) for word in self._blamed if word in text]
        places = [{"spans": [{"text": s.text, "start": s.start, "end": s.end, "quote": s.quote}], "weight": 1.0} for s in found]
        outcome = Outcome.VIOLATED if found else Outcome.HOLDS
        return Verdict(case.id, self.name, outcome, 0.5, "blamed", str(self.signature()), tuple(found), extra={"places": places})


@pytest.mark.parametrize(
    ("blamed", "accepted"),
    [
        (("luces", "salieron"), True),  # one of two places is settled
        (("luces", "salieron", "lámparas"), False),  # the new wording is blamed too
        (("luces", "salieron", "ámparas sal"), False),  # something new is
    ],
)
def test_a_place_is_settled_if_nothing_is_left_to_blame_there_and_nothing_new_elsewhere(blamed: tuple[str, ...], accepted: bool) -> None:
    relation = Places(*blamed)
    found: Judged[Single] = Judged(LAMPS, relation.judge([LAMPS])[0], relation)
    (row,) = SingleRepairer(EN_ES, RepairOptions(), way_back(first=LAMPS_BACK)).repair(found, {})
    assert row.accepted is accepted
    if accepted:
        assert (row.evidence["settled"], row.evidence["still_blamed"]) == (1, "blamed")


TRIP = RoundTripCase("t1", EN_ES, "All the lamps went out.", "Todas las luces salieron.", "All the lights went out.")


def test_a_round_trip_is_repaired_by_a_wording_that_comes_home() -> None:
    (row,) = repaired(TRIP, way_back(first=LAMPS_BACK), {"second": "Todas las lámparas salieron."})
    assert (row.accepted, row.text, row.after) == (True, "intermediate", "Todas las lámparas salieron.")
    assert isinstance(row.case, RoundTripCase)
    assert row.case.back_translation == row.case.source


def test_an_error_of_the_way_back_is_left_alone() -> None:
    found = single(TRIP)
    backward = replace(found, verdict=replace(found.verdict, extra={"trip": {"leg": "backward"}}))
    engines = {"second": "Todas las lámparas salieron."}
    (row,) = SingleRepairer(EN_ES, RepairOptions(), way_back(first=LAMPS_BACK)).repair(backward, engines, "first")
    assert not row.accepted
    assert "on the way back" in row.evidence["reason"]


def test_numbers_are_kept_whatever_comes_back() -> None:
    case = DifferentialCase("e3", EN_ES, "Bring 12 lamps.", {"first": "Trae 12 luces.", "second": "Trae diez lámparas."})
    back = {"Trae 12 luces.": "Bring 12 lights.", "Trae 12 lámparas.": "Bring lamps.", "Trae diez lámparas.": "Bring 12 lamps."}
    for row in repaired(case, way_back(first=back)):
        assert not row.accepted


# From files


def test_cases_of_all_kinds_are_repaired_from_a_file_with_recorded_engines(metaphrase: CommandLine, tmp_path: Path) -> None:
    good, bad = "Las lámparas son viejas, dijo el alcalde ayer.", "Las luces son viejas, dijo el alcalde ayer."
    source = "The lamps are old, the mayor said yesterday."
    rows = [
        {"text": good, "translation": source, "direction": "es-en"},
        {"text": bad, "translation": "The lights are old, the mayor said yesterday.", "direction": "es-en"},
    ]
    for name, answer in (("first", bad), ("second", good)):
        lines = [{"text": source, "translation": answer, "direction": "en-es"}, *rows]
        (tmp_path / f"{name}.jsonl").write_text("".join(dumps(r) + "\n" for r in lines), encoding="utf-8")
    names = [f"recorded:{tmp_path / name}.jsonl" for name in ("first", "second")]
    case = DifferentialCase("e1", EN_ES, source, dict(zip(names, (bad, good), strict=True)))
    (tmp_path / "cases.jsonl").write_text(dumps(case_to_json(case)) + "\n", encoding="utf-8")
    systems = [option for name in names for option in ("--system", name)]
    config = tmp_path / "strict.toml"
    config.write_text("[relation.dcs]\nthreshold = 0.05\n", encoding="utf-8")
    ran = metaphrase("repair", tmp_path / "cases.jsonl", *systems, "--store", "k.db", "--config", config, "-o", "k.jsonl", "-o", "k.csv")
    assert ran.code == 0, ran.err
    (row,) = [json.loads(line) for line in Path("k.jsonl").read_text(encoding="utf-8").splitlines()]
    assert row["kind"] == "differential"
    assert (row["accepted"], row["after"], row["system"]) == (True, good, names[0]), row
    assert f",{names[0]}" in Path("k.csv").read_text(encoding="utf-8")


def test_what_is_sent_obeys_what_was_said_before_with_two_engines(tmp_path: Path) -> None:
    """Other engines' translations and the way back count too."""
    for name in ("first", "second"):
        lines = [{"text": CASH.source, "translation": f"{name} " + (CASH.source_translation or ""), "direction": "en-es"}]
        lines += [{"text": text, "translation": back, "direction": "es-en"} for text, back in CASH_BACK.items()]
        (tmp_path / f"{name}.jsonl").write_text("".join(dumps(r) + "\n" for r in lines), encoding="utf-8")
    systems = {name: RecordedSystem(name, tmp_path / f"{name}.jsonl") for name in ("first", "second")}
    configuration = load_configuration(None, {"relation": "bag-of-words"})
    work = from_cases([CASH], "first", RESOURCES, configuration)
    with Store(tmp_path / "s.db") as store:
        run = Repairs(work, systems, RESOURCES, configuration, store)
        planned = run.plan().planned_texts
        rows = list(run.run())
    assert [row.accepted for row in rows] == [True]
    assert 0 < run.summary.sent.sent_texts <= planned


# Many random engines, that also translate back

WORDS = "army troops city doctor nurse room writer books shop company engineers factory storm boats coast teacher question".split()


class Scrambled:
    """Word for word into invented words and back; there, some words are lost, moved, doubled or taken for another one."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.limits = Limits()
        self._seed = seed

    def signature(self) -> Signature:
        return Signature("scrambled", "1", {"seed": self._seed})

    def translate(self, texts: Sequence[str], direction: Direction) -> list[Translation]:
        return [Translation(self._there(text) if direction == EN_ES else _home(text)) for text in texts]

    def _there(self, text: str) -> str:
        dice = random.Random(f"{self._seed} {text}")
        words = [t.text if kind in ("opaque", "number", "other") else t.text.lower()[::-1] + "o" for kind, t in scan(text)]
        while dice.random() < 0.5:
            i = dice.randrange(len(words) - 1)
            change = dice.randrange(4)
            if change == 0:
                del words[i]
            elif change == 1:
                words[i], words[i + 1] = words[i + 1], words[i]
            elif change == 2:
                words.insert(i, words[i])
            else:
                words[i] = dice.choice(WORDS)[::-1] + "o"
        return " ".join(words)

    def close(self) -> None:
        """Nothing is open."""


def _home(text: str) -> str:
    return " ".join(t.text if kind in ("opaque", "number", "other") else t.text.removesuffix("o")[::-1] for kind, t in scan(text))


def proposals() -> list[Case]:
    """Cases of every kind but the round trip, not translated yet."""
    segments = [
        Segment(str(i), text, "en")
        for i, text in enumerate(
            [
                "The army sent 40 fresh troops to the ancient city before the long winter.",
                "The doctor asked the young nurse to prepare the second room for {name}.",
                "A famous writer bought <b>three</b> very old books in a small shop in March.",
                "The large company hired 25 new engineers for its modern factory in France.",
                "The terrible storm damaged two fishing boats near the northern coast on Monday.",
            ]
        )
    ]
    found: list[Case] = []
    for name in ("cat", "purity", "patinv"):
        method = registry.methods.load(name)
        found += [expected(case) for case in method.transformation(RESOURCES, method.options).propose(segments, EN_ES)]
    return [*found, *(DifferentialCase(f"{s.id}-dcs", EN_ES, s.text, {"first": None, "second": None}) for s in segments)]


def test_every_accepted_repair_of_every_kind_passes_again_when_judged_from_scratch(tmp_path: Path) -> None:
    kinds: Counter[str] = Counter()
    relations = {"cat": "lcs", "purity": "bag-of-words", "patinv": "must-differ", "": "dcs"}
    strict = {"dcs": {"threshold": 0.02}}  # invented words are soon taken for other words for the same thing
    (tmp_path / "strict.toml").write_text("[relation.dcs]\nthreshold = 0.02\n", encoding="utf-8")
    for seed in range(12):
        systems = {name: Scrambled(name, 2 * seed + i) for i, name in enumerate(("first", "second"))}
        cases = list(proposals())
        with Store(tmp_path / f"{seed}.db") as store:
            stage = TranslateStage(store, Summary())
            for _ in stage.fill(cases, lambda request, systems=systems: systems[request.engine or "first"]):  # type: ignore[misc]
                pass
            configuration = load_configuration(tmp_path / "strict.toml", {})
            run = Repairs(from_cases(cases, "first", RESOURCES, configuration), systems, RESOURCES, configuration, store)
            rows = list(run.run())
        assert run.summary.sent.sent_texts <= run.summary.planned_texts
        for row in rows:
            if row.accepted:
                kinds[row.evidence["kind"]] += 1
                name = relations[row.case.transformation]
                fresh = registry.relations.load(name)(Resources("lite"), strict.get(name, {}))
                (verdict,) = fresh.judge([row.case])
                new = {change["after"]["quote"] for change in row.evidence["changed"]}
                blamed = {span.quote for span in verdict.spans if span.text == row.text}
                assert verdict.outcome is Outcome.HOLDS or ("settled" in row.evidence and not blamed & new), (seed, row, verdict)
                wanted = Counter(t.text for kind, t in scan(row.input) if kind in ("opaque", "number"))
                assert not wanted - Counter(t.text for _, t in scan(row.after)), row
    assert {"phrase", "part"} <= kinds.keys(), kinds


@pytest.mark.apertium
def test_what_a_run_judged_and_found_in_order_counts_for_the_proof_whichever_relation_judged_it(
    metaphrase: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "s.txt").write_text("The unjust law punishes the poor.\n", encoding="utf-8")
    common = ["--to", "es", "--store", "both.db", "--fail-on", "never", "--method", "cat", "--method", "patinv"]
    ran = metaphrase("test", tmp_path / "s.txt", "--system", "apertium:eng-spa", *common)
    assert ran.code == 0, ran.err
    with Store(Path("both.db")) as store:
        work = from_store(store, RESOURCES, load_configuration(None, {}))
    (text,) = work.texts
    assert {found.case.transformation for found in text.cases} == {"cat", "patinv"}
    assert {found.case.transformation for found in text.cases if found.verdict.violated} == {"cat"}
