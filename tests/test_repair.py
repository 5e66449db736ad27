"""Repair: mapping, ranking, guards, and the proof."""

from __future__ import annotations

import csv
import json
import random
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import CommandLine
from metaphrase.campaign.config import load_configuration
from metaphrase.campaign.repair_work import from_cases
from metaphrase.campaign.repairing import Repairs
from metaphrase.campaign.store import Store
from metaphrase.core import registry
from metaphrase.core.values import Direction, MetamorphicCase, Segment
from metaphrase.files.cases import case_to_json, dumps
from metaphrase.methods.base import Method
from metaphrase.repair.guards import left_untranslated, objection
from metaphrase.repair.mapping import Mapped, Mapper, patch
from metaphrase.repair.options import RepairOptions
from metaphrase.repair.ranking import cross_reference, rank
from metaphrase.repair.repairer import Repairer
from metaphrase.repair.values import Judged, Repair, Subject, Translate, Variant
from metaphrase.repair.variants import replacement
from metaphrase.repair.votes import count_votes
from metaphrase.repair.way_back import WayBack
from metaphrase.resources.profiles import Resources
from metaphrase.resources.protocols import Alignment, Link, TokenPair
from metaphrase.systems.recorded import RecordedSystem
from metaphrase.text.languages import language
from metaphrase.text.tokens import scan

EN, ES = language("en"), language("es")
EN_ES = Direction("en", "es")
RESOURCES = Resources("lite")


class NoLinks:
    """An aligner that knows nothing."""

    def align(self, pairs: list[TokenPair]) -> list[Alignment]:
        return [Alignment(()) for _ in pairs]


class Diagonal:
    """An aligner that links words in order."""

    def align(self, pairs: list[TokenPair]) -> list[Alignment]:
        return [Alignment(tuple(Link(i, i) for i in range(min(len(p.source), len(p.target))))) for p in pairs]


def variant(text: str, other: str, translation: str, score: float | None = None) -> Variant:
    found = replacement(text, other, EN)
    assert found is not None
    return Variant(other, translation, found, "follow-up", score)


def mapper(text: str, translation: str, *variants: Variant, aligner: object = None) -> Mapper:
    return Mapper(EN, ES, aligner or NoLinks(), text, translation, variants, {})  # type: ignore[arg-type]


# Which word differs


def test_a_replacement_is_one_word_with_the_article_that_goes_with_it() -> None:
    found = replacement("He is a doctor here.", "He is an engineer here.", EN)
    assert found is not None
    assert ("He is a doctor here."[found.start : found.end], "He is an engineer here."[found.other_start : found.other_end]) == (
        "doctor",
        "engineer",
    )


@pytest.mark.parametrize("other", ["The dog sleeps here today.", "The cat eats here.", "The dog.", "The dog sleeps here."])
def test_texts_that_differ_in_more_or_less_than_one_word_are_no_replacement(other: str) -> None:
    assert replacement("The dog sleeps here.", other, EN) is None


# Mapping back


def test_a_word_is_mapped_back_where_it_alone_changed() -> None:
    text = "The unjust law punishes the poor."
    known = mapper(
        text, "El unjust la ley castiga el pobre.", variant(text, "The unfair law punishes the poor.", "La ley injusta castiga el pobre.")
    )
    mapped = known.map_back(0)
    assert isinstance(mapped, Mapped)
    assert (mapped.text, mapped.replaces, mapped.untranslated) == ("La ley unjust castiga el pobre.", "injusta", True)


def test_where_several_words_changed_the_alignment_tells_which_is_meant() -> None:
    text = "The navy sent fresh troops."
    near = variant(text, "The army sent fresh troops.", "El ejército envió tropas frescas.")
    assert (
        mapper(text, "El navy tropas frescas enviadas.", near).map_back(0)
        == "no word of the translation is aligned with the replacing word"
    )
    mapped = mapper(text, "El navy tropas frescas enviadas.", near, aligner=Diagonal()).map_back(0)
    assert isinstance(mapped, Mapped)
    assert mapped.text == "El navy envió tropas frescas."


def test_a_variant_that_differs_in_the_word_only_has_nothing_to_teach() -> None:
    text = "The dog sleeps."
    known = mapper(text, "El perro duerme.", variant(text, "The wolf sleeps.", "El lobo duerme."))
    assert known.map_back(0) == "its translation differs in the replaced word only"


def test_words_that_are_not_contiguous_are_given_up() -> None:
    class Scattered:
        def align(self, pairs: list[TokenPair]) -> list[Alignment]:
            return [Alignment((Link(1, 0), Link(1, 3))) for _ in pairs]

    text = "The dog eats cold meat."
    known = mapper(
        text, "Perro un come carne fría.", variant(text, "The wolf eats cold meat.", "Lobo del come monte helada."), aligner=Scattered()
    )
    assert known.map_back(0) == "the words aligned with the replaced word are not contiguous"


def test_a_word_whose_translation_stands_twice_is_ambiguous() -> None:
    text = "The dog saw it."
    known = mapper(text, "Vio gris la vio gris.", variant(text, "The wolf saw it.", "Mira pardo la mira pardo."), aligner=Diagonal())
    assert known.map_back(0) == "the translation has the words aligned with the replaced word twice"


def test_a_patch_keeps_the_capital_and_leaves_no_double_space() -> None:
    assert patch("El perro duerme.", 0, 8, "la gata") == "La gata duerme."
    assert patch("El perro negro duerme.", 9, 14, "") == "El perro duerme."


# Ranking and votes


def test_cross_reference_is_the_mean_similarity_to_all_others() -> None:
    # By hand: LCS of "a b c"/"a b d" 2 of 3, of either with "x y z" 0.
    assert cross_reference(["a b c".split(), "a b d".split(), "x y z".split()], "lcs") == pytest.approx([1 / 3, 1 / 3, 0.0])
    assert cross_reference([["a"]], "bleu") == [0.0]


@pytest.mark.parametrize("metric", ["lcs", "edit-distance", "tf-idf", "bleu"])
def test_every_metric_ranks_the_text_that_the_others_agree_with_first(metric: str) -> None:
    text = "The dog sleeps here."
    common = [variant(text, f"The {w} sleeps here.", f"El {t} duerme aquí.") for w, t in (("cat", "gato"), ("wolf", "lobo"))]
    odd = variant(text, "The bear sleeps here.", "Oso los sueños de en.")
    some = [odd, *common]
    by, ranked = rank(some, [v.translation.split() for v in some], "cross-reference", metric)
    assert by == f"cross-reference ({metric})"
    assert ranked[-1][1] is odd


def test_a_system_that_gives_scores_ranks_by_them_unless_told_otherwise() -> None:
    text = "The dog sleeps."
    some = [variant(text, "The cat sleeps.", "El gato duerme.", -3.0), variant(text, "The wolf sleeps.", "El lobo duerme.", -1.0)]
    by, ranked = rank(some, [v.translation.split() for v in some], "auto", "lcs")
    assert (by, [v.text for _, v in ranked]) == ("score", ["The wolf sleeps.", "The cat sleeps."])
    assert rank(some, [v.translation.split() for v in some], "cross-reference", "lcs")[0] == "cross-reference (lcs)"


def test_a_voter_shows_the_new_wording_the_old_one_or_neither() -> None:
    before, after = "el perro se acerca la puerta".split(), "el perro cerca de la puerta".split()
    voters = ["el lobo cerca de la puerta", "el lobo se acerca la puerta", "otra cosa"]
    votes = count_votes(before, after, [v.split() for v in voters])
    assert (votes.new, votes.old) == ((0,), (1,))


# Guards


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("Open {0} now.", "Abre ahora."),
        ("Open <b>it</b> now.", "Abre <b>lo ahora."),
        ("Send it to %s today.", "Envíalo hoy."),
        ("It costs 250 euros.", "Cuesta 25 euros."),
        ("See https://example.org/a for more.", "Véase más."),
        ("The train leaves at 9:45.", "El tren sale a las 9."),
    ],
)
def test_placeholders_tags_and_numbers_of_the_source_must_be_in_the_repaired_text(source: str, after: str) -> None:
    """Also if the translation had lost them before."""
    found = objection(source, after + " sí", after, (EN, ES))
    assert found is not None
    assert "of the source is not in it" in found


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("El perro duerme en la casa.", "La perra duerme en la casa.", "agrees with another word"),
        ("El perro duerme en casa.", "El dog duerme en casa.", "untranslated"),
        ("El perro durmió en casa.", "El perro dormido en casa.", "lose its person"),
        ("El perro grande duerme en casa.", "El perro duerme en casa.", "fewer content words"),
        ("El perro viene de casa.", "El perro viene de el casa.", "cannot stand together"),
    ],
)
def test_a_poorer_text_is_refused(before: str, after: str, why: str) -> None:
    found = objection("The dog sleeps at home.", before, after, (EN, ES))
    assert found is not None
    assert why in found


def test_a_word_of_both_languages_is_not_untranslated() -> None:
    assert left_untranslated("The chocolate is in the gorgeous hotel.", "El chocolate es en el gorgeous hotel.", (EN, ES)) == {"gorgeous"}


# The proof


def relation(name: str):  # type: ignore[no-untyped-def]
    return registry.relations.load(name)(RESOURCES, {})


def subject(source: str, translation: str, followups: dict[str, str], judge: str = "lcs") -> Subject:
    chosen = relation(judge)
    cases = [MetamorphicCase(f"c{i}", EN_ES, "cat", source, f, translation, t) for i, (f, t) in enumerate(followups.items())]
    judged = tuple(Judged(case, chosen.judge([case])[0], chosen) for case in cases)
    variants = tuple(variant(source, f, t) for f, t in followups.items())
    return Subject(EN_ES, source, translation, judged, variants)


def way_back(answers: dict[str, str], other: dict[str, str] | None = None) -> WayBack:
    """Ways back with recorded answers; what is not recorded comes back as something else."""

    def through(known: dict[str, str]) -> Translate:
        def translate(texts: Sequence[str], direction: Direction) -> list[str | None]:
            assert direction == Direction("es", "en")
            return [known.get(text, "Something else.") for text in texts]

        return translate

    ways = {"first": through(answers)} | ({"second": through(other)} if other is not None else {})
    return WayBack(EN_ES, (EN, ES), ways, RESOURCES.synonyms("en").related)


NAVY = subject(
    "The army sent fresh troops to the city.",
    "El ejército envió tropas frescas a la ciudad.",
    {
        "The navy sent fresh troops to the city.": "El navy tropas frescas enviadas a la ciudad.",
        "The army sent new troops to the city.": "El ejército envió tropas nuevas a la ciudad.",
        "The army sent fresh troops to the village.": "El ejército envió tropas frescas al pueblo.",
    },
)


def test_the_deviating_follow_up_is_repaired_with_the_source_s_translation() -> None:
    (row,) = Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions()).repair(NAVY)
    assert row.accepted
    assert (row.text, row.after) == ("followup_translation", "El navy envió tropas frescas a la ciudad.")
    assert not relation("lcs").judge([row.case])[0].violated
    assert row.evidence["votes"]["new"] > row.evidence["votes"]["old"]
    assert [c["after"]["quote"] for c in row.evidence["changed"]] == ["envió", ""]


def test_a_system_without_scores_cannot_be_ranked_by_them_and_the_row_says_so() -> None:
    (row,) = Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions(rank="score")).repair(NAVY)
    assert not row.accepted
    assert row.evidence["reason"] == "the system gave the variant no score to rank it by"


def test_the_deviating_source_is_repaired_with_its_follow_ups() -> None:
    broken = subject(
        "The palace burned before the rain stopped the fire.",
        "El palacio ardió antes de que la lluvia pararon el fuego.",
        {
            "The castle burned before the rain stopped the fire.": "El castillo ardió antes de que la lluvia detuviera el fuego.",
            "The palace burned before the snow stopped the fire.": "El palacio ardió antes de que la nieve detuviera el fuego.",
            "The palace burned before the rain stopped the blaze.": "El palacio ardió antes de que la lluvia detuviera el incendio.",
        },
    )
    rows = Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions()).repair(broken)
    assert [row.after for row in rows if row.accepted] == ["El palacio ardió antes de que la lluvia detuviera el fuego."]
    assert rows[0].text == "source_translation"
    assert sorted([rows[0].case.id, *rows[0].evidence["also_repairs"]]) == [judged.case.id for judged in broken.violated]


def test_nothing_is_accepted_that_violates_another_case_that_held() -> None:
    """The same error stands in another follow-up too: repairing the source alone would break that pair."""
    broken = subject(
        "The gorgeous view attracts many rich visitors from Madrid.",
        "El gorgeous la vista atrae muchos visitantes ricos de Madrid.",
        {
            "The beautiful view attracts many rich visitors from Madrid.": "La vista bella atrae muchos visitantes ricos de Madrid.",
            "The gorgeous view attracts many rich tourists from Madrid.": "El gorgeous la vista atrae muchos turistas ricos de Madrid.",
        },
    )
    assert [j.verdict.violated for j in broken.cases] == [True, False]
    (row,) = Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions()).repair(broken)
    assert not row.accepted
    assert row.evidence["reason"] == "it would violate another case that holds"
    alone = replace(broken, cases=broken.cases[:1])
    (row,) = Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions()).repair(alone)
    assert row.accepted


def test_a_change_of_gender_that_the_replaced_word_explains_is_left_alone() -> None:
    fine = subject(
        "The milk in this bottle smells strange.",
        "La leche en esta botella huele extraña.",
        {
            "The cheese in this bottle smells strange.": "El queso en esta botella huele extraño.",
            "The bread in this bottle smells strange.": "El pan en esta botella huele extraño.",
            "The butter in this bottle smells strange.": "La mantequilla en esta botella huele extraña.",
        },
    )
    assert any(j.verdict.violated for j in fine.cases)
    assert not any(row.accepted for row in Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions()).repair(fine))


def test_back_translation_refuses_what_comes_back_farther_from_the_source() -> None:
    answers = {"El navy tropas frescas enviadas a la ciudad.": "The navy sent fresh troops to the city."}
    (row,) = Repairer(EN_ES, RESOURCES.aligner(EN_ES), RepairOptions(), way_back=way_back(answers)).repair(NAVY)
    assert not row.accepted
    assert "translated back it is farther from the source" in row.evidence["refused"]


# Many random recorded systems

SENTENCES = [
    "The army sent 40 fresh troops to the ancient city before the winter.",
    "The doctor asked the nurse to prepare the second room for {name}.",
    "A famous writer bought <b>three</b> old books in a small shop in March.",
    "The large company hired 25 new engineers for its factory in France.",
    "The terrible storm damaged two boats near the northern coast on Monday.",
    "Our teacher explained the difficult question with an interesting example.",
]


def proposals() -> list[MetamorphicCase]:
    method: Method = registry.methods.load("cat")
    transformation = method.transformation(RESOURCES, {"max-cases": 16, "per-word": 4})
    segments = [Segment(str(i), text, "en") for i, text in enumerate(SENTENCES)]
    return [case for case in transformation.propose(segments, EN_ES) if isinstance(case, MetamorphicCase)]


PROPOSED = proposals()


def random_system(seed: int) -> dict[str, str]:
    """Word for word into invented words; a text may suffer a dropped, doubled, moved, garbled or untranslated word."""
    dice = random.Random(seed)
    rate = dice.choice([0.1, 0.3, 0.6])
    answers = {}
    for text in dict.fromkeys([*SENTENCES, *(case.followup for case in PROPOSED)]):
        words = [t.text if kind in ("opaque", "number", "other") else t.text.lower()[::-1] + "o" for kind, t in scan(text)]
        while dice.random() < rate:
            i = dice.randrange(len(words) - 1)
            kind = dice.randrange(5)
            if kind == 0:
                del words[i]
            elif kind == 1:
                words.insert(i, words[i])
            elif kind == 2:
                words[i], words[i + 1] = words[i + 1], words[i]
            elif kind == 3:
                words[i] = "garbage" + str(dice.randrange(3))
            else:
                words[i] = [t.text for _, t in scan(text)][min(i, len(words) - 1)]
        answers[text] = " ".join(words)
    return answers


def repaired(answers: dict[str, str], judge: str, folder: Path) -> tuple[list[MetamorphicCase], list[Repair], Repairs]:
    recording = folder / "recording.jsonl"
    recording.write_text("".join(dumps({"text": a, "translation": b}) + "\n" for a, b in answers.items()), encoding="utf-8")
    tested = [case for case in PROPOSED if case.id.endswith(("-1", "-2", "-3", "-4", "-5"))]
    cases = [replace(c, source_translation=answers[c.source], followup_translation=answers[c.followup]) for c in tested]
    configuration = load_configuration(None, {"relation": judge})
    work = from_cases(cases, "recorded", RESOURCES, configuration)
    with Store(folder / f"{judge}.db") as store:
        run = Repairs(work, {"recorded": RecordedSystem("recorded", recording)}, RESOURCES, configuration, store)
        return cases, list(run.run()), run


@pytest.mark.parametrize("judge", ["lcs", "edit-distance", "tf-idf", "bleu", "word-closure"])
def test_every_accepted_repair_passes_again_when_judged_from_scratch(judge: str, tmp_path: Path) -> None:
    accepted = 0
    for seed in range(6 if judge == "word-closure" else 25):
        folder = tmp_path / str(seed)
        folder.mkdir()
        answers = random_system(seed)
        cases, rows, run = repaired(answers, judge, folder)
        fresh = registry.relations.load(judge)(Resources("lite"), {})
        now = dict(answers)
        for row in rows:
            if row.accepted:
                accepted += 1
                assert fresh.judge([row.case])[0].outcome == "holds", (seed, row)
                assert_kept(row)
                now[row.input] = row.after
        for case in cases:
            after = replace(case, source_translation=now[case.source], followup_translation=now[case.followup])
            if not fresh.judge([case])[0].violated:
                assert not fresh.judge([after])[0].violated, (seed, case.id)
        assert run.summary.sent.sent_texts <= run.summary.planned_texts
    assert accepted >= 2


def assert_kept(row: Repair) -> None:
    """Placeholders, tags and numbers of the source, counted by a plain reading of the text."""
    wanted = Counter(t.text for kind, t in scan(row.input) if kind in ("opaque", "number"))
    found = Counter(t.text for kind, t in scan(row.after) if kind in ("opaque", "number"))
    assert not wanted - found, row


# The command


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A recording and translated cases; one follow-up is translated wrongly."""
    good = {j.case.followup: j.case.followup_translation or "" for j in NAVY.cases} | {NAVY.source: NAVY.translation}
    rows = "".join(dumps({"text": a, "translation": b}) + "\n" for a, b in good.items())
    (tmp_path / "engine.jsonl").write_text(rows, encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text("".join(dumps(case_to_json(j.case)) + "\n" for j in NAVY.cases), encoding="utf-8")
    return tmp_path


def test_repair_reads_cases_and_writes_json_lines_tmx_and_csv(metaphrase: CommandLine, campaign: Path) -> None:
    options = ["--relation", "lcs", "--store", "r.db", "-o", "r.jsonl", "-o", "r.tmx", "-o", "r.csv"]
    ran = metaphrase("repair", campaign / "cases.jsonl", *options)
    assert ran.code == 0, ran.err
    assert "1 violations, 1 repaired (100 %) by 1 repairs" in ran.out
    (row,) = [json.loads(line) for line in Path("r.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"id", "text", "before", "after", "accepted", "evidence"} <= row.keys()
    assert row["accepted"] is True
    units = ElementTree.parse("r.tmx").getroot().findall("./body/tu")
    assert [[seg.text for seg in unit.iter("seg")] for unit in units] == [["The navy sent fresh troops to the city.", row["after"]]]
    (pair,) = list(csv.DictReader(Path("r.csv").read_text(encoding="utf-8").splitlines()))
    assert (pair["source"], pair["target"]) == ("The navy sent fresh troops to the city.", row["after"])


def test_the_number_of_translations_is_shown_before_anything_is_sent(metaphrase: CommandLine, campaign: Path) -> None:
    system = ["--system", f"recorded:{campaign / 'engine.jsonl'}"]
    ran = metaphrase("repair", campaign / "cases.jsonl", "--relation", "lcs", "--store", "d.db", *system, "--dry-run")
    assert ran.code == 0, ran.err
    assert "1 violations; repair asks for at most" in ran.out


def test_repair_obeys_the_budget(metaphrase: CommandLine, campaign: Path) -> None:
    engine = campaign / "all.py"
    engine.write_text("import sys\nfor line in sys.stdin: print(line.strip()[::-1], flush=True)\n", encoding="utf-8")
    options = ["--relation", "lcs", "--store", "b.db", "--system", f"command:python3 {engine}"]
    ran = metaphrase("repair", campaign / "cases.jsonl", *options, "--max-characters", "5")
    assert ran.code == 3
    assert "what was translated is kept in b.db" in ran.err


def test_an_unknown_output_format_stops_before_anything_is_done(metaphrase: CommandLine, campaign: Path) -> None:
    ran = metaphrase("repair", campaign / "cases.jsonl", "-o", "r.docx")
    assert ran.code == 2
    assert "repairs are written as .jsonl, .tmx, .csv" in ran.err


@pytest.mark.apertium
def test_a_run_with_repair_shows_proved_repairs_and_repair_writes_them_again(metaphrase: CommandLine, tmp_path: Path) -> None:
    sentences = tmp_path / "sentences.txt"
    sentences.write_text(
        "The unjust law punishes the poor.\nAn obsolete machine caused the accident in the paper mill.\n", encoding="utf-8"
    )
    common = ["--to", "es", "--method", "cat", "--relation", "lcs", "--store", "live.db", "--fail-on", "never"]
    ran = metaphrase("test", sentences, "--system", "apertium:eng-spa", *common, "--repair")
    assert ran.code == 0, ran.err
    assert "repaired" in ran.out
    ran = metaphrase("repair", "live.db", "--relation", "lcs", "-o", "live.jsonl")
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in Path("live.jsonl").read_text(encoding="utf-8").splitlines()]
    assert "La ley unjust castiga el pobre." in [row["after"] for row in rows if row["accepted"]]
    assert "asked for 0 translations" in ran.out


def test_another_engine_s_translation_is_a_candidate_that_needs_support_too() -> None:
    broken = subject(
        "The palace burned before the rain stopped the fire.",
        "El palacio ardió antes de que la lluvia pararon el fuego.",
        {
            "The palace burned before the rain stopped the blaze.": "El palacio ardió antes de que la lluvia detuviera el incendio.",
            "The palace burned before the snow stopped the fire.": "El palacio ardió antes de que la nieve detuviera el fuego.",
        },
    )
    other = replace(broken, engines={"second": "El palacio ardió antes de que la lluvia detuviera el fuego."})
    options = RepairOptions(candidates=("engine",))
    row = Repairer(EN_ES, RESOURCES.aligner(EN_ES), options).repair(other)[0]
    assert (row.accepted, row.evidence["kind"], row.evidence["from"]) == (True, "engine", "second")
    lonely = replace(broken, engines={"second": "El palacio ardió antes de que la lluvia calmara el fuego."})
    assert not any(row.accepted for row in Repairer(EN_ES, RESOURCES.aligner(EN_ES), options).repair(lonely))


def test_the_benchmark_compares_with_released_fixes(metaphrase: CommandLine, tmp_path: Path) -> None:
    good, bad = NAVY.translation, "El navy tropas frescas enviadas a la ciudad."
    row = {
        "id": "r1", "approach": "CAT", "direction": "en-es", "original": NAVY.source, "mutant": NAVY.cases[0].case.followup,
        "original_translation_before": good, "original_translation_after": good,
        "mutant_translation_before": bad, "mutant_translation_after": "El navy envió tropas frescas a la ciudad.",
        "original_acceptability": "unchanged", "mutant_acceptability": "improved", "consistency": "improved",
    }  # fmt: skip
    (tmp_path / "repair.jsonl").write_text(dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "bug_detection.jsonl").write_text("", encoding="utf-8")
    ran = metaphrase("bench", "repair", "--data", tmp_path, "-o", "bench.json")
    assert ran.code == 0, ran.err
    shares, guarded, agreement = json.loads(Path("bench.json").read_text(encoding="utf-8"))["tables"]
    assert [(r["violated"], r["released fix"], r["ours, recorded text only"]) for r in shares["rows"]] == [(1, 1.0, 1.0)] * 4
    assert guarded["rows"][0] == {"label of the changed text": "improved", "fixes": 1, "our guards object": 0}
    assert agreement["rows"][2] == {"": "to the same wording", "repairs": 1}
