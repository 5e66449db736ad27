"""Metaphrase for Python programs and test suites: `check` is the command `metaphrase test` as a function."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from metaphrase.campaign.campaign import open_campaign
from metaphrase.campaign.config import Configuration
from metaphrase.core.options import read_options
from metaphrase.core.values import Direction, Finding, Segment, Severity
from metaphrase.systems.function import FunctionSystem, Translate
from metaphrase.text.languages import language

__all__ = ["Findings", "check"]


class Findings(list[Finding]):
    """The errors found, major ones first; as text, what the terminal shows."""

    @property
    def major(self) -> Findings:
        return Findings(f for f in self if f.severity is Severity.MAJOR)

    def __str__(self) -> str:
        from rich.console import Console

        from metaphrase.reports.terminal import show_findings

        stream = StringIO()
        show_findings(Console(file=stream, width=140, color_system=None), self, minor=True)
        return f"{len(self)} findings\n{stream.getvalue()}".rstrip()

    __repr__ = __str__


def check(
    translate: Translate | str,
    sentences: Iterable[str],
    *,
    source: str = "en",
    target: str,
    methods: Sequence[str] = ("purity",),
    **settings: Any,
) -> Findings:
    """Test a translation function on sentences and return the errors found.

    `translate` takes a list of texts and returns their translations in order; or it is the name of a system, as on the command line.
    Empty sentences and repeated ones are passed over. `settings` are further keys of metaphrase.toml, for instance
    `relation="lcs"`, `profile="neural"`, or `relation={"use": "bag-of-words", "bag-of-words": {"d": 1}}`.
    """
    named = [translate] if isinstance(translate, str) else []
    values = {"from": source, "to": target, "methods": list(methods), "systems": named, **settings}
    configuration = read_options(Configuration, values, "check()")
    direction = Direction(language(source).code, language(target).code)
    texts = dict.fromkeys(text for sentence in sentences if (text := sentence.strip()))
    segments = [Segment(f"sentence {i}", text, direction.source) for i, text in enumerate(texts, start=1)]
    systems = (FunctionSystem(translate, name=getattr(translate, "__name__", "function")),) if callable(translate) else None
    with (
        tempfile.TemporaryDirectory(prefix="metaphrase-") as folder,
        open_campaign(segments, direction, configuration, Path(folder) / "check.db", systems=systems) as campaign,
    ):
        for _ in campaign.runner.run():
            pass
        return Findings(campaign.store.findings())
