"""metaphrase judge: judge cases that are already translated."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaphrase.cli import options as o

if TYPE_CHECKING:
    from metaphrase.core.values import Case

# Relations may learn from the batch they see; this many cases make a good one.
BATCH = 1_000


def judge(
    cases: Annotated[Path, typer.Argument(help="Translated cases, JSON Lines; - is standard input.")],
    relation: o.RelationName = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Verdicts, JSON Lines.")] = Path("-"),
    source: o.From = None,
    to: o.To = None,
    profile: o.Profile = None,
    skip_bad_lines: o.SkipBadLines = False,
    config: o.ConfigFile = None,
) -> None:
    """Judge translated cases: logs, labelled data, or what `translate` wrote."""
    from collections import Counter

    from metaphrase.campaign.judging import judge as judge_batch
    from metaphrase.campaign.plan import expected, make_relation, make_resources, relation_for
    from metaphrase.core.values import Direction
    from metaphrase.files.cases import dumps, read_cases, verdict_to_json
    from metaphrase.files.lines import open_output
    from metaphrase.relations.base import Relation

    configuration = o.configure(config, **{"relation": relation, "from": source, "to": to, "profile": profile})
    direction = Direction(configuration.source, configuration.target) if configuration.target else None
    bad: list[str] = []
    keep = (lambda error: bad.append(str(error))) if skip_bad_lines else None
    counts: Counter[str] = Counter()
    made: dict[tuple[str, str], Relation] = {}
    with make_resources(configuration) as resources, open_output(output) as stream:
        rows = (expected(case) for case in read_cases(cases, direction=direction, bad_line=keep))
        while batch := list(islice(rows, BATCH)):
            groups: dict[tuple[str, str], list[Case]] = {}
            for case in batch:
                groups.setdefault((configuration.relation or relation_for(case, configuration.profile), case.transformation), []).append(
                    case
                )
            verdicts = {}
            for key, some in groups.items():
                if key not in made:
                    made[key] = make_relation(key[0], resources, configuration, transformation=key[1])
                verdicts.update({id(c): v for c, v in zip(some, judge_batch(made[key], some), strict=True)})
            for case in batch:
                counts[str(verdicts[id(case)].outcome)] += 1
                stream.write(dumps(verdict_to_json(verdicts[id(case)])) + "\n")
    typer.echo(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())) or "no cases", err=True)
    for problem in bad:
        typer.echo(f"left out: {problem}", err=True)
