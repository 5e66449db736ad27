"""metaphrase calibrate: learn thresholds and weights from labelled cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def calibrate(
    relation: Annotated[str, typer.Argument(help="What to calibrate; 'list' names all.")],
    data: Annotated[Path | None, typer.Option("--data", help="Folder with the labelled data.")] = None,
    profile: o.Profile = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the weights files.")] = Path("weights"),
    config: o.ConfigFile = None,
) -> None:
    """Learn from labelled cases, cross-validated by source sentence, and write weights with their provenance."""
    from metaphrase.campaign.plan import make_resources
    from metaphrase.core import registry
    from metaphrase.core.errors import ConfigurationError
    from metaphrase.evaluation.base import Calibration
    from metaphrase.files.lines import open_output

    if relation == "list":
        typer.echo("\n".join(registry.calibrations.names()))
        return
    learn: Calibration = registry.calibrations.load(relation)
    if data is None:
        raise ConfigurationError("where is the labelled data? Give --data DIR")
    configuration = o.configure(config, profile=profile)
    with make_resources(configuration) as resources:
        learnt = learn(data, resources, configuration)
    typer.echo(learnt.result.markdown())
    for name, weights in learnt.weights.items():
        path = output / f"{name}.json"
        with open_output(path) as stream:
            json.dump({"provenance": weights.provenance, "values": weights.values}, stream, ensure_ascii=False, indent=1)
            stream.write("\n")
        typer.echo(f"wrote {path}")
