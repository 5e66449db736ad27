"""metaphrase.toml: choices and options, environment variables, nearest matches, and the published schema."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conftest import CommandLine
from metaphrase.campaign.config import find_configuration, load_configuration
from metaphrase.campaign.schema import configuration_schema
from metaphrase.core.errors import ConfigurationError

ROOT = Path(__file__).parents[1]
EVERYTHING = """
from = "en"
to = "es"
systems = ["apertium:eng-spa", "house"]
methods = ["purity"]
fail-on = "minor"
max-tokens = 100

[relation]
use = "bag-of-words"

[relation.bag-of-words]
units = "words"
d = 2

[relation.lcs]
threshold = 0.9

[profile]
use = "neural"

[profile.neural]
parser = "lite"

[method.purity]
max-words = 8

[system.house]
type = "command"
program = "our-engine --to {target}"
timeout = 5
"""


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    return tmp_path / "metaphrase.toml"


def test_a_file_chooses_a_relation_and_a_profile_beside_their_options(toml: Path) -> None:
    toml.write_text(EVERYTHING, encoding="utf-8")
    configuration = load_configuration(toml)
    assert (configuration.relation, configuration.profile) == ("bag-of-words", "neural")
    assert configuration.relation_options["bag-of-words"] == {"units": "words", "d": 2}
    assert configuration.profile_options["neural"] == {"parser": "lite"}


def test_a_choice_alone_may_be_written_short(toml: Path) -> None:
    toml.write_text('relation = "lcs"\nprofile = "neural"\n', encoding="utf-8")
    configuration = load_configuration(toml)
    assert (configuration.relation, configuration.profile) == ("lcs", "neural")


def test_the_command_line_goes_over_the_file_and_keeps_its_options(toml: Path) -> None:
    toml.write_text(EVERYTHING, encoding="utf-8")
    configuration = load_configuration(toml, {"relation": "lcs", "to": "fr"})
    assert (configuration.relation, configuration.target) == ("lcs", "fr")
    assert configuration.relation_options["lcs"] == {"threshold": 0.9}
    assert configuration.max_tokens == 100


def test_without_a_file_there_are_defaults() -> None:
    configuration = load_configuration(None)
    assert (configuration.source, configuration.methods, configuration.profile, configuration.fail_on) == (
        "en",
        ["purity"],
        "lite",
        "major",
    )


def test_the_file_is_found_in_a_folder_above(toml: Path) -> None:
    toml.write_text("", encoding="utf-8")
    deep = toml.parent / "a" / "b"
    deep.mkdir(parents=True)
    assert find_configuration(deep) == toml


def test_values_may_name_environment_variables(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml.write_text('store = "${CAMPAIGNS}/one.db"\nbaseline = "plain.jsonl"\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"store uses .*CAMPAIGNS.* set it"):
        load_configuration(toml)
    monkeypatch.setenv("CAMPAIGNS", "/data")
    assert load_configuration(toml).store == "/data/one.db"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('sistems = ["a"]', "unknown key 'sistems', did you mean 'systems'"),
        ('fail_no = "major"', "unknown key 'fail-no', did you mean 'fail-on'"),
        ('fail-on = "sometimes"', "fail-on = 'sometimes'"),
        ("max-tokens = 0", "max-tokens = 0"),
        ("[relation.bag-of-word]\nd = 1", r"\[relation.bag-of-word\]: unknown relation 'bag-of-word': did you mean 'bag-of-words'"),
        ("[relation.bag-of-words]\nunit = 1", r"\[relation.bag-of-words\]: unknown key 'unit', did you mean 'units'"),
        ("[relation]\nuse = 'lcs'\nlcs = 3", "'lcs' is not a table; a name is chosen with 'use'"),
        ("[method.purity]\nmax-word = 3", r"\[method.purity\]: unknown key 'max-word', did you mean 'max-words'"),
        ("[system.mine]\ntype = 'comand'", r"\[system.mine\] type: unknown system 'comand': did you mean 'command'"),
        ("[system.command]\nprogramm = 'x'", r"\[system.command\]: unknown key 'programm', did you mean 'program'"),
        ("[profile.neurol]\nparser = 'lite'", r"\[profile.neurol\]: unknown profile"),
        ("[profile.neural]\nparse = 'lite'", "unknown key 'parse', did you mean 'parser'"),
        ("[resource.alinger]\nx = 1", "did you mean 'aligner'"),
        ("to = ", "not TOML"),
    ],
)
def test_mistakes_name_the_file_the_section_the_key_and_the_nearest_match(toml: Path, text: str, said: str) -> None:
    toml.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said) as caught:
        load_configuration(toml)
    assert str(toml) in str(caught.value)


def test_options_reach_the_relation(metaphrase: CommandLine, toml: Path) -> None:
    case = {"id": "1", "direction": "en-es", "source": "The old cat sleeps.", "followup": "The old cat"}
    case |= {"source_translation": "El gato viejo duerme.", "followup_translation": "Un perro viejo"}
    Path("cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    toml.write_text("[relation.bag-of-words]\nd = 0\n", encoding="utf-8")
    assert "1 violated" in metaphrase("judge", "cases.jsonl", "--relation", "bag-of-words", "-o", "v.jsonl").err
    toml.write_text("[relation.bag-of-words]\nd = 1\n", encoding="utf-8")
    assert "1 holds" in metaphrase("judge", "cases.jsonl", "--relation", "bag-of-words", "-o", "v.jsonl").err


def test_the_published_schema_is_the_one_of_this_version() -> None:
    published = json.loads((ROOT / "docs" / "metaphrase.schema.json").read_text(encoding="utf-8"))
    assert published == configuration_schema(), "options have changed: write the schema anew with 'make schema'"


def test_the_schema_accepts_what_we_accept_and_refuses_what_we_refuse() -> None:
    schema = configuration_schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    validator.validate(tomllib.loads(EVERYTHING))
    validator.validate(tomllib.loads('relation = "lcs"'))
    for wrong in (
        'sistems = ["a"]',
        "[relation.bag-of-words]\nunit = 1",
        "[system.mine]\nprogram = 'x'",
        "[profile.neural]\nparse = 'lite'",
    ):
        assert not validator.is_valid(tomllib.loads(wrong)), wrong
