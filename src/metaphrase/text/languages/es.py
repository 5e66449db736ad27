"""Spanish."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache

from metaphrase.text.languages.base import Language
from metaphrase.text.normalise import fold

__all__ = ["Spanish"]

_UNITS = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco "
    "veintiséis veintisiete veintiocho veintinueve"
)


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

    # Our own list: stopwordsiso's Spanish list holds content words such as "trabajo", "acuerdo" and "general".
    @cached_property
    def stop_words(self) -> frozenset[str]:
        return frozenset(_STOP_WORDS.split())

    @lru_cache(maxsize=65_536)  # noqa: B019 - languages live as long as the process
    def forms(self, word: str) -> tuple[str, ...]:
        """The lemma, and the word without accents and the endings of nouns and adjectives, where the lemmatiser knows no better."""
        return _without_accents(self.lemma(word)), "-" + _NOMINAL_ENDING.sub("", _without_accents(fold(word)))


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
