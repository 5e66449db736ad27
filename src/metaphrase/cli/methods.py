"""metaphrase methods: what is installed."""

from __future__ import annotations

from typing import Annotated

import typer

from metaphrase.cli import options as o


def methods(
    profile: o.Profile = None,
    config: o.ConfigFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """List methods, relations, systems, resources and report formats, with what each needs."""
    import json

    from metaphrase.campaign.plan import load_method, make_resources
    from metaphrase.core import registry
    from metaphrase.core.errors import MissingResourceError

    configuration = o.configure(config, profile=profile)
    listing: dict[str, dict[str, str]] = {"methods": {}, "relations": {}, "systems": {}, "resources": {}, "reports": {}}
    with make_resources(configuration) as resources:
        for name in registry.methods.names():
            method = load_method(name)
            missing = [role for role in method.needs if not resources.has(role)]
            needs = f"; needs {', '.join(method.needs)}" if method.needs else ""
            state = f"; not on '{resources.profile}': use --profile neural" if missing else ""
            listing["methods"][name] = f"{method.title} (judged by {method.default_relation('', resources.profile)}{needs}{state})"
        for name in registry.relations.names():
            try:
                listing["relations"][name] = str(registry.relations.load(name)(resources, {}).signature())
            except MissingResourceError as error:
                listing["relations"][name] = str(error)
    listing["systems"] = dict.fromkeys(registry.systems.names(), "")
    listing["resources"] = dict.fromkeys(registry.resources.names(), "")
    listing["reports"] = dict.fromkeys(registry.reports.names(), "")
    if as_json:
        typer.echo(json.dumps(listing, ensure_ascii=False, indent=2))
        return
    for kind, entries in listing.items():
        typer.echo(f"{kind}:")
        for name, text in entries.items():
            typer.echo(f"  {name:<24} {text}".rstrip())
