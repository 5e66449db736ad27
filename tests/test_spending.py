"""What a run sends, saves and spends: cache, budget, refresh, several systems; the server counts."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stamina
from typer.testing import CliRunner

from metaphrase.campaign.cache import DAY, Cache, CacheOptions
from metaphrase.campaign.events import Summary
from metaphrase.campaign.spending import Ledger
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage, batches
from metaphrase.cli.main import app
from metaphrase.core.errors import ConfigurationError, QuotaError, SystemFailedError
from metaphrase.core.signature import Signature
from metaphrase.core.values import Case, DifferentialCase, Direction, MetamorphicCase, RoundTripCase, Translation
from metaphrase.systems import open_system
from metaphrase.systems.base import Limits, System
from metaphrase.systems.function import FunctionSystem
from mt_server import DIALECTS, Dialect, Fault, Schedule, Server, expected
from mt_server.clients import connect

EN_ZH = Direction("en", "zh")


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    stamina.set_testing(True, attempts=4)
    yield
    stamina.set_testing(False)


def made(kind: str, monkeypatch: pytest.MonkeyPatch) -> Dialect:
    dialect = DIALECTS[kind]()
    for name, value in dialect.environment.items():
        monkeypatch.setenv(name, value)
    return dialect


def pairs(count: int, word: str = "text") -> list[Case]:
    return [MetamorphicCase(str(i), EN_ZH, "test", f"{word} number {i}", f"{word} number {i} again") for i in range(count)]


def run(
    folder: Path, system: System, cases: list[Case], *, name: str = "a", cache: Cache | None = None, **sending: Any
) -> tuple[Summary, list[Case]]:
    summary = Summary()
    limits = {key: sending.pop(key) for key in ("budget", "max_characters") if key in sending}
    with Store(folder / f"{name}.db") as store, contextlib.closing(system):
        stage = TranslateStage(store, summary, Sending(cache=cache, ledger=Ledger([system], **limits), **sending))
        for _ in stage.fill(cases, lambda request: system):
            pass
    return summary, cases


def test_another_campaign_takes_from_the_cache_what_was_paid_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("deepl", monkeypatch)) as server, Cache(CacheOptions(path=str(tmp_path / "c.db"))) as cache:
        first, _ = run(tmp_path, connect(server), pairs(30), name="one", cache=cache)
        sent = server.count.characters
        second, cases = run(tmp_path, connect(server), pairs(30), name="two", cache=cache)
        assert server.count.characters == sent == first.sent_characters
        assert (second.sent_texts, second.reused_texts) == (0, 60)
        bill = second.bills["deepl"]
        assert (bill.requests, bill.spent, bill.saved_characters) == (0, 0.0, sent)
        assert bill.saved == pytest.approx(25.0 * sent / 1e6)
        assert all(case.source_translation == expected(case.source) for case in cases if isinstance(case, MetamorphicCase))
        # Without the cache a new campaign pays.
        run(tmp_path, connect(server), pairs(30), name="three")
        assert server.count.characters == 2 * sent


def test_a_changed_option_is_another_key_and_a_changed_speed_is_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("deepl", monkeypatch)) as server, Cache(CacheOptions(path=str(tmp_path / "c.db"))) as cache:
        steps: list[tuple[dict[str, Any], bool]] = [
            ({}, True),
            ({"attempts": 2, "items": 3}, False),
            ({"formality": "more"}, True),
            ({"version": "2"}, True),
            ({}, False),
        ]
        for number, (options, sends) in enumerate(steps):
            before = server.count.requests
            run(tmp_path, connect(server, options), pairs(2), name=str(number), cache=cache)
            assert (server.count.requests > before) == sends, options


def test_refresh_asks_once_more_and_replaces_what_was_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("deepl", monkeypatch)) as server, Cache(CacheOptions(path=str(tmp_path / "c.db"))) as cache:
        system = connect(server)
        cache.put(system.signature(), EN_ZH, [("text number 0", Translation("stale"))])
        _, (stale, *_) = run(tmp_path, system, pairs(1), cache=cache)
        assert isinstance(stale, MetamorphicCase)
        assert stale.source_translation == "stale"
        _, (fresh, *_) = run(tmp_path, connect(server), pairs(1) + pairs(1), cache=cache, refresh=True)
        assert isinstance(fresh, MetamorphicCase)
        assert fresh.source_translation == expected("text number 0")
        assert server.count.sent["text number 0"] == 1
        assert cache.get(system.signature(), EN_ZH, ["text number 0"])["text number 0"].text == expected("text number 0")


@pytest.mark.parametrize("jobs", [1, 8])
def test_no_number_of_threads_or_retries_passes_a_limit_of_characters(jobs: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dialect = made("google", monkeypatch)
    # Half of the requests are cut off after the provider may have counted them.
    schedule = Schedule([Fault.HALF, Fault.NONE] * 200)
    with Server(dialect, schedule, virtual_stalls=True) as server:
        summary = Summary()
        system = connect(server, {"items": 3})
        with Store(tmp_path / "a.db") as store, contextlib.closing(system):
            stage = TranslateStage(store, summary, Sending(jobs, ledger=Ledger([system], max_characters=2_000)))
            with pytest.raises(QuotaError, match="stopped before --max-characters 2,000"):
                for _ in stage.fill(pairs(200), lambda request: system):
                    pass
            kept = store.translations(system.signature().digest, EN_ZH, list(server.count.answered))
        assert 1_500 < server.count.characters <= 2_000
        assert {text for text in kept if kept[text].ok} == {text for text, n in server.count.answered.items() if n}
        bill = summary.bills["google"]
        assert bill.characters == server.count.characters
        assert bill.unsure > 0


def test_a_budget_stops_before_it_is_passed_and_what_was_done_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("deepl", monkeypatch)) as server:
        options = {"items": 4, "price": 1000.0}  # a thousand dollars a million: a tenth of a cent each
        with pytest.raises(QuotaError, match=r"stopped before the budget of 1\.00 USD"):
            run(tmp_path, connect(server, options), pairs(100), jobs=4, budget=1.0)
        assert 900 < server.count.characters <= 1000
        # Going on with more money pays for nothing twice.
        run(tmp_path, connect(server, options), pairs(100), jobs=4, budget=50.0)
        assert set(server.count.sent.values()) == {1}


def test_a_budget_needs_a_price_and_one_currency() -> None:
    unknown = open_system("openai:some-model", {"openai": {}})
    with pytest.raises(ConfigurationError, match="no price is known for 'openai:some-model'"):
        Ledger([unknown], budget=1.0)
    with pytest.raises(ConfigurationError, match="cannot add up CNY and USD"):
        Ledger([open_system("deepl"), open_system("baidu")], budget=1.0)


def test_a_chat_model_is_charged_by_the_tokens_it_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("openai", monkeypatch)) as server:
        system = connect(server, {"price-input": 10.0, "price-output": 20.0})
        summary, _ = run(tmp_path, system, pairs(1))
        # The test server reports 20 tokens in and 10 out for each of the two texts.
        assert summary.bills[system.name].spent == pytest.approx(2 * (20 * 10.0 + 10 * 20.0) / 1e6)


def test_a_dead_system_is_given_up_before_all_texts_are_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("deepl", monkeypatch), Schedule([Fault.SERVER_ERROR] * 10_000)) as server:
        with pytest.raises(SystemFailedError, match="failed 8 calls in a row"):
            run(tmp_path, connect(server, {"items": 10}), pairs(300), jobs=2)
        assert server.count.requests <= (8 + 2) * 4


def test_a_system_that_refuses_everything_is_given_up_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cases = pairs(300)
    everything = frozenset(request.text for case in cases for request in case.requests())
    with Server(made("deepl", monkeypatch), Schedule(refused=everything)) as server:
        with pytest.raises(SystemFailedError, match="failed 20 calls in a row"):
            run(tmp_path, connect(server), cases, jobs=1)
        assert server.count.requests == 20


def test_poison_is_found_by_halving_and_the_rest_is_translated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cases = pairs(16)
    with Server(made("deepl", monkeypatch), Schedule(refused=frozenset({"text number 0"}))) as server:
        summary, cases = run(tmp_path, connect(server), cases)
        # 32 texts in one batch: itself, and two halves at each of five levels.
        assert server.count.requests == 1 + 2 * 5
        assert summary.failed_texts == 1
        assert "bad text" in summary.failures[0]
        assert server.count.sent_after_answered == []
    assert [c.id for c in cases if next(iter(c.requests()), None)] == ["0"]


def test_texts_that_no_call_can_hold_and_blank_ones_are_not_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("amazon", monkeypatch)) as server:
        cases: list[Case] = [MetamorphicCase("1", EN_ZH, "test", "é" * 5_001, "  ")]
        summary, (case,) = run(tmp_path, connect(server), cases)
        assert server.count.requests == 0
    assert isinstance(case, MetamorphicCase)
    assert (case.source_translation, case.followup_translation) == (None, "  ")
    assert "10,002 bytes" in summary.failures[0]


def test_systems_of_one_campaign_have_each_their_own_limits_and_bills(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cases: list[Case] = [DifferentialCase(str(i), EN_ZH, f"source {i}", {"deepl": None, "azure": None}) for i in range(40)]
    with Server(made("deepl", monkeypatch)) as one, Server(made("azure", monkeypatch)) as other, Store(tmp_path / "a.db") as store:
        systems: dict[str, System] = {"deepl": connect(one, {"items": 5}), "azure": connect(other, {"items": 20})}
        summary = Summary()
        stage = TranslateStage(store, summary, Sending(4, ledger=Ledger(systems.values())))
        for _ in stage.fill(cases, lambda request: systems[request.engine]):
            pass
        for system in systems.values():
            system.close()
        assert (one.count.requests, other.count.requests) == (8, 4)
        assert summary.bills["deepl"].characters == summary.bills["azure"].characters == one.count.characters
    for case in cases:
        assert isinstance(case, DifferentialCase)
        assert dict(case.translations) == {"deepl": expected(case.source), "azure": expected(case.source)}


def test_the_way_back_of_a_round_trip_is_checked_before_the_way_there_is_paid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("http", monkeypatch)) as server:
        system = connect(server)
        system.codes = system.codes.extended({})  # its own two languages, but none back from Chinese
        object.__setattr__(system.codes, "targets_only", frozenset({"zh"}))
        with pytest.raises(ConfigurationError, match="does not translate from 'zh'"):
            run(tmp_path, system, [RoundTripCase("1", EN_ZH, "there and back")])
        assert server.count.requests == 0


def test_a_failing_plugin_ends_the_run_instead_of_hanging_it(tmp_path: Path) -> None:
    def broken(texts: list[str]) -> list[str]:
        raise RuntimeError("a bug")

    with pytest.raises(SystemFailedError, match="a bug"):
        run(tmp_path, FunctionSystem(broken), pairs(3))


def test_a_python_function_is_called_in_the_thread_that_runs_the_campaign(tmp_path: Path) -> None:
    threads = set()

    def upper(texts: list[str]) -> list[str]:
        threads.add(threading.current_thread())
        return [text.upper() for text in texts]

    summary, _ = run(tmp_path, FunctionSystem(upper, items=4), pairs(10), jobs=8)
    assert summary.sent_texts == 20
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("jobs", [1, 8])
def test_as_many_requests_are_in_flight_as_asked_for_and_no_more(jobs: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server(made("apy", monkeypatch), delay=0.05) as server:
        run(tmp_path, connect(server), pairs(20), jobs=jobs)
        assert server.count.most_in_flight == jobs


def test_batches_keep_every_limit_and_the_order() -> None:
    texts = [f"{'字' * (i % 90)}{i}" for i in range(500)]
    limits = Limits(items=20, characters=600, bytes=1_500)
    cut = list(batches(texts, limits, workers=4))
    assert [t for batch in cut for t in batch] == texts
    for batch in cut:
        assert len(batch) <= 20
        assert sum(map(len, batch)) <= 600
        assert sum(len(t.encode()) for t in batch) <= 1_500
    assert len(list(batches(texts[:40], Limits(items=128), workers=4))) == 4
    assert len(list(batches(texts[:8], Limits(items=128), workers=4))) == 1


def test_the_cache_forgets_what_is_old_and_what_was_not_used_for_the_longest_time(tmp_path: Path) -> None:
    system = Signature("deepl", "1")
    time_now = 1_000_000_000.0
    path = str(tmp_path / "c.db")
    with Cache(CacheOptions(path=path), now=lambda: time_now) as cache:
        cache.put(system, EN_ZH, [(f"old {i}", Translation("x" * 850)) for i in range(10)])
        time_now += 100 * DAY
        cache.put(system, EN_ZH, [(f"new {i}", Translation("x" * 850)) for i in range(10)])
        assert len(cache.get(system, EN_ZH, ["old 0", "old 1"])) == 2  # used again today
        assert cache.report().bytes == 20 * 1_000
    with Cache(CacheOptions(path=path, max_megabytes=0.012), now=lambda: time_now) as cache:
        assert cache.trim() == 8
        assert set(cache.get(system, EN_ZH, [f"old {i}" for i in range(10)])) == {"old 0", "old 1"}
        assert len(cache.get(system, EN_ZH, [f"new {i}" for i in range(10)])) == 10
    time_now += 100 * DAY
    with Cache(CacheOptions(path=path), now=lambda: time_now) as cache:
        assert cache.get(system, EN_ZH, ["old 0"]) == {}  # older than 180 days
        assert cache.trim() == 2
        assert cache.get(Signature("deepl", "2"), EN_ZH, ["new 0"]) == {}
        assert cache.get(system, EN_ZH.reversed, ["new 0"]) == {}


def test_two_processes_may_use_the_cache_at_once(tmp_path: Path) -> None:
    options = CacheOptions(path=str(tmp_path / "c.db"))
    system = Signature("deepl", "1")
    with Cache(options) as one, Cache(options) as other:
        for i in range(50):
            (one if i % 2 else other).put(system, EN_ZH, [(f"{i}", Translation(f"t{i}"))])
        assert len(one.get(system, EN_ZH, [f"{i}" for i in range(50)])) == 50


def test_a_file_that_is_no_cache_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_text("this is a shopping list" * 100)
    with pytest.raises(Exception, match="use --no-cache"):
        Cache(CacheOptions(path=str(tmp_path / "c.db")))


# The command line.


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METAPHRASE_CACHE", str(tmp_path / "cache"))
    cases = [{"id": str(i), "direction": "en-zh", "transformation": "x", "source": f"One {i}", "followup": f"Two {i}"} for i in range(20)]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return tmp_path


def invoke(*arguments: str) -> Any:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_commands_show_what_was_sent_saved_and_spent(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(made("deepl", monkeypatch)) as server:
        (here / "metaphrase.toml").write_text(f'[system.deepl]\nurl = "{server.url}"\n')
        said = invoke("translate", "cases.jsonl", "--system", "deepl", "-o", "out.jsonl", "-j", "2").output
        assert f"sent 40 texts ({server.count.characters} characters)" in said
        assert f"spent {server.count.characters * 25 / 1e6:.4f} USD" in said
        again = invoke("translate", "cases.jsonl", "--system", "deepl", "-o", "out.jsonl", "--store", "other.db").output
        assert "sent 0 texts (0 characters), 40 already known" in again
        assert "saved" in again
        info = json.loads(invoke("cache", "info", "--json").output)
        assert info["entries"] == 40
        (signature,) = info["systems"]
        assert signature.startswith("deepl|v:1")
        assert "40 translations forgotten" in invoke("cache", "clear", "--system", "deepl", "--yes").output
        assert json.loads(invoke("cache", "info", "--json").output)["entries"] == 0


def test_a_dry_run_of_cases_sends_and_writes_nothing(here: Path) -> None:
    said = invoke("translate", "cases.jsonl", "--system", "azure", "-o", "out.jsonl", "--dry-run").output
    characters = sum(len(f"{word} {i}") for word in ("One", "Two") for i in range(20))
    assert f"would send 40 texts ({characters} characters)" in said
    assert f"would cost about {characters * 10 / 1e6:.4f} USD" in said
    assert not (here / "out.jsonl").exists()


def test_a_dry_run_estimates_without_a_key_and_without_a_connection(here: Path) -> None:
    (here / "sentences.txt").write_text("The old bridge near the small town hall was closed on a cold Monday morning.\n")
    said = invoke("test", "sentences.txt", "--system", "deepl", "--to", "es", "--dry-run").output
    assert "nothing was sent" in said
    assert "would cost about 0.00" in said
    assert "2025-06-01" in said


def test_systems_check_says_what_works(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("deepl", monkeypatch)
    with Server(dialect) as server:
        (here / "metaphrase.toml").write_text(f'to = "zh"\n[system.mine]\ntype = "deepl"\nurl = "{server.url}"\n')
        said = invoke("systems", "check", "mine").output
        assert f"'Hello.' is '{expected('Hello.')}'" in said
        assert "25 USD a million characters (2025-06-01)" in said
        assert dialect.key() not in said
        assert server.count.characters == len("Hello.")
        server.reset(dialect, Schedule([Fault.FORBIDDEN]))
        with pytest.raises(SystemFailedError, match="does not accept the key"):
            invoke("systems", "check", "mine")
        monkeypatch.delenv("DEEPL_AUTH_KEY")
        with pytest.raises(ConfigurationError, match="DEEPL_AUTH_KEY"):
            invoke("systems", "check", "mine")


def test_systems_list_names_keys_and_dated_prices(here: Path) -> None:
    said = invoke("systems", "list").output
    for kind in DIALECTS:
        assert kind in said
    assert "AZURE_TRANSLATOR_KEY; 10 USD a million characters (2025-06-01)" in said


def test_templates_of_a_described_engine_stay_templates_in_the_configuration(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = made("http", monkeypatch)
    with Server(dialect) as server:
        monkeypatch.setenv("ENGINE_PORT", str(server.port))
        (here / "metaphrase.toml").write_text(
            """
            [system.own]
            type = "http"
            url = "http://127.0.0.1:${ENGINE_PORT}/own/engine"
            headers = { X-Key = "${OWN_ENGINE_KEY}" }
            body = { job = { texts = "${texts}", way = "${source}>${target}" } }
            answer = "result.items[*].text"
            languages = { en = "en", zh = "chi" }
            """
        )
        said = invoke("translate", "cases.jsonl", "--system", "own", "-o", "out.jsonl").output
        assert "sent 40 texts" in said
        assert server.count.problems == []
    assert not [p for p in here.rglob("*") if p.is_file() and dialect.key().encode() in p.read_bytes()]


@pytest.mark.parametrize("ending", [Fault.QUOTA, Fault.FORBIDDEN])
def test_what_a_short_answer_brought_is_kept_when_the_next_attempt_ends_the_run(
    ending: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with Server(made("baidu", monkeypatch), Schedule([Fault.SHORT, ending])) as server:
        system = connect(server)
        with pytest.raises(SystemFailedError):
            run(tmp_path, system, pairs(3))
        assert sum(server.count.answered.values()) == 5
        with Store(tmp_path / "a.db") as store:
            kept = store.translations(system.signature().digest, EN_ZH, list(server.count.sent))
        assert {text for text in kept if kept[text].ok} == set(server.count.answered)
