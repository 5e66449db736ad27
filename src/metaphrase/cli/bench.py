"""metaphrase bench: a paper's table, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def bench(
    name: Annotated[str, typer.Argument(help="Which benchmark; 'list' names them.")],
    data: Annotated[Path | None, typer.Option("--data", help="Folder (or file) with the labelled data.")] = None,
    profile: o.Profile = None,
    output: Annotated[list[Path] | None, typer.Option("-o", "--output", help="Write .json or .md; repeatable.")] = None,
    compat: Annotated[bool, typer.Option("--compat", help="Repeat the released figures, with the conventions behind them.")] = False,
    store: Annotated[Path | None, typer.Option("--store", help="Keep what slow parsers said in this store, for the next time.")] = None,
    config: o.ConfigFile = None,
) -> None:
    """Measure on labelled data, with an interval, next to the published figures."""
    from contextlib import ExitStack

    from metaphrase.campaign.plan import make_resources
    from metaphrase.campaign.store import Store
    from metaphrase.core import registry
    from metaphrase.core.errors import ConfigurationError
    from metaphrase.evaluation.base import Benchmark
    from metaphrase.evaluation.tables import write_result

    if name == "list":
        typer.echo("\n".join(registry.benchmarks.names()))
        return
    if compat and f"{name}-compat" not in registry.benchmarks:
        raise ConfigurationError(
            f"benchmark '{name}' has no --compat setting; one of these has: {_compatible(registry.benchmarks.names())}"
        )
    benchmark: Benchmark = registry.benchmarks.load(f"{name}-compat" if compat else name)
    if data is None:
        raise ConfigurationError("where is the labelled data? Give --data DIR")
    configuration = o.configure(config, profile=profile)
    with ExitStack() as stack:
        resources = stack.enter_context(make_resources(configuration))
        if store is not None:
            resources.memory = stack.enter_context(Store(store))
        result = benchmark(data, resources, configuration)
    typer.echo(result.markdown())
    for path in output or []:
        write_result(result, path)


def _compatible(names: list[str]) -> str:
    return ", ".join(name.removesuffix("-compat") for name in names if name.endswith("-compat"))
