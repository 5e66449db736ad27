"""metaphrase test: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaphrase.cli import options as o

if TYPE_CHECKING:
    from rich.console import Console

    from metaphrase.campaign.config import Configuration
    from metaphrase.campaign.events import Summary
    from metaphrase.campaign.runner import Runner
    from metaphrase.campaign.store import Store
    from metaphrase.campaign.translate import Sending
    from metaphrase.resources.profiles import Resources
    from metaphrase.systems.base import System


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
    from rich.console import Console

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
    console = Console()
    code = run_campaign(
        reader, sources[0], configuration, console,
        outputs=output or [], dry_run=dry_run, repair=repair, use_cache=not no_cache, refresh=refresh, progress=o.wants_progress(no_progress, quiet), quiet=quiet, verbose=verbose,
    )  # fmt: skip
    raise typer.Exit(code)


def run_campaign(
    reader: object,
    first: Path,
    configuration: Configuration,
    console: object,
    *,
    outputs: list[Path],
    dry_run: bool = False,
    repair: bool = False,
    use_cache: bool = True,
    refresh: bool = False,
    progress: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> int:
    """Run, report, and return the exit code."""
    from rich.console import Console

    from metaphrase.campaign.plan import make_plan, make_resources, open_back_system, open_sending, open_systems
    from metaphrase.campaign.runner import Runner
    from metaphrase.campaign.store import Store
    from metaphrase.cli.progress import follow
    from metaphrase.core.errors import ConfigurationError, SystemFailedError
    from metaphrase.files.findings import read_baseline
    from metaphrase.files.segments import SegmentReader
    from metaphrase.reports.base import format_of, write_report
    from metaphrase.reports.terminal import bill_lines, show_findings, show_summary

    assert isinstance(reader, SegmentReader)
    assert isinstance(console, Console)
    for path in outputs:
        if str(path) != "-":
            format_of(path)
    if not configuration.systems:
        raise ConfigurationError(
            "which system? Give --system, for instance --system apertium:eng-spa, or systems = [...] in metaphrase.toml"
        )
    direction = o.direction_of(configuration)
    total = reader.count()
    store_path = Path(configuration.store) if configuration.store else default_store(first)
    systems = open_systems(configuration.systems, configuration)
    back = open_back_system(systems, configuration)
    opened = (*systems, back) if back is not None and back not in systems else systems
    resources = make_resources(configuration)
    try:
        with Store(store_path) as store, open_sending(opened, configuration, use_cache=use_cache, refresh=refresh) as sending:
            resources.memory = store
            plan = make_plan(reader, direction, systems, resources, configuration, read_baseline(configuration.baseline), back)
            runner = Runner(plan, store, sending)
            if dry_run:
                for _ in runner.dry_run():
                    pass
                show_dry_run(console, runner)
                return 0
            try:
                follow(runner.run(), progress=progress, total=total)
            except SystemFailedError as error:
                bills = "".join(f"\n{line}" for line in bill_lines(runner.summary))
                kept = f"what was translated is kept in {store_path}; run the same command again to go on"
                raise type(error)(f"{error}{bills}\n{kept}") from None
            runner.summary.input = reader.tally.as_json()
            store.set_fact("summary", summary_to_json(runner.summary))
            if "-" not in map(str, outputs):
                show_findings(console, store.findings(), minor=verbose, limit=None if verbose else 50)
                if not quiet:
                    show_summary(console, runner.summary, verbose=verbose)
            for path in outputs:
                write_report(store, path)
            if repair:
                repair_findings(
                    store, {one.name: one for one in systems}, resources, configuration, sending, console, quiet=quiet, verbose=verbose
                )
            code = gate(runner.summary, configuration.fail_on)
            if not code and runner.summary.failed_texts:
                # Without these the run says less than it seems to: a gate must not pass on them.
                raise SystemFailedError(
                    f"{runner.summary.failed_texts} texts have no translation: {runner.summary.failures[0]}; "
                    "the rest is kept and reported; run the same command again to try them"
                )
            return code
    finally:
        resources.close()
        for one in opened:
            one.close()


def repair_findings(
    store: Store,
    systems: dict[str, System],
    resources: Resources,
    configuration: Configuration,
    sending: Sending,
    console: Console,
    *,
    quiet: bool,
    verbose: bool,
) -> None:
    """What `metaphrase repair` would do with the store, while it is open; the rows are kept in it."""
    from metaphrase.campaign.repairing import from_store
    from metaphrase.cli.repair import repair_texts

    texts, unsuited = from_store(store, resources, configuration)
    repair_texts(texts, unsuited, systems, resources, configuration, store, sending, console, outputs=[], quiet=quiet, verbose=verbose)
    if not quiet:
        console.print(f"write them with: metaphrase repair {store.path} -o repairs.jsonl", markup=False)


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


def show_dry_run(console: object, runner: Runner) -> None:
    from rich.console import Console

    assert isinstance(console, Console)
    from metaphrase.reports.terminal import bill_lines

    s = runner.summary
    console.print(f"{s.segments} sentences, {s.cases} cases")
    console.print(
        f"would send {s.sent_texts} distinct texts, {s.sent_characters} characters; {s.reused_texts} already known; nothing was sent"
    )
    for line in bill_lines(s, estimate=True):
        console.print(line, markup=False, soft_wrap=True)


def summary_to_json(summary: Summary) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(summary), "redundancy": summary.redundancy}
