"""metaphrase formalize: sentences to regular expressions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaphrase.cli import options as o

if TYPE_CHECKING:
    from metaphrase.files.lines import BadLine


def formalize(
    sentences: Annotated[Path, typer.Argument(help="Sentences: JSON Lines with id and sentence, or text; - is standard input.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Meanings, JSON Lines: id, regex, parsed.")] = Path("-"),
    source: o.From = None,
    skip_bad_lines: o.SkipBadLines = False,
    config: o.ConfigFile = None,
) -> None:
    """Write what sentences about quantities and logic mean, and how each was read: whole, partly or not."""
    from collections import Counter

    from metaphrase.core.errors import ConfigurationError
    from metaphrase.files.cases import dumps
    from metaphrase.files.lines import open_output
    from metaphrase.text.meaning import lexicon as lexicons
    from metaphrase.text.meaning.formalizer import Formalizer
    from metaphrase.text.meaning.grammar import load_ranking

    configuration = o.configure(config, **{"from": source})
    own = configuration.relation_options.get("semmt", {}).get("lexicon", {})
    try:
        known = lexicons.extended(configuration.source, own)
    except lexicons.LexiconError as error:
        raise ConfigurationError(f"[relation.semmt.lexicon]: {error}") from None
    if known is None:
        raise ConfigurationError(f"there is no lexicon for '{configuration.source}'; there is one for: {', '.join(lexicons.languages())}")
    formalizer = Formalizer(known, load_ranking(configuration.source))
    counts: Counter[str] = Counter()
    bad: list[str] = []
    keep = (lambda error: bad.append(str(error))) if skip_bad_lines else None
    with open_output(output) as stream:
        for identity, text in _sentences(sentences, keep):
            meaning = formalizer.read(text)
            counts[meaning.how] += 1
            row = {"id": identity, "regex": meaning.regex, "parsed": meaning.how, "confidence": round(meaning.confidence, 3)}
            stream.write(dumps({**row, "why": meaning.why} if meaning.why else row) + "\n")
    typer.echo(", ".join(f"{n} {how}" for how, n in sorted(counts.items())) or "no sentences", err=True)
    for problem in bad:
        typer.echo(f"left out: {problem}", err=True)


def _sentences(path: Path, bad_line: BadLine | None) -> Iterator[tuple[str, str]]:
    """Every row of the input, repeated and empty ones too: what goes in comes out."""
    from metaphrase.core.errors import InputError
    from metaphrase.files.lines import read_json_lines, read_lines

    if path.suffix.lower() != ".jsonl" and str(path) != "-":
        yield from ((f"{path.name}:{line.number}", line.text) for line in read_lines(path, bad_line=bad_line))
        return
    for row in read_json_lines(path, bad_line=bad_line):
        key = next((name for name in ("sentence", "text", "source") if isinstance(row.value.get(name), str)), None)
        if key is None:
            problem = InputError(f"{path}:{row.number}: no 'sentence' in it; found: {', '.join(row.value)}")
            if bad_line is None:
                raise problem
            bad_line(problem)
        else:
            yield str(row.value.get("id", row.number)), row.value[key]
