"""metaphrase repair: propose and prove better translations."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaphrase.cli import options as o

if TYPE_CHECKING:
    from rich.console import Console

    from metaphrase.campaign.config import Configuration
    from metaphrase.campaign.repair_work import Work
    from metaphrase.campaign.repairing import Repairs
    from metaphrase.campaign.store import Store
    from metaphrase.resources.profiles import Resources
    from metaphrase.systems.base import System


def repair(
    what: Annotated[Path, typer.Argument(metavar="STORE|CASES", help="A campaign's store, or translated cases as JSON Lines.")],
    output: Annotated[
        list[Path] | None, typer.Option("-o", "--output", help="Write .jsonl (all rows), .tmx or .csv (accepted pairs); repeatable.")
    ] = None,
    system: o.SystemNames = None,
    source: o.From = None,
    to: o.To = None,
    relation: o.RelationName = None,
    profile: o.Profile = None,
    store: o.StoreFile = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show how many translations would be asked for; send nothing.")] = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    budget: o.Budget = None,
    max_characters: o.MaxCharacters = None,
    seed: o.Seed = None,
    config: o.ConfigFile = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> None:
    """Propose better translations for what a run found, and prove that they pass."""
    from rich.console import Console

    from metaphrase.campaign.plan import make_resources, open_back_system, open_sending, open_systems
    from metaphrase.campaign.repair_work import from_store
    from metaphrase.campaign.repairing import Repairs
    from metaphrase.campaign.store import Store
    from metaphrase.reports.repairs import check_format

    given: dict[str, object] = {
        "systems": system, "from": source, "to": to, "relation": relation, "profile": profile, "jobs": jobs, "budget": budget,
        "max-characters": max_characters, "seed": seed, "store": str(store) if store else None,
    }  # fmt: skip
    configuration = o.configure(config, **given)
    outputs = output or []
    for path in outputs:
        check_format(path)
    console = Console()
    with make_resources(configuration) as resources, contextlib.ExitStack() as stack:

        def opened(names: list[str]) -> dict[str, System]:
            systems = open_systems(names, configuration)
            for one in systems:
                stack.callback(one.close)
            return {one.name: one for one in systems}

        if is_store(what):
            place = stack.enter_context(Store(what))
            resources.memory = place
            work = from_store(place, resources, configuration)
            systems = opened(list(dict.fromkeys([*work.systems, *configuration.systems])))
        else:
            systems = opened(configuration.systems)
            work = _read_cases(what, configuration, resources)
            place = stack.enter_context(Store(Path(configuration.store) if configuration.store else _store_beside(what)))
            resources.memory = place
        back = open_back_system(list(systems.values()), configuration)
        everyone = [*systems.values(), *([back] if back is not None and back.name not in systems else [])]
        sending = stack.enter_context(open_sending(everyone, configuration, use_cache=not no_cache))
        run = Repairs(work, systems, resources, configuration, place, sending, back)
        repair_all(run, place, console, outputs=outputs, dry_run=dry_run, quiet=quiet, verbose=verbose)


def repair_all(
    run: Repairs,
    store: Store,
    console: Console,
    *,
    outputs: list[Path],
    dry_run: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Say what will be asked for, repair, show and write."""
    from metaphrase.core.errors import SystemFailedError
    from metaphrase.reports.repairs import plan_line, repair_lines, show_repairs, write_repairs

    planned = run.plan()
    to_file = "-" in map(str, outputs)
    if dry_run or not (quiet or to_file):
        typer.echo(plan_line(planned), err=not dry_run)
    if dry_run:
        return
    try:
        rows = list(run.run())
    except SystemFailedError as error:
        raise type(error)(f"{error}\nwhat was translated is kept in {store.path}; run the same command again to go on") from None
    store.set_fact("repairs", [row.to_json() for row in rows])
    if not to_file:
        show_repairs(console, rows, refused=verbose, limit=None if verbose else 50)
        if not quiet:
            for line in repair_lines(run.summary):
                console.print(line)
    for path in outputs:
        write_repairs(rows, path)


def is_store(path: Path) -> bool:
    """Whether a file is SQLite; everything else is read as JSON Lines."""
    from metaphrase.core.errors import InputError

    if str(path) == "-":
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(15) == b"SQLite format 3"
    except OSError as error:
        raise InputError(
            f"{path}: cannot read it: {error.strerror}; give a store that 'metaphrase test' wrote, or translated cases"
        ) from None


def _read_cases(path: Path, configuration: Configuration, resources: Resources) -> Work:
    from metaphrase.campaign.plan import expected
    from metaphrase.campaign.repair_work import from_cases
    from metaphrase.core.values import Direction
    from metaphrase.files.cases import read_cases

    direction = Direction(configuration.source, configuration.target) if configuration.target else None
    name = configuration.systems[0] if configuration.systems else ""
    return from_cases((expected(c) for c in read_cases(path, direction=direction)), name, resources, configuration)


def _store_beside(path: Path) -> Path:
    from metaphrase.cli.test import default_store

    return default_store(path)
