"""Fetch CoreNLP and its models through Maven, or use a folder of jars that the user has."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from metaphrase.core.errors import InputError, MissingResourceError, UnknownNameError
from metaphrase.resources.model_folder import model_folder

__all__ = ["LANGUAGES", "VERSION", "Installation", "LanguageModel", "corenlp_manifest", "find_corenlp", "get_corenlp"]

VERSION = "4.5.10"
_MAIN = "edu.stanford.nlp:stanford-corenlp"


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """What CoreNLP calls a language's models and properties; `heap_gigabytes` is what parsing needs."""

    classifier: str
    properties: str
    megabytes: int
    heap_gigabytes: int = 3


LANGUAGES = {
    "en": LanguageModel("models", "", 474, heap_gigabytes=2),
    "zh": LanguageModel("models-chinese", "StanfordCoreNLP-chinese.properties", 1_582),
    "es": LanguageModel("models-spanish", "StanfordCoreNLP-spanish.properties", 222),
}


@dataclass(frozen=True, slots=True)
class Installation:
    """The jars that serve one language, with their sizes: a jar that changed is not trusted."""

    language: str
    version: str
    licence: str
    source: str
    jars: dict[str, int]

    def classpath(self) -> list[str]:
        for name, size in self.jars.items():
            path = Path(name)
            if not path.is_file() or path.stat().st_size != size:
                raise InputError(f"{path}: not the jar that was fetched (missing or changed); run: {_command(self.language)}")
        return list(self.jars)


def find_corenlp(language: str) -> Installation:
    """The installation for a language; fails with the command that fetches it."""
    _known(language)
    path = corenlp_manifest(language)
    if not path.is_file():
        raise MissingResourceError(f"CoreNLP for '{language}' is not installed: run: {_command(language)}")
    try:
        return Installation(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: not a readable manifest ({error}); delete it and run: {_command(language)}") from error


def get_corenlp(language: str, *, source: str = "auto", progress: Callable[[str, int, int], None]) -> Path:
    """Have Maven fetch the jars (they stay in Maven's own repository), or take a folder of jars; the manifest's path."""
    model = _known(language)
    path = corenlp_manifest(language)
    if source in ("auto", "maven"):
        progress(f"fetching CoreNLP {VERSION} with {model.megabytes} MB of models through Maven", 0, 0)
        jars, origin = _through_maven(model), f"Maven {_MAIN}:{VERSION}"
    else:
        folder = Path(source).expanduser()
        jars, origin = sorted(folder.glob("*.jar")), f"folder {folder}"
        if not any(jar.name.endswith(f"-{model.classifier}.jar") for jar in jars):
            raise InputError(f"{folder}: no stanford-corenlp-*-{model.classifier}.jar in it")
    installation = Installation(language, VERSION, "GPL-3.0-or-later", origin, {str(jar): jar.stat().st_size for jar in jars})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(installation), indent=2) + "\n", encoding="utf-8")
    return path


def _known(language: str) -> LanguageModel:
    if language not in LANGUAGES:
        raise UnknownNameError("CoreNLP language", language, LANGUAGES)
    return LANGUAGES[language]


def corenlp_manifest(language: str) -> Path:
    """Where the installation for a language is described."""
    return model_folder() / "corenlp" / f"{VERSION}-{language}.json"


def _command(language: str) -> str:
    return "metaphrase models get corenlp" + ("" if language == "en" else f" --language {language}")


def _through_maven(model: LanguageModel) -> list[Path]:
    program = shutil.which("mvn")
    if program is None:
        raise MissingResourceError(
            "Maven ('mvn') is not installed: install it, or give a folder with CoreNLP's jars (--from FOLDER), "
            "or name a running server in metaphrase.toml: [resource.parser] url = 'http://...'"
        )
    with tempfile.TemporaryDirectory(prefix="metaphrase-corenlp-") as name:
        work = Path(name)
        # A project of our own, because only a project's class path lists what CoreNLP itself depends on.
        (work / "pom.xml").write_text(_project(model.classifier), encoding="utf-8")
        listing = work / "classpath.txt"
        command = [
            program,
            "--batch-mode",
            "--quiet",
            "dependency:build-classpath",
            f"-Dmdep.outputFile={listing}",
            "-Dmdep.pathSeparator=|",
        ]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0 or not listing.is_file():
            problems = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
            raise MissingResourceError(f"Maven could not fetch CoreNLP: {problems[0] if problems else done.stderr.strip()[:300]}")
        return [Path(jar) for jar in listing.read_text(encoding="utf-8").strip().split("|")]


def _project(classifier: str) -> str:
    group, artifact = _MAIN.split(":")

    def dependency(extra: str = "") -> str:
        return f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{VERSION}</version>{extra}</dependency>"

    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>metaphrase</groupId><artifactId>corenlp</artifactId><version>1</version>"
        f"<dependencies>{dependency()}{dependency(f'<classifier>{classifier}</classifier>')}</dependencies></project>\n"
    )
