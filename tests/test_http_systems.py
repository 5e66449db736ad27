"""Adapters against a real HTTP server that speaks each provider's format; the server checks what it is sent."""

from __future__ import annotations

import logging
import secrets
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
import stamina

from metaphrase.core.errors import BatchFailedError, ConfigurationError, QuotaError, SystemFailedError
from metaphrase.core.values import Direction
from metaphrase.systems import open_system
from metaphrase.systems.http import HttpSystem
from metaphrase.systems.rates import Pace
from metaphrase.systems.wire import by_echo
from mt_server import DIALECTS, Dialect, Fault, Schedule, Server, expected
from mt_server.clients import VirtualTime, connect
from mt_server.server import FINAL, Received, Reply

EN_ZH = Direction("en", "zh")


@pytest.fixture
def no_waiting() -> Iterator[None]:
    stamina.set_testing(True, attempts=6)
    yield
    stamina.set_testing(False)


@pytest.fixture(params=sorted(DIALECTS))
def dialect(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Dialect:
    made = DIALECTS[request.param]()
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


def made(kind: str, monkeypatch: pytest.MonkeyPatch) -> Dialect:
    dialect = DIALECTS[kind]()
    for name, value in dialect.environment.items():
        monkeypatch.setenv(name, value)
    return dialect


def texts_for(system: HttpSystem, salt: str = "") -> list[str]:
    hard = [
        'A <b>"quoted"</b> text & more\u2028',
        "naïve façade 漢字 𝔘𝔫𝔦",
        "{text} ${HOME} %s",
        "100 % of 5 < 6",
        "back\\slash",
        "last one",
    ]
    return [f"{text} {salt}".strip() for text in hard[: system.limits.items]]


def test_every_provider_translates_hard_texts_and_finds_its_request_as_documented(dialect: Dialect) -> None:
    with Server(dialect) as server:
        system = connect(server)
        texts = [t.replace("\u2028", "") for t in texts_for(system)]
        answers = system.translate(texts, EN_ZH)
        system.close()
    assert [a.text for a in answers] == [expected(t) for t in texts]
    assert server.count.problems == []
    assert server.count.requests == 1


@pytest.mark.usefixtures("no_waiting")
def test_every_provider_survives_every_passing_fault_and_never_mixes_texts_up(dialect: Dialect) -> None:
    faults = [f for f in Fault if f not in FINAL and (f is not Fault.REORDERED or dialect.shows_order)]
    with Server(dialect, virtual_stalls=True) as server:
        system = connect(server)
        for number, fault in enumerate(faults):
            server.reset(dialect, Schedule([fault]))
            texts = [t.replace("\u2028", "") for t in texts_for(system, f"({number})")]
            assert [a.text for a in system.translate(texts, EN_ZH)] == [expected(t) for t in texts], fault
            # A second call, because an answer that came twice would only be read now.
            later = [f"{t} again" for t in texts]
            assert [a.text for a in system.translate(later, EN_ZH)] == [expected(t) for t in later], fault
            assert server.count.problems == [], fault
            assert server.count.sent_after_answered == [], fault
        system.close()


def test_every_provider_stops_at_once_when_the_quota_is_used_up(dialect: Dialect) -> None:
    for fault in FINAL:
        with Server(dialect, Schedule([fault])) as server:
            system = connect(server)
            kind = (
                QuotaError if (fault is not Fault.FORBIDDEN and dialect.kind != "amazon") or fault is Fault.QUOTA_456 else SystemFailedError
            )
            with pytest.raises(kind):
                system.translate(["one"], EN_ZH)
            system.close()
        assert server.count.requests == 1


def test_a_text_that_a_provider_refuses_fails_its_batch_without_a_retry(dialect: Dialect) -> None:
    with Server(dialect, Schedule(refused=frozenset({"bad"}))) as server:
        system = connect(server)
        with pytest.raises(BatchFailedError) as caught:
            system.translate(["bad"], EN_ZH)
        system.close()
    assert not caught.value.outage
    assert server.count.requests == 1


def test_a_real_stall_ends_after_the_read_time_limit(dialect: Dialect) -> None:
    with Server(dialect, Schedule([Fault.STALL])) as server:
        system = connect(server, {"read-timeout": 0.3, "first-wait": 0.0}, virtual=False)
        assert system.translate(["one"], EN_ZH)[0].text == expected("one")
        system.close()
    assert server.count.requests >= 2


def test_an_unsupported_pair_is_an_error_before_anything_is_sent(dialect: Dialect) -> None:
    with Server(dialect) as server:
        system = connect(server)
        for direction in (Direction("en", "xyz"), Direction("xyz", "zh"), Direction("en", "en")):
            if dialect.kind == "http" and direction.source != direction.target:
                continue  # described in the configuration with two languages; see the next test
            with pytest.raises(ConfigurationError):
                system.check(direction)
            with pytest.raises(ConfigurationError):
                system.translate(["one"], direction)
        system.close()
    assert server.count.requests == 0


def test_a_described_engine_with_languages_takes_only_those(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(made("http", monkeypatch)) as server:
        system = connect(server)
        with pytest.raises(ConfigurationError, match="does not translate to 'fr'"):
            system.check(Direction("en", "fr"))
        system.close()


def test_a_missing_key_names_the_variable_and_needs_no_connection(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    if not dialect.keys or dialect.kind == "libretranslate":
        pytest.skip("this provider works without a key")
    monkeypatch.delenv(dialect.keys[-1])
    with Server(dialect) as server:
        system = connect(server)
        system.check(EN_ZH)
        assert system.signature().name == dialect.kind
        with pytest.raises(ConfigurationError, match=dialect.keys[-1]):
            system.unlock()
        system.close()
    assert server.count.requests == 0


def test_a_session_token_of_amazon_is_signed_and_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    token = secrets.token_hex(20)
    dialect = made("amazon", monkeypatch)
    monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    with Server(dialect, Schedule([Fault.NONE, Fault.QUOTING])) as server:
        system = connect(server, {"attempts": 1})
        assert system.translate(["one"], EN_ZH)[0].ok
        try:
            with pytest.raises(BatchFailedError, match=r"failed on .*\*\*\*") as caught:
                system.translate(["two"], EN_ZH)
        finally:
            system.close()
    assert server.count.problems == []
    assert token not in str(caught.value)


def test_another_variable_may_hold_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("baidu", monkeypatch)
    for name in ("BAIDU_APP_ID", "BAIDU_APP_KEY"):
        monkeypatch.setenv(f"TEAM_{name}", dialect.environment[name])
        monkeypatch.delenv(name)
    with Server(dialect) as server:
        system = connect(server, {"key-env": "TEAM_BAIDU_APP_ID, TEAM_BAIDU_APP_KEY"})
        assert system.translate(["one"], EN_ZH)[0].ok
        system.close()
        with pytest.raises(ConfigurationError, match="BAIDU_APP_ID, BAIDU_APP_KEY"):
            connect(server, {"key-env": "ONLY_ONE"}).unlock()


def test_retry_after_is_obeyed_in_seconds_and_as_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("deepl", monkeypatch)
    for as_date in (False, True):
        until = int(time.time()) + 2
        value = format_datetime(datetime.fromtimestamp(until, UTC), usegmt=True) if as_date else "2"
        dialect.rate_limit = lambda value=value: Reply(429, {}, {"Retry-After": value})  # type: ignore[method-assign, misc]
        with Server(dialect, Schedule([Fault.DISGUISED])) as server:
            system = connect(server, virtual=False)
            assert system.translate(["one"], EN_ZH)[0].ok
            assert time.time() >= until
            system.close()


def test_a_provider_that_asks_for_an_hour_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("deepl", monkeypatch)
    dialect.rate_limit = lambda: Reply(429, {}, {"Retry-After": "3600"})  # type: ignore[method-assign]
    with Server(dialect, Schedule([Fault.DISGUISED])) as server:
        system = connect(server)
        with pytest.raises(SystemFailedError, match="asks to wait 3600 s"):
            system.translate(["one"], EN_ZH)
        system.close()


def test_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("deepl", monkeypatch)
    dialect.refusal = lambda: Reply(307, {}, {"Location": "http://127.0.0.1:1/elsewhere"})  # type: ignore[method-assign]
    with Server(dialect, Schedule(refused=frozenset({"one"}))) as server:
        system = connect(server)
        with pytest.raises(SystemFailedError, match="redirects to"):
            system.translate(["one"], EN_ZH)
        system.close()


def test_nobody_listening_is_an_outage_not_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    made("deepl", monkeypatch)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        system = open_system("deepl", {"deepl": {"url": f"http://127.0.0.1:{taken.getsockname()[1]}", "attempts": 2, "first-wait": 0.0}})
        with pytest.raises(BatchFailedError, match="no connection") as caught:
            system.translate(["one"], EN_ZH)
        system.close()
    assert caught.value.outage


def test_a_key_is_not_sent_over_plain_http_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    made("deepl", monkeypatch)
    system = open_system("deepl", {"deepl": {"url": "http://mt.example.org"}})
    with pytest.raises(ConfigurationError, match="unencrypted"):
        system.translate(["one"], EN_ZH)


def test_an_address_with_a_password_or_a_query_is_refused_without_showing_it() -> None:
    hidden = secrets.token_hex(8)
    for url in (f"https://user:{hidden}@mt.example.org", f"https://mt.example.org/?key={hidden}"):
        with pytest.raises(ConfigurationError) as caught:
            open_system("deepl", {"deepl": {"url": url}})
        assert hidden not in str(caught.value)


def test_a_key_that_an_error_page_quotes_is_cleaned_out_of_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("deepl", monkeypatch)
    dialect.refusal = lambda: Reply(400, {"message": f"no such key: {dialect.key()}"})  # type: ignore[method-assign]
    with Server(dialect, Schedule(refused=frozenset({"one"}))) as server:
        system = connect(server)
        with pytest.raises(BatchFailedError, match=r"no such key: \*\*\*"):
            system.translate(["one"], EN_ZH)
        system.close()


def test_a_key_stays_out_of_debug_logs_even_when_it_is_in_a_url(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    dialect = made("http", monkeypatch)
    with Server(dialect) as server, caplog.at_level(logging.DEBUG):
        system = connect(server, {"query": {"k": "${OWN_ENGINE_KEY}"}})
        assert system.translate(["one"], EN_ZH)[0].ok
        system.close()
    assert "own/engine" in caplog.text
    assert dialect.key() not in caplog.text


def test_a_free_key_of_deepl_goes_to_the_free_host() -> None:
    from metaphrase.systems.deepl import FREE, PAID, DeepL, DeepLOptions
    from metaphrase.systems.keys import Secret

    wire = DeepL(DeepLOptions())
    free, paid = Secret(secrets.token_hex(8) + ":fx", "here"), Secret(secrets.token_hex(8), "here")
    assert wire.call(PAID, ["x"], ("EN", "DE"), [free]).url.startswith(FREE)
    assert wire.call(PAID, ["x"], ("EN", "DE"), [paid]).url.startswith(PAID)
    assert wire.call("https://proxy.example.org", ["x"], ("EN", "DE"), [free]).url.startswith("https://proxy.example.org")


def test_options_that_shape_a_translation_change_the_signature_and_others_do_not() -> None:
    def digest(**options: object) -> str:
        return open_system("deepl", {"deepl": options}).signature().digest

    assert digest(formality="more") != digest()
    assert digest(version="2026-11") != digest()
    assert digest(url="https://other.example.org") != digest()
    assert digest(**{"read-timeout": 5, "attempts": 2, "requests-per-second": 3, "key-env": "OTHER", "price": 1.0}) == digest()
    one, other = (open_system(f"openai:{m}", {"openai": {"prompt": p}}).signature() for m, p in (("a", "{text}"), ("a", "{text}!")))
    assert one.digest != other.digest
    assert "model:a" in str(one)


def test_the_pace_lets_through_what_the_rate_allows_and_no_more() -> None:
    time_now = VirtualTime()
    pace = Pace(requests=160, clock=time_now.clock)
    start = time_now.now()
    for _ in range(801):
        pace.wait(10)
    assert time_now.now() - start == pytest.approx(5.0, rel=0.02)


def test_the_pace_counts_characters_even_of_a_text_longer_than_a_second_allows() -> None:
    time_now = VirtualTime()
    pace = Pace(characters=100, clock=time_now.clock)
    start = time_now.now()
    for _ in range(4):
        pace.wait(275)
    assert time_now.now() - start == pytest.approx(10.0, rel=0.02)


def test_a_hold_stops_everybody() -> None:
    time_now = VirtualTime()
    pace = Pace(clock=time_now.clock)
    pace.hold(30)
    start = time_now.now()
    pace.wait(1)
    assert time_now.now() - start == pytest.approx(30)


def test_answers_that_repeat_their_text_are_matched_in_any_order() -> None:
    assert by_echo([("b", "B"), ("a", "A")], ["a", "b"]) == ["A", "B"]
    assert by_echo([("a", "A1"), ("a", "A2")], ["a", "a"]) == ["A1", "A2"]
    assert by_echo([("b", "B")], ["a", "b"]) == [None, "B"]
    assert by_echo([("a  b", "AB"), ("c", "C")], ["a b", "c"]) == ["AB", "C"]
    # Repeated with a change that is more than spaces: by position, since everything else matched.
    assert by_echo([("colour", "X"), ("c", "C")], ["color", "c"]) == ["X", "C"]


def test_a_wrong_option_names_the_nearest_one() -> None:
    with pytest.raises(ConfigurationError, match=r"\[system.deepl\].*did you mean 'formality'"):
        open_system("deepl", {"deepl": {"formalty": "more"}})


def test_free_requests_of_self_hosted_servers_are_read_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("libretranslate", monkeypatch)

    def odd(received: Received) -> Reply | None:
        return Reply(200, {"nothing": "here"}) if received.path == "/languages" else None

    dialect.free_reply = odd  # type: ignore[method-assign]
    with Server(dialect) as server:
        system = connect(server)
        with pytest.raises(ConfigurationError, match="no LibreTranslate server"):
            system.check(EN_ZH)
        system.close()


def test_a_key_ring_serves_where_no_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("keyring")
    dialect = made("deepl", monkeypatch)
    key = dialect.environment["DEEPL_AUTH_KEY"]
    monkeypatch.delenv("DEEPL_AUTH_KEY")
    monkeypatch.setattr("keyring.get_password", lambda service, user: key if (service, user) == ("mt", "deepl") else None)
    with Server(dialect) as server:
        system = connect(server, {"key-ring": "mt/deepl"})
        assert system.translate(["one"], EN_ZH)[0].ok
        system.close()
        with pytest.raises(ConfigurationError, match="no such entry"):
            connect(server, {"key-ring": "mt/other"}).unlock()
