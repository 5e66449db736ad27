"""CoreNLP as a managed server: answers in order, death and hanging in mid-batch, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from metaphrase.campaign.store import Store
from metaphrase.core.errors import InputError, MissingResourceError, ResourceFailedError, UnknownNameError
from metaphrase.resources.corenlp.install import LANGUAGES, corenlp_manifest, find_corenlp, get_corenlp
from metaphrase.resources.corenlp.parser import CoreNLPDependencies, CoreNLPParser
from metaphrase.resources.corenlp.server import ManagedServer, RemoteServer
from metaphrase.resources.profiles import Resources
from metaphrase.resources.remembered import RememberedDependencies, RememberedParser

FAKE = [sys.executable, str(Path(__file__).with_name("fake_corenlp.py"))]
SENTENCES = ["the first sentence", "a second one", "then the third", "and a fourth"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "asked"
    monkeypatch.setenv("FAKE_CORENLP_STATE", str(path))
    return path


@pytest.fixture
def server(state: Path) -> Iterator[ManagedServer]:
    made = ManagedServer("en", timeout=2, first_timeout=2, command=FAKE)
    yield made
    made.close()


def words(parser: CoreNLPParser | RememberedParser, sentences: list[str]) -> list[str]:
    return [" ".join(token.text for token in tree.tokens()) for tree in parser.parse(sentences)]


def nothing(what: str, done: int, total: int) -> None:
    pass


def test_sentences_are_parsed_in_order_and_blank_ones_have_an_empty_tree(server: ManagedServer) -> None:
    trees = CoreNLPParser("en", server).parse([*SENTENCES, "  "])
    assert [" ".join(t.text for t in tree.tokens()) for tree in trees[:-1]] == SENTENCES
    assert trees[0].label == "ROOT"
    assert trees[-1].tokens() == []


@pytest.mark.parametrize("text", ["one \U0001f600 two", "one \U00020000 two"])
def test_offsets_are_characters_beyond_the_basic_plane_too(server: ManagedServer, text: str) -> None:
    """The server of this test sends UTF-16 offsets only for the first text, code points too for the second."""
    tree = CoreNLPParser("en", server).parse([text])[0]
    assert [(t.text, text[t.start : t.end]) for t in tree.tokens()] == [(w, w) for w in text.split()]


def test_dependencies_count_from_0_with_the_root_at_minus_1(server: ManagedServer) -> None:
    arcs = CoreNLPDependencies("en", server).dependencies(["a b c", ""])
    assert [(a.label, a.head, a.dependent) for a in arcs[0]] == [("ROOT", -1, 0), ("dep", 0, 1), ("dep", 1, 2)]
    assert arcs[1] == ()


@pytest.mark.parametrize("trouble", ["DIE-ONCE", "HANG-ONCE"])
def test_a_server_that_dies_or_hangs_in_mid_batch_is_replaced_and_nothing_is_lost(server: ManagedServer, trouble: str) -> None:
    sentences = [f"{trouble} {SENTENCES[0]}", *SENTENCES[1:]]
    assert words(CoreNLPParser("en", server), sentences) == sentences


@pytest.mark.parametrize("trouble", ["DIE-ALWAYS", "HANG-ALWAYS", "CUT"])
def test_a_sentence_that_brings_down_two_servers_is_an_error_that_names_it(server: ManagedServer, trouble: str) -> None:
    with pytest.raises(ResourceFailedError, match=f"twice.*{trouble} here"):
        CoreNLPParser("en", server).parse([*SENTENCES, f"{trouble} here"])


def test_a_refused_sentence_is_an_error_with_the_servers_words(server: ManagedServer) -> None:
    with pytest.raises(ResourceFailedError, match="HTTP 500: could not handle the text"):
        CoreNLPParser("en", server).parse(["REFUSE this"])


def test_closing_stops_the_server(server: ManagedServer) -> None:
    CoreNLPParser("en", server).parse(SENTENCES)
    port = server._port
    server.close()
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def test_a_server_does_not_outlive_a_process_that_was_killed(state: Path) -> None:
    code = (
        "import sys, time\n"
        "from metaphrase.resources.corenlp.parser import CoreNLPParser\n"
        "from metaphrase.resources.corenlp.server import ManagedServer\n"
        f"server = ManagedServer('en', timeout=20, command={FAKE!r})\n"
        "CoreNLPParser('en', server).parse(['hello'])\n"
        "print(server._port, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail("the server still listens")


def test_a_server_that_cannot_start_says_why() -> None:
    broken = ManagedServer("en", timeout=2, command=[sys.executable, "-c", "import sys; sys.exit('no such port')"])
    with pytest.raises(ResourceFailedError, match="did not start: no such port"):
        broken.annotate("text", {})


def test_a_server_of_the_users_that_does_not_answer_is_named() -> None:
    with pytest.raises(ResourceFailedError, match=r"http://127.0.0.1:9.*check \[resource.parser\] url"):
        RemoteServer("http://127.0.0.1:9/", timeout=2).annotate("text", {})


def test_without_an_installation_the_command_that_helps_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path))
    with pytest.raises(MissingResourceError, match="run: metaphrase models get corenlp --language zh"):
        Resources("neural").parser("zh")
    with pytest.raises(UnknownNameError, match="fi"):
        find_corenlp("fi")


def test_without_java_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path / "models"))
    jar = tmp_path / "stanford-corenlp-9-models.jar"
    jar.write_bytes(b"jar")
    get_corenlp("en", source=str(tmp_path), progress=nothing)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingResourceError, match="needs Java"):
        ManagedServer("en", timeout=2).annotate("text", {})


def test_a_jar_that_changed_after_it_was_fetched_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path / "models"))
    jar = tmp_path / f"stanford-corenlp-9-{LANGUAGES['es'].classifier}.jar"
    jar.write_bytes(b"a whole jar")
    get_corenlp("es", source=str(tmp_path), progress=nothing)
    assert find_corenlp("es").classpath() == [str(jar)]
    jar.write_bytes(b"a who")
    with pytest.raises(InputError, match="metaphrase models get corenlp --language es"):
        find_corenlp("es").classpath()
    corenlp_manifest("es").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="not a readable manifest"):
        find_corenlp("es")


def test_a_folder_without_the_languages_jar_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="models-chinese"):
        get_corenlp("zh", source=str(tmp_path), progress=nothing)


def test_without_maven_the_alternatives_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingResourceError, match="Maven"):
        get_corenlp("en", progress=nothing)


def test_a_campaigns_store_remembers_parses(server: ManagedServer, state: Path, tmp_path: Path) -> None:
    texts = [*SENTENCES, SENTENCES[0], "with \U0001f600 in it", " "]
    with Store(tmp_path / "store.db") as store:
        first = RememberedParser(CoreNLPParser("en", server), store).parse(texts)
        arcs = RememberedDependencies(CoreNLPDependencies("en", server), store).dependencies(texts)
        asked = state.read_text(encoding="utf-8").splitlines()
        assert sorted(asked) == sorted([t for t in dict.fromkeys(texts) if t.strip()] * 2)
    with Store(tmp_path / "store.db") as store:
        again = RememberedParser(CoreNLPParser("en", server), store).parse(texts)
        assert again == first
        assert RememberedDependencies(CoreNLPDependencies("en", server), store).dependencies(texts) == arcs
    assert state.read_text(encoding="utf-8").splitlines() == asked


def test_resources_use_the_memory_for_slow_parsers_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path))
    url = {"parser": {"url": "http://127.0.0.1:9"}, "dependency-parser": {"url": "http://127.0.0.1:9"}}
    with Store(tmp_path / "store.db") as store, Resources("neural", options=url) as neural, Resources("lite") as lite:
        neural.memory = lite.memory = store
        assert isinstance(neural.parser("en"), RememberedParser)
        assert isinstance(neural.dependency_parser("en"), RememberedDependencies)
        assert not isinstance(lite.parser("en"), RememberedParser)


@pytest.mark.skipif(not os.environ.get("METAPHRASE_REAL_MODELS"), reason="opt-in: METAPHRASE_REAL_MODELS=1 with fetched models")
@pytest.mark.parametrize(
    ("language", "text", "phrase", "words"),
    [
        ("en", "The committee of the small town did not approve the new budget.", "NP", "the new budget"),
        ("es", "El comité no aprobó el nuevo presupuesto de la ciudad.", "NP", "la ciudad"),
        ("zh", "委员会没有批准新的预算。", "NP", "新 的 预算"),
    ],
)
def test_the_real_corenlp_finds_the_noun_phrase(language: str, text: str, phrase: str, words: str) -> None:
    with Resources("neural") as resources:
        tree = resources.parser(language).parse([text])[0]
        found = {
            " ".join(t.text for t in sub.tokens()) for sub in tree.subtrees() if sub.label.casefold().startswith((phrase.casefold(), "sn"))
        }
        assert words in found
        roots = [a for a in resources.dependency_parser(language).dependencies([text])[0] if a.head == -1]
        assert len(roots) == 1


def test_the_manifest_says_what_was_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METAPHRASE_MODELS", str(tmp_path / "models"))
    (tmp_path / "stanford-corenlp-9-models.jar").write_bytes(b"jar")
    plain = json.loads(get_corenlp("en", source=str(tmp_path), progress=nothing).read_text(encoding="utf-8"))
    assert plain["licence"] == "GPL-3.0-or-later"
    assert list(plain["jars"].values()) == [3]
