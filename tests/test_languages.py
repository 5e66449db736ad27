"""The text layer: tokens keep their places, numbers their values."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metaphrase.core.errors import ConfigurationError
from metaphrase.text.languages import language
from metaphrase.text.tokens import is_opaque


@pytest.mark.parametrize("code", ["en", "zh", "es", "de", "ar", "ja"])
@given(text=st.text(max_size=80))
@example(text="10\u202f000 km")  # a number that is grouped by spaces is one token, which holds the space
def test_every_token_stands_where_it_says(code: str, text: str) -> None:
    tokens = language(code).tokens(text)
    assert all(text[t.start : t.end] == t.text for t in tokens)
    covered = "".join(t.text for t in tokens)
    assert "".join(covered.split()) == "".join(text.split())


@pytest.mark.parametrize(
    "piece",
    [
        "{name}",
        "{{ user.name }}",
        "%s",
        "%(count)d",
        "%1$s",
        "<b>",
        "</b>",
        '<a href="x">',
        "&nbsp;",
        "me@example.org",
        "https://example.org/a?b=1",
    ],
)
def test_placeholders_tags_and_addresses_stay_whole(piece: str) -> None:
    text = f"Please open {piece} now."
    assert piece in [t.text for t in language("en").tokens(text)]
    assert is_opaque(piece)


def test_english_contractions_are_cut_as_in_treebanks() -> None:
    words = [t.text for t in language("en").tokens("I don't know the board's plan")]
    assert words == ["I", "do", "n't", "know", "the", "board", "'s", "plan"]


@pytest.mark.parametrize(
    ("code", "text", "value", "percent"),
    [
        ("en", "3.5 million", Fraction(3_500_000), False),
        ("en", "two hundred and five", Fraction(205), False),
        ("en", "twenty-one percent", Fraction(21), True),
        ("en", "a dozen", Fraction(12), False),
        ("en", "1,234.5", Fraction("1234.5"), False),
        ("en", "three thousand four hundred", Fraction(3400), False),
        ("zh", "1.2亿", Fraction(120_000_000), False),
        ("zh", "三万五", Fraction(35_000), False),
        ("zh", "三万零五", Fraction(30_005), False),
        ("zh", "一亿二千万", Fraction(120_000_000), False),
        ("zh", "百分之二十", Fraction(20), True),
        ("zh", "三点五亿", Fraction(350_000_000), False),
        ("es", "3,5 por ciento", Fraction("3.5"), True),
        ("es", "treinta y uno", Fraction(31), False),
        ("es", "1.234", Fraction(1234), False),
        ("de", "3,5 %", Fraction("3.5"), True),
    ],
)
def test_numbers_are_read_by_value(code: str, text: str, value: Fraction, percent: bool) -> None:
    assert [(q.value, q.percent) for q in language(code).quantities(text)] == [(value, percent)]


def test_numbers_that_merely_stand_side_by_side_stay_apart() -> None:
    values = [q.value for q in language("en").quantities("3.5 million and twenty-one; one in five")]
    assert values == [3_500_000, 21, 1, 5]


def test_a_language_code_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="not a language code"):
        language("english please")
