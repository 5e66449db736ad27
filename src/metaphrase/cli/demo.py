"""metaphrase demo: a whole run on bundled sentences and a recorded real engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def demo(
    live: Annotated[bool, typer.Option("--live", help="Ask the real engine (Apertium must be installed).")] = False,
    no_progress: o.NoProgress = False,
    verbose: o.Verbose = False,
) -> None:
    """Show a whole run, offline: English sentences, recorded translations of Apertium, the errors found."""
    import tempfile
    from importlib.resources import as_file, files

    from rich.console import Console

    from metaphrase.campaign.config import Configuration
    from metaphrase.cli.test import Display, run_campaign
    from metaphrase.files.segments import SegmentReader

    data = files("metaphrase.demo")
    with (
        as_file(data / "sentences.txt") as sentences,
        as_file(data / "apertium.jsonl") as recording,
        tempfile.TemporaryDirectory() as folder,
    ):
        name = "apertium:eng-spa" if live else "apertium, recorded"
        configuration = Configuration.model_validate(
            {
                "from": "en",
                "to": "es",
                "systems": [name],
                "system": {} if live else {name: {"type": "recorded", "file": str(recording)}},
            }
        )
        reader = SegmentReader([sentences], "en")
        display = Display(progress=o.wants_progress(no_progress, False), verbose=verbose)
        run_campaign(reader, configuration, Path(folder) / "demo.db", display)
    console = Console()
    console.print()
    console.print(
        "The words in brackets are where the engine contradicts itself: alone, a phrase means one thing, in its sentence another."
    )
    console.print()
    console.print("Next: test a system of yours on sentences of yours, one a line:", style="bold")
    console.print("  metaphrase test sentences.txt --system 'command:PROGRAM ARGS' --from en --to es", markup=False)
    console.print("  metaphrase test sentences.txt --system apertium:eng-spa --from en --to es -o findings.jsonl", markup=False)
    console.print("  metaphrase methods", markup=False)
