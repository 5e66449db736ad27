"""What adapters make of answers that only some providers give: chat models, described engines, language codes."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from metaphrase.core.errors import ConfigurationError, MissingResourceError
from metaphrase.core.values import Direction
from metaphrase.systems import open_system
from metaphrase.systems.baidu import Baidu
from metaphrase.systems.codes import NAMES, Codes, alpha3, plain_code
from metaphrase.systems.http import HttpSystem
from metaphrase.systems.http_json import follow
from metaphrase.systems.keys import Secret, find_secret, redact
from metaphrase.systems.openai import Chat, OpenAIOptions, chatter, refusal
from metaphrase.systems.prices import listed_price
from metaphrase.systems.wire import Again

SOURCE = "The committee meets on Tuesday."


def answered(content: str | None, source: str = SOURCE, **choice: Any) -> tuple[str | None, str | None]:
    message = {"role": "assistant", "content": content, **choice.pop("message", {})}
    (translation,) = Chat(OpenAIOptions(model="m")).read({"choices": [{"message": message, "finish_reason": "stop", **choice}]}, [source])
    assert translation is not None
    return translation.text, translation.failure


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Sure! Here is the translation: El comité se reúne el martes.", "introduced"),
        ("Here's the Spanish translation:\nEl comité se reúne el martes.", "introduced"),
        ("Translation: El comité se reúne el martes.", "introduced"),
        ("以下是翻译：委员会星期二开会。", "introduced"),
        ("El comité se reúne el martes.\n\nNote: 'comité' may also be 'comisión'.", "commented"),
        ("```\nEl comité se reúne el martes.\n```", "wrapped"),
        ("El comité se reúne el martes.\n\nLa comisión se reúne los martes.", "several paragraphs"),
        ("I'm sorry, but I can't assist with that request.", "refused"),
        ("As an AI language model, I cannot translate this.", "refused"),
        ("抱歉，我无法翻译这段文字。", "refused"),
        ("   ", "answered nothing"),
    ],
)
def test_what_a_chat_model_says_instead_of_a_translation_is_a_failure(answer: str, why: str) -> None:
    text, failure = answered(answer)
    assert text is None
    assert failure is not None
    assert why in failure


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        (SOURCE, "  El comité se reúne el martes.\n"),
        ("Lo siento, pero no puedo ayudarle con eso.", "I'm sorry, but I can't help you there."),
        ("Note: the door is closed.", "Nota: la puerta está cerrada."),
        ("Hier ist die Übersetzung: ein Beispiel.", "An example of a translation, here."),
        ("Of course he came: he had promised.", "Por supuesto que vino: lo había prometido."),
        ("Erster Absatz.\n\nZweiter Absatz.", "First paragraph.\n\nSecond paragraph."),
        ("The price is 5 € (as of May).", "El precio es de 5 € (en mayo)."),
    ],
)
def test_a_translation_is_not_taken_for_chatter(source: str, answer: str) -> None:
    assert answered(answer, source) == (answer.strip(), None)
    assert chatter(answer, source) is None
    assert refusal(answer, source) is None


def test_a_cut_off_filtered_or_refused_answer_is_a_failure_with_its_reason() -> None:
    assert answered("El comité se", finish_reason="length") == (None, "the answer was cut off: raise max-tokens")
    assert "content filter" in str(answered("", finish_reason="content_filter")[1])
    assert "refused: 'No.'" in str(answered(None, message={"refusal": "No."})[1])
    with pytest.raises(Again):
        answered(None)


def test_a_prompt_may_hold_braces_and_so_may_a_text() -> None:
    wire = Chat(OpenAIOptions(model="m", prompt='{"from": "{source}"} {text}'))
    call = wire.call("https://x.example", ["Set {target} to {0}."], ("English", "Spanish"), [Secret(secrets.token_hex(4), "here")])
    assert call.json["messages"][0]["content"] == '{"from": "English"} Set {target} to {0}.'


def test_a_chat_system_needs_a_model_and_a_place_for_the_text() -> None:
    with pytest.raises(ConfigurationError, match="needs a model"):
        open_system("openai")
    with pytest.raises(ConfigurationError, match=r"no \{text\} in it"):
        open_system("openai:m", {"openai": {"prompt": "Translate!"}})


def test_a_local_chat_server_needs_no_key() -> None:
    system = open_system("local", {"local": {"type": "openai", "model": "m", "url": "http://localhost:8080/v1", "needs-key": False}})
    assert isinstance(system, HttpSystem)
    system.unlock()


def test_a_path_leads_to_the_answer_or_says_that_there_is_none() -> None:
    data = {"data": {"translations": [{"text": "a"}, {"text": "b"}]}, "list": [["x", "y"]], "plain": "z"}
    assert follow(data, "data.translations[*].text") == ["a", "b"]
    assert follow(data, "data.translations[1].text") == "b"
    assert follow(data, "list[0][*]") == ["x", "y"]
    assert follow(data, "plain") == "z"
    for path in ("data.missing", "list[7]", "plain[*]", "data.translations[*].other"):
        with pytest.raises((KeyError, IndexError, TypeError)):
            follow(data, path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"body": {"q": "${texts}"}, "answer": "a"}, "needs url"),
        ({"url": "https://x.example", "body": {"q": "constant"}, "answer": "a"}, "must hold"),
        ({"url": "https://x.example", "body": {"q": "${texts}"}, "answer": "a[b"}, "is no path"),
        ({"url": "ftp://x.example", "body": {"q": "${texts}"}, "answer": "a"}, "must start with"),
    ],
)
def test_a_description_that_cannot_work_is_refused_when_it_is_read(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        open_system("own", {"own": {"type": "http", **table}})


def test_codes_are_mapped_to_the_providers_spelling() -> None:
    def pair(kind: str, source: str, target: str) -> tuple[str, str]:
        system = open_system(kind)
        assert isinstance(system, HttpSystem)
        return system.codes.pair(Direction(source, target))

    assert pair("baidu", "ja", "ko") == ("jp", "kor")
    assert pair("baidu", "fr", "zh-tw") == ("fra", "cht")
    assert pair("deepl", "en-gb", "pt-br") == ("EN", "PT-BR")
    assert pair("deepl", "zh", "en") == ("ZH", "EN-US")
    assert pair("google", "he", "zh") == ("iw", "zh-CN")
    assert pair("azure", "zh-hant", "pt") == ("zh-Hant", "pt")
    assert pair("youdao", "eng", "zh-cn") == ("en", "zh-CHS")
    assert pair("amazon", "en-au", "fr-ca") == ("en", "fr-CA")
    assert pair("modernmt", "en", "zh") == ("en", "zh-CN")


def test_a_variety_falls_back_as_a_source_but_never_as_a_target() -> None:
    codes = Codes("X", "en pt")
    assert codes.pair(Direction("pt-br", "en")) == ("pt", "en")
    with pytest.raises(ConfigurationError, match=r"does not translate to 'pt-br' \(Brazilian Portuguese\): it has pt"):
        codes.pair(Direction("en", "pt-br"))


def test_any_three_letters_are_no_language() -> None:
    for kind in ("deepl", "google", "azure", "amazon", "baidu", "youdao", "modernmt", "openai:m"):
        system = open_system(kind)
        assert isinstance(system, HttpSystem)
        for direction in (Direction("en", "qqq"), Direction("qqq", "en")):
            with pytest.raises(ConfigurationError, match="does not translate"):
                system.check(direction)


def test_a_new_language_can_be_added_in_the_configuration() -> None:
    system = open_system("deepl", {"deepl": {"languages": {"qqq": "QQQ"}}})
    assert isinstance(system, HttpSystem)
    assert system.codes.pair(Direction("en", "qqq")) == ("EN", "QQQ")


def test_codes_of_two_and_three_letters_are_the_same_language() -> None:
    assert (plain_code("ENG"), plain_code("zh_Hant"), plain_code("por-BR")) == ("en", "zh-tw", "pt-br")
    assert (alpha3("en"), alpha3("es"), alpha3("cat")) == ("eng", "spa", "cat")
    assert NAMES["zh-tw"] == "Traditional Chinese"


def test_lines_of_a_text_come_back_as_one_text() -> None:
    keys = [Secret(secrets.token_hex(4), "here"), Secret(secrets.token_hex(4), "here")]
    wire = Baidu()
    form = dict(wire.call("https://x.example", ["one\n\n two ", "three"], ("en", "zh"), keys).form or ())
    assert form["q"] == "one\ntwo\nthree"
    data = {"trans_result": [{"src": "three", "dst": "3"}, {"src": "one", "dst": "1"}, {"src": "two", "dst": "2"}]}
    assert [a and a.text for a in wire.read(data, ["one\n\n two ", "three"])] == ["1\n2", "3"]
    assert [a and a.text for a in wire.read({"trans_result": data["trans_result"][:2]}, ["one\ntwo", "three"])] == [None, "3"]


def test_a_secret_shows_itself_to_nobody() -> None:
    import pickle

    value = f"{secrets.token_hex(6)}/+={secrets.token_hex(6)}"
    secret = Secret(value, "a test")
    assert value not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    import base64
    from urllib.parse import quote

    for form in (value, quote(value, safe=""), base64.b64encode(value.encode()).decode()):
        assert redact(f"before {form} after", [secret]) == "before *** after"


def test_a_key_with_a_line_break_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    value = secrets.token_hex(6)
    monkeypatch.setenv("SOME_KEY", f"{value}\n{value}")
    with pytest.raises(ConfigurationError, match="SOME_KEY holds spaces") as caught:
        find_secret("x", ["SOME_KEY"])
    assert value not in str(caught.value)


def test_a_key_ring_that_is_not_installed_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(MissingResourceError, match=r"pip install 'metaphrase\[keyring\]'"):
        find_secret("x", ["NOT_SET_ANYWHERE"], "service/user")


def test_every_listed_price_has_a_date_and_a_currency() -> None:
    for kind in ("deepl", "google", "google-v3", "azure", "amazon", "baidu", "youdao", "modernmt", "libretranslate", "apy"):
        price = listed_price(kind)
        assert price is not None
        assert len(price.date) == 10
        assert len(price.currency) == 3
        assert price.note
    assert listed_price("openai", "gpt-4o-mini") is not None
    assert listed_price("openai", "unheard-of") is None
