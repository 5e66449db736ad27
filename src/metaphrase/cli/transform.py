"""metaphrase transform: only propose cases."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def transform(
    sources: Annotated[list[Path], typer.Argument(help="Files with sentences; - is standard input.")],
    method: o.MethodNames = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Cases, JSON Lines.")] = Path("-"),
    source: o.From = None,
    to: o.To = None,
    profile: o.Profile = None,
    column: o.Column = None,
    encoding: o.Encoding = "utf-8",
    input_format: o.InputFormat = None,
    max_tokens: o.MaxTokens = None,
    skip_bad_lines: o.SkipBadLines = False,
    seed: o.Seed = None,
    config: o.ConfigFile = None,
) -> None:
    """Propose test cases for sentences; `translate` and `judge` take them further."""
    from metaphrase.campaign.plan import load_method, make_resources, make_transformation, method_names
    from metaphrase.campaign.runner import CHUNK
    from metaphrase.core.errors import InputError
    from metaphrase.core.values import Direction
    from metaphrase.files.cases import UNKNOWN, case_to_json, dumps
    from metaphrase.files.lines import open_output
    from metaphrase.files.segments import SegmentFormat, SegmentReader

    configuration = o.configure(
        config, **{"methods": method, "from": source, "to": to, "profile": profile, "seed": seed, "max-tokens": max_tokens}
    )
    direction = Direction(configuration.source, configuration.target or UNKNOWN)
    with make_resources(configuration) as resources, open_output(output) as stream:
        names = method_names(configuration, resources, direction, 1)
        ways = [make_transformation(load_method(name), resources, configuration, direction) for name in names]
        reader = SegmentReader(
            sources, direction.source, SegmentFormat(column, encoding, configuration.max_tokens, skip_bad_lines, input_format)
        )
        segments = iter(reader)
        cases = 0
        while chunk := list(islice(segments, CHUNK)):
            for way in ways:
                for case in way.propose(chunk, direction):
                    stream.write(dumps(case_to_json(case)) + "\n")
                    cases += 1
        left_out = reader.tally
        if not left_out.read:
            raise InputError("there is no sentence in the input; give a file with one sentence a line")
    typer.echo(
        f"{left_out.read} sentences, {cases} cases; left out: {left_out.empty} empty, {left_out.duplicate} duplicate, "
        f"{left_out.too_long} too long, {len(left_out.unreadable)} unreadable",
        err=True,
    )
