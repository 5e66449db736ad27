"""metaphrase align: word alignment of translated sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def align(
    bitext: Annotated[
        Path,
        typer.Argument(help="Sentence pairs, JSON Lines: id, source and target, or source_tokens and target_tokens; - is standard input."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Links: JSON Lines, or Pharaoh for a name that ends in .pharaoh or .txt.")
    ] = Path("-"),
    pharaoh: Annotated[bool, typer.Option("--pharaoh", help="Write Pharaoh lines ('0-0 1-2') whatever the name.")] = False,
    glossary: Annotated[Path | None, typer.Option("--glossary", help="Tab-separated terms of your own: source, target.")] = None,
    source: o.From = None,
    to: o.To = None,
    profile: o.Profile = None,
    skip_bad_lines: o.SkipBadLines = False,
    config: o.ConfigFile = None,
) -> None:
    """Link the words of each sentence to those of its translation; positions count from 0."""
    from metaphrase.core.errors import ConfigurationError
    from metaphrase.core.values import Direction
    from metaphrase.files.bitext import guess_direction, pharaoh_line, read_bitext
    from metaphrase.files.cases import dumps
    from metaphrase.files.lines import open_output
    from metaphrase.resources.profiles import Resources
    from metaphrase.resources.protocols import TokenPair
    from metaphrase.text.languages import language

    configuration = o.configure(config, **{"from": source, "to": to, "profile": profile})
    stated = o.direction_of(configuration) if configuration.target else None
    bad: list[str] = []
    rows = list(read_bitext(bitext, bad_line=(lambda error: bad.append(str(error))) if skip_bad_lines else None))
    if stated is None and any(row.direction is None for row in rows):
        stated = guess_direction(rows)
        if stated is None:
            raise ConfigurationError(f"{bitext}: the rows state no direction: name the languages with --from and --to")
        typer.echo(f"aligning {stated}, by the look of the text; say otherwise with --from and --to", err=True)
    groups: dict[Direction, list[int]] = {}
    for k, row in enumerate(rows):
        direction = row.direction or stated
        assert direction is not None
        groups.setdefault(direction, []).append(k)
    found: dict[int, list[tuple[int, int]]] = {}
    own = {"aligner": {**configuration.resource.get("aligner", {}), "glossary": str(glossary)}} if glossary else {}
    choices = configuration.profile_options.get(configuration.profile, {})
    with Resources(configuration.profile, choices=choices, options={**configuration.resource, **own}) as resources:
        for direction, positions in groups.items():
            aligner = resources.aligner(direction)
            pairs = [
                TokenPair(row.source_words(language(direction.source)), row.target_words(language(direction.target)))
                for row in (rows[k] for k in positions)
            ]
            for k, alignment in zip(positions, aligner.align(pairs), strict=True):
                found[k] = [(link.source, link.target) for link in alignment.links]
    with open_output(output) as stream:
        for k, row in enumerate(rows):
            if pharaoh or output.suffix in (".pharaoh", ".txt"):
                stream.write(pharaoh_line(found[k]) + "\n")
            else:
                stream.write(dumps({"id": row.id, "links": [list(link) for link in found[k]]}) + "\n")
    for problem in bad:
        typer.echo(f"left out: {problem}", err=True)
