"""A progress bar on standard error, only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from metaphrase.campaign.events import ChunkDone, Event, Translated

__all__ = ["follow"]


def follow(events: Iterator[Event], *, progress: bool, total: int | None = None) -> None:
    """Consume a run's events; show rate and time left if asked to."""
    if not progress:
        for _ in events:
            pass
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        sentences = bar.add_task("sentences", total=total, rate="")
        texts = bar.add_task("texts sent", total=None, rate="")
        for event in events:
            if isinstance(event, ChunkDone):
                bar.advance(sentences, event.segments)
                speed = bar.tasks[0].speed
                bar.update(sentences, rate=f"{speed:.0f}/s" if speed else "")
            elif isinstance(event, Translated):
                bar.advance(texts, event.texts)
