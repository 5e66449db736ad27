"""metaphrase cache: the translations that campaigns share."""

from __future__ import annotations

from typing import Annotated

import typer

from metaphrase.cli import options as o

app = typer.Typer(help="Translations that campaigns share, so that nothing is paid for twice.", no_args_is_help=True)


@app.command("info")
def info(
    config: o.ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Show where the cache is, how big it is, and what it holds of which system."""
    import json
    from dataclasses import asdict
    from datetime import UTC, datetime

    from metaphrase.campaign.cache import Cache

    configuration = o.configure(config)
    with Cache(configuration.cache) as cache:
        report = cache.report()
    if as_json:
        typer.echo(json.dumps({**asdict(report), "path": str(report.path)}, ensure_ascii=False, indent=2))
        return
    limits = configuration.cache
    typer.echo(f"{report.path}")
    typer.echo(f"{report.entries} translations, {report.bytes / 1e6:.1f} MB of {limits.max_megabytes:g} MB, kept {limits.max_days:g} days")
    if report.oldest is not None:
        typer.echo(f"oldest: {datetime.fromtimestamp(report.oldest, UTC):%Y-%m-%d}")
    for signature, (count, characters) in report.systems.items():
        typer.echo(f"  {count:>8} texts, {characters:>10} characters  {signature}")


@app.command("clear")
def clear(
    system: Annotated[
        str | None, typer.Option("--system", help="Only this system: its kind, such as deepl, or its whole signature.")
    ] = None,
    older_than: Annotated[float | None, typer.Option("--older-than", help="Only what is older than so many days.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: o.ConfigFile = None,
) -> None:
    """Forget translations, all or some; they will be paid for again."""
    from metaphrase.campaign.cache import Cache

    with Cache(o.configure(config).cache) as cache:
        if not yes:
            typer.confirm(f"Forget translations in {cache.path}?", abort=True, err=True)
        typer.echo(f"{cache.clear(system=system, older_than_days=older_than)} translations forgotten")
