"""Metaphrase from Python and from pytest; and `import metaphrase` stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import metaphrase
from metaphrase.core.errors import ConfigurationError, InputError, UnknownNameError
from metaphrase.core.values import Severity

SENTENCE = "The latest sales figures surprised the whole management team."
# What may be loaded by `import metaphrase` beside Python itself.
ALLOWED = {"metaphrase"}


def shaky(texts: list[str]) -> list[str]:
    """Alone it keeps "figures", in a sentence it does not."""
    return [t.upper().replace("FIGURES", "IMAGINES") if t.endswith(".") else t.upper() for t in texts]


def steady(texts: list[str]) -> list[str]:
    return [t.upper() for t in texts]


def test_check_returns_findings_that_a_test_can_assert_on() -> None:
    findings = metaphrase.check(shaky, [SENTENCE, "", SENTENCE], source="en", target="es", methods=["purity"])
    (finding,) = findings
    assert finding.severity is Severity.MAJOR
    assert finding.segment.text == SENTENCE
    assert [span.quote for span in finding.spans] == ["FIGURES"]
    assert "FIGURES" in finding.reason
    assert findings.major == findings
    assert "⟦FIGURES⟧" in str(findings)
    assert metaphrase.check(steady, [SENTENCE], target="es") == []


def test_check_takes_the_settings_of_the_configuration_file() -> None:
    strict = metaphrase.check(shaky, [SENTENCE], target="es", relation={"use": "bag-of-words", "bag-of-words": {"d": 5}})
    assert strict == []
    with pytest.raises(ConfigurationError, match=r"check\(\): unknown key 'fail-no', did you mean 'fail-on'"):
        metaphrase.check(shaky, [SENTENCE], target="es", fail_no="x")
    with pytest.raises(UnknownNameError, match="did you mean 'purity'"):
        metaphrase.check(shaky, [SENTENCE], target="es", methods=["purty"])
    with pytest.raises(InputError, match="no sentence"):
        metaphrase.check(shaky, [], target="es")


@pytest.mark.apertium
def test_check_takes_the_name_of_a_system() -> None:
    findings = metaphrase.check("apertium:eng-spa", [SENTENCE], target="es")
    assert [span.quote for f in findings for span in f.spans] == ["cifras"]


def test_the_fixture_fails_a_test_with_a_readable_report(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"""
        SENTENCES = [{SENTENCE!r}]

        def shaky(texts):
            return [t.upper().replace("FIGURES", "IMAGINES") if t.endswith(".") else t.upper() for t in texts]

        def test_shaky(check_translations):
            check_translations(shaky, SENTENCES, target="es")

        def test_tolerated(check_translations):
            assert len(check_translations(shaky, SENTENCES, target="es", fail_on="never")) == 1

        def test_steady(check_translations):
            assert check_translations(lambda texts: [t.upper() for t in texts], SENTENCES, target="es") == []
    """)
    result = pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["*⟦FIGURES⟧*"])
    assert "Traceback" not in result.stdout.str()


def test_known_findings_do_not_fail_the_fixture(pytester: pytest.Pytester) -> None:
    findings = metaphrase.check(shaky, [SENTENCE], target="es")
    pytester.path.joinpath("known.jsonl").write_text(f'{{"id": "{findings[0].id}"}}\n', encoding="utf-8")
    pytester.makepyfile(f"""
        def shaky(texts):
            return [t.upper().replace("FIGURES", "IMAGINES") if t.endswith(".") else t.upper() for t in texts]

        def test_shaky(check_translations):
            check_translations(shaky, [{SENTENCE!r}], target="es", baseline="known.jsonl")
    """)
    pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.parametrize("module", ["metaphrase", "metaphrase.pytest_plugin"])
def test_importing_the_package_loads_nothing_heavy(module: str) -> None:
    """An allow-list: everything beside the standard library (and pytest, for the plugin) must be named here."""
    probe = f"""
import sys
{"import pytest" if module.endswith("pytest_plugin") else ""}
before = set(sys.modules)
import {module}
loaded = {{name.partition('.')[0] for name in set(sys.modules) - before}}
print(' '.join(sorted(loaded - sys.stdlib_module_names)))
"""
    said = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    assert set(said) <= ALLOWED


def test_the_command_line_shows_its_help_without_loading_models_or_web_frameworks() -> None:
    probe = """
import sys
sys.argv = ["metaphrase", "--help"]
from metaphrase.cli.main import run
try:
    run()
except SystemExit:
    pass
print("LOADED", *sorted(name.partition('.')[0] for name in sys.modules))
"""
    said = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
    loaded = set(said.split("LOADED", 1)[1].split())
    heavy = {
        "numpy",
        "jieba",
        "textblob",
        "nltk",
        "onnxruntime",
        "onnx",
        "simplemma",
        "pydantic",
        "httpx2",
        "sqlite3",
        "rapidfuzz",
        "starlette",
    }
    assert loaded & heavy == set()


def test_public_names_are_listed_and_unknown_ones_are_refused() -> None:
    assert {"check", "Finding", "Findings", "__version__"} <= set(dir(metaphrase))
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        metaphrase.chek  # noqa: B018
