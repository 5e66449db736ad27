"""Spanish."""

from __future__ import annotations

from metaphrase.text.languages.base import Language

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
