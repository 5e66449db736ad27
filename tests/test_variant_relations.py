"""LCS, edit distance, TF-IDF and BLEU over variants, and PatInv's must-differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaphrase.core import registry
from metaphrase.core.errors import ConfigurationError
from metaphrase.core.values import Direction, Edit, MetamorphicCase, Outcome, RoundTripCase, Severity, Verdict
from metaphrase.relations.base import Relation
from metaphrase.relations.similarity import bleu, edit_similarity, lcs_similarity, tf_idf_similarity
from metaphrase.resources.profiles import Resources

WORDS = st.lists(st.sampled_from(["la", "casa", "roja", "es", "grande", "y"]), max_size=12)
EN_ES = Direction("en", "es")


def relation(name: str, **options: object) -> Relation:
    made = registry.relations.load(name)(Resources("lite"), options)
    assert isinstance(made, Relation)
    return made


def pair(source_translation: str, followup_translation: str, target: str = "es") -> MetamorphicCase:
    return MetamorphicCase("1", Direction("en", target), "cat", "s", "f", source_translation, followup_translation)


def judge(name: str, case: MetamorphicCase, **options: object) -> Verdict:
    (verdict,) = relation(name, **options).judge([case])
    return verdict


@given(a=WORDS, b=WORDS)
def test_similarities_are_symmetric_and_lie_between_0_and_1(a: list[str], b: list[str]) -> None:
    for metric in (lcs_similarity, edit_similarity, tf_idf_similarity, bleu):
        assert 0 <= metric(a, b) <= 1 + 1e-9
        assert metric(a, b) == pytest.approx(metric(b, a))
        assert metric(a, a) == pytest.approx(1)


@given(a=WORDS.filter(len), b=WORDS.filter(len))
def test_bleu_is_sacrebleus_in_the_better_direction(a: list[str], b: list[str]) -> None:
    from sacrebleu import sentence_bleu

    scores = [sentence_bleu(" ".join(x), [" ".join(y)], tokenize="none").score / 100 for x, y in ((a, b), (b, a))]
    assert bleu(a, b) == pytest.approx(max(scores))


def test_tf_idf_equals_scikit_learns_vectorizer_on_the_two_documents() -> None:
    # TfidfVectorizer(token_pattern=r"\S+") of scikit-learn 1.9 on the two sentences, cosine of the rows.
    a, b = "la casa roja es grande".split(), "la casa azul es la grande".split()
    assert tf_idf_similarity(a, b) == pytest.approx(0.68275315, abs=1e-7)


@pytest.mark.parametrize("name", ["lcs", "edit-distance", "tf-idf", "bleu"])
def test_a_pair_that_differs_in_the_replaced_word_only_holds(name: str) -> None:
    verdict = judge(name, pair("El gato duerme en la silla vieja.", "El perro duerme en la silla vieja."))
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.score == pytest.approx(0)


@pytest.mark.parametrize("name", ["lcs", "edit-distance", "tf-idf", "bleu"])
def test_a_second_change_is_a_violation_and_is_located(name: str) -> None:
    case = pair("El gato duerme en la silla vieja.", "El perro duerme debajo de una mesa.")
    verdict = judge(name, case)
    assert verdict.outcome is Outcome.VIOLATED
    assert "mesa" in " ".join(s.quote for s in verdict.spans)
    for span in verdict.spans:
        assert dict(case.texts())[span.text][span.start : span.end] == span.quote
    assert "leaving out" in verdict.reason


def test_a_slice_of_three_words_may_be_left_out_and_one_of_four_may_not() -> None:
    long, three, four = "a b c d e f g h i j", "a b c x y z d e f g h i j", "a b c x y z w d e f g h i j"
    assert judge("lcs", pair(long, three)).outcome is Outcome.HOLDS
    assert judge("lcs", pair(long, four)).outcome is Outcome.VIOLATED
    assert judge("lcs", pair(long, four), slice_words=4).outcome is Outcome.HOLDS


def test_chinese_translations_are_compared_by_words() -> None:
    verdict = judge("lcs", pair("我昨天在北京看见了一只猫。", "我昨天在北京看见了一只狗。", "zh"))
    assert verdict.outcome is Outcome.HOLDS


def test_a_threshold_outside_0_to_1_is_refused_with_its_section() -> None:
    with pytest.raises(ConfigurationError, match=r"\[relation\.lcs\].*threshold"):
        relation("lcs", threshold=7)


@pytest.mark.parametrize("name", ["lcs", "must-differ"])
def test_other_kinds_and_untranslated_cases_are_not_applicable(name: str) -> None:
    other = RoundTripCase("2", EN_ES, "s", "t", "u")
    waiting = MetamorphicCase("3", EN_ES, "cat", "s", "f", "t")
    good = pair("Hola a todos.", "Hola a nadie.")
    verdicts = relation(name).judge([other, good, waiting])
    assert [v.id for v in verdicts] == ["2", "1", "3"]
    assert [v.outcome is Outcome.NOT_APPLICABLE for v in verdicts] == [True, False, True]
    assert verdicts[0].score is None


def test_sentences_of_different_meaning_must_not_be_translated_alike() -> None:
    edits = (Edit(4, 7, 4, 7, "cat", "dog"),)
    case = MetamorphicCase("1", EN_ES, "patinv", "The cat ran.", "The dog ran.", "El gato corrió.", "el gato  corrió", edits)
    verdict = judge("must-differ", case)
    assert verdict.outcome is Outcome.VIOLATED
    assert "'cat' and 'dog'" in verdict.reason
    assert judge("must-differ", pair("El gato corrió.", "El perro corrió.")).outcome is Outcome.HOLDS


def test_a_difference_that_follows_the_gender_of_the_replaced_word_is_minor() -> None:
    agreement = judge("lcs", pair("Abrió en todos los países europeos.", "Abrió en todas las naciones europeas."))
    other = judge("lcs", pair("Abrió en todos los países europeos.", "Cerró con todas las naciones pobres."))
    assert (agreement.outcome, agreement.severity) == (Outcome.VIOLATED, Severity.MINOR)
    assert "gender or number" in agreement.reason
    assert (other.severity, "gender" in other.reason) == (Severity.MAJOR, False)
