"""metaphrase test: the main job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaphrase.cli import options as o

if TYPE_CHECKING:
    from metaphrase.campaign.campaign import Campaign
    from metaphrase.campaign.config import Configuration
    from metaphrase.campaign.events import Summary
    from metaphrase.core.values import Direction
    from metaphrase.files.segments import SegmentReader


def test(
    sources: Annotated[list[Path], typer.Argument(help="Files with sentences; - is standard input.")],
    system: o.SystemNames = None,
    back_system: o.BackSystem = None,
    source: o.From = None,
    to: o.To = None,
    method: o.MethodNames = None,
    relation: o.RelationName = None,
    profile: o.Profile = None,
    output: o.Output = None,
    store: o.StoreFile = None,
    fail_on: o.FailOn = None,
    baseline: o.Baseline = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be sent; send nothing.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Also propose and prove better translations for what was found.")] = False,
    jobs: o.Jobs = None,
    no_cache: o.NoCache = False,
    refresh: o.Refresh = False,
    budget: o.Budget = None,
    max_characters: o.MaxCharacters = None,
    column: o.Column = None,
    encoding: o.Encoding = "utf-8",
    input_format: o.InputFormat = None,
    max_tokens: o.MaxTokens = None,
    skip_bad_lines: o.SkipBadLines = False,
    seed: o.Seed = None,
    config: o.ConfigFile = None,
    no_progress: o.NoProgress = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> None:
    """Make test cases from sentences, translate, judge, and show the errors found."""
    from metaphrase.files.segments import SegmentFormat, SegmentReader

    given: dict[str, object] = {
        "back-system": back_system,
        "systems": system,
        "from": source,
        "to": to,
        "methods": method,
        "relation": relation,
        "profile": profile,
        "seed": seed,
    }
    given |= {
        "store": str(store) if store else None,
        "fail-on": fail_on,
        "baseline": str(baseline) if baseline else None,
        "max-tokens": max_tokens,
        "jobs": jobs,
        "budget": budget,
        "max-characters": max_characters,
    }
    configuration = o.configure(config, **given)
    form = SegmentFormat(column, encoding, configuration.max_tokens, skip_bad_lines, input_format)
    reader = SegmentReader(sources, o.direction_of(configuration).source, form)
    display = Display(output or [], o.wants_progress(no_progress, quiet), quiet, verbose)
    store_path = Path(configuration.store) if configuration.store else default_store(sources[0])
    run = dry_run_campaign if dry_run else run_campaign
    raise typer.Exit(run(reader, configuration, store_path, display, repair=repair, use_cache=not no_cache, refresh=refresh))


@dataclass(frozen=True, slots=True)
class Display:
    """What the user wants to see, and where."""

    outputs: Sequence[Path] = ()
    progress: bool = False
    quiet: bool = False
    verbose: bool = False


def run_campaign(
    reader: SegmentReader,
    configuration: Configuration,
    store_path: Path,
    display: Display,
    *,
    repair: bool = False,
    use_cache: bool = True,
    refresh: bool = False,
) -> int:
    """Run, report, and return the exit code."""
    from metaphrase.campaign.campaign import open_campaign
    from metaphrase.cli.progress import follow
    from metaphrase.core.errors import SystemFailedError
    from metaphrase.reports.base import format_of
    from metaphrase.reports.terminal import bill_lines

    for path in display.outputs:
        if str(path) != "-":
            format_of(path)
    direction, total = _before(reader, configuration)
    with open_campaign(reader, direction, configuration, store_path, use_cache=use_cache, refresh=refresh) as campaign:
        summary = campaign.runner.summary
        try:
            follow(campaign.runner.run(), progress=display.progress, total=total)
        except SystemFailedError as error:
            bills = "".join(f"\n{line}" for line in bill_lines(summary))
            kept = f"what was translated is kept in {store_path}; run the same command again to go on"
            raise type(error)(f"{error}{bills}\n{kept}") from None
        summary.input = reader.tally.as_json()
        campaign.store.set_fact("summary", summary_to_json(summary))
        show_results(campaign, display)
        if repair:
            repair_findings(campaign, display)
        code = gate(summary, configuration.fail_on)
        if not code and summary.failed_texts:
            # Without these the run says less than it seems to: a gate must not pass on them.
            raise SystemFailedError(
                f"{summary.failed_texts} texts have no translation: {summary.failures[0]}; "
                "the rest is kept and reported; run the same command again to try them"
            )
        return code


def dry_run_campaign(
    reader: SegmentReader, configuration: Configuration, store_path: Path, display: Display, *, use_cache: bool = True, **_: bool
) -> int:
    """Show what would be sent."""
    from rich.console import Console

    from metaphrase.campaign.campaign import open_campaign
    from metaphrase.reports.terminal import bill_lines

    direction, _total = _before(reader, configuration)
    with open_campaign(reader, direction, configuration, store_path, use_cache=use_cache) as campaign:
        for _event in campaign.runner.dry_run():
            pass
        s = campaign.runner.summary
    console = Console()
    console.print(f"{s.segments} sentences, {s.cases} cases")
    console.print(
        f"would send {s.sent_texts} distinct texts, {s.sent_characters} characters; {s.reused_texts} already known; nothing was sent"
    )
    for line in bill_lines(s, estimate=True):
        console.print(line, markup=False, soft_wrap=True)
    return 0


def _before(reader: SegmentReader, configuration: Configuration) -> tuple[Direction, int]:
    """What can be wrong is said before anything is opened or sent; also how many sentences there are."""
    from metaphrase.core.errors import ConfigurationError

    if not configuration.systems:
        raise ConfigurationError(
            "which system? Give --system, for instance --system apertium:eng-spa, or systems = [...] in metaphrase.toml"
        )
    return o.direction_of(configuration), reader.count()


def show_results(campaign: Campaign, display: Display) -> None:
    """Findings and summary for people, unless standard output belongs to a report; then the reports."""
    from rich.console import Console

    from metaphrase.reports.base import write_report
    from metaphrase.reports.engines import engine_table
    from metaphrase.reports.terminal import show_engines, show_findings, show_summary

    if "-" not in map(str, display.outputs):
        console = Console()
        show_findings(console, campaign.store.findings(), minor=display.verbose, limit=None if display.verbose else 50)
        if not display.quiet:
            engines = engine_table(campaign.store.findings(), campaign.runner.summary.segments) if len(campaign.systems) > 1 else None
            if engines is not None:
                show_engines(console, engines)
            show_summary(console, campaign.runner.summary, verbose=display.verbose)
    for path in display.outputs:
        write_report(campaign.store, path)


def repair_findings(campaign: Campaign, display: Display) -> None:
    """What `metaphrase repair` would do with the store, while it is open; the rows are kept in it."""
    from rich.console import Console

    from metaphrase.campaign.repair_work import from_store
    from metaphrase.campaign.repairing import Repairs
    from metaphrase.cli.repair import repair_all

    c, console = campaign, Console()
    work = from_store(c.store, c.resources, c.configuration)
    systems = {system.name: system for system in c.systems}
    run = Repairs(work, systems, c.resources, c.configuration, c.store, c.sending, c.back)
    repair_all(run, c.store, console, outputs=[], quiet=display.quiet, verbose=display.verbose)
    if not display.quiet:
        console.print(f"write them with: metaphrase repair {c.store.path} -o repairs.jsonl", markup=False)


def default_store(first: Path) -> Path:
    """Beside the first input."""
    if str(first) == "-":
        return Path(".metaphrase") / "stdin.db"
    return first.parent / ".metaphrase" / f"{first.name}.db"


def gate(summary: Summary, fail_on: str) -> int:
    """1 if there are new findings above the gate."""
    if fail_on == "never":
        return 0
    return int(summary.major > 0) if fail_on == "major" else int(summary.findings > summary.known)


def summary_to_json(summary: Summary) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(summary), "redundancy": summary.redundancy}
