"""metaphrase translate: only fill in translations."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def translate(
    cases: Annotated[Path, typer.Argument(help="Cases, JSON Lines; - is standard input.")],
    system: o.SystemNames = None,
    back_system: o.BackSystem = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Translated cases, JSON Lines.")] = Path("-"),
    source: o.From = None,
    to: o.To = None,
    store: o.StoreFile = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be sent and cost; send and write nothing.")] = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    refresh: o.Refresh = False,
    budget: o.Budget = None,
    max_characters: o.MaxCharacters = None,
    skip_bad_lines: o.SkipBadLines = False,
    config: o.ConfigFile = None,
) -> None:
    """Fill in the translations that cases still lack; what was translated before is taken from the store."""
    import os
    from dataclasses import replace

    from metaphrase.campaign.events import Summary
    from metaphrase.campaign.plan import open_back_system, open_sending, open_systems
    from metaphrase.campaign.runner import CHUNK, there_and_back
    from metaphrase.campaign.store import Store
    from metaphrase.campaign.translate import TranslateStage
    from metaphrase.cli.test import default_store
    from metaphrase.core.errors import ConfigurationError, SystemFailedError
    from metaphrase.core.values import Case, DifferentialCase, Direction, Request
    from metaphrase.files.cases import UNKNOWN, case_to_json, dumps, read_cases
    from metaphrase.files.lines import open_output
    from metaphrase.reports.terminal import bill_lines
    from metaphrase.systems import System

    given = {"systems": system, "back-system": back_system, "from": source, "to": to, "store": str(store) if store else None}
    configuration = o.configure(config, **given, **{"jobs": jobs, "budget": budget, "max-characters": max_characters})
    if not configuration.systems:
        raise ConfigurationError("which system? Give --system, for instance --system apertium:eng-spa")
    direction = Direction(configuration.source, configuration.target) if configuration.target else None
    bad: list[str] = []
    keep = (lambda error: bad.append(str(error))) if skip_bad_lines else None
    if str(cases) != "-":
        for _ in read_cases(cases, direction=direction, bad_line=keep):
            pass  # a file that cannot be read must stop us before anything is sent
    bad.clear()
    systems = open_systems(configuration.systems, configuration)
    back = open_back_system(systems, configuration) or systems[0]
    used = systems if back in systems else (*systems, back)
    single = there_and_back(systems[0], back)
    summary = Summary()
    store_path = Path(configuration.store) if configuration.store else default_store(cases)
    engines = {s.name: s for s in systems}

    def system_for(request: Request) -> System:
        return engines[request.engine] if request.engine else single(request)

    try:
        with (
            Store(store_path) as opened,
            open_sending(used, configuration, use_cache=not no_cache, refresh=refresh) as sending,
            open_output(Path(os.devnull) if dry_run else output) as stream,
        ):
            stage = TranslateStage(opened, summary, sending)
            rows = iter(read_cases(cases, direction=direction, bad_line=keep))
            while chunk := list(islice(rows, CHUNK)):
                ready: list[Case] = []
                for case in chunk:
                    if case.direction.target == UNKNOWN:
                        raise ConfigurationError(f"case '{case.id}' names no target language: give --to")
                    if isinstance(case, DifferentialCase):
                        case = replace(case, translations={**dict.fromkeys(engines), **case.translations})
                    ready.append(case)
                if dry_run:
                    stage.estimate(ready, system_for)
                    continue
                for _ in stage.fill(ready, system_for):
                    pass
                stream.writelines(dumps(case_to_json(case)) + "\n" for case in ready)
    except SystemFailedError as error:
        bills = "".join(f"\n{line}" for line in bill_lines(summary))
        raise type(error)(f"{error}{bills}\nwhat was translated is kept in {store_path}; run the same command again to go on") from None
    finally:
        for one in used:
            one.close()
    typer.echo(
        f"{'would send' if dry_run else 'sent'} {summary.sent_texts} texts ({summary.sent_characters} characters), {summary.reused_texts} already known",
        err=True,
    )
    for line in bill_lines(summary, estimate=dry_run):
        typer.echo(line, err=True)
    for failure in summary.failures:
        typer.echo(f"failed: {failure}", err=True)
    for problem in bad:
        typer.echo(f"left out: {problem}", err=True)
