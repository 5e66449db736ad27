"""Language codes: ours are BCP 47 in lower case (en, zh, zh-tw, pt-br); every provider has its own.

A provider's file says which languages it takes and how it writes them; `Codes.pair` maps a direction or says, before
anything is sent, what the provider does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from metaphrase.core.errors import ConfigurationError, nearest
from metaphrase.core.values import Direction

__all__ = ["NAMES", "Codes", "alpha3", "plain_code"]

# ISO 639-1, ISO 639-3 and the English name.
_LANGUAGES = """
af afr Afrikaans|am amh Amharic|an arg Aragonese|ar ara Arabic|as asm Assamese|az aze Azerbaijani|ba bak Bashkir|be bel Belarusian
bg bul Bulgarian|bn ben Bengali|bo bod Tibetan|br bre Breton|bs bos Bosnian|ca cat Catalan|co cos Corsican|cs ces Czech|cv chv Chuvash
cy cym Welsh|da dan Danish|de deu German|dv div Dhivehi|el ell Greek|en eng English|eo epo Esperanto|es spa Spanish|et est Estonian
eu eus Basque|fa fas Persian|fi fin Finnish|fj fij Fijian|fo fao Faroese|fr fra French|fy fry Frisian|ga gle Irish|gd gla Scottish Gaelic
gl glg Galician|gu guj Gujarati|ha hau Hausa|he heb Hebrew|hi hin Hindi|hr hrv Croatian|ht hat Haitian Creole|hu hun Hungarian
hy hye Armenian|id ind Indonesian|ig ibo Igbo|is isl Icelandic|it ita Italian|iu iku Inuktitut|ja jpn Japanese|jv jav Javanese
ka kat Georgian|kk kaz Kazakh|km khm Khmer|kn kan Kannada|ko kor Korean|ku kur Kurdish|ky kir Kyrgyz|la lat Latin|lb ltz Luxembourgish
ln lin Lingala|lo lao Lao|lt lit Lithuanian|lv lav Latvian|mg mlg Malagasy|mi mri Maori|mk mkd Macedonian|ml mal Malayalam|mn mon Mongolian
mr mar Marathi|ms msa Malay|mt mlt Maltese|my mya Burmese|nb nob Norwegian Bokmål|ne nep Nepali|nl nld Dutch|nn nno Norwegian Nynorsk
no nor Norwegian|ny nya Chichewa|oc oci Occitan|or ori Odia|pa pan Punjabi|pl pol Polish|ps pus Pashto|pt por Portuguese|qu que Quechua
ro ron Romanian|ru rus Russian|rw kin Kinyarwanda|sa san Sanskrit|sc srd Sardinian|sd snd Sindhi|si sin Sinhala|sk slk Slovak
sl slv Slovenian|sm smo Samoan|sn sna Shona|so som Somali|sq sqi Albanian|sr srp Serbian|st sot Sesotho|su sun Sundanese|sv swe Swedish
sw swa Swahili|ta tam Tamil|te tel Telugu|tg tgk Tajik|th tha Thai|ti tir Tigrinya|tk tuk Turkmen|tl tgl Tagalog|to ton Tongan
tr tur Turkish|ts tso Tsonga|tt tat Tatar|ty tah Tahitian|ug uig Uyghur|uk ukr Ukrainian|ur urd Urdu|uz uzb Uzbek|vi vie Vietnamese
xh xho Xhosa|yi yid Yiddish|yo yor Yoruba|zh zho Chinese|zu zul Zulu
"""
_ROWS = [entry.split(" ", 2) for line in _LANGUAGES.strip().splitlines() for entry in line.split("|")]
_ALPHA3 = {two: three for two, three, _ in _ROWS}
_ALPHA2 = {three: two for two, three, _ in _ROWS}

NAMES: Mapping[str, str] = {
    **{two: name for two, _, name in _ROWS},
    "en-gb": "British English",
    "en-us": "American English",
    "es-419": "Latin American Spanish",
    "fr-ca": "Canadian French",
    "pt-br": "Brazilian Portuguese",
    "pt-pt": "European Portuguese",
    "yue": "Cantonese",
    "zh-cn": "Simplified Chinese",
    "zh-hk": "Traditional Chinese (Hong Kong)",
    "zh-tw": "Traditional Chinese",
}


def plain_code(code: str) -> str:
    """Our spelling: lower case, hyphens, two letters where there are two ("eng" is "en", "zh-Hant" is "zh-tw")."""
    code = code.strip().lower().replace("_", "-")
    first, _, rest = code.partition("-")
    code = "-".join(part for part in (_ALPHA2.get(first, first), rest) if part)
    return {"zh-hans": "zh-cn", "zh-hant": "zh-tw"}.get(code, code)


def alpha3(code: str) -> str:
    """The ISO 639-3 code of a language, for engines that use these."""
    first, _, rest = plain_code(code).partition("-")
    return "_".join(part for part in (_ALPHA3.get(first, first), rest.upper()) if part)


@dataclass(frozen=True)
class Codes:
    """The languages of one provider.

    `shared` lists those whose code is ours, `own` those it spells otherwise; `targets` are spellings that differ when
    the language is the target, `sources_only` and `targets_only` what works one way.
    """

    provider: str
    shared: str
    own: Mapping[str, str] = field(default_factory=dict)
    targets: Mapping[str, str] = field(default_factory=dict)
    sources_only: frozenset[str] = frozenset()
    targets_only: frozenset[str] = frozenset()

    def extended(self, extra: Mapping[str, str]) -> Codes:
        """With languages from a configuration: `languages = { yue = "yue" }`."""
        spelt = {plain_code(code): value for code, value in extra.items()}
        return Codes(self.provider, self.shared, {**self.own, **spelt}, {**self.targets, **spelt}, self.sources_only, self.targets_only)

    def known(self) -> dict[str, str]:
        return {**{code: code for code in self.shared.split()}, **self.own}

    def pair(self, direction: Direction) -> tuple[str, str]:
        """The provider's codes for both languages."""
        source, target = plain_code(direction.source), plain_code(direction.target)
        if source == target:
            raise ConfigurationError(f"the direction {direction} does not change the language")
        return self._source(source), self._target(target)

    def _source(self, code: str) -> str:
        known = {c: v for c, v in self.known().items() if c not in self.targets_only}
        # A provider that reads Portuguese reads Brazilian Portuguese too.
        found = known.get(code) or known.get(code.split("-")[0])
        if found is None:
            raise self._unknown("from", code, known)
        return found

    def _target(self, code: str) -> str:
        known = {c: v for c, v in {**self.known(), **self.targets}.items() if c not in self.sources_only}
        if code not in known:
            raise self._unknown("to", code, known)
        return known[code]

    def _unknown(self, way: str, code: str, known: Mapping[str, str]) -> ConfigurationError:
        variants = sorted(c for c in known if c.split("-")[0] == code.split("-")[0])
        close = nearest(code, known)
        has = f"it has {', '.join(variants or sorted(known))}"
        hint = f"did you mean '{close}'?" if close and not variants else has
        name = NAMES.get(code)
        return ConfigurationError(
            f"{self.provider} does not translate {way} '{code}'{f' ({name})' if name else ''}: {hint}"
            f' (a language it has got since: languages = {{ {code} = "..." }} in its [system] table)'
        )
