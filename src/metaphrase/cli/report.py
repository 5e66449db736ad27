"""metaphrase report: any report format from a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o


def report(
    store: Annotated[Path, typer.Argument(help="The campaign's store.")],
    output: o.Output = None,
    report_format: Annotated[str | None, typer.Option("--format", help="Report format; default: by extension.")] = None,
    verbose: o.Verbose = False,
) -> None:
    """Show or write the findings of the last run on a store."""
    from rich.console import Console

    from metaphrase.campaign.store import Store
    from metaphrase.reports.base import write_report
    from metaphrase.reports.terminal import show_findings

    with Store(store, read_only=True) as opened:
        if not output:
            show_findings(Console(), opened.findings(), minor=verbose)
        for path in output or []:
            write_report(opened, path, report_format)
