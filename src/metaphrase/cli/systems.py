"""metaphrase systems: what can be tested, what it costs, and whether it answers."""

from __future__ import annotations

from typing import Annotated

import typer

from metaphrase.cli import options as o

app = typer.Typer(help="MT systems: which there are, what they cost, whether they answer.", no_args_is_help=True)

PROBE = "Hello."


@app.command("list")
def list_systems() -> None:
    """List the kinds of systems, with the environment variables of their keys and their prices."""
    from metaphrase.core import registry
    from metaphrase.core.errors import MetaphraseError
    from metaphrase.systems.http import HttpSystem
    from metaphrase.systems.prices import listed_price

    for name in registry.systems.names():
        facts = []
        try:
            system = registry.systems.load(name)(name, "MODEL" if name == "openai" else "", {})
            if isinstance(system, HttpSystem):
                facts.append(f"keys: {', '.join(' or '.join(names) for names in system.wire.keys)}" if system.wire.keys else "no key")
            system.close()
        except MetaphraseError:
            pass  # kinds that need an argument or a package say so when they are used
        price = listed_price(name)
        if price is not None and not price.free:
            facts.append(str(price))
        typer.echo(f"{name:<16} {'; '.join(facts)}".rstrip())


@app.command("check")
def check(
    name: Annotated[str, typer.Argument(help="The system: NAME or NAME:ARGUMENT.")],
    source: o.From = None,
    to: o.To = None,
    config: o.ConfigFile = None,
) -> None:
    """Translate one word and say what works. Costs a few characters."""
    from metaphrase.core.errors import MetaphraseError, SystemFailedError
    from metaphrase.systems import open_system
    from metaphrase.systems.base import Guarded, Metered

    configuration = o.configure(config, **{"from": source, "to": to})
    direction = o.direction_of(configuration)
    system = open_system(name, configuration.system)
    try:
        typer.echo(f"signature  {system.signature()}")
        if isinstance(system, Guarded):
            system.unlock()
            typer.echo("key        found" if getattr(getattr(system, "wire", None), "keys", ()) else "key        none needed")
            system.check(direction)
            typer.echo(f"languages  {direction} is there")
        if isinstance(system, Metered):
            typer.echo(f"price      {system.price or 'not known: set price in its [system] table'}")
        try:
            (answer,) = system.translate([PROBE], direction)
        except MetaphraseError as error:
            raise SystemFailedError(f"{name} does not answer: {error}") from None
        if not answer.ok:
            raise SystemFailedError(f"{name} answers, but does not translate '{PROBE}': {answer.failure}")
        typer.echo(f"answers    '{PROBE}' is '{answer.text}'")
    finally:
        system.close()
