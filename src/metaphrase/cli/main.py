"""The command `metaphrase`: one file a command, imported when the command line is read; what they need, when they run."""

from __future__ import annotations

import os
import sys

import typer

from metaphrase.cli import (
    align,
    bench,
    cache,
    calibrate,
    demo,
    formalize,
    judge,
    methods,
    models,
    repair,
    report,
    systems,
    test,
    transform,
    translate,
)

__all__ = ["app", "run"]

app = typer.Typer(
    name="metaphrase",
    help="Finds and locates errors of machine-translation systems, without reference translations.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from metaphrase import __version__

        print(f"metaphrase {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
    log: str = typer.Option("", "--log", envvar="METAPHRASE_LOG", metavar="LEVEL", help="Log to standard error: debug, info or warning."),
) -> None:
    """Finds and locates errors of machine-translation systems, without reference translations."""
    if log:
        import logging

        if log.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
            raise typer.BadParameter(f"'{log}' is no level: use debug, info or warning", param_hint="--log")
        logging.basicConfig(level=log.upper(), format="%(levelname)s %(name)s: %(message)s")


app.command("demo")(demo.demo)
app.command("test")(test.test)
app.command("transform")(transform.transform)
app.command("translate")(translate.translate)
app.command("judge")(judge.judge)
app.command("align")(align.align)
app.command("formalize")(formalize.formalize)
app.command("repair")(repair.repair)
app.command("report")(report.report)
app.command("bench")(bench.bench)
app.command("calibrate")(calibrate.calibrate)
app.command("methods")(methods.methods)
app.add_typer(models.models, name="models")
app.add_typer(systems.app, name="systems")
app.add_typer(cache.app, name="cache")


INTERRUPTED = 130  # as shells say it


def run() -> None:
    """Entry point: errors meant for the user become one message and an exit code."""
    from metaphrase.core.errors import MetaphraseError

    # Before numpy is imported: our matrices are small, and threads of a BLAS would only wait for each other and for the encoder's.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except MetaphraseError as error:
        print(f"metaphrase: error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer turns the interrupt into this code before we see it
            print("metaphrase: interrupted; what was done is kept: run the same command again to go on", file=sys.stderr)
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
