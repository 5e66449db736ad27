"""Options that several commands share, and what they turn into."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from metaphrase.campaign.config import Configuration
    from metaphrase.core.values import Direction

__all__ = [
    "BackSystem", "Baseline", "Budget", "Column", "ConfigFile", "Encoding", "FailOn", "From", "InputFormat", "Jobs", "MaxCharacters", "MaxTokens", "MethodNames", "NoCache", "NoProgress", "Output", "Profile",
    "Quiet", "Refresh", "RelationName", "Seed", "SkipBadLines", "StoreFile", "SystemNames", "To", "Verbose", "configure", "direction_of", "wants_progress",
]  # fmt: skip

From = Annotated[str | None, typer.Option("--from", help="Language of the sentences, such as en.")]
To = Annotated[str | None, typer.Option("--to", help="Language to translate into, such as es.")]
Profile = Annotated[str | None, typer.Option("--profile", help="lite (embedded) or neural (models).")]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="metaphrase.toml; default: here or in a folder above.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of everything random.")]
SystemNames = Annotated[list[str] | None, typer.Option("--system", help="System under test: NAME or NAME:ARGUMENT; repeatable.")]
BackSystem = Annotated[
    str | None, typer.Option("--back-system", help="System for the way back of round trips; default: the one under test.")
]
MethodNames = Annotated[list[str] | None, typer.Option("--method", help="How test cases are made; repeatable, or all.")]
RelationName = Annotated[str | None, typer.Option("--relation", help="Judge with this relation.")]
Output = Annotated[
    list[Path] | None, typer.Option("-o", "--output", help="Write here; format by extension; repeatable; - is standard output.")
]
StoreFile = Annotated[Path | None, typer.Option("--store", help="The campaign's store.")]
FailOn = Annotated[str | None, typer.Option("--fail-on", help="Exit with 1 on findings that are major, minor or worse, or never.")]
Baseline = Annotated[Path | None, typer.Option("--baseline", help="JSON Lines of known findings, which do not fail the gate.")]
Column = Annotated[str | None, typer.Option("--column", help="CSV column or JSON key that holds the sentences.")]
Encoding = Annotated[str, typer.Option("--encoding", help="Encoding of the input.")]
InputFormat = Annotated[str | None, typer.Option("--format", help="text, csv, tsv, jsonl, xliff, tmx or po; default: by extension.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="Leave out longer sentences.")]
SkipBadLines = Annotated[bool, typer.Option("--skip-bad-lines", help="Leave out lines that cannot be read.")]
Jobs = Annotated[int | None, typer.Option("-j", "--jobs", help="Requests in flight for each system that takes several at once.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Do not use the translations that campaigns share.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask again for what is known; the answers replace it.")]
Budget = Annotated[float | None, typer.Option("--budget", help="Stop before the run costs more, in the systems' currency.")]
MaxCharacters = Annotated[int | None, typer.Option("--max-characters", help="Stop before the run sends more characters.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="No progress bar.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Only findings and errors.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Also minor findings in full, and signatures.")]


def configure(config: Path | None, **given: Any) -> Configuration:
    """The configuration file with the command line's values over it."""
    from metaphrase.campaign.config import find_configuration, load_configuration

    said = {name: value for name, value in given.items() if value is not None and value != []}
    return load_configuration(config or find_configuration(Path.cwd()), said)


def direction_of(configuration: Configuration) -> Direction:
    from metaphrase.core.errors import ConfigurationError
    from metaphrase.core.values import Direction
    from metaphrase.text.languages import language

    if configuration.target is None:
        raise ConfigurationError("into which language? Give --to, for instance --to es")
    source, target = language(configuration.source), language(configuration.target)
    if source.code == target.code:
        raise ConfigurationError(f"--from and --to are both '{source.code}'")
    return Direction(source.code, target.code)


def wants_progress(no_progress: bool, quiet: bool) -> bool:
    return not no_progress and not quiet and sys.stderr.isatty()
