"""Spanish."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache

from metaphrase.text.languages.base import Language
from metaphrase.text.normalise import fold

__all__ = ["Spanish"]

_UNITS = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco "
    "veintiséis veintisiete veintiocho veintinueve"
)
_MELTED = {"del": ("de", "el"), "al": ("a", "el")}
# Determiners whose forms share no regular stem.
_DETERMINERS = (
    frozenset("el la los las".split()),
    frozenset("un una unos unas".split()),
    frozenset("este esta estos estas".split()),
    frozenset("ese esa esos esas".split()),
    frozenset("aquel aquella aquellos aquellas".split()),
)
# Number of nouns and adjectives or of verbs, then the gender vowel.
_ENDING = re.compile(r"(?<=\w\w)(?:[aeo]?[sn]|[aeo])$")
_FEMININE = re.compile(r"(?:a|ión|dad|tad|tud|umbre|ez|ora)s?$")
_MASCULINE = re.compile(r"(?:o|or|aje|án|ón|ismo)(?:s|es)?$")
_INFINITIVE = re.compile(r"(?<=\w)[aeií]r$")
_NON_FINITE = re.compile(r"(?<=\w\w)(?:[aií]d[oa]s?|ando|iendo|[aei]r)$")
# Masculine in spite of the ending.
_GREEK = re.compile(r"(?:ema|oma|ama|ista)s?$")


class Spanish(Language):
    name = "Spanish"
    decimal_point = ","
    number_words = {
        **{word: value for value, word in enumerate(_UNITS.split())},
        **{word: 10 * value for value, word in enumerate("treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(), start=3)},
        **{
            stem + ending: value
            for ending in ("os", "as")
            for stem, value in {
                "doscient": 200, "trescient": 300, "cuatrocient": 400, "quinient": 500,
                "seiscient": 600, "setecient": 700, "novecient": 900, "ochocient": 800,
            }.items()
        },
        "ciento": 100,
    }  # fmt: skip
    scale_words = {
        "docena": 12, "docenas": 12, "cien": 100, "mil": 1_000, "millón": 10**6, "millones": 10**6,
        "billón": 10**12, "billones": 10**12,
    }  # fmt: skip
    number_joiners = frozenset({"y"})
    percent_words = frozenset({"%", "por ciento"})
    negations = frozenset("no nunca jamás nadie nada ninguno ninguna ningún tampoco ni sin".split())
    implied_negations = frozenset("falta faltar fallar fracasar negar evitar poco menos apenas solo sólo sino hasta".split())
    denials = {
        "es": "no es", "son": "no son", "fue": "no fue", "era": "no era", "está": "no está", "están": "no están", "ha": "no ha",
        "han": "no han", "puede": "no puede", "pueden": "no pueden", "tiene": "no tiene", "será": "no será", "hay": "no hay",
    }  # fmt: skip
    clause_words = frozenset("que quien quienes cual cuales porque aunque cuando mientras si donde pero y".split())

    never_adjacent = frozenset({("de", "el"), ("a", "el")})

    # Our own list: stopwordsiso's Spanish list holds content words such as "trabajo", "acuerdo" and "general".
    @cached_property
    def stop_words(self) -> frozenset[str]:
        return frozenset(_STOP_WORDS.split())

    @lru_cache(maxsize=65_536)  # noqa: B019 - languages live as long as the process
    def forms(self, word: str) -> tuple[str, ...]:
        """The lemma, and the word without accents and the endings of nouns and adjectives, where the lemmatiser knows no better."""
        return _without_accents(self.lemma(word)), "-" + _NOMINAL_ENDING.sub("", _without_accents(fold(word)))

    def negation_spans(self, text: str) -> list[tuple[int, int]]:
        """Without "sin", which says what other languages say by an adverb ("safely": "sin incidentes")."""
        return [(start, end) for start, end in super().negation_spans(text) if fold(text[start:end]) != "sin"]

    def spelt_out(self, words: Sequence[str]) -> list[str]:
        return [piece for word in words for piece in _MELTED.get(word, (word,))]

    def differ_in_agreement(self, word: str, other: str) -> bool:
        if word == other:
            return False
        if any(word in forms and other in forms for forms in _DETERMINERS):
            return True
        return len(word) > 3 and len(other) > 3 and _ENDING.sub("", word) == _ENDING.sub("", other)

    def is_finite(self, word: str) -> bool:
        return _INFINITIVE.search(self.lemma(word)) is not None and _NON_FINITE.search(word) is None

    def agreement_class(self, word: str) -> tuple[str | None, str | None]:
        word = fold(word)
        if self.number_of(word) is not None or " " in word:
            return None, None
        number = "plural" if word.endswith("s") else "singular"
        if _GREEK.search(word):
            return None, number
        # "-ión" before "-ón"; "-ora" before "-or"
        gender = "feminine" if _FEMININE.search(word) else "masculine" if _MASCULINE.search(word) else None
        return gender, number


_NOMINAL_ENDING = re.compile(r"(?<=\w{3})(?:[oae]s?|s)$")


def _without_accents(text: str) -> str:
    """á becomes a; ñ and ü stay, they are letters of their own."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace("\u0301", ""))


_STOP_WORDS = """
el la los las lo un una unos unas al del
yo tú él ella ello nosotros nosotras vosotros vosotras ellos ellas usted ustedes me te se le les nos os mí ti sí conmigo contigo consigo
mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra vuestros vuestras mío mía míos mías tuyo tuya suyo suya suyos suyas
este esta estos estas esto ese esa esos esas eso aquel aquella aquellos aquellas aquello
que qué quien quién quienes quiénes cual cuál cuales cuáles cuyo cuya cuyos cuyas cuanto cuánto donde dónde cuando cuándo como cómo
a ante bajo con contra de desde durante en entre hacia hasta mediante para por según sin sobre tras vía
y e o u ni pero sino mas aunque porque pues si mientras
no sí ya muy más menos tan tanto tanta tantos tantas también tampoco solo sólo aún todavía
todo toda todos todas otro otra otros otras mismo misma mismos mismas cada algún alguno alguna algunos algunas
cualquier cualquiera ambos ambas tal tales
ser soy eres es somos sois son era eras éramos eran fui fue fuimos fueron sea sean fuera fuese será serán sería serían sido siendo
estar estoy estás está estamos están estaba estaban estuvo estuvieron esté estén estará estado estando
haber he has ha hemos han había habían hubo haya hayan habrá habría habido hay
"""
